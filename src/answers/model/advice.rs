//! Changes a user can make: asks the model again with each change, and keeps those that help.

use super::Usage;
use super::device::Device;
use super::phase::Phase;
use super::way::WayKind;
use crate::engines::ggml::types::Type;
use crate::engines::model::network::Network;
use crate::engines::model::operation::Product;
use crate::error::AuditError;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// Something that the user can change.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The change: `-ub 128`, `-fa off`, `weights as q4_0`.
    pub change: String,
    /// Roles of the weights that the change affects; empty if it affects all.
    pub weights: Vec<String>,
    /// The phase that the change improves.
    pub phase: &'static str,
    /// Share of the phase's floating-point operations in ggml's own kernels, now and after the change.
    pub own: (f64, f64),
    /// Launches in the phase, now and after the change.
    pub launches: (u64, u64),
    /// Batches in the phase, now and after the change.
    pub ubatches: (u64, u64),
    /// Whether a loop over experts goes away.
    pub ends_loop: bool,
    /// Results for other batch sizes.
    pub tried: Vec<Tried>,
}

/// A batch size that was tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried {
    /// Most tokens computed at once.
    pub ubatch: u64,
    /// Share of the phase's floating-point operations in ggml's own kernels.
    pub own: f64,
    /// Launches of the phase.
    pub launches: u64,
    /// Whether the host loops over experts.
    pub loops: bool,
}

/// What a prompt costs in batches of the size that was asked for, and in those of llama.cpp's own size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchCost {
    /// Most tokens computed at once: as asked, and by default.
    pub ubatch: (u64, u64),
    /// Floating-point operations.
    pub flops: (u128, u128),
    /// Bytes read for weights, keys and values.
    pub bytes: (u128, u128),
    /// Launches.
    pub launches: (u64, u64),
}

/// Tokens that llama.cpp computes at once by default, `n_ubatch`.
const DEFAULT_UBATCH: u64 = 512;

/// Batch sizes to try, largest first.
const UBATCHES: [u64; 4] = [512, 256, 128, 64];

/// Types to try for weights that ggml's own kernels do not accept.
const TYPES: [&str; 3] = ["q4_0", "q4_K", "q8_0"];

/// Shares of a phase that differ by less count as equal.
const NEAR: f64 = 0.01;

/// How much more of a phase ggml's own kernels must compute for a change to be worth naming.
const WORTH: f64 = 0.05;

impl BatchCost {
    /// The cost of the batch size that was asked for beside that of the default, for the prompt.
    pub fn against_default(usage: &Usage, now: &[Phase], default: Option<&Phase>) -> Option<Self> {
        let prefill = now.iter().find(|phase| phase.name == "prefill")?;
        let default = default?;
        Some(BatchCost {
            ubatch: (usage.ubatch, DEFAULT_UBATCH),
            flops: (prefill.flops, default.flops),
            bytes: (prefill.bytes, default.bytes),
            launches: (prefill.launches, default.launches),
        })
    }
}

