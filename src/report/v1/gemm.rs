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
    /// Per way the matrices enter (`NN`, `NT`, …): `tuned`, `fallback`, `none`, or `catalog missing`.
    pub served: BTreeMap<String, String>,
}
