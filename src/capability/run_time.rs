//! Whether kernels that are compiled at run time can be for a GPU at all.

use super::coverage::SPIRV_PROCESSOR;
use crate::inventory::Inventory;
use crate::target::{Family, Processor};

/// Whether ROCm's runtime, and with it the compilers, know a processor; why not, as a clause.
///
/// # Errors
/// For one that no release of the runtime drives, or that the runtime here does not name. Source: ROCr's `isa.cpp`, whose list begins
/// with gfx700.
pub(super) fn knows(inventory: &Inventory, processor: &str) -> Result<(), String> {
    if processor == SPIRV_PROCESSOR {
        return Ok(());
    }
    let Some(known) = Processor::by_name(processor) else {
        return Err(format!("whether a compiler knows {processor} is not known"));
    };
    if known.family() == Family::Gcn1 {
        return Err(format!("no release of ROCm's runtime drives {processor}"));
    }
    let mut runtimes = inventory.linkage.iter().filter(|one| !one.processors.is_empty()).peekable();
    let is_named = runtimes.peek().is_none() || runtimes.any(|one| one.processors.contains(&processor));
    match is_named || known.family() == Family::Generic {
        true => Ok(()),
        false => Err(format!("the HSA runtime here does not name {processor}")),
    }
}
