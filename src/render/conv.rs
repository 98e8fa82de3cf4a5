//! MIOpen's choice in blocks.

use super::block::{Block, Column, EdgeKind, ListLine, Map, MapNode, Table, TableCell};
use super::documents::{Document, Draw, Judged};
use super::findings;
use super::select::statement;
use super::style::{Style, Tone, plural, thousands};
use super::{Drawn, Format, drawn};
use crate::report::v1::{
    ConvCandidate, ConvKernel, ConvParametersBy, ConvRejected, ConvReport, DatabaseChoice, RecordVerdict,
};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

impl Document for ConvReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found)
    }
}

impl Draw for ConvReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

fn blocks(report: &ConvReport, style: &Style) -> Vec<Block> {
    let right = format!("{}, {} CUs", report.target, report.compute_units);
    let mut blocks = vec![Block::Title(format!("conv {}", report.problem), right)];
    blocks.push(Block::Items(answer(report)));
    blocks.push(Block::Map(route(report)));
    blocks.push(Block::Heading("The four layers".into()));
    blocks.push(Block::Items(report.layers.iter().map(statement).collect()));
    blocks.extend(recorded(report, style));
    blocks.extend(candidates(report, style));
    blocks.extend(rejected(report, style));
    blocks.extend(estimates(report));
    if let Some(gemm) = &report.gemm {
        let kernel = gemm.kernel.as_deref().unwrap_or("no solution");
        blocks.push(Block::Heading("What rocBLAS chooses for the product".into()));
        let co = gemm.code_object.as_deref().unwrap_or("none");
        let kind = if gemm.fallback { "a fallback for every target" } else { "tuned for this target" };
        let item = |label: &str, text: String| ListLine { tone: Tone::Plain, label: label.to_owned(), text };
        blocks.push(Block::Items(vec![
            item("call", gemm.call.clone()),
            item("solution", gemm.solution.map_or("none".to_owned(), |s| format!("{s}, {kind}"))),
            item("code object", co.to_owned()),
        ]));
        blocks.push(Block::Lines(vec![kernel.to_owned()]));
    }
    blocks.push(Block::Heading("Databases that MIOpen opens for this device".into()));
    blocks.push(databases(report));
    blocks.push(Block::Heading("Basis".into()));
    blocks.extend(findings::items(&report.found.findings));
    blocks.push(Block::Items(report.statements.iter().map(statement).collect()));
    if style.verbose > 0 {
        let items = report.assumptions.iter().map(|a| ListLine {
            tone: Tone::Plain,
            label: a.name.clone(),
            text: a.value.clone(),
        });
        blocks.extend([Block::Heading("Assumed".into()), Block::Items(items.collect())]);
    } else {
        let list: Vec<String> =
            report.assumptions.iter().skip(2).map(|a| format!("{} {}", a.name, a.value)).collect();
        blocks.push(Block::Text(Tone::Dim, format!("Assumed: {}.", list.join("; "))));
    }
    blocks.push(Block::Heading("Not shown by bytes".into()));
    blocks.extend(report.not_shown.iter().map(|s| Block::Text(Tone::Dim, s.clone())));
    let next = "Next: -v for every clause with its source, `rocm-audit verify` for the databases themselves.";
    if !style.shared {
        blocks.extend([Block::Space, Block::Text(Tone::Dim, next.into())]);
    }
    blocks
}

