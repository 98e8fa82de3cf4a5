//! Which matrix products are tuned, per library folder and processor.

use super::shipped::Wanted;
use crate::engines::tensile::coverage::{Coverage, Served};
use crate::inventory::{ArtifactKind, Inventory};
use crate::target::Processor;
use std::collections::{BTreeMap, HashMap};

/// One processor in one library folder.
#[derive(Debug)]
pub struct GemmRow<'a> {
    /// The library.
    pub library: &'a str,
    /// The folder as reports show paths.
    pub folder: &'a str,
    /// The processor.
    pub processor: &'a str,
    /// What the catalogs that its master catalog leads to serve.
    pub coverage: Coverage,
}

/// The operations of one type.
#[derive(Debug)]
pub struct TypeRow<'a> {
    /// `SS`, `HH_HPA`, …
    pub name: &'a str,
    /// How each way the matrices enter (`NN`, `NT`, …) is served.
    pub served: BTreeMap<&'a str, Served>,
}

impl TypeRow<'_> {
    /// How many of the ways are served so.
    pub fn count(&self, served: Served) -> u64 {
        self.served.values().filter(|other| **other == served).count() as u64
    }

    /// What a table of several targets shows for the type; nothing where only some of the ways are tuned.
    pub fn all(&self) -> Option<Served> {
        let all = self.served.len() as u64;
        match (self.count(Served::Tuned), self.count(Served::Fallback), self.count(Served::Missing)) {
            (_, _, 1..) => Some(Served::Missing),
            (tuned, _, _) if tuned == all => Some(Served::Tuned),
            (0, fallback, _) if fallback == all => Some(Served::Fallback),
            (0, 0, _) => Some(Served::None),
            _ => None,
        }
    }
}

/// One row for each master catalog, in the order of the processors' table.
pub(super) fn of<'a>(inventory: &'a Inventory, wanted: &Wanted<'_>) -> Vec<GemmRow<'a>> {
    let mut leads: HashMap<(&str, &str), Option<bool>> = HashMap::new();
    for artifact in &inventory.artifacts {
        if let ArtifactKind::Tensile(_, facts) = &artifact.kind
            && let Some((folder, name)) = split(&artifact.shown)
            && let Some((stem, "dat" | "yaml")) = name.rsplit_once('.')
        {
            leads.insert((folder, stem), facts.leads);
        }
    }
    let mut rows = Vec::new();
    for artifact in &inventory.artifacts {
        let (ArtifactKind::Tensile(_, facts), Some(target)) = (&artifact.kind, &artifact.named_target) else {
            continue;
        };
        let Some((folder, _)) = split(&artifact.shown) else { continue };
        if !wanted(Some(&target.processor)) {
            continue;
        }
        let mut coverage = Coverage::default();
        let reached = facts.rows.iter().filter(|(p, _)| p.as_deref().is_none_or(|p| p == target.processor));
        for name in reached.flat_map(|(_, names)| names) {
            coverage.add(name, leads.get(&(folder, name.as_str())).copied().flatten());
        }
        if !coverage.served.is_empty() {
            rows.push(GemmRow { library: &artifact.library, folder, processor: &target.processor, coverage });
        }
    }
    rows.sort_by_key(|row| {
        (row.library.to_lowercase(), row.folder, Processor::rank(row.processor), row.processor)
    });
    rows
}

/// The folder and the name of a path as reports show it.
fn split(path: &str) -> Option<(&str, &str)> {
    path.rsplit_once('/').or(Some(("", path)))
}

/// The operations of a coverage by type.
pub fn types(coverage: &Coverage) -> Vec<TypeRow<'_>> {
    let mut types: BTreeMap<&str, BTreeMap<&str, Served>> = BTreeMap::new();
    for (operation, served) in &coverage.served {
        types.entry(&operation.type_name).or_default().insert(&operation.transposes, *served);
    }
    types.into_iter().map(|(name, served)| TypeRow { name, served }).collect()
}
