//! What a SIMD unit has, by the features that LLVM gives a processor.
//!
//! Source: LLVM 22.1.8, `llvm/lib/Target/AMDGPU/Utils/AMDGPUBaseInfo.cpp` (`getEUsPerCU`, `getMaxWavesPerEU`,
//! `getTotalNumVGPRs`, `getVGPRAllocGranule`, `getVGPREncodingGranule`, `getLocalMemorySize`,
//! `getMaxWorkGroupsPerCU`, `getOccupancyWithNumSGPRs`). The bytes of LDS that are given at once are those of
//! Mesa's `src/amd/common/ac_gpu_info.c` (`lds_alloc_granularity`), of gfx950 and gfx1250 those of `LDS_SIZE`
//! in LLVM's AMDGPUUsage.
#![deny(clippy::indexing_slicing)]

use amdgpu_isa::processor::{self, Isa};
use amdgpu_object::answer;
use std::sync::OnceLock;

/// What the waves of a work-group are spread over, from gfx10 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Spread {
    /// Over one compute unit.
    ComputeUnit,
    /// Over a work-group processor, which is two compute units.
    WorkgroupProcessor,
}

/// How the scalar registers of a wave limit the number of waves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScalarRule {
    /// They do not: each wave has all of them.
    None,
    /// By most registers, and the waves that they leave room for; the last number is for all above.
    Steps(&'static [(u32, u32)], u32),
    /// Always as if there were that many, for a hardware bug.
    Fixed(u32),
}

const SCALAR_GFX6: ScalarRule = ScalarRule::Steps(&[(48, 10), (56, 9), (64, 8), (72, 7), (80, 6)], 5);
const SCALAR_STEPS_GFX8: &[(u32, u32)] = &[(80, 10), (88, 9), (100, 8)];
const SCALAR_GFX8: ScalarRule = ScalarRule::Steps(SCALAR_STEPS_GFX8, 7);

/// Registers that are always given where a processor has the feature `sgpr-init-bug`
/// (`FIXED_NUM_SGPRS_FOR_INIT_BUG`).
const SCALAR_FIXED: u32 = 96;

answer! {
    /// What a processor has for waves of one width.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Hardware {
        /// Lanes of a wave: 32 or 64.
        copy lanes: u32,
        /// Waves that a SIMD unit holds at most.
        copy waves: u32,
        /// SIMD units that a work-group is spread over.
        copy simd_units: u32,
        /// Vector registers of a SIMD unit for each lane of a wave.
        copy vgprs: u32,
        /// Vector registers are given in multiples of that many.
        copy vgpr_granule: u32,
        /// Kernel descriptors count vector registers in multiples of that many.
        copy vgpr_encoding_granule: u32,
        /// Vector registers that a wave can name.
        copy addressable_vgprs: u32,
        /// Whether accumulation registers come out of the same registers.
        copy is_unified: bool,
        /// Whether there are accumulation registers.
        copy has_agprs: bool,
        hidden scalar: ScalarRule,
        /// Bytes of LDS for the work-groups of these SIMD units.
        copy lds: u32,
        /// Bytes of LDS that one work-group can have.
        copy addressable_lds: u32,
        /// LDS is given in multiples of that many bytes. LLVM's occupancy leaves it out.
        copy lds_granule: u32,
        /// Work-groups of more than one wave that can be there at once: each needs a barrier.
        copy barriers: u32,
    }
}

/// The largest work-group of any processor, in work-items.
pub const LARGEST_WORKGROUP: u32 = 1024;

impl Hardware {
    /// Of a processor by its name, such as `gfx1100`; `None` where the tables do not know it, or it has no
    /// waves of that width.
    ///
    /// Before gfx10 there is no choice, and on gfx12.5 a work-group is always on one compute unit: `spread`
    /// is left out there.
    pub fn for_processor(processor: &str, lanes: u32, spread: Spread) -> Option<Hardware> {
        /// What a processor has: for waves of 32 and of 64 lanes, in work-groups on one compute unit or on two.
        type Known = [OnceLock<Option<Hardware>>; 4];
        static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
        // Each kernel asks, and features are found by their names.
        let known = KNOWN.get_or_init(|| processor::all().iter().map(|_| Known::default()).collect());
        let place = processor::all().iter().position(|isa| isa.name == processor)?;
        let waves = [32, 64].iter().position(|own| *own == lanes)?;
        let column = 2 * waves + usize::from(spread == Spread::WorkgroupProcessor);
        let make = || Hardware::of_isa(processor::all().get(place)?, lanes, spread);
        *known.get(place)?.get(column)?.get_or_init(make)
    }

