//! Further names of files: symbolic links within the roots, and hard links. A library finds a file by its
//! name, so a link that names another target is an artifact of its own; its bytes and code are counted once,
//! with the file.

use super::{Artifact, ArtifactKind, Inventory};
use crate::engines::tensile::name::Name;
use crate::input::walk::Entry;
use crate::limits::OTHER_NAMES;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A further name of a file, before the kind of the file is known.
#[derive(Debug)]
pub(crate) struct OtherName {
    entry: Entry,
    name: Name,
    leads_to: Arc<Path>,
}

impl Inventory {
    /// The file of an artifact: itself, or the one that it is another name of.
    pub fn file_of<'i>(&'i self, artifact: &'i Artifact) -> &'i Artifact {
        let Some(path) = &artifact.link_to else { return artifact };
        let is_file = |file: &&Artifact| file.link_to.is_none() && file.shown == *path;
        self.artifacts.iter().find(is_file).unwrap_or(artifact)
    }

    /// Records a name that may belong to a library folder's files.
    pub(super) fn note_other_name(&mut self, entry: &Entry) {
        let Some(leads_to) = &entry.leads_to else { return };
        let Some(name) = Name::parse(&entry.name()) else { return };
        if self.named_otherwise.len() < OTHER_NAMES {
            let leads_to = Arc::clone(leads_to);
            self.named_otherwise.push(OtherName { entry: entry.clone(), name, leads_to });
        }
    }

    /// Adds an artifact for each name of a file that belongs to a library folder.
    pub(super) fn add_other_names(&mut self) {
        if self.named_otherwise.is_empty() {
            return;
        }
        let is_file =
            |one: &&Artifact| one.locator.member.is_none() && matches!(one.kind, ArtifactKind::Tensile(..));
        let real = |artifact: &Artifact| artifact.locator.path.canonicalize().ok();
        let files: HashMap<PathBuf, &Artifact> =
            self.artifacts.iter().filter(is_file).filter_map(|file| Some((real(file)?, file))).collect();
        let artifact = |other: OtherName| {
            let file = files.get(&*other.leads_to)?;
            let ArtifactKind::Tensile(_, facts) = &file.kind else { return None };
            let OtherName { entry, name, .. } = other;
            let mut facts = facts.clone();
            facts.type_code = name.type_code;
            Some(Artifact {
                locator: entry.locator(),
                shown: entry.shown,
                root: entry.root,
                relative: entry.relative,
                owner: entry.owner,
                package: entry.package,
                library: file.library.clone(),
                scanner: file.scanner,
                bytes: 0,
                named_target: name.target,
                kind: ArtifactKind::Tensile(name.role, facts),
                device: None,
                link_to: Some(file.shown.clone()),
            })
        };
        let named = std::mem::take(&mut self.named_otherwise);
        let more: Vec<Artifact> = named.into_iter().filter_map(artifact).collect();
        self.artifacts.extend(more);
    }
}
