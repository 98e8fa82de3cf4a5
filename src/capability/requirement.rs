//! Requirements: targets that libraries must have, and whether they do.

use super::Capability;
use super::coverage::{Coverage, CoverageCell, LibraryRow};
use super::verdict::{Answer, LibraryVerdict, Verdict};
use crate::locator::Locator;
use crate::scan::library_names::{self, Role};
use crate::target::TargetId;
use globset::GlobMatcher;
use std::borrow::Cow;
use std::fmt;

/// What is required.
#[derive(Debug, Clone, Copy)]
pub struct Required<'r> {
    /// Target IDs that each library must have.
    pub targets: &'r [TargetId],
    /// Libraries that must have them; every library with device code where none is named.
    pub libraries: &'r [String],
    /// Whether every file and every bundle must have them.
    pub per_file: bool,
    /// What libraries had before, which must not get worse.
    pub before: &'r [Before],
    /// What is not required after all.
    pub ignores: &'r [Ignore],
}

/// What a library had for a processor in an earlier report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before {
    /// The library.
    pub library: String,
    /// Whether it is of the library's Tensile folder.
    pub tensile: bool,
    /// The processor.
    pub processor: String,
    /// What was there.
    pub coverage: Coverage,
}

/// Something that is not to fail, with the reason of who says so.
#[derive(Debug, Clone)]
pub struct Ignore {
    /// The rule of findings.
    pub rule: Option<String>,
    /// The processor of a requirement or a finding.
    pub processor: Option<String>,
    /// The library of a requirement.
    pub library: Option<String>,
    /// The path of a finding's first place.
    pub path: Option<GlobMatcher>,
    /// Why.
    pub reason: String,
}

impl Ignore {
    /// Whether it is about a requirement: those that name a rule or a path are about findings.
    pub fn is_of_requirement(&self, library: &str, processor: &str) -> bool {
        self.rule.is_none()
            && self.path.is_none()
            && self
                .processor
                .as_deref()
                .is_none_or(|own| own == processor || Some(own) == processor.split(':').next())
            && self.library.as_deref().is_none_or(|own| own.eq_ignore_ascii_case(library))
    }

    /// Whether it is about a finding of a rule, for a target, at a path.
    pub fn is_of_finding(&self, rule: &str, processor: Option<&str>, path: &str) -> bool {
        self.rule.as_deref() == Some(rule)
            && self.processor.as_deref().is_none_or(|own| processor == Some(own))
            && self.path.as_ref().is_none_or(|glob| glob.is_match(path))
    }
}

impl fmt::Display for Ignore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.as_ref().map(|glob| glob.glob().glob().to_owned());
        let parts = [&self.rule, &self.processor, &self.library, &path];
        f.write_str(&parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" "))
    }
}

/// The code that a requirement found.
#[derive(Debug, Clone, Copy)]
pub struct FoundCode<'a> {
    /// Number of code objects.
    pub code_objects: u64,
    /// Number of kernels.
    pub kernels: u64,
    /// Where the first code object is.
    pub first: Option<&'a Locator>,
}

impl<'a> FoundCode<'a> {
    fn of_cell(cell: &CoverageCell<'a>) -> Option<Self> {
        let CoverageCell { code_objects, kernels, first, .. } = *cell;
        (code_objects > 0).then_some(FoundCode { code_objects, kernels, first })
    }
}

/// Whether a library has a target.
#[derive(Debug)]
pub struct Requirement<'a> {
    /// The processor, with its features where they were required.
    pub processor: String,
    /// The library.
    pub library: String,
    /// Whether it is of the library's Tensile folder.
    pub tensile: bool,
    /// The root or the package that it lies in, where the library lies in several.
    pub place: Option<&'a str>,
    /// Whether the requirement is met.
    pub is_met: bool,
    /// What is there; nothing where the library is not.
    pub coverage: Option<Coverage>,
    /// Why it is not met although the library runs, or has code.
    pub why: Option<Cow<'a, str>>,
    /// What was there before, where that is why it is required.
    pub before: Option<Coverage>,
    /// Why it does not count, where it is ignored.
    pub ignored: Option<&'a str>,
    /// Its code for the target, if files were read.
    pub code: Option<FoundCode<'a>>,
    /// Files that have no kernel for it.
    pub lacking: Vec<&'a str>,
}

