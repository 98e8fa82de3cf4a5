//! The document of `choose attention` in blocks.

use super::block::{Block, ListLine};
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, plural};
use super::{Drawn, Format, drawn, findings};
use crate::report::v1::{AttentionFramework, AttentionHeld, AttentionLibrary, AttentionReport};

impl Document for AttentionReport {
    fn judged(&self) -> Judged<'_> {
        let paths = self.libraries.iter().filter_map(|library| library.path.as_ref());
        Judged::new(self.complete, &self.findings).naming(paths)
    }
}

impl Draw for AttentionReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

/// Rows of lists without their kernel that are shown.
const MISSING: usize = 5;

fn blocks(report: &AttentionReport, style: &Style) -> Vec<Block> {
    let card = match report.products.first() {
        Some(product) => format!("{} ({product})", report.processor),
        None => report.processor.clone(),
    };
    let mut blocks = vec![Block::Title(card, call(report)), Block::Space, verdict(report)];
    if !report.libraries.is_empty() {
        let rows = report.libraries.iter().map(|one| library(one, style));
        blocks.extend([Block::Heading("Kernels".to_owned()), Block::Items(rows.collect())]);
    }
    for framework in &report.frameworks {
        blocks.push(Block::Heading(heading(framework)));
        blocks.push(Block::Items(steps(framework, style)));
        if let Some(remark) = &framework.remark {
            blocks.push(Block::Text(Tone::Dim, sentence(remark)));
        }
    }
    if !report.missing.is_empty() {
        let count = plural(report.missing.len() as u64, "row of a list names", "rows of lists name");
        let text = format!("{count} a kernel that is not in these files.");
        let rows = report.missing.iter().take(MISSING).map(|row| format!("{}: {}", row.path, row.kernel));
        blocks.extend([Block::Space, Block::Text(Tone::Partial, text), Block::Lines(rows.collect())]);
    }
    if style.verbose > 0 || style.full {
        blocks.extend(sources(report));
    }
    blocks.extend(findings::section_without_waste(&report.findings, style));
    blocks
}

fn call(report: &AttentionReport) -> String {
    let asked = &report.call;
    let mask = if asked.causal { "causal" } else { "no mask" };
    let values = match asked.head_dim == asked.value_dim {
        true => String::new(),
        false => format!(", values of {}", asked.value_dim),
    };
    format!("attention {}, heads of {}{values}, {mask}", asked.ty, asked.head_dim)
}

/// The answer first: what the frameworks take and whether it is there; without a framework, who has a kernel.
fn verdict(report: &AttentionReport) -> Block {
    let sentences: Vec<String> = report.frameworks.iter().map(takes).collect();
    let is_broken = |one: &AttentionFramework| {
        one.takes.is_none() || matches!(one.held, Some(AttentionHeld::Not | AttentionHeld::NotHere))
    };
    if !sentences.is_empty() {
        let tone = if report.frameworks.iter().any(is_broken) { Tone::Partial } else { Tone::Good };
        return Block::Text(tone, sentences.join(" "));
    }
    let with: Vec<&str> = report
        .libraries
        .iter()
        .filter(|one| one.answer == AttentionHeld::Holds)
        .map(|one| one.library.as_str())
        .collect();
    match (with.is_empty(), report.libraries.is_empty()) {
        (false, _) => {
            let verb = if with.len() == 1 { "holds" } else { "hold" };
            Block::Text(Tone::Good, format!("{} {verb} a kernel.", with.join(" and ")))
        }
        (true, false) => Block::Text(Tone::Bad, "No library here holds a kernel.".to_owned()),
        (true, true) => Block::Text(
            Tone::Bad,
            "No library with kernels of attention is here that is known: AOTriton, AITER, Composable Kernel, ggml."
                .to_owned(),
        ),
    }
}

fn takes(of: &AttentionFramework) -> String {
    let name = &of.framework;
    let Some(backend) = &of.takes else { return format!("{name} takes none of its backends.") };
    let library = of.steps.iter().find(|step| step.refused.is_none()).and_then(|step| step.library.as_ref());
    match (of.held, library) {
        (Some(AttentionHeld::Holds), Some(library)) => {
            format!("{name} takes {backend}, and {library} holds the kernel.")
        }
        (Some(AttentionHeld::Compiles), Some(library)) => {
            format!("{name} takes {backend}, and {library} compiles the kernel on the card.")
        }
        (Some(AttentionHeld::Not), Some(library)) => {
            format!("{name} takes {backend}, and {library} has no kernel for it in these files.")
        }
        (Some(AttentionHeld::NotHere), Some(library)) => {
            format!("{name} takes {backend}, and {library} is not among these files.")
        }
        (Some(AttentionHeld::NotKnown), Some(library)) => {
            format!("{name} takes {backend}; whether {library} has the kernel is not known.")
        }
        _ => format!("{name} takes {backend}."),
    }
}

fn library(of: &AttentionLibrary, style: &Style) -> ListLine {
    let (glyph, words, tone) = match of.answer {
        AttentionHeld::Holds => (style.pick("✓", "+"), "holds a kernel", Tone::Good),
        AttentionHeld::Compiles => (style.pick("✓", "+"), "compiles on the card", Tone::Good),
        AttentionHeld::NotKnown => ("?", "not known", Tone::Partial),
        AttentionHeld::Not | AttentionHeld::NotHere => (style.pick("✗", "x"), "has none", Tone::Bad),
    };
    let mut text = format!("{}: {} [{}]", of.library, of.because, of.known.name());
    if style.verbose > 0 {
        for more in [&of.kernel, &of.path].into_iter().flatten() {
            text.push_str(&format!("; {more}"));
        }
    }
    ListLine { tone, label: format!("{glyph} {words}"), text }
}

fn heading(of: &AttentionFramework) -> String {
    let release = of.release.as_ref().map(|release| format!(" {release}")).unwrap_or_default();
    let variables = match of.variables.is_empty() {
        true => String::new(),
        false => format!(", {}", of.variables.join(" ")),
    };
    format!("{}{release}{variables} tries, in this order [code]", of.framework)
}

fn steps(of: &AttentionFramework, style: &Style) -> Vec<ListLine> {
    let mut is_open = true;
    let mut rows = Vec::new();
    for step in &of.steps {
        let (glyph, tone, what) = match &step.refused {
            Some(why) => (style.pick("✗", "x"), Tone::Dim, format!("not taken: {why}")),
            None if is_open => (style.pick("✓", "+"), Tone::Good, "taken".to_owned()),
            None => ("-", Tone::Dim, "comes after that".to_owned()),
        };
        is_open &= step.refused.is_some();
        rows.push(ListLine { tone, label: format!("{glyph} {}", step.backend), text: what });
    }
    rows
}

fn sources(report: &AttentionReport) -> Vec<Block> {
    let mut lines: Vec<String> = Vec::new();
    for step in report.frameworks.iter().flat_map(|one| &one.steps) {
        if !lines.contains(&step.source) {
            lines.push(step.source.clone());
        }
    }
    match lines.is_empty() {
        true => Vec::new(),
        false => vec![Block::Heading("Rules".to_owned()), Block::Lines(lines)],
    }
}

fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}
