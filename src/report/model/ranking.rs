//! File types of a model beside each other, by what they cost.

use crate::report::v1::{ModelCard, ModelPhase, ModelRank};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::cmp::Reverse;

/// The file types of each card, the cheapest first; none where no other file type was asked for. Only the
/// first tree counts, so that like is compared with like.
pub(super) fn ranking(cards: &[ModelCard]) -> Vec<ModelRank> {
    let own = || cards.iter().filter(|card| card.beside.is_none());
    if own().all(|card| card.quantization.is_none()) {
        return Vec::new();
    }
    let mut all: Vec<ModelRank> = own().map(rank).collect();
    let places: Vec<String> = own().map(|card| card.target.clone()).collect();
    let place = |target: &String| places.iter().position(|other| other == target);
    all.sort_rows_by_key(|row| {
        let is_fit = row.runs && row.fits != Some(false);
        (
            place(&row.target),
            Reverse(is_fit),
            row.bytes_of_token,
            row.launches_of_token,
            row.launches_of_prefill,
        )
    });
    all
}

fn rank(card: &ModelCard) -> ModelRank {
    let phase = |name: &str| card.phases.iter().find(|phase| phase.phase == name);
    let number = |name: &str, of: &dyn Fn(&ModelPhase) -> u64| phase(name).map_or(0, of);
    let own = |phase: &ModelPhase| -> f64 {
        phase.ways.iter().filter(|way| way.kind == "own-kernel").map(|way| way.flops_share).sum()
    };
    ModelRank {
        target: card.target.clone(),
        quantization: card.quantization.clone(),
        runs: card.verdict.outcome != "does-not-run",
        fits: card.memory.left.map(|left| left >= 0),
        weights: card.memory.weights,
        bytes_of_token: number("decode", &|phase| phase.bytes),
        launches_of_token: number("decode", &|phase| phase.launches),
        flops_of_prefill: number("prefill", &|phase| phase.flops),
        own_share_of_prefill: phase("prefill").map_or(0.0, own),
        launches_of_prefill: number("prefill", &|phase| phase.launches),
        tokens_per_second: phase("decode")
            .and_then(|phase| phase.least.as_ref())
            .map(|least| least.tokens_per_second),
    }
}
