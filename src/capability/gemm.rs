//! Which matrix products are tuned, per library folder and processor.

use super::shipped::Wanted;
use super::tensile_chain::CheckedFolder;
use crate::engines::tensile::coverage::{Coverage, GemmService};
use crate::engines::tensile::name::folder_of_processor;
use crate::target::Processor;
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// One processor in one library folder.
#[derive(Debug)]
pub struct GemmRow<'a> {
    /// The library.
    pub library: &'a str,
    /// The folder as reports show paths.
    pub folder: &'a str,
    /// The processor.
    pub processor: String,
    /// What the catalogs that its master catalog leads to serve.
    pub coverage: Coverage,
}

/// The operations of one type.
#[derive(Debug)]
pub struct TypeRow<'a> {
    /// `SS`, `HH_HPA`, …
    pub name: &'a str,
    /// How each way the matrices enter (`NN`, `NT`, …) is served.
    pub served: KeyMap<&'a str, GemmService>,
}

impl TypeRow<'_> {
    /// How many of the ways are served so.
    pub fn count(&self, served: GemmService) -> u64 {
        self.served.values().filter(|other| **other == served).count() as u64
    }

    /// What a table of several targets shows for the type; nothing where its ways are served differently, and
    /// none of them is broken.
    pub fn all(&self) -> Option<GemmService> {
        let broken = [GemmService::Missing, GemmService::Fails, GemmService::SomeFail];
        let is_there = |served: &GemmService| self.count(*served) > 0;
        if let Some(worst) = broken.into_iter().find(is_there) {
            // Where only some of the ways fail, some calls do.
            let all = self.count(worst) == self.served.len() as u64 || worst == GemmService::Missing;
            return Some(if all { worst } else { GemmService::SomeFail });
        }
        let mut ways = self.served.values();
        let first = *ways.next()?;
        let is_equal = ways.all(|other| *other == first);
        match is_equal {
            true => Some(first),
            false if self.count(GemmService::Tuned) == 0 && self.count(GemmService::TunedForArrays) == 0 => {
                None
            }
            false if self.count(GemmService::Tuned) == 0 && self.count(GemmService::None) == 0 => {
                Some(GemmService::TunedForArrays)
            }
            false => None,
        }
    }
}

/// One row for each target that a library folder serves, in the order of the processors' table.
pub(super) fn gemm_rows<'a>(folders: &[CheckedFolder<'a>], wanted: &Wanted<'_>) -> Vec<GemmRow<'a>> {
    let mut rows = Vec::new();
    for folder in folders {
        for state in &folder.found.targets {
            if folder.serves(&state.target)
                && wanted(Some(&state.target))
                && !state.coverage.served.is_empty()
            {
                rows.push(GemmRow {
                    library: folder.part.library,
                    // Folders of one processor each are one library folder.
                    folder: folder_of_processor(folder.folder).map_or(folder.folder, |(outer, _)| outer),
                    processor: state.target.clone(),
                    coverage: state.coverage.clone(),
                });
            }
        }
    }
    rows.sort_rows_by_key(|row| {
        (row.library.to_lowercase(), row.folder, Processor::rank(&row.processor), row.processor.clone())
    });
    rows
}

/// The operations of a coverage by type.
pub fn types(coverage: &Coverage) -> Vec<TypeRow<'_>> {
    let mut types: KeyMap<&str, KeyMap<&str, GemmService>> = KeyMap::new();
    for (operation, served) in &coverage.served {
        types.entry(&operation.type_name).or_default().insert(&operation.transposes, *served);
    }
    types.into_iter().map(|(name, served)| TypeRow { name, served }).collect()
}
