//! Checks that the program does not contradict itself: compares, claim by claim, what the verdict, `check`,
//! the tables of library folders, the check of library folders and the selectors each say about one tree.

use super::Answers;
use super::convolution::ConvolutionQuestion;
use crate::capability::Capability;
use crate::capability::coverage::Coverage;
use crate::capability::requirement::{self, Required};
use crate::capability::shipped::DatabaseKind;
use crate::capability::tensile_chain::ChainState;
use crate::capability::verdict::Answer;
use crate::diagnosis::{self, Decision};
use crate::engines::miopen::device::Device;
use crate::engines::miopen::problem::ConvolutionProblem;
use crate::engines::tensile::call::{GemmCall, Transpose};
use crate::engines::tensile::consistency::{self, FolderOwner};
use crate::engines::tensile::coverage::{GemmService, Operation};
use crate::engines::tensile::library::{INTERNAL_ERROR, NOT_IMPLEMENTED, SUCCESS};
use crate::engines::tensile::lite::answer::MatmulAnswer;
use crate::engines::tensile::lite::call::MatmulCall;
use crate::error::{AuditError, Unanswered};
use crate::finding::severity::Severity;
use crate::inventory::Inventory;
use crate::locator::file_name;
use crate::messages::recognise;
use crate::target::TargetId;
use crate::tree::Tree;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;

/// What a claim is about: a library (with its folder if the library has several), a target, and the operation
/// if the claim is about one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    /// The processor the claim is for.
    pub processor: String,
    /// The library; its folder is part of the name if it has several.
    pub library: String,
    /// Type and transpositions of a matrix product; empty if the claim is about the whole library.
    pub operation: String,
}

/// How good one claim says the support is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupportLevel {
    /// Higher is better; `None` if the claim says that it does not know.
    pub rank: Option<usize>,
    /// Files reported as incomplete. When one of them disappears, the rest may rightly be called better.
    pub lacking: BTreeSet<String>,
}

/// All claims about a tree, and which of them contradict each other.
#[derive(Debug, Default)]
pub struct Agreement {
    /// Number of pairs of claims that were compared.
    pub compared: u64,
    /// The contradictions, one sentence each.
    pub contradictions: Vec<String>,
    /// Every claim with its standing.
    pub claims: KeyMap<Claim, SupportLevel>,
}

/// Sizes of the matrix products to select: round, odd and flat ones.
const SIZES: [[u64; 3]; 5] =
    [[512, 512, 512], [4096, 512, 4096], [33, 17, 29], [128, 1, 64], [1024, 1024, 32]];

/// A count larger than any table has, so that the list is filled from all catalogs of the operation.
const FILLED: usize = 1024;

/// Multiprocessors assumed for every device.
const MULTIPROCESSORS: u32 = 60;

impl Agreement {
    /// Gathers the claims of a tree and compares them.
    ///
    /// # Errors
    /// If the crate's own rules are malformed.
    pub fn compare_claims(tree: Tree) -> Result<Self, AuditError> {
        let Tree { install, inventory } = tree;
        let answers = Answers::from_install(install);
        let all = Capability::from_inventory(&inventory, &[]);
        let asked: Vec<TargetId> =
            all.targets.iter().map(|target| TargetId::bare(target.processor.clone())).collect();
        let found = Capability::from_inventory(&inventory, &asked);
        let mut agreement = Agreement::default();
        agreement.verdicts(&found, &asked);
        agreement.folders(&found, &answers);
        agreement.products(&found, &answers);
        agreement.lite_products(&found, &answers);
        agreement.convolutions(&found, &answers);
        agreement.ggml(&found, &answers);
        agreement.diagnoses(&found, &inventory);
        Ok(agreement)
    }

