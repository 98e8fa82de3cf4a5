//! Matrix products: which of the tree's catalogs a device has, and what rocBLAS does with them.

use super::Answers;
use super::facts::TensileFolder;
use crate::engines::tensile::answer::{Front, GemmAnswer};
use crate::engines::tensile::backend::asks_hipblaslt_first;
use crate::engines::tensile::call::GemmCall;
use crate::engines::tensile::catalog::{CatalogError, Fault};
use crate::engines::tensile::library::Library;
use crate::engines::tensile::lite::call::{Interface, MatmulCall};
use crate::engines::tensile::name::Name;
use crate::error::AuditError;
use crate::finding::rules::tensile::MASTER_UNREADABLE;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

/// Why no catalog can answer.
#[derive(Debug, Clone)]
pub(super) enum NoCatalog {
    /// The tree has no rocBLAS folder.
    NoFolder,
    /// No folder has a catalog for the device; holds the first folder and its error.
    NoTarget(Box<(TensileFolder, CatalogError)>),
}

impl Answers {
    /// What rocBLAS does for a call in a fresh process.
    ///
    /// # Errors
    /// If the tree has no catalog for the device, with the targets that it has, or a catalog is malformed.
    pub fn gemm(&self, call: &GemmCall) -> Result<GemmAnswer, AuditError> {
        let mut answer = self.rocblas(&call.target)?.answer(call).map_err(ends_in_a_crash)?;
        let asks = answer.host.as_ref().is_some_and(|host| host.asks_hipblaslt);
        if asks
            && !answer.quick_return
            && !answer.gemv
            && asks_hipblaslt_first(&answer.target.processor, call, answer.version())
        {
            answer.front = Some(self.front(call));
        }
        Ok(answer)
    }

    /// The same, and how one solution that rocBLAS did not choose stands for the call.
    ///
    /// # Errors
    /// As [`Answers::gemm`].
    pub fn gemm_with(&self, call: &GemmCall, solution: u32) -> Result<GemmAnswer, AuditError> {
        let mut answer = self.gemm(call)?;
        answer.standing = Some((solution, self.rocblas(&call.target)?.standing(call, solution)));
        Ok(answer)
    }

    /// What hipBLASLt of the tree does with a call of rocBLAS.
    fn front(&self, call: &GemmCall) -> Front {
        let asked = || {
            let library = self.hipblaslt(&call.target).map_err(|error| error.to_string())?;
            let own = MatmulCall { interface: Interface::Ext, ..MatmulCall::of_gemm(call)? };
            let choice = library.choose(&own, None).map_err(|error| error.to_string())?;
            if let Some(what) = &choice.undecided {
                return Err(format!("its choice depends on a {what}, which this tool does not know"));
            }
            let first = choice.first().ok_or("no solution of its can solve this")?;
            let others = if choice.fixed.is_empty() { choice.fill.len() - 1 } else { 0 };
            let kernel = first.catalog.text(first.solution.kernel).to_owned();
            Ok(Front::Answers { solution: first.solution.index, kernel, others })
        };
        asked().unwrap_or_else(|why: String| Front::Declines(why))
    }

    /// The catalogs for a device such as `gfx90a:xnack-`, from the first folder that has them; opened once.
    ///
    /// # Errors
    ///
    /// If the tree has none; the error lists the targets it has.
    pub fn rocblas(&self, target: &str) -> Result<Arc<Library>, AuditError> {
        self.find_rocblas(target).map_err(|why| AuditError::NotThere(why.sentence(target)))
    }

    pub(super) fn find_rocblas(&self, target: &str) -> Result<Arc<Library>, NoCatalog> {
        let mut opened = self.rocblas.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = opened.get(target) {
            return Ok(Arc::clone(library));
        }
        let (mut first, mut others) = (None, None);
        let processor = [target.split(':').next().unwrap_or(target).to_owned()];
        for folder in self.facts.rocblas_folders() {
            if !folder.serves(&processor) {
                let what = format!("is not for {target}");
                let error = CatalogError { path: folder.folder.path(), fault: Fault::Unreadable(what) };
                others.get_or_insert_with(|| (folder.clone(), error));
                continue;
            }
            match Library::open(&folder.folder, target) {
                Ok(library) => {
                    let library = Arc::new(library);
                    opened.insert(target.to_owned(), Arc::clone(&library));
                    return Ok(library);
                }
                Err(error) => {
                    let is_for_it = has_files_for(folder, target);
                    self.meets(&MASTER_UNREADABLE, &error);
                    first.get_or_insert_with(|| (folder.clone(), error));
                    // A folder that has files for the device but no first catalog is broken, and rocBLAS
                    // would not fall back to another copy.
                    if is_for_it {
                        break;
                    }
                }
            }
        }
        Err(first.or(others).map_or(NoCatalog::NoFolder, |first| NoCatalog::NoTarget(Box::new(first))))
    }
}

/// Whether a folder has files named after the device's processor.
fn has_files_for(folder: &TensileFolder, device: &str) -> bool {
    let processor = device.split(':').next().unwrap_or(device);
    let target_of = |name: &String| Name::parse(name)?.target;
    folder.folder.names().iter().filter_map(target_of).any(|target| target.processor == processor)
}

/// The error for a malformed catalog that a call reaches.
pub(super) fn ends_in_a_crash(error: CatalogError) -> AuditError {
    AuditError::Unreadable(format!(
        "{error}. The real library ends in a segmentation fault where a call reaches this catalog"
    ))
}

impl NoCatalog {
    fn sentence(&self, target: &str) -> String {
        let NoCatalog::NoTarget(first) = self else {
            return "no Tensile catalog of rocBLAS was found; name the path of the install".to_owned();
        };
        let (folder, error) = &**first;
        let targets: Vec<String> = folder.targets.iter().map(ToString::to_string).collect();
        format!(
            "{error}. rocBLAS aborts there, and where the catalog is missing says \"Cannot read …/TensileLibrary.dat … for \
             GPU arch : {}\" whatever file it is. Master catalogs in {}: {}",
            target.split(':').next().unwrap_or(target),
            folder.folder.path().display(),
            if targets.is_empty() { "none".to_owned() } else { targets.join(", ") }
        )
    }
}

/// How many folders above a library to search for rocBLAS: plugins lie two folders below the libraries.
const FOLDERS: usize = 4;

/// Folders of a rocBLAS near a library; empty if there are none.
pub fn rocblas_near(library: &Path) -> Vec<PathBuf> {
    let library = std::path::absolute(library).unwrap_or_else(|_| library.to_owned());
    for folder in library.ancestors().skip(usize::from(library.is_file())).take(FOLDERS) {
        let below = [folder.join("rocblas"), folder.join("lib/rocblas")];
        let below: Vec<PathBuf> = below.into_iter().filter(|folder| folder.is_dir()).collect();
        if !below.is_empty() {
            return below;
        }
    }
    Vec::new()
}
