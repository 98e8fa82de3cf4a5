//! The document of `model` for an ONNX file, in blocks.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::claim;
use super::documents::{Document, Draw, Judged};
use super::model::{flops, listed, percent};
use super::select::statement;
use super::style::{Style, Tone, plural, thousands};
use super::{Drawn, Format, drawn, findings};
use crate::report::v1::{GraphNode, ModelGraphReport};
use rocm_audit_files::sorted_rows::SortedRows as _;

impl Document for ModelGraphReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found).about([&self.file])
    }
}

impl Draw for ModelGraphReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

/// Nodes, one line of JSON each.
pub fn lines(report: &ModelGraphReport) -> String {
    report.rows.iter().map(super::json_line).collect()
}

/// Nodes without a solver that are named without -v.
const NAMED: usize = 8;

fn blocks(report: &ModelGraphReport, style: &Style) -> Vec<Block> {
    let name = if report.graph.is_empty() { &report.file } else { &report.graph };
    let batch = report.batch.map(|batch| format!(", batch of {batch}")).unwrap_or_default();
    let left = format!("{name} on {}{batch}, {}: {}", report.target, report.data, report.verdict);
    let right = format!("{}, opset {}", plural(report.nodes, "node", "nodes"), report.opset);
    let mut blocks = vec![Block::Title(left, right)];
    blocks.extend(claim::blocks(report.claim.as_ref()));
    blocks.push(Block::Items(answer(report, style)));
    blocks.extend(findings::incomplete(&report.found));
    let mut without: Vec<&GraphNode> = report
        .rows
        .iter()
        .filter(|row| matches!(row.outcome.as_str(), "miss" | "refused" | "no-kernel"))
        .collect();
    without.sort_rows_by_key(|row| std::cmp::Reverse(row.flops));
    if style.full {
        blocks.push(Block::Heading("Nodes".into()));
        blocks.push(Block::Table(table(&report.rows.iter().collect::<Vec<_>>())));
    } else if !without.is_empty() {
        blocks.push(Block::Heading("Without a solver of the find-db, the largest first".into()));
        blocks.push(Block::Table(table(without.get(..NAMED.min(without.len())).unwrap_or_default())));
    }
    blocks.extend(findings::section_without_waste(&report.found.findings, style));
    blocks.push(Block::Heading("Basis".into()));
    blocks.push(Block::Items(report.statements.iter().map(statement).collect()));
    blocks
}

fn answer(report: &ModelGraphReport, style: &Style) -> Vec<ListLine> {
    let mut all = Vec::new();
    let convolutions = &report.convolutions;
    let item = |tone, label: &str, text: String| ListLine { tone, label: label.to_owned(), text };
    let (good, part) = (style.pick("✓", "+"), style.pick("▲", "!"));
    if convolutions.count > 0 {
        let sum = flops(convolutions.flops);
        if convolutions.asked {
            let text = format!(
                "the find-db decides {} of {}, {} of {sum}",
                thousands(convolutions.hits),
                thousands(convolutions.count),
                percent(convolutions.hits_flops_share),
            );
            let refused = convolutions.records.saturating_sub(convolutions.hits);
            let text = if refused > 0 {
                format!("{text}; {refused} more have a record, but MIOpen takes none of its solvers")
            } else {
                text
            };
            let is_whole = convolutions.hits == convolutions.count;
            let tone = if is_whole { Tone::Good } else { Tone::Partial };
            all.push(item(tone, &format!("{} convolutions", if is_whole { good } else { part }), text));
            let solver = |row: &crate::report::v1::GraphSolver| {
                format!("{} {} ({})", percent(row.flops_share), row.solver, row.count)
            };
            let solvers: Vec<String> = convolutions.solvers.iter().map(solver).collect();
            if !solvers.is_empty() {
                all.push(item(Tone::Plain, "  solvers", solvers.join(", ")));
            }
        } else {
            let text =
                format!("{}, {sum}; no find-db for the device was found", thousands(convolutions.count));
            all.push(item(Tone::Plain, &format!("{} convolutions", style.dot()), text));
        }
    }
    let products = &report.products;
    if products.count > 0 {
        let text = match products.asked {
            true => format!(
                "{} of {} tuned in rocBLAS, {} by fallback; {}",
                products.tuned,
                thousands(products.count),
                products.fallback,
                flops(products.flops)
            ),
            false => {
                format!("{}, {}; no rocBLAS for the device was found", products.count, flops(products.flops))
            }
        };
        let tone = if products.asked && products.tuned == products.count { Tone::Good } else { Tone::Plain };
        all.push(item(tone, &format!("{} products", style.dot()), text));
    }
    if !report.unasked.is_empty() {
        let count = |(name, count): (&String, &u64)| format!("{} {name}", thousands(*count));
        let text = report.unasked.iter().map(count).collect::<Vec<_>>().join(", ");
        all.push(item(Tone::Plain, &format!("{} not asked", style.dot()), text));
    }
    if report.unknown > 0 {
        let text = format!("{}: see the findings", plural(report.unknown, "node", "nodes"));
        all.push(item(Tone::Bad, &format!("{} not known", style.pick("✗", "x")), text));
    }
    let assumed = if report.multiprocessors_assumed { " (assumed)" } else { "" };
    all.push(item(Tone::Plain, "  device", format!("{} multiprocessors{assumed}", report.multiprocessors)));
    if let Some(variables) = listed(&report.environment) {
        all.push(item(Tone::Plain, "  variables", variables));
    }
    all
}

fn table(rows: &[&GraphNode]) -> Table {
    let mut table = Table::new([
        Column::left("node"),
        Column::left("problem"),
        Column::right("FLOPs"),
        Column::left("outcome"),
        Column::left("solver or kernel"),
    ]);
    for row in rows {
        let problem = match (&row.key, row.m.zip(row.n).zip(row.k)) {
            (Some(key), _) => key.clone(),
            (None, Some(((m, n), k))) => {
                format!("{} {m}x{n}x{k}", row.transposes.as_deref().unwrap_or_default())
            }
            (None, None) => row.operator.clone(),
        };
        let measured = row.measured.map(|count| format!("measures {count}"));
        let taken = row.taken.clone().or(measured).unwrap_or_default();
        let note = row.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
        table.row([
            TableCell::new(&row.name),
            TableCell::new(problem),
            TableCell::new(row.flops.map(flops).unwrap_or_default()),
            TableCell::new(&row.outcome),
            TableCell::new(format!("{taken}{note}")),
        ]);
    }
    table
}
