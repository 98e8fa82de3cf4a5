//! Everything about one card: library layers, choices and history.

use super::{Question, Trees};
use crate::answers::Answers;
use crate::answers::model::MULTIPROCESSORS;
use crate::answers::reference::GgmlHere;
use crate::asked::AskedCard;
use crate::capability::Capability;
use crate::engines::miopen::device::Device;
use crate::error::AuditError;
use crate::report::v1::{Claim, SurveyReport};
use crate::report::{self, Surveyed};
use crate::scan::run::Options;
use crate::tree::Tree;

/// Asks what trees do on a card, optionally compared with another card.
#[derive(Debug, Clone)]
pub struct SurveyQuestion {
    /// The card.
    pub card: AskedCard,
    /// Another card or processor.
    pub vs: Option<AskedCard>,
    /// Multiprocessors of the card as HIP counts them; `None` takes the card's own.
    pub multiprocessors: Option<u32>,
    /// The processor that the card claims.
    pub claim: Option<Claim>,
}

impl Question for SurveyQuestion {
    type Document = SurveyReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<SurveyReport, AuditError> {
        let cards = || std::iter::once(&self.card).chain(&self.vs);
        let asked: Vec<_> = cards().map(|card| card.target.clone()).collect();
        let options = Options { targets: asked.clone(), ..trees.options().clone() };
        let Tree { install, inventory } = Tree::read(trees.roots(), &options, trees.progress, None)?;
        let answers = Answers::from_install(install);
        let mut devices = vec![surveyed(&self.card, self.multiprocessors, &answers)];
        devices.extend(self.vs.as_ref().map(|other| surveyed(other, None, &answers)));
        let found = Capability::from_inventory(&inventory, &asked);
        let ggml = answers.ggml().ok().flatten().and_then(GgmlHere::from_library);
        let mut report = report::survey(&inventory, &found, &answers, ggml.as_ref(), &devices)?;
        for (side, card) in report.sides.iter_mut().zip(cards()) {
            card.name_first(&mut side.products);
        }
        report.claim = self.claim.clone();
        Ok(report)
    }
}

/// The device, with the given number of multiprocessors, else the card's own, else the largest that the tree
/// has databases for, else that of the largest card with its processor.
fn surveyed(card: &AskedCard, given: Option<u32>, answers: &Answers) -> Surveyed {
    let known = given.or_else(|| card.multiprocessors());
    let in_tree = || answers.database_units(&card.target.processor).last().copied();
    let assumed = || in_tree().or_else(|| card.most_multiprocessors()).unwrap_or(MULTIPROCESSORS);
    let device = Device { target: card.target.clone(), compute_units: known.unwrap_or_else(assumed) };
    Surveyed { device, is_assumed: known.is_none() }
}
