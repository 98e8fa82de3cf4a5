//! Which form of each catalog its library reads: plain, as a zlib stream, or of format 2.
//!
//! Source: hipBLASLt 1.4, `MessagePack.cpp` (ROCm/rocm-libraries #8294): where a stream of the name is there
//! it comes first, and the plain catalog where that fails. What 1.1 and 1.2 do where only streams are there
//! was seen: they find no catalog.

use super::content::CatalogContent;
use super::{CatalogError, FolderFile, LibraryFolder, example_of};
use crate::tensile::catalog::Fault;
use crate::tensile::code_objects::KernelId;
use crate::tensile::name::Role;
use crate::tensile::packed;
use crate::tensile::probing::Probing;
use rocm_audit_files::error::ParseError;
use rocm_audit_files::finding::location::Location;
use rocm_audit_files::finding::rules::tensile as rules;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A catalog as a zlib stream.
#[derive(Debug)]
pub(super) struct Stream {
    /// The file.
    pub listed: FolderFile,
    /// What was read of it.
    pub read: Option<Result<Arc<CatalogContent>, CatalogError>>,
}

impl LibraryFolder {
    /// The same folder, whose library reads these forms. Where that is not known, the library is taken to be
    /// the one that the catalogs were made for.
    #[must_use]
    pub fn probed_by(self, probing: Option<Probing>) -> Self {
        LibraryFolder { probing, ..self }
    }

    /// Decides for each catalog which of its forms is read.
    pub(super) fn settle_forms(&mut self) {
        if self.probing.as_ref().is_none_or(|probing| probing.packed) {
            for (name, stream) in std::mem::take(&mut self.streams) {
                self.settle_stream(name, stream);
            }
        }
        let Some(probing) = self.probing.clone().filter(|probing| !probing.indexed) else { return };
        for (name, read) in &mut self.catalogs {
            if read.as_ref().is_ok_and(|read| read.outline.indexed) {
                let what = format!("is of format 2, which {} does not read", probing.library);
                let error = ParseError::new(0, what);
                let is_stream = self.from_streams.contains(name);
                let file = if is_stream { format!("{name}{}", packed::EXTENSION) } else { name.clone() };
                *read = Err(CatalogError { path: self.path.join(file), fault: Fault::Malformed(error) });
                self.not_read.insert(name.clone());
            }
        }
    }

    /// Takes a stream for its catalog, or leaves it where it cannot be read and the plain catalog is there.
    fn settle_stream(&mut self, name: String, stream: Stream) {
        let has_plain = self.files.contains_key(&name);
        let file = format!("{name}{}", packed::EXTENSION);
        let target = stream.listed.name.target.as_ref().map(|target| target.processor.clone());
        if let (true, Some(Err(error))) = (has_plain, &stream.read) {
            let place =
                Location { path: self.path.join(&file).to_string_lossy().into(), ..example_of(error) };
            return self.defects.add(&rules::FORM_PASSED_OVER, target.as_deref(), 1, Some(place));
        }
        // The table of other operations is the one whose plain form comes first.
        if has_plain && stream.listed.name.role == Role::Extension && name.starts_with("hipblaslt") {
            return;
        }
        if let (Some(Ok(plain)), Some(Ok(packed))) = (self.catalogs.get(&name), &stream.read)
            && !is_same(plain, packed)
        {
            let place = self.example(&file, None, format!("holds other solutions than {name}"));
            self.defects.add(&rules::FORMS_DIFFER, target.as_deref(), 1, Some(place));
        }
        if let Some(read) = stream.read {
            self.catalogs.insert(name.clone(), read);
        }
        self.files.insert(name.clone(), stream.listed);
        self.from_streams.insert(name);
    }

    /// The file that a catalog is read from.
    pub(super) fn file_of(&self, name: &str) -> String {
        let is_stream = self.from_streams.contains(name);
        if is_stream { format!("{name}{}", packed::EXTENSION) } else { name.to_owned() }
    }

    /// The place of the first catalog that is there as a stream alone, which the library does not read.
    pub(super) fn stream_not_read(&self, names: &[String]) -> Option<Location> {
        let library = &self.probing.as_ref()?.library;
        let name = names.iter().find(|name| self.streams.contains_key(*name))?;
        let what = format!("is a zlib stream, which {library} does not read");
        Some(self.example(&format!("{name}{}", packed::EXTENSION), None, what))
    }
}

/// Whether two catalogs hold the same solutions and lead to the same others, in whatever order.
fn is_same(one: &CatalogContent, other: &CatalogContent) -> bool {
    let solutions = |content: &CatalogContent| -> BTreeSet<(u32, bool, KernelId)> {
        let all = content.outline.solutions.iter().zip(&content.kernels);
        all.map(|(solution, kernel)| (solution.index, solution.reached, *kernel)).collect()
    };
    let leads_to = |content: &CatalogContent| -> BTreeSet<String> {
        content.outline.placeholders.iter().map(|(name, _)| name.clone()).collect()
    };
    one.outline.tuned == other.outline.tuned
        && solutions(one) == solutions(other)
        && leads_to(one) == leads_to(other)
}
