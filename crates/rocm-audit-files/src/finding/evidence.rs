//! How a statement is known.

use serde::Serialize;

/// How a statement is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Read in the bytes of this install.
    Observed,
    /// A rule read in cited source.
    Code,
    /// Measured on a GPU, as published by others.
    Runtime,
    /// Measured with the real library on a stand-in for the HIP runtime, without a GPU.
    StandIn,
    /// Concluded from the others.
    Inferred,
}

impl Evidence {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Observed => "observed",
            Evidence::Code => "code",
            Evidence::Runtime => "runtime",
            Evidence::StandIn => "stand-in",
            Evidence::Inferred => "inferred",
        }
    }
}
