//! Files that nothing leads to.
#![deny(clippy::indexing_slicing)]

use super::{FolderFile, LibraryFolder};
use crate::tensile::library::master_catalogs;
use crate::tensile::name::{Role, target_in};
use rocm_audit_files::finding::rules::tensile as rules;

impl LibraryFolder {
    /// Catalogs and code objects that nothing leads to. A target without a master catalog is a defect of its
    /// own already.
    pub(super) fn check_orphans(&mut self) {
        let mut orphans: Vec<(String, bool)> = Vec::new();
        for (name, listed) in &self.files {
            let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
            let served = listed.name.target.as_ref().is_none_or(|t| self.has_master(&t.processor));
            match listed.name.role {
                Role::Catalog | Role::FallbackCatalog if !self.led_to.contains(stem) && served => {
                    orphans.push((name.clone(), false));
                }
                Role::CodeObject | Role::FallbackCodeObject
                    if !self.used.contains(name) && served && !self.may_be_named(name, listed) =>
                {
                    orphans.push((name.clone(), true));
                }
                _ => {}
            }
        }
        for (name, code) in orphans {
            let kind = if code { &rules::CODE_OBJECT_ORPHANED } else { &rules::CATALOG_ORPHANED };
            let target =
                self.files.get(&name).and_then(|f| f.name.target.as_ref()).map(|t| t.processor.clone());
            let example = self.example(&name, None, "");
            self.defects.add(kind, target.as_deref(), 1, Some(example));
        }
        for name in std::mem::take(&mut self.strays) {
            let Some(target) = target_in(&name) else { continue };
            let example = self.example(&name, None, "has a name that no library asks for");
            self.defects.add(&rules::CODE_OBJECT_ORPHANED, Some(&target.processor), 1, Some(example));
        }
    }

    /// Whether a catalog that could not be read may name solutions of a code object: its own one, or a master
    /// catalog that may lead to it.
    fn may_be_named(&self, code_object: &str, listed: &FolderFile) -> bool {
        self.catalogs.iter().filter(|(_, read)| read.is_err()).any(|(catalog, _)| {
            let stem = catalog.rsplit_once('.').map_or(catalog.as_str(), |(stem, _)| stem);
            let first = listed
                .name
                .target
                .as_ref()
                .is_some_and(|own| master_catalogs(&own.processor).contains(catalog));
            code_object.starts_with(stem) || first
        })
    }
}
