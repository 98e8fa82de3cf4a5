//! Judges a device's answer in one sentence.

use super::phase::Phase;
use super::way::WayKind;

/// How well a model runs on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// A phase needs code that does not exist.
    DoesNotRun,
    /// The library could not be read in full, so it is unknown whether it has code that a phase needs.
    NotKnown,
    /// It runs, but slowly: on the host, on the CPU, or with kernels made for every target.
    Slow,
    /// It runs, and rocBLAS computes most of it.
    MostlyBlas,
    /// It runs, and rocBLAS computes a part of it.
    PartlyBlas,
    /// It runs with ggml's own kernels.
    OwnKernels,
}

/// An outcome and its deciding cause.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// The kind of way that decides the outcome.
    pub kind: WayKind,
    /// The phase that `share` refers to.
    pub phase: &'static str,
    /// Share of that phase's floating-point operations computed in such ways, 0 to 1.
    pub share: f64,
}

impl Outcome {
    /// The outcome as a word in documents.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::DoesNotRun => "does-not-run",
            Outcome::NotKnown => "not-known",
            Outcome::Slow => "slow",
            Outcome::MostlyBlas => "mostly-rocblas",
            Outcome::PartlyBlas => "partly-rocblas",
            Outcome::OwnKernels => "own-kernels",
        }
    }
}

/// Smallest share at which a way decides the outcome.
const DECIDES: f64 = 0.05;

/// Smallest share that counts as most of a phase.
const MOST: f64 = 0.5;

/// The verdict on phases: the worst decides. `None` if there are no phases or nothing is computed.
pub(super) fn verdict(phases: &[Phase]) -> Option<Verdict> {
    const SLOW: [(WayKind, f64); 3] =
        [(WayKind::ExpertLoop, 0.0), (WayKind::Cpu, 0.0), (WayKind::BlasFallback, DECIDES)];
    const BLAS: [WayKind; 3] = [WayKind::BlasTuned, WayKind::Blas, WayKind::BlasFallback];
    let of = |outcome, kind, phase: &Phase, share| Verdict { outcome, kind, phase: phase.name, share };
    let has = |phase: &Phase, kind| phase.ways.iter().any(|(way, _)| way.kind == kind);
    for kind in WayKind::MISSING {
        if let Some(phase) = phases.iter().find(|phase| has(phase, kind)) {
            return Some(of(Outcome::DoesNotRun, kind, phase, phase.share_of(&[kind])));
        }
    }
    if let Some(phase) = phases.iter().find(|phase| has(phase, WayKind::NotKnown)) {
        let share = phase.share_of(&[WayKind::NotKnown]);
        return Some(of(Outcome::NotKnown, WayKind::NotKnown, phase, share));
    }
    for (kind, above) in SLOW {
        let found = phases.iter().find(|phase| has(phase, kind) && phase.share_of(&[kind]) >= above);
        if let Some(phase) = found {
            return Some(of(Outcome::Slow, kind, phase, phase.share_of(&[kind])));
        }
    }
    // A prompt is limited by computation; the other phases are limited by bytes, which ggml's kernels read.
    let prefill = phases.first().filter(|phase| !phase.ways.is_empty())?;
    let share = prefill.share_of(&BLAS);
    let largest = prefill.ways.iter().map(|(way, _)| way.kind).find(|kind| BLAS.contains(kind));
    Some(match largest {
        Some(kind) if share >= MOST => of(Outcome::MostlyBlas, kind, prefill, share),
        Some(kind) if share >= DECIDES => of(Outcome::PartlyBlas, kind, prefill, share),
        _ => {
            let own = prefill.own_share();
            of(Outcome::OwnKernels, WayKind::OwnKernel, prefill, own)
        }
    })
}
