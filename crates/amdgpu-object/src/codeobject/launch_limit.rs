//! Whether a compute unit can provide the registers and the private memory that a kernel's metadata states.
//!
//! Source: the tables of `amdgpu-isa` for registers, and LLVM 22, `AMDGPUBaseInfo.cpp` (`getEUsPerCU`); ROCr,
//! `amd_gpu_agent.cpp` (`InitScratchPool`) for private memory.

use super::Kernel;
use crate::isa::processor::Isa;
use crate::target::{Family, Processor, TargetId};

/// SIMD units that share the waves of a work-group: those of a compute unit, or from gfx10 on of a workgroup
/// processor. In compute unit mode only half of them, but the mode is unknown here, so this takes the larger
/// number.
const SIMD_UNITS: u64 = 4;

/// Private memory for each work-item, in bytes, from which a kernel counts as needing much.
///
/// ROCr counts 32 waves of 64 for each compute unit and has at most 4 GiB: with 64 compute units that is 32
/// KiB.
pub const MUCH_PRIVATE_MEMORY: u64 = 32 << 10;

/// The largest work-group of the kernel, in work-items, whose registers a compute unit can hold; `None` if
/// the metadata or the tables lack a number, and in a build without the feature `launch-limits`.
pub fn largest_workgroup(kernel: &Kernel<'_>, target: &TargetId) -> Option<u64> {
    let processor = Processor::by_name(&target.processor)?;
    let wave = kernel.wavefront.filter(|wave| [32, 64].contains(wave))?;
    // The processors of a generic target have different numbers of registers.
    if processor.family == Family::Generic {
        return None;
    }
    // Not linked without the feature: the table is a fifth of a small module.
    let isa = if cfg!(feature = "launch-limits") { Isa::by_name(processor.name)? } else { return None };
    let file = isa.vector_registers(wave as u32)?;
    // CDNA 1 has separate accumulation registers, as many as vector registers; later processors count both
    // together.
    let own = kernel.vgprs?;
    let used = if processor.family == Family::Cdna1 { own.max(kernel.agprs.unwrap_or(0)) } else { own };
    // Metadata may state a number that no processor has.
    let granule = u64::from(file.granule);
    let given = used.max(1).div_ceil(granule).saturating_mul(granule);
    Some(u64::from(file.total) / given * SIMD_UNITS * wave)
}

/// With up to this many registers, every processor holds the largest work-group (1,024 work-items).
const FIT_ANYWHERE: u64 = 64;

/// Whether the largest work-group that the kernel states does not fit in the registers.
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

#[cfg(all(test, feature = "launch-limits"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Computed by hand from the numbers in LLVM's source that the module names.
    #[test]
    fn work_groups_fit_as_in_llvm() {
        let fits = |target: &str, wave: u64, vgprs: u64| {
            let kernel = Kernel { vgprs: Some(vgprs), wavefront: Some(wave), ..Kernel::default() };
            largest_workgroup(&kernel, &TargetId::bare(target))
        };
        // 64 registers allow four waves of 64 on each of four units.
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
