//! The four layers of each target, and their sums.

use super::coverage::{Coverage, CoverageCell, LibraryRow};
use crate::finding::evidence::Evidence;
use crate::inventory::{Artifact, ArtifactKind, Inventory, TargetCode};
use crate::target::{Processor, TargetId};
use rocm_audit_files::key_map::KeyMap;
use std::collections::{BTreeSet, HashMap};

/// One processor.
#[derive(Debug)]
pub struct Target {
    /// `gfx900`.
    pub processor: String,
    /// What the table knows of it; nothing for an unknown one.
    pub known: Option<&'static Processor>,
    /// Its code by target ID.
    pub code: KeyMap<TargetId, TargetCode>,
    /// Of a generic target with kernels: the processors that its code runs on, by LLVM's AMDGPUUsage.
    pub also_runs_on: Vec<&'static str>,
    /// Layer 1: code objects for exactly this processor.
    pub build: Build,
    /// Layer 2: catalogs and databases that name it.
    pub selection: Selection,
    /// Layer 3: what it can use instead.
    pub fallback: Fallback,
    /// Layer 4: files under its name.
    pub ship: Ship,
    /// Whether all that is here for it are the copy and fill kernels that the HSA runtime carries for every
    /// GPU.
    pub runtime_kernels_only: bool,
}

/// Layer 1: code objects for exactly this processor.
#[derive(Debug)]
pub struct Build {
    /// Libraries with at least one kernel for it.
    pub libraries: u64,
    /// All of its code.
    pub code: TargetCode,
}

/// Layer 2: catalogs and databases that name it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Selection {
    /// Tensile catalogs, lazy ones included.
    pub catalogs: u64,
    /// Those that are links to catalogs which count there, too.
    pub linked_catalogs: u64,
    /// Solutions that they list.
    pub solutions: u64,
    /// Lines of MIOpen find-dbs.
    pub find_db_lines: u64,
    /// Lines of MIOpen perf-dbs; of SQLite those of its text form.
    pub perf_db_lines: u64,
    /// Kernels in MIOpen kernel databases.
    pub kernel_db_kernels: u64,
    /// MIOpen models.
    pub models: u64,
}

impl Selection {
    /// Lines of find-dbs and perf-dbs.
    pub fn db_lines(&self) -> u64 {
        self.find_db_lines + self.perf_db_lines
    }

    fn is_empty(&self) -> bool {
        self.catalogs == 0 && self.db_lines() == 0 && self.kernel_db_kernels == 0 && self.models == 0
    }

    fn add(&mut self, kind: &ArtifactKind) {
        match kind {
            ArtifactKind::Tensile(role, facts) if !role.is_code() => {
                if let Some(solutions) = facts.solutions {
                    self.catalogs += 1;
                    self.solutions += solutions;
                }
            }
            ArtifactKind::FindDb(facts) => self.find_db_lines += facts.records.unwrap_or(0),
            ArtifactKind::PerfDb(facts) => self.perf_db_lines += facts.records.unwrap_or(0),
            ArtifactKind::KernelDb(facts) => self.kernel_db_kernels += facts.records.unwrap_or(0),
            ArtifactKind::Model(_) => self.models += 1,
            _ => {}
        }
    }
}

/// Layer 3: what it can use instead.
#[derive(Debug)]
pub struct Fallback {
    /// Tensile fallback files that name it.
    pub code_objects: u64,
    /// Those that are links to files which count there, too.
    pub linked: u64,
    /// Generic targets that it can run and that have kernels here.
    pub generic_targets: BTreeSet<&'static str>,
    /// Libraries that reach it only through those.
    pub libraries_by_generic: u64,
    /// How the generic part is known: the membership is LLVM's.
    pub evidence: Evidence,
}

/// Layer 4: files under its name.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ship {
    /// Files that name it or carry code for it, firmware apart.
    pub files: u64,
    /// Those whose name names it.
    pub named_files: u64,
    /// Bytes of the latter.
    pub bytes: u64,
    /// Firmware files for it, without links.
    pub firmware_files: u64,
}

/// Sums over targets. Files are not summed: one that carries several targets counts for each.
#[derive(Debug, Clone, Copy, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetTotals {
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Kernels that can only trap, of the code objects whose machine code was looked at.
    pub trap_stubs: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Tensile catalogs.
    pub catalogs: u64,
    /// Lines of find-dbs and perf-dbs.
    pub db_lines: u64,
    /// Tensile fallback files.
    pub fallback_code_objects: u64,
}

impl TargetTotals {
    pub(super) fn from_targets(targets: &[Target]) -> Self {
        let mut sum = TargetTotals::default();
        for target in targets {
            sum.code_objects += target.build.code.objects;
            sum.kernels += target.build.code.kernels.count();
            sum.trap_stubs += target.build.code.trap_stubs;
            sum.code_bytes = sum.code_bytes.saturating_add(target.build.code.code_bytes);
            sum.catalogs += target.selection.catalogs.saturating_sub(target.selection.linked_catalogs);
            sum.db_lines += target.selection.db_lines();
            sum.fallback_code_objects += target.fallback.code_objects.saturating_sub(target.fallback.linked);
        }
        sum
    }
}