/// Targets in groups in which no processor stands twice: what a library has for `gfx90a:xnack+` and for
/// `gfx90a:xnack-` are two answers.
pub fn groups(targets: &[TargetId]) -> Vec<Vec<TargetId>> {
    let mut groups: Vec<Vec<TargetId>> = Vec::new();
    for target in targets {
        let is_free =
            |group: &&mut Vec<TargetId>| group.iter().all(|other| other.processor != target.processor);
        let is_there = groups.iter().flatten().any(|other| other == target);
        match groups.iter_mut().find(is_free) {
            _ if is_there => {}
            Some(group) => group.push(target.clone()),
            None => groups.push(vec![target.clone()]),
        }
    }
    groups
}

/// What one part of a library has for a required target: of a tree, or by a manifest.
#[derive(Debug)]
pub struct AskedLibrary<'a> {
    /// The library.
    pub library: &'a str,
    /// Its role.
    pub role: Role,
    /// Whether it is the library's Tensile folder.
    pub tensile: bool,
    /// The root or the package that it lies in, where the library lies in several.
    pub place: Option<&'a str>,
    /// What is there; nothing if that is not known.
    pub coverage: Option<Coverage>,
    /// What the verdict says of the library, and why.
    pub verdict: Option<(Answer, Cow<'a, str>)>,
    /// Its code for the target, if files were read.
    pub code: Option<FoundCode<'a>>,
    /// Files that have no kernel for it.
    pub lacking: Vec<&'a str>,
}

/// One row for each target and library. `found` must have been asked for the targets, and no two of these may
/// be of one processor: [`groups`].
pub fn check<'a>(found: &'a Capability<'a>, required: &Required<'a>) -> Vec<Requirement<'a>> {
    let mut rows = Vec::new();
    for (place, target) in found.targets.iter().enumerate() {
        let Some(asked) = required.targets.iter().find(|asked| asked.processor == target.processor) else {
            continue;
        };
        let of_row = |row: &'a LibraryRow<'a>| {
            let cell = row.cells.get(place)?;
            let own = verdict_of(&found.verdicts, &target.processor, row);
            Some(AskedLibrary {
                library: row.part.library,
                role: library_names::role(row.part.library),
                tensile: row.part.tensile,
                place: row.part.place,
                coverage: Some(cell.coverage),
                verdict: own
                    .filter(|own| own.answer != Answer::Not || own.coverage.runs())
                    .map(|own| (own.answer, Cow::Borrowed(own.reason.as_str()))),
                code: FoundCode::of_cell(cell),
                lacking: lacking(cell),
            })
        };
        rows.extend(of_target(
            &asked.to_string(),
            found.matrix.iter().filter_map(of_row).collect(),
            required,
        ));
    }
    rows.extend(required.before.iter().filter_map(|before| worse(found, before)));
    ignore(&mut rows, required.ignores);
    rows
}

/// The rows of one required target; one for each library that is named and not here.
pub fn of_target<'a>(
    target: &str,
    libraries: Vec<AskedLibrary<'a>>,
    required: &Required<'a>,
) -> Vec<Requirement<'a>> {
    let only_loose = !libraries.iter().any(|own| own.role.decides());
    let is_named = |name: &str| required.libraries.iter().any(|own| own.eq_ignore_ascii_case(name));
    let missing = required.libraries.iter();
    let missing = missing.filter(|name| !libraries.iter().any(|own| name.eq_ignore_ascii_case(own.library)));
    let missing: Vec<Requirement<'a>> = missing
        .map(|name| Requirement {
            processor: target.to_owned(),
            library: name.clone(),
            tensile: false,
            place: None,
            is_met: false,
            coverage: None,
            why: None,
            before: None,
            ignored: None,
            code: None,
            lacking: Vec::new(),
        })
        .collect();
    let asked = libraries.into_iter().filter(|own| match required.libraries {
        [] => is_asked(own.role, only_loose),
        _ => is_named(own.library),
    });
    let row = |own: AskedLibrary<'a>| {
        let runs = own.coverage.is_some_and(Coverage::runs);
        // A library that has code and does not run is refused; one without code that compiles it has none here.
        let why = match own.verdict {
            Some((Answer::Not, reason)) if runs => Some(reason),
            Some((Answer::Compiles, _)) if !runs => Some(Cow::Borrowed(COMPILED)),
            Some((Answer::Unknown, reason)) if own.coverage.is_none() => Some(reason),
            _ => None,
        };
        let is_refused = runs && why.is_some();
        Requirement {
            processor: target.to_owned(),
            library: own.library.to_owned(),
            tensile: own.tensile,
            place: own.place,
            is_met: own.coverage.is_some_and(|own| is_met(own, required.per_file)) && !is_refused,
            coverage: own.coverage,
            why,
            before: None,
            ignored: None,
            code: own.code,
            lacking: own.lacking,
        }
    };
    asked.map(row).chain(missing).collect()
}

