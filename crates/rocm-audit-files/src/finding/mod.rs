//! What is wrong with what was read, or worth knowing: one shape for all of it.
//!
//! A [`Finding`] says which [`Rule`] found it, how sure it is and where it shows. The rules stand in
//! [`rules`], each with its severity, its effect and its page; parsers give [`ParseError`]s of a closed set of kinds, and
//! each kind has its rule.

pub mod amount;
pub mod confidence;
pub mod evidence;
pub mod gate;
pub mod location;
pub mod rule;
pub mod rules;
pub mod severity;

use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use confidence::Confidence;
use evidence::Evidence;
use location::Location;
use rule::Rule;
use rules::read;
use severity::Severity;
use std::fmt;

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub rule: &'static Rule,
    /// How sure it is.
    pub confidence: Confidence,
    /// How the effect is known, which the rule says for most.
    pub effect_known: Evidence,
    /// The target that it is about; none where it is about all.
    pub target: Option<String>,
    /// How many there are; `locations` are the first of them.
    pub count: u64,
    /// The numbers behind it, in a sentence; empty where the rule and the locations say all.
    pub detail: String,
    /// Where it shows.
    pub locations: Vec<Location>,
}

impl Finding {
    /// About how much memory it takes, in bytes.
    pub fn memory(&self) -> u64 {
        let places =
            self.locations.iter().map(|place| size_of::<Location>() + place.path.len() + place.what.len());
        (size_of::<Finding>() + self.detail.len() + places.sum::<usize>()) as u64
    }

    /// One finding of a rule, with no place yet.
    pub fn new(rule: &'static Rule) -> Self {
        Finding {
            rule,
            confidence: rule.confidence,
            effect_known: rule.effect_known,
            target: None,
            count: 1,
            detail: String::new(),
            locations: Vec::new(),
        }
    }

    /// One finding at one place.
    pub fn at(rule: &'static Rule, location: Location) -> Self {
        Finding { locations: vec![location], ..Finding::new(rule) }
    }

    /// A finding of a whole file.
    pub fn of_file(rule: &'static Rule, shown: &str, what: impl Into<String>) -> Self {
        Finding::at(rule, Location::file(shown, what))
    }

    /// Bytes of a file that could not be read.
    pub fn of_bytes(shown: &str, error: ParseError) -> Self {
        let location = Location {
            path: shown.to_owned(),
            offset: Some(error.offset()),
            unpacked: error.unpacked(),
            what: error.what().to_owned(),
            ..Location::default()
        };
        Finding::at(rule_of(error.kind()), location)
    }

    /// All bytes of a file that could not be read; if there are too many, the last says how many more.
    pub fn all_of_bytes(shown: &str, errors: &ParseErrors) -> Vec<Self> {
        let mut all: Vec<Self> = errors.iter().map(|e| Self::of_bytes(shown, e.clone())).collect();
        if errors.more() > 0 {
            let what = format!("{} more problems in this file are not listed", errors.more());
            let more = Self::of_file(&read::MALFORMED_BYTES, shown, what);
            all.push(Finding { count: errors.more(), ..more });
        }
        all
    }

    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.rule.severity
    }

    /// Whether something could not be read because of it.
    pub fn is_damage(&self) -> bool {
        self.rule.is_damage
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.locations.first() {
            Some(location) => location.fmt(f),
            None => f.write_str(self.rule.what),
        }
    }
}

/// The rule that a kind of parse error belongs to.
fn rule_of(kind: ParseErrorKind) -> &'static Rule {
    match kind {
        ParseErrorKind::CutEnd => &read::CUT_END,
        ParseErrorKind::Overlap => &read::OVERLAPPING_PARTS,
        ParseErrorKind::WrongSize => &read::WRONG_SIZE,
        ParseErrorKind::WrongHash => &read::WRONG_HASH,
        ParseErrorKind::InflatesTooFar => &read::INFLATES_TOO_FAR,
        ParseErrorKind::TooMany => &read::TOO_MANY_PARTS,
        ParseErrorKind::WorkLimit => &read::WORK_LIMIT,
        ParseErrorKind::DoubledName => &read::DUPLICATE_NAME,
        ParseErrorKind::UnsafePath => &read::UNSAFE_PATH,
        ParseErrorKind::UnknownMethod => &read::UNKNOWN_METHOD,
        ParseErrorKind::Encrypted => &read::ENCRYPTED_MEMBER,
        ParseErrorKind::TooDeep => &read::NESTED_TOO_DEEP,
        ParseErrorKind::OutOfMemory => &read::UNREADABLE_FILE,
        // `Malformed`, and what a later version tells apart of it.
        _ => &read::MALFORMED_BYTES,
    }
}

/// Findings of the same rule, target, confidence and evidence as one, in the order of reports: the worst
/// first, then by the registry, then by target. Places keep their order.
pub fn merged(findings: impl IntoIterator<Item = Finding>) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for finding in findings {
        let key = (finding.rule.id, finding.target.clone(), finding.confidence, finding.detail.clone());
        match places.get(&key).and_then(|at: &usize| all.get_mut(*at)) {
            Some(known) => {
                known.count += finding.count;
                known.locations.extend(finding.locations);
            }
            None => {
                places.insert(key, all.len());
                all.push(finding);
            }
        }
    }
    sort(&mut all);
    all
}

/// Puts findings into the order of reports: the worst first, then by the registry, then by target.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by_cached_key(|f| (f.rule.severity, f.rule.place(), f.target.clone()));
}