    fn of_isa(isa: &Isa, lanes: u32, spread: Spread) -> Option<Hardware> {
        let has = |feature: &str| isa.has(feature);
        let (gfx8, gfx10) = (has("gfx8-insts"), has("gfx10-insts"));
        let (gfx90a, gfx1250) = (has("gfx90a-insts"), has("gfx1250-insts"));
        let registers = isa.vector_registers(lanes)?;
        let is_wide = lanes == 64;
        let one_unit = gfx10 && (spread == Spread::ComputeUnit || gfx1250);
        let halved = |number: u32| if is_wide { number / 2 } else { number };
        let addressable_lds = isa.addressable_lds()?;
        let both_units = gfx10 && !one_unit;
        Some(Hardware {
            lanes,
            waves: match () {
                () if gfx90a => 8,
                () if !gfx10 => 10,
                () if has("gfx10-3-insts") => 16,
                () => 20,
            },
            simd_units: if one_unit && !gfx1250 { 2 } else { 4 },
            vgprs: registers.total,
            vgpr_granule: registers.granule,
            vgpr_encoding_granule: match () {
                () if gfx90a => 8,
                () if !gfx10 => 4,
                () if has("1024-addressable-vgprs") => halved(16),
                () => halved(8),
            },
            addressable_vgprs: match () {
                () if has("1024-addressable-vgprs") => halved(1024),
                () if gfx90a => 512,
                () => 256,
            },
            is_unified: gfx90a,
            has_agprs: has("mai-insts"),
            scalar: match () {
                () if gfx10 => ScalarRule::None,
                () if has("sgpr-init-bug") => ScalarRule::Fixed(SCALAR_FIXED),
                () if gfx8 => SCALAR_GFX8,
                () => SCALAR_GFX6,
            },
            lds: if both_units { addressable_lds.saturating_mul(2) } else { addressable_lds },
            addressable_lds,
            lds_granule: match () {
                () if gfx1250 => 2048,
                () if has("gfx950-insts") => 1280,
                () if has("gfx10-3-insts") => 1024,
                () if has("gfx7-gfx8-gfx9-insts") || gfx10 => 512,
                () => 256,
            },
            barriers: if both_units { 32 } else { 16 },
        })
    }

    /// Waves that vector registers leave room for: `vgprs` and `agprs` of each lane.
    pub(crate) fn by_vgprs(&self, vgprs: u32, agprs: u32) -> u32 {
        self.by_total_vgprs(self.total_vgprs(vgprs, agprs))
    }

    /// Registers that a wave takes of the file that limits it.
    pub(crate) fn total_vgprs(&self, vgprs: u32, agprs: u32) -> u32 {
        match agprs {
            0 => vgprs,
            // Accumulation registers begin at a multiple of four.
            _ if self.is_unified => vgprs.checked_next_multiple_of(4).unwrap_or(vgprs).saturating_add(agprs),
            _ => vgprs.max(agprs),
        }
    }

    pub(crate) fn by_total_vgprs(&self, total: u32) -> u32 {
        if total < self.vgpr_granule {
            return self.waves;
        }
        let given = total.checked_next_multiple_of(self.vgpr_granule).unwrap_or(total);
        (self.vgprs / given).clamp(1, self.waves)
    }

    /// Waves that scalar registers leave room for.
    pub(crate) fn by_sgprs(&self, sgprs: u32) -> u32 {
        let in_steps = |count: u32, steps: &[(u32, u32)], rest: u32| {
            steps.iter().find(|(most, _)| count <= *most).map_or(rest, |(_, waves)| *waves)
        };
        let waves = match self.scalar {
            ScalarRule::None => self.waves,
            ScalarRule::Steps(steps, rest) => in_steps(sgprs, steps, rest),
            ScalarRule::Fixed(count) => in_steps(count, SCALAR_STEPS_GFX8, 7),
        };
        waves.min(self.waves)
    }
}
