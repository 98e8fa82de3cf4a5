//! Containers: where in a file the code objects lie.
//!
//! Adding a form of bundle: one file in this folder with a `FORM`, its row in `BUNDLE_FORMS` here, its magic in
//! [`crate::format`]. A form that reports name needs a [`StorageKind`]. Everything behind (code objects,
//! reports) only sees bundles.

pub mod ar_members;
mod archive;
mod buffer;
pub mod bundle;
pub mod bundle_reader;
#[doc(hidden)]
pub mod coff;
pub mod compressed;
mod elf;
mod entries;
pub mod entry_id;
#[doc(hidden)]
pub mod find;
mod found;
mod hash;
mod host;
mod inflate;
pub mod kpack;
pub mod linkage;
mod method;
mod offload_binary;
#[doc(hidden)]
pub mod packing_sample;
#[doc(hidden)]
pub mod pe;
mod storage;
#[doc(hidden)]
pub mod text_array;
mod window;
pub mod wrapper;

use crate::budget::ObjectBudget;
use crate::bytes::elf::Section;
use crate::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};
use crate::format::{Format, hidden};
use crate::limits::SEARCHED_BYTES;
use crate::locator::Locator;
use crate::source::HEAD_BYTES;

pub use entries::{OpenBundle, OpenEntry};
pub use entry_id::EntryId;
pub use storage::Storage;

answer! {
    /// A bundle, or a code object that stands alone (a bundle of one entry without a header).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Bundle {
        /// Absolute offset in the file.
        copy offset: u64,
        /// Bytes it occupies in the file, from its magic to the end of its last body or of its compressed payload.
        copy span: u64,
        /// How it is stored.
        copy storage: Storage,
        /// Size of its header in the file in bytes.
        copy header_size: u64,
        /// Its entries in file order.
        list entries: bundle::Entry,
        /// The archive member it lies in.
        maybe_text member: String,
        /// Why its entries are not known, where they are not.
        maybe problem: ParseError,
    }
}

impl Bundle {
    /// A code object at an absolute offset, of no size yet.
    pub fn bare(offset: u64) -> Self {
        Bundle {
            offset,
            span: 0,
            storage: Storage::of(StorageKind::CodeObject),
            header_size: 0,
            entries: vec![],
            member: None,
            problem: None,
        }
    }

    /// A code object of `size` bytes at an absolute offset.
    pub fn code_object(offset: u64, size: u64) -> Self {
        Bundle {
            span: size,
            entries: vec![bundle::Entry { id: None, offset: 0, size }],
            ..Bundle::bare(offset)
        }
    }

    /// The same bundle with some of its entries only: what is read of it is theirs.
    #[must_use]
    pub fn with_entries(&self, wanted: impl Fn(&bundle::Entry) -> bool) -> Self {
        let entries = self.entries.iter().filter(|entry| wanted(entry)).cloned().collect();
        Bundle { entries, member: self.member.clone(), problem: self.problem.clone(), ..*self }
    }

    /// The place in `file` of the content of an entry, whose `offset` and `size` are those of the inflated bundle.
    pub fn locate(&self, file: &Locator, offset: u64, size: u64) -> Locator {
        match self.storage.unpacked() {
            Some(_) => Locator { unpacked: Some((offset, size)), ..file.range(self.offset, self.span) },
            None => file.range(self.offset + offset, size),
        }
    }

    /// Whether this can be meant as a bundle, for hits of a search: its entries were read, and each names a host or
    /// device target, or it is a code object. What this build cannot inflate cannot be disproved.
    fn is_plausible(&self) -> bool {
        let is_closed = self.storage.packed.is_some_and(|header| !header.method.is_built_in());
        (self.problem.is_none() || is_closed)
            && self
                .entries
                .iter()
                .all(|e| e.id.as_ref().is_none_or(|id| id.kind() != entry_id::Kind::Unknown))
    }
}

answer! {
    /// A section of a host file that holds bundles.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DeviceSection {
        /// Its name.
        text name: String,
        /// Absolute offset in the file.
        copy offset: u64,
        /// Size in bytes.
        copy size: u64,
        /// Alignment in bytes.
        copy align: u64,
    }
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

answer! {
    /// The device code of one file.
    #[derive(Debug, Default)]
    pub struct Container {
        /// Bundles in file order.
        list bundles: Bundle,
        /// Sections that hold them, in a host file.
        list sections: DeviceSection,
        /// `DT_SONAME`, in a shared library that has one.
        maybe_text soname: String,
        /// `DT_NEEDED` of a shared library or program: the libraries that it is linked with.
        list needed: String,
        /// Wrappers, in a host file that has them.
        maybe wrappers: wrapper::Wrappers,
        /// Bytes between bundles.
        part gaps: find::Gaps,
        /// Where the device code is, in a host file it was moved out of.
        maybe kpack: kpack::Reference,
        /// Whether it was found by searching a file whose format is not read.
        copy searched: bool,
        /// What was malformed.
        part problems: ParseErrors,
        /// Parts that may hold device code and were not looked into, in words.
        list unread: String,
    }
}

impl Container {
    /// A code object of `size` bytes that is all of a file.
    pub fn of_code_object(size: u64) -> Self {
        Container { bundles: vec![Bundle::code_object(0, size)], ..Container::default() }
    }

