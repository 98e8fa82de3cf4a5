//! What `fatbin` says of files.

use super::{ByteClass, Finding, Found, Header};
pub use crate::container::StorageKind;
use serde::Serialize;
use std::collections::BTreeMap;

/// What `fatbin` says of files.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FatbinReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found, in parts too.
    #[serde(flatten)]
    pub found: Found,
    /// The files.
    pub files: Vec<Fatbin>,
    /// The kernels that were asked for of two targets, where `--vs` named the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_pairs: Option<super::KernelPairs>,
}

impl FatbinReport {
    /// What the findings of packages, which files are members of, stand beside: each file's own.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &[Finding])> {
        self.files.iter().map(|file| (file.path.as_str(), &file.findings[..]))
    }
}

/// One file with device code, or without.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fatbin {
    /// The file as given.
    pub path: String,
    /// Its format.
    pub format: String,
    /// Size in bytes.
    pub bytes: u64,
    /// `DT_SONAME`.
    pub soname: Option<String>,
    /// Sections that hold device code.
    pub sections: Vec<DeviceSection>,
    /// Wrappers of `.hipFatBinSegment`.
    pub wrappers: Option<Wrappers>,
    /// The kpack marker, where the device code was moved out of the file.
    pub kpack: Option<Kpack>,
    /// Bundles by how they are stored.
    pub storage: Vec<StorageRow>,
    /// Bundles in file order.
    pub bundles: Vec<Bundle>,
    /// Target IDs that were asked for; empty where `targets` has all.
    pub asked: Vec<String>,
    /// Code objects by target ID.
    pub targets: Vec<FatbinTarget>,
    /// Target IDs of the file that do not load on what was asked for.
    pub other_targets: Vec<String>,
    /// Sums over `targets`.
    pub total: FatbinTotal,
    /// Entries for a target that are no code objects.
    pub other_content: Vec<ContentRow>,
    /// Where the bytes of the file are.
    pub where_the_bytes_are: Vec<ByteClass>,
    /// Their sum: the size of the file, or more where entries overlap.
    pub accounted_bytes: u64,
    /// Where the inflated bytes of its compressed bundles are.
    pub where_the_unpacked_bytes_are: Vec<ByteClass>,
    /// Their sum.
    pub accounted_unpacked_bytes: u64,
    /// Instructions of the kernels that were asked for.
    pub kernel_instructions: Vec<super::KernelInstructions>,
    /// How many more such kernels there are than are listed.
    pub kernel_instructions_more: u64,
    /// Bytes that are there and need not be.
    pub waste: super::Waste,
    /// False where something in it could not be read.
    pub complete: bool,
    /// What could not be read, and what else is worth saying, the worst first.
    pub findings: Vec<Finding>,
    /// Parts that were seen and not looked into.
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

/// Where the device code of a binary is that was moved to kpack archives.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Kpack {
    /// What the binary is called in the tables of archives.
    pub kernel_name: String,
    /// Where archives are looked for, relative to the binary's folder.
    pub search_paths: Vec<String>,
    /// Bundles that the binary registers from archives.
    pub units: u64,
    /// Whether archives were looked for; they are not for a member of a package.
    pub looked_for_archives: bool,
    /// Targets for which there are archives.
    pub targets: Vec<KpackTarget>,
}

/// What kpack archives have of a binary for one target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KpackTarget {
    /// The target ID that the archives name.
    pub target_id: String,
    /// The archives that answer, as the search paths name them.
    pub archives: Vec<String>,
    /// Bundles that there is code for.
    pub units: u64,
    /// Bundles among them that loaders before rocm-systems 9953 do not find, since an archive before lacks them.
    pub behind_a_miss: u64,
}

/// The wrappers that a program registers with the HIP runtime.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wrappers {
    /// How many.
    pub count: u64,
    /// How many by magic.
    pub magics: BTreeMap<String, u64>,
    /// How many different places they point at.
    pub distinct: u64,
    /// Virtual addresses pointed at where no bundle begins.
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
    /// How it is stored; `code-object` for a code object that stands alone.
    pub storage: StorageKind,
    /// Version of that form, where it has versions.
    pub version: Option<u32>,
    /// `zlib` or `zstd`, if it is compressed.
    pub method: Option<String>,
    /// Bytes it occupies in the file.
    pub stored_bytes: u64,
    /// Bytes it inflates to, if it is compressed.
    pub unpacked_bytes: Option<u64>,
    /// Whether the hash in its header fits, if it was verified.
    pub hash_fits: Option<bool>,
    /// The archive member it lies in.
    pub member: Option<String>,
    /// Its entries.
    pub entries: Vec<Entry>,
}

/// Bundles that are stored in one way.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StorageRow {
    /// How.
    pub storage: StorageKind,
    /// Version of that form, where it has versions.
    pub version: Option<u32>,
    /// `zlib` or `zstd`, if they are compressed.
    pub method: Option<String>,
    /// How many.
    pub bundles: u64,
    /// Their entries.
    pub entries: u64,
    /// Bytes they occupy in the file.
    pub bytes: u64,
    /// Bytes they inflate to; zero where they are not compressed.
    pub unpacked_bytes: u64,
    /// How many of their hashes fit.
    pub verified: u64,
}

/// Entries of one kind and target that are no code objects.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContentRow {
    /// What they are, as in [`Entry::content`].
    pub content: String,
    /// The target ID that their ids name.
    pub target_id: String,
    /// How many.
    pub entries: u64,
    /// Their bytes.
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
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// The entries, file by file, in file order.
    pub entries: Vec<EntryLine<'a>>,
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
    /// Its id; nothing for a code object that stands alone.
    pub id: Option<&'a str>,
    /// Target ID that its id names, or, for a code object without an id, its header.
    pub target_id: Option<String>,
    /// Size in bytes.
    pub bytes: u64,
    /// Where it is.
    pub uri: &'a str,
    /// How its bundle is stored.
    pub storage: StorageKind,
    /// Version of that form, where it has versions.
    pub version: Option<u32>,
    /// `zlib` or `zstd`, if it is compressed.
    pub method: Option<&'a str>,
    /// The archive member it lies in.
    pub member: Option<&'a str>,
}

/// One entry of a bundle.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// Its id; nothing for a code object that stands alone.
    pub id: Option<String>,
    /// Target ID that its id names, or, for a code object without an id, its header.
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
    /// Code object version, `V2` to `V6`, or the OS ABI where it is not HSA.
    pub abi: String,
    /// Generic target version, 0 where it is not generic.
    pub generic_version: u8,
    /// False for one that still has to be linked (`ET_REL`).
    pub loadable: bool,
    /// The target of its metadata.
    pub metadata_target: Option<String>,
    /// Kernels that its metadata names; nothing where there is no metadata.
    pub kernels: Option<u64>,
    /// Kernel descriptors by the symbol table, where it was read.
    pub descriptors: Option<u64>,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Bytes by class, where the section headers were read.
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
    /// Kernel descriptors, where the symbols of all were read.
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
    /// What its machine code is made of, where that was asked for.
    pub instructions: Option<super::Instructions>,
}
