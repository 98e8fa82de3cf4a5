//! A choice of rocBLAS in blocks: what it chooses and launches, and why.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::documents::{Document, Draw, Judged};
use super::findings;
use super::style::{Style, Tone, plural, thousands};
use super::{Drawn, Format, drawn};
use crate::report::v1::{GemmReport, KernelLaunch, Statement};

/// `rocblas_status_invalid_size`.
const INVALID_SIZE: i32 = 4;

impl Document for GemmReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found).about([&self.folder])
    }
}

impl Draw for GemmReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

fn blocks(report: &GemmReport, style: &Style) -> Vec<Block> {
    let right = format!("{}, {} multiprocessors", report.target, report.multiprocessors);
    let mut blocks = vec![Block::Title(report.call.clone(), right)];
    blocks.extend(answer(report, style));
    if style.verbose > 0 {
        blocks.push(Block::Heading("The walk: why this one".into()));
        blocks.push(Block::Lines(report.walk.clone()));
        if report.walk_dropped > 0 {
            let more = plural(report.walk_dropped, "more candidate", "more candidates");
            blocks.push(Block::Text(Tone::Dim, format!("{more}.")));
        }
    }
    blocks.push(Block::Heading("Basis".into()));
    blocks.extend(findings::items(&report.found.findings));
    blocks.push(Block::Items(report.statements.iter().map(statement).collect()));
    if style.verbose == 0 && !style.shared {
        blocks.extend([
            Block::Space,
            Block::Text(Tone::Dim, "Next: -v for the walk through the catalogs.".into()),
        ]);
    }
    blocks
}

/// The solution, its kernel and its launches.
pub(super) fn answer(report: &GemmReport, style: &Style) -> Vec<Block> {
    let mut blocks = Vec::new();
    let item = |label: &str, text: String| ListLine { tone: Tone::Plain, label: label.to_owned(), text };
    let mut items = Vec::new();
    match (report.solution, report.quick_return) {
        (_, true) => items.push(item("answer", "rocBLAS returns at once: there is nothing to do".into())),
        (None, _) if report.gemv => items.push(item(
            "answer",
            "a product of a matrix and a vector: rocBLAS launches a kernel of its own, and no catalog is asked".into(),
        )),
        (None, _) if report.status == INVALID_SIZE => items.push(ListLine {
            tone: Tone::Bad,
            label: "answer".into(),
            text: "rocblas_status_invalid_size (4): C and D are one matrix, and have two leading dimensions".into(),
        }),
        (None, _) => items.push(ListLine {
            tone: Tone::Bad,
            label: "answer".into(),
            text: "no solution: rocblas_status_not_implemented (2)".into(),
        }),
        (Some(_), _) if report.status != 0 => items.push(ListLine {
            tone: Tone::Bad,
            label: "answer".into(),
            text: format!("rocblas_status {}: the call fails", report.status),
        }),
        (Some(_), _) => {
            let (tone, text) = if report.fallback {
                (Tone::Partial, "a fallback kernel, compiled from HIP source for every target")
            } else {
                (Tone::Good, "a kernel tuned for this target")
            };
            items.push(ListLine { tone, label: "answer".into(), text: text.into() });
        }
    }
    if report.answered_by != "rocBLAS" {
        let text = format!(
            "{} is asked first and answers; this is what rocBLAS does without it",
            report.answered_by
        );
        items.insert(0, ListLine { tone: Tone::Partial, label: "library".into(), text });
    }
    if let Some(solution) = report.solution {
        items.push(item(
            "solution",
            match report.public_solution {
                Some(public) => format!("{solution} (rocblas_gemm_ex takes it as solution_index {public})"),
                None => solution.to_string(),
            },
        ));
        items.push(item(
            "code object",
            report.code_object.clone().unwrap_or_else(|| "named by no catalog".into()),
        ));
        if report.loaded_from != report.code_object && !report.quick_return {
            let from = report.loaded_from.as_deref().unwrap_or("no file: the kernel is missing");
            items.push(item("supplied by", from.to_owned()));
        }
        if report.workspace_bytes > 0 {
            items.push(item("workspace", format!("{} bytes needed", thousands(report.workspace_bytes))));
        }
    }
    blocks.push(Block::Items(items));
    if let Some(kernel) = &report.kernel {
        blocks.extend([Block::Heading("The kernel".into()), Block::Lines(vec![kernel.clone()])]);
        if !report.parameters.is_empty() {
            let mut table =
                Table::new([Column::left("in its name"), Column::left("value"), Column::left("what")]);
            let shown = if style.verbose > 0 { report.parameters.len() } else { 7 };
            for p in report.parameters.iter().take(shown) {
                table.row([TableCell::new(&p.name), TableCell::new(&p.value), TableCell::new(&p.title)]);
            }
            blocks.extend([Block::Space, Block::Table(table)]);
        }
    }
    blocks.extend(launches(report));
    blocks
}

fn launches(report: &GemmReport) -> Vec<Block> {
    launch_rows(
        &report.launches,
        report.kernel.as_deref(),
        report.loaded_from.as_deref(),
        report.quick_return,
    )
}

/// A table of launches. `kernel` is the main kernel, named above, and `own` the file that contains it;
/// `none_runs` means that nothing is launched, so that no file is looked up.
pub(super) fn launch_rows(
    launches: &[KernelLaunch],
    kernel: Option<&str>,
    own: Option<&str>,
    none_runs: bool,
) -> Vec<Block> {
    if launches.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::left("launch"),
        Column::right("work groups"),
        Column::right("work items each"),
        Column::left("kernel"),
        Column::left("from"),
    ]);
    let by = |numbers: &[u64]| numbers.iter().map(|n| thousands(*n)).collect::<Vec<_>>().join(" × ");
    for launch in launches {
        let main = Some(launch.kernel.as_str()) == kernel;
        let same = launch.file.as_deref() == own;
        table.row([
            TableCell::new(launch.role.describe()),
            TableCell::new(by(&launch.grid)),
            TableCell::new(by(&launch.work_group.map(u64::from))),
            TableCell::new(if main { "the one above" } else { &launch.kernel }),
            TableCell::new(match (&launch.file, main && same) {
                (Some(_), true) => "its code object",
                (Some(file), false) => file,
                (None, _) if none_runs => "",
                (None, _) => "no file has it",
            }),
        ]);
    }
    vec![Block::Heading("What is launched, in this order".into()), Block::Table(table)]
}

pub(super) fn statement(statement: &Statement) -> ListLine {
    let known = statement.evidence.name();
    ListLine {
        tone: Tone::Dim,
        label: statement.about.clone(),
        text: format!("{} [{known}]", statement.text),
    }
}
