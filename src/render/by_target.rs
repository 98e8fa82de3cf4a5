//! The first screen of a report if the user asked about no target: which targets are alike, and what runs on
//! them.

use super::block::{Block, ListLine};
use super::style::{Style, Tone, plural};
use super::verdict::{place_name, rank, short, shown, sign};
use crate::report::v1::{Answer, CompilerSign, LibraryVerdict, Report, Severity, Verdict};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// Most groups of targets to show.
const GROUPS: usize = 7;

/// Most libraries to name in one clause.
const NAMES: usize = 6;

/// Most findings to name.
const FINDINGS: usize = 4;

pub(super) fn blocks(report: &Report, style: &Style) -> Vec<Block> {
    let groups = groups(&report.verdicts);
    let mut items = Vec::new();
    if groups.is_empty() && !report.targets.is_empty() {
        let mut compilers: Vec<&str> = Vec::new();
        for row in report.run_time_compilers.iter().filter(|row| row.sign != CompilerSign::CallsIt) {
            // It may be here and be called by another file as well.
            if !compilers.contains(&row.name.as_str()) {
                compilers.push(&row.name);
            }
        }
        let (answer, text) = match &compilers[..] {
            [] => (
                Answer::Unknown,
                "only kernels of the runtime are here, for memory: what runs on a GPU is not known [observed]".to_owned(),
            ),
            names => (
                Answer::Compiles,
                format!("only kernels of the runtime are here; others are compiled on the card, by {}", names.join(", ")),
            ),
        };
        let (glyph, _, tone) = sign(answer, style);
        items.push(ListLine { tone, label: glyph.to_owned(), text });
    }
    for (clauses, verdicts) in groups.iter().take(GROUPS) {
        let (glyph, _, tone) =
            sign(verdicts.first().map_or(Answer::Unknown, |verdict| together(verdict)), style);
        let names: Vec<&str> = verdicts.iter().map(|verdict| verdict.processor.as_str()).collect();
        items.push(ListLine { tone, label: glyph.to_owned(), text: names.join(" ") });
        let why = verdicts.first().and_then(|first| why(first)).unwrap_or_default();
        let text = format!("  {clauses}{}", style.hint(&why));
        items.push(ListLine { tone: Tone::Dim, label: String::new(), text });
    }
    if let Some(more) = groups.get(GROUPS..).filter(|more| !more.is_empty()) {
        let targets: usize = more.iter().map(|(_, verdicts)| verdicts.len()).sum();
        let text = format!(
            "{} in other mixtures{}",
            plural(targets as u64, "more target", "more targets"),
            style.hint(" (--full)")
        );
        items.push(ListLine { tone: Tone::Dim, label: " ".into(), text });
    }
    let mut blocks = vec![Block::Space];
    if !items.is_empty() {
        blocks.push(Block::Items(items));
    }
    // Without a verdict all tables follow, and the findings among them.
    if !report.verdicts.is_empty() {
        blocks.extend(findings(report, style));
    }
    blocks
}

/// One program rarely uses all libraries of a tree: if some run and others do not, the target has limits.
fn together(verdict: &Verdict) -> Answer {
    let answers: Vec<Answer> = shown(verdict).map(|library| library.answer).collect();
    match verdict.answer {
        Answer::Not if answers.iter().any(|answer| *answer != Answer::Not) => Answer::Limits,
        answer => answer,
    }
}

/// How to see why something of a group is not known, where its line has no room for that.
fn why(verdict: &Verdict) -> Option<String> {
    let unknown = shown(verdict).any(|library| library.answer == Answer::Unknown);
    unknown.then(|| format!(" (why: --arch {})", verdict.processor))
}

/// Groups targets that the same libraries serve in the same way, best first.
fn groups(verdicts: &[Verdict]) -> Vec<(String, Vec<&Verdict>)> {
    let mut groups: Vec<(String, Vec<&Verdict>)> = Vec::new();
    for verdict in verdicts {
        let clauses = clauses(verdict);
        match groups.iter_mut().find(|(known, _)| *known == clauses) {
            Some((_, members)) => members.push(verdict),
            None => groups.push((clauses, vec![verdict])),
        }
    }
    // If many libraries lack a target, little of the tree serves it.
    let lacking = |verdict: &Verdict| verdict.libraries.iter().filter(|l| l.answer == Answer::Not).count();
    groups.sort_rows_by_key(|(_, members)| {
        members.first().map(|first| (rank(together(first)), lacking(first)))
    });
    groups
}

/// What the libraries do, in one clause for all that do the same.
fn clauses(verdict: &Verdict) -> String {
    let mut by_words: KeyMap<(u8, &str), Vec<&LibraryVerdict>> = KeyMap::new();
    for library in shown(verdict) {
        by_words.entry((rank(library.answer), short(library))).or_default().push(library);
    }
    // What stands below a sign is not to say the contrary: that nothing is known although a part runs.
    let is_open =
        verdict.answer == Answer::Unknown && shown(verdict).all(|one| one.answer != Answer::Unknown);
    if by_words.is_empty() || is_open {
        return verdict.headline.clone();
    }
    let clause = |((_, words), libraries): (&(u8, &str), &Vec<&LibraryVerdict>)| {
        let mut names: Vec<String> = libraries.iter().map(|library| place_name(library)).collect();
        names.sort_rows_by_key(|name| name.to_lowercase());
        let more = names.len().saturating_sub(NAMES);
        names.truncate(NAMES);
        let mut text = names.join(", ");
        if more > 0 {
            text.push_str(&format!(" and {more} more"));
        }
        match *words {
            words @ ("runs" | "compiles on the card") if libraries.len() == 1 => format!("{text} {words}"),
            "runs" => format!("{text} run"),
            "compiles on the card" => format!("{text} compile on the card"),
            words => format!("{text}: {words}"),
        }
    };
    by_words.iter().map(clause).collect::<Vec<_>>().join("; ")
}

/// The number of findings on the asked targets, and the worst ones.
pub(super) fn findings(report: &Report, style: &Style) -> Vec<Block> {
    let is_asked = |target: &String| {
        report.asked.is_empty()
            || report.verdicts.iter().any(|one| target.split(':').next() == Some(&one.processor))
    };
    let severe: Vec<_> = report
        .findings
        .iter()
        .filter(|found| found.severity != Severity::Note && found.target.as_ref().is_none_or(is_asked))
        .collect();
    let count = |severity| severe.iter().filter(|found| found.severity == severity).count() as u64;
    let Some(worst) = severe.first() else { return Vec::new() };
    let mut ids: Vec<&str> = severe.iter().map(|found| found.id.as_str()).collect();
    ids.dedup();
    let more = ids.len().saturating_sub(FINDINGS);
    ids.truncate(FINDINGS);
    let mut text = format!(
        "{}, {}: {}",
        plural(count(Severity::Error), "error", "errors"),
        plural(count(Severity::Warning), "warning", "warnings"),
        ids.join(", ")
    );
    if more > 0 {
        text.push_str(&format!(" and {more} more kinds"));
    }
    let tone = if worst.severity == Severity::Error { Tone::Bad } else { Tone::Partial };
    let hint = format!(" (--full; `rocm-audit explain {}`)", worst.id);
    text.push_str(style.hint(&hint));
    vec![Block::Space, Block::Items(vec![ListLine { tone, label: "findings".into(), text }])]
}
