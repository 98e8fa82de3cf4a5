//! Whether the files of MIOpen's models that lie in one folder are of one model, and of the library's release.

use crate::engines::miopen::model_files::{ModelFile, unfit};
use crate::engines::miopen::model_name::ModelName;
use crate::engines::miopen::solver::Version;
use crate::finding::Finding;
use crate::inventory::{ArtifactKind, Inventory};
use crate::locator::file_name;
use rocm_audit_files::key_map::KeyMap;

/// The release of the library that is here; `None` where nothing states it, or there are several.
fn release(inventory: &Inventory) -> Option<Version> {
    let all = super::miopen_release::releases(inventory);
    let (1, Some((major, minor, patch))) = (all.len(), all.first()) else { return None };
    Some(Version(*major, *minor, *patch))
}

/// Files of models that do not fit each other, or the library's release.
pub(super) fn unfit_models(inventory: &Inventory) -> Vec<Finding> {
    let mut folders: KeyMap<&str, Vec<ModelFile<'_>>> = KeyMap::new();
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
