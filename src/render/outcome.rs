//! What a report found, for programs that gate builds: findings, requirements that are not met and what got
//! worse, each as one outcome.

use super::documents::Judged;
use crate::comparison::snapshot::without_numbers;
use crate::finding::gate::Gate;
use crate::finding::location::Location;
use crate::finding::rules;
use crate::finding::severity::Severity;
use crate::report::v1::{
    CheckReport, Coverage, DiffReport, DiffSide, ErrorReport, Finding, Regression, Requirement,
};
use rocm_audit_files::key_map::KeyMap;

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
    pub places: Vec<OutcomePlace>,
    /// Whether its places are whole roots, not files in them.
    pub is_of_roots: bool,
    /// What is the same in two releases: rule, target and path without versions, as one number in
    /// hexadecimal.
    pub fingerprint: String,
}

/// Where an outcome shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OutcomePlace {
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
    /// What an audit says of each processor that was asked about: the processor and the answer in words.
    pub verdicts: Vec<(String, String)>,
    /// Whether all could be read.
    pub complete: bool,
    /// Whether the run was done at all.
    pub was_done: bool,
}

/// The rule of a run that failed.
const FAILED: &str = "run-failed";

/// The rule of a requirement that is not met.
pub(super) const NOT_MET: &str = crate::comparison::check::NOT_MET;

