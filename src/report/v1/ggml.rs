//! How ggml makes a product on a GPU, and whether a library has the kernel for it.

use super::{Evidence, Found, GemmReport, Header, Statement};
use serde::Serialize;
use std::collections::BTreeMap;

/// The route of one product.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// The library.
    pub library: RouteLibrary,
    /// The target.
    pub target: String,
    /// Its class in ggml's rules: `GCN`, `CDNA2`, `RDNA3.0`.
    pub class: String,
    /// `MUL_MAT`, `MUL_MAT_ID` or `FLASH_ATTN_EXT`.
    pub operation: String,
    /// The problem as `--problems` reads it.
    pub query: String,
    /// The route: `MMVF`, `MMF`, `MMVQ`, `MMVQ-moe`, `MMQ`, `TILE`, `VEC`, `MMA`, `UNSUPPORTED`, or `BLAS:` and a function.
    pub route: String,
    /// The rule that decided.
    pub rule: Option<RouteRule>,
    /// The kernel that is launched; before BLAS the one that prepares operands.
    pub kernel: Option<RouteKernel>,
    /// What rocBLAS does, where the route is BLAS.
    pub blas: Option<BlasAnswer>,
    /// Further statements, each with how it is known.
    pub statements: Vec<Statement>,
}

/// A library with ggml's kernels.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteLibrary {
    /// The file.
    pub path: String,
    /// The version of ggml, or the versions that it may be.
    pub version: String,
    /// How that is known, in words.
    pub known_by: String,
    /// The same in one word.
    pub evidence: Evidence,
    /// The version whose rules were asked.
    pub rules: String,
    /// Targets it has code for.
    pub targets: Vec<String>,
    /// Storage that was seen and not looked into.
    pub not_examined: Vec<String>,
}

/// A rule.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteRule {
    /// Its name.
    pub id: String,
    /// The stage of the selector it belongs to.
    pub stage: String,
    /// Where it is read.
    pub source: String,
    /// The versions in which it is applied.
    pub versions: String,
    /// Those of them in which it was read or observed.
    pub documented: String,
    /// Whether it was read or observed for the version that was asked about, not carried over from another.
    pub is_documented: bool,
    /// A remark.
    pub note: Option<String>,
}

/// What a kernel of a route does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KernelRole {
    /// Makes the product.
    Product,
    /// Prepares operands for BLAS.
    Operands,
}

/// Whether a library has a kernel for a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KernelPresence {
    /// The library has no code for the target.
    NoCodeObject,
    /// It has code for the target, and no kernel of that name.
    Absent,
    /// The library could not be read in full, and what was read has no kernel of that name.
    NotKnown,
    /// The name is there, and its body only traps.
    TrapStub,
    /// It is there and can run.
    Real,
}

impl KernelRole {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            KernelRole::Product => "makes the product",
            KernelRole::Operands => "prepares operands",
        }
    }
}

impl KernelPresence {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            KernelPresence::NoCodeObject => "no code object",
            KernelPresence::Absent => "absent",
            KernelPresence::NotKnown => "not known",
            KernelPresence::TrapStub => "trap stub",
            KernelPresence::Real => "real",
        }
    }
}

/// A kernel in a library, for a target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteKernel {
    /// The template with its arguments.
    pub name: String,
    /// What it does.
    pub role: KernelRole,
    /// Its mangled name, where the library has it for any target.
    pub symbol: Option<String>,
    /// Its name with its signature.
    pub demangled: Option<String>,
    /// Whether the library has it.
    pub presence: KernelPresence,
    /// Code objects of the target that have it.
    pub code_objects: u64,
    /// Offset of the first of them in the file, or in what it was inflated to.
    pub code_object_offset: Option<u64>,
    /// Size of its body in bytes.
    pub bytes: Option<u64>,
    /// Instructions of its body.
    pub instructions: Option<u64>,
    /// Vector registers.
    pub vgprs: Option<u64>,
    /// Scalar registers.
    pub sgprs: Option<u64>,
    /// Accumulation registers.
    pub agprs: Option<u64>,
    /// Vector registers that are spilled.
    pub vgpr_spills: Option<u64>,
    /// Scalar registers that are spilled.
    pub sgpr_spills: Option<u64>,
    /// Static LDS in bytes.
    pub lds: Option<u64>,
    /// Scratch per work-item in bytes.
    pub scratch: Option<u64>,
    /// Instructions by class, those that occur.
    pub classes: BTreeMap<String, u64>,
}

/// What rocBLAS does for a product that ggml leaves to it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlasAnswer {
    /// The function that ggml calls: `hipblasGemmEx`.
    pub function: String,
    /// Types of A and B, C and D, and of the computation: `HH`, `HSS`, `SS`.
    #[serde(rename = "type")]
    pub ty: String,
    /// The rule that says so.
    pub rule: Option<RouteRule>,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Whether that number is assumed.
    pub multiprocessors_assumed: bool,
    /// What rocBLAS chooses, where it was found.
    pub answer: Option<Box<GemmReport>>,
    /// Why there is no answer.
    pub missing: Option<String>,
}

/// The routes of all types by columns.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteTableReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// What the cells of each row are for, one or two.
    pub columns: Vec<RouteColumn>,
    /// Types that are alike and a range of columns, in the order of types.
    pub rows: Vec<RouteRow>,
    /// Up to how many columns was asked; beyond them the last route is taken to go on.
    pub asked_to: u64,
    /// Further statements, each with how it is known.
    pub statements: Vec<Statement>,
}

/// A target in a library.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteColumn {
    /// The library.
    pub library: RouteLibrary,
    /// The target.
    pub target: String,
    /// Its class in ggml's rules.
    pub class: String,
    /// Types that this version's backend does not take, so that they have no row.
    pub types_not_taken: Vec<String>,
}

/// A range of columns.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteRow {
    /// Types of the weights.
    pub types: Vec<String>,
    /// The least `ne11`.
    pub from: u64,
    /// The most; nothing where there is no end.
    pub to: Option<u64>,
    /// One for each of the report's columns.
    pub cells: Vec<RouteCell>,
    /// Whether these differ in route or presence.
    pub differs: bool,
}

/// The route of one range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteCell {
    /// The route, without the function of BLAS.
    pub route: String,
    /// The rule that decided.
    pub rule: Option<String>,
    /// Whether that rule was neither read nor observed in the version, only carried over to it.
    pub carried_over: bool,
    /// Different kernels that the route launches in this range, of each type.
    pub kernels: u64,
    /// Those that are real.
    pub real: u64,
    /// Those that only trap.
    pub stubs: u64,
    /// Those that the library does not have for the target.
    pub absent: u64,
    /// True where the library has no code for the target at all.
    pub no_code_object: bool,
}

/// The kernels of a library by family and target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FamilyReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// The library.
    pub library: String,
    /// Targets, in the order of cells.
    pub targets: Vec<String>,
    /// Families, then the kernels of none (`others`).
    pub rows: Vec<FamilyRow>,
    /// All kernels of each target.
    pub total: Vec<FamilyCell>,
    /// Further statements, each with how it is known.
    pub statements: Vec<Statement>,
}

/// A family of kernels.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FamilyRow {
    /// The template of its kernels, or `others`.
    pub family: String,
    /// The route that launches it, or what it is for.
    pub purpose: String,
    /// One for each target.
    pub cells: Vec<FamilyCell>,
}

/// The kernels of a family for a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FamilyCell {
    /// Names.
    pub kernels: u64,
    /// Those whose bodies can run.
    pub real: u64,
    /// Those that only trap.
    pub stubs: u64,
}