impl Device<'_> {
    /// Asks again with other batch sizes, the other kind of attention, and other types of weights. `default` is
    /// the prompt at the default batch size, if that is another one.
    pub fn advice(
        &mut self,
        network: &Network,
        flash: bool,
        now: &[Phase],
        default: Option<&Phase>,
    ) -> Result<Vec<Advice>, AuditError> {
        let Some(prefill) = now.iter().find(|phase| phase.name == "prefill") else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        all.extend(self.of_batches(network, flash, prefill, default)?);
        all.extend(self.of_attention(network, flash, now)?);
        all.extend(self.of_types(network, flash, prefill)?);
        // What costs no launches first, then what needs no other file, then what ggml's own kernels gain by.
        all.sort_rows_by(|a, b| {
            let gain = |advice: &Advice| advice.own.1 - advice.own.0;
            let costs = |advice: &Advice| advice.more_launches() > 0;
            let by_gain = gain(b).total_cmp(&gain(a));
            costs(a).cmp(&costs(b)).then(a.needs_another_file().cmp(&b.needs_another_file())).then(by_gain)
        });
        Ok(all)
    }

    /// The prompt at the default batch size, if there is a prompt `now` and another size was asked for.
    pub fn default_prefill(
        &mut self,
        network: &Network,
        flash: bool,
        now: &[Phase],
    ) -> Result<Option<Phase>, AuditError> {
        let usage = self.usage();
        let has_prompt = now.iter().any(|phase| phase.name == "prefill");
        // Both hold the whole prompt, or are the same.
        if !has_prompt || usage.ubatch.min(usage.prompt) == DEFAULT_UBATCH.min(usage.prompt) {
            return Ok(None);
        }
        self.prefill(network, &Usage { ubatch: DEFAULT_UBATCH, ..usage }, flash).map(Some)
    }

    /// The largest batch size that is as good as the best.
    fn of_batches(
        &mut self,
        network: &Network,
        flash: bool,
        now: &Phase,
        default: Option<&Phase>,
    ) -> Result<Option<Advice>, AuditError> {
        let usage = self.usage();
        let size = usage.ubatch.min(usage.prompt);
        let mut phases = vec![(size, now.clone())];
        for ubatch in UBATCHES.into_iter().filter(|ubatch| *ubatch != size && *ubatch <= usage.prompt) {
            let known = default.filter(|_| ubatch == DEFAULT_UBATCH).cloned();
            let phase = match known {
                Some(phase) => phase,
                None => self.prefill(network, &Usage { ubatch, ..usage }, flash)?,
            };
            phases.push((ubatch, phase));
        }
        phases.sort_rows_by_key(|(ubatch, _)| std::cmp::Reverse(*ubatch));
        let loops = phases.iter().all(|(_, phase)| phase.has_loop());
        let fit = || phases.iter().filter(|(_, phase)| loops || !phase.has_loop());
        let best = fit().map(|(_, phase)| phase.own_share()).fold(0.0, f64::max);
        let Some((ubatch, then)) = fit().find(|(_, phase)| phase.own_share() + NEAR >= best) else {
            return Ok(None);
        };
        // A larger batch of equal quality needs fewer launches.
        let mut advice = match ubatch.cmp(&size) {
            std::cmp::Ordering::Equal => return Ok(None),
            std::cmp::Ordering::Greater => Some(Advice::compare(format!("-ub {ubatch}"), now, then)),
            std::cmp::Ordering::Less => compared(format!("-ub {ubatch}"), now, then),
        };
        if let Some(advice) = &mut advice {
            let others = phases.iter().filter(|(other, _)| *other != size && other != ubatch);
            advice.tried = others.map(|(ubatch, phase)| Tried::with_ubatch(*ubatch, phase)).collect();
        }
        Ok(advice)
    }

    /// Tries attention as one operation instead of two products, or the reverse.
    fn of_attention(
        &mut self,
        network: &Network,
        flash: bool,
        now: &[Phase],
    ) -> Result<Vec<Advice>, AuditError> {
        let other = self.phases(network, &self.usage(), !flash)?;
        let option = if flash { "-fa off" } else { "-fa on" };
        let refused = |phase: &Phase| phase.ways.iter().any(|(way, _)| way.kind == WayKind::Cpu);
        let pairs = now.iter().zip(&other).filter(|(_, then)| !refused(then));
        Ok(pairs.filter_map(|(now, then)| compared(option.to_owned(), now, then)).collect())
    }

    /// The first other type that helps the weights ggml's own kernels do not accept.
    fn of_types(
        &mut self,
        network: &Network,
        flash: bool,
        now: &Phase,
    ) -> Result<Option<Advice>, AuditError> {
        let usage = self.usage();
        let off = off_own_kernels(now);
        let mut weights: Vec<String> = Vec::new();
        for (role, _) in &off {
            if !weights.contains(role) {
                weights.push(role.clone());
            }
        }
        for name in TYPES {
            let Ok(ty) = crate::engines::ggml::types::named(name) else { continue };
            let Some(other) = network.requantized(ty, &off) else { continue };
            let changed = self.with_network(&other, |device| device.prefill(&other, &usage, flash))?;
            if let Some(advice) = compared(format!("weights as {}", ty.name), now, &changed) {
                return Ok(Some(Advice { weights, ..advice }));
            }
        }
        Ok(None)
    }
}

impl Advice {
    /// Whether the weights have to be written in another type.
    pub fn needs_another_file(&self) -> bool {
        !self.weights.is_empty()
    }

    /// Launches that the change costs.
    pub fn more_launches(&self) -> u64 {
        self.launches.1.saturating_sub(self.launches.0)
    }

    fn compare(change: String, now: &Phase, then: &Phase) -> Self {
        Advice {
            change,
            weights: Vec::new(),
            phase: now.name,
            own: (now.own_share(), then.own_share()),
            launches: (now.launches, then.launches),
            ubatches: (now.batches.len() as u64, then.batches.len() as u64),
            ends_loop: now.has_loop() && !then.has_loop(),
            tried: Vec::new(),
        }
    }
}

impl Tried {
    fn with_ubatch(ubatch: u64, phase: &Phase) -> Self {
        Tried { ubatch, own: phase.own_share(), launches: phase.launches, loops: phase.has_loop() }
    }
}

/// Weights that ggml's own kernels do not accept, by their roles.
fn off_own_kernels(phase: &Phase) -> Vec<(String, Type)> {
    let rows = phase.rows.iter().filter(|row| row.way.dequantizes || row.way.kind == WayKind::ExpertLoop);
    rows.filter_map(|row| match &row.operation.product {
        Product::MulMat(problem, _) => Some((row.operation.role.clone(), problem.ty)),
        Product::Experts(problem, _) => Some((row.operation.role.clone(), problem.ty)),
        Product::Attention(_) | Product::Hadamard(..) => None,
    })
    .collect()
}

/// The change as advice, or `None` if it gains too little.
fn compared(change: String, now: &Phase, then: &Phase) -> Option<Advice> {
    let advice = Advice::compare(change, now, then);
    let is_worth = advice.own.1 >= advice.own.0 + WORTH || advice.ends_loop;
    // No gain in share is worth a loop over experts or an operation that cannot run.
    let is_fit = !then.cannot_run() && (now.has_loop() || !then.has_loop());
    (is_worth && is_fit).then_some(advice)
}
