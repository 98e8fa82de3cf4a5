//! The verdict for a processor: the first screen, and for most the last.

use super::block::{Block, Item};
use super::style::{Style, Tone, plural};
use crate::report::v1::{Answer, LibraryVerdict, Report, Verdict};

/// Libraries that have a line of their own.
const LINES: usize = 9;

/// Targets that are listed.
const HERE: usize = 14;

pub(super) fn blocks(report: &Report, style: &Style) -> Vec<Block> {
    report.verdicts.iter().flat_map(|verdict| verdict_blocks(verdict, report, style)).collect()
}

/// The sign and the words of an answer.
fn sign(answer: Answer, style: &Style) -> (&'static str, &'static str, Tone) {
    match answer {
        Answer::Runs => (style.pick("✓", "+"), "runs", Tone::Good),
        Answer::Limits => ("~", "runs with limits", Tone::Partial),
        Answer::Unknown => ("?", "not known", Tone::Partial),
        Answer::Not => (style.pick("✗", "x"), "does not run", Tone::Bad),
    }
}

fn verdict_blocks(verdict: &Verdict, report: &Report, style: &Style) -> Vec<Block> {
    let name = match verdict.products.first() {
        Some(product) => format!(" ({product})"),
        None => String::new(),
    };
    let (glyph, words, tone) = sign(verdict.answer, style);
    let summary = match (verdict.libraries.len(), verdict.answer) {
        (0, _) if !verdict.damaged.is_empty() => "what is here could not be read: it is not known".to_owned(),
        (0, _) if !report.run_time_compilers.is_empty() => {
            let names: Vec<&str> = report.run_time_compilers.iter().map(|row| row.name.as_str()).collect();
            format!(
                "no GPU code is shipped here; {} compiles kernels at run time, for the GPU that is there, if it knows it [inferred from names]",
                names.join(", ")
            )
        }
        (0, _) => "no GPU code is here".to_owned(),
        (1, _) => words.to_owned(),
        (_, Answer::Runs) => "all libraries run".to_owned(),
        (_, Answer::Not) if verdict.libraries.iter().any(|l| l.answer != Answer::Not) => {
            "some libraries do not run".to_owned()
        }
        (_, Answer::Not) => "no library runs".to_owned(),
        (_, Answer::Limits) => "all libraries run, some with limits".to_owned(),
        (_, Answer::Unknown) => "not known".to_owned(),
    };
    let head = format!("{glyph} {}{name}: {summary}", verdict.processor);
    let mut blocks = vec![Block::Space, Block::Text(tone, head), Block::Space];
    let mut items = Vec::new();
    let mut said: Option<&str> = None;
    for found in verdict.libraries.iter().take(LINES) {
        // What happens then is said once.
        items.push(library(found, found.then.as_deref().filter(|then| said != Some(then)), style));
        said = found.then.as_deref().or(said);
    }
    let more: Vec<&LibraryVerdict> = verdict.libraries.iter().skip(LINES).collect();
    if !more.is_empty() {
        let count = |answer: Answer| more.iter().filter(|l| l.answer == answer).count();
        let parts = [Answer::Not, Answer::Unknown, Answer::Limits, Answer::Runs]
            .map(|answer| (count(answer), answer));
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, answer)| format!("{n} {}", sign(answer, style).1))
            .collect();
        let more = plural(more.len() as u64, "more library", "more libraries");
        let text = format!("{more}: {} (--full)", parts.join(", "));
        items.push(Item { tone: Tone::Dim, label: " ".into(), text });
    }
    for file in verdict.damaged.iter().take(3) {
        let (glyph, _, tone) = sign(Answer::Unknown, style);
        let text = format!("what it has is not known: {}", file.what);
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        items.push(Item { tone, label: format!("{glyph} {name}"), text });
    }
    if !items.is_empty() {
        blocks.push(Block::Items(items));
    }
    blocks.extend(instead(verdict));
    blocks
}

fn library(found: &LibraryVerdict, then: Option<&str>, style: &Style) -> Item {
    let (glyph, _, tone) = sign(found.answer, style);
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
        text.push_str(&format!("; its files also need, from elsewhere, {}", elsewhere.join(", ")));
    }
    let place =
        found.place.as_deref().map(|place| place.trim_end_matches('/').rsplit('/').next().unwrap_or(place));
    let name = match place {
        Some(place) => format!("{} in {place}", found.library),
        None => found.library.clone(),
    };
    Item { tone, label: format!("{glyph} {name}"), text }
}

/// What could be done where something does not run.
fn instead(verdict: &Verdict) -> Vec<Block> {
    if verdict.libraries.iter().all(|library| library.answer != Answer::Not) {
        return Vec::new();
    }
    let mut items = Vec::new();
    if let Some(best) = verdict.overrides.first() {
        let text = match (best.is_legal, best.features.is_empty()) {
            (true, true) => format!(
                "HSA_OVERRIDE_GFX_VERSION={} loads the code for {} (Linux): {} has all of its instructions, in every bit [inferred from LLVM's tables, not tried]",
                best.value, best.processor, verdict.processor
            ),
            (true, false) => format!(
                "HSA_OVERRIDE_GFX_VERSION={} loads the code for {} (Linux): the instructions are there, but {} differs, which decoding cannot judge [inferred]",
                best.value,
                best.processor,
                best.features.join(", ")
            ),
            (false, _) => format!(
                "HSA_OVERRIDE_GFX_VERSION={} is not safe: {} has {} instructions that {} lacks or reads otherwise [inferred from LLVM's tables]",
                best.value, best.processor, best.lacking, verdict.processor
            ),
        };
        items.push(Item { tone: Tone::Plain, label: "override".into(), text });
    }
    let here: Vec<&str> =
        verdict.here.iter().map(String::as_str).filter(|name| *name != verdict.processor).collect();
    if !here.is_empty() {
        let more = here.len().saturating_sub(HERE);
        let mut text = here.iter().take(HERE).copied().collect::<Vec<_>>().join(" ");
        if more > 0 {
            text.push_str(&format!(" and {more} more"));
        }
        items.push(Item { tone: Tone::Plain, label: "has code for".into(), text });
        let text = format!("a build for {}, or for a generic target that it runs", verdict.processor);
        items.push(Item { tone: Tone::Plain, label: "instead".into(), text });
    }
    if items.is_empty() { Vec::new() } else { vec![Block::Items(items)] }
}