    /// Sentences about claims that are better in `after` than in `before`; `after` is the same tree with the
    /// file `changed` removed or damaged.
    pub fn better<'a>(
        before: &'a Self,
        after: &'a Self,
        changed: &'a str,
    ) -> impl Iterator<Item = String> + 'a {
        after.claims.iter().filter_map(move |(claim, now)| {
            let then = before.claims.get(claim)?;
            let is_better = match (then.rank, now.rank) {
                (Some(then), Some(now)) => now > then,
                // An unknown answer can become a known one only when files are added.
                (None, Some(now)) => now > 0,
                (_, None) => false,
            };
            let is_named = then.lacking.iter().any(|path| path.ends_with(changed));
            let Claim { processor, library, operation } = claim;
            (is_better && !is_named).then(|| {
                format!(
                    "{processor} {library} {operation}: {:?} before, {:?} without {changed}",
                    then.rank, now.rank
                )
            })
        })
    }

    fn compare(&mut self, agrees: bool, what: impl FnOnce() -> String) {
        self.compared += 1;
        if !agrees {
            self.contradictions.push(what());
        }
    }

    fn claim(&mut self, names: [&str; 3], rank: Option<usize>, lacking: BTreeSet<String>) {
        let [processor, library, operation] = names.map(str::to_owned);
        self.claims.insert(Claim { processor, library, operation }, SupportLevel { rank, lacking });
    }

    /// Adds the verdict on each library and the result of `check` for it.
    fn verdicts(&mut self, found: &Capability<'_>, asked: &[TargetId]) {
        let required =
            Required { targets: asked, libraries: &[], per_file: false, before: &[], ignores: &[] };
        let requirements = requirement::check(found, &required);
        for verdict in &found.verdicts {
            for library in &verdict.libraries {
                let own: Vec<_> = requirements
                    .iter()
                    .filter(|row| row.processor == verdict.processor && row.library == library.library)
                    .filter(|row| row.place == library.place || row.place.is_none())
                    .collect();
                let name = format!("{} {}", library.library, library.place.unwrap_or_default());
                let lacking =
                    own.iter().flat_map(|row| &row.lacking).map(|path| (*path).to_owned()).collect();
                let rank = match library.answer {
                    Answer::Unknown => None,
                    answer => Some(usize::from(answer != Answer::Not) + usize::from(answer == Answer::Runs)),
                };
                self.claim([&verdict.processor, &name, ""], rank, lacking);
                if own.is_empty() {
                    continue;
                }
                let is_met = own.iter().all(|row| row.is_met);
                let agrees = match library.answer {
                    Answer::Not => !is_met,
                    // A damaged library is unknown, whatever the rest of it contains.
                    Answer::Unknown => true,
                    Answer::Runs => is_met,
                    _ => true,
                };
                self.compare(agrees, || {
                    let (answer, processor) = (library.answer, &verdict.processor);
                    format!("{processor} {name}: the verdict is {answer:?}, and check says {is_met}")
                });
            }
        }
    }

    /// Adds the result of the check of library folders alone, and the report's matrix.
    fn folders(&mut self, found: &Capability<'_>, answers: &Answers) {
        for folder in &answers.facts().tensile_folders {
            let Ok(checked) = consistency::check(&folder.folder, folder.owner, &[]) else { continue };
            let path = checked.folder.to_string_lossy().replace('\\', "/");
            for (place, target) in found.targets.iter().enumerate() {
                let is_error = |finding: &&crate::finding::Finding| {
                    finding.rule.severity == Severity::Error
                        && finding
                            .target
                            .as_deref()
                            .is_some_and(|own| own.split(':').next() == Some(target.processor.as_str()))
                };
                let first = checked.findings.iter().find(is_error);
                let own = found.folders.iter().filter(|own| path.ends_with(own.folder));
                let Some(own) = own.max_by_key(|own| own.folder.len()) else { continue };
                let state = own.state(&target.processor, &[]);
                let is_broken = matches!(state, Some(ChainState::Broken(..) | ChainState::NoMaster(_)));
                // A folder with code and no catalogs is part of a package, so it allows no claim about what a
                // library would do.
                let is_part = state == Some(ChainState::NoCatalogs);
                // A missing hipBLASLt catalog for a target is only a note: other files may serve the target.
                let is_lite =
                    folder.owner == FolderOwner::HipBlasLt && matches!(state, Some(ChainState::NoMaster(_)));
                let is_warned =
                    checked.findings.iter().any(|finding| finding.rule.id == "helper-kernel-missing");
                let agrees =
                    first.is_some() == is_broken || is_part || is_lite || first.is_none() && is_warned;
                self.compare(agrees, || {
                    let rule = first.map_or("consistent", |finding| finding.rule.id);
                    format!("{path}: {rule} for {}, and the report says {state:?}", target.processor)
                });
                // The selector uses the first of several folders.
                let is_first = found
                    .folders
                    .iter()
                    .find(|other| other.part == own.part)
                    .is_some_and(|f| f.folder == own.folder);
                let row = found.matrix.iter().find(|row| row.part == own.part).filter(|_| is_first);
                let Some(cell) = row.and_then(|row| row.cells.get(place)) else { continue };
                let is_whole = matches!(cell.coverage, Coverage::Native | Coverage::FallbackOnly);
                self.compare(!(first.is_some() && is_whole), || {
                    let rule = first.map_or("", |finding| finding.rule.id);
                    format!(
                        "{path}: {rule} for {}, and the report says {:?}",
                        target.processor, cell.coverage
                    )
                });
            }
        }
    }

    /// Adds each operation in the tables of library folders, and what the selector does with calls of it.
    fn products(&mut self, found: &Capability<'_>, answers: &Answers) {
        for row in &found.gemm {
            for (operation, served) in &row.coverage.served {
                let text = format!("{} {}", operation.type_name, operation.transposes);
                let rank = GemmService::ALL.iter().rev().position(|known| known == served);
                let rank = if served.is_broken() { Some(0) } else { rank };
                self.claim(
                    [&row.processor, &format!("{} {}", row.library, row.folder), &text],
                    rank,
                    BTreeSet::new(),
                );
                let several =
                    found.gemm.iter().filter(|o| o.library == row.library && o.processor == row.processor);
                if row.library != "rocBLAS" || several.count() > 1 {
                    continue;
                }
                let devices = devices(&row.processor, answers);
                let calls = devices.iter().map(|device| calls(device, operation));
                let Some(calls) = calls.collect::<Option<Vec<_>>>() else { continue };
                let calls: Vec<GemmCall> = calls.into_iter().flatten().collect();
                let answered: Vec<Result<(i32, bool), Unanswered>> = calls
                    .iter()
                    .map(|call| {
                        let answer = answers.gemm(call).map_err(|error| error.to_string())?;
                        Ok((answer.status, answer.fallback))
                    })
                    .collect();
                let all = |wanted: &dyn Fn(i32, bool) -> bool| {
                    answered
                        .iter()
                        .all(|answer| answer.as_ref().is_ok_and(|(status, own)| wanted(*status, *own)))
                };
                let agrees = match served {
                    GemmService::Tuned => {
                        let own = |one: &Result<(i32, bool), Unanswered>| {
                            one.as_ref().is_ok_and(|(_, fallback)| !fallback)
                        };
                        all(&|status, _| matches!(status, SUCCESS | NOT_IMPLEMENTED))
                            && answered.iter().any(own)
                    }
                    GemmService::Fallback | GemmService::TunedForArrays => {
                        all(&|status, fallback| status == SUCCESS && fallback)
                    }
                    GemmService::None => all(&|status, _| status == NOT_IMPLEMENTED),
                    GemmService::Fails => !all(&|status, _| status == SUCCESS),
                    // The selector decides which sizes fail.
                    GemmService::SomeFail => true,
                    GemmService::Missing => {
                        answered.iter().any(Result::is_err) || !all(&|status, _| status == INTERNAL_ERROR)
                    }
                };
                self.compare(agrees, || {
                    format!(
                        "{} {text} in {}: {served:?}, and the selector says {answered:?}",
                        row.processor, row.folder
                    )
                });
            }
        }
    }

    /// Adds each operation in hipBLASLt's folder, and what the selector does with calls of it.
    fn lite_products(&mut self, found: &Capability<'_>, answers: &Answers) {
        let rows = || found.gemm.iter().filter(|row| row.library == FolderOwner::HipBlasLt.name());
        for row in rows() {
            // The selector uses the first of several folders.
            if rows().filter(|other| other.processor == row.processor).count() > 1 {
                continue;
            }
            // The selector cannot read catalogs of an unknown form, so there are no choices to compare.
            if answers.hipblaslt(&row.processor).is_err() {
                continue;
            }
            for (operation, served) in &row.coverage.served {
                let target = TargetId::bare(row.processor.clone());
                let Some(calls) = calls(&target, operation) else { continue };
                let calls: Vec<MatmulCall> =
                    calls.iter().filter_map(|call| MatmulCall::of_gemm(call).ok()).collect();
                if calls.is_empty() {
                    continue;
                }
                let answered: Vec<Result<MatmulAnswer, Unanswered>> = calls
                    .iter()
                    .map(|call| answers.matmul(call).map_err(|error| error.to_string().into()))
                    .collect();
                let runs = |one: &Result<MatmulAnswer, Unanswered>| {
                    one.as_ref().is_ok_and(|answer| {
                        answer.returned > 0
                            && answer.missing.is_none()
                            && answer.run_status.is_none_or(|s| s == 0)
                    })
                };
                // A choice that no rule decides cannot contradict anything.
                let is_open = |one: &Result<MatmulAnswer, Unanswered>| {
                    one.as_ref().is_ok_and(|answer| answer.undecided.is_some())
                };
                let agrees = match served {
                    GemmService::Tuned | GemmService::TunedForArrays | GemmService::Fallback => {
                        answered.iter().any(|one| runs(one) || is_open(one))
                    }
                    GemmService::None => !answered.iter().any(runs),
                    // hipBLASLt reads the catalogs of grouped products and gradients only when it fills up
                    // the list of algorithms.
                    GemmService::Missing => !calls.iter().all(|call| {
                        let long = MatmulCall { requested: FILLED, ..call.clone() };
                        let answer = answers.matmul(&long).map_err(|error| error.to_string().into());
                        runs(&answer) && answer.is_ok_and(|answer| answer.lost.is_empty())
                    }),
                    GemmService::Fails => !answered.iter().all(runs),
                    GemmService::SomeFail => true,
                };
                self.compare(agrees, || {
                    let shown: Vec<String> = answered
                        .iter()
                        .map(|one| match one {
                            Ok(answer) => {
                                format!("{} returned, missing {:?}", answer.returned, answer.missing)
                            }
                            Err(what) => what.to_string(),
                        })
                        .collect();
                    let Operation { type_name, transposes } = operation;
                    format!(
                        "{} {type_name} {transposes} in {}: {served:?}, and the selector says {shown:?}",
                        row.processor, row.folder
                    )
                });
            }
        }
    }

    /// Adds each find-db whose lines the report counts, and whether the selector finds its first line.
    fn convolutions(&mut self, found: &Capability<'_>, answers: &Answers) {
        for row in found.shipped.miopen.rows.iter().filter(|row| row.kind == DatabaseKind::FindDb) {
            let (Some(compute_units), Some(1..)) = (row.facts.compute_units, row.facts.records) else {
                continue;
            };
            let device = Device { target: TargetId::bare(row.processor), compute_units };
            let asked = ConvolutionQuestion::usual(String::new(), device);
            let Ok(files) = answers.find_dbs(&asked, None) else { continue };
            // The selector uses one folder and ignores databases in others.
            let Some(file) = files.system.as_ref().filter(|file| {
                file.path().to_string_lossy().ends_with(file_name(row.path)) || row.path.contains('!')
            }) else {
                continue;
            };
            let first = file.bytes().split(|byte| *byte == b'\n').find_map(|line| {
                let key = std::str::from_utf8(line).ok()?.split_once('=')?.0;
                ConvolutionProblem::parse(key).is_ok().then(|| key.to_owned())
            });
            let Some(key) = first else { continue };
            let asked = ConvolutionQuestion { key: key.clone(), ..asked };
            let recorded = answers.selection(&asked, &files).map(|(_, selection)| selection.recorded.len());
            self.compare(recorded.as_ref().is_ok_and(|count| *count > 0), || {
                format!("{}: it has a line for {key}, and the selector finds {recorded:?}", row.path)
            });
        }
    }

    /// Adds what `explain` says about rocBLAS's error "no master catalog", and the states of rocBLAS's
    /// folders.
    fn diagnoses(&mut self, found: &Capability<'_>, inventory: &Inventory) {
        for target in &found.targets {
            let processor = &target.processor;
            let own = found.folders.iter().filter(|folder| folder.part.library == "rocBLAS");
            let states: Vec<ChainState> = own.filter_map(|folder| folder.state(processor, &[])).collect();
            let text = format!(
                "rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU arch : {processor}"
            );
            let log = recognise::recognise(text.as_bytes());
            let said =
                diagnosis::of_inventory(&log, inventory, &[TargetId::bare(processor.clone())], Vec::new());
            let Some(decision) = said.tree.map(|tree| tree.decision).filter(|_| !states.is_empty()) else {
                continue;
            };
            let is_without = |state: &ChainState| matches!(state, ChainState::NoMaster(_));
            let is_with = |state: &ChainState| !is_without(state) && *state != ChainState::NoCatalogs;
            let agrees = match decision {
                Decision::Confirmed => !states.iter().any(is_with),
                Decision::NotTheFiles => !states.iter().all(is_without),
                Decision::NotDecided => true,
            };
            self.compare(agrees, || {
                format!("{processor}: rocBLAS's folders are {states:?}, and explain says {decision:?}")
            });
        }
    }

    /// Adds ggml's library: its targets for `select` and `model`, and the matrix.
    fn ggml(&mut self, found: &Capability<'_>, answers: &Answers) {
        let Ok(Some(library)) = answers.ggml() else { return };
        for (place, target) in found.targets.iter().enumerate() {
            let Some(row) = found.matrix.iter().find(|row| row.part.library == "ggml") else { continue };
            let Some(cell) = row.cells.get(place) else { continue };
            let has = library.index(&TargetId::bare(target.processor.clone())).is_some();
            let says = cell.code_objects > 0 || cell.coverage == Coverage::Generic;
            self.compare(has == says || !found.complete, || {
                format!(
                    "{}: ggml's own library has it: {has}; the report: {:?}",
                    target.processor, cell.coverage
                )
            });
        }
    }
}

