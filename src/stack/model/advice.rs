//! What the user can change: each change is asked again, and named where it brings something.

use super::Usage;
use super::device::Device;
use super::phase::Phase;
use super::way::WayKind;
use crate::engines::ggml::types::Type;
use crate::engines::model::network::Network;
use crate::engines::model::operation::Product;
use crate::error::AuditError;

/// Something that the user can change.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// What: `-ub 128`, `-fa off`.
    pub change: String,
    /// The phase that it is about.
    pub phase: &'static str,
    /// The share of its floating-point operations that ggml's own kernels make: now, and then.
    pub own: (f64, f64),
    /// Launches of the phase: now, and then.
    pub launches: (u64, u64),
    /// Whether a loop over experts goes away.
    pub ends_loop: bool,
}

/// Smaller batches that are tried, from the largest.
const UBATCHES: [u64; 4] = [512, 256, 128, 64];

/// Types that are tried for weights which ggml's own kernels do not take.
const TYPES: [&str; 3] = ["q4_0", "q4_K", "q8_0"];

/// Shares of a phase that are as good as each other.
const NEAR: f64 = 0.01;

/// How much more of a phase own kernels must make for a change to be named.
const WORTH: f64 = 0.05;

impl Device<'_> {
    pub fn advice(
        &mut self,
        network: &Network,
        flash: bool,
        now: &[Phase],
    ) -> Result<Vec<Advice>, AuditError> {
        let usage = self.usage();
        let mut all = Vec::new();
        let Some(prefill) = now.iter().find(|phase| phase.name == "prefill") else { return Ok(all) };
        let mut smaller: Vec<Advice> = Vec::new();
        for ubatch in UBATCHES.into_iter().filter(|ubatch| *ubatch < usage.ubatch.min(usage.prompt)) {
            let then = self.prefill(network, &Usage { ubatch, ..usage }, flash)?;
            smaller.extend(compared(format!("-ub {ubatch}"), prefill, &then));
        }
        // The largest batch that brings what smaller ones bring.
        let best = smaller.iter().map(|advice| advice.own.1).fold(0.0, f64::max);
        all.extend(smaller.into_iter().find(|advice| advice.own.1 + NEAR >= best));
        if usage.flash.is_none() || usage.flash == Some(false) {
            let other = self.phases(network, &usage, !flash)?;
            let option = if flash { "-fa off" } else { "-fa on" };
            let refused = |phase: &Phase| phase.ways.iter().any(|(way, _)| way.kind == WayKind::Cpu);
            for (now, then) in now.iter().zip(&other).filter(|(_, then)| !refused(then)) {
                all.extend(compared(option.to_owned(), now, then));
            }
        }
        for name in TYPES {
            let Ok(ty) = crate::engines::ggml::types::named(name) else { continue };
            let Some(other) = network.requantized(ty, &off_own_kernels(prefill)) else { continue };
            let changed = self.with_network(&other, |device| device.prefill(&other, &usage, flash))?;
            if let Some(advice) =
                compared(format!("weights that go to rocBLAS as {}", ty.name), prefill, &changed)
            {
                all.push(advice);
                break;
            }
        }
        Ok(all)
    }
}

/// Weights that ggml's own kernels do not take, by their places.
fn off_own_kernels(phase: &Phase) -> Vec<(String, Type)> {
    let rows = phase.rows.iter().filter(|row| row.way.dequantizes || row.way.kind == WayKind::ExpertLoop);
    rows.filter_map(|row| match &row.operation.product {
        Product::MulMat(problem, _) => Some((row.operation.role.clone(), problem.ty)),
        Product::Experts(problem, _) => Some((row.operation.role.clone(), problem.ty)),
        Product::Attention(_) | Product::Hadamard(..) => None,
    })
    .collect()
}

/// A change, where it is worth naming.
fn compared(change: String, now: &Phase, then: &Phase) -> Option<Advice> {
    let own = (now.own_share(), then.own_share());
    let ends_loop = now.has_loop() && !then.has_loop();
    let launches = (now.launches, then.launches);
    let worth = own.1 >= own.0 + WORTH || ends_loop;
    worth.then_some(Advice { change, phase: now.name, own, launches, ends_loop })
}
