//! What a compute unit holds of a kernel: whether the registers and the private memory that its metadata states can be given.
//!
//! Source: LLVM 22, `AMDGPUBaseInfo.cpp` (`getTotalNumVGPRs`, `getVGPRAllocGranule`, `getEUsPerCU`) for registers; ROCr,
//! `amd_gpu_agent.cpp` (`InitScratchPool`) for private memory.

use super::Kernel;
use crate::target::{Family, Processor, TargetId};

/// The vector registers of a SIMD unit.
#[derive(Debug, Clone, Copy)]
struct RegisterFile {
    /// For each lane of a wave.
    total: u64,
    /// Registers are given in multiples of that many.
    granule: u64,
}

/// SIMD units that the waves of a work-group are spread over: those of a compute unit, from gfx10 on of a workgroup processor.
/// In the mode for single compute units half of them, which is not known here, so that the most is taken.
const SIMD_UNITS: u64 = 4;

/// Bytes of private memory for each work-item from which on a kernel is said to need much.
///
/// ROCr counts 32 waves of 64 for each compute unit and has at most 4 GiB: with 64 compute units that is 32 KiB.
pub const MUCH_PRIVATE_MEMORY: u64 = 32 << 10;

/// The register file of a processor with waves of this size; none where it is not known, as for generic targets of several.
fn register_file(processor: &Processor, wave: u64) -> Option<RegisterFile> {
    let narrow = wave == 32;
    let (total, granule) = match processor.family {
        Family::Gcn1 | Family::Gcn2 | Family::Gcn3 | Family::Gcn5 | Family::Cdna1 => (256, 4),
        Family::Cdna2 | Family::Cdna3 | Family::Cdna4 => (512, 8),
        Family::Rdna1 => (if narrow { 1024 } else { 512 }, if narrow { 8 } else { 4 }),
        // One and a half times as many: gfx1100, gfx1101, gfx1151 and RDNA 4.
        Family::Rdna4 => (if narrow { 1536 } else { 768 }, if narrow { 24 } else { 12 }),
        Family::Rdna3 | Family::Rdna35 if ["gfx1100", "gfx1101", "gfx1151"].contains(&processor.name) => {
            (if narrow { 1536 } else { 768 }, if narrow { 24 } else { 12 })
        }
        Family::Rdna2 | Family::Rdna3 | Family::Rdna35 => {
            (if narrow { 1024 } else { 512 }, if narrow { 16 } else { 8 })
        }
        Family::Gfx1170 | Family::Gfx125 | Family::Gfx13 | Family::Generic => return None,
    };
    Some(RegisterFile { total, granule })
}

/// The most work-items of a work-group of the kernel whose registers a compute unit holds at once; none where the metadata or
/// the tables do not say it.
pub fn largest_workgroup(kernel: &Kernel<'_>, target: &TargetId) -> Option<u64> {
    let processor = Processor::by_name(&target.processor)?;
    let wave = kernel.wavefront.filter(|wave| [32, 64].contains(wave))?;
    let file = register_file(processor, wave)?;
    // CDNA 1 has accumulation registers of their own, as many as vector registers; later ones count both together.
    let own = kernel.vgprs?;
    let used = if processor.family == Family::Cdna1 { own.max(kernel.agprs.unwrap_or(0)) } else { own };
    // A number that no processor has may stand there.
    let given = used.max(1).div_ceil(file.granule).saturating_mul(file.granule);
    Some(file.total / given * SIMD_UNITS * wave)
}

/// Registers of which every processor holds a work-group of 1,024 work-items, the largest there is.
const FIT_ANYWHERE: u64 = 64;

/// Whether a work-group of the size that the kernel states to allow does not fit in the registers.
pub fn exceeds_registers(kernel: &Kernel<'_>, target: &TargetId) -> bool {
    if kernel.vgprs.max(kernel.agprs).is_none_or(|used| used <= FIT_ANYWHERE) {
        return false;
    }
    let fits = largest_workgroup(kernel, target);
    kernel.max_workgroup.zip(fits).is_some_and(|(stated, fits)| stated > fits)
}

/// Whether the kernel needs much private memory for each work-item.
pub fn needs_much_memory(kernel: &Kernel<'_>) -> bool {
    kernel.scratch.is_some_and(|bytes| bytes >= MUCH_PRIVATE_MEMORY)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Expected by hand from the numbers of LLVM's source that the module names.
    #[test]
    fn work_groups_fit_as_in_llvm() {
        let fits = |target: &str, wave: u64, vgprs: u64| {
            let kernel = Kernel { vgprs: Some(vgprs), wavefront: Some(wave), ..Kernel::default() };
            largest_workgroup(&kernel, &TargetId::bare(target))
        };
        // 64 registers are four waves of 64 on each of four units.
        assert_eq!(fits("gfx906", 64, 64), Some(1024));
        assert_eq!(fits("gfx906", 64, 65), Some(768));
        assert_eq!(fits("gfx90a", 64, 128), Some(1024));
        assert_eq!(fits("gfx90a", 64, 129), Some(768));
        assert_eq!(fits("gfx1030", 32, 128), Some(1024));
        assert_eq!(fits("gfx1030", 32, 129), Some(896));
        assert_eq!(fits("gfx1100", 32, 192), Some(1024));
        assert_eq!(fits("gfx1102", 32, 192), Some(640));
        assert_eq!(fits("gfx11-generic", 32, 192), None);
        assert_eq!(fits("gfx906", 64, 0), Some(64 * 64 * 4));
        // Metadata can state any number.
        assert_eq!(fits("gfx906", 64, u64::MAX), Some(0));
    }
}
