//! Occupancy: how many waves of a kernel a SIMD unit holds at once, what limits that, and what it takes to
//! hold more.
//!
//! [`Occupancy::on_hardware`] says what LLVM 22 prints as `; Occupancy` for the same registers, LDS and work-group sizes
//! (`AMDGPUSubtarget.cpp`, `getOccupancyWithWorkGroupSizes`; `GCNSubtarget::computeOccupancy`).
//!
//! ```
//! use amdgpu_kernel::occupancy::{Demand, Hardware, Limiter, Occupancy, Spread};
//!
//! let hardware = Hardware::for_processor("gfx1100", 32, Spread::WorkgroupProcessor).ok_or("the tables do not know gfx1100")?;
//! let demand = Demand::new().vgprs(128).workgroup(1, 256);
//! let occupancy = Occupancy::on_hardware(&hardware, &demand);
//! assert_eq!(occupancy.waves(), 10);
//! assert_eq!(occupancy.limiters().collect::<Vec<_>>(), [Limiter::Vgpr]);
//!
//! // Eight vector registers less, and there is room for one wave more.
//! let next = occupancy.next_step().ok_or("it is full")?;
//! assert_eq!((next.waves(), next.reductions()[0].less()), (12, 8));
//! # Ok::<(), &str>(())
//! ```
//!
//! Neither LLVM nor this count scratch, LDS that is asked for when a kernel is launched, or registers that a
//! debugger takes.
//! [`Occupancy::waves_with_lds_granule`] is what a card holds where LDS is given in pieces of its own size.
#![deny(clippy::indexing_slicing)]

mod hardware;
mod launch;
mod next_step;

pub use hardware::{Hardware, LARGEST_WORKGROUP, Spread};
pub use launch::lanes;
pub use next_step::{NextStep, Reduction};

use amdgpu_object::codeobject::Kernel;

/// What limits the number of waves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Limiter {
    /// Vector registers.
    Vgpr,
    /// Accumulation registers.
    Agpr,
    /// Scalar registers.
    Sgpr,
    /// Memory of the work-group.
    Lds,
    /// The size of work-groups: those that fit leave places for waves empty.
    WorkgroupSize,
    /// The number of work-groups that can have a barrier.
    Barriers,
}

impl Limiter {
    /// All of them, in the order of reports.
    pub const ALL: [Limiter; 6] = [
        Limiter::Vgpr,
        Limiter::Agpr,
        Limiter::Sgpr,
        Limiter::Lds,
        Limiter::WorkgroupSize,
        Limiter::Barriers,
    ];

    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Limiter::Vgpr => "vgpr",
            Limiter::Agpr => "agpr",
            Limiter::Sgpr => "sgpr",
            Limiter::Lds => "lds",
            Limiter::WorkgroupSize => "workgroup-size",
            Limiter::Barriers => "barriers",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// What a wave and a work-group of a kernel take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    vgprs: u32,
    agprs: u32,
    sgprs: u32,
    lds: u32,
    smallest: u32,
    largest: u32,
}

impl Default for Demand {
    fn default() -> Self {
        Demand { vgprs: 0, agprs: 0, sgprs: 0, lds: 0, smallest: 1, largest: LARGEST_WORKGROUP }
    }
}

impl Demand {
    /// Nothing, in work-groups of 1 to 1,024 work-items.
    pub fn new() -> Self {
        Demand::default()
    }

    /// Vector registers, accumulation registers left out.
    pub fn vgpr_count(&self) -> u32 {
        self.vgprs
    }

    /// Accumulation registers.
    pub fn agpr_count(&self) -> u32 {
        self.agprs
    }

    /// Scalar registers.
    pub fn sgpr_count(&self) -> u32 {
        self.sgprs
    }

    /// Bytes of LDS.
    pub fn lds_bytes(&self) -> u32 {
        self.lds
    }

    /// The smallest and the largest work-group, in work-items.
    pub fn workgroup_sizes(&self) -> (u32, u32) {
        (self.smallest, self.largest)
    }

    /// With so many vector registers, accumulation registers left out.
    #[must_use]
    pub fn vgprs(self, vgprs: u32) -> Self {
        Demand { vgprs, ..self }
    }

    /// With so many accumulation registers.
    #[must_use]
    pub fn agprs(self, agprs: u32) -> Self {
        Demand { agprs, ..self }
    }

    /// With so many scalar registers, VCC and what else is counted among them.
    #[must_use]
    pub fn sgprs(self, sgprs: u32) -> Self {
        Demand { sgprs, ..self }
    }

    /// With so many bytes of LDS.
    #[must_use]
    pub fn lds(self, lds: u32) -> Self {
        Demand { lds, ..self }
    }

    /// In work-groups of `smallest` to `largest` work-items.
    #[must_use]
    pub fn workgroup(self, smallest: u32, largest: u32) -> Self {
        let smallest = smallest.max(1);
        Demand { smallest, largest: largest.max(smallest), ..self }
    }
}

/// Which limits of work-groups are looked at.
#[derive(Debug, Clone, Copy)]
struct Limits {
    lds: u32,
    barriers: u32,
}