/// The parameters of a kernel, and where it is compiled from.
fn kernel(kernel: &ConvKernel) -> Vec<ListLine> {
    let item = |label: &str, text: String| ListLine { tone: Tone::Plain, label: label.to_owned(), text };
    let mut items = Vec::new();
    if let Some(text) = &kernel.parameters {
        let named: Vec<String> = kernel.named.iter().map(|p| format!("{} {}", p.name, p.value)).collect();
        let shown = if named.is_empty() { text.clone() } else { named.join(", ") };
        let only = if kernel.parameters_in_sqlite_builds_only {
            ", which builds with perf-dbs in SQLite read and the default build does not"
        } else {
            ""
        };
        items.push(match kernel.parameters_by {
            Some(ConvParametersBy::Heuristic) => {
                item("untuned", format!("{shown} (the solver's own heuristic; no perf-db has a row) [code]"))
            }
            Some(ConvParametersBy::Model) => {
                item("untuned", format!("{shown} (chosen by a model beside the databases) [code]"))
            }
            _ => {
                let from = kernel.parameters_from.as_deref().unwrap_or("a perf-db");
                item("tuned", format!("{shown} ({from}{only}) [code]"))
            }
        });
    }
    if let Some(source) = &kernel.source {
        let when = match (kernel.built, kernel.built_alike) {
            (None, _) => "compiled when first used unless a kernel database has it".to_owned(),
            (Some(0), _) => "compiled when first used: the kernel database has no kernel of it".to_owned(),
            (Some(count), Some(0)) => {
                let kernels = plural(count, "kernel", "kernels");
                format!(
                    "compiled when first used: the kernel database has {kernels} of it, none with these parameters"
                )
            }
            (Some(count), alike) => {
                let kernels = plural(count, "kernel", "kernels");
                let alike = alike.map_or(String::new(), |alike| format!(", {alike} with these parameters"));
                format!("the kernel database has {kernels} of it{alike}; with other options it is compiled")
            }
        };
        items.push(item("source", format!("{source}, {when} [code]")));
    }
    if let Some(launch) = &kernel.launch {
        let shown = |sizes: [u64; 3]| sizes.map(thousands).join(" × ");
        let (items_of, group) = (shown(launch.work_items), shown(launch.work_group));
        items.push(item(
            "launch",
            format!("{}: {items_of} work items, {group} in a group [code]", launch.kernel),
        ));
    }
    items
}

fn answer(report: &ConvReport) -> Vec<ListLine> {
    let item = |tone, label: &str, text: String| ListLine { tone, label: label.to_owned(), text };
    let mut items = vec![item(Tone::Plain, "key", report.key.clone())];
    match &report.pick {
        Some(pick) => {
            let id = pick.id.map_or(String::new(), |id| format!(", id {id}"));
            items.push(item(Tone::Good, "taken", format!("{} ({}{id})", pick.solver, pick.algorithm)));
            items.push(item(
                Tone::Plain,
                "by",
                format!(
                    "find-db, {}:{}, {} ms, {} bytes of workspace",
                    pick.file, pick.line, pick.time_ms, pick.workspace
                ),
            ));
            items.extend(kernel(&pick.kernel));
        }
        None => {
            let measured = report.candidates.iter().filter(|c| c.measured).count() as u64;
            let text = match measured {
                _ if report.find.at_once => {
                    "a find-db miss: nothing is measured, the immediate mode answers".to_owned()
                }
                0 if report.find.refuses.is_some() => format!(
                    "a find-db miss, and {}: the call fails",
                    report.find.refuses.as_deref().unwrap_or_default()
                ),
                0 => "a find-db miss, and no solver would be measured: the call fails".to_owned(),
                1 => {
                    "a find-db miss with a single candidate: it is taken, with nothing to compare".to_owned()
                }
                n => format!(
                    "a find-db miss: MIOpen measures {} and takes the fastest",
                    plural(n, "candidate", "candidates")
                ),
            };
            let bad = measured == 0 && !report.find.at_once;
            items.push(item(if bad { Tone::Bad } else { Tone::Partial }, "miss", format!("{text} [code]")));
            let immediate = &report.immediate;
            if let (Some(model), false) = (&immediate.model, immediate.estimates_decide) {
                let (tone, text) = match (&immediate.first, &immediate.fails) {
                    (Some(first), _) => (
                        Tone::Partial,
                        format!(
                            "FAST and immediate mode take {first}, which TunaNet ({model}'s model) names first [code]"
                        ),
                    ),
                    (None, Some(why)) => (Tone::Bad, format!("{why} [code]")),
                    (None, None) => (
                        Tone::Partial,
                        format!(
                            "FAST and immediate mode ask TunaNet ({model}'s model) first, whose answer is not computed here [code]"
                        ),
                    ),
                };
                items.push(item(tone, "immediate", text));
            }
        }
    }
    let rules = &report.rules;
    if !rules.exact {
        let text = format!("those of MIOpen {} answer instead of those of {}", rules.rules_of, rules.miopen);
        items.push(item(Tone::Partial, "rules", text));
        let undecided = rules.undecided.iter();
        items.extend(undecided.map(|own| {
            item(Tone::Partial, &format!("since {}", own.since), format!("not decided: {}", own.what))
        }));
    }
    items
}

