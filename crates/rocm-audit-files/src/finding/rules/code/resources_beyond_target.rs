//! The rule `resources-beyond-target`.

use crate::finding::rule::rule;

rule! {
    /// A kernel states more LDS, more registers or a larger work-group than its target can have.
    ///
    /// A work-group has 64 KiB of LDS on most processors, 160 KiB on gfx950, 320 KiB on gfx1250; a wave names 256 vector registers
    /// for each lane, 512 on gfx90a and the gfx94x with accumulation registers among them, 1,024 on gfx1250; of scalar registers it
    /// is given 112 at most, 128 from gfx10 on; a work-group has 1,024 work-items. The loader does not look at these numbers: the
    /// launch is refused.
    ///
    /// The numbers are those of LLVM 22 (`AMDGPUBaseInfo.cpp`, and the feature `addressablelocalmemorysize` of a processor).
    /// Compilers refuse such kernels; code of another target under a changed name, damaged metadata and assembly can have them. LDS
    /// that a launch asks for beside it is in no file.
    RESOURCES_BEYOND_TARGET {
        id: "resources-beyond-target",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "kernels state more LDS, registers or work-items than their target has",
        effect: "no launch of them works",
        effect_known: Inferred,
        advice: "get the code objects again from where they came; kernels of your own have to be compiled for this target",
    }
}