/// The library that has a few kernels for every GPU that it knows, whatever else is installed.
const RUNTIME: &str = "HSA runtime";

/// What the artifacts of one processor add up to.
#[derive(Default)]
struct LayerCounts {
    code: KeyMap<TargetId, TargetCode>,
    selection: Selection,
    fallback_code_objects: u64,
    linked_fallback_objects: u64,
    ship: Ship,
}

/// The layers of each processor, in one pass over the artifacts.
pub(super) fn targets(
    inventory: &Inventory,
    processors: &[String],
    asked: &[TargetId],
    matrix: &[LibraryRow<'_>],
) -> Vec<Target> {
    let mut counted: HashMap<&str, LayerCounts> =
        processors.iter().map(|p| (p.as_str(), LayerCounts::default())).collect();
    for artifact in &inventory.artifacts {
        count_code(artifact, asked, &mut counted);
        count_files(artifact, &mut counted);
    }
    let target = |(place, processor): (usize, &String)| {
        let cells = matrix.iter().filter_map(|row| row.cells.get(place)).collect::<Vec<_>>();
        let of_others = matrix.iter().filter(|row| row.part.library != RUNTIME);
        let others = of_others.filter_map(|row| row.cells.get(place)).any(|cell| cell.code_objects > 0);
        let mut found = target(processor, counted.remove(processor.as_str()).unwrap_or_default(), &cells);
        found.runtime_kernels_only = !others
            && found.build.code.objects > 0
            && found.selection.is_empty()
            && found.ship.named_files == 0;
        found
    };
    processors.iter().enumerate().map(target).collect()
}

fn count_code(artifact: &Artifact, asked: &[TargetId], counted: &mut HashMap<&str, LayerCounts>) {
    for (target, found) in artifact.device.iter().flat_map(|d| &d.targets) {
        if let Some(counted) =
            counted.get_mut(target.processor.as_str()).filter(|_| target.is_wanted_by(asked))
        {
            counted.code.entry(target.clone()).or_default().merge(found);
        }
    }
}

fn count_files(artifact: &Artifact, counted: &mut HashMap<&str, LayerCounts>) {
    let named = artifact.named_target.as_ref().map(|t| t.processor.as_str());
    let firmware = match artifact.kind {
        ArtifactKind::Firmware { alias, .. } => Some(u64::from(!alias)),
        _ => None,
    };
    // A catalog of everything names no target, and serves those that have a row in it.
    if let ArtifactKind::Tensile(_, facts) = &artifact.kind {
        for (processor, solutions) in &facts.of_processors {
            if let Some(counted) = counted.get_mut(processor.as_str()) {
                counted.selection.catalogs += 1;
                counted.selection.solutions += solutions;
            }
        }
    }
    if let Some(counted) = named.and_then(|named| counted.get_mut(named)) {
        let before = counted.selection.catalogs;
        counted.selection.add(&artifact.kind);
        let is_link = artifact.link_to.is_some();
        if is_link {
            counted.selection.linked_catalogs += counted.selection.catalogs - before;
        }
        if matches!(&artifact.kind, ArtifactKind::Tensile(role, _) if role.is_fallback()) {
            counted.fallback_code_objects += 1;
            counted.linked_fallback_objects += u64::from(is_link);
        }
        match firmware {
            Some(files) => counted.ship.firmware_files += files,
            None => {
                counted.ship.files += 1;
                counted.ship.named_files += 1;
                counted.ship.bytes += artifact.bytes;
            }
        }
    }
    if firmware.is_some() {
        return;
    }
    // Target IDs of one processor stand together.
    let mut last = None;
    for target in artifact.device.iter().flat_map(|d| d.targets.keys()) {
        let processor = Some(target.processor.as_str());
        if processor == last || processor == named {
            continue;
        }
        last = processor;
        if let Some(counted) = counted.get_mut(target.processor.as_str()) {
            counted.ship.files += 1;
        }
    }
}

fn target(processor: &str, counted: LayerCounts, cells: &[&CoverageCell<'_>]) -> Target {
    let mut all = TargetCode::default();
    counted.code.values().for_each(|code| all.merge(code));
    let known = Processor::by_name(processor);
    let generic_targets: BTreeSet<&'static str> = cells.iter().filter_map(|c| c.generic).collect();
    let is_generic = processor.ends_with("-generic") && all.kernels.count() > 0;
    let members = known.iter().filter(|_| is_generic).flat_map(|p| p.members());
    Target {
        processor: processor.to_owned(),
        known,
        also_runs_on: members.map(|member| member.name()).collect(),
        build: Build {
            libraries: cells.iter().filter(|c| c.kernels > c.trap_stubs).count() as u64,
            code: all,
        },
        code: counted.code,
        selection: counted.selection,
        fallback: Fallback {
            code_objects: counted.fallback_code_objects,
            linked: counted.linked_fallback_objects,
            libraries_by_generic: cells.iter().filter(|c| c.coverage == Coverage::Generic).count() as u64,
            evidence: if generic_targets.is_empty() { Evidence::Observed } else { Evidence::Code },
            generic_targets,
        },
        ship: counted.ship,
        runtime_kernels_only: false,
    }
}
