//! The verdict for a processor: the first screen, and for most readers the only one.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::coverage::words;
use super::style::{Style, Tone, plural};
use crate::capability::variants;
use crate::locator::file_name;
use crate::report::v1::{Answer, Coverage, LibraryRole, LibraryVerdict, Report, Verdict};
use crate::target::Processor;
use std::collections::BTreeSet;

/// Most libraries with a line of their own.
const LINES: usize = 9;

/// Most targets to list.
const HERE: usize = 14;

pub(super) fn blocks(report: &Report, style: &Style) -> Vec<Block> {
    match &report.verdicts[..] {
        [one] => {
            let mut blocks = vec![Block::Space, head(one, style)];
            let more = verdict_blocks(one, style);
            if !more.is_empty() {
                blocks.push(Block::Space);
            }
            blocks.extend(more);
            blocks
        }
        several => side_by_side(several, report, style),
    }
}

/// The verdicts only, one line each.
pub(super) fn heads(report: &Report, style: &Style) -> Vec<Block> {
    let heads = report.verdicts.iter().map(|verdict| head(verdict, style));
    std::iter::once(Block::Space).chain(heads).collect()
}

/// Several processors: one line each, a table of libraries, and what a host with all of them loses.
fn side_by_side(verdicts: &[Verdict], report: &Report, style: &Style) -> Vec<Block> {
    let mut blocks = vec![Block::Space];
    blocks.extend(verdicts.iter().map(|verdict| head(verdict, style)));
    let names: BTreeSet<String> = verdicts.iter().flat_map(shown).map(place_name).collect();
    let columns = verdicts.iter().map(|verdict| Column::left(&verdict.processor));
    let mut table = Table::new(std::iter::once(Column::left("library")).chain(columns));
    for name in names.iter().take(LINES) {
        let cell = |verdict: &Verdict| match verdict.libraries.iter().find(|l| place_name(l) == *name) {
            Some(found) => {
                let (glyph, _, tone) = sign(found.answer, style);
                // There is room for the reasons of two processors.
                let text = match found.answer {
                    _ if verdicts.len() <= 2 => &found.reason,
                    Answer::Runs => words(found.coverage),
                    _ => short(found),
                };
                TableCell::toned(format!("{glyph} {text}"), tone)
            }
            None => TableCell::default(),
        };
        table.row(std::iter::once(TableCell::new(name)).chain(verdicts.iter().map(cell)));
    }
    if !names.is_empty() {
        blocks.extend([Block::Space, Block::Table(table)]);
    }
    let more = names.len().saturating_sub(LINES);
    if more > 0 {
        let text =
            format!("{}{}", plural(more as u64, "more library", "more libraries"), style.hint(" (--full)"));
        blocks.push(Block::Text(Tone::Dim, text));
    }
    let mut items = Vec::new();
    for verdict in verdicts {
        let prefix = |item: ListLine| ListLine { label: verdict.processor.clone(), ..item };
        items.extend(overriding(verdict).map(prefix));
        if !verdict.without_override.is_empty() {
            let text =
                format!("with it, {} stay without code [observed]", verdict.without_override.join(", "));
            items.push(prefix(ListLine { tone: Tone::Partial, label: String::new(), text }));
        }
    }
    let together = report.mixed_host.iter().map(|found| ListLine {
        tone: Tone::Partial,
        label: "together".into(),
        text: format!("{} [{}]", found.text, found.evidence.name()),
    });
    items.extend(together);
    if !items.is_empty() {
        blocks.extend([Block::Space, Block::Items(items)]);
    }
    blocks
}

/// The libraries that matter; the runtime and code objects outside of libraries are left out if there are
/// others.
pub(super) fn shown(verdict: &Verdict) -> impl Iterator<Item = &LibraryVerdict> {
    let is_beside =
        |library: &LibraryVerdict| matches!(library.role, LibraryRole::Runtime | LibraryRole::Loose);
    let alone = verdict.libraries.iter().all(is_beside);
    verdict.libraries.iter().filter(move |library| alone || !is_beside(library))
}

/// The sign and the words of an answer.
pub(super) fn sign(answer: Answer, style: &Style) -> (&'static str, &'static str, Tone) {
    match answer {
        Answer::Runs => (style.pick("✓", "+"), "runs", Tone::Good),
        Answer::Limits => ("~", "runs with limits", Tone::Partial),
        Answer::Compiles => (style.pick("✓", "+"), "compiles on the card", Tone::Good),
        Answer::Unknown => ("?", "not known", Tone::Partial),
        Answer::Not => (style.pick("✗", "x"), "does not run", Tone::Bad),
    }
}

