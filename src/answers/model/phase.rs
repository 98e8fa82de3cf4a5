//! The phases of using a model: what each computes, and in which ways.

use super::Usage;
use super::way::{Way, WayKind};
use crate::engines::ggml::Kernel;
use crate::engines::ggml::presence::Presence;
use crate::engines::model::beside::Launches;
use crate::engines::model::launch::{Call, OperationStep};
use crate::engines::model::operation::{Batch, Operation};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// A phase of using a model.
#[derive(Debug, Clone)]
pub struct Phase {
    /// `prefill`, `decode` or `batch`.
    pub name: &'static str,
    /// The batches, in the order in which they are computed.
    pub batches: Vec<Batch>,
    /// Floating-point operations.
    pub flops: u128,
    /// Bytes read for weights, keys and values.
    pub bytes: u128,
    /// All launches; a call of BLAS counts as one.
    pub launches: u64,
    /// The launches between products, by templates.
    pub between: Launches,
    /// Launches in each batch.
    pub per_ubatch: Vec<u64>,
    /// The ways, ordered by their share of what limits the phase, largest first.
    pub ways: Vec<(Way, PhaseShare)>,
    /// The operations in the model's order, equal ones merged into one row.
    pub rows: Vec<EqualOperations>,
}

/// The part of a phase that is computed in one way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PhaseShare {
    /// Floating-point operations.
    pub flops: u128,
    /// Bytes read.
    pub bytes: u128,
    /// Launches.
    pub launches: u64,
    /// Operations.
    pub operations: u64,
}

/// A group of equal operations.
#[derive(Debug, Clone)]
pub struct EqualOperations {
    /// The first operation of the group.
    pub operation: Operation,
    /// Number of operations over all batches.
    pub count: u64,
    /// The blocks that contain the operation; for each batch the first only.
    pub blocks: Vec<u64>,
    /// The steps that compute one operation.
    pub step: OperationStep,
    /// The way.
    pub way: Way,
    /// The kernels launched, and whether the library has them.
    pub kernels: Vec<RowKernel>,
    /// The calls of BLAS, and what rocBLAS chooses for them.
    pub calls: Vec<(Call, Option<Choice>)>,
}

/// A kernel that a row launches.
#[derive(Debug, Clone)]
pub struct RowKernel {
    /// The kernel.
    pub kernel: Kernel,
    /// The kernel's mangled name, if the library has it.
    pub symbol: Option<String>,
    /// Whether the library has the kernel; `None` without a library.
    pub presence: Option<Presence>,
}

/// What rocBLAS chooses for a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The kernel; `None` if no solution accepts the call.
    pub kernel: Option<String>,
    /// Whether the kernel is one for every target.
    pub fallback: bool,
    /// Distance from the tuned size, if the choice came from a table.
    pub distance: Option<f64>,
}

impl Choice {
    /// No kernel.
    pub const NOTHING: Choice = Choice { kernel: None, fallback: false, distance: None };
}

impl EqualOperations {
    /// Launches for one operation, including auxiliary kernels.
    pub fn launches(&self) -> u64 {
        self.step.count().saturating_add(self.step.beside.count())
    }
}

impl Phase {
    /// Share of the floating-point operations computed in these kinds of ways, 0 to 1.
    pub fn share_of(&self, kinds: &[WayKind]) -> f64 {
        let of_kinds = self.ways.iter().filter(|(way, _)| kinds.contains(&way.kind));
        ratio(of_kinds.map(|(_, share)| share.flops).sum(), self.flops)
    }

    /// Share of the floating-point operations computed by ggml's own kernels, 0 to 1.
    pub fn own_share(&self) -> f64 {
        self.share_of(&[WayKind::OwnKernel])
    }

    /// Whether code for some operation is missing.
    pub fn cannot_run(&self) -> bool {
        self.ways.iter().any(|(way, _)| WayKind::MISSING.contains(&way.kind))
    }

    /// Whether the host loops over experts.
    pub fn has_loop(&self) -> bool {
        self.ways.iter().any(|(way, _)| way.kind == WayKind::ExpertLoop)
    }
}

/// `part` divided by `whole`; 0 if `whole` is 0.
pub fn ratio(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The phases of a use, with their batches.
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

/// Most batches of a prompt that are examined; the command line allows no more.
pub const UBATCHES_OF_A_PROMPT: usize = 1024;

pub(super) fn summed(
    name: &'static str,
    batches: Vec<Batch>,
    rows: Vec<EqualOperations>,
    (between, per_ubatch): (Launches, Vec<u64>),
) -> Phase {
    let mut ways: KeyMap<Way, PhaseShare> = KeyMap::new();
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
    let mut ways: Vec<(Way, PhaseShare)> = ways.into_iter().collect();
    let by_bytes = name != "prefill";
    ways.sort_rows_by_key(|(_, share)| std::cmp::Reverse(if by_bytes { share.bytes } else { share.flops }));
    Phase { name, batches, flops, bytes, launches, between, per_ubatch, ways, rows }
}
