//! What a file is, by its first bytes.
#![deny(clippy::indexing_slicing)]

pub(crate) mod coff_header;
pub(crate) mod elf_header;
pub mod hidden;
pub mod promise;
pub mod tar_header;

/// What an offload bundle begins with.
pub const OFFLOAD_BUNDLE_MAGIC: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";

/// What a compressed bundle begins with.
pub const COMPRESSED_BUNDLE_MAGIC: &[u8; 4] = b"CCOB";

/// What an OffloadBinary begins with.
pub const OFFLOAD_BINARY_MAGIC: &[u8; 4] = &[0x10, 0xff, 0x10, 0xad];

/// What a kpack archive begins with.
pub const KPACK_MAGIC: &[u8; 4] = b"KPAK";

/// `e_machine` of AMD GPUs.
pub const EM_AMDGPU: u16 = 224;

/// A kind of file, recognised by its first bytes and never by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Format {
    HostElf,
    CodeObject,
    OffloadBundle,
    CompressedBundle,
    Archive,
    ThinArchive,
    WindowsPe,
    CoffObject,
    OffloadBinary,
    Kpack,
    AotritonArchive,
    Zip,
    Deb,
    Rpm,
    SelfExtracting,
    SevenZip,
    Squashfs,
    Singularity,
    Cpio,
    Nar,
    Lz4,
    CompoundFile,
    Tar,
    Gzip,
    Bzip2,
    Xz,
    Zstd,
    Sqlite,
    LlvmBitcode,
    SpirV,
    LfsPointer,
    Other,
}

/// One row of [`FORMATS`].
#[derive(Debug)]
pub struct FormatRow {
    /// The format.
    pub format: Format,
    /// Its name in reports and JSON.
    pub name: &'static str,
    /// Recognises it by its first [`HEAD_BYTES`](crate::source::HEAD_BYTES).
    pub is: fn(&[u8]) -> bool,
    /// How far device code in it is read.
    pub support: Support,
}

/// How far this version reads a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Device code in it is found.
    Yes,
    /// It holds files, each of which a caller can open as one of its own.
    Members,
    /// It may hold device code, and this version does not look: reports say so.
    NotYet,
    /// It holds none.
    Nothing,
}

