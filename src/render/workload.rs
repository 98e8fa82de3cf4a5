//! The document of `workload` in blocks.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::documents::{Document, Draw, Judged};
use super::model::{flops, listed, percent};
use super::select::statement;
use super::style::{Style, Tone, plural, thousands};
use super::{Drawn, Format, drawn, findings};
use crate::report::v1::{WorkloadProblem, WorkloadReport, WorkloadWay};

impl Document for WorkloadReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found).about([&self.file]).naming(&self.ggml)
    }
}

impl Draw for WorkloadReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

/// Problems, one line of JSON each.
pub fn lines(report: &WorkloadReport) -> String {
    report.rows.iter().map(super::json_line).collect()
}

/// Problems shown without -v.
const SHOWN: usize = 10;

fn blocks(report: &WorkloadReport, style: &Style) -> Vec<Block> {
    let left = format!("{} on {}", report.file, report.target);
    let right = format!("{}, {}", plural(report.problems, "problem", "problems"), flops(report.flops));
    let mut blocks = vec![Block::Title(left, right)];
    blocks.push(Block::Items(report.ways.iter().map(|way| item(way, style)).collect()));
    blocks.extend(findings::incomplete(&report.found));
    blocks.push(Block::Space);
    blocks.push(Block::Items(facts(report)));
    let count = if style.full { report.rows.len() } else { SHOWN.min(report.rows.len()) };
    let heading = match count == report.rows.len() {
        true => "Problems".to_owned(),
        false => format!("Problems, the {count} largest"),
    };
    blocks.push(Block::Heading(heading));
    blocks.push(Block::Table(table(report.rows.get(..count).unwrap_or_default())));
    blocks.extend(findings::section_without_waste(&report.found.findings, style));
    blocks.push(Block::Heading("Basis".into()));
    blocks.push(Block::Items(report.statements.iter().map(statement).collect()));
    blocks
}

fn item(way: &WorkloadWay, style: &Style) -> ListLine {
    let (glyph, tone) = match way.kind.as_str() {
        "tuned" | "exact" | "near" | "own-kernel" | "hit" | "at-once" | "vector" | "ranked"
        | "rocblas-tuned" => (style.pick("✓", "+"), Tone::Good),
        "nothing" | "fails" | "crash" | "absent" | "trap-stub" | "no-code-object" | "rocblas-nothing" => {
            (style.pick("✗", "x"), Tone::Bad)
        }
        "not-known" | "rocblas" => (style.dot(), Tone::Plain),
        _ => (style.pick("▲", "!"), Tone::Partial),
    };
    let problems = plural(way.problems, "problem", "problems");
    let calls = plural(way.calls, "call", "calls");
    ListLine {
        tone,
        label: format!("{glyph} {}", percent(way.flops_share)),
        text: format!("{}: {problems}, {calls}", way.way),
    }
}

fn facts(report: &WorkloadReport) -> Vec<ListLine> {
    let item = |label: &str, text: String| ListLine { tone: Tone::Plain, label: label.to_owned(), text };
    let lines = &report.lines;
    let mut all = vec![item(
        "lines",
        format!(
            "{}: {} state no problem, {} are wrong",
            thousands(lines.all),
            thousands(lines.other),
            thousands(lines.wrong)
        ),
    )];
    let assumed = if report.multiprocessors_assumed { " (assumed)" } else { "" };
    all.push(item("device", format!("{} multiprocessors{assumed}", report.multiprocessors)));
    all.extend(listed(&report.environment).map(|variables| item("variables", variables)));
    let has = |library: &str| report.rows.iter().any(|row| row.library == library);
    let not_found = || "nothing for the device is here; what it chooses is not known".to_owned();
    if has("rocBLAS") {
        all.push(item("rocBLAS", report.rocblas.clone().unwrap_or_else(not_found)));
    }
    if has("hipBLASLt") {
        all.push(item("hipBLASLt", report.hipblaslt.clone().unwrap_or_else(not_found)));
    }
    if has("MIOpen") {
        let is_answered = report.rows.iter().any(|row| row.library == "MIOpen" && row.kind != "not-known");
        let text = match is_answered {
            _ if report.find_db => "a find-db for the device was found".to_owned(),
            true if report.without_databases => {
                "this build opens no databases of the installation, so no problem has a record".to_owned()
            }
            true => "no find-db for the device is here, so no problem has a record".to_owned(),
            false => not_found(),
        };
        all.push(item("MIOpen", text));
    }
    if has("ggml") {
        let rules = || "rules alone; no library was named, so kernels were not looked for".to_owned();
        all.push(item("ggml", report.ggml.clone().unwrap_or_else(rules)));
    }
    all
}

fn table(rows: &[WorkloadProblem]) -> Table {
    let mut table = Table::new([
        Column::right("line"),
        Column::right("calls"),
        Column::left("problem"),
        Column::right("FLOPs"),
        Column::left("way"),
        Column::left("kernel or solver"),
    ]);
    for row in rows {
        table.row([
            TableCell::new(row.line.to_string()),
            TableCell::new(thousands(row.calls)),
            TableCell::new(&row.problem),
            TableCell::new(percent(row.flops_share)),
            TableCell::new(&row.way),
            TableCell::new(row.taken.join("; ")),
        ]);
    }
    table
}
