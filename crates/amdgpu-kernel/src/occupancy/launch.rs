//! What a kernel takes by what is said of it: by its descriptor, which the hardware reads, or by its metadata
//! alone.
#![deny(clippy::indexing_slicing)]

use super::{Demand, Hardware, LARGEST_WORKGROUP, Spread};
use amdgpu_object::codeobject::Kernel;
use amdgpu_object::codeobject::descriptor::Descriptor;

/// Lanes of a kernel's waves on a processor.
pub fn lanes(processor: &str, kernel: &Descriptor) -> u32 {
    let narrow = || Hardware::for_processor(processor, 32, Spread::WorkgroupProcessor).is_some();
    if kernel.is_wave32() && narrow() { 32 } else { 64 }
}

/// The vector registers that a descriptor asks for, in all.
fn allocated(hardware: &Hardware, kernel: &Descriptor) -> u32 {
    ((kernel.rsrc()[0] & 63) + 1) * hardware.vgpr_encoding_granule()
}

fn largest(metadata: Option<&Kernel<'_>>) -> u32 {
    let stated = metadata.and_then(Kernel::max_workgroup).unwrap_or(u64::from(LARGEST_WORKGROUP));
    u32::try_from(stated).unwrap_or(u32::MAX)
}

impl Hardware {
    /// Whether a processor has accumulation registers. Where the metadata of its kernels leave them out, as
    /// assembly does, [`Demand::of_metadata`] needs [`Kernel::with_allocated_vgprs`].
    pub fn has_accumulation_registers(processor: &str) -> bool {
        Hardware::for_processor(processor, 64, Spread::ComputeUnit).is_some_and(|own| own.has_agprs())
    }
}

impl Demand {
    /// By the descriptor: registers as they are counted there, rounded up, and LDS. The largest work-group,
    /// and accumulation registers of gfx908, stand in the metadata only.
    ///
    /// Source: LLVM's AMDGPUUsage, "compute_pgm_rsrc1" and "compute_pgm_rsrc3". `None` where the processor is
    /// not known.
    pub fn of_descriptor(
        processor: &str,
        kernel: &Descriptor,
        metadata: Option<&Kernel<'_>>,
    ) -> Option<(Hardware, Demand)> {
        let [first, _, third] = kernel.rsrc();
        let spread = if first >> 29 & 1 == 1 { Spread::WorkgroupProcessor } else { Spread::ComputeUnit };
        let hardware = Hardware::for_processor(processor, lanes(processor, kernel), spread)?;
        let total = allocated(&hardware, kernel);
        let (vgprs, agprs) = match () {
            () if hardware.is_unified() => {
                let vgprs = total.min(((third & 63) + 1) * 4);
                (vgprs, total - vgprs)
            }
            () if hardware.has_agprs() => {
                let stated = metadata.and_then(Kernel::agprs).map(|agprs| agprs.min(u64::from(total)) as u32);
                (total, stated.unwrap_or(0))
            }
            () => (total, 0),
        };
        let sgprs = ((first >> 6 & 15) + 1) * 8;
        let demand = Demand::new().vgprs(vgprs).agprs(agprs).sgprs(sgprs).lds(kernel.lds());
        Some((hardware, demand.workgroup(1, largest(metadata))))
    }

    /// The vector registers that a descriptor asks for, in all; on gfx908 in each of two files.
    pub fn allocated_vgprs(processor: &str, kernel: &Descriptor) -> Option<u32> {
        let hardware = Hardware::for_processor(processor, lanes(processor, kernel), Spread::ComputeUnit)?;
        Some(allocated(&hardware, kernel))
    }

    /// By the metadata alone, and the registers that the descriptor asks for where these leave out
    /// accumulation registers. `None` where neither states what is needed, or the processor is not known.
    pub fn of_metadata(processor: &str, kernel: &Kernel<'_>) -> Option<(Hardware, Demand)> {
        let spread = match kernel.workgroup_processor() {
            Some(0) => Spread::ComputeUnit,
            _ => Spread::WorkgroupProcessor,
        };
        let number = |stated: Option<u64>| stated.and_then(|number| u32::try_from(number).ok());
        let hardware = Hardware::for_processor(processor, number(kernel.wavefront())?, spread)?;
        let (vgprs, agprs) = match (number(kernel.vgprs())?, hardware.has_agprs(), kernel.agprs()) {
            (total, false, _) => (total, 0),
            // In one file they are counted together; of two files the larger demand counts for both.
            (_, true, None) => (number(kernel.allocated_vgprs())?, 0),
            (total, true, agprs) => {
                let agprs = number(agprs)?;
                // Where both come out of the same registers, they are counted together.
                (if hardware.is_unified() { total.saturating_sub(agprs) } else { total }, agprs)
            }
        };
        let demand = Demand::new().vgprs(vgprs).agprs(agprs).sgprs(number(kernel.sgprs())?);
        Some((hardware, demand.lds(number(kernel.lds())?).workgroup(1, number(kernel.max_workgroup())?)))
    }
}
