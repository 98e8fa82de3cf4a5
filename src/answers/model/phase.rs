//! The phases of a model's use: what each computes, and by which ways.

use super::Usage;
use super::way::{Way, WayKind};
use crate::engines::ggml::Kernel;
use crate::engines::ggml::presence::Presence;
use crate::engines::model::beside::Launches;
use crate::engines::model::launch::{Call, Step};
use crate::engines::model::operation::{Batch, Operation};
use std::collections::BTreeMap;

/// A part of a model's use.
#[derive(Debug, Clone)]
pub struct Phase {
    /// `prefill`, `decode` or `batch`.
    pub name: &'static str,
    /// What is computed, one after the other.
    pub batches: Vec<Batch>,
    /// Floating-point operations.
    pub flops: u128,
    /// Bytes of weights, keys and values that are read.
    pub bytes: u128,
    /// All launches: calls of BLAS as one each.
    pub launches: u64,
    /// Of them those that stand between products, by templates.
    pub between: Launches,
    /// Launches of each batch.
    pub per_ubatch: Vec<u64>,
    /// The ways, the largest share of what bounds the phase first.
    pub ways: Vec<(Way, Share)>,
    /// Equal operations as one, in the model's order.
    pub rows: Vec<Row>,
}

/// What goes a way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Floating-point operations.
    pub flops: u128,
    /// Bytes that are read.
    pub bytes: u128,
    /// Launches.
    pub launches: u64,
    /// Operations.
    pub operations: u64,
}

/// Equal operations.
#[derive(Debug, Clone)]
pub struct Row {
    /// The first of them.
    pub operation: Operation,
    /// How many there are in all batches.
    pub count: u64,
    /// The blocks that have them, the first of each batch only.
    pub blocks: Vec<u64>,
    /// How each is made.
    pub step: Step,
    /// The way.
    pub way: Way,
    /// The kernels that are launched, and what the library has of them.
    pub kernels: Vec<RowKernel>,
    /// The calls of BLAS, and what rocBLAS chooses.
    pub calls: Vec<(Call, Option<Choice>)>,
}

/// A kernel of a row.
#[derive(Debug, Clone)]
pub struct RowKernel {
    /// The kernel.
    pub kernel: Kernel,
    /// Its mangled name, where the library has it.
    pub symbol: Option<String>,
    /// Whether the library has it; nothing without a library.
    pub presence: Option<Presence>,
}

/// What rocBLAS chooses for a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The kernel; none where no solution takes the call.
    pub kernel: Option<String>,
    /// Whether it is one for every target.
    pub fallback: bool,
    /// Distance from the tuned size, where a table was asked.
    pub distance: Option<f64>,
}

impl Choice {
    /// No kernel.
    pub const NOTHING: Choice = Choice { kernel: None, fallback: false, distance: None };
}

impl Row {
    /// Launches of one of them, with what is launched beside it.
    pub fn launches(&self) -> u64 {
        self.step.count().saturating_add(self.step.beside.count())
    }
}

impl Phase {
    /// The share of the floating-point operations that ways of some kinds make, 0 to 1.
    pub fn share_of(&self, kinds: &[WayKind]) -> f64 {
        let of_kinds = self.ways.iter().filter(|(way, _)| kinds.contains(&way.kind));
        ratio(of_kinds.map(|(_, share)| share.flops).sum(), self.flops)
    }

    /// The share of the floating-point operations that ggml's own kernels make, 0 to 1.
    pub fn own_share(&self) -> f64 {
        self.share_of(&[WayKind::OwnKernel])
    }

    /// Whether code is missing for a part.
    pub fn cannot_run(&self) -> bool {
        self.ways.iter().any(|(way, _)| WayKind::MISSING.contains(&way.kind))
    }

    /// Whether the host loops over experts.
    pub fn has_loop(&self) -> bool {
        self.ways.iter().any(|(way, _)| way.kind == WayKind::ExpertLoop)
    }
}

/// A part of a whole, 0 where the whole is nothing.
pub fn ratio(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The phases of a use.
pub(super) fn batches(usage: &Usage, encoder: bool) -> Vec<(&'static str, Vec<Batch>)> {
    let (prompt, ubatch) = (usage.prompt.max(1), usage.ubatch.max(1));
    let mut prefill = Vec::new();
    let mut done = 0;
    while done < prompt && prefill.len() < UBATCHES_OF_A_PROMPT {
        let tokens = ubatch.min(prompt - done);
        done += tokens;
        let outputs = u64::from(done == prompt);
        prefill.push(Batch { tokens, sequences: 1, outputs, position: done, begins: done == tokens });
    }
    let mut all = vec![("prefill", prefill)];
    if !encoder {
        let next = |sequences| Batch {
            tokens: 1,
            sequences,
            outputs: sequences,
            position: prompt.saturating_add(1),
            begins: false,
        };
        all.push(("decode", vec![next(1)]));
        if usage.sequences > 1 {
            all.push(("batch", vec![next(usage.sequences)]));
        }
    }
    all
}

/// Batches of a prompt that are looked at; the command line allows no more.
pub const UBATCHES_OF_A_PROMPT: usize = 1024;

pub(super) fn summed(
    name: &'static str,
    batches: Vec<Batch>,
    rows: Vec<Row>,
    (between, per_ubatch): (Launches, Vec<u64>),
) -> Phase {
    let mut ways: BTreeMap<Way, Share> = BTreeMap::new();
    let (mut flops, mut bytes, mut launches) = (0_u128, 0_u128, between.count());
    for row in &rows {
        let share = ways.entry(row.way.clone()).or_default();
        let times = u128::from(row.count);
        let row_flops = row.operation.product.flops().saturating_mul(times);
        let row_bytes = row.operation.product.bytes().saturating_mul(times);
        let row_launches = row.launches().saturating_mul(row.count);
        share.flops = share.flops.saturating_add(row_flops);
        share.bytes = share.bytes.saturating_add(row_bytes);
        share.launches = share.launches.saturating_add(row_launches);
        share.operations += row.count;
        flops = flops.saturating_add(row_flops);
        bytes = bytes.saturating_add(row_bytes);
        launches = launches.saturating_add(row_launches);
    }
    let mut ways: Vec<(Way, Share)> = ways.into_iter().collect();
    let by_bytes = name != "prefill";
    ways.sort_by_key(|(_, share)| std::cmp::Reverse(if by_bytes { share.bytes } else { share.flops }));
    Phase { name, batches, flops, bytes, launches, between, per_ubatch, ways, rows }
}
