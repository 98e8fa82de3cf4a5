//! Models: which products a file of weights requires, and what ggml launches for each.
//!
//! [`gguf`] reads the header of a file; [`safetensors`] and [`config`] read those of models that llama.cpp
//! converts first ([`conversion`], by the rules of [`families`]). [`network`] joins the files of a model and
//! describes its blocks, and [`operation`] derives the products of a batch by rules ([`rules`],
//! `src/model/rules`): which tensor is which product, with how many columns. [`quantize`] determines the
//! weight types of another file type. [`launch`] asks ggml's selector about each product and applies ggml's
//! fusion, [`beside`] counts the auxiliary launches of products, and [`between`] those between products, by
//! traits of architectures ([`graph`]).

pub mod beside;
pub mod between;
pub mod config;
pub mod conversion;
pub mod families;
pub mod gguf;
pub mod graph;
pub mod launch;
pub mod network;
pub mod operation;
pub mod quantize;
pub mod rules;
pub mod safetensors;

/// The sources that the rules cite, each with the citing rule.
pub fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_rules = rules::rules().all().map(|rule| (rule.id, rule.source));
    let of_graphs = graph::traits().into_iter().map(|having| (having.id, having.source));
    let of_files = families::families().sources().chain([("quantize", quantize::SOURCE)]);
    of_rules.chain(of_graphs).chain(of_files)
}

#[cfg(test)]
mod tests;
mod written;
