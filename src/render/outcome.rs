//! What a report found, for programs that gate builds: findings, requirements that are not met and what got worse, each as one
//! outcome. It is read from the report's JSON, so that every document has it in the same way.

use crate::comparison::snapshot::without_numbers;
use crate::finding::gate::Gate;
use crate::finding::rules;
use crate::finding::severity::Severity;
use serde_json::Value;
use std::collections::BTreeMap;

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    /// The id of its rule, or the word of what it is otherwise: `requirement-not-met`, `lost-target`.
    pub rule: String,
    pub severity: Severity,
    /// What was judged, where it is no file: `gfx1030 in rocBLAS`.
    pub judged: Option<String>,
    /// What is so, what follows, and what to do, in sentences.
    pub message: String,
    /// The target that it is about.
    pub target: Option<String>,
    /// Where it shows; at least one.
    pub places: Vec<Place>,
    /// Whether its places are roots as a whole, each of which has it, and no files in them.
    pub is_of_roots: bool,
    /// What is the same in two releases: rule, target and path without versions, as one number in hexadecimal.
    pub fingerprint: String,
}

/// Where an outcome shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The file, or a root; empty where it is neither.
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
pub(super) const NOT_MET: &str = crate::comparison::check::NOT_MET;

impl Outcomes {
    /// Reads a report. What `fails` names, and a requirement that is not met, is a failure, and so an error, whatever its rule says.
    /// What does not make the run fail is no error either: servers take one for a failure.
    pub fn of(report: &Value, fails: Gate) -> Self {
        let list = |name: &str| report[name].as_array().map(Vec::as_slice).unwrap_or_default();
        let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let sides = ["old", "new"].iter().filter_map(|side| report[*side]["path"].as_str());
        let one = ["file", "folder"].iter().filter_map(|name| report[*name].as_str());
        let of_model = report["model"]["files"].as_array().into_iter().flatten();
        let about: Vec<String> = (list("roots").iter().chain(of_model).map(words))
            .chain(sides.chain(one).map(str::to_owned))
            .collect();
        // What changed between two sides is of the new one.
        let roots = if report["new"].is_object() { side(&report["new"]) } else { about.clone() };
        let finding = |row: &Value| finding(row, &roots);
        let mut all = Outcomes {
            complete: report["complete"].as_bool().unwrap_or(true),
            about,
            found: Vec::new(),
            passed: Vec::new(),
        };
        all.found.extend(list("requirements").iter().filter_map(requirement));
        let met = |row: &&Value| row["is_met"].as_bool().unwrap_or_default() || !row["ignored"].is_null();
        all.passed.extend(list("requirements").iter().filter(met).map(|row| Passed { name: required(row) }));
        all.found.extend(list("regressions").iter().map(|row| regression(row, report, &roots)));
        all.found.extend(list("findings").iter().filter_map(finding));
        all.found.extend(nothing_to_check(report, &roots));
        let is_passed_over = |rule: &str| list("not_counted").iter().any(|id| id == rule);
        let is_failure = |rule: &str| rule == NOT_MET || (fails.has(rule) && !is_passed_over(rule));
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        for outcome in &mut all.found {
            outcome.severity = match (is_failure(&outcome.rule), outcome.severity) {
                (true, _) => Severity::Error,
                (false, Severity::Error) => Severity::Warning,
                (false, less) => less,
            };
            // Two releases in one run differ in nothing but versions, and a server would drop one of them.
            let before = seen.entry(outcome.fingerprint.clone()).or_default();
            if *before > 0 {
                outcome.fingerprint = hash(&format!("{}\0{before}", outcome.fingerprint));
            }
            *before += 1;
        }
        all
    }
}

