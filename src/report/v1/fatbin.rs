//! The documents of `fatbin`.

use super::{ByteClass, Described, Document, Finding, Found, Header};
pub use crate::container::StorageKind;
pub use crate::inventory::close_instructions::{CloseInstructions, ClosePair};
pub use crate::inventory::code_sources::{CodeSources, NamedBytes};
pub use crate::inventory::missing_waits::{KernelWaits, MissingKernelWait, ResultMisuse};
pub use crate::inventory::when_missing::WhenMissing;
use serde::Serialize;
use std::collections::BTreeMap;

/// What `fatbin` reports on files.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FatbinReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings, including those of single files.
    #[serde(flatten)]
    pub found: Found,
    /// The files.
    pub files: Vec<Fatbin>,
    /// Sums over the files by target ID, in the order of the processor table.
    pub targets: Vec<FatbinTargetSum>,
    /// The same kernels of two targets, if `--vs` names a second target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_pairs: Option<super::KernelPairs>,
}

impl Described for FatbinReport {
    const DOCUMENT: Document =
        Document { name: "fatbin", version: "2.9.0", about: "Device code of files: `fatbin`." };
}

impl FatbinReport {
    /// Each file's path with its own findings; packages have further ones.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &[Finding])> {
        self.files.iter().map(|file| (file.path.as_str(), &file.findings[..]))
    }
}

/// What several files have for a target ID together.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FatbinTargetSum {
    /// `gfx90a:xnack+`.
    pub target_id: String,
    /// Files with code for it.
    pub files: u64,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Bytes of the code objects.
    pub bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Kernels that spill.
    pub spilling_kernels: u64,
}

/// One file, with or without device code.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fatbin {
    /// The file as given.
    pub path: String,
    /// Format of the file.
    pub format: String,
    /// Size in bytes.
    pub bytes: u64,
    /// `DT_SONAME`.
    pub soname: Option<String>,
    /// Sections that hold device code.
    pub sections: Vec<DeviceSection>,
    /// Wrappers of `.hipFatBinSegment`.
    pub wrappers: Option<Wrappers>,
    /// The kpack marker, if the device code was moved out of the file.
    pub kpack: Option<Kpack>,
    /// Bundles by how they are stored.
    pub storage: Vec<StorageRow>,
    /// Bundles in file order.
    pub bundles: Vec<Bundle>,
    /// Target IDs the user asked about; empty if `targets` lists all.
    pub asked: Vec<String>,
    /// Code objects by target ID.
    pub targets: Vec<FatbinTarget>,
    /// Target IDs in the file that do not load on the asked ones.
    pub other_targets: Vec<String>,
    /// Sums over `targets`.
    pub total: FatbinTotal,
    /// Entries for a target that are not code objects.
    pub other_content: Vec<ContentRow>,
    /// Bytes of the file by class.
    pub where_the_bytes_are: Vec<ByteClass>,
    /// Sum of these bytes: the size of the file, or more if entries overlap.
    pub accounted_bytes: u64,
    /// Inflated bytes of its compressed bundles by class.
    pub where_the_unpacked_bytes_are: Vec<ByteClass>,
    /// Sum of these bytes.
    pub accounted_unpacked_bytes: u64,
    /// Instructions of the requested kernels.
    pub kernel_instructions: Vec<super::KernelInstructions>,
    /// How many further requested kernels are not listed.
    pub kernel_instructions_more: u64,
    /// Number of kernels in `kernel_instructions` whose listing was left out: the first 64 of a code object have one.
    pub listings_more: u64,
    /// Device code by source file, template and kernel, if `--sources` requests it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_sources: Option<CodeSources>,
    /// Results of memory that kernels use before they are there, if `--waits` requests it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<KernelWaits>,
    /// Bytes that could be saved.
    pub waste: super::Waste,
    /// False if something in the file could not be read.
    pub complete: bool,
    /// What could not be read, and other findings, worst first.
    pub findings: Vec<Finding>,
    /// Parts that were seen but not examined.
    pub not_examined: Vec<String>,
}

/// A section that holds device code.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceSection {
    /// Name.
    pub name: String,
    /// Offset in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// Where to find the device code that was moved from a binary to kpack archives.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Kpack {
    /// Name of the binary in the archives' tables of contents.
    pub kernel_name: String,
    /// Paths to search for archives, relative to the binary's folder.
    pub search_paths: Vec<String>,
    /// Number of bundles that the binary registers from archives.
    pub units: u64,
    /// Whether archives were looked for; for members of packages they are not.
    pub looked_for_archives: bool,
    /// Targets that archives exist for.
    pub targets: Vec<KpackTarget>,
}

/// What kpack archives contain of a binary for one target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KpackTarget {
    /// The target ID that the archives name.
    pub target_id: String,
    /// The archives that contain its code, as named by the search paths.
    pub archives: Vec<String>,
    /// Number of bundles with code.
    pub units: u64,
    /// Of these, bundles that loaders before rocm-systems 9953 do not find, since an earlier archive lacks
    /// them.
    pub behind_a_miss: u64,
}

/// The wrappers that a program registers with the HIP runtime.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wrappers {
    /// Number of wrappers.
    pub count: u64,
    /// Number of wrappers by magic.
    pub magics: BTreeMap<String, u64>,
    /// Number of different addresses they point at.
    pub distinct: u64,
    /// Virtual addresses pointed at that are not the beginning of a bundle.
    pub dangling: Vec<u64>,
    /// Offsets of bundles that no wrapper points at.
    pub unreferenced: Vec<u64>,
}