/// The devices of a processor whose files may differ: one for each state of XNACK that files exist for.
fn devices(processor: &str, answers: &Answers) -> Vec<TargetId> {
    let folder = answers.facts().rocblas_folders().next();
    let names = folder.map(|folder| folder.folder.names()).unwrap_or_default();
    let signed = format!("{processor}-xnack");
    let bare = TargetId::bare(processor);
    match names.iter().any(|name| name.contains(&signed)) {
        true => [false, true].map(|xnack| TargetId { xnack: Some(xnack), ..bare.clone() }).into(),
        false => vec![bare],
    }
}

/// Calls of one operation of rocBLAS; `None` for types that no public function accepts under one name.
fn calls(target: &TargetId, operation: &Operation) -> Option<Vec<GemmCall>> {
    let ty = match operation.type_name.as_str() {
        own @ ("SS" | "DD" | "HH" | "CC" | "ZZ") => own,
        "HH_HPA" => "HHS",
        "HS_HPA" => "HSS",
        "BB_HPA" => "BBS",
        "BS_HPA" => "BSS",
        "I8I_HPA" => "I8I",
        _ => return None,
    };
    let mut letters = operation.transposes.chars().map(|letter| match letter {
        'N' => Some(Transpose::N),
        'T' => Some(Transpose::T),
        'C' => Some(Transpose::C),
        _ => None,
    });
    let transposes = [letters.next()??, letters.next()??];
    Some(SIZES.iter().map(|sizes| GemmCall::new(target, MULTIPROCESSORS, ty, transposes, *sizes)).collect())
}