/// Marks the rows that are not to fail.
pub fn ignore<'a>(rows: &mut [Requirement<'a>], ignores: &'a [Ignore]) {
    for row in rows {
        let ignore = ignores.iter().find(|ignore| ignore.is_of_requirement(&row.library, &row.processor));
        row.ignored = ignore.filter(|_| !row.is_met).map(|ignore| ignore.reason.as_str());
    }
}

/// Whether a library must have the targets that are required of all: not one that is there for every GPU, nor
/// code objects that no library has, beside such that one has.
fn is_asked(role: Role, only_loose: bool) -> bool {
    match role {
        Role::Runtime | Role::Firmware => false,
        Role::Loose => only_loose,
        Role::Needed | Role::Optional | Role::Compiler | Role::Wrapper | Role::Tool => true,
    }
}

/// Why a requirement is not met of a library that runs all the same.
const COMPILED: &str = "the files have no kernels for it: the library compiles its kernels on the card";

/// What the verdict on a processor says of a library.
fn verdict_of<'v, 'a>(
    verdicts: &'v [Verdict<'a>],
    processor: &str,
    row: &LibraryRow<'_>,
) -> Option<&'v LibraryVerdict<'a>> {
    let verdict = verdicts.iter().find(|verdict| verdict.processor == processor)?;
    let is_it = |own: &&LibraryVerdict<'_>| own.library == row.part.library && own.place == row.part.place;
    verdict.libraries.iter().find(is_it)
}

/// What is worse than it was: one row, which is not met.
fn worse<'a>(found: &Capability<'a>, before: &Before) -> Option<Requirement<'a>> {
    let place = found.targets.iter().position(|target| target.processor == before.processor)?;
    let rows = found
        .matrix
        .iter()
        .filter(|row| row.part.library == before.library && row.part.tensile == before.tensile);
    let cells = rows.filter_map(|row| row.cells.get(place));
    // Of several copies the best is compared.
    let best = cells.min_by_key(|cell| cell.coverage.rank());
    let is_worse =
        best.map_or(before.coverage != Coverage::Absent, |now| now.coverage.rank() > before.coverage.rank());
    is_worse.then(|| Requirement {
        processor: before.processor.clone(),
        library: before.library.clone(),
        tensile: before.tensile,
        place: None,
        is_met: false,
        coverage: best.map(|cell| cell.coverage),
        why: None,
        before: Some(before.coverage),
        ignored: None,
        code: best.and_then(FoundCode::of_cell),
        lacking: best.map(lacking).unwrap_or_default(),
    })
}

fn lacking<'a>(cell: &CoverageCell<'a>) -> Vec<&'a str> {
    cell.files.as_ref().map(|files| files.without.clone()).unwrap_or_default()
}

/// Whether a coverage is enough; `per_file`, for every file and bundle.
fn is_met(coverage: Coverage, per_file: bool) -> bool {
    match coverage {
        Coverage::Native | Coverage::FallbackOnly | Coverage::Generic | Coverage::RunTime => true,
        Coverage::SomeFiles | Coverage::Partial => !per_file,
        Coverage::Translated
        | Coverage::Broken
        | Coverage::NotKnown
        | Coverage::NoKernels
        | Coverage::Absent => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_a_processor_are_asked_apart() {
        let targets = ["gfx90a:xnack+", "gfx1030", "gfx90a:xnack-", "gfx1030", "gfx90a"];
        let targets: Vec<TargetId> = targets.iter().filter_map(|text| TargetId::parse(text)).collect();
        let texts = |group: &Vec<TargetId>| group.iter().map(ToString::to_string).collect::<Vec<_>>();
        let groups: Vec<Vec<String>> = groups(&targets).iter().map(texts).collect();
        assert_eq!(groups, [vec!["gfx90a:xnack+", "gfx1030"], vec!["gfx90a:xnack-"], vec!["gfx90a"]]);
    }
}