impl Hardware {
    /// Waves of a SIMD unit that work-groups of these sizes leave room for.
    fn by_workgroups(&self, demand: &Demand, limits: Limits) -> u32 {
        let groups_by_lds = self.lds / limits.lds.max(1);
        if groups_by_lds == 0 {
            return 1;
        }
        let slots = self.waves * self.simd_units;
        // Waves of one group, groups that are there at once, and the waves of all of them.
        let held = |size: u32| {
            let waves = size.div_ceil(self.lanes);
            let groups = if waves == 1 { slots } else { (slots / waves).min(limits.barriers) };
            let groups = groups.min(groups_by_lds);
            (waves, groups, waves.saturating_mul(groups))
        };
        let (own, groups, mut most) = held(demand.smallest);
        let (_, _, of_largest) = held(demand.largest);
        if of_largest >= most {
            most = of_largest;
        } else if let Some(free) = (slots - groups * own).checked_div(groups) {
            // Larger groups of the range fill places that are left.
            let longer = (demand.largest - 1) / self.lanes + 1 - own;
            most += groups * free.min(longer);
        }
        most.div_ceil(self.simd_units).clamp(1, self.waves)
    }
}

/// How many waves of a kernel a SIMD unit holds, and why not more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    hardware: Hardware,
    demand: Demand,
    by_vgprs: u32,
    by_sgprs: u32,
    by_workgroups: u32,
    limiters: u8,
}

impl Occupancy {
    /// Of a kernel that takes this, on this hardware.
    pub fn on_hardware(hardware: &Hardware, demand: &Demand) -> Occupancy {
        let limits = Limits { lds: demand.lds, barriers: hardware.barriers() };
        let mut own = Occupancy {
            hardware: *hardware,
            demand: *demand,
            by_vgprs: hardware.by_vgprs(demand.vgprs, demand.agprs),
            by_sgprs: hardware.by_sgprs(demand.sgprs),
            by_workgroups: hardware.by_workgroups(demand, limits),
            limiters: 0,
        };
        own.limiters = own.find_limiters();
        own
    }

    /// By the metadata of a kernel alone; nothing where these do not say enough, or the hardware of the
    /// processor is not known.
    pub fn of_metadata(processor: &str, kernel: &Kernel<'_>) -> Option<Occupancy> {
        let (hardware, demand) = Demand::of_metadata(processor, kernel)?;
        Some(Occupancy::on_hardware(&hardware, &demand))
    }

    /// Waves that a SIMD unit holds.
    pub fn waves(&self) -> u32 {
        self.by_vgprs.min(self.by_sgprs).min(self.by_workgroups)
    }

    /// Waves that a SIMD unit can hold.
    pub fn most(&self) -> u32 {
        self.hardware.waves()
    }

    /// Waves that vector and accumulation registers leave room for.
    pub fn waves_by_vgprs(&self) -> u32 {
        self.by_vgprs
    }

    /// Waves that scalar registers leave room for.
    pub fn waves_by_sgprs(&self) -> u32 {
        self.by_sgprs
    }

    /// Waves that LDS, barriers and the sizes of work-groups leave room for.
    pub fn waves_by_workgroups(&self) -> u32 {
        self.by_workgroups
    }

    /// What limits the waves; nothing where the SIMD unit is full.
    pub fn limiters(&self) -> impl Iterator<Item = Limiter> + use<> {
        let limiters = self.limiters;
        Limiter::ALL.into_iter().filter(move |limiter| limiters & limiter.bit() != 0)
    }

    /// Waves that a SIMD unit holds where LDS is given in multiples of [`Hardware::lds_granule`]; LLVM does
    /// not round it up.
    pub fn waves_with_lds_granule(&self) -> u32 {
        let granule = self.hardware.lds_granule();
        let lds = self.demand.lds.checked_next_multiple_of(granule).unwrap_or(self.demand.lds);
        let limits = Limits { lds, barriers: self.hardware.barriers() };
        self.waves().min(self.hardware.by_workgroups(&self.demand, limits))
    }

    /// What it takes to hold at least one wave more; nothing where the SIMD unit is full or no smaller demand
    /// helps.
    pub fn next_step(&self) -> Option<NextStep> {
        next_step::find_next_step(self)
    }

    fn find_limiters(&self) -> u8 {
        let waves = self.waves();
        if waves >= self.most() {
            return 0;
        }
        let mut found = 0;
        if self.by_vgprs == waves {
            found |= self.register_limiters();
        }
        if self.by_sgprs == waves {
            found |= Limiter::Sgpr.bit();
        }
        if self.by_workgroups == waves {
            found |= self.workgroup_limiters();
        }
        found
    }

    /// Which of the two kinds of vector registers limit: those without which there would be more waves.
    fn register_limiters(&self) -> u8 {
        let Demand { vgprs, agprs, .. } = self.demand;
        let more = |vgprs, agprs| self.hardware.by_vgprs(vgprs, agprs) > self.by_vgprs;
        let vector = if more(0, agprs) { Limiter::Vgpr.bit() } else { 0 };
        let accumulation = if agprs > 0 && more(vgprs, 0) { Limiter::Agpr.bit() } else { 0 };
        match vector | accumulation {
            // Each alone is too many.
            0 => Limiter::Vgpr.bit() | Limiter::Agpr.bit(),
            found => found,
        }
    }

    /// Which of the limits of work-groups hold: those without which there would be more waves.
    fn workgroup_limiters(&self) -> u8 {
        let waves = |lds, barriers| self.hardware.by_workgroups(&self.demand, Limits { lds, barriers });
        let more = |lds, barriers| waves(lds, barriers) > self.by_workgroups;
        let (lds, barriers) = (self.demand.lds, self.hardware.barriers());
        let mut found = 0;
        if more(0, barriers) {
            found |= Limiter::Lds.bit();
        }
        if more(lds, u32::MAX) {
            found |= Limiter::Barriers.bit();
        }
        if found == 0 && more(0, u32::MAX) {
            found = Limiter::Lds.bit() | Limiter::Barriers.bit();
        }
        if found == 0 { Limiter::WorkgroupSize.bit() } else { found }
    }
}

#[cfg(test)]
mod tests;
