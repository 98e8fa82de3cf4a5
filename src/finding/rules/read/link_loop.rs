//! The rule `link-loop`.

use crate::finding::rule::rule;

rule! {
    /// With `--follow-links` a link leads to a folder that it lies in.
    LINK_LOOP {
        id: "link-loop",
        severity: Error,
        confidence: Certain,
        known: Observed,
        what: "symbolic links lead round in a circle",
        effect: "the circle is left; what lies behind is not read",
        effect_known: Inferred,
        advice: "remove the link",
    }
}
