//! Host files in any format: device code in sections with known names, and in other data.
#![deny(clippy::indexing_slicing)]

use super::entry_id::{EntryId, EntrySide};
use super::find;
use super::find::{Gaps, Region};
use super::wrapper::Wrappers;
use super::{Bundle, DeviceSection, Storage, StorageKind, bundle, kpack};
use crate::budget::ObjectBudget;
use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use crate::format::Format;
use crate::limits::HEAD_BYTES;
use crate::limits::ZERO_BYTES;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use memchr::memmem;

/// Sections that contain consecutive bundles: HIP's, HCC's of ROCm 1 and 2, PE's name truncated to eight
/// bytes, and the new offload driver's.
const DEVICE_SECTIONS: [&[u8]; 5] =
    [b".hip_fatbin", b".hip.fatbin", b".kernel", b".hip_fat", b".llvm.offloading"];

/// Sections with wrappers: in ELF and COFF, and truncated to eight bytes in PE.
const WRAPPER_SECTIONS: [&[u8]; 2] = [b".hipFatBinSegment", b".hipFatB"];

/// The marker of a binary whose device code was moved to kpack archives, in ELF and PE.
const KPACK_SECTIONS: [&[u8]; 2] = [b".rocm_kpack_ref", b".kpackrf"];

/// Beginning of the name of a section that is a single entry of a bundle: relocatable device code of the old
/// driver.
const ENTRY_SECTION: &[u8] = super::bundle::MAGIC;

/// The facts on device code in a host file.
#[derive(Debug, Default)]
pub struct Host {
    /// `DT_SONAME`.
    pub soname: Option<String>,
    /// `DT_NEEDED`: the libraries that it is linked with.
    pub needed: Vec<String>,
    /// The wrappers, if there are any.
    pub wrappers: Option<Wrappers>,
    /// Sections with bundles.
    pub sections: Vec<DeviceSection>,
    /// All bundles in file order: of the device sections, then of other data.
    pub bundles: Vec<Bundle>,
    /// Bytes between bundles in device sections.
    pub gaps: Gaps,
    /// Where the device code is, if it was moved out of the file.
    pub kpack: Option<kpack::Reference>,
    /// Malformed parts.
    pub problems: ParseErrors,
    /// Names of sections with device code in a form that is not read.
    pub unread: Vec<String>,
    /// Entries in separate sections, and bundles outside of known sections.
    pub(super) entries: Vec<Bundle>,
    pub(super) stray: Vec<Bundle>,
    /// Sections that should contain bundles but contain zeros: name and absolute offset.
    pub(super) zeros: Vec<(String, u64)>,
    /// What is wrong with sections that should hold bundles and hold none.
    pub(super) without_bundle: ParseErrors,
}

/// Most unread parts to name for one file, since further ones add nothing.
const UNREAD_NAMED: usize = 16;

/// Whether a section holds bundles, by its name.
pub(super) fn is_device_section(name: &[u8]) -> bool {
    DEVICE_SECTIONS.contains(&name)
}

/// Whether a section holds wrappers, by its name.
pub(super) fn is_wrapper_section(name: &[u8]) -> bool {
    WRAPPER_SECTIONS.contains(&name)
}

/// Whether a section must be read whatever its type and flags are.
pub(super) fn is_named(name: &[u8]) -> bool {
    is_device_section(name) || KPACK_SECTIONS.contains(&name) || names_target(name)
}

/// Whether a section's name is that of a bundle entry, or a damaged form of one.
fn names_target(name: &[u8]) -> bool {
    name.starts_with(ENTRY_SECTION) || memmem::find(name, b"amdgcn-amd-amdhsa").is_some()
}

impl Host {
    /// Records something that may contain device code and is not read.
    pub(super) fn note_unread(&mut self, what: String) {
        if self.unread.len() < UNREAD_NAMED {
            self.unread.push(what);
        }
    }

