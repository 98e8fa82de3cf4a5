//! The rule `words-of-no-instruction`.

use crate::finding::rule::rule;

rule! {
    /// Machine code has words that are no instruction of its own target.
    ///
    /// Where machine code is decoded (`--isa`, `fatbin --isa`), each word is compared with the instructions of the target
    /// of its code object, from the tables of LLVM 22. A word that is none ends in HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION or a
    /// hang, if the kernel reaches it: the code was compiled for another processor, renamed, or damaged.
    ///
    /// Assembly kernels can have data between their instructions without symbols that say so, so it is likely, not
    /// certain. Without `--isa` nothing is decoded, and the rule finds nothing.
    WORDS_OF_NO_INSTRUCTION {
        id: "words-of-no-instruction",
        severity: Warning,
        confidence: Likely,
        known: Observed,
        what: "machine code has words that are no instruction of its own target",
        effect: "a kernel that reaches them stops with an illegal instruction",
        effect_known: Inferred,
        advice: "take another build for the target; see the words with `fatbin --isa`",
    }
}
