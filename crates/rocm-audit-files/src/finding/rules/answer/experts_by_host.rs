//! The rule `experts-by-host`.

use crate::finding::rule::rule;

rule! {
    /// A product with experts is made by the host, one expert after the other.
    ///
    /// Where no kernel for experts takes type and number of tokens, ggml sorts the tokens by expert and asks
    /// for one dense product for each expert. The rule was read in its source and compared with a real library
    /// for 0.27.0. The route that is shown is that of an expert that gets all tokens; one that gets fewer may
    /// take another.
    ///
    /// Nothing fails, but there are launches for each expert. IQ1_M, which has no kernel for many columns, took
    /// this way in that comparison. A product without experts is never made so.
    EXPERTS_BY_HOST {
        id: "experts-by-host",
        severity: Warning,
        confidence: Certain,
        known: Code,
        what: "the host sorts tokens by expert and multiplies for one expert after the other",
        effect: "there is a launch for each expert; one that gets fewer tokens may take another route",
        effect_known: Code,
        advice: "ask `rocm-audit model` for the file, which tries smaller batches and other types",
    }
}
