//! What the libraries of ROCm decide: each engine answers a typed question from files it is given, as the library would.

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
pub mod tensile;

#[cfg(test)]
#[cfg(feature = "engines")]
mod targets_tests;
