//! Whether the files of MIOpen's models that lie in one folder are of one model.

use crate::engines::miopen::model_files::{ModelFile, unfit};
use crate::engines::miopen::model_name::ModelName;
use crate::finding::Finding;
use crate::inventory::{ArtifactKind, Inventory};
use crate::locator::file_name;
use std::collections::BTreeMap;

/// Files of models that do not fit each other. The release of the library is not known here: `select conv`
/// compares with it.
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
    folders.values().flat_map(|files| unfit(files, None)).collect()
}
