//! Containers: what a file is by its magic, and where in it the code objects lie.
//!
//! Adding a format: one file in this folder that turns bytes into [`Bundle`]s, one row in [`FORMATS`], one arm in
//! [`open`]. Everything behind (code objects, reports) only sees bundles.

pub mod archive;
pub mod bundle;
pub mod coff;
pub mod compressed;
pub mod content;
pub mod entry_id;
pub mod host;
pub mod host_elf;
pub mod kpack;
pub mod offload_binary;
pub mod pe;
pub mod region;
pub mod window;
pub mod wrapper;

use crate::codeobject;
use crate::elf::Section;
use crate::error::{ParseError, ParseErrors, Parsed};
use crate::package::{Allowance, is_tar_header};
pub use entry_id::EntryId;
use region::Budget;

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
    pub read: Read,
}

/// How far this version reads a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// Device code in it is found.
    Yes,
    /// It holds files, each of which is read as one of its own: [`crate::package`].
    Members,
    /// It may hold device code, and this version does not look: reports say so.
    NotYet,
    /// It holds none.
    Nothing,
}

/// All formats; the first row that matches decides.
pub static FORMATS: &[FormatRow] = &[
    row(Format::CodeObject, "code object", codeobject::is_code_object, Read::Yes),
    row(Format::HostElf, "ELF", |b| b.starts_with(b"\x7fELF"), Read::Yes),
    row(Format::OffloadBundle, "offload bundle", |b| b.starts_with(bundle::MAGIC), Read::Yes),
    row(Format::CompressedBundle, "compressed bundle", is_compressed_bundle, Read::Yes),
    row(Format::Deb, "Debian package", |b| b.starts_with(b"!<arch>\ndebian-binary"), Read::Members),
    row(Format::Archive, "archive", |b| b.starts_with(b"!<arch>\n"), Read::Yes),
    row(Format::ThinArchive, "thin archive", |b| b.starts_with(b"!<thin>\n"), Read::Members),
    row(Format::WindowsPe, "Windows PE", |b| b.starts_with(b"MZ"), Read::Yes),
    row(Format::OffloadBinary, "OffloadBinary", |b| b.starts_with(offload_binary::MAGIC), Read::Yes),
    row(Format::Kpack, "kpack archive", |b| b.starts_with(kpack::MAGIC), Read::Yes),
    row(
        Format::Zip,
        "zip or wheel",
        |b| b.starts_with(b"PK\x03\x04") || b.starts_with(b"PK\x05\x06"),
        Read::Members,
    ),
    row(Format::AotritonArchive, "AOTriton archive", |b| b.starts_with(b"AKS2"), Read::Yes),
    row(Format::Rpm, "RPM package", |b| b.starts_with(&[0xed, 0xab, 0xee, 0xdb]), Read::NotYet),
    row(Format::Tar, "tar", |b| b.get(257..262) == Some(b"ustar") || is_tar_header(b), Read::Members),
    row(Format::Gzip, "gzip", |b| b.starts_with(&[0x1f, 0x8b]), Read::Members),
    row(Format::Bzip2, "bzip2", is_bzip2, Read::Members),
    row(Format::Xz, "xz", |b| b.starts_with(b"\xfd7zXZ\0"), Read::Members),
    row(Format::Zstd, "zstd", |b| b.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]), Read::Members),
    row(Format::Sqlite, "SQLite database", |b| b.starts_with(b"SQLite format 3\0"), Read::Nothing),
    row(Format::LlvmBitcode, "LLVM bitcode", |b| b.starts_with(b"BC\xc0\xde"), Read::Nothing),
    row(Format::SpirV, "SPIR-V", |b| b.starts_with(&[0x03, 0x02, 0x23, 0x07]), Read::Nothing),
    row(Format::LfsPointer, "Git LFS pointer", |b| b.starts_with(b"version https://git-lfs"), Read::Nothing),
    row(Format::CoffObject, "COFF object", coff::is_object, Read::Yes),
    row(Format::Other, "other", |_| true, Read::Nothing),
];

const fn row(format: Format, name: &'static str, is: fn(&[u8]) -> bool, read: Read) -> FormatRow {
    FormatRow { format, name, is, read }
}

/// bzip2's magic is three letters: what begins its first block, or an empty stream's end, stands behind it.
fn is_bzip2(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BZh")
        && matches!(bytes.get(4..10), Some(b"\x31\x41\x59\x26\x53\x59" | b"\x17\x72\x45\x38\x50\x90"))
}

/// Any version: one that is not known yet is a malformed bundle, not another kind of file.
fn is_compressed_bundle(bytes: &[u8]) -> bool {
    matches!(bytes, [b'C', b'C', b'O', b'B', _, 0, _, 0, ..])
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
    pub fn read(self) -> Read {
        self.row().map_or(Read::Nothing, |row| row.read)
    }
}

/// A bundle, or a code object that stands alone (a bundle of one entry without a header).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// Absolute offset in the file.
    pub offset: u64,
    /// Bytes it occupies in the file, from its magic to the end of its last body or of its compressed payload.
    pub span: u64,
    /// How it is stored.
    pub storage: Storage,
    /// Size of its header in the file in bytes.
    pub header_size: u64,
    /// Its entries in file order.
    pub entries: Vec<bundle::Entry>,
    /// The archive member it lies in.
    pub member: Option<String>,
    /// Why its entries are not known, where they are not.
    pub problem: Option<ParseError>,
}

