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
    /// Per type of the matrices, as the names of catalogs have it.
    pub types: Vec<GemmType>,
    /// Catalogs that are only asked with a flag (`CUEfficiency`, `Fp16Alt`, `ExperimentalGrid`), and their number.
    pub variants: BTreeMap<String, u64>,
}

/// One type.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GemmType {
    /// `SS`, `HH_HPA`, …: Tensile's abbreviations of input and output, `HPA` where it sums in more bits.
    #[serde(rename = "type")]
    pub name: String,
    /// Per way the matrices enter: `NN`, `NT`, …
    pub served: BTreeMap<String, Served>,
    /// How many of these are tuned.
    pub tuned: u64,
    /// How all of them are served; nothing where only some are tuned.
    pub all: Option<Served>,
}

/// How a target is served for a type and a way the matrices enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Served {
    /// By kernels for it.
    Tuned,
    /// By kernels for every target, compiled from HIP source.
    Fallback,
    /// By these; only batches by arrays of pointers get kernels for it.
    TunedForArrays,
    /// Calls of some sizes fail: kernels that catalogs lead to are missing.
    SomeFail,
    /// Calls fail: the kernels that catalogs lead to are missing.
    Fails,
    /// Not at all.
    None,
    /// By a catalog that is named and missing or unreadable: calls end in a crash.
    CatalogMissing,
}
