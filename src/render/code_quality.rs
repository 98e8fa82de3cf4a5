//! GitLab's report of code quality: a JSON array of issues. Source: GitLab's documentation, "Code Quality", "Code Quality report
//! format".

use super::outcome::{Outcome, Outcomes};
use crate::finding::severity::Severity;
use serde_json::{Value, json};

pub(super) fn draw(all: &Outcomes) -> String {
    let issues: Vec<Value> = all.found.iter().map(|outcome| issue(outcome, all)).collect();
    let mut text = serde_json::to_string_pretty(&issues).unwrap_or_default();
    text.push('\n');
    text
}

fn issue(outcome: &Outcome, all: &Outcomes) -> Value {
    let place = outcome.places.first();
    let path = place.map(|place| place.path.as_str()).filter(|path| !path.is_empty());
    let severity = match outcome.severity {
        Severity::Error => "critical",
        Severity::Warning => "major",
        Severity::Note => "info",
    };
    json!({
        "description": outcome.message,
        "check_name": outcome.rule,
        "fingerprint": outcome.fingerprint,
        "severity": severity,
        // A place is required, and a line in it.
        "location": {
            "path": path.or(all.about.first().map(String::as_str)).unwrap_or("."),
            "lines": { "begin": place.and_then(|place| place.line).unwrap_or(1) },
        },
    })
}