/// How a bundle is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// A code object without a bundle.
    Bare,
    /// `__CLANG_OFFLOAD_BUNDLE__`.
    Plain,
    /// `CCOB`.
    Compressed(compressed::Header),
    /// A section of a host object that is named for one entry: relocatable device code.
    Section,
    /// An image of an OffloadBinary of this version.
    OffloadBinary(u32),
    /// A blob of a kpack archive; with its inflated size, where it is a zstd frame.
    Kpack {
        /// Inflated size in bytes.
        unpacked: Option<u64>,
    },
}

impl Storage {
    /// A few words for reports: `plain`, `CCOB v3 zstd`.
    pub fn describe(&self) -> String {
        match self {
            Storage::Bare => "code object".to_owned(),
            Storage::Plain => "plain".to_owned(),
            Storage::Compressed(header) => format!("CCOB v{} {}", header.version, header.method.name()),
            Storage::Section => "section".to_owned(),
            Storage::OffloadBinary(version) => format!("OffloadBinary v{version}"),
            Storage::Kpack { unpacked: None } => "kpack".to_owned(),
            Storage::Kpack { unpacked: Some(_) } => "kpack zstd".to_owned(),
        }
    }

    /// Size that it inflates to, in bytes, where it is compressed.
    pub fn unpacked(&self) -> Option<u64> {
        match self {
            Storage::Compressed(header) => Some(header.unpacked),
            Storage::Kpack { unpacked } => *unpacked,
            Storage::Bare | Storage::Plain | Storage::Section | Storage::OffloadBinary(_) => None,
        }
    }
}

impl Bundle {
    /// A code object at an absolute offset, of no size yet.
    pub(crate) fn bare(offset: u64) -> Self {
        Bundle {
            offset,
            span: 0,
            storage: Storage::Bare,
            header_size: 0,
            entries: vec![],
            member: None,
            problem: None,
        }
    }

    /// Whether this can be meant as a bundle, for hits of a search: its entries were read, and each names a host or
    /// device target, or it is a code object.
    fn is_plausible(&self) -> bool {
        self.problem.is_none()
            && self
                .entries
                .iter()
                .all(|e| e.id.as_ref().is_none_or(|id| id.kind() != entry_id::Kind::Unknown))
    }
}

/// A section of a host file that holds bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceSection {
    /// Its name.
    pub name: String,
    /// Absolute offset in the file.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

impl DeviceSection {
    fn of(section: &Section<'_>, base: u64) -> Self {
        DeviceSection {
            name: String::from_utf8_lossy(section.name).into_owned(),
            offset: base.saturating_add(section.offset),
            size: section.size,
            align: section.align,
        }
    }
}

/// The device code of one file.
#[derive(Debug, Default)]
pub struct Container {
    /// Bundles in file order.
    pub bundles: Vec<Bundle>,
    /// Sections that hold them, in a host file.
    pub sections: Vec<DeviceSection>,
    /// `DT_SONAME`, in a shared library that has one.
    pub soname: Option<String>,
    /// Wrappers, in a host file that has them.
    pub wrappers: Option<wrapper::Wrappers>,
    /// Bytes between bundles.
    pub gaps: region::Gaps,
    /// Where the device code is, in a host file it was moved out of.
    pub kpack: Option<kpack::Reference>,
    /// What was malformed.
    pub problems: ParseErrors,
    /// Parts that may hold device code and were not looked into, in words.
    pub unread: Vec<String>,
}

impl Container {
    /// Drops what may not be inflated any more. What is inflated of a member counts like what its package unpacks to.
    pub(crate) fn keep_within(&mut self, allowance: &Allowance) {
        let problems = &mut self.problems;
        self.bundles.retain(|bundle| match bundle.storage.unpacked().map(|bytes| allowance.take(bytes)) {
            Some(Err(what)) => {
                problems.push(ParseError::new(bundle.offset, what));
                false
            }
            _ => true,
        });
    }
}

/// Finds the device code of a file of a known format.
pub fn open(bytes: &[u8], format: Format) -> Container {
    match format {
        Format::HostElf => open_host(bytes, 0, &mut Budget::default()),
        Format::CodeObject | Format::OffloadBundle | Format::CompressedBundle | Format::OffloadBinary => {
            let region = region::step(bytes, 0, &mut Budget::default());
            Container {
                bundles: region.bundles,
                gaps: region.gaps,
                problems: region.problems,
                ..Container::default()
            }
        }
        Format::Archive => archive::open(bytes),
        Format::WindowsPe => of_host(pe::open(bytes)),
        Format::CoffObject => of_host(coff::open(bytes, 0, &mut Budget::default())),
        Format::Kpack => kpack::open(bytes),
        Format::AotritonArchive => {
            let what = "AOTriton archive: its kernels are packed as one; an audit of the file reads them";
            Container { unread: vec![what.to_owned()], ..Container::default() }
        }
        _ => Container::default(),
    }
}

/// A host ELF file; one of another class or byte order holds no HIP code and gives nothing.
fn open_host(bytes: &[u8], base: u64, budget: &mut Budget) -> Container {
    if bytes.get(4..6) != Some(&[2, 1]) {
        return Container::default();
    }
    of_host(host_elf::open(bytes, base, budget))
}

fn of_host(host: Parsed<host::Host>) -> Container {
    match host {
        Ok(host) => Container {
            bundles: host.bundles,
            sections: host.sections,
            soname: host.soname,
            wrappers: host.wrappers,
            gaps: host.gaps,
            kpack: host.kpack,
            problems: host.problems,
            unread: host.unread,
        },
        Err(error) => {
            let mut container = Container::default();
            container.problems.push(error);
            container
        }
    }
}
