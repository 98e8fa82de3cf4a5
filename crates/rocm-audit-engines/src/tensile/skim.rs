//! What an audit states of a catalog, in MessagePack or YAML, without what only selection needs.
#![deny(clippy::indexing_slicing)]

use super::catalog::{CatalogIndex, count_solutions};
use super::catalog_summary::{CatalogSummary, DeviceRow};
use super::name::Role;
use super::rocblas::RocBlas;
use super::tensilelite::leads_to_a_solution;
use super::yaml;
use rocm_audit_files::error::ParseError;
use rocm_audit_files::limits::TENSILE_YAML_ALIASED_BYTES;
use std::collections::BTreeMap;

/// A catalog of either library.
#[derive(Debug, Default)]
pub struct Skim {
    /// Number of its solutions; `None` where it has no list of them, or is broken before it.
    pub solutions: Option<u64>,
    /// Of a catalog of everything: to how many of its solutions the largest row of each processor leads.
    pub of_processors: Vec<(String, u64)>,
    /// What is wrong with it.
    pub fault: Option<ParseError>,
}

impl Skim {
    /// Memory that reading may take beyond the bytes themselves, in bytes: a text is converted first, with
    /// what its aliases stand for.
    pub fn memory(bytes: &[u8]) -> u64 {
        if yaml::is_text(bytes) { TENSILE_YAML_ALIASED_BYTES + bytes.len() as u64 * 5 / 2 } else { 0 }
    }

    /// Reads a catalog whose name says that it has this role. What could be read before a fault is kept.
    pub fn read(bytes: &[u8], role: Role) -> Skim {
        if !yaml::is_text(bytes) {
            return Skim::from_bytes(bytes, role);
        }
        match yaml::to_msgpack(bytes) {
            Ok(converted) => {
                let mut skim = Skim::from_bytes(&converted, role);
                skim.fault = skim.fault.map(|error| yaml::relocated(bytes, &error));
                skim
            }
            Err(error) => Skim { fault: Some(error), ..Skim::default() },
        }
    }

    fn from_bytes(bytes: &[u8], role: Role) -> Skim {
        let mut skim = Skim::default();
        let solutions = match role {
            Role::LazyCatalog => match CatalogSummary::read_lite(bytes) {
                Ok(summary) => Ok(Some(summary.solutions.len() as u64)),
                Err(error) => {
                    skim.fault = Some(error);
                    count_solutions(bytes)
                }
            },
            _ => count_solutions(bytes),
        };
        match solutions {
            Ok(None) if matches!(role, Role::Catalog | Role::FallbackCatalog | Role::MergedCatalog) => {
                let what = "the catalog has no list of solutions";
                skim.fault = Some(skim.fault.unwrap_or_else(|| ParseError::new(0, what)));
            }
            Ok(solutions) => skim.solutions = solutions,
            Err(error) => skim.fault = Some(error),
        }
        // TensileLite's are of another form, and are only counted.
        if role == Role::MergedCatalog
            && let Ok(content) = CatalogIndex::<RocBlas>::read(bytes)
        {
            let summary = CatalogSummary::of_content(&content);
            let of_row = |row: &DeviceRow| Some((row.processor.clone()?, row.reaches.len() as u64));
            // A processor has a row for each number of compute units that is special.
            let mut most: BTreeMap<String, u64> = BTreeMap::new();
            for (processor, solutions) in summary.rows.iter().filter_map(of_row) {
                let known = most.entry(processor).or_default();
                *known = solutions.max(*known);
            }
            skim.of_processors = most.into_iter().collect();
        }
        if matches!(role, Role::Catalog | Role::FallbackCatalog)
            && let Err(error) = leads_to_a_solution(bytes)
        {
            skim.fault = skim.fault.or(Some(error));
        }
        skim
    }
}
