//! Renderers: the same blocks drawn for a terminal or as Markdown, and the report itself as JSON.
//!
//! What a document shows, in which order and with which words, is decided once, in the file here that has its
//! name; `terminal.rs`, `markdown.rs` and `html` only draw. Nothing is computed that the report does not
//! state.

mod absent;
mod annotations;
mod attention;
mod audit;
pub mod beside;
mod block;
mod by_target;
mod caches;
pub mod check;
mod choose;
mod claim;
mod code_places;
mod code_quality;
mod code_sources;
pub mod conv;
mod coverage;
mod csv;
pub mod diff;
mod documents;
mod drawing;
pub mod entries;
pub mod explain;
mod failed_run;
mod fatbin;
mod fatbin_sums;
mod figures;
mod findings;
mod flow;
pub mod ggml;
mod html;
mod inside;
mod inside_source;
mod inside_summary;
mod instructions;
pub mod isa;
mod json;
mod json_document;
mod junit;
mod kernel_pairs;
pub mod kernels;
mod layers;
pub mod list;
mod listing;
mod manifest;
mod markdown;
pub mod matmul;
pub mod matmul_coverage;
mod mermaid;
mod miopen;
mod missing_waits;
pub mod model;
pub mod model_graph;
pub mod needs;
mod origins;
mod outcome;
pub mod override_value;
mod published;
mod sarif;
pub mod select;
mod selections;
mod shipped;
pub mod slim;
pub mod style;
pub mod survey;
mod survey_chart;
mod tensile;
mod terminal;
mod verdict;
mod verify;
mod waste;
pub mod workload;

pub use documents::Draw;

use crate::error::AuditError;
use crate::report::{FatbinReport, Report};
use block::Block;
use documents::Document;
pub use drawing::Drawing;
pub use failed_run::failed_run;
use instructions::Classes;
use outcome::Outcomes;
use style::Style;

/// A form of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For reading in a terminal.
    #[default]
    Table,
    /// Markdown.
    Md,
    /// One page that loads nothing.
    Html,
    /// The report, for programs.
    Json,
    /// The verdicts of the report alone, for programs.
    Verdict,
    /// The kernel inventory, a line for each kernel.
    Jsonl,
    /// The rows of one table, or of a list, with commas.
    Csv,
    /// The rows of one table, as Parquet.
    #[cfg(feature = "parquet")]
    Parquet,
    /// Findings in SARIF.
    Sarif,
    /// Findings as test results.
    Junit,
    /// Findings as GitLab's report of code quality.
    GitLab,
    /// Findings as annotations of GitHub's workflows.
    GitHub,
}

/// How a format draws.
#[derive(Debug)]
struct FormatRow {
    format: Format,
    /// Its name on the command line.
    name: &'static str,
    /// What a file name of it ends with.
    extensions: &'static [&'static str],
    /// How a report becomes text.
    reports: Reports,
    /// How a list becomes text that is written while its rows come.
    lists: Lists,
}

/// How a report becomes text.
#[derive(Debug, Clone, Copy)]
enum Reports {
    /// By its blocks, which a drawer turns into text.
    Blocks {
        /// What the blocks are made for.
        style: fn(&Style) -> Style,
        draw: fn(&[Block], &Style) -> String,
    },
    /// By its blocks, as a page that carries the report itself, too.
    Page,
    /// As it is.
    Json,
    /// The rows of one table of it.
    Rows,
    /// What was found only.
    Outcomes(fn(&Outcomes) -> String),
    /// Not at all: a list is all that there is.
    Nothing,
}

/// How rows of a list are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    Text,
    Markdown,
    Html,
    Csv,
    Json,
    JsonLines,
    /// Not at all: a list has no findings.
    Nothing,
}

