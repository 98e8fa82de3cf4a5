//! The rule `found-by-search`.

use crate::finding::rule::rule;

rule! {
    /// Device code was found in a file of no known format by searching it for the marks of device code.
    ///
    /// IREE's modules, MIGraphX's compiled models and the caches of JAX hold code objects among data of their own, for
    /// which there is no reader here. Such files, and what stands behind the end of a program, are searched for
    /// offload bundles and code objects: a hit counts only where its header, its machine, its sections and its size fit
    /// together and lie in the file. What the file says of them, such as the name that a program calls them by, is not
    /// read, and what is compressed in it in a way of its own is not found.
    FOUND_BY_SEARCH {
        id: "found-by-search",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "device code was found by searching a file whose format is not read",
        effect: "the code objects are counted; how the file names and chooses them is not known",
        effect_known: Inferred,
        advice: "nothing needs to be done; count on it as a lower bound",
    }
}