    /// Reads one section. If `data` is set, a program could pass its bytes to a loader, so they are searched
    /// even under an unknown name. Sections must come in file order and must not overlap.
    pub(super) fn add_section(
        &mut self,
        name: &[u8],
        place: DeviceSection,
        bytes: &[u8],
        data: bool,
        budget: &mut ObjectBudget,
    ) {
        if is_device_section(name) {
            // Stripped PE files still name the section.
            if place.size > 0 {
                if bytes.iter().take(ZERO_BYTES).all(|byte| *byte == 0) {
                    self.zeros.push((place.name.clone(), place.offset));
                }
                let region = find::bundles_in_section(bytes, place.offset, budget);
                self.add_region(place, region);
            }
        } else if let Some(id) = name.strip_prefix(ENTRY_SECTION) {
            let id = EntryId::new(String::from_utf8_lossy(id));
            let entry = bundle::Entry { id: Some(id), offset: 0, size: bytes.len() as u64 };
            let found = Bundle {
                span: entry.size,
                storage: Storage::uncompressed(StorageKind::Section),
                entries: vec![entry],
                ..Bundle::bare(place.offset)
            };
            match budget.pay(found.offset, found.entries.len()) {
                Ok(()) => self.entries.push(found),
                Err(error) => self.problems.push(error),
            }
        } else if KPACK_SECTIONS.contains(&name) {
            match kpack::read_reference(bytes, place.offset) {
                Ok(reference) => self.kpack = Some(reference),
                Err(error) => self.problems.push(error),
            }
        } else if names_target(name) {
            let what = format!("section {} is named for device code, in no form that is known", place.name);
            self.problems.push(ParseError::new(place.offset, what).of_kind(ParseErrorKind::UnknownMethod));
        } else if data && !is_wrapper_section(name) {
            let (found, problems) = find::search_magics(bytes, place.offset, budget);
            self.problems.append(problems);
            if !found.is_empty() {
                self.sections.push(place);
            }
            self.stray.extend(found);
        }
    }

    /// The error for bundles that the program passes to the runtime but that are not at the stated address.
    fn lost_bundles(&self) -> Option<ParseError> {
        let at = self.sections.first().map_or(0, |section| section.offset);
        let dangling = self.wrappers.as_ref().map_or(&[][..], |wrappers| &wrappers.dangling);
        let first = dangling.first().filter(|_| !self.sections.is_empty())?;
        let what = format!(
            "{} of the places that the program hands to the HIP runtime hold no bundle, the first at address {first:#x}",
            dangling.len()
        );
        Some(ParseError::new(at, what))
    }

    /// The error for code that the program takes from kpack archives if no marker names these archives.
    fn lost_marker(&self) -> Option<ParseError> {
        let moved = *self.wrappers.as_ref()?.magics.get("HIPK").filter(|_| self.kpack.is_none())?;
        let what = format!(
            "{moved} wrappers are of code that was moved to kpack archives, and the marker that names them is not there"
        );
        Some(ParseError::new(0, what))
    }

    /// The error for entries in sections of their own without that of the host, which is always one of them.
    /// Source: `ObjectFileHandler` in clang's `OffloadBundler.cpp`.
    fn lost_host_entry(&self) -> Option<ParseError> {
        let is_host = |b: &Bundle| {
            b.entries.iter().any(|e| e.id.as_ref().is_some_and(|id| id.kind() == EntrySide::Host))
        };
        let first = self.entries.first().filter(|_| !self.entries.iter().any(is_host))?;
        let what = "sections hold the entries of a bundle, and that of the host is missing: the name of its \
                    section was overwritten";
        Some(ParseError::new(first.offset, what))
    }

