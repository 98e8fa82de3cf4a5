//! How ggml computes a product on a GPU, and whether a library has the kernel.

use super::{Described, Document, Evidence, Found, GemmReport, Header, Statement};
use serde::Serialize;
use std::collections::BTreeMap;

/// The route of one product.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The library.
    pub library: RouteLibrary,
    /// The target.
    pub target: String,
    /// The target's class in ggml's rules: `GCN`, `CDNA2`, `RDNA3.0`.
    pub class: String,
    /// `MUL_MAT`, `MUL_MAT_ID` or `FLASH_ATTN_EXT`.
    pub operation: String,
    /// The problem as `--problems` reads it.
    pub query: String,
    /// The route: `MMVF`, `MMF`, `MMVQ`, `MMVQ-moe`, `MMQ`, `TILE`, `VEC`, `MMA`, `UNSUPPORTED`, or `BLAS:`
    /// and a function.
    pub route: String,
    /// The rule that decided.
    pub rule: Option<RouteRule>,
    /// The kernel that ggml launches; if BLAS follows, the one that prepares operands.
    pub kernel: Option<RouteKernel>,
    /// What rocBLAS does, if the route is BLAS.
    pub blas: Option<BlasAnswer>,
    /// Further statements, each with its evidence.
    pub statements: Vec<Statement>,
}

impl Described for RouteReport {
    const DOCUMENT: Document =
        Document { name: "select-route", version: "2.1.0", about: "A route of ggml: `select mul-mat`." };
}

/// A library with ggml's kernels.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteLibrary {
    /// The file.
    pub path: String,
    /// The version of ggml, or all that it may be.
    pub version: String,
    /// How the version is known, in words.
    pub known_by: String,
    /// How the version is known, in one word.
    pub evidence: Evidence,
    /// The version whose rules answer.
    pub rules: String,
    /// Targets it contains code for.
    pub targets: Vec<String>,
    /// Storage forms that were seen but not examined.
    pub not_examined: Vec<String>,
}

/// A rule.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteRule {
    /// Id of the rule.
    pub id: String,
    /// The selector stage it belongs to.
    pub stage: String,
    /// Source of the rule.
    pub source: String,
    /// The versions to which it is applied.
    pub versions: String,
    /// The versions in which it was read or observed.
    pub documented: String,
    /// Whether it was read or observed for the version in question, not carried over from another.
    pub is_documented: bool,
    /// A remark.
    pub note: Option<String>,
}

/// Purpose of a kernel in a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KernelRole {
    /// Computes the product.
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
    /// It has code for the target, but no kernel of that name.
    Absent,
    /// The library could not be read in full, and the part that was read has no kernel of that name.
    NotKnown,
    /// A kernel of that name exists, but its body only traps.
    TrapStub,
    /// It exists and can run.
    Real,
}

impl KernelRole {
    /// The presence in words.
    pub fn describe(self) -> &'static str {
        match self {
            KernelRole::Product => "makes the product",
            KernelRole::Operands => "prepares operands",
        }
    }
}

impl KernelPresence {
    /// The role in words.
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
    /// Purpose of the kernel.
    pub role: KernelRole,
    /// The kernel's mangled name, if the library has it for any target.
    pub symbol: Option<String>,
    /// Its name with its signature.
    pub demangled: Option<String>,
    /// Whether the library has it for the target.
    pub presence: KernelPresence,
    /// Number of the target's code objects that contain it.
    pub code_objects: u64,
    /// Offset of the first of them in the file, or in the inflated bundle.
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
    /// Spilled vector registers.
    pub vgpr_spills: Option<u64>,
    /// Spilled scalar registers.
    pub sgpr_spills: Option<u64>,
    /// Static LDS in bytes.
    pub lds: Option<u64>,
    /// Scratch per work-item in bytes.
    pub scratch: Option<u64>,
    /// Instructions by class, those that occur.
    pub classes: BTreeMap<String, u64>,
}

/// What rocBLAS does with a product that ggml hands to it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlasAnswer {
    /// The function that ggml calls: `hipblasGemmEx`.
    pub function: String,
    /// Types of A and B, C and D, and of the computation: `HH`, `HSS`, `SS`.
    #[serde(rename = "type")]
    pub ty: String,
    /// The rule behind the choice of function.
    pub rule: Option<RouteRule>,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Whether that number is assumed.
    pub multiprocessors_assumed: bool,
    /// What rocBLAS chooses, if it was found.
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
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The targets and libraries of the cells, one or two.
    pub columns: Vec<RouteColumn>,
    /// One row for each group of types with equal routes and range of `ne11`, ordered by type.
    pub rows: Vec<RouteRow>,
    /// The largest number of columns examined; beyond it the last route is assumed to continue.
    pub asked_to: u64,
    /// Further statements, each with its evidence.
    pub statements: Vec<Statement>,
}

impl Described for RouteTableReport {
    const DOCUMENT: Document = Document {
        name: "select-routes",
        version: "2.0.1",
        about: "Routes of ggml by type and columns: `select mul-mat --table`.",
    };
}

/// A target in a library.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteColumn {
    /// The library.
    pub library: RouteLibrary,
    /// The target.
    pub target: String,
    /// The target's class in ggml's rules.
    pub class: String,
    /// Types that this version's backend does not accept; they have no row.
    pub types_not_taken: Vec<String>,
}

/// The routes for a range of columns.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteRow {
    /// Types of the weights.
    pub types: Vec<String>,
    /// Smallest `ne11`.
    pub from: u64,
    /// Largest `ne11`; `null` if the range has no end.
    pub to: Option<u64>,
    /// One for each of the report's columns.
    pub cells: Vec<RouteCell>,
    /// Whether the cells differ in route or presence.
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
    /// Whether that rule was carried over to the version, and neither read nor observed in it.
    pub carried_over: bool,
    /// Number of different kernels that the route launches in this range, over all types.
    pub kernels: u64,
    /// Number of real kernels.
    pub real: u64,
    /// Number of kernels that only trap.
    pub stubs: u64,
    /// Number of kernels that the library lacks for the target.
    pub absent: u64,
    /// True if the library has no code for the target at all.
    pub no_code_object: bool,
}

/// The kernels of a library by family and target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FamilyReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The library.
    pub library: String,
    /// Targets, in the order of cells.
    pub targets: Vec<String>,
    /// Families, then all other kernels (`others`).
    pub rows: Vec<FamilyRow>,
    /// All kernels of each target.
    pub total: Vec<FamilyCell>,
    /// Further statements, each with its evidence.
    pub statements: Vec<Statement>,
}

impl Described for FamilyReport {
    const DOCUMENT: Document = Document {
        name: "select-families",
        version: "2.0.1",
        about: "Kernels of ggml by family: `select mul-mat --families`.",
    };
}

/// A family of kernels.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FamilyRow {
    /// The template of its kernels, or `others`.
    pub family: String,
    /// The route that launches it, or its purpose.
    pub purpose: String,
    /// One cell for each target.
    pub cells: Vec<FamilyCell>,
}

/// The kernels of a family for a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FamilyCell {
    /// Number of kernel names.
    pub kernels: u64,
    /// Number of kernels that can run.
    pub real: u64,
    /// Number of kernels that only trap.
    pub stubs: u64,
}
