//! The rule `kernel-over-limits`.

use crate::finding::rule::rule;

rule! {
    /// A kernel takes more LDS than a work group can have on its processor.
    ///
    /// The metadata of a kernel state its LDS (`.group_segment_fixed_size`). A work group can have 64 KiB on most processors, 160 KiB on
    /// gfx950 and more on gfx125x. Kernels of code objects that belong to a catalog are looked at.
    ///
    /// A kernel can ask for more LDS when it is launched; that is not in the files.
    KERNEL_OVER_LIMITS {
        id: "kernel-over-limits",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "kernels take more LDS than a work group can have",
        effect: "each launch of the kernel fails",
        effect_known: Inferred,
        advice: "install the library again; where it was built here, build it for the processor",
    }
}
