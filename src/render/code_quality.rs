//! GitLab's report of code quality: a JSON array of issues. Source: GitLab's documentation, "Code Quality",
//! "Code Quality report format".

use super::outcome::{Outcome, OutcomePlace, Outcomes};
use crate::finding::severity::Severity;
use serde_json::{Value, json};

pub(super) fn draw(all: &Outcomes) -> String {
    // An issue has room for one location.
    let issue = |outcome| {
        Outcome::apart(outcome).into_iter().map(move |(place, print)| issue(outcome, place, &print))
    };
    let issues: Vec<Value> = all.found.iter().flat_map(issue).collect();
    let mut text = super::json::pretty(&issues).unwrap_or_default();
    text.push('\n');
    text
}

fn issue(outcome: &Outcome, place: &OutcomePlace, fingerprint: &str) -> Value {
    let severity = match outcome.severity {
        Severity::Error => "critical",
        Severity::Warning => "major",
        Severity::Note => "info",
    };
    json!({
        "description": outcome.message,
        "check_name": outcome.rule,
        "fingerprint": fingerprint,
        "severity": severity,
        // The format requires a path and a line.
        "location": {
            "path": if place.path.is_empty() { "." } else { &place.path },
            "lines": { "begin": place.line.unwrap_or(1) },
        },
    })
}
