//! Matrix products of hipBLASLt: which catalogs the tree has for a device, and what hipBLASLt chooses by
//! them.

use super::Answers;
use crate::engines::tensile::catalog::{CatalogError, Fault};
use crate::engines::tensile::lite::answer::MatmulAnswer;
use crate::engines::tensile::lite::call::MatmulCall;
use crate::engines::tensile::lite::library::Library;
use crate::engines::tensile::lite::release::LiteLibrary;
use crate::engines::tensile::tuning::Libraries;
use crate::error::AuditError;
use crate::finding::rules::tensile::MASTER_UNREADABLE;
use crate::input::folder::Folder;
use crate::target::TargetId;
use std::sync::{Arc, PoisonError};

impl Answers {
    /// What hipBLASLt gives for a call in a fresh process.
    ///
    /// # Errors
    /// If the tree has no catalog for the device, with the targets that it has, or a catalog is malformed.
    pub fn matmul(&self, call: &MatmulCall) -> Result<MatmulAnswer, AuditError> {
        self.library_of(call)?.answer(call).map_err(matmul_crashes)
    }

    /// The catalogs of both libraries for a device, to check files that state which solutions to take.
    pub fn tuned_libraries(&self, target: &TargetId, multiprocessors: u32) -> Libraries {
        let name = target.to_string();
        Libraries {
            rocblas: self.find_rocblas(&name).ok(),
            hipblaslt: self.hipblaslt(&name).ok(),
            target: name,
            multiprocessors,
        }
    }

    /// hipBLASLt's catalogs for a device such as `gfx90a:xnack-`, from the first folder that has them; opened
    /// once.
    ///
    /// # Errors
    ///
    /// If the tree has none; the error lists the targets it has.
    pub fn hipblaslt(&self, target: &str) -> Result<Arc<Library>, AuditError> {
        self.lite(LiteLibrary::HipBlasLt, target)
    }

    /// hipSPARSELt's catalogs for a device, likewise.
    ///
    /// # Errors
    ///
    /// If the tree has none; the error lists the targets it has.
    pub fn hipsparselt(&self, target: &str) -> Result<Arc<Library>, AuditError> {
        self.lite(LiteLibrary::HipSparseLt, target)
    }

    /// The catalogs for a call: hipSPARSELt's for one with a sparse matrix, else hipBLASLt's.
    ///
    /// # Errors
    ///
    /// If the tree has none; the error lists the targets it has.
    pub fn library_of(&self, call: &MatmulCall) -> Result<Arc<Library>, AuditError> {
        let is_sparse = call.sparse.is_some();
        self.lite(if is_sparse { LiteLibrary::HipSparseLt } else { LiteLibrary::HipBlasLt }, &call.target)
    }

    fn lite(&self, of: LiteLibrary, target: &str) -> Result<Arc<Library>, AuditError> {
        let of_library = if of == LiteLibrary::HipSparseLt { &self.hipsparselt } else { &self.hipblaslt };
        let mut opened = of_library.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = opened.get(target) {
            return Ok(Arc::clone(library));
        }
        let (mut first, mut others) = (None, None);
        let processor = [target.split(':').next().unwrap_or(target).to_owned()];
        for folder in self.facts.lite_folders(of) {
            // Skips the folder of another processor, but names it if the tree has no other.
            if !folder.serves(&processor) {
                let error = || CatalogError {
                    path: folder.folder.path(),
                    fault: Fault::Unreadable(format!("is not for {target}")),
                };
                others.get_or_insert_with(|| (folder, error()));
                continue;
            }
            match open_of(of, &folder.folder, target) {
                Ok(library) => {
                    let library = Arc::new(library);
                    opened.insert(target.to_owned(), Arc::clone(&library));
                    return Ok(library);
                }
                Err(error) => {
                    self.meets(&MASTER_UNREADABLE, &error);
                    first.get_or_insert((folder, error));
                }
            }
        }
        let Some((folder, error)) = first.or(others) else {
            let what = format!("no catalog of {} was found; name the path of the install", of.name());
            return Err(AuditError::NotThere(what));
        };
        let targets: Vec<String> = folder.targets.iter().map(ToString::to_string).collect();
        let does = match error.fault {
            Fault::Unreadable(_) if of == LiteLibrary::HipSparseLt => {
                "Without it hipSPARSELt has no solution"
            }
            Fault::Unreadable(_) => {
                "The heuristic returns status 3 (HIPBLAS_STATUS_INVALID_VALUE), and the library writes \"rocblaslt error: \
                 Cannot read …\" and \"Could not load …\""
            }
            Fault::Malformed(_) => "The real library cannot load it",
        };
        Err(AuditError::NotThere(format!(
            "{error}. {does}. Master catalogs in {}: {}",
            folder.folder.path().display(),
            if targets.is_empty() { "none".to_owned() } else { targets.join(", ") }
        )))
    }
}

fn open_of(of: LiteLibrary, folder: &Folder, target: &str) -> Result<Library, CatalogError> {
    match of {
        LiteLibrary::HipBlasLt => Library::open(folder, target),
        LiteLibrary::HipSparseLt => Library::open_sparse(folder, target),
    }
}

/// The error for a missing or malformed catalog that a call reaches.
pub fn matmul_crashes(error: CatalogError) -> AuditError {
    AuditError::Unreadable(format!(
        "{error}. The real library ends in a segmentation fault at the first call that reaches this catalog; where the list of \
         algorithms is filled up, every catalog of the operation is reached"
    ))
}
