//! SARIF 2.1.0, the format in which code hosts accept findings. Source: OASIS, "Static Analysis Results
//! Interchange Format (SARIF) Version 2.1.0".

use super::outcome::{Outcome, OutcomePlace, Outcomes, about};
use crate::finding::rules;
use crate::finding::severity::Severity;
use crate::locator;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

pub(super) fn draw(all: &Outcomes) -> String {
    let ids: BTreeSet<&str> = all.found.iter().map(|outcome| outcome.rule.as_str()).collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let rules: Vec<Value> = ids.iter().map(|id| rule(id)).collect();
    let results: Vec<Value> = all.found.iter().map(|outcome| result(outcome, &ids)).collect();
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": env!("CARGO_PKG_NAME"),
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "invocations": [{ "executionSuccessful": all.was_done }],
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": { "roots": all.about, "complete": all.complete },
        }],
    });
    let mut text = super::json::pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

fn level(severity: Severity) -> &'static str {
    severity.name()
}

fn rule(id: &str) -> Value {
    let known = rules::of_id(id);
    let mut rule = json!({
        "id": id,
        "shortDescription": { "text": about(id) },
        "defaultConfiguration": { "level": known.map_or("error", |rule| level(rule.severity)) },
    });
    if let Some(known) = known {
        rule["fullDescription"] = json!({ "text": format!("{}: {}.", known.what, known.effect) });
        rule["help"] = json!({ "text": format!("{}.", known.advice) });
    }
    rule
}

fn result(outcome: &Outcome, ids: &[&str]) -> Value {
    let mut result = json!({
        "ruleId": outcome.rule,
        "ruleIndex": ids.iter().position(|id| *id == outcome.rule),
        "level": level(outcome.severity),
        "message": { "text": outcome.message },
        "partialFingerprints": { "rocmAudit/v1": outcome.fingerprint },
    });
    let locations: Vec<Value> = outcome.places.iter().filter_map(location).collect();
    if !locations.is_empty() {
        result["locations"] = Value::Array(locations);
    }
    if let Some(target) = &outcome.target {
        result["properties"] = json!({ "target": target });
    }
    result
}

fn location(place: &OutcomePlace) -> Option<Value> {
    if place.path.is_empty() {
        return None;
    }
    let encoded = locator::encode(Path::new(&place.path));
    // A colon in the first component of a path would be read as the end of a scheme.
    let is_scheme = encoded.split('/').next().is_some_and(|first| first.contains(':'));
    let uri = if is_scheme { format!("./{encoded}") } else { encoded.into_owned() };
    let mut physical = json!({ "artifactLocation": { "uri": uri } });
    let region = match (place.line, place.offset) {
        (Some(line), _) if line > 0 => Some(json!({ "startLine": line })),
        (_, Some(offset)) => Some(json!({ "byteOffset": offset, "byteLength": 0 })),
        _ => None,
    };
    if let Some(region) = region {
        physical["region"] = region;
    }
    let mut location = json!({ "physicalLocation": physical });
    if !place.what.is_empty() {
        location["message"] = json!({ "text": place.what });
    }
    Some(location)
}
