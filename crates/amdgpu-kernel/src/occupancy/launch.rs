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

fn largest(metadata: Option<&Kernel<'_>>) -> u32 {
    let stated = metadata.and_then(Kernel::max_workgroup).unwrap_or(u64::from(LARGEST_WORKGROUP));
    u32::try_from(stated).unwrap_or(u32::MAX)
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
        let total = ((first & 63) + 1) * hardware.vgpr_encoding_granule();
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

    /// By the metadata alone. `None` where these do not state what is needed, or the processor is not known:
    /// assembly leaves out accumulation registers.
    pub fn of_metadata(processor: &str, kernel: &Kernel<'_>) -> Option<(Hardware, Demand)> {
        let spread = match kernel.workgroup_processor() {
            Some(0) => Spread::ComputeUnit,
            _ => Spread::WorkgroupProcessor,
        };
        let number = |stated: Option<u64>| stated.and_then(|number| u32::try_from(number).ok());
        let hardware = Hardware::for_processor(processor, number(kernel.wavefront())?, spread)?;
        let total = number(kernel.vgprs())?;
        let agprs = if hardware.has_agprs() { number(kernel.agprs())? } else { 0 };
        // Where both come out of the same registers, they are counted together.
        let vgprs = if hardware.is_unified() { total.saturating_sub(agprs) } else { total };
        let demand = Demand::new().vgprs(vgprs).agprs(agprs).sgprs(number(kernel.sgprs())?);
        Some((hardware, demand.lds(number(kernel.lds())?).workgroup(1, number(kernel.max_workgroup())?)))
    }
}
