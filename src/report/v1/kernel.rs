//! The kernel inventory.

use super::{Described, Document, Found, Header};
use serde::Serialize;

/// The kernels of files: what `fatbin --kernels` writes as JSON.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelsReport<'a> {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The kernels, file by file, in file order.
    pub kernels: Vec<KernelLine<'a>>,
}

impl Described for KernelsReport<'_> {
    const DOCUMENT: Document =
        Document { name: "kernels", version: "2.1.0", about: "Kernels of files: `fatbin --kernels`." };
}

/// One line of the kernel inventory (JSON Lines).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelLine<'a> {
    /// `kernel`.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// The file.
    pub path: &'a str,
    /// Where the code object is.
    pub uri: &'a str,
    /// Index of the bundle in the file.
    pub bundle: usize,
    /// Id of the bundle entry.
    pub id: Option<&'a str>,
    /// The target ID of the code object.
    pub target_id: &'a str,
    /// Mangled name.
    pub name: &'a str,
    /// Demangled name, if it is a C++ name.
    pub demangled: Option<&'a str>,
    /// Symbol of its descriptor.
    pub symbol: &'a str,
    /// Scalar registers.
    pub sgprs: Option<u64>,
    /// Vector registers.
    pub vgprs: Option<u64>,
    /// Accumulation registers.
    pub agprs: Option<u64>,
    /// Spilled scalar registers.
    pub sgpr_spills: Option<u64>,
    /// Spilled vector registers.
    pub vgpr_spills: Option<u64>,
    /// Static LDS in bytes.
    pub lds: Option<u64>,
    /// Scratch per work-item in bytes.
    pub scratch: Option<u64>,
    /// Kernel argument segment in bytes.
    pub kernarg: Option<u64>,
    /// 32 or 64.
    pub wavefront: Option<u64>,
    /// Largest flat workgroup.
    pub max_workgroup: Option<u64>,
    /// Waves that a SIMD unit holds, as LLVM counts them; `null` if the metadata does not suffice.
    pub occupancy: Option<u32>,
    /// What limits them: `vgpr`, `agpr`, `sgpr`, `lds`, `workgroup-size`, `barriers`; empty if the unit is
    /// full.
    pub occupancy_limited_by: Option<Vec<&'static str>>,
    /// Number of instructions, if the machine code was decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// Size of the machine code in bytes, if it was decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_bytes: Option<u64>,
    /// What the body does, if the machine code was decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<super::Body>,
    /// The classes of its instructions (`rocm-audit list classes`), if the machine code was decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<&'static str>>,
}

impl Described for KernelLine<'_> {
    const DOCUMENT: Document = Document {
        name: "kernel",
        version: "2.1.0",
        about: "A kernel, one line of the inventory in JSON Lines.",
    };
}
