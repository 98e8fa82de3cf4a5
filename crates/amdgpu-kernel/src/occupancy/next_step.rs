//! What it takes to hold one wave more.
#![deny(clippy::indexing_slicing)]

use super::{Demand, LARGEST_WORKGROUP, Limiter, Limits, Occupancy};
use amdgpu_object::answer;

answer! {
    /// What has to become smaller.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Reduction {
        /// What it is. For [`Limiter::Vgpr`] accumulation registers count the same where they come out of the
        /// same registers.
        copy limiter: Limiter,
        /// By how much: registers of each lane, bytes of LDS, work-items of the largest work-group.
        copy less: u32,
    }
}

answer! {
    /// A smaller demand, and what it brings.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct NextStep {
        /// Waves that a SIMD unit holds then.
        copy waves: u32,
        /// What has to become smaller, all of it.
        list reductions: Reduction,
    }
}

/// The smallest reductions with which there is room for one wave more.
pub(super) fn find_next_step(occupancy: &Occupancy) -> Option<NextStep> {
    let wanted = occupancy.waves() + 1;
    if wanted > occupancy.most() {
        return None;
    }
    let mut smaller = occupancy.demand;
    let mut reductions = Vec::new();
    if occupancy.by_vgprs < wanted {
        reductions.push(fewer_vgprs(occupancy, wanted, &mut smaller)?);
    }
    if occupancy.by_sgprs < wanted {
        let sgprs = largest(occupancy.demand.sgprs, |sgprs| occupancy.hardware.by_sgprs(sgprs) >= wanted)?;
        smaller.sgprs = sgprs;
        reductions.push(Reduction { limiter: Limiter::Sgpr, less: occupancy.demand.sgprs - sgprs });
    }
    if occupancy.by_workgroups < wanted {
        reductions.push(smaller_groups(occupancy, wanted, &mut smaller)?);
    }
    let waves = Occupancy::on_hardware(&occupancy.hardware, &smaller).waves();
    Some(NextStep { waves, reductions })
}

fn fewer_vgprs(occupancy: &Occupancy, wanted: u32, smaller: &mut Demand) -> Option<Reduction> {
    let Demand { vgprs, agprs, .. } = occupancy.demand;
    let hardware = &occupancy.hardware;
    let total = hardware.total_vgprs(vgprs, agprs);
    let enough = largest(total, |total| hardware.by_total_vgprs(total) >= wanted)?;
    (smaller.vgprs, smaller.agprs) = (enough, 0);
    let limiter = if agprs > vgprs && !hardware.is_unified() { Limiter::Agpr } else { Limiter::Vgpr };
    Some(Reduction { limiter, less: total - enough })
}

fn smaller_groups(occupancy: &Occupancy, wanted: u32, smaller: &mut Demand) -> Option<Reduction> {
    let (hardware, demand) = (&occupancy.hardware, &occupancy.demand);
    let barriers = hardware.barriers();
    let with_lds = |lds| hardware.by_workgroups(demand, Limits { lds, barriers }) >= wanted;
    if let Some(lds) = largest(demand.lds, with_lds) {
        smaller.lds = lds;
        return Some(Reduction { limiter: Limiter::Lds, less: demand.lds - lds });
    }
    // Waves do not grow steadily as groups become smaller, so that each size is tried that is a whole number
    // of waves.
    let lanes = hardware.lanes();
    let most = demand.largest.min(LARGEST_WORKGROUP).saturating_sub(1) / lanes;
    let own = *smaller;
    let sized = |waves: u32| own.workgroup(own.smallest.min(waves * lanes), waves * lanes);
    let limits = Limits { lds: demand.lds, barriers };
    let waves = (1..=most).rev().find(|waves| hardware.by_workgroups(&sized(*waves), limits) >= wanted)?;
    *smaller = sized(waves);
    Some(Reduction { limiter: Limiter::WorkgroupSize, less: demand.largest - waves * lanes })
}

/// The largest number below `from` for which it holds; it holds for all smaller ones.
fn largest(from: u32, holds: impl Fn(u32) -> bool) -> Option<u32> {
    if from == 0 || !holds(0) {
        return None;
    }
    let (mut low, mut high) = (0, from);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle } else { high = middle }
    }
    Some(low)
}