/// All formats; the first row that matches decides.
pub static FORMATS: &[FormatRow] = &[
    row(Format::CodeObject, "code object", is_code_object, Support::Yes),
    row(Format::HostElf, "ELF", |b| b.starts_with(b"\x7fELF"), Support::Yes),
    row(Format::OffloadBundle, "offload bundle", |b| b.starts_with(OFFLOAD_BUNDLE_MAGIC), Support::Yes),
    row(Format::CompressedBundle, "compressed bundle", is_compressed_bundle, Support::Yes),
    row(Format::Deb, "Debian package", |b| b.starts_with(b"!<arch>\ndebian-binary"), Support::Members),
    row(Format::Archive, "archive", |b| b.starts_with(b"!<arch>\n"), Support::Yes),
    row(Format::ThinArchive, "thin archive", |b| b.starts_with(b"!<thin>\n"), Support::Members),
    row(Format::WindowsPe, "Windows PE", |b| b.starts_with(b"MZ"), Support::Yes),
    row(Format::OffloadBinary, "OffloadBinary", |b| b.starts_with(OFFLOAD_BINARY_MAGIC), Support::Yes),
    row(Format::Kpack, "kpack archive", |b| b.starts_with(KPACK_MAGIC), Support::Yes),
    row(
        Format::Zip,
        "zip or wheel",
        |b| b.starts_with(b"PK\x03\x04") || b.starts_with(b"PK\x05\x06"),
        Support::Members,
    ),
    row(Format::AotritonArchive, "AOTriton archive", |b| b.starts_with(b"AKS2"), Support::Yes),
    row(Format::Rpm, "RPM package", |b| b.starts_with(&[0xed, 0xab, 0xee, 0xdb]), Support::NotYet),
    row(Format::SelfExtracting, "self-extracting archive", is_makeself, Support::NotYet),
    row(Format::SevenZip, "7z archive", |b| b.starts_with(b"7z\xbc\xaf\x27\x1c"), Support::NotYet),
    row(Format::Squashfs, "squashfs image", |b| b.starts_with(b"hsqs"), Support::NotYet),
    row(Format::Singularity, "Singularity image", |b| b.get(32..41) == Some(b"SIF_MAGIC"), Support::NotYet),
    row(
        Format::Cpio,
        "cpio archive",
        |b| b.starts_with(b"070701") || b.starts_with(b"070702") || b.starts_with(b"070707"),
        Support::NotYet,
    ),
    row(Format::Nar, "Nix archive", |b| b.starts_with(b"\x0d\0\0\0\0\0\0\0nix-archive-1"), Support::NotYet),
    row(Format::Lz4, "lz4", |b| b.starts_with(&[0x04, 0x22, 0x4d, 0x18]), Support::NotYet),
    row(
        Format::CompoundFile,
        "Windows installer or compound file",
        |b| b.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        Support::NotYet,
    ),
    row(
        Format::Tar,
        "tar",
        |b| b.get(257..262) == Some(b"ustar") || tar_header::is_header(b),
        Support::Members,
    ),
    row(Format::Gzip, "gzip", |b| b.starts_with(&[0x1f, 0x8b]), Support::Members),
    row(Format::Bzip2, "bzip2", is_bzip2, Support::Members),
    row(Format::Xz, "xz", |b| b.starts_with(b"\xfd7zXZ\0"), Support::Members),
    row(Format::Zstd, "zstd", |b| b.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]), Support::Members),
    row(Format::Sqlite, "SQLite database", |b| b.starts_with(b"SQLite format 3\0"), Support::Nothing),
    row(Format::LlvmBitcode, "LLVM bitcode", |b| b.starts_with(b"BC\xc0\xde"), Support::Nothing),
    row(Format::SpirV, "SPIR-V", |b| b.starts_with(&[0x03, 0x02, 0x23, 0x07]), Support::Nothing),
    row(
        Format::LfsPointer,
        "Git LFS pointer",
        |b| b.starts_with(b"version https://git-lfs"),
        Support::Nothing,
    ),
    row(Format::CoffObject, "COFF object", coff_header::is_object, Support::Yes),
    row(Format::Other, "other", |_| true, Support::Nothing),
];

const fn row(format: Format, name: &'static str, is: fn(&[u8]) -> bool, support: Support) -> FormatRow {
    FormatRow { format, name, is, support }
}

/// A shell script by Makeself, as NVIDIA's, AMD's and Anaconda's installers are: an archive stands behind the script.
fn is_makeself(bytes: &[u8]) -> bool {
    let says = |what: &[u8]| memchr::memmem::find(bytes, what).is_some();
    bytes.starts_with(b"#!") && (says(b"Makeself") || says(b"makeself"))
}

/// bzip2's magic is three letters: what begins its first block, or an empty stream's end, stands behind it.
fn is_bzip2(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BZh")
        && matches!(bytes.get(4..10), Some(b"\x31\x41\x59\x26\x53\x59" | b"\x17\x72\x45\x38\x50\x90"))
}

/// Whether bytes begin with the header of a code object.
pub fn is_code_object(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x7f, b'E', b'L', b'F', 2, 1, 1])
        && bytes.get(18..20) == Some(&EM_AMDGPU.to_le_bytes())
}

/// Any version: one that is not known yet is a malformed bundle, not another kind of file.
fn is_compressed_bundle(bytes: &[u8]) -> bool {
    bytes.strip_prefix(COMPRESSED_BUNDLE_MAGIC).is_some_and(|rest| matches!(rest, [_, 0, _, 0, ..]))
}

impl Format {
    /// Recognises a format by the beginning of a file: [`SourceFile::head`](crate::source::SourceFile::head).
    pub fn identify(head: &[u8]) -> Format {
        FORMATS.iter().find(|row| (row.is)(head)).map_or(Format::Other, |row| row.format)
    }

    fn row(self) -> Option<&'static FormatRow> {
        FORMATS.iter().find(|row| row.format == self)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.row().map_or("other", |row| row.name)
    }

    /// How far it is read.
    pub fn support(self) -> Support {
        self.row().map_or(Support::Nothing, |row| row.support)
    }
}