/// All formats. To add one: a file that draws blocks, a variant of [`Format`] and a row here.
static FORMATS: &[FormatRow] = &[
    FormatRow {
        format: Format::Table,
        name: "table",
        extensions: &["txt"],
        reports: Reports::Blocks { style: Clone::clone, draw: terminal::draw },
        lists: Lists::Text,
    },
    FormatRow {
        format: Format::Md,
        name: "md",
        extensions: &["md", "markdown"],
        reports: Reports::Blocks { style: Style::for_markdown, draw: |blocks, _| markdown::draw(blocks) },
        lists: Lists::Markdown,
    },
    FormatRow {
        format: Format::Html,
        name: "html",
        extensions: &["html", "htm"],
        reports: Reports::Page,
        lists: Lists::Html,
    },
    FormatRow {
        format: Format::Json,
        name: "json",
        extensions: &["json"],
        reports: Reports::Json,
        lists: Lists::Json,
    },
    // Drawn where the report is: no other document has verdicts.
    FormatRow {
        format: Format::Verdict,
        name: "verdict",
        extensions: &[],
        reports: Reports::Nothing,
        lists: Lists::Nothing,
    },
    FormatRow {
        format: Format::Jsonl,
        name: "jsonl",
        extensions: &["jsonl", "ndjson"],
        reports: Reports::Nothing,
        lists: Lists::JsonLines,
    },
    FormatRow {
        format: Format::Csv,
        name: "csv",
        extensions: &["csv"],
        reports: Reports::Rows,
        lists: Lists::Csv,
    },
    // What is written is no text, and is written where the audit is made.
    #[cfg(feature = "parquet")]
    FormatRow {
        format: Format::Parquet,
        name: "parquet",
        extensions: &["parquet"],
        reports: Reports::Nothing,
        lists: Lists::Nothing,
    },
    FormatRow {
        format: Format::Sarif,
        name: "sarif",
        extensions: &["sarif"],
        reports: Reports::Outcomes(sarif::draw),
        lists: Lists::Nothing,
    },
    FormatRow {
        format: Format::Junit,
        name: "junit",
        extensions: &["xml"],
        reports: Reports::Outcomes(junit::draw),
        lists: Lists::Nothing,
    },
    FormatRow {
        format: Format::GitLab,
        name: "gitlab",
        extensions: &[],
        reports: Reports::Outcomes(code_quality::draw),
        lists: Lists::Nothing,
    },
    FormatRow {
        format: Format::GitHub,
        name: "github",
        extensions: &[],
        reports: Reports::Outcomes(annotations::draw),
        lists: Lists::Nothing,
    },
];

impl Format {
    /// The names of all formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().map(|row| row.name)
    }

    /// What file names of any format end with.
    pub fn extensions() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().flat_map(|row| row.extensions).copied()
    }

    /// The format of a name.
    pub fn of_name(name: &str) -> Option<Format> {
        FORMATS.iter().find(|row| row.name == name).map(|row| row.format)
    }

    /// The format that a file name's extension names.
    pub fn of_extension(extension: &str) -> Option<Format> {
        FORMATS.iter().find(|row| row.extensions.contains(&extension)).map(|row| row.format)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    /// Whether it has findings only, and so nothing of a list.
    pub fn is_of_findings(self) -> bool {
        matches!(self.reports(), Reports::Outcomes(_))
    }

    /// Whether it is no text, and only an audit writes it.
    pub fn is_of_tables(self) -> bool {
        self.name() == "parquet"
    }

    /// Whether only an audit can be written in it, and no other report.
    pub fn is_of_audits(self) -> bool {
        self == Format::Verdict || self.is_of_tables()
    }

    /// Whether it holds one table, which is to be named.
    pub fn holds_one_table(self) -> bool {
        self == Format::Csv || self.is_of_tables()
    }

    /// Whether a list, whose rows are written while they come, can be of this format.
    pub fn takes_lists(self) -> bool {
        self.lists() != Lists::Nothing
    }

    /// Whether it shows what a screen shows, and nothing of a report beside it.
    pub fn is_of_blocks(self) -> bool {
        matches!(self.reports(), Reports::Blocks { .. })
    }

    fn reports(self) -> Reports {
        self.row().map_or(Reports::Nothing, |row| row.reports)
    }

    fn lists(self) -> Lists {
        self.row().map_or(Lists::Text, |row| row.lists)
    }

    fn row(self) -> Option<&'static FormatRow> {
        FORMATS.iter().find(|row| row.format == self)
    }
}

/// What a report became, or why it did not: a table was asked for that it does not have.
pub type Drawn<'r> = Result<Drawing<'r>, AuditError>;

/// Draws a capability report; nothing for [`Format::Jsonl`], whose lines are written while scanning.
pub fn report<'r>(report: &'r Report, format: Format, style: &Style) -> Drawn<'r> {
    if format == Format::Verdict {
        return Ok(Drawing::Text(json(&crate::report::verdicts(report))));
    }
    let mut drawing = drawn(report, format, style, &|style| audit::blocks(report, style))?;
    // What has scrolled away is said again where it is seen.
    let rows = style.height.filter(|_| format == Format::Table).map_or(usize::MAX, usize::from);
    if let Drawing::Text(text) = &mut drawing
        && !report.verdicts.is_empty()
        && text.lines().count() >= rows
    {
        let last = match report.asked.is_empty() {
            true => by_target::blocks(report, style),
            false => verdict::heads(report, style),
        };
        text.push_str(&terminal::draw(&safe(last, style), style));
    }
    Ok(drawing)
}