fn recorded(report: &ConvReport, style: &Style) -> Vec<Block> {
    if report.recorded.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::left("recorded"),
        Column::left("algorithm"),
        Column::right("ms"),
        Column::right("workspace"),
        Column::left("MIOpen"),
    ]);
    for row in &report.recorded {
        let tone = match row.verdict {
            RecordVerdict::Taken => Tone::Good,
            RecordVerdict::Skipped => Tone::Bad,
            _ => Tone::Dim,
        };
        let why = row.because.as_ref().map_or(String::new(), |why| format!(": {why}"));
        table.row([
            TableCell::new(&row.solver),
            TableCell::new(&row.algorithm),
            TableCell::new(row.time_ms.to_string()),
            TableCell::new(style.size(row.workspace)),
            TableCell::toned(format!("{}{why}", row.verdict.describe()), tone),
        ]);
    }
    vec![Block::Heading("The record, fastest first".into()), Block::Table(table)]
}

fn candidates(report: &ConvReport, style: &Style) -> Vec<Block> {
    if report.candidates.is_empty() {
        return Vec::new();
    }
    let mut columns = vec![
        Column::right("id"),
        Column::left("candidate"),
        Column::left("algorithm"),
        Column::left("on a miss"),
        Column::right("workspace"),
    ];
    // Most rules leave nothing out.
    let is_inexact = report.candidates.iter().any(|candidate| candidate.superset.is_some());
    if is_inexact {
        columns.push(Column::left("what the rule leaves out"));
    }
    let mut table = Table::new(columns);
    for c in &report.candidates {
        let word = match (c.measured, c.dynamic) {
            (true, _) => "measured",
            (false, true) => "not searched",
            (false, false) => "not dynamic",
        };
        let mut cells = vec![
            TableCell::new(c.id.to_string()),
            TableCell::new(&c.solver),
            TableCell::new(&c.algorithm),
            TableCell::toned(word, if c.measured { Tone::Good } else { Tone::Dim }),
            match c.workspace {
                // In bytes, as in MIOpen's own log.
                Some(bytes) if style.verbose > 0 => TableCell::new(thousands(bytes)),
                Some(bytes) => TableCell::new(style.size(bytes)),
                None => TableCell::toned("not known", Tone::Dim),
            },
        ];
        if is_inexact {
            cells.push(TableCell::toned(c.superset.as_deref().unwrap_or(""), Tone::Dim));
        }
        table.row(cells);
    }
    let mut blocks =
        vec![Block::Heading("Solvers that take the problem, in registry order".into()), Block::Table(table)];
    let is_left_out = |candidate: &ConvCandidate| !candidate.measured && !candidate.dynamic;
    if report.find.mode == "DYNAMIC_HYBRID" && report.candidates.iter().any(is_left_out) {
        let text = "not dynamic: its kernel is compiled anew for each shape, and MIOpen's default mode leaves such \
                    solvers out on a miss; MIOPEN_FIND_MODE=NORMAL measures them too.";
        blocks.push(Block::Text(Tone::Dim, text.to_owned()));
    }
    blocks
}

/// Rejections: each with `-v`, otherwise by reason.
fn rejected(report: &ConvReport, style: &Style) -> Vec<Block> {
    if report.rejected.is_empty() {
        return Vec::new();
    }
    let heading =
        Block::Heading(format!("{} refuse it", plural(report.rejected.len() as u64, "solver", "solvers")));
    if style.verbose > 0 {
        let mut table = Table::new([
            Column::right("id"),
            Column::left("refused"),
            Column::left("because"),
            Column::left("read in"),
        ]);
        for r in &report.rejected {
            table.row([
                TableCell::new(r.id.to_string()),
                TableCell::new(&r.solver),
                TableCell::new(&r.because),
                TableCell::toned(&r.source, Tone::Dim),
            ]);
        }
        return vec![heading, Block::Table(table)];
    }
    let mut by_reason: KeyMap<&str, Vec<&ConvRejected>> = KeyMap::new();
    for r in &report.rejected {
        by_reason.entry(reason(r)).or_default().push(r);
    }
    let mut rows: Vec<_> = by_reason.into_iter().collect();
    rows.sort_rows_by_key(|(because, solvers)| (std::cmp::Reverse(solvers.len()), *because));
    let mut table = Table::new([Column::right("solvers"), Column::left("because; the first of them")]);
    for (because, solvers) in rows {
        let first = solvers.first().map_or("", |r| r.solver.as_str());
        table.row([TableCell::new(solvers.len().to_string()), TableCell::new(format!("{because}; {first}"))]);
    }
    vec![heading, Block::Table(table)]
}

/// Why a solver is refused; solvers that are merely off share one reason.
fn reason(r: &ConvRejected) -> &str {
    if r.because.contains("off by default") {
        return "off by default, until a variable turns them on";
    }
    &r.because
}

