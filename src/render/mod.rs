//! Renderers: the same blocks drawn for a terminal or as Markdown, and the report itself as JSON.
//!
//! What a report shows, in which order and with which words, is decided once, in `audit.rs` and `fatbin.rs` here;
//! `terminal.rs` and `markdown.rs` only draw. Nothing is computed that the report does not state.

mod audit;
mod block;
pub mod conv;
mod document;
pub mod entries;
mod fatbin;
mod findings;
pub mod ggml;
mod instructions;
pub mod isa;
pub mod kernels;
mod markdown;
pub mod miopen;
pub mod select;
mod shipped;
pub mod style;
pub mod tensile;
mod terminal;
mod waste;

use crate::report::{FatbinReport, Report};
use block::Block;
use instructions::Classes;
use style::Style;

/// A form of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For reading in a terminal.
    #[default]
    Table,
    /// Markdown.
    Md,
    /// The report, for programs.
    Json,
    /// The kernel inventory, a line for each kernel.
    Jsonl,
}

impl Format {
    /// All formats with their names and what a file name of theirs ends with.
    pub const ALL: [(Format, &'static str, &'static [&'static str]); 4] = [
        (Format::Table, "table", &["txt"]),
        (Format::Md, "md", &["md", "markdown"]),
        (Format::Json, "json", &["json"]),
        (Format::Jsonl, "jsonl", &["jsonl", "ndjson"]),
    ];

    /// The format of a name.
    pub fn of_name(name: &str) -> Option<Format> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(format, ..)| *format)
    }

    /// The format that a file name's extension names.
    pub fn of_extension(extension: &str) -> Option<Format> {
        Self::ALL.iter().find(|(_, _, e)| e.contains(&extension)).map(|(format, ..)| *format)
    }
}

/// Draws a capability report; nothing for [`Format::Jsonl`], whose lines are written while scanning.
pub fn report(report: &Report, format: Format, style: &Style) -> String {
    match format {
        Format::Json => json(report),
        Format::Jsonl => String::new(),
        Format::Table => terminal::draw(&safe(audit::blocks(report, style), style), style),
        Format::Md => markdown::draw(&safe(audit::blocks(report, &style.for_markdown()), style)),
    }
}

/// Draws what `fatbin` says.
pub fn fatbin(report: &FatbinReport, format: Format, style: &Style) -> String {
    let draw = |style: &Style| -> Vec<Block> {
        let files = report.files.iter().flat_map(|f| fatbin::blocks(f, style));
        files.chain(findings::section(&report.findings, "", style)).collect()
    };
    drawn(report, format, style, &draw)
}

/// Draws what `fatbin --isa` says: of all instructions, or with `kernels`, of those that were asked for.
pub fn fatbin_isa(
    report: &FatbinReport,
    classes: Classes<'_>,
    kernels: bool,
    format: Format,
    style: &Style,
) -> String {
    let draw = |style: &Style| -> Vec<Block> {
        let files = report.files.iter().flat_map(|f| fatbin::isa_blocks(f, classes, kernels, style));
        files.chain(findings::section(&report.findings, "", style)).collect()
    };
    drawn(report, format, style, &draw)
}

fn drawn<T: serde::Serialize>(
    report: &T,
    format: Format,
    style: &Style,
    draw: &dyn Fn(&Style) -> Vec<Block>,
) -> String {
    match format {
        Format::Json => json(report),
        Format::Jsonl => String::new(),
        Format::Table => terminal::draw(&safe(draw(style), style), style),
        Format::Md => markdown::draw(&safe(draw(&style.for_markdown()), style)),
    }
}

fn safe(blocks: Vec<Block>, style: &Style) -> Vec<Block> {
    let safe = |block: Block| if style.ascii { block.printable().plain() } else { block.printable() };
    blocks.into_iter().map(safe).collect()
}

fn json<T: serde::Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// A value as a line of JSON Lines.
pub fn json_line<T: serde::Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string(value).unwrap_or_default();
    text.push('\n');
    text
}
