//! What the libraries of ROCm decide: each engine answers a typed question from files it is given, as the
//! library would.
//!
//! This is a part of the program [`rocm-audit`](https://docs.rs/rocm-audit), a crate of its own so that it is
//! compiled beside the rest. Its interface follows the program and changes without notice: a library wants
//! the facade of `rocm-audit`.

/// What the build made of a rule file: `made!("ggml", "mmq")` of `ggml/rules/mmq.yaml`, as the value that the
/// file's type has.
macro_rules! made {
    ($room:literal, $name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $room, "/rules/", $name, ".rs"))
    };
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"))
    };
}

#[cfg(feature = "engines")]
pub mod attention;
#[cfg(feature = "engines")]
pub mod build_targets;
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
pub mod rule_file;
pub mod tensile;
#[cfg(feature = "engines")]
pub mod workload;

#[cfg(test)]
#[cfg(feature = "engines")]
mod targets_tests;