    /// Drops all bundles, and says why.
    pub fn refuse(&mut self, why: ParseError) {
        self.problems.push(why);
        self.bundles.clear();
    }

    /// Drops the bundles that may not be inflated any more: `take` is asked for the inflated size of each in bytes, and
    /// refuses with a sentence, which becomes a problem of the file.
    pub fn keep_within(&mut self, take: impl Fn(u64) -> Result<(), String>) {
        let problems = &mut self.problems;
        self.bundles.retain(|bundle| match bundle.storage.unpacked().map(&take) {
            Some(Err(what)) => {
                problems.push(ParseError::new(bundle.offset, what).of_kind(ParseErrorKind::InflatesTooFar));
                false
            }
            _ => true,
        });
    }
}

/// The forms of bundles, with their names in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum StorageKind {
    /// A code object without a bundle.
    CodeObject,
    /// `__CLANG_OFFLOAD_BUNDLE__`.
    Plain,
    /// `CCOB`.
    Compressed,
    /// A section of a host object that is named for one entry: relocatable device code.
    Section,
    /// An image of an OffloadBinary.
    OffloadBinary,
    /// A blob of a kpack archive.
    Kpack,
}

impl StorageKind {
    /// A word or two for reports.
    pub fn name(self) -> &'static str {
        match self {
            StorageKind::CodeObject => "code object",
            StorageKind::Plain => "plain",
            StorageKind::Compressed => "CCOB",
            StorageKind::Section => "section",
            StorageKind::OffloadBinary => "OffloadBinary",
            StorageKind::Kpack => "kpack",
        }
    }
}

/// A form of bundle: how it is recognised and read, wherever it stands.
pub(crate) struct BundleForm {
    /// The format of a file that begins with one.
    pub format: Format,
    /// What it begins with.
    pub magic: &'static [u8],
    /// Whether bytes that begin with the magic are one.
    pub is_plausible: fn(&[u8]) -> bool,
    /// Reads the one that bytes begin with. The number is the absolute offset of the first byte.
    pub read: fn(&[u8], u64, &mut ObjectBudget) -> Parsed<found::Found>,
    /// Whether an image of an OffloadBinary may be one; else it is a code object or content of another kind.
    pub in_images: bool,
}

/// All forms of bundles; a code object that stands alone is the last.
pub(crate) static BUNDLE_FORMS: [&BundleForm; 4] =
    [&offload_binary::FORM, &bundle::FORM, &compressed::FORM, &find::CODE_OBJECT];

/// Whether a file of a format is bundles, one after the other.
fn is_bundle(format: Format) -> bool {
    BUNDLE_FORMS.iter().any(|form| form.format == format)
}

/// Finds the device code of a file of a known format.
pub fn open(bytes: &[u8], format: Format) -> Container {
    let head = bytes.get(..HEAD_BYTES.min(bytes.len())).unwrap_or_default();
    match format {
        Format::HostElf => open_host(bytes, 0, &mut ObjectBudget::of(bytes.len())),
        format if is_bundle(format) => {
            let region = find::bundles_in_section(bytes, 0, &mut ObjectBudget::of(bytes.len()));
            Container {
                bundles: region.bundles,
                gaps: region.gaps,
                problems: region.problems,
                ..Container::default()
            }
        }
        Format::Archive => archive::open(bytes),
        Format::WindowsPe => of_host(pe::open(bytes)),
        Format::CoffObject => of_host(coff::open(bytes, 0, &mut ObjectBudget::of(bytes.len()))),
        Format::Kpack => kpack::open(bytes),
        Format::Iree => searched(bytes),
        Format::Other if bytes.len() <= SEARCHED_BYTES && !hidden::is_text(head) => searched(bytes),
        Format::AotritonArchive => {
            let what = "AOTriton archive: its kernels are packed as one; an audit of the file reads them";
            Container { unread: vec![what.to_owned()], ..Container::default() }
        }
        _ => Container::default(),
    }
}

/// The device code among bytes of no known format: bundles and code objects that hold together.
pub fn searched(bytes: &[u8]) -> Container {
    let (bundles, problems) = find::search_magics(bytes, 0, &mut ObjectBudget::of(bytes.len()));
    Container { searched: !bundles.is_empty(), bundles, problems, ..Container::default() }
}

/// A host ELF file; one of another class or byte order holds no HIP code and gives nothing.
fn open_host(bytes: &[u8], base: u64, budget: &mut ObjectBudget) -> Container {
    let fault = crate::format::elf_header::fault(bytes);
    let fault = fault.map(|(at, what)| ParseError::new(base.saturating_add(at), what));
    let mut container = match bytes.get(4..6) {
        Some([2, 1]) => of_host(elf::open(bytes, base, budget)),
        _ => Container::default(),
    };
    container.problems.extend(fault);
    container
}

fn of_host(host: Parsed<host::Host>) -> Container {
    match host {
        Ok(host) => Container {
            bundles: host.bundles,
            sections: host.sections,
            soname: host.soname,
            needed: host.needed,
            wrappers: host.wrappers,
            gaps: host.gaps,
            kpack: host.kpack,
            problems: host.problems,
            unread: host.unread,
            searched: false,
        },
        Err(error) => {
            let mut container = Container::default();
            container.problems.push(error);
            container
        }
    }
}
