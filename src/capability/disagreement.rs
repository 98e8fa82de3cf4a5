//! Code objects whose names disagree, like ones together.

use crate::inventory::{self, Inventory};
use crate::locator::Locator;
use std::collections::BTreeMap;

/// Code objects whose names disagree in the same way.
#[derive(Debug)]
pub struct Disagreement<'a> {
    /// Who says what.
    pub names: Names<'a>,
    /// How many code objects.
    pub code_objects: u64,
    /// The files that they are in: the path as reports show it, how many, and the first of them.
    pub files: Vec<(&'a str, u64, &'a Locator)>,
}

/// The target by `e_flags`, and what the others say where that is something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Names<'a> {
    /// What `e_flags` say.
    pub e_flags: &'a str,
    /// What the bundle entry's id says.
    pub bundle_id: Option<&'a str>,
    /// What the kernel metadata says.
    pub metadata: Option<&'a str>,
    /// What the file's name says.
    pub file_name: Option<&'a str>,
}

impl<'a> Names<'a> {
    fn of(found: &'a inventory::Disagreement) -> Self {
        let other = |name: &'a Option<String>| name.as_deref().filter(|name| *name != found.e_flags);
        Names {
            e_flags: &found.e_flags,
            bundle_id: other(&found.bundle_id),
            metadata: other(&found.metadata),
            file_name: other(&found.file_name),
        }
    }
}

/// All disagreements of an inventory, with their files.
pub(super) fn of_inventory(inventory: &Inventory) -> impl Iterator<Item = (&str, &inventory::Disagreement)> {
    inventory.artifacts.iter().flat_map(|artifact| {
        let found = artifact.device.iter().flat_map(|device| &device.disagreements);
        found.map(|one| (artifact.shown.as_str(), one))
    })
}

/// Groups disagreements by who says what; each is given with the path of its file.
pub fn grouped<'a>(
    found: impl IntoIterator<Item = (&'a str, &'a inventory::Disagreement)>,
) -> Vec<Disagreement<'a>> {
    let mut groups: BTreeMap<Names<'a>, Disagreement<'a>> = BTreeMap::new();
    for (path, one) in found {
        let names = Names::of(one);
        let group =
            groups.entry(names).or_insert_with(|| Disagreement { names, code_objects: 0, files: Vec::new() });
        group.code_objects += one.count;
        group.files.push((path, one.count, &one.first));
    }
    groups.into_values().collect()
}
