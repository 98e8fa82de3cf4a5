//! Findings copied into the output types.

use super::v1;
use crate::finding::Finding;
use crate::finding::confidence::Confidence;
use crate::finding::evidence::Evidence;
use crate::finding::location::Location;

/// Findings as they are, in their order.
pub(super) fn rows<'a>(found: impl IntoIterator<Item = &'a Finding>) -> Vec<v1::Finding> {
    found.into_iter().map(row).collect()
}

fn row(found: &Finding) -> v1::Finding {
    let rule = found.rule;
    v1::Finding {
        id: rule.id.to_owned(),
        severity: rule.severity,
        confidence: found.confidence,
        known: known(found),
        what: rule.what.to_owned(),
        target: found.target.clone(),
        count: found.count,
        detail: found.detail.clone(),
        effect: rule.effect.to_owned(),
        effect_known: found.effect_known,
        advice: rule.advice.to_owned(),
        locations: found.locations.iter().map(location).collect(),
    }
}

/// How a finding is known: what the bytes only speak for is concluded from them.
fn known(found: &Finding) -> Evidence {
    match (found.rule.known, found.confidence) {
        (Evidence::Observed, Confidence::Likely) => Evidence::Inferred,
        (known, _) => known,
    }
}

fn location(at: &Location) -> v1::Location {
    v1::Location {
        path: at.path.clone(),
        offset: at.offset,
        unpacked: at.unpacked,
        line: at.line,
        row: at.row,
        what: at.what.clone(),
    }
}
