//! The rule `xf32-computed-in-float`.

use crate::finding::rule::rule;

rule! {
    /// XFloat32 was asked for, and the catalogs have no solution that computes in it.
    ///
    /// The choice is made as rocBLAS 6.4 makes it: first with the math mode XFloat32, and where no solution
    /// takes that, again with Float; the answer is that of the second search. Only single precision knows the
    /// mode. rocBLAS's source honours it on gfx940, gfx941 and gfx942 and warns once when it falls back;
    /// elsewhere it computes in Float without a word.
    ///
    /// The product is right and as exact as Float. It is not said of a call that did not ask for the mode, nor
    /// of one for which a solution exists.
    XF32_COMPUTED_IN_FLOAT {
        id: "xf32-computed-in-float",
        severity: Warning,
        confidence: Certain,
        known: Code,
        what: "XFloat32 was asked for and no solution computes in it",
        effect: "rocBLAS computes in Float, and warns once where it honours the mode (gfx940 to gfx942)",
        effect_known: Code,
        advice: "ask for the type that is computed, or use a target with XFloat32 kernels (gfx942)",
    }
}
