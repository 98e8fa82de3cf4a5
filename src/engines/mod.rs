//! What the libraries of ROCm decide: each engine answers a typed question from files it is given, as the library would.

pub mod ggml;
pub mod library_claims;
pub mod miopen;
pub mod tensile;

#[cfg(test)]
mod targets_tests;