/// One bundle.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bundle {
    /// Offset in bytes.
    pub offset: u64,
    /// Storage form; `code-object` for a code object outside of bundles.
    pub storage: StorageKind,
    /// Version of the storage form, if it has versions.
    pub version: Option<u32>,
    /// `zlib` or `zstd`, if it is compressed.
    pub method: Option<String>,
    /// Bytes it occupies in the file.
    pub stored_bytes: u64,
    /// Bytes it inflates to, if it is compressed.
    pub unpacked_bytes: Option<u64>,
    /// Whether the hash in its header matches, if it was verified.
    pub hash_fits: Option<bool>,
    /// The archive member that contains it.
    pub member: Option<String>,
    /// Entries of the bundle in file order.
    pub entries: Vec<Entry>,
}

/// Bundles with the same storage form.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StorageRow {
    /// Storage form.
    pub storage: StorageKind,
    /// Version of the storage form, if it has versions.
    pub version: Option<u32>,
    /// `zlib` or `zstd`, if they are compressed.
    pub method: Option<String>,
    /// Number of bundles.
    pub bundles: u64,
    /// Number of entries in these bundles.
    pub entries: u64,
    /// Bytes they occupy in the file.
    pub bytes: u64,
    /// Bytes they inflate to; 0 if they are not compressed.
    pub unpacked_bytes: u64,
    /// Number of bundles whose hash matches.
    pub verified: u64,
}

/// Entries of one kind and target that are not code objects.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContentRow {
    /// Kind of the entries, as in [`Entry::content`].
    pub content: String,
    /// The target ID in the entries' ids.
    pub target_id: String,
    /// Number of entries.
    pub entries: u64,
    /// Size of the entries in bytes.
    pub bytes: u64,
}

/// Sums over targets of a file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FatbinTotal {
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Kernels that spill.
    pub spilling_kernels: u64,
    /// ABI versions.
    pub abi: Vec<String>,
}

/// The entries of files: what `fatbin --list` writes as JSON.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EntriesReport<'a> {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The entries, file by file, in file order.
    pub entries: Vec<EntryLine<'a>>,
}

impl Described for EntriesReport<'_> {
    const DOCUMENT: Document =
        Document { name: "entries", version: "2.0.1", about: "Bundle entries of files: `fatbin --list`." };
}

/// One entry of a bundle with its file; a line of the list (JSON Lines).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EntryLine<'a> {
    /// `entry`.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// The file.
    pub path: &'a str,
    /// Id of the entry; `null` for a code object outside of bundles.
    pub id: Option<&'a str>,
    /// Target ID in the entry's id or, without an id, in the code object's header.
    pub target_id: Option<String>,
    /// Size in bytes.
    pub bytes: u64,
    /// Where the entry is: `file://path#offset=N&size=M`.
    pub uri: &'a str,
    /// Storage form of its bundle.
    pub storage: StorageKind,
    /// Version of the storage form, if it has versions.
    pub version: Option<u32>,
    /// `zlib` or `zstd`, if it is compressed.
    pub method: Option<&'a str>,
    /// The archive member that contains it.
    pub member: Option<&'a str>,
}

impl Described for EntryLine<'_> {
    const DOCUMENT: Document =
        Document { name: "entry", version: "2.0.0", about: "A bundle entry, one line of JSON Lines." };
}

/// One entry of a bundle.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// Id of the entry; `null` for a code object outside of bundles.
    pub id: Option<String>,
    /// Target ID in the entry's id or, without an id, in the code object's header.
    pub target_id: Option<String>,
    /// Size in bytes.
    pub bytes: u64,
    /// Where it is: `file://path#offset=N&size=M`.
    pub uri: String,
    /// `empty`, `code object`, `LLVM bitcode`, `SPIR-V`, `ELF for another machine`, `unknown content`.
    pub content: String,
    /// The code object.
    pub code_object: Option<CodeObject>,
}

/// One code object.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodeObject {
    /// Target ID from `e_flags`.
    pub target_id: String,
    /// `e_flags`.
    pub e_flags: u32,
    /// Code object version, `V2` to `V6`, or the OS ABI if it is not HSA.
    pub abi: String,
    /// Generic target version; 0 if it is not generic.
    pub generic_version: u8,
    /// False if it still has to be linked (`ET_REL`).
    pub loadable: bool,
    /// The target in its metadata.
    pub metadata_target: Option<String>,
    /// Number of kernels in its metadata; `null` without metadata.
    pub kernels: Option<u64>,
    /// Number of kernel descriptors in the symbol table, if it was read.
    pub descriptors: Option<u64>,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Bytes by class, if the section headers were read.
    pub classes: Vec<ByteClass>,
}

/// Code objects of one target ID in a file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FatbinTarget {
    /// `gfx90a:xnack+`.
    pub target_id: String,
    /// Code objects.
    pub code_objects: u64,
    /// Bundles that hold it.
    pub bundles: u64,
    /// Kernels.
    pub kernels: u64,
    /// Number of kernel descriptors, if all symbol tables were read.
    pub descriptors: Option<u64>,
    /// Bytes.
    pub bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Bytes of debug information.
    pub debug_bytes: u64,
    /// Most vector registers.
    pub max_vgprs: u64,
    /// Most accumulation registers.
    pub max_agprs: u64,
    /// Most scalar registers.
    pub max_sgprs: u64,
    /// Largest static LDS in bytes.
    pub max_lds: u64,
    /// Largest scratch per work-item in bytes.
    pub max_scratch: u64,
    /// Kernels that spill.
    pub spilling_kernels: u64,
    /// ABI versions.
    pub abi: Vec<String>,
    /// The instruction mix of its machine code, if requested.
    pub instructions: Option<super::Instructions>,
}