    /// Records the error for a section that holds device code beside sections that are entries of a bundle,
    /// and is not named as one: the linker drops all of them (`SHF_EXCLUDE`), and only clang writes them.
    /// `.llvm.lto` and the like are the host's.
    pub(super) fn note_unnamed_entry(&mut self, name: &[u8], bytes: &[u8], offset: u64) {
        if self.entries.is_empty() || name.starts_with(b".llvm") {
            return;
        }
        let format = Format::identify(bytes.get(..HEAD_BYTES).unwrap_or(bytes));
        if matches!(format, Format::LlvmBitcode | Format::CodeObject | Format::SpirV) {
            let what = format!(
                "section {} holds {}, and is not named as the entries of a bundle beside it are",
                String::from_utf8_lossy(name),
                format.name()
            );
            self.problems.push(ParseError::new(offset, what));
        }
    }

    fn add_region(&mut self, section: DeviceSection, region: Region) {
        self.sections.push(section);
        let found = region.bundles.len();
        self.bundles.extend(region.bundles);
        self.gaps.merge(region.gaps);
        let problems = match found {
            0 => &mut self.without_bundle,
            _ => &mut self.problems,
        };
        problems.append(region.problems);
    }

    /// Whether all that the program hands to the HIP runtime was moved to the kpack archives that its marker
    /// names. What is left in a PE file's device section then is what the tool that moved it did not
    /// overwrite, and nothing launches it.
    fn is_moved_whole(&self) -> bool {
        let all_moved =
            |wrappers: &Wrappers| wrappers.count > 0 && wrappers.magics.get("HIPK") == Some(&wrappers.count);
        self.kpack.is_some() && self.wrappers.as_ref().is_some_and(all_moved)
    }

    /// Call this after all sections were read and the wrappers were compared with the bundles.
    pub(super) fn finish(&mut self) {
        self.problems.extend(self.lost_marker());
        let without_bundle = core::mem::take(&mut self.without_bundle);
        if !self.is_moved_whole() {
            self.problems.append(without_bundle);
        }
        // Of what was moved out or stripped, the places are left.
        if self.kpack.is_none() && self.unread.is_empty() {
            self.problems.extend(self.lost_bundles());
            let lost =
                |(name, at): &(String, u64)| ParseError::new(*at, format!("section {name} holds zeros only"));
            self.problems.extend(self.zeros.iter().map(lost));
        }
        // Other offload languages use the same names for other vendors' code.
        let amd = |b: &Bundle| {
            b.entries.iter().any(|e| e.id.as_ref().is_some_and(|id| id.kind() == EntrySide::Device))
        };
        if self.entries.iter().any(amd) {
            self.problems.extend(self.lost_host_entry());
            self.bundles.append(&mut self.entries);
        }
        self.bundles.append(&mut self.stray);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host file whose device section holds what a tool that moves code leaves in a PE file: zeros, and the
    /// end of an old ELF file.
    fn host(magics: &[(&str, u64)], kpack: Option<kpack::Reference>) -> Host {
        let magics = magics.iter().map(|(magic, count)| ((*magic).to_owned(), *count)).collect();
        let wrappers = Wrappers { count: 2, magics, ..Wrappers::default() };
        let mut host = Host { wrappers: Some(wrappers), kpack, ..Host::default() };
        let bytes = [vec![0; 80], b"AMD clang version 23.0.0git".to_vec()].concat();
        let place =
            DeviceSection { name: ".hip_fat".to_owned(), offset: 8, size: bytes.len() as u64, align: 1 };
        host.add_section(b".hip_fat", place, &bytes, false, &mut ObjectBudget::for_size(bytes.len()));
        host.finish();
        host
    }

    #[test]
    fn what_is_left_where_all_code_was_moved_is_no_damage() {
        let moved = host(&[("HIPK", 2)], Some(kpack::Reference::default()));
        assert!(moved.problems.is_empty(), "{:?}", moved.problems);
        assert_eq!(moved.gaps.unknown(), 27, "its bytes are still counted as not understood");
        // One that hands a bundle to the runtime, and one whose marker is gone, are as damaged as before.
        assert!(!host(&[("HIPF", 1), ("HIPK", 1)], Some(kpack::Reference::default())).problems.is_empty());
        assert!(!host(&[("HIPK", 2)], None).problems.is_empty());
    }
}
