//! What the libraries of ROCm decide: each engine answers a typed question from files it is given, as the
//! library would.
//!
//! This is a part of the program [`rocm-audit`](https://docs.rs/rocm-audit), a crate of its own so that it is
//! compiled beside the rest. Its interface follows the program and changes without notice: a library wants
//! the facade of `rocm-audit`.

/// The JSON that the build makes of a rule file: `rule_text!("ggml", "mmq")` of `ggml/rules/mmq.yaml`.
#[cfg(feature = "engines")]
macro_rules! rule_text {
    ($room:literal, $name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $room, "/rules/", $name, ".json"))
    };
}

#[cfg(feature = "engines")]
pub mod attention;
#[cfg(feature = "engines")]
pub mod citations;
#[cfg(feature = "engines")]
pub mod ggml;
pub mod history;
pub mod library_claims;
pub mod miopen;
#[cfg(feature = "engines")]
pub mod model;
#[cfg(feature = "engines")]
pub mod onnx;
#[cfg(feature = "engines")]
pub mod releases;
pub mod tensile;
#[cfg(feature = "engines")]
pub mod workload;

#[cfg(test)]
#[cfg(feature = "engines")]
mod targets_tests;
