//! What the facts of an inventory mean for each target and library, with all sums.
//!
//! A target is reported in four layers: *build* (code objects for it), *selection* (catalogs and databases
//! that name it), *fallback* (what it can use instead), *ship* (files under its name). Each is only what
//! bytes show.

mod agreement;
pub mod answer;
pub mod caches;
mod code_limits;
pub mod coverage;
mod device_package;
pub mod findings;
mod from_sources;
pub mod gemm;
pub mod headline;
pub mod instructions;
pub mod layers;
pub mod library_part;
mod library_verdict;
pub mod linked_with;
pub(crate) mod linking;
mod miopen_release;
pub mod mixed_host;
#[cfg(feature = "engines")]
mod model_files;
pub mod needs;
pub mod overriding;
mod package_sets;
pub mod requirement;
mod run_time;
pub mod shipped;
pub mod slim;
pub mod summary;
pub mod tensile_chain;
mod tensile_verdict;
mod variant_choice;
pub mod variants;
pub mod verdict;
pub mod waste;
mod without_kernels;

use crate::finding::Finding;
use crate::inventory::{ArtifactKind, Inventory};
pub use crate::scan::library_names::{Role, compiles_at_run_time};
use crate::target::TargetId;
use coverage::{LibraryRow, TargetCoverage};
use gemm::GemmRow;
use instructions::LibraryCode;
use layers::{Target, TargetTotals};
use library_part::LibraryParts;
use mixed_host::Consequence;
use shipped::Shipped;
use std::collections::BTreeSet;
use summary::{DeviceBytes, NotExamined, Summary, UncountedFiles};
use tensile_chain::CheckedFolder;
use verdict::Verdict;
use waste::Waste;

/// What is not looked at without `--caches`.
pub const NO_CACHES: &str = "Caches and databases in home directories, and environment variables, were not read (--caches reads them).";

/// What bytes alone cannot show; printed with every report.
pub const NOT_SHOWN: [&str; 4] = [
    "A kernel that is shipped, or named by a catalog or database, is not always used. Nothing was run on a GPU.",
    "Kernels compiled at run time (hiprtc, rocFFT, MIOpen, Triton, SPIR-V) are not in these files.",
    NO_CACHES,
    "Bytes do not show whether code is correct or fast.",
];

/// What an inventory can do, for all processors found, or, where some are asked for, for those, found or not.
#[derive(Debug)]
pub struct Capability<'a> {
    /// Target IDs that were asked for.
    pub asked: &'a [TargetId],
    /// False where something could not be read.
    pub complete: bool,
    /// Sums over all files, whatever was asked for.
    pub summary: Summary,
    /// One for each processor, in the order of the processor table.
    pub targets: Vec<Target>,
    /// Sums over `targets`.
    pub totals: TargetTotals,
    /// Library × processor, each row with a cell for each of `targets`.
    pub matrix: Vec<LibraryRow<'a>>,
    /// For each processor that was asked for, which libraries cover it how.
    pub answers: Vec<TargetCoverage<'a>>,
    /// For each processor that was asked for, or else for each of `targets` but those of the runtime alone:
    /// what runs on it and what does not.
    pub verdicts: Vec<Verdict<'a>>,
    /// What follows where GPUs of all processors that were asked for are in one host.
    pub mixed_host: Vec<Consequence>,
    /// Library × processor: what the decoded machine code is made of.
    pub code: Vec<LibraryCode<'a>>,
    /// Matrix products: library folder × processor.
    pub gemm: Vec<GemmRow<'a>>,
    /// Tensile library folders, each checked from its master catalogs to the kernels.
    pub folders: Vec<CheckedFolder<'a>>,
    /// What is shipped besides code, counted kind by kind.
    pub shipped: Shipped<'a>,
    /// Where the bytes of the code objects are.
    pub device_bytes: DeviceBytes,
    /// Bytes that are there and need not be.
    pub waste: Waste<'a>,
    /// What was compiled or measured at run time and kept.
    pub caches: Vec<caches::Cache>,
    /// What could not be read, and what else is worth saying, the worst first.
    pub findings: Vec<Finding>,
    /// Files that carry nothing counted, by format.
    pub remainder: Vec<UncountedFiles>,
    /// What was seen and not looked into.
    pub not_examined: Vec<NotExamined<'a>>,
}

impl<'a> Capability<'a> {
    /// Concludes from an inventory.
    pub fn from_inventory(inventory: &'a Inventory, asked: &'a [TargetId]) -> Self {
        let processors = if asked.is_empty() { processors(inventory) } else { in_order(asked) };
        let wanted = |processor: Option<&str>| {
            asked.is_empty() || processor.is_some_and(|p| processors.iter().any(|wanted| wanted == p))
        };
        let parts = LibraryParts::from_inventory(inventory);
        let folders = tensile_chain::folders(inventory, &parts, asked);
        let matrix = coverage::matrix(&inventory.artifacts, &parts, &folders, &processors, asked);
        let targets = layers::targets(inventory, &processors, asked, &matrix);
        let remainder = summary::remainder(inventory);
        let waste = Waste::from_inventory(inventory);
        let caches = caches::find_caches(inventory);
        let findings = findings::of_inventory(inventory, &folders, &waste, &caches);
        let gemm = gemm::gemm_rows(&folders, &wanted);
        let verdicts = verdict::verdicts(inventory, &parts, asked, &targets, &matrix, &gemm);
        Capability {
            mixed_host: if asked.is_empty() { Vec::new() } else { mixed_host::consequences(&verdicts) },
            verdicts,
            asked,
            complete: !findings.iter().any(Finding::is_damage),
            summary: Summary::from_inventory(inventory, &remainder),
            totals: TargetTotals::from_targets(&targets),
            targets,
            answers: coverage::answers(asked, &processors, &matrix),
            matrix,
            code: instructions::of_libraries(inventory, &parts, &processors, asked),
            gemm,
            folders,
            shipped: Shipped::in_inventory(inventory, &wanted),
            device_bytes: DeviceBytes::from_inventory(inventory, asked),
            findings,
            waste,
            caches,
            not_examined: summary::not_examined(inventory, &remainder),
            remainder,
        }
    }
}

/// Every processor that code or a file name names, in the order of the table.
fn processors(inventory: &Inventory) -> Vec<String> {
    let mut found: BTreeSet<TargetId> = BTreeSet::new();
    let mut add = |processor: &str| {
        let id = TargetId::bare(processor);
        if !found.contains(&id) {
            found.insert(id);
        }
    };
    for artifact in &inventory.artifacts {
        let in_code = artifact.device.iter().flat_map(|d| d.targets.keys());
        // Firmware of a chip is no sign that anything here is for it: a firmware package names every chip.
        let firmware = matches!(artifact.kind, ArtifactKind::Firmware { .. });
        let in_name = artifact.named_target.iter().filter(|_| !firmware);
        in_code.chain(in_name).for_each(|target| add(&target.processor));
        let mut ids = artifact.device.iter().flat_map(|d| d.entries.keys());
        if ids.any(|id| id.ends_with(coverage::SPIRV_PROCESSOR)) {
            add(coverage::SPIRV_PROCESSOR);
        }
    }
    found.into_iter().map(|target| target.processor).collect()
}

/// Processors of target IDs, each once, in the order of the table.
fn in_order(asked: &[TargetId]) -> Vec<String> {
    let all: BTreeSet<TargetId> = asked.iter().map(|t| TargetId::bare(t.processor.clone())).collect();
    all.into_iter().map(|t| t.processor).collect()
}