fn estimates(report: &ConvReport) -> Vec<Block> {
    if report.pick.is_some() || report.estimates.is_empty() {
        return Vec::new();
    }
    let title = if report.immediate.estimates_decide {
        "FAST or immediate mode: estimate"
    } else {
        "FAST or immediate mode, where TunaNet names none: estimate"
    };
    let mut table = Table::new([Column::left(title), Column::right("WTI")]);
    for e in &report.estimates {
        table.row([TableCell::new(&e.solver), TableCell::new(format!("{:.4}", e.wti))]);
    }
    vec![Block::Space, Block::Table(table)]
}

fn databases(report: &ConvReport) -> Block {
    let mut table = Table::new([
        Column::left("database"),
        Column::left("looked for"),
        Column::left("found"),
        Column::left("file"),
    ]);
    for d in &report.databases {
        let tone = match d.state {
            DatabaseChoice::Exact | DatabaseChoice::Processor | DatabaseChoice::Nearest => Tone::Good,
            DatabaseChoice::None => Tone::Dim,
            _ => Tone::Bad,
        };
        table.row([
            TableCell::new(d.kind.describe()),
            TableCell::new(&d.wanted),
            TableCell::toned(d.state.describe(), tone),
            TableCell::new(d.file.as_deref().unwrap_or("")),
        ]);
    }
    Block::Table(table)
}

/// The route, step by step: the find-db with its record, what MIOpen measures without one, and what it cannot
/// take.
fn route(report: &ConvReport) -> Map {
    let forward = report.problem.starts_with("forward");
    let hit = report.pick.is_some();
    let is_recorded = !report.recorded.is_empty();
    let recorded = report.recorded.iter().map(|row| {
        let time = format!("{} ms, {}", row.time_ms, row.verdict.describe());
        let (tone, edge) = match row.verdict {
            RecordVerdict::Taken => (Tone::Good, EdgeKind::Taken),
            RecordVerdict::Skipped => (Tone::Bad, EdgeKind::Blocked),
            _ => (Tone::Partial, EdgeKind::Instead),
        };
        let lines = std::iter::once(time).chain(row.because.clone()).collect();
        MapNode { lines, edge, ..MapNode::new(&row.solver, tone) }
    });
    let measured = report.candidates.iter().filter(|c| c.measured);
    let find = match (report.find.at_once, report.only_winograd) {
        (true, _) => "answer of the immediate mode",
        (false, true) => "measure Winograd alone",
        (false, false) => "measure the candidates",
    };
    let (tone, edge, by) = match hit {
        true => (Tone::Partial, EdgeKind::Instead, "without the record"),
        false => (Tone::Good, EdgeKind::Taken, "miss"),
    };
    let find = MapNode {
        edge,
        by: by.to_owned(),
        children: measured.map(|c| MapNode::new(&c.solver, Tone::Partial)).collect(),
        ..MapNode::new(find, tone)
    };
    let (word, tone) = if is_recorded { ("recorded", Tone::Good) } else { ("not recorded", Tone::Bad) };
    let database = MapNode {
        children: recorded.chain([find]).collect(),
        ..MapNode::new(format!("find-db: {word}"), tone)
    };
    // Leaves out solvers for other directions, whose refusal is obvious.
    let other = |r: &ConvRejected| {
        r.because.starts_with("computes ")
            || (r.solver.contains("Bwd") || r.solver.contains("WrW")) && forward
    };
    let shown = |r: &&ConvRejected| ROUTES.contains(&r.solver.as_str()) && !other(r);
    let blocked = report.rejected.iter().filter(shown).map(|r| MapNode {
        lines: vec![r.because.clone()],
        edge: EdgeKind::Blocked,
        ..MapNode::new(&r.solver, Tone::Bad)
    });
    let root = MapNode {
        children: std::iter::once(database).chain(blocked).collect(),
        ..MapNode::new(&report.problem, Tone::Good)
    };
    Map { title: "The way that MIOpen takes".to_owned(), root }
}

/// One well-known solver of each family, drawn if it is refused.
const ROUTES: &[&str] = &[
    "ConvMlirIgemmFwd",
    "ConvMlirIgemmBwd",
    "ConvMlirIgemmWrW",
    "ConvHipImplicitGemmForwardV4R5Xdlops",
    "ConvHipImplicitGemmGroupFwdXdlops",
    "ConvAsmImplicitGemmV4R1DynamicFwd_1x1",
    "ConvCkIgemmFwdV6r1DlopsNchw",
    "GemmFwd1x1_0_1_int8",
];
