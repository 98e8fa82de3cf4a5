//! Recognises the format of a file by its first bytes.
#![deny(clippy::indexing_slicing)]

pub(crate) mod coff_header;
pub(crate) mod elf_header;
mod endings;
#[doc(hidden)]
pub mod hidden;
#[doc(hidden)]
pub mod overlay;
mod packed;
#[doc(hidden)]
pub mod promise;
#[doc(hidden)]
pub mod tar_header;

use crate::limits::HEAD_BYTES;
#[cfg(feature = "std")]
use crate::source::SourceFile;

/// The first bytes of an offload bundle.
pub const OFFLOAD_BUNDLE_MAGIC: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";

/// The first bytes of a compressed bundle.
pub const COMPRESSED_BUNDLE_MAGIC: &[u8; 4] = b"CCOB";

/// The first bytes of an OffloadBinary.
pub const OFFLOAD_BINARY_MAGIC: &[u8; 4] = &[0x10, 0xff, 0x10, 0xad];

/// The first bytes of a kpack archive.
pub const KPACK_MAGIC: &[u8; 4] = b"KPAK";

/// `e_machine` of AMD GPUs.
pub const EM_AMDGPU: u16 = 224;

/// A kind of file, recognised by its first bytes and never by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
#[non_exhaustive]
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
    CoreDump,
    ProgramWithArchive,
    Installer,
    PackedProgram,
    ScriptWithArchive,
    SelfExtracting,
    SplitZip,
    SevenZip,
    Rar,
    Arj,
    Cabinet,
    InstallShield,
    Wim,
    Xar,
    Squashfs,
    Singularity,
    BigEndianSquashfs,
    Erofs,
    FileSystem,
    Iso,
    DiskImage,
    Cpio,
    BinaryCpio,
    Nar,
    OciLayout,
    ImageDirectory,
    OstreeFile,
    Flatpak,
    Iree,
    Lz4,
    Lzma,
    Lzip,
    Lzop,
    Lrzip,
    Compress,
    Snappy,
    Encrypted,
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
    /// Name in reports and JSON.
    pub name: &'static str,
    /// Recognises the format from the first [`HEAD_BYTES`] or, given all bytes, from later ones.
    pub is: fn(&[u8]) -> bool,
    /// How far device code in it is read.
    pub support: Support,
}

/// How far this version reads a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Device code in it is found.
    Yes,
    /// It contains files, which a caller can open individually.
    Members,
    /// It may contain device code, but this version does not look inside; reports say so.
    NotYet,
    /// It contains no device code.
    Nothing,
}

/// All formats; the first row that matches decides.
pub static FORMATS: &[FormatRow] = &[
    row(Format::CoreDump, "core dump", packed::is_core_dump, Support::NotYet),
    row(Format::CodeObject, "code object", is_code_object, Support::Yes),
    row(Format::ProgramWithArchive, "program with an archive", overlay::is_read, Support::Members),
    row(Format::Installer, "installer", overlay::is_installer, Support::NotYet),
    row(Format::PackedProgram, "packed program", packed::is_upx, Support::NotYet),
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
    row(Format::SplitZip, "split zip", |b| b.starts_with(b"PK\x07\x08PK\x03\x04"), Support::NotYet),
    row(Format::AotritonArchive, "AOTriton archive", |b| b.starts_with(b"AKS2"), Support::Yes),
    row(Format::Rpm, "RPM package", |b| b.starts_with(&[0xed, 0xab, 0xee, 0xdb]), Support::Members),
    row(Format::SelfExtracting, "self-extracting archive", is_makeself, Support::NotYet),
    row(Format::SevenZip, "7z archive", |b| b.starts_with(b"7z\xbc\xaf\x27\x1c"), Support::Members),
    row(Format::Rar, "RAR archive", |b| b.starts_with(b"Rar!\x1a\x07"), Support::NotYet),
    row(Format::Arj, "ARJ archive", packed::is_arj, Support::NotYet),
    row(Format::Cabinet, "cabinet", |b| b.starts_with(b"MSCF\0\0\0\0"), Support::NotYet),
    row(Format::InstallShield, "InstallShield cabinet", |b| b.starts_with(b"ISc("), Support::NotYet),
    row(Format::Wim, "Windows image", |b| b.starts_with(b"MSWIM\0\0\0"), Support::NotYet),
    row(Format::Xar, "xar archive", |b| b.starts_with(b"xar!\0"), Support::NotYet),
    row(Format::Squashfs, "squashfs image", |b| b.starts_with(b"hsqs"), Support::Members),
    row(Format::BigEndianSquashfs, "old squashfs image", |b| b.starts_with(b"sqsh"), Support::NotYet),
    row(Format::Singularity, "Singularity image", |b| b.get(32..41) == Some(b"SIF_MAGIC"), Support::Members),
    row(Format::Cpio, "cpio archive", packed::is_cpio, Support::Members),
    row(Format::BinaryCpio, "binary cpio archive", packed::is_binary_cpio, Support::NotYet),
    row(Format::Nar, "Nix archive", |b| b.starts_with(b"\x0d\0\0\0\0\0\0\0nix-archive-1"), Support::Members),
    row(Format::OciLayout, "OCI image layout", packed::is_oci_layout, Support::Members),
    row(
        Format::ImageDirectory,
        "container image directory",
        |b| b.starts_with(b"Directory Transport Version: 1."),
        Support::Members,
    ),
    row(Format::OstreeFile, "OSTree file", packed::is_ostree_file, Support::NotYet),
    row(Format::Flatpak, "Flatpak bundle", packed::is_flatpak, Support::NotYet),
    row(Format::Iree, "IREE module", packed::is_iree, Support::Yes),
    row(Format::Lz4, "lz4", packed::is_lz4, Support::Members),
    row(Format::Lzma, "lzma", packed::is_lzma, Support::Members),
    row(Format::Lzip, "lzip", |b| b.starts_with(b"LZIP\x01"), Support::Members),
    row(Format::Lzop, "lzop", |b| b.starts_with(b"\x89LZO\0\r\n\x1a\n"), Support::NotYet),
    row(Format::Lrzip, "lrzip", |b| b.starts_with(b"LRZI"), Support::NotYet),
    row(Format::Compress, "compress", |b| b.starts_with(&[0x1f, 0x9d]), Support::NotYet),
    row(Format::Snappy, "snappy", |b| b.starts_with(b"\xff\x06\0\0sNaPpY"), Support::NotYet),
    row(Format::Encrypted, "encrypted file", packed::is_encrypted, Support::NotYet),
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
    row(Format::ScriptWithArchive, "script with an archive", overlay::is_script, Support::Members),
    row(Format::Iso, "ISO image", packed::is_iso, Support::NotYet),
    row(Format::Erofs, "EROFS image", packed::is_erofs, Support::NotYet),
    row(Format::FileSystem, "file system image", packed::is_file_system, Support::NotYet),
    row(Format::DiskImage, "disk image", packed::is_disk_image, Support::NotYet),
    row(Format::Other, "other", |_| true, Support::Nothing),
];

