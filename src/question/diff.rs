//! Compares two trees, or two targets of one tree.

#[cfg(feature = "engines")]
use super::diff_selections::{self, Devices};
use super::{AuditQuestion, Question, Trees};
#[cfg(feature = "engines")]
use crate::answers::Answers;
use crate::asked::AskedCard;
use crate::capability::Capability;
use crate::codeobject::fingerprint::FingerprintCache;
use crate::comparison::audited::AuditedReport;
use crate::comparison::candidates;
use crate::comparison::diff::{ChosenOnBothSides, ComparedSide, diff};
use crate::comparison::instruction_mix::InstructionMix;
use crate::comparison::kernel_table::KernelTable;
use crate::comparison::saved;
use crate::comparison::snapshot::Snapshot;
use crate::error::AuditError;
use crate::report;
use crate::report::v1::DiffReport;
use crate::scan::kernel_sink::KernelFilter;
use crate::scan::run::{self, KernelInventory, Options};
use crate::target::TargetId;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Asks what changed. The trees are the old and the new one, each a tree, a package, a file or a saved
/// report; or one tree for two targets.
#[derive(Debug, Clone, Default)]
pub struct DiffQuestion {
    /// The two targets of one tree; `None` to compare two trees.
    pub targets: Option<[TargetId; 2]>,
    /// If not empty, compares only what these cards load, and the choices on them.
    pub cards: Vec<AskedCard>,
    /// The problems whose choices are compared; `None` compares no choices.
    pub problems: Option<DiffProblems>,
    /// Whether the machine code of kernels is compared as well.
    pub code: bool,
    /// Whether instructions are counted: by processor, class and mnemonic.
    pub instructions: bool,
    /// By how many percent the bytes may grow before that is a regression.
    pub bigger: Option<f64>,
}

/// A list of products, convolutions and attentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffProblems {
    /// The common problems built into this program.
    Reference,
    /// The problems in a file, in the forms that `rocm-audit workload` reads.
    File(PathBuf),
}

/// Where fingerprints of machine code are kept, if any are made, and for which targets; `None` for all.
#[derive(Debug, Clone, Default)]
struct Fingerprints {
    cache: Option<Arc<FingerprintCache>>,
    targets: Option<Vec<TargetId>>,
}

/// A side after reading, with its files if choices are compared.
struct ReadSide<'a> {
    side: ComparedSide<'a>,
    #[cfg(feature = "engines")]
    answers: Option<Answers>,
}

