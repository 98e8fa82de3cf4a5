//! The rule `kernel-orphaned`.

use crate::finding::rule::rule;

rule! {
    /// A code object has kernels that no solution of its target names.
    ///
    /// The symbols of the code objects in use are compared with the kernels of all solutions that catalogs of
    /// the target have. Nothing launches them, as the source says: rocBLAS asks for kernels by the names in
    /// catalogs.
    ///
    /// Helper files are not looked at, since which helpers are needed depends on sizes. The function
    /// `set_hip_f8_bias_mode_bit`, which one of HIP's headers leaves in 640 objects of rocBLAS 6.4.4, is left
    /// out. Many of them beside `kernel-missing` mean that catalog and code object are of different builds.
    KERNEL_ORPHANED {
        id: "kernel-orphaned",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "kernels in code objects belong to no solution",
        effect: "they are never launched",
        effect_known: Code,
        advice: "nothing needs to be done; whoever builds the library can leave them out",
    }
}
