//! The four layers of each target.

use super::{Evidence, TargetIdRow};
pub use crate::capability::layers::TargetTotals;
use serde::Serialize;

/// One processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Target {
    /// `gfx900`.
    pub processor: String,
    /// The instruction set family; `null` for an unknown processor.
    pub family: Option<String>,
    /// A few devices.
    pub devices: Option<String>,
    /// Code objects by target ID, if some of them fix features.
    pub target_ids: Vec<TargetIdRow>,
    /// For a generic target with kernels: processors that run its code, according to LLVM's AMDGPUUsage.
    pub also_runs_on: Vec<String>,
    /// How this is known.
    pub also_runs_on_evidence: Evidence,
    /// Layer 1: code built for it.
    pub build: BuildLayer,
    /// Layer 2: data that selects among that code.
    pub selection: SelectionLayer,
    /// Layer 3: what it can fall back to.
    pub fallback: FallbackLayer,
    /// Layer 4: files shipped under its name.
    pub ship: ShipLayer,
    /// Whether the only code for it is the copy and fill kernels that the HSA runtime carries for every GPU.
    pub runtime_kernels_only: bool,
}

/// Layer 1: code objects for exactly this processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BuildLayer {
    /// Libraries with at least one kernel for it.
    pub libraries: u64,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Kernels that only trap, in the code objects whose machine code was examined.
    pub trap_stubs: u64,
    /// Code objects whose machine code was not examined because it is compressed.
    pub bodies_unread: u64,
    /// Bytes of code objects, inflated.
    pub bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Most vector registers of a kernel.
    pub max_vgprs: u64,
    /// Largest static LDS in bytes.
    pub max_lds: u64,
    /// Kernels that spill.
    pub spilling_kernels: u64,
    /// The first code object, as evidence.
    pub first: Option<String>,
    /// How it is known.
    pub evidence: Evidence,
}

/// Layer 2: catalogs and databases.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectionLayer {
    /// Tensile catalogs that name it (lazy ones included).
    pub catalogs: u64,
    /// Number of solutions in these catalogs.
    pub solutions: u64,
    /// MIOpen find-db lines.
    pub find_db_lines: u64,
    /// MIOpen perf-db lines (SQLite counted as its text form).
    pub perf_db_lines: u64,
    /// Sum of both.
    pub db_lines: u64,
    /// Kernels in MIOpen kernel databases.
    pub kernel_db_kernels: u64,
    /// MIOpen models.
    pub models: u64,
    /// How it is known.
    pub evidence: Evidence,
}

/// Layer 3: fallbacks.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FallbackLayer {
    /// Tensile fallback code objects for it.
    pub code_objects: u64,
    /// Generic targets that it can run and that have kernels here.
    pub generic_targets: Vec<String>,
    /// Libraries that reach it only through these.
    pub libraries_by_generic: u64,
    /// How the generic part is known: the membership is LLVM's.
    pub evidence: Evidence,
}

/// Layer 4: shipped files.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShipLayer {
    /// Files that name it or carry code for it, except firmware.
    pub files: u64,
    /// Files whose name contains it.
    pub named_files: u64,
    /// Size of these files in bytes.
    pub bytes: u64,
    /// Firmware files for it, without links.
    pub firmware_files: u64,
    /// How it is known.
    pub evidence: Evidence,
}
