//! What a device's answer comes to, in one sentence.

use super::phase::Phase;
use super::way::WayKind;

/// What becomes of a model on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Something that a phase needs has no code.
    DoesNotRun,
    /// Whether something that a phase needs has code is not known: the library could not be read in full.
    NotKnown,
    /// It runs, and something makes it slow: the host, the CPU, kernels for every target.
    Slow,
    /// It runs, and rocBLAS makes most of it.
    MostlyBlas,
    /// It runs, and rocBLAS makes a part of it.
    PartlyBlas,
    /// It runs through kernels of ggml's.
    OwnKernels,
}

/// An outcome with what decides it.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The outcome.
    pub outcome: Outcome,
    /// The kind of ways that decides.
    pub kind: WayKind,
    /// The phase of which the share is.
    pub phase: &'static str,
    /// Share of that phase's floating-point operations that goes such ways, 0 to 1.
    pub share: f64,
}

impl Outcome {
    /// Its word.
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

/// From which share on a way decides.
const DECIDES: f64 = 0.05;

/// From which share on it makes most of a phase.
const MOST: f64 = 0.5;

/// What phases come to: the worst of them decides. Nothing where there are none, or nothing is computed.
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
    // A prompt is what is computed; of the other phases bytes decide, which ggml's kernels read.
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