impl Outcome {
    /// Its places for forms that take one place for each: all roots that have it, else the first file; with a fingerprint for each.
    pub fn apart(&self) -> Vec<(&Place, String)> {
        let shown =
            if self.is_of_roots { self.places.as_slice() } else { self.places.get(..1).unwrap_or_default() };
        let print = |at: usize| match at {
            0 => self.fingerprint.clone(),
            _ => hash(&format!("{}\0place {at}", self.fingerprint)),
        };
        shown.iter().enumerate().map(|(at, place)| (place, print(at))).collect()
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn severity(value: &Value) -> Severity {
    let all = [Severity::Error, Severity::Warning];
    all.into_iter().find(|own| value == own.name()).unwrap_or(Severity::Note)
}

/// A finding; where it names no file, it is about these roots.
fn finding(row: &Value, roots: &[String]) -> Option<Outcome> {
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
    let mut places: Vec<Place> = row["locations"].as_array().into_iter().flatten().map(place).collect();
    let is_sum = !places.is_empty() && places.iter().all(|place| roots.contains(&place.path));
    let is_nowhere = places.iter().all(|place| place.path.is_empty());
    let own = if is_nowhere { message.clone() } else { places.first().map(|at| at.path.clone())? };
    if is_nowhere {
        let what = places.first().map(|place| place.what.clone()).unwrap_or_default();
        places = whole(roots);
        places.iter_mut().for_each(|place| place.what.clone_from(&what));
    }
    let is_of_roots = is_sum || is_nowhere;
    if is_of_roots && places.len() > 1 {
        message.push_str(&format!(" In {}.", named(&places)));
    }
    let (rule, fingerprint) = (id.to_owned(), fingerprint(id, target.as_deref(), &own));
    Some(Outcome {
        rule,
        severity: severity(&row["severity"]),
        judged: None,
        message,
        target,
        places,
        is_of_roots,
        fingerprint,
    })
}

/// Roots as places; one that is nowhere, where there are none.
fn whole(roots: &[String]) -> Vec<Place> {
    let place = |root: &String| Place { path: root.clone(), ..Place::default() };
    if roots.is_empty() { vec![Place::default()] } else { roots.iter().map(place).collect() }
}

/// Places in words: `a.whl (12 bytes), b.whl`.
fn named(places: &[Place]) -> String {
    let name = |place: &Place| match place.what.as_str() {
        "" => place.path.clone(),
        what => format!("{} ({what})", place.path),
    };
    places.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// `gfx1030 in rocBLAS`, and of several copies in which.
fn required(row: &Value) -> String {
    let folder = if row["tensile"] == true { "'s library folder" } else { "" };
    let place = row["place"].as_str().map(|place| format!(" of {place}")).unwrap_or_default();
    format!("{} in {}{folder}{place}", text(&row["processor"]), text(&row["library"]))
}

fn requirement(row: &Value) -> Option<Outcome> {
    if row["is_met"].as_bool()? || !row["ignored"].is_null() {
        return None;
    }
    let paths = |name: &str| -> Vec<String> {
        row[name].as_array().into_iter().flatten().map(|path| text(path).to_owned()).collect()
    };
    let (lacking, judged) = (paths("lacking"), paths("places"));
    let has = row["coverage"].as_str().unwrap_or("not here");
    let files = match (lacking.is_empty(), row["place"].is_null()) {
        (false, _) => format!("; not in {}", lacking.join(", ")),
        (true, true) => format!(", in {}", judged.join(", ")),
        (true, false) => String::new(),
    };
    let message = match row["before"].as_str() {
        Some(before) => {
            format!("{} got worse than in the baseline: it was {before}, and is {has}{files}.", required(row))
        }
        None => format!("{} is required: {has}{files}.", required(row)),
    };
    let target = row["processor"].as_str().map(str::to_owned);
    let own = format!("{}\0{}", required(row), lacking.first().or(judged.first())?);
    let fingerprint = fingerprint(NOT_MET, target.as_deref(), &own);
    let is_of_roots = lacking.is_empty();
    let places = whole(if is_of_roots { &judged } else { &lacking });
    Some(Outcome {
        rule: NOT_MET.into(),
        judged: Some(required(row)),
        severity: Severity::Error,
        message,
        target,
        places,
        is_of_roots,
        fingerprint,
    })
}

/// Targets are required, and there is no library that could have them.
fn nothing_to_check(report: &Value, roots: &[String]) -> Option<Outcome> {
    let required: Vec<&str> = report["required"].as_array()?.iter().map(text).collect();
    let is_nothing = report["requirements"].as_array()?.is_empty() && report["baseline"].is_null();
    let required = (is_nothing && !required.is_empty()).then(|| required.join(", "))?;
    let known = if report["complete"] == true { "" } else { ", as far as it could be read" };
    let message = format!(
        "{required} is required: no library here carries device code{known}, in {}.",
        roots.join(", ")
    );
    Some(of_roots(NOT_MET, message, &required, roots))
}

/// The roots of a side of a comparison.
fn side(side: &Value) -> Vec<String> {
    // Those of a saved report may be nowhere any more.
    if side["saved"] == true {
        return vec![text(&side["path"]).to_owned()];
    }
    side["roots"].as_array().into_iter().flatten().map(|root| text(root).to_owned()).collect()
}

/// What got worse: whether it fails the run is for its caller to say.
fn regression(row: &Value, report: &Value, roots: &[String]) -> Outcome {
    let what = text(&row["what"]);
    let [old, new] = ["old", "new"].map(|side| text(&report[side]["path"]));
    // It begins with the name of a library or of a file, which stays as it is.
    of_roots(text(&row["kind"]), format!("{what} ({new}, compared with {old})."), what, roots)
}

/// What is so of roots as a whole, which the message names.
fn of_roots(rule: &str, message: String, own: &str, roots: &[String]) -> Outcome {
    Outcome {
        rule: rule.to_owned(),
        severity: Severity::Warning,
        judged: Some(own.to_owned()),
        message,
        target: None,
        places: whole(roots),
        is_of_roots: true,
        fingerprint: fingerprint(rule, None, own),
    }
}

/// What is the same in two releases; `own` is a path, or what else tells it from others of its rule.
fn fingerprint(rule: &str, target: Option<&str>, own: &str) -> String {
    hash(&format!("{rule}\0{}\0{}", target.unwrap_or_default(), without_numbers(own)))
}

fn hash(text: &str) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(text.as_bytes()))
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
