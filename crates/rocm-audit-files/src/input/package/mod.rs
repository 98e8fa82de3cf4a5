//! Packages: files that hold files. Wheels and zip files, Debian packages, tar archives, thin archives, and
//! single compressed files are read without being unpacked anywhere that lasts.
//!
//! Members are handed on in batches, in the order they have in the package. What is not wanted, by name and
//! first bytes, is not unpacked; in a tar stream it is skipped. `reader` does the reading; a build without
//! the feature `packages` has `no_reader` in its place, and opens none.

pub mod layer;
#[cfg(not(feature = "packages"))]
mod no_reader;
#[cfg(feature = "packages")]
mod reader;
pub mod visit;

#[cfg(not(feature = "packages"))]
pub use no_reader::{Member, Package};
#[cfg(feature = "packages")]
pub use reader::{Member, Package};

use crate::error::ParseErrors;
use amdgpu_object::format::{Format, Support};
use amdgpu_object::locator::Locator;
use amdgpu_object::source::SourceFile;
use layer::Layer;

/// What is known of a member before it is unpacked.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// Its place.
    pub locator: &'a Locator,
    /// What its first bytes say that it is.
    pub format: Format,
    /// Those bytes: [`HEAD_BYTES`](amdgpu_object::source::HEAD_BYTES), or all.
    pub bytes: &'a [u8],
}

/// Says whether a member is worth unpacking: `None` where it is not, else a number of the caller's own that
/// comes back as
/// [`MemberFile::claim`].
pub type Wants<'a> = dyn Fn(&Head<'_>) -> Option<usize> + Sync + 'a;

/// A member that was unpacked.
#[derive(Debug)]
pub struct MemberFile {
    /// Its bytes.
    pub file: SourceFile,
    /// What its first bytes say that it is.
    pub format: Format,
    /// What [`Wants`] said; `None` where it was not asked.
    pub claim: Option<usize>,
    /// Whether its format is known by all of its bytes, and not by its first ones only.
    pub settled: bool,
}

/// What a member is.
#[derive(Debug)]
pub enum MemberContent {
    /// A file, unpacked.
    File(MemberFile),
    /// A file that is not wanted; what its first bytes say it is.
    Passed(Format),
    /// A symbolic or hard link.
    Link,
    /// A device or FIFO.
    Special,
    /// A file that could not be read; the problem says why.
    Unread,
}

/// A member that was opened.
#[derive(Debug)]
pub struct Opened {
    /// What it is.
    pub content: MemberContent,
    /// What is wrong with it, with offsets in the package.
    pub problems: ParseErrors,
}

/// What walking through a package gave, besides its members.
#[derive(Debug, Default)]
pub struct PackageWalk {
    /// What is wrong with the package.
    pub problems: ParseErrors,
    /// Whether it is a single compressed file that no scanner wants inflated. It is then reported like any
    /// other file.
    pub opaque: bool,
    /// The layers of the images of containers in it.
    pub layers: Vec<Layer>,
    /// Name and version of what it installs, where it says so.
    pub identity: Option<String>,
}

/// Whether files of a format hold files that this build opens.
pub fn is_package(format: Format) -> bool {
    cfg!(feature = "packages") && format.support() == Support::Members
}

/// Memory in bytes that inflating the stream of a package takes; zero where it has none, or is no package.
pub fn memory(opened: &MemberFile) -> u64 {
    if is_package(opened.format) { Package::memory(opened.format, &opened.file) } else { 0 }
}

/// Bytes that a package has on disk: of the marker of an image in a folder, those of its parts.
pub fn stored_bytes(file: &SourceFile) -> u64 {
    #[cfg(feature = "packages")]
    if let format @ (Format::OciLayout | Format::ImageDirectory) = Format::identify(file.head()) {
        return file.len() + reader::image::stored_bytes(file.path(), format);
    }
    file.len()
}

/// A sentence on a container that is recognised and not opened.
pub fn not_opened(format: Format) -> String {
    match (format, refusal(format)) {
        (Format::ThinArchive, _) => {
            "thin archive: its members are files beside it; name their folder".to_owned()
        }
        (_, Some(why)) => why,
        (_, None) => format!("{}: recognised, and not opened by this version", format.name()),
    }
}

/// Why a package is not opened, where this build cannot: its format and a sentence. The members of a thin
/// archive are files beside it.
pub fn refusal(format: Format) -> Option<String> {
    let is_closed = !cfg!(feature = "packages") && format.support() == Support::Members;
    let why = "its members are not read: built without the feature `packages`";
    (is_closed && format != Format::ThinArchive).then(|| format!("{}: {why}", format.name()))
}