impl DiffQuestion {
    fn read<'a>(
        &self,
        path: &Path,
        shown: &'a str,
        targets: &[TargetId],
        trees: &Trees<'_>,
        fingerprints: Fingerprints,
    ) -> Result<ReadSide<'a>, AuditError> {
        if saved::is_named_so(path) {
            let snapshot = Snapshot::from_report(&match candidates::is_manifest(path) {
                true => AuditedReport::from(&saved::read_manifest(path)?),
                false => saved::read(path, "")?,
            });
            let side = ComparedSide {
                path: shown,
                saved: true,
                snapshot,
                kernels: None,
                instructions: None,
                verdicts: Vec::new(),
                findings: Vec::new(),
            };
            return Ok(ReadSide {
                side,
                #[cfg(feature = "engines")]
                answers: None,
            });
        }
        let mut kernels = KernelTable::default();
        let rows = KernelInventory {
            filter: KernelFilter { targets, as_it_stands: true, ..KernelFilter::default() },
            sink: &mut kernels,
        };
        // Of other targets nothing is compared, so their machine code is not decoded.
        let decoded = if targets.is_empty() { self.loaded() } else { targets.to_vec() };
        let options = Options {
            targets: decoded,
            instructions: self.code || self.instructions,
            fingerprints: fingerprints.cache,
            fingerprints_of: fingerprints.targets,
            ..trees.options().clone()
        };
        #[cfg(feature = "engines")]
        let wanted = self
            .problems
            .as_ref()
            .map(|_| &crate::tree::wanted::is_wanted as &crate::input::install::Wants<'_>);
        #[cfg(not(feature = "engines"))]
        let wanted = None;
        let root = [path.to_path_buf()];
        let (inventory, install) = run::read(&root, &options, trees.progress, Some(rows), wanted)?;
        let report = report::audit(&inventory, &Capability::from_inventory(&inventory, &[]));
        let snapshot = Snapshot::from_report(&AuditedReport::from(&report));
        let is_damage = |id: &str| crate::finding::rules::of_id(id).is_some_and(|rule| rule.is_damage);
        let findings = report.findings.into_iter().filter(|finding| is_damage(&finding.id)).collect();
        #[cfg(not(feature = "engines"))]
        drop(install);
        let verdicts = match self.cards.is_empty() {
            true => Vec::new(),
            false => AuditQuestion::about(self.cards.iter().cloned()).by_tables(&inventory).verdicts,
        };
        let instructions = self.instructions.then(|| InstructionMix::of_inventory(&inventory));
        Ok(ReadSide {
            side: ComparedSide {
                path: shown,
                saved: false,
                snapshot,
                kernels: Some(kernels),
                instructions,
                verdicts,
                findings,
            },
            #[cfg(feature = "engines")]
            answers: wanted.map(|_| Answers::from_install(install)),
        })
    }

    /// What the libraries of both sides choose.
    #[cfg(feature = "engines")]
    fn chosen(&self, old: Option<&Answers>, new: Option<&Answers>) -> Result<ChosenOnBothSides, AuditError> {
        match (&self.problems, old, new) {
            (Some(problems), Some(old), Some(new)) => {
                let file = match problems {
                    DiffProblems::Reference => None,
                    DiffProblems::File(path) => Some(path.as_path()),
                };
                let on = Devices { targets: self.targets.as_ref(), cards: &self.cards };
                diff_selections::compare(&on, file, old, new)
            }
            (Some(_), _, _) => Err(AuditError::Usage(
                "diff: a saved report has no catalogs and databases to choose with; name the tree or package itself".into(),
            )),
            (None, _, _) => Ok(ChosenOnBothSides::default()),
        }
    }

    fn of_trees(&self, old: &Path, new: &Path, trees: &Trees<'_>) -> Result<DiffReport, AuditError> {
        let shown = [old, new].map(|path| path.to_string_lossy().into_owned());
        if candidates::is_manifest(old) != candidates::is_manifest(new) {
            return Err(AuditError::Usage(
                "diff: a manifest is compared with a manifest; make one of the other side: rocm-audit manifest -o FILE.json PATH"
                    .into(),
            ));
        }
        let [shown_old, shown_new] = &shown;
        let (old, new) = match self.code {
            true => {
                // What both sides have is decoded once, and what only the new one can have is not compared.
                let fingerprints = Fingerprints { cache: Some(Arc::default()), targets: None };
                let old = self.read(old, shown_old, &[], trees, fingerprints.clone())?;
                let targets = old.side.kernels.as_ref().map(|kernels| kernels.targets().cloned().collect());
                let new = self.read(new, shown_new, &[], trees, Fingerprints { targets, ..fingerprints })?;
                (old, new)
            }
            false => side_by_side(
                || self.read(old, shown_old, &[], trees, Fingerprints::default()),
                || self.read(new, shown_new, &[], trees, Fingerprints::default()),
            )?,
        };
        #[cfg(feature = "engines")]
        let chosen = self.chosen(old.answers.as_ref(), new.answers.as_ref())?;
        #[cfg(not(feature = "engines"))]
        let chosen = ChosenOnBothSides::default();
        Ok(diff(old.side, new.side, chosen, self.bigger, &self.loaded()))
    }

    fn of_targets(
        &self,
        path: &Path,
        both: &[TargetId; 2],
        trees: &Trees<'_>,
    ) -> Result<DiffReport, AuditError> {
        let named = path.to_string_lossy();
        let shown = both.each_ref().map(|target| format!("{named}: {target}"));
        // Gives both targets one name, so that matching entries are compared.
        let [old, new] = both;
        let name = format!("{old} → {new}");
        let fingerprints = Fingerprints { cache: self.code.then(Arc::default), targets: None };
        let read = self.read(path, &named, both, trees, fingerprints)?;
        let side = |target: &TargetId, shown| ComparedSide {
            path: shown,
            saved: read.side.saved,
            snapshot: read.side.snapshot.clone().of_processor(&target.processor, &name),
            kernels: read.side.kernels.clone().map(|all| all.of_processor(&target.processor, &name)),
            instructions: read
                .side
                .instructions
                .as_ref()
                .map(|all| all.of_processor(&target.processor, &name)),
            verdicts: Vec::new(),
            findings: read.side.findings.clone(),
        };
        #[cfg(feature = "engines")]
        let chosen = self.chosen(read.answers.as_ref(), read.answers.as_ref())?;
        #[cfg(not(feature = "engines"))]
        let chosen = ChosenOnBothSides::default();
        Ok(diff(side(old, &shown[0]), side(new, &shown[1]), chosen, self.bigger, &self.loaded()))
    }

    /// The targets that the cards load code for.
    fn loaded(&self) -> Vec<TargetId> {
        self.cards.iter().map(|card| card.target.clone()).collect()
    }
}

/// Reads both sides at once: where one has a last large file, the other has work for all other cores. Each has
/// threads of its own, so that none that waits for memory of its side takes up work of the other.
fn side_by_side<A: Send, B: Send>(
    old: impl FnOnce() -> Result<A, AuditError> + Send,
    new: impl FnOnce() -> Result<B, AuditError> + Send,
) -> Result<(A, B), AuditError> {
    let threads = rayon::current_num_threads();
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(others) if threads > 1 => std::thread::scope(|scope| {
            let new = scope.spawn(|| others.install(new));
            let old = old();
            let new = new.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok((old?, new?))
        }),
        _ => Ok((old()?, new()?)),
    }
}

impl Question for DiffQuestion {
    type Document = DiffReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<DiffReport, AuditError> {
        // The diff of kernels does not decode code that both sides have twice, so its counts would be too low.
        if self.code && self.instructions {
            return Err(AuditError::Usage(
                "diff: the code of kernels and the numbers of instructions are compared by two calls".into(),
            ));
        }
        match (&self.targets, trees.roots()) {
            (None, [old, new]) => self.of_trees(old, new, trees),
            (Some(both), [path]) => self.of_targets(path, both, trees),
            (None, roots) => Err(AuditError::Usage(format!(
                "diff: two trees are compared, the old and the new one, and {} were named",
                roots.len()
            ))),
            (Some(_), roots) => Err(AuditError::Usage(format!(
                "diff: two targets of one tree are compared, and {} trees were named",
                roots.len()
            ))),
        }
    }
}