const fn row(format: Format, name: &'static str, is: fn(&[u8]) -> bool, support: Support) -> FormatRow {
    FormatRow { format, name, is, support }
}

/// A shell script followed by an archive, as in NVIDIA's, AMD's and Anaconda's installers: made by Makeself,
/// which names itself, or by a similar tool, if a packed stream begins at a line.
fn is_makeself(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD_BYTES.min(bytes.len())).unwrap_or_default();
    let says = |what: &[u8]| memchr::memmem::find(head, what).is_some();
    let named = || says(b"Makeself") || says(b"makeself");
    bytes.starts_with(b"#!") && (named() || packed::has_stream_at_line(bytes))
}

/// bzip2's magic has only three letters and the size of its blocks, so this also checks the beginning of its
/// first block or the end of an empty stream.
fn is_bzip2(bytes: &[u8]) -> bool {
    matches!(bytes, [b'B', b'Z', b'h', b'1'..=b'9', ..])
        && matches!(bytes.get(4..10), Some(b"\x31\x41\x59\x26\x53\x59" | b"\x17\x72\x45\x38\x50\x90"))
}

/// Whether bytes begin with the header of a code object.
pub fn is_code_object(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x7f, b'E', b'L', b'F', 2, 1, 1])
        && bytes.get(18..20) == Some(&EM_AMDGPU.to_le_bytes())
}

/// Accepts any version: an unknown one is a malformed bundle, not another format.
fn is_compressed_bundle(bytes: &[u8]) -> bool {
    bytes.strip_prefix(COMPRESSED_BUNDLE_MAGIC).is_some_and(|rest| matches!(rest, [_, 0, _, 0, ..]))
}

impl Format {
    /// Recognises a format by the beginning of a file: [`SourceFile::head`](crate::source::SourceFile::head).
    pub fn identify(head: &[u8]) -> Format {
        Self::identify_whole(head.get(..HEAD_BYTES).unwrap_or(head))
    }

    /// Recognises a format by all bytes of a file: uses [`Format::identify`] and, if that does not decide,
    /// later bytes. An archive may follow a program, and an image of a file system begins with zeros.
    pub fn identify_whole(bytes: &[u8]) -> Format {
        FORMATS.iter().find(|row| (row.is)(bytes)).map_or(Format::Other, |row| row.format)
    }

    /// Recognises the format of a file by all of its bytes. A source of ranges is not fetched for that if it
    /// begins like a zip file: only its directory and the wanted members are read.
    #[cfg(feature = "std")]
    pub fn recognise(file: &SourceFile) -> Format {
        match Self::identify(file.head()) {
            Format::Zip if file.is_fetched() => Format::Zip,
            _ => Self::identify_whole(file.bytes()),
        }
    }

    /// Whether the format of a file with this beginning can only be decided by all of its bytes: it is a
    /// script, or begins with zeros or like a disk.
    pub fn is_open(head: &[u8]) -> bool {
        head.starts_with(b"#!") || head.len() >= HEAD_BYTES && packed::may_be_image(head)
    }

    fn row(self) -> Option<&'static FormatRow> {
        FORMATS.iter().find(|row| row.format == self)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.row().map_or("other", |row| row.name)
    }

    /// How far the format is read.
    pub fn support(self) -> Support {
        self.row().map_or(Support::Nothing, |row| row.support)
    }
}
