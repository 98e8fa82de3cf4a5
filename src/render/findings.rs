//! Findings, the same in every report: the fact, its effect, the advice, and the places.

use super::block::{Block, ListLine};
use super::style::{Style, Tone, plural, thousands};
use crate::report::v1::{Confidence, Evidence, Finding, Found, Location, Severity, SeverityCounts};
use std::collections::BTreeSet;

/// Locations shown without `-v`: for an error, and for anything less.
const PLACES: (usize, usize) = (5, 1);

/// Longest location shown without `-v`, in characters. Names of kernels are long.
const PLACE_LENGTH: usize = 180;

/// All findings below a heading; empty without findings. `base` is cut from the beginning of paths.
pub(super) fn section(findings: &[Finding], base: &str, style: &Style) -> Vec<Block> {
    let shown: Vec<&Finding> = findings.iter().collect();
    section_of(&shown, base, style)
}

/// Like [`section`], without findings on possible savings, which have their own table.
pub(super) fn section_without_waste(findings: &[Finding], style: &Style) -> Vec<Block> {
    let waste =
        |f: &&Finding| crate::finding::rules::of_id(&f.id).is_some_and(|rule| rule.topic() == "waste");
    let shown: Vec<&Finding> = findings.iter().filter(|f| !waste(f)).collect();
    section_of(&shown, "", style)
}

fn section_of(findings: &[&Finding], base: &str, style: &Style) -> Vec<Block> {
    if findings.is_empty() {
        return Vec::new();
    }
    let heading = format!("Findings: {}", severities(&SeverityCounts::from_found(findings.iter().copied())));
    let mut blocks = vec![Block::Heading(heading)];
    let mut last = None;
    for finding in findings {
        if last != Some(&finding.id) {
            let alike = findings.iter().filter(|other| other.id == finding.id);
            let known: BTreeSet<&str> = alike.map(|other| other.known.name()).collect();
            blocks.push(Block::Items(head(finding, &known)));
        }
        last = Some(&finding.id);
        blocks.push(Block::Lines(places(finding, base, style)));
    }
    blocks
}

/// Says that the answer is partial if something could not be read.
pub(super) fn incomplete(found: &Found) -> Vec<Block> {
    let text = "Not all that was asked about could be read: the answer is of the part that was.";
    let said = || vec![Block::Space, Block::Text(Tone::Bad, text.into())];
    if found.complete { Vec::new() } else { said() }
}

/// Findings next to an answer, in one or two lines each.
pub(super) fn items(findings: &[Finding]) -> Option<Block> {
    let item = |found: &Finding| {
        let mut text = format!("{}: {}", found.id, found.what);
        if !found.detail.is_empty() {
            text.push_str(&format!(": {}", found.detail));
        }
        for place in found.locations.iter().filter(|at| !at.path.is_empty()).take(1) {
            text.push_str(&format!(" ({})", self::place(place, "")));
        }
        let known = basis(found.effect_known);
        text.push_str(&format!(
            " [{}]. Then {} ({known}). {}",
            found.known.name(),
            found.effect,
            sentence(&found.advice)
        ));
        ListLine { tone: tone(found.severity), label: found.severity.name().to_owned(), text }
    };
    (!findings.is_empty()).then(|| Block::Items(findings.iter().map(item).collect()))
}

/// Turns a clause into a sentence.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}

/// The text of a rule, once for all its findings.
fn head(finding: &Finding, known: &BTreeSet<&str>) -> Vec<ListLine> {
    let plain = |label: &str, text: String| ListLine { tone: Tone::Plain, label: label.into(), text };
    // Some findings may be observed and others inferred; then each says so itself.
    let known = known.iter().copied().collect::<Vec<_>>().join(" or ");
    let what = format!("{}: {} ({known})", finding.id, finding.what);
    let effect = format!("{} ({})", finding.effect, basis(finding.effect_known));
    vec![
        ListLine { tone: tone(finding.severity), label: finding.severity.name().to_owned(), text: what },
        plain("then", effect),
        plain("do", finding.advice.clone()),
    ]
}

