//! The manifest of the build.
#![deny(clippy::indexing_slicing)]

use super::LibraryFolder;
use crate::tensile::packed;
use rocm_audit_files::finding::rules::tensile as rules;
use std::collections::BTreeSet;

/// Bytes of a manifest that are read; rocBLAS's has half a megabyte.
const MANIFEST_BYTES: usize = 8 << 20;

impl LibraryFolder {
    /// Files that the manifest of the build lists are there.
    pub(super) fn check_manifest(&mut self) {
        const MANIFEST: &str = "TensileManifest.txt";
        let Some(place) = &self.place else { return };
        let Ok(source) = place.open(MANIFEST) else { return };
        let bytes = source.bytes();
        let text = String::from_utf8_lossy(bytes.get(..MANIFEST_BYTES.min(bytes.len())).unwrap_or_default());
        let here: BTreeSet<String> = place.names().into_iter().collect();
        let is_here =
            |name: &String| here.contains(name) || here.contains(&format!("{name}{}", packed::EXTENSION));
        let file = |line: &'_ str| line.trim().rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let missing: Vec<String> =
            text.lines().map(file).filter(|name| name.contains('.') && !is_here(name)).collect();
        if let Some(first) = missing.first() {
            let example = self.example(MANIFEST, None, format!("lists {first}"));
            self.defects.add(&rules::MANIFEST_FILE_MISSING, None, missing.len() as u64, Some(example));
        }
    }
}
