//! Makes the report of `check`.

use super::audit::coverage;
use super::{findings, v1};
use crate::capability::Capability;
use crate::capability::requirement::{Required, Requirement, check as requirements};
use crate::inventory::Inventory;

/// The report of an inventory and of what is required of it.
pub fn check(inventory: &Inventory, found: &Capability<'_>, required: &Required<'_>) -> v1::CheckReport {
    let rows: Vec<v1::Requirement> = requirements(found, required).iter().map(row).collect();
    v1::CheckReport {
        header: v1::Header::of(v1::document::CHECK),
        roots: inventory.roots.clone(),
        required: required.targets.iter().map(ToString::to_string).collect(),
        passed: found.complete && !rows.is_empty() && rows.iter().all(|row| row.is_met),
        complete: found.complete,
        requirements: rows,
        findings: findings::rows(&found.findings),
    }
}

fn row(found: &Requirement<'_>) -> v1::Requirement {
    v1::Requirement {
        processor: found.processor.clone(),
        library: found.library.clone(),
        tensile: found.tensile,
        place: found.place.map(str::to_owned),
        is_met: found.is_met,
        coverage: found.coverage.map(coverage),
        lacking: found.lacking.iter().map(|path| (*path).to_owned()).collect(),
    }
}
