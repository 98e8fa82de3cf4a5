//! Which matrix products a library has tuned kernels for.

use serde::Serialize;
use std::collections::BTreeMap;

/// One processor in one library folder.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GemmRow {
    /// The library.
    pub library: String,
    /// The folder, as reports show paths.
    pub folder: String,
    /// The processor.
    pub processor: String,
    /// The matrix types, as in the names of catalogs.
    pub types: Vec<GemmType>,
    /// Catalogs that are used only with a flag (`CUEfficiency`, `Fp16Alt`, `ExperimentalGrid`), and their
    /// number.
    pub variants: BTreeMap<String, u64>,
}

/// One type.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GemmType {
    /// `SS`, `HH_HPA`, …: Tensile's abbreviations of input and output; `HPA` means that sums use more bits.
    #[serde(rename = "type")]
    pub name: String,
    /// For each combination of transpositions (`NN`, `NT`, …), how it is served.
    pub served: BTreeMap<String, Served>,
    /// Number of tuned combinations.
    pub tuned: u64,
    /// How all combinations are served; `null` if only some are tuned.
    pub all: Option<Served>,
}

/// How a target is served for a type and a combination of transpositions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Served {
    /// By kernels tuned for the target.
    Tuned,
    /// By kernels for every target, compiled from HIP source.
    Fallback,
    /// By fallback kernels, except that batches given as arrays of pointers get kernels for the target.
    TunedForArrays,
    /// Calls of some sizes fail: their kernels are missing.
    SomeFail,
    /// Calls fail: the kernels that catalogs name are missing.
    Fails,
    /// Not at all.
    None,
    /// A catalog is named but missing or unreadable: calls crash.
    CatalogMissing,
}