impl Outcomes {
    /// Those of a document. What `fails` names, and a requirement that is not met, is a failure, and so an
    /// error, whatever its rule says. What does not make the run fail is no error either: servers take one
    /// for a failure.
    pub fn judge(document: &Judged<'_>, fails: Gate) -> Self {
        let about: Vec<String> = document.about.iter().map(|path| (*path).to_owned()).collect();
        // What changed between two sides is of the new one.
        let roots = document.diff.map_or_else(|| about.clone(), |diff| side(&diff.new));
        let requirements = document.check.map(|check| check.requirements.as_slice()).unwrap_or_default();
        let met = |row: &&Requirement| row.is_met || row.ignored.is_some();
        let regressions = document.diff.map(|diff| diff.regressions.as_slice()).unwrap_or_default();
        let worse = regressions.iter().zip(std::iter::repeat(document.diff));
        let worse = worse.filter_map(|(row, diff)| Some(regression(row, diff?, &roots)));
        let found = requirements.iter().filter_map(requirement).chain(worse);
        let found = found.chain(document.findings.iter().filter_map(|row| finding(row, &roots)));
        let nothing = document.check.and_then(|check| nothing_to_check(check, &roots));
        let mut all = Outcomes {
            complete: document.complete,
            was_done: true,
            found: found.chain(nothing).collect(),
            verdicts: document
                .verdicts
                .iter()
                .map(|verdict| (verdict.processor.clone(), sentence(&verdict.headline)))
                .collect(),
            passed: requirements.iter().filter(met).map(|row| Passed { name: required(row) }).collect(),
            about,
        };
        let not_counted = document.check.map(|check| check.not_counted.as_slice()).unwrap_or_default();
        let is_passed_over = |rule: &str| not_counted.iter().any(|id| id == rule);
        let always = |rule: &str| rule == rules::waste::SIZE_OVER_BUDGET.id || fails.has(rule);
        let is_failure = |rule: &str| rule == NOT_MET || (always(rule) && !is_passed_over(rule));
        let mut seen: KeyMap<String, u64> = KeyMap::new();
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

    /// The one outcome of a run that failed, and so found nothing.
    pub fn of_failed_run(error: &ErrorReport) -> Self {
        let path = error.path.clone().unwrap_or_default();
        let about: Vec<String> = error.path.iter().cloned().collect();
        let failed = Outcome {
            rule: FAILED.to_owned(),
            severity: Severity::Error,
            judged: None,
            message: sentence(&error.what),
            target: None,
            is_of_roots: true,
            fingerprint: fingerprint(FAILED, None, &path),
            places: vec![OutcomePlace { path, ..OutcomePlace::default() }],
        };
        Outcomes {
            about,
            found: vec![failed],
            passed: Vec::new(),
            verdicts: Vec::new(),
            complete: false,
            was_done: false,
        }
    }
}

impl Outcome {
    /// Its places for forms that take one place for each: all roots that have it, else the first file; with a
    /// fingerprint for each.
    pub fn apart(&self) -> Vec<(&OutcomePlace, String)> {
        let shown =
            if self.is_of_roots { self.places.as_slice() } else { self.places.get(..1).unwrap_or_default() };
        let print = |at: usize| match at {
            0 => self.fingerprint.clone(),
            _ => hash(&format!("{}\0place {at}", self.fingerprint)),
        };
        shown.iter().enumerate().map(|(at, place)| (place, print(at))).collect()
    }
}

/// A finding; where it names no file, it is about these roots.
fn finding(row: &Finding, roots: &[String]) -> Option<Outcome> {
    let target = row.target.clone();
    let mut message = sentence(&row.what);
    for (more, before) in [(&row.detail, ""), (&row.effect, "Then "), (&row.advice, "Do: ")] {
        if !more.is_empty() {
            message.push(' ');
            message.push_str(&sentence(&format!("{before}{more}")));
        }
    }
    let place = |at: &Location| OutcomePlace {
        path: at.path.clone(),
        // An offset into inflated bytes is none of the file.
        offset: at.offset.filter(|_| !at.unpacked),
        line: at.line,
        what: at.what.clone(),
    };
    let mut places: Vec<OutcomePlace> = row.locations.iter().map(place).collect();
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
    let fingerprint = fingerprint(&row.id, target.as_deref(), &own);
    Some(Outcome {
        rule: row.id.clone(),
        severity: row.severity,
        judged: None,
        message,
        target,
        places,
        is_of_roots,
        fingerprint,
    })
}

/// Roots as places; one that is nowhere, if there are none.
fn whole(roots: &[String]) -> Vec<OutcomePlace> {
    let place = |root: &String| OutcomePlace { path: root.clone(), ..OutcomePlace::default() };
    if roots.is_empty() { vec![OutcomePlace::default()] } else { roots.iter().map(place).collect() }
}

/// Places in words: `a.whl (12 bytes), b.whl`.
fn named(places: &[OutcomePlace]) -> String {
    let name = |place: &OutcomePlace| match place.what.as_str() {
        "" => place.path.clone(),
        what => format!("{} ({what})", place.path),
    };
    places.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// `gfx1030 in rocBLAS`, and of several copies in which.
fn required(row: &Requirement) -> String {
    let folder = if row.tensile { "'s library folder" } else { "" };
    let place = row.place.as_ref().map(|place| format!(" of {place}")).unwrap_or_default();
    format!("{} in {}{folder}{place}", row.processor, row.library)
}

fn requirement(row: &Requirement) -> Option<Outcome> {
    if row.is_met || row.ignored.is_some() {
        return None;
    }
    let has = row.coverage.map_or("not here", Coverage::name);
    let files = match (row.lacking.is_empty(), row.place.is_none()) {
        (false, _) => format!("; not in {}", row.lacking.join(", ")),
        (true, true) => format!(", in {}", row.places.join(", ")),
        (true, false) => String::new(),
    };
    let message = match row.before {
        Some(before) => {
            let before = before.name();
            format!("{} got worse than in the baseline: it was {before}, and is {has}{files}.", required(row))
        }
        None => format!("{} is required: {has}{files}.", required(row)),
    };
    let own = format!("{}\0{}", required(row), row.lacking.first().or(row.places.first())?);
    let is_of_roots = row.lacking.is_empty();
    Some(Outcome {
        rule: NOT_MET.into(),
        judged: Some(required(row)),
        severity: Severity::Error,
        message,
        target: Some(row.processor.clone()),
        places: whole(if is_of_roots { &row.places } else { &row.lacking }),
        is_of_roots,
        fingerprint: fingerprint(NOT_MET, Some(&row.processor), &own),
    })
}

/// Targets are required, and there is no library that could have them.
fn nothing_to_check(check: &CheckReport, roots: &[String]) -> Option<Outcome> {
    let is_nothing = check.requirements.is_empty() && check.baseline.is_none();
    let required = (is_nothing && !check.required.is_empty()).then(|| check.required.join(", "))?;
    let known = if check.complete { "" } else { ", as far as it could be read" };
    let message = format!(
        "{required} is required: no library here carries device code{known}, in {}.",
        roots.join(", ")
    );
    Some(of_roots(NOT_MET, message, &required, roots))
}

/// The roots of a side of a comparison.
fn side(side: &DiffSide) -> Vec<String> {
    // Those of a saved report may be nowhere any more.
    if side.saved { vec![side.path.clone()] } else { side.roots.clone() }
}

/// What got worse: whether it fails the run is for its caller to say.
fn regression(row: &Regression, diff: &DiffReport, roots: &[String]) -> Outcome {
    let (what, old, new) = (&row.what, &diff.old.path, &diff.new.path);
    // It begins with the name of a library or of a file, which stays as it is.
    of_roots(row.kind.word(), format!("{what} ({new}, compared with {old})."), what, roots)
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
        None if rule == FAILED => "the run failed, and nothing was looked at",
        None if rule == NOT_MET => "a library has not what is required of it",
        None => "something got worse between two releases",
    }
}
