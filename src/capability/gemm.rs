//! Which matrix products are tuned, per library folder and processor.

use crate::engines::tensile::coverage::Coverage;
use crate::inventory::{ArtifactKind, Inventory};
use crate::report::v1::{GemmRow, GemmType};
use crate::target::TargetId;
use std::collections::{BTreeMap, HashMap};

/// One row for each first catalog, in the order of the processors' table.
pub(super) fn of(inventory: &Inventory) -> Vec<GemmRow> {
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
        let mut coverage = Coverage::default();
        let reached = facts.rows.iter().filter(|(p, _)| p.as_deref().is_none_or(|p| p == target.processor));
        for name in reached.flat_map(|(_, names)| names) {
            coverage.add(name, leads.get(&(folder, name.as_str())).copied().flatten());
        }
        if !coverage.served.is_empty() {
            rows.push(GemmRow {
                library: artifact.library.clone(),
                folder: folder.to_owned(),
                processor: target.processor.clone(),
                types: types(&coverage),
                variants: coverage.variants,
            });
        }
    }
    rows.sort_by_key(|row| {
        (row.library.to_lowercase(), row.folder.clone(), TargetId::bare(row.processor.clone()))
    });
    rows
}

/// The folder and the name of a path as reports show it.
fn split(path: &str) -> Option<(&str, &str)> {
    path.rsplit_once('/').or(Some(("", path)))
}

/// A coverage for the outside.
pub(crate) fn types(coverage: &Coverage) -> Vec<GemmType> {
    let mut types: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::new();
    for (operation, served) in &coverage.served {
        let of_type = types.entry(&operation.type_name).or_default();
        of_type.insert(operation.transposes.clone(), served.name().to_owned());
    }
    types.into_iter().map(|(name, served)| GemmType { name: name.to_owned(), served }).collect()
}
