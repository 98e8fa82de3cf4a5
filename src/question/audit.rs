//! The capability report, with the verdicts on cards.

use super::{Question, Trees, claim, overriding};
use crate::asked::AskedCard;
use crate::capability::Capability;
use crate::capability::verdict::WITHOUT_OVERRIDE;
use crate::error::AuditError;
#[cfg(any(feature = "cli", feature = "packages"))]
use crate::input::digest;
use crate::inventory::Inventory;
use crate::report::v1::{Claim, Input, OverrideAnswer, Report, Verdict};
use crate::report::{self, Overriding};
use crate::scan::run::Options;
use crate::target::TargetId;
use std::path::PathBuf;

/// Asks what trees hold, and what that means for cards.
#[derive(Debug, Clone, Default)]
pub struct AuditQuestion {
    /// The cards or targets to give verdicts on; if empty, the report is brief on each processor that the
    /// trees have code for.
    pub cards: Vec<AskedCard>,
    /// The processor that the one card claims, from [`claim::claimed`].
    pub claim: Option<Claim>,
    /// Whether to read roots that are files whole for their SHA-256.
    pub digest: bool,
}

impl AuditQuestion {
    /// Asks for verdicts on cards or targets.
    pub fn about(cards: impl IntoIterator<Item = AskedCard>) -> Self {
        AuditQuestion { cards: cards.into_iter().collect(), ..AuditQuestion::default() }
    }

    /// The targets that the cards load code for.
    fn targets(&self) -> Vec<TargetId> {
        self.cards.iter().map(|card| card.target.clone()).collect()
    }

    /// The run options that this question needs.
    pub fn options(&self, options: Options) -> Options {
        Options { targets: self.targets(), ..options }
    }

    /// Makes the document from what was read with [`AuditQuestion::options`].
    ///
    /// # Errors
    ///
    /// If a file cannot be read again, or the code shows that the claim is not safe.
    pub fn document(&self, inventory: &Inventory, trees: &Trees<'_>) -> Result<Report, AuditError> {
        let mut report = self.by_tables(inventory);
        if self.digest {
            report.inputs = digests(trees.roots())?;
        }
        for verdict in &mut report.verdicts {
            decode_override(verdict, inventory, trees)?;
        }
        report.claim = self.claim.clone().map(|claim| decode_claim(claim, inventory, trees)).transpose()?;
        Ok(report)
    }

    /// The same without decoding code: if the tables of instructions do not decide whether an override is
    /// safe, it stays open.
    pub fn by_tables(&self, inventory: &Inventory) -> Report {
        let mut report = report::audit(inventory, &Capability::from_inventory(inventory, &self.targets()));
        for verdict in &mut report.verdicts {
            let named = self.cards.iter().filter(|card| card.target.processor == verdict.processor);
            named.for_each(|card| card.name_first(&mut verdict.products));
            // A user who has set the variable gets no advice to set it.
            if self.claim.is_some() {
                (verdict.overrides, verdict.with_override, verdict.only_on_windows) = Default::default();
                verdict.without_override.clear();
                if let Some(plain) = verdict.headline.strip_suffix(WITHOUT_OVERRIDE) {
                    verdict.headline = plain.to_owned();
                }
            }
        }
        report.claim.clone_from(&self.claim);
        report
    }
}

impl Question for AuditQuestion {
    type Document = Report;

    fn ask(&self, trees: &Trees<'_>) -> Result<Report, AuditError> {
        let inventory = trees.audited(|options| self.options(options))?;
        self.document(&inventory, trees)
    }
}

/// If the tables of processors do not decide whether the best override is safe, decodes the code it would load;
/// this opens the files with that code again. Where kernels are not set up as they were compiled to be, no
/// instruction makes the override safe, and the code, which can be a hundred million instructions, is not read.
fn decode_override(
    verdict: &mut Verdict,
    inventory: &Inventory,
    trees: &Trees<'_>,
) -> Result<(), AuditError> {
    let Some(best) = verdict.overrides.first_mut().filter(|best| best.answer == OverrideAnswer::NotDecoded)
    else {
        return Ok(());
    };
    let question = Overriding {
        value: &best.value,
        claimed: &TargetId::bare(best.processor.clone()),
        card: &TargetId::bare(verdict.processor.clone()),
    };
    let report = overriding::decided(trees, Some(inventory), &question)?;
    // Screen and JSON both use this judgement. Other fields say that nothing needs the value.
    let judged = report.answer == OverrideAnswer::NotDecoded;
    if judged || report.answer.is_legal() || report.answer.is_unsafe() {
        (best.answer, best.because) = (report.answer, report.because);
        best.is_legal = best.answer.is_legal();
    }
    let mut code = report.libraries;
    code.retain(|library| verdict.with_override.iter().any(|own| own.library == library.part.library));
    best.code = code;
    Ok(())
}

/// Decides the same for an override that counts as set.
fn decode_claim(claim: Claim, inventory: &Inventory, trees: &Trees<'_>) -> Result<Claim, AuditError> {
    let (claimed, card) = (TargetId::bare(claim.claimed.as_str()), TargetId::bare(claim.card.as_str()));
    if !report::needs_decoding(&claimed, &card) {
        return Ok(claim);
    }
    let question = Overriding { value: &claim.value, claimed: &claimed, card: &card };
    let found = overriding::decided(trees, Some(inventory), &question)?;
    let claim = match found.answer.is_legal() || found.answer.is_unsafe() {
        true => Claim { answer: found.answer, because: found.because, ..claim },
        false => claim,
    };
    claim::is_not_refused(&claim, &card)?;
    Ok(claim)
}

/// Computes the digests of roots that are files.
///
/// # Errors
///
/// If one cannot be read.
#[cfg(any(feature = "cli", feature = "packages"))]
pub(super) fn digests(roots: &[PathBuf]) -> Result<Vec<Input>, AuditError> {
    let files = roots.iter().filter(|root| root.is_file());
    let digest = |root: &PathBuf| {
        let (sha256, bytes) = digest::sha256(root)?;
        Ok(Input { path: root.to_string_lossy().into_owned(), bytes, sha256 })
    };
    files.map(digest).collect()
}

/// Fails: this build has no SHA-256, so the report cannot contain the digest that the caller wants.
#[cfg(not(any(feature = "cli", feature = "packages")))]
pub(super) fn digests(_: &[PathBuf]) -> Result<Vec<Input>, AuditError> {
    Err(AuditError::Usage("digests: this build has no SHA-256; the feature `packages` has it".into()))
}
