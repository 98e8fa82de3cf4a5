//! The rule `registers-beyond-work-group`.

use crate::finding::rule::rule;

rule! {
    /// A kernel states a work-group that its registers leave no room for.
    ///
    /// All waves of a work-group are on one compute unit (on gfx10 and later: one workgroup processor) at the same time.
    /// From the registers of a kernel, the size of the file and the unit in which registers are given follows how many
    /// waves fit: on gfx906, a kernel with more than 64 vector registers never runs with 1,024 work-items. A launch with
    /// so many ends in HSA_STATUS_ERROR_INVALID_ISA or an invalid configuration (ROCm/hip#1185), a smaller one works.
    ///
    /// The numbers are those of LLVM 22 (`AMDGPUBaseInfo.cpp`). Compilers keep a kernel within the size that it states;
    /// such kernels were written in assembly, or compiled for another size than their metadata says. Targets of several
    /// processors are not judged, nor are those whose register file is not known.
    REGISTERS_BEYOND_WORK_GROUP {
        id: "registers-beyond-work-group",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "kernels state a larger work-group than their registers leave room for",
        effect: "a launch with the largest work-group fails; smaller ones work",
        effect_known: Runtime,
        advice: "launch with smaller work-groups, or compile with the launch bounds that are used",
    }
}
