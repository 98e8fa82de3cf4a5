//! Makes the report of `slim`.

use super::{findings, v1};
use crate::capability::Capability;
use crate::capability::coverage::Coverage;
use crate::capability::slim::Slim;
use crate::capability::verdict::Verdict;
use crate::finding::Finding;
use crate::inventory::Inventory;
use crate::target::TargetId;
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// The report on what can be removed from an inventory if these GPUs must be served.
pub fn slim(inventory: &Inventory, keep: &[TargetId]) -> v1::SlimReport {
    let found = Capability::from_inventory(inventory, keep);
    let slim = Slim::from_inventory(inventory, keep);
    let damage: Vec<Finding> = found.findings.iter().filter(|finding| finding.is_damage()).cloned().collect();
    let mut libraries: KeyMap<&str, v1::SlimLibrary> = KeyMap::new();
    let (mut removable, mut inside) = (v1::Count::default(), v1::Count::default());
    for file in &slim.files {
        let bytes = file.bytes;
        add(&mut removable, 1, bytes);
        add(&mut libraries.entry(&file.artifact.library).or_default().removable, 1, bytes);
    }
    for part in &slim.inside {
        add(&mut inside, part.objects, part.bytes);
        let library = libraries.entry(&part.artifact.library).or_default();
        add(&mut library.inside, part.objects, part.bytes);
        library.inside_compressed |= part.compressed;
    }
    let files = slim.files.iter().map(|file| v1::SlimFile {
        path: file.artifact.locator.shown(),
        is_exact: file.artifact.locator.path.to_str().is_some(),
        in_package: file.artifact.locator.member.is_some(),
        library: file.artifact.library.clone(),
        bytes: file.bytes,
        targets: file.targets.clone(),
    });
    let mut libraries: Vec<v1::SlimLibrary> = libraries
        .into_iter()
        .map(|(name, library)| v1::SlimLibrary { library: name.to_owned(), ..library })
        .collect();
    libraries.sort_rows_by_key(|library| std::cmp::Reverse(library.removable.bytes + library.inside.bytes));
    v1::SlimReport {
        header: v1::Header::from_document(v1::document::SLIM),
        roots: inventory.roots.clone(),
        keep: keep.iter().map(ToString::to_string).collect(),
        complete: found.complete,
        all: v1::Count { count: inventory.files.count, bytes: inventory.files.bytes },
        removable,
        inside,
        overrides: overrides(&found, keep),
        without_code: without_code(&found),
        libraries,
        files: files.collect(),
        findings: findings::rows(&damage),
    }
}

/// Code that an override would load on kept GPUs but that is not kept for this reason.
fn overrides(found: &Capability<'_>, keep: &[TargetId]) -> Vec<v1::SlimOverride> {
    let of = |verdict: &Verdict<'_>| {
        let best = verdict.overrides.first().filter(|best| best.is_legal())?;
        let is_kept = keep.iter().any(|gpu| gpu.processor == best.processor);
        let (gpu, value, processor) = (verdict.processor.clone(), best.value.clone(), best.processor.clone());
        let has_code = verdict.here.iter().any(|own| *own == verdict.processor);
        (!is_kept).then_some(v1::SlimOverride { gpu, value, processor, has_code })
    };
    found.verdicts.iter().filter_map(of).collect()
}

/// Kept GPUs without any code here; they keep no file.
fn without_code(found: &Capability<'_>) -> Vec<String> {
    let none = |verdict: &&Verdict<'_>| {
        verdict.libraries.iter().all(|library| matches!(library.coverage, Coverage::Absent))
    };
    found.verdicts.iter().filter(none).map(|verdict| verdict.processor.clone()).collect()
}

fn add(to: &mut v1::Count, count: u64, bytes: u64) {
    to.count += count;
    to.bytes += bytes;
}
