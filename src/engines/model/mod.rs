//! Models: which products a file of weights makes, and what ggml launches for each.
//!
//! [`gguf`] reads the header of a file, [`network`] joins the files of a model and says what its blocks are, and
//! [`operation`] makes the products of a batch by rules ([`rules`], `src/engines/model/rules`): which tensor is which
//! product, with how many columns. [`launch`] asks ggml's selector about each and joins what ggml fuses.

pub mod gguf;
pub mod launch;
pub mod network;
pub mod operation;
pub mod rules;

#[cfg(test)]
mod tests;
