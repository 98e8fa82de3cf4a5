//! Containers: the positions of code objects in files.
//!
//! To add a form of bundle: one file in this folder with a `FORM`, its row in `BUNDLE_FORMS` here, and its
//! magic in [`crate::format`]. A form that reports name needs a [`StorageKind`]. All later stages (code
//! objects, reports) only see bundles.

mod ar_index;
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
#[cfg(feature = "std")]
pub mod packing_sample;
#[doc(hidden)]
pub mod pe;
mod storage;
mod stream;
#[doc(hidden)]
pub mod text_array;
mod window;
pub mod wrapper;

use crate::budget::ObjectBudget;
use crate::bytes::elf::Section;
use crate::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};
use crate::format::{Format, hidden};
use crate::limits::HEAD_BYTES;
use crate::limits::SEARCHED_BYTES;
#[cfg(feature = "std")]
use crate::locator::Locator;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

pub use entries::{OpenBundle, OpenEntry};
pub use entry_id::EntryId;
pub use storage::Storage;

answer! {
    /// A bundle, or a code object outside of bundles (treated as a bundle with one entry and no header).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Bundle {
        /// Absolute offset in the file.
        copy offset: u64,
        /// Bytes in the file, from its magic to the end of its last body or compressed payload.
        copy span: u64,
        /// Storage form.
        copy storage: Storage,
        /// Size of its header in the file in bytes.
        copy header_size: u64,
        /// Its entries in file order.
        list entries: bundle::Entry,
        /// The archive member that contains it.
        maybe_text member: String,
        /// Why its entries are unknown, if they are.
        maybe problem: ParseError,
    }
}

