//! The rule `kernel-twins`.

use crate::finding::rule::rule;

rule! {
    /// Code objects of one target have kernels of the same name.
    ///
    /// The symbols of all code objects that solutions of the target are in, and of its helpers, are compared;
    /// variants for the two signs of XNACK count as one. rocBLAS searches a kernel by name in everything that
    /// is loaded, in the order of loading, so that an earlier call decides which file supplies it: seen with
    /// the real rocBLAS 6.4.4 on gfx90a, where 11,048 names are in the catalogs for 104 compute units and in
    /// the others too.
    ///
    /// Whether the code of twins is equal is not compared. A function that one of HIP's headers leaves in every
    /// object (`set_hip_f8_bias_mode_bit`) is not counted by itself.
    KERNEL_TWINS {
        id: "kernel-twins",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "kernels of the same name are in several code objects",
        effect: "which file supplies one depends on what earlier calls loaded",
        effect_known: StandIn,
        advice: "nothing needs to be done while the twins are the same code",
    }
}