/// Rank of an answer, best first; compiling at run time is no worse than running with limits.
pub(super) fn rank(answer: Answer) -> u8 {
    match answer {
        Answer::Runs => 0,
        Answer::Compiles => 1,
        Answer::Limits => 2,
        Answer::Unknown => 3,
        Answer::Not => 4,
    }
}

/// What a library does, in a few words for a table.
pub(super) fn short(found: &LibraryVerdict) -> &str {
    match found.answer {
        Answer::Runs => "runs",
        Answer::Compiles => "compiles on the card",
        Answer::Unknown => "not known",
        // A program can refuse a processor that it has kernels for.
        Answer::Not if !matches!(found.coverage, Coverage::NoKernels | Coverage::Absent) => {
            "refused by the program's own list"
        }
        Answer::Limits | Answer::Not => words(found.coverage),
    }
}

/// The first of the products with a processor, to stand behind its name; nothing without one.
pub(super) fn first_product(products: &[String]) -> String {
    products.first().map(|product| format!(" ({product})")).unwrap_or_default()
}

/// The conclusion.
fn head(verdict: &Verdict, style: &Style) -> Block {
    let name = first_product(&verdict.products);
    let (glyph, _, tone) = sign(verdict.answer, style);
    let evidence = verdict.evidence.map(|evidence| format!(" [{}]", evidence.name())).unwrap_or_default();
    Block::Text(tone, format!("{glyph} {}{name}: {}{evidence}", verdict.processor, verdict.headline))
}

fn verdict_blocks(verdict: &Verdict, style: &Style) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut items = Vec::new();
    let mut said: Option<&str> = None;
    let libraries: Vec<&LibraryVerdict> = shown(verdict).collect();
    for found in libraries.iter().take(LINES) {
        // The consequence is stated once.
        items.push(library(found, found.then.as_deref().filter(|then| said != Some(then)), style));
        said = found.then.as_deref().or(said);
    }
    let more = libraries.get(LINES..).unwrap_or_default();
    if !more.is_empty() {
        let count = |answer: Answer| more.iter().filter(|l| l.answer == answer).count();
        let parts = [Answer::Not, Answer::Unknown, Answer::Limits, Answer::Compiles, Answer::Runs]
            .map(|answer| (count(answer), answer));
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, answer)| format!("{n} {}", sign(answer, style).1))
            .collect();
        let more = plural(more.len() as u64, "more library", "more libraries");
        let text = format!("{more}: {}{}", parts.join(", "), style.hint(" (--full)"));
        items.push(ListLine { tone: Tone::Dim, label: " ".into(), text });
    }
    for file in verdict.damaged.iter().take(3) {
        let (glyph, _, tone) = sign(Answer::Unknown, style);
        let text = format!("what it has is not known: {}", file.what);
        let name = file_name(&file.path);
        items.push(ListLine { tone, label: format!("{glyph} {name}"), text });
    }
    if !items.is_empty() {
        blocks.push(Block::Items(items));
    }
    blocks.extend(instead(verdict));
    blocks
}

fn library(found: &LibraryVerdict, then: Option<&str>, style: &Style) -> ListLine {
    // It has its own kernels, but a library that it calls does not run.
    let is_held_up = found.needs.iter().any(|need| need.answer == Some(Answer::Not));
    let answer = if is_held_up && found.answer == Answer::Runs { Answer::Limits } else { found.answer };
    let (glyph, _, tone) = sign(answer, style);
    let mut text = format!("{} [{}]", found.reason, found.evidence.name());
    if let Some(then) = then {
        text.push_str(&format!("; {then} [code]"));
    }
    let here = found.needs.iter().filter_map(|need| Some((need, need.answer?)));
    let here: Vec<String> =
        here.map(|(need, answer)| format!("{}: {}", need.soname, sign(answer, style).1)).collect();
    if !here.is_empty() {
        text.push_str(&format!("; needs {}", here.join(", ")));
    }
    let elsewhere = found.needs.iter().filter(|need| need.answer.is_none());
    let elsewhere: Vec<&str> = elsewhere.map(|need| need.soname.as_str()).collect();
    if !elsewhere.is_empty() {
        text.push_str(&format!("; also needs {}, not here (`needs` has all)", elsewhere.join(", ")));
    }
    ListLine { tone, label: format!("{glyph} {}", place_name(found)), text }
}

