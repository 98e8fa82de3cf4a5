//! What an audit states of a catalog, in MessagePack or YAML, without what only selection needs.
#![deny(clippy::indexing_slicing)]

use super::catalog::count_solutions;
use super::catalog_summary::{CatalogSummary, DeviceRow};
use super::name::Role;
use super::tensilelite::leads_to_a_solution;
use super::yaml;
use crate::error::ParseError;
use std::collections::BTreeMap;

/// A catalog of either library.
#[derive(Debug, Default)]
pub struct Skim {
    /// Number of its solutions; `None` where it has no list of them, or is broken before it.
    pub solutions: Option<u64>,
    /// Whether it leads to any solution; `None` for a master catalog, or where that could not be read.
    pub leads: Option<bool>,
    /// The catalogs that a master catalog leads to, per row for devices, with the processor that the row asks for.
    pub rows: Vec<(Option<String>, Vec<String>)>,
    /// Of a catalog of everything: to how many of its solutions the largest row of each processor leads.
    pub of_processors: Vec<(String, u64)>,
    /// What is wrong with it.
    pub fault: Option<ParseError>,
}

impl Skim {
    /// Reads a catalog whose name says that it has this role. What could be read before a fault is kept.
    pub fn read(bytes: &[u8], role: Role) -> Skim {
        if !yaml::is_text(bytes) {
            return Skim::of(bytes, role);
        }
        match yaml::to_msgpack(bytes) {
            Ok(converted) => {
                let mut skim = Skim::of(&converted, role);
                skim.fault = skim.fault.map(|error| yaml::relocated(bytes, &error));
                skim
            }
            Err(error) => Skim { fault: Some(error), ..Skim::default() },
        }
    }

    fn of(bytes: &[u8], role: Role) -> Skim {
        let mut skim = Skim::default();
        let solutions = match role {
            Role::LazyCatalog => match CatalogSummary::read_lite(bytes) {
                Ok(summary) => {
                    skim.rows = rows(&summary);
                    Ok(Some(summary.solutions.len() as u64))
                }
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
            && let Ok(summary) = CatalogSummary::of_bytes(bytes)
        {
            let of_row = |row: &DeviceRow| Some((row.processor.clone()?, row.reaches.len() as u64));
            // A processor has a row for each number of compute units that is special.
            let mut most: BTreeMap<String, u64> = BTreeMap::new();
            for (processor, solutions) in summary.rows.iter().filter_map(of_row) {
                let known = most.entry(processor).or_default();
                *known = solutions.max(*known);
            }
            skim.of_processors = most.into_iter().collect();
        }
        if matches!(role, Role::Catalog | Role::FallbackCatalog) {
            match leads_to_a_solution(bytes) {
                Ok(leads) => skim.leads = Some(leads),
                Err(error) => skim.fault = skim.fault.or(Some(error)),
            }
        }
        skim
    }
}

/// The catalogs that a master catalog leads to.
fn rows(summary: &CatalogSummary) -> Vec<(Option<String>, Vec<String>)> {
    let name = |at: &usize| summary.placeholders.get(*at).map(|(name, _)| name.clone());
    let named = |leads_to: &[usize]| leads_to.iter().filter_map(name).collect();
    summary.rows.iter().map(|row| (row.processor.clone(), named(&row.leads_to))).collect()
}
