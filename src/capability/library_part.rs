//! Whose code something is: a library's shared libraries, or its Tensile folder, in one place.

use crate::format::Format;
use crate::inventory::{Artifact, ArtifactKind, DeviceCode, Inventory};
use crate::locator::{Locator, NESTED, file_name};
use crate::target::Processor;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;

/// The code of a library: of its Tensile library folder, or of everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LibraryPart<'a> {
    /// The library.
    pub library: &'a str,
    /// True for its Tensile library folder.
    pub tensile: bool,
    /// The root or the package that it lies in, where the library lies in several: these are different copies
    /// of it.
    pub place: Option<&'a str>,
}

/// The libraries of an inventory, told apart by the root or the package that they lie in.
pub(crate) struct LibraryParts<'a> {
    inventory: &'a Inventory,
    /// Libraries that lie in several places.
    several: BTreeSet<(&'a str, bool)>,
    /// Archives of device code in packages, by their places: the library, in a package beside them, that
    /// loads them.
    homes: KeyMap<&'a Locator, &'a Artifact>,
    /// Archives of device code with the library whose code it is, where that is here, and for which
    /// processors it looks there.
    asked_archives: KeyMap<(&'a Locator, &'a str), BTreeSet<String>>,
    /// Places whose programs and libraries are of Windows.
    windows: BTreeSet<&'a str>,
    /// Files of the tree that are one compressed file, and no package.
    compressed: BTreeSet<&'a str>,
}

impl<'a> LibraryParts<'a> {
    pub fn from_inventory(inventory: &'a Inventory) -> Self {
        let homes = inventory.homes_of_archives();
        let mut parts = LibraryParts {
            inventory,
            several: BTreeSet::new(),
            homes,
            asked_archives: inventory.asked_archives(),
            windows: BTreeSet::new(),
            compressed: compressed(inventory),
        };
        let mut linux = BTreeSet::new();
        let mut places: KeyMap<(&str, bool), &str> = KeyMap::new();
        for artifact in inventory.artifacts.iter().filter(|a| a.device.is_some()) {
            let (key, place) = (key(artifact), parts.place(artifact));
            if *places.entry(key).or_insert(place) != place {
                parts.several.insert(key);
            }
            match format(artifact) {
                Some(Format::WindowsPe) => _ = parts.windows.insert(place),
                Some(Format::HostElf) => _ = linux.insert(place),
                _ => {}
            }
        }
        parts.windows.retain(|place| !linux.contains(place));
        parts
    }

    /// The part that a file belongs to.
    pub fn part(&self, artifact: &'a Artifact) -> LibraryPart<'a> {
        let (library, tensile) = key(artifact);
        let place = self.several.contains(&(library, tensile)).then(|| self.place(artifact));
        LibraryPart { library, tensile, place }
    }

    /// Whether a file is an archive of device code that its library does not open for a processor.
    pub fn is_unreached(&self, artifact: &Artifact, processor: &str) -> bool {
        let key = (&artifact.locator, artifact.library.as_str());
        !self.asked_archives.is_empty()
            && self.asked_archives.get(&key).is_some_and(|asked| !asked.contains(processor))
    }

    /// The files that are not of Windows: a file that is no program and no library is of the system that
    /// those beside it are of.
    pub fn of_linux(&self, inventory: &'a Inventory) -> impl Iterator<Item = &'a Artifact> {
        let is_of_windows = |artifact: &Artifact| format(artifact) == Some(Format::WindowsPe);
        inventory
            .artifacts
            .iter()
            .filter(move |one| !is_of_windows(one) && !self.windows.contains(self.place(one)))
    }

    /// The outermost package that a file lies in, else its root.
    fn place(&self, artifact: &'a Artifact) -> &'a str {
        let artifact = self.homes.get(&artifact.locator).copied().unwrap_or(artifact);
        let package = artifact.locator.member.as_ref().and_then(|_| artifact.locator.path.to_str());
        let outermost = artifact.shown.split(NESTED).next().unwrap_or_default();
        let package = package.filter(|_| !self.compressed.contains(outermost));
        package.or_else(|| self.inventory.roots.get(artifact.root).map(String::as_str)).unwrap_or_default()
    }
}

/// Files that a compressor made of one other, such as `kernel_gfx1030.fatbin.zst`: they lie in a folder as
/// that would.
fn compressed(inventory: &Inventory) -> BTreeSet<&str> {
    let of_one = |format: Format| matches!(format, Format::Gzip | Format::Bzip2 | Format::Xz | Format::Zstd);
    let one =
        inventory.packages.iter().filter(|package| of_one(package.format) && package.members.count == 1);
    one.map(|package| package.shown.as_str()).collect()
}

/// Whether a file is a program or a shared library with its device code inside, built for a list of targets.
pub(super) fn is_binary(artifact: &Artifact) -> bool {
    let is_host = |device: &DeviceCode| matches!(device.format, Some(Format::HostElf | Format::WindowsPe));
    artifact.device.as_ref().is_some_and(|device| is_host(device) && device.kpack.is_none())
        && !is_for_one_target(file_name(&artifact.shown))
}

/// Whether the name of a shared library ends with a target: it is one of a set, each for one, as MIOpen's
/// plugins of Composable Kernel are (`libMIOpenCKGroupedConv_gfx942.so`, ROCm/rocm-libraries #6170).
fn is_for_one_target(name: &str) -> bool {
    let stem = name.split(".so").next().unwrap_or(name);
    let stem = stem.strip_suffix(".dll").unwrap_or(stem);
    let last = stem.rsplit_once("_gfx").map(|(_, last)| format!("gfx{last}"));
    last.is_some_and(|name| Processor::by_name(&name).is_some())
}

fn format(artifact: &Artifact) -> Option<Format> {
    artifact.device.as_ref().and_then(|device| device.format)
}

fn key(artifact: &Artifact) -> (&str, bool) {
    (&artifact.library, matches!(artifact.kind, ArtifactKind::Tensile(..)))
}

impl<'a> LibraryPart<'a> {
    /// Sorts by name without case.
    pub fn order(&self) -> (String, bool, Option<&'a str>) {
        (self.library.to_lowercase(), self.tensile, self.place)
    }
}