/// A library's name, with its place if it lies in several.
pub(super) fn place_name(found: &LibraryVerdict) -> String {
    super::coverage::name_of(&found.library, false, found.place.as_deref())
}

/// What the best override would achieve.
fn overriding(verdict: &Verdict) -> Option<ListLine> {
    if verdict.only_on_windows {
        let text = "none: HSA_OVERRIDE_GFX_VERSION is of Linux, and the code of neighbours here is in files of Windows [code]";
        return Some(ListLine { tone: Tone::Plain, label: "override".into(), text: text.into() });
    }
    let best = verdict.overrides.first()?;
    let loads = if best.is_legal { "loads" } else { "would load" };
    let text = format!(
        "HSA_OVERRIDE_GFX_VERSION={} {loads} the {} code (Linux). {} [{}]",
        best.value,
        best.processor,
        best.answer.sentence(&best.because),
        best.evidence.name()
    );
    let paths = |paths: &[String]| {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        variants::words(&paths)
    };
    let lost = match &best.lost_by[..] {
        [] => String::new(),
        lost => format!("; {}, with code for {} only, do not run with it", paths(lost), verdict.processor),
    };
    // If every library has some code, say that the override helps only some of their files.
    let needed = match &best.needed_by[..] {
        needed if needed.is_empty() || verdict.answer == Answer::Not => String::new(),
        needed => format!("; needed by {} only", paths(needed)),
    };
    Some(ListLine { tone: Tone::Plain, label: "override".into(), text: text + &needed + &lost })
}

/// What the user can do if something does not run.
fn instead(verdict: &Verdict) -> Vec<Block> {
    if verdict.answer == Answer::Runs {
        return Vec::new();
    }
    let mut items: Vec<ListLine> = overriding(verdict).into_iter().collect();
    let with_it: Vec<String> = verdict
        .with_override
        .iter()
        .map(|library| format!("{}: {}", place_name(library), library.reason))
        .collect();
    if verdict.overrides.first().is_some_and(|best| best.is_legal) && !with_it.is_empty() {
        items.push(ListLine {
            tone: Tone::Plain,
            label: "with it".into(),
            text: format!("{} [observed]", with_it.join("; ")),
        });
        let without = verdict.without_override.join(", ");
        if !without.is_empty() {
            let text = format!("{without} stay without code: what needs one of them fails there [observed]");
            items.push(ListLine { tone: Tone::Partial, label: "but".into(), text });
        }
    }
    let here: Vec<&str> =
        verdict.here.iter().map(String::as_str).filter(|name| *name != verdict.processor).collect();
    if !here.is_empty() && verdict.answer == Answer::Not {
        let more = here.len().saturating_sub(HERE);
        let mut text = here.iter().take(HERE).copied().collect::<Vec<_>>().join(" ");
        if more > 0 {
            text.push_str(&format!(" and {more} more"));
        }
        items.push(ListLine { tone: Tone::Plain, label: "has code for".into(), text });
        let generic = Processor::by_name(&verdict.processor).and_then(|known| known.generic());
        let or_generic = generic.map(|name| format!(" or {name}")).unwrap_or_default();
        // The only library has files for the card, so the missing ones were in the package.
        let is_broken = verdict.libraries.len() == 1 && verdict.here.contains(&verdict.processor);
        let is_refused = verdict.libraries.iter().any(|library| library.coverage.runs());
        let text = match is_broken {
            true if is_refused => format!("a build whose own list of GPUs has {}", verdict.processor),
            true => format!(
                "the same package again, whole: it has files for {}, and some are missing",
                verdict.processor
            ),
            false => {
                let spared =
                    if is_spared(verdict) { "nothing, where what calls it does without; else " } else { "" };
                let published = verdict.published.iter().map(|called| format!(". {called}"));
                format!(
                    "{spared}a build for {}{or_generic}{}",
                    verdict.processor,
                    published.collect::<String>()
                )
            }
        };
        items.push(ListLine { tone: Tone::Plain, label: "instead".into(), text });
    }
    if items.is_empty() { Vec::new() } else { vec![Block::Items(items)] }
}

/// Whether callers do without all that has nothing for the card.
fn is_spared(verdict: &Verdict) -> bool {
    let mut lacking = shown(verdict).filter(|library| library.answer == Answer::Not);
    lacking.all(|library| library.role == LibraryRole::Optional)
}