/// A document that is no report, as JSON.
pub fn document(document: &impl serde::Serialize) -> Drawing<'static> {
    Drawing::Text(json(document))
}

/// Draws what `fatbin` says.
pub fn fatbin<'r>(report: &'r FatbinReport, format: Format, style: &Style) -> Drawn<'r> {
    let draw = |style: &Style| -> Vec<Block> {
        if fatbin_sums::is_meant(report, style) {
            let sums = fatbin_sums::blocks(report, style).into_iter();
            return sums.chain(findings::section_without_waste(&report.found.findings, style)).collect();
        }
        let (nothing, some): (Vec<_>, Vec<_>) =
            report.files.iter().partition(|f| fatbin::has_nothing_asked(f));
        let files = some.into_iter().flat_map(|f| fatbin::blocks(f, style));
        let files = files.chain(match &nothing[..] {
            [one] => fatbin::blocks(one, style),
            several => fatbin::list_without_asked(several),
        });
        files.chain(findings::section(&report.found.beside(report.parts()), "", style)).collect()
    };
    drawn(report, format, style, &draw)
}

/// Draws what `fatbin --isa` says: of all instructions, or with `kernels`, of those that were asked for.
pub fn fatbin_isa<'r>(
    report: &'r FatbinReport,
    classes: Classes<'_>,
    kernels: bool,
    format: Format,
    style: &Style,
) -> Drawn<'r> {
    let draw = |style: &Style| -> Vec<Block> {
        if let Some(pairs) = &report.kernel_pairs {
            let pairs = kernel_pairs::blocks(pairs, &report.files, style).into_iter();
            return pairs.chain(findings::section_without_waste(&report.found.findings, style)).collect();
        }
        let (nothing, some): (Vec<_>, Vec<_>) =
            report.files.iter().partition(|f| fatbin::has_nothing_asked(f));
        let files = some.into_iter().flat_map(|f| fatbin::isa_blocks(f, classes, kernels, style));
        let files = files.chain(fatbin::without_asked(&nothing, classes, kernels, style));
        files.chain(findings::section(&report.found.beside(report.parts()), "", style)).collect()
    };
    drawn(report, format, style, &draw)
}

fn drawn<'r, T: Document>(
    report: &'r T,
    format: Format,
    style: &Style,
    draw: &dyn Fn(&Style) -> Vec<Block>,
) -> Drawn<'r> {
    Ok(Drawing::Text(match format.reports() {
        Reports::Json => return Ok(Drawing::Written(Box::new(move |out| json::write(report, out)))),
        Reports::Nothing => String::new(),
        Reports::Rows => {
            let table = csv::Table::find_table(report, style.rows)
                .map_err(|none| AuditError::Usage(none.to_string()))?;
            return Ok(Drawing::Written(Box::new(move |out| table.write(out))));
        }
        Reports::Outcomes(draw) => draw(&Outcomes::judge(&report.judged(), style.fails)),
        Reports::Page => {
            let style = style.for_page();
            let mut blocks = safe(draw(&style), &style);
            let flows = blocks
                .iter_mut()
                .filter_map(|block| if let block::Block::Flow(flow) = block { Some(flow) } else { None });
            flows.enumerate().for_each(|(number, flow)| flow.number = number);
            let mut json = json::compact(report).unwrap_or_default();
            let folders = published::folders(&report.judged());
            published::without(&folders, &mut blocks);
            folders.iter().for_each(|folder| json = json.replace(folder, ""));
            html::draw(&blocks, Some(&json))
        }
        Reports::Blocks { style: styled, draw: text } => {
            let drawn_for = styled(style);
            let mut blocks = safe(draw(&drawn_for), style);
            if drawn_for.shared {
                published::without(&published::folders(&report.judged()), &mut blocks);
                blocks.extend(style.made_by.map(|made| Block::Text(style::Tone::Dim, made().to_owned())));
            }
            text(&blocks, style)
        }
    }))
}

fn safe(blocks: Vec<Block>, style: &Style) -> Vec<Block> {
    let safe = |block: Block| if style.ascii { block.printable().plain() } else { block.printable() };
    blocks.into_iter().map(safe).collect()
}

fn json<T: serde::Serialize>(value: &T) -> String {
    let mut text = json::pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// A value as a line of JSON Lines.
pub fn json_line<T: serde::Serialize>(value: &T) -> String {
    let mut text = json::compact(value).unwrap_or_default();
    text.push('\n');
    text
}
