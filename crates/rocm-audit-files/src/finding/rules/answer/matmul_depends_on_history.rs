//! The rule `matmul-depends-on-history`.

use crate::finding::rule::rule;

rule! {
    /// An earlier call of the same process changes what hipBLASLt gives for this one.
    ///
    /// hipBLASLt keeps what its tables gave for a problem, by a key that in release 7.1.1 lacks the type of the
    /// bias, the kind of activation and the number of algorithms. `select matmul` makes each call with the same
    /// key that differs in the first two, and says which of them puts another solution first; `--after` shows
    /// what a call then gets.
    ///
    /// With the library itself, FP16 of 512³ with a bias of FP32 and then of FP64 got the kernel for FP32, and
    /// an INT8 product with RELU and then with GELU one whose list of activations lacks GELU. Later releases have
    /// the type of the bias and the activation in the key (read in their source). Without bias and activation
    /// only the number of algorithms is missing.
    MATMUL_DEPENDS_ON_HISTORY {
        id: "matmul-depends-on-history",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "an earlier call with another bias type or activation changes the answer: hipBLASLt's cache does not tell them apart",
        effect: "a kernel that was chosen for another call runs, and what it computes is not what this call asked for where it lacks the type or the activation",
        effect_known: StandIn,
        advice: "use one type of bias and one activation for a size in a process, or a release whose cache tells them apart",
    }
}