impl Bundle {
    /// A code object at an absolute offset, with unknown size.
    pub fn bare(offset: u64) -> Self {
        Bundle {
            offset,
            span: 0,
            storage: Storage::uncompressed(StorageKind::CodeObject),
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

    /// The same bundle with only some of its entries; reading it reads only these.
    #[must_use]
    pub fn with_entries(&self, wanted: impl Fn(&bundle::Entry) -> bool) -> Self {
        let entries = self.entries.iter().filter(|entry| wanted(entry)).cloned().collect();
        Bundle { entries, member: self.member.clone(), problem: self.problem.clone(), ..*self }
    }

    /// The location in `file` of an entry's content; the entry's `offset` and `size` refer to the inflated
    /// bundle.
    #[cfg(feature = "std")]
    pub fn locate(&self, file: &Locator, offset: u64, size: u64) -> Locator {
        let ((at, bytes), unpacked) = self.place(offset, size);
        Locator { unpacked, ..file.range(at, bytes) }
    }

    /// The same without the file: the range in it and, for a compressed bundle, the range in its content.
    pub fn place(&self, offset: u64, size: u64) -> ((u64, u64), Option<(u64, u64)>) {
        match self.storage.unpacked() {
            Some(_) => ((self.offset, self.span), Some((offset, size))),
            None => ((self.offset + offset, size), None),
        }
    }

    /// Whether a search hit can be a real bundle: its entries were read and each names a host or device
    /// target, or it is a code object. Content that this build cannot inflate gets the benefit of the doubt.
    fn is_plausible(&self) -> bool {
        let is_closed = self.storage.packed.is_some_and(|header| !header.method.is_built_in());
        (self.problem.is_none() || is_closed)
            && self
                .entries
                .iter()
                .all(|e| e.id.as_ref().is_none_or(|id| id.kind() != entry_id::EntrySide::Unknown))
    }
}

answer! {
    /// A section of a host file that contains bundles.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DeviceSection {
        /// Name of the section.
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
    fn from_section(section: &Section<'_>, base: u64) -> Self {
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
        /// Sections that contain them, in a host file.
        list sections: DeviceSection,
        /// `DT_SONAME`, in a shared library that has one.
        maybe_text soname: String,
        /// `DT_NEEDED` of a shared library or program: the libraries that it is linked with.
        list needed: String,
        /// Wrappers, in a host file that has them.
        maybe wrappers: wrapper::Wrappers,
        /// Bytes between bundles.
        part gaps: find::Gaps,
        /// Where the device code is, if it was moved out of the host file.
        maybe kpack: kpack::Reference,
        /// Whether the code was found by searching a file of unknown format.
        copy searched: bool,
        /// Malformed parts.
        part problems: ParseErrors,
        /// Parts that may contain device code and were not examined, in words.
        list unread: String,
    }
}

impl Container {
    /// A code object of `size` bytes that is an entire file.
    pub fn of_code_object(size: u64) -> Self {
        Container { bundles: vec![Bundle::code_object(0, size)], ..Container::default() }
    }

    /// Removes all bundles, with the reason.
    pub fn refuse(&mut self, why: ParseError) {
        self.problems.push(why);
        self.bundles.clear();
    }

    /// Removes bundles that may not be inflated any more: `take` receives the inflated size of each in bytes
    /// and may refuse with a sentence, which becomes a problem of the file.
    pub fn keep_within<E: Into<String>>(&mut self, take: impl Fn(u64) -> Result<(), E>) {
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
    /// A code object outside of bundles.
    CodeObject,
    /// `__CLANG_OFFLOAD_BUNDLE__`.
    Plain,
    /// `CCOB`.
    Compressed,
    /// A section of a host object that is named after one entry: relocatable device code.
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

/// A form of bundle: how to recognise and read it, wherever it is.
pub(crate) struct BundleForm {
    /// The format of a file that begins with it.
    pub format: Format,
    /// Magic of the form.
    pub magic: &'static [u8],
    /// Whether bytes that begin with the magic can be one.
    pub is_plausible: fn(&[u8]) -> bool,
    /// Reads the one at the beginning of bytes. The number is the absolute offset of the first byte.
    pub read: fn(&[u8], u64, &mut ObjectBudget) -> Parsed<found::FoundContainer>,
    /// Whether an image in an OffloadBinary may be one; otherwise the image is a code object or something
    /// else.
    pub in_images: bool,
}

/// All forms of bundles; the last is a code object outside of bundles.
pub(crate) static BUNDLE_FORMS: [&BundleForm; 4] =
    [&offload_binary::FORM, &bundle::FORM, &compressed::FORM, &find::CODE_OBJECT];

/// Whether a file of this format consists of consecutive bundles.
fn is_bundle(format: Format) -> bool {
    BUNDLE_FORMS.iter().any(|form| form.format == format)
}

/// Finds the device code in a file of a known format.
pub fn open(bytes: &[u8], format: Format) -> Container {
    open_within(bytes, format, &mut ObjectBudget::for_size(bytes.len()))
}

/// The same within a budget of the caller's.
pub fn open_within(bytes: &[u8], format: Format, budget: &mut ObjectBudget) -> Container {
    let head = bytes.get(..HEAD_BYTES.min(bytes.len())).unwrap_or_default();
    match format {
        Format::HostElf => open_host(bytes, 0, budget),
        format if is_bundle(format) => {
            let region = find::bundles_in_section(bytes, 0, budget);
            Container {
                bundles: region.bundles,
                gaps: region.gaps,
                problems: region.problems,
                ..Container::default()
            }
        }
        Format::Archive => archive::open(bytes, budget),
        Format::WindowsPe => of_host(pe::open(bytes, budget)),
        Format::CoffObject => of_host(coff::open(bytes, 0, budget)),
        Format::Kpack => kpack::open_within(bytes, budget),
        Format::Iree => searched_within(bytes, budget),
        Format::Other if bytes.len() <= SEARCHED_BYTES && !hidden::is_text(head) => {
            searched_within(bytes, budget)
        }
        Format::AotritonArchive => {
            let what = "AOTriton archive: its kernels are packed as one; an audit of the file reads them";
            Container { unread: vec![what.to_owned()], ..Container::default() }
        }
        _ => Container::default(),
    }
}

/// Finds device code in bytes of unknown format: consistent bundles and code objects.
pub fn searched(bytes: &[u8]) -> Container {
    searched_within(bytes, &mut ObjectBudget::for_size(bytes.len()))
}

/// The same within a budget of the caller's.
pub fn searched_within(bytes: &[u8], budget: &mut ObjectBudget) -> Container {
    let (bundles, problems) = find::search_magics(bytes, 0, budget);
    Container { searched: !bundles.is_empty(), bundles, problems, ..Container::default() }
}

/// Opens a host ELF file; one with another class or byte order contains no HIP code and gives nothing.
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
