//! The rule `much-private-memory`.

use crate::finding::rule::rule;

rule! {
    /// A kernel needs 32 KiB or more of private memory for each work-item.
    ///
    /// The runtime holds private memory for every wave that can be on the device: ROCr counts 32 waves of 64 work-items
    /// for each compute unit, and takes at most 4 GiB for all queues (`amd_gpu_agent.cpp`, `InitScratchPool`). With 64
    /// compute units, 32 KiB for each work-item are all of it. With more, fewer waves run at a time, or the launch fails
    /// for want of memory, in some releases as HSA_STATUS_ERROR_INVALID_ISA (ROCm/hip#2245).
    ///
    /// The number is that of the metadata; what functions need that are called through pointers is not in it.
    MUCH_PRIVATE_MEMORY {
        id: "much-private-memory",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "kernels need 32 KiB or more of private memory for each work-item",
        effect: "fewer waves run at a time, and a launch can fail for want of memory",
        effect_known: Inferred,
        advice: "compile with fewer local arrays or smaller tiles, or free device memory",
    }
}
