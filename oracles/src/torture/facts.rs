//! What a report has of a tree, as numbers that can only be fewer where something was lost.

use rocm_audit::report::v1::{Artifact, Bundle, FatbinReport, Report};
use std::collections::BTreeMap;

/// The intact file that stands beside each broken one.
pub const NEIGHBOUR: &str = "zz_good.hsaco";

/// What an audit found besides the neighbour.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TortureFacts(BTreeMap<&'static str, u64>);

impl TortureFacts {
    /// Those of a report.
    pub fn from_report(report: &Report) -> Self {
        let mut facts = TortureFacts::default();
        for artifact in report.artifacts.iter().filter(|artifact| !is_neighbour(artifact)) {
            let entries: u64 = artifact.entries.values().map(|count| count.count).sum();
            let objects: u64 = artifact.targets.iter().map(|row| row.code_objects).sum();
            let kernels: u64 = artifact.targets.iter().map(|row| row.kernels).sum();
            for (what, count) in [
                ("artifacts", 1),
                ("bundles", artifact.bundles),
                ("entries", entries),
                ("code objects", objects),
                ("kernels", kernels),
                ("records", artifact.records.unwrap_or(0)),
            ] {
                *facts.0.entry(what).or_default() += count;
            }
        }
        facts
    }

    /// What is fewer here than in `before`, in words; nothing where nothing is.
    pub fn lost(&self, before: &TortureFacts) -> String {
        let mut lost = String::new();
        for (what, had) in &before.0 {
            let has = self.0.get(what).copied().unwrap_or(0);
            if has < *had {
                lost.push_str(&format!("{what} {had} to {has} "));
            }
        }
        lost.trim_end().to_owned()
    }
}

fn is_neighbour(artifact: &Artifact) -> bool {
    artifact.path.ends_with(NEIGHBOUR)
}

/// What the report says of the neighbours: always the same, whatever stands beside them.
pub fn neighbours(report: &Report) -> Vec<String> {
    let row = |artifact: &Artifact| {
        let targets: Vec<_> =
            artifact.targets.iter().map(|row| (&row.target_id, row.code_objects, row.kernels)).collect();
        format!("{} bytes {targets:?}", artifact.bytes)
    };
    report.artifacts.iter().filter(|artifact| is_neighbour(artifact)).map(row).collect()
}

/// The bundles of a file by their offsets, each as what is said of its entries.
pub fn bundles(report: &FatbinReport) -> BTreeMap<u64, String> {
    let said = |bundle: &Bundle| {
        let entry = |e: &rocm_audit::report::v1::Entry| {
            let object = e.code_object.as_ref().map(|o| (o.target_id.clone(), o.kernels, o.code_bytes));
            format!("{:?} {} {} {object:?}", e.id, e.bytes, e.content)
        };
        bundle.entries.iter().map(entry).collect::<Vec<_>>().join("; ")
    };
    report.files.iter().flat_map(|file| &file.bundles).map(|b| (b.offset, said(b))).collect()
}