/// The number of occurrences of a finding, and their locations.
fn places(finding: &Finding, base: &str, style: &Style) -> Vec<String> {
    let mut parts = Vec::new();
    parts.extend(finding.target.clone());
    if finding.count != 1 {
        parts.push(format!("{} of them", thousands(finding.count)));
    }
    if finding.confidence != Confidence::Certain {
        parts.push(format!("{}, {}", finding.confidence.name(), finding.known.name()));
    }
    let first = match (parts.join(", "), finding.detail.as_str()) {
        (first, "") => first,
        (first, detail) if first.is_empty() => detail.to_owned(),
        (first, detail) => format!("{first}: {detail}"),
    };
    let mut lines = if first.is_empty() { Vec::new() } else { wrapped(&first, 2, style) };
    let most = match (style.verbose, finding.severity) {
        (0, Severity::Error) => PLACES.0,
        (0, _) => PLACES.1,
        _ => finding.locations.len(),
    };
    for location in finding.locations.iter().take(most) {
        let text = place(location, base);
        lines.extend(match text.char_indices().nth(PLACE_LENGTH) {
            Some((at, _)) if style.verbose == 0 => {
                wrapped(&format!("{}…", text.get(..at).unwrap_or_default()), 4, style)
            }
            _ => wrapped(&text, 4, style),
        });
    }
    let more = finding.locations.len().saturating_sub(most) as u64;
    if more > 0 {
        lines.push(format!("    {} more{}", plural(more, "place", "places"), style.hint("; -v lists them")));
    }
    lines
}

/// A location on one line.
fn place(at: &Location, base: &str) -> String {
    let below = Some(base).filter(|base| !base.is_empty()).and_then(|base| at.path.strip_prefix(base));
    let path = below.map_or(at.path.as_str(), |path| path.trim_start_matches('/'));
    let mut text = path.to_owned();
    if let Some(line) = at.line {
        text.push_str(&format!(", line {line}"));
    }
    if let Some(row) = at.row {
        text.push_str(&format!(", row {row}"));
    }
    if let Some(offset) = at.offset {
        let of = if at.unpacked { " of the unpacked content" } else { "" };
        text.push_str(&format!(", offset {offset:#x}{of}"));
    }
    let text = text.trim_start_matches(", ");
    match (text, at.what.as_str()) {
        (place, "") => place.to_owned(),
        ("", what) => what.to_owned(),
        (place, what) => format!("{place}: {what}"),
    }
}

/// How many findings there are of each severity, in words.
pub(super) fn severities(counts: &SeverityCounts) -> String {
    let kinds = [
        (counts.errors, "error", "errors"),
        (counts.warnings, "warning", "warnings"),
        (counts.notes, "note", "notes"),
    ];
    let some: Vec<_> =
        kinds.into_iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| plural(n, one, many)).collect();
    if some.is_empty() { "none".into() } else { some.join(", ") }
}

pub(super) fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Partial,
        Severity::Note => Tone::Plain,
    }
}

/// Explains to a reader how an effect is known.
fn basis(known: Evidence) -> &'static str {
    match known {
        Evidence::Runtime => "measured on a GPU",
        Evidence::StandIn => "measured with the real library, without a GPU",
        Evidence::Code => "read in the source",
        Evidence::Observed => "observed",
        Evidence::Inferred => "inferred",
    }
}

/// A sentence on its own lines, indented; continuation lines by two more.
fn wrapped(sentence: &str, indent: usize, style: &Style) -> Vec<String> {
    let width = usize::from(style.width).saturating_sub(2);
    let mut lines: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("{:1$}{word}", "", indent + 2)),
            None => lines.push(format!("{:1$}{word}", "", indent)),
        }
    }
    lines
}
