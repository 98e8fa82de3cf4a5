//! Whether the files of MIOpen's models that lie in one folder are of one model, and of the library's release.

use crate::engines::miopen::model_files::{ModelFile, unfit};
use crate::engines::miopen::model_name::ModelName;
use crate::engines::miopen::solver::Version;
use crate::finding::Finding;
use crate::inventory::{ArtifactKind, Inventory};
use crate::locator::file_name;
use std::collections::BTreeMap;

/// What stands before ROCm's release in the name of AMD's library: `libMIOpen.so.1.0.60403` is of ROCm 6.4.3.
const LIBRARY: &str = "libMIOpen.so.1.0.";

/// MIOpen's release by ROCm's major and minor one, from its change log (rocm-libraries 5972d142469b).
const RELEASES: [((u32, u32), Version); 5] = [
    ((6, 3), Version(3, 3, 0)),
    ((6, 4), Version(3, 4, 0)),
    ((7, 0), Version(3, 5, 0)),
    ((7, 1), Version(3, 5, 1)),
    ((7, 2), Version(3, 5, 1)),
];

/// The release that a library's name states.
fn release_of(file: &str) -> Option<Version> {
    let number: u32 = file.strip_prefix(LIBRARY)?.parse().ok()?;
    let rocm = (number / 10_000, number / 100 % 100);
    RELEASES.iter().find(|(of, _)| *of == rocm).map(|(_, release)| *release)
}

/// The release of the library that is here; `None` where its name states none, or there are several.
fn release(inventory: &Inventory) -> Option<Version> {
    let mut all = inventory.artifacts.iter().filter_map(|artifact| release_of(file_name(&artifact.shown)));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Files of models that do not fit each other, or the library's release.
pub(super) fn unfit_models(inventory: &Inventory) -> Vec<Finding> {
    let mut folders: BTreeMap<&str, Vec<ModelFile<'_>>> = BTreeMap::new();
    for artifact in inventory.artifacts.iter().filter(|artifact| artifact.link_to.is_none()) {
        let file = artifact.shown.as_str();
        let (name, shape) = match &artifact.kind {
            ArtifactKind::Model(facts) => (ModelName::parse(file_name(file)), facts.model.as_ref()),
            _ => continue,
        };
        let (Some(name), Some(shape)) = (name, shape) else { continue };
        let folder = file.strip_suffix(file_name(file)).unwrap_or_default();
        folders.entry(folder).or_default().push(ModelFile { file, name, shape });
    }
    let release = release(inventory);
    folders.values().flat_map(|files| unfit(files, release)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_librarys_name_states_its_release() {
        assert_eq!(release_of("libMIOpen.so.1.0.60403"), Some(Version(3, 4, 0)));
        assert_eq!(release_of("libMIOpen.so.1.0.70200"), Some(Version(3, 5, 1)));
        for other in ["libMIOpen.so.1.0", "libMIOpen.so.1", "libMIOpen.so.1.0.50700", "libMIOpen.so.1.0.x"] {
            assert_eq!(release_of(other), None, "{other}");
        }
    }
}
