//! What a report found, for programs that gate builds: findings, requirements that are not met and what got worse, each as one
//! outcome. It is read from the report's JSON, so that every document has it in the same way.

use crate::finding::gate::Gate;
use crate::finding::rules;
use crate::finding::severity::Severity;
use crate::report::snapshot::without_numbers;
use serde_json::Value;

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    /// The id of its rule, or the word of what it is otherwise: `requirement-not-met`, `lost-target`.
    pub rule: String,
    pub severity: Severity,
    /// What is so, what follows, and what to do, in sentences.
    pub message: String,
    /// The target that it is about.
    pub target: Option<String>,
    /// Where it shows; at least one.
    pub places: Vec<Place>,
    /// What is the same in two releases: rule, target and path without versions, as one number in hexadecimal.
    pub fingerprint: String,
}

/// Where an outcome shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The file below its root; empty where it is no file.
    pub path: String,
    /// Offset in bytes in that file.
    pub offset: Option<u64>,
    /// Line, from 1.
    pub line: Option<u64>,
    /// What is there.
    pub what: String,
}

/// A thing that was asked for and holds: for forms that list what passed.
#[derive(Debug, Clone)]
pub(super) struct Passed {
    /// What it is.
    pub name: String,
}

/// All outcomes of a report, in its order.
#[derive(Debug)]
pub(super) struct Outcomes {
    /// What the report is about: its roots.
    pub about: Vec<String>,
    pub found: Vec<Outcome>,
    pub passed: Vec<Passed>,
    /// Whether all could be read.
    pub complete: bool,
}

/// The rule of a requirement that is not met.
pub(super) const NOT_MET: &str = "requirement-not-met";

impl Outcomes {
    /// Reads a report. What `fails` names, and a requirement that is not met, is a failure, and so an error, whatever its rule says.
    /// What does not make the run fail is no error either: servers take one for a failure.
    pub fn of(report: &Value, fails: Gate) -> Self {
        let list = |name: &str| report[name].as_array().map(Vec::as_slice).unwrap_or_default();
        let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let sides =
            ["old", "new"].iter().filter_map(|side| report[*side]["path"].as_str().map(str::to_owned));
        let about: Vec<String> = list("roots").iter().map(words).chain(sides).collect();
        let mut all = Outcomes {
            complete: report["complete"].as_bool().unwrap_or(true),
            about,
            found: Vec::new(),
            passed: Vec::new(),
        };
        all.found.extend(list("requirements").iter().filter_map(requirement));
        let met = |row: &&Value| row["is_met"].as_bool().unwrap_or_default() || !row["ignored"].is_null();
        all.passed.extend(list("requirements").iter().filter(met).map(|row| Passed { name: required(row) }));
        all.found.extend(list("regressions").iter().map(regression));
        all.found.extend(list("findings").iter().filter_map(finding));
        let parts = list("files").iter().chain(list("folders"));
        let of_parts = parts.filter_map(|part| part["findings"].as_array()).flatten();
        all.found.extend(of_parts.filter_map(finding));
        // `diff` tells new findings among what got worse.
        let now = report["findings"]["now"].as_array();
        all.found.extend(now.into_iter().flatten().filter_map(finding));
        all.found.extend(nothing_to_check(report));
        let is_passed_over = |rule: &str| list("not_counted").iter().any(|id| id == rule);
        let is_failure =
            |rule: &str| rule == NOT_MET || (fails.has(rule) && !is_passed_over(rule));
        for outcome in &mut all.found {
            outcome.severity = match (is_failure(&outcome.rule), outcome.severity) {
                (true, _) => Severity::Error,
                (false, Severity::Error) => Severity::Warning,
                (false, less) => less,
            };
        }
        all
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn severity(value: &Value) -> Severity {
    let all = [Severity::Error, Severity::Warning];
    all.into_iter().find(|own| value == own.name()).unwrap_or(Severity::Note)
}

fn finding(row: &Value) -> Option<Outcome> {
    let id = row["id"].as_str()?;
    let target = row["target"].as_str().map(str::to_owned);
    let mut message = sentence(text(&row["what"]));
    for (more, before) in [("detail", ""), ("effect", "Then "), ("advice", "Do: ")] {
        let more = text(&row[more]);
        if !more.is_empty() {
            message.push(' ');
            message.push_str(&sentence(&format!("{before}{more}")));
        }
    }
    let place = |value: &Value| Place {
        path: text(&value["path"]).to_owned(),
        // An offset into inflated bytes is none of the file.
        offset: value["offset"].as_u64().filter(|_| value["unpacked"] != true),
        line: value["line"].as_u64(),
        what: text(&value["what"]).to_owned(),
    };
    let places = row["locations"].as_array().into_iter().flatten().map(place).collect();
    Some(outcome(id, severity(&row["severity"]), message, target, places))
}

/// `gfx1030 in rocBLAS`.
fn required(row: &Value) -> String {
    let folder = if row["tensile"] == true { "'s library folder" } else { "" };
    format!("{} in {}{folder}", text(&row["processor"]), text(&row["library"]))
}

fn requirement(row: &Value) -> Option<Outcome> {
    if row["is_met"].as_bool()? || !row["ignored"].is_null() {
        return None;
    }
    let lacking: Vec<&str> = row["lacking"].as_array().into_iter().flatten().map(text).collect();
    let has = row["coverage"].as_str().unwrap_or("not here");
    let files = if lacking.is_empty() { String::new() } else { format!("; not in {}", lacking.join(", ")) };
    let message = format!("{} is required: {has}{files}.", required(row));
    let places = lacking.iter().map(|path| Place { path: (*path).to_owned(), ..Place::default() }).collect();
    let target = row["processor"].as_str().map(str::to_owned);
    Some(outcome(NOT_MET, Severity::Error, message, target, places))
}

/// Targets are required, and there is no library that could have them.
fn nothing_to_check(report: &Value) -> Option<Outcome> {
    let required: Vec<&str> = report["required"].as_array()?.iter().map(text).collect();
    let is_nothing = report["requirements"].as_array()?.is_empty() && report["baseline"].is_null();
    let message = || format!("{} is required: no library here carries device code.", required.join(", "));
    (is_nothing && !required.is_empty())
        .then(|| outcome(NOT_MET, Severity::Error, message(), None, Vec::new()))
}

/// What got worse: whether it fails the run is for its caller to say.
fn regression(row: &Value) -> Outcome {
    let kind = text(&row["kind"]);
    // It begins with the name of a library or of a file, which stays as it is.
    outcome(kind, Severity::Warning, format!("{}.", text(&row["what"])), None, Vec::new())
}

fn outcome(
    rule: &str,
    severity: Severity,
    message: String,
    target: Option<String>,
    mut places: Vec<Place>,
) -> Outcome {
    // What has no place of its own would be alike for all of a rule.
    let own = places.first().map_or(message.as_str(), |place| place.path.as_str());
    let same = format!("{rule}\0{}\0{}", target.as_deref().unwrap_or_default(), without_numbers(own));
    let fingerprint = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(same.as_bytes()));
    if places.is_empty() {
        places.push(Place::default());
    }
    Outcome { rule: rule.to_owned(), severity, message, target, places, fingerprint }
}

/// A clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let mut text: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    text.push_str(letters.as_str());
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    text
}

/// What a rule is about, in a clause.
pub(super) fn about(rule: &str) -> &str {
    match rules::of_id(rule) {
        Some(known) => known.what,
        None if rule == NOT_MET => "a library has not what is required of it",
        None => "something got worse between two releases",
    }
}
