//! A selection, in blocks: what is chosen, launched and why.

use super::block::{Block, Cell, Column, Item, Table};
use super::style::{Style, Tone, thousands};
use super::{Format, safe};
use crate::tensile::library::{Answer, Library};
use crate::tensile::problem::Problem;
use crate::tensile::walk::{Step, Walk};

/// Draws the selection of a matrix product.
pub fn gemm(
    library: &Library,
    problem: &Problem,
    answer: &Answer<'_>,
    walk: &Walk,
    format: Format,
    style: &Style,
) -> String {
    let draw = |style: &Style| safe(blocks(library, problem, answer, walk, style));
    match format {
        Format::Md => super::markdown::draw(&draw(&style.for_markdown())),
        _ => super::terminal::draw(&draw(style), style),
    }
}

fn blocks(library: &Library, p: &Problem, answer: &Answer<'_>, walk: &Walk, style: &Style) -> Vec<Block> {
    let title = format!("{} {:?}{:?} {} × {} × {}", p.ty, p.ta, p.tb, p.m, p.n, p.k);
    let right = format!("{}, {} multiprocessors", library.device(), p.cus);
    let mut blocks = vec![Block::Title(title, right)];
    let item = |label: &str, text: String| Item { tone: Tone::Plain, label: label.to_owned(), text };
    let mut items = Vec::new();
    match (answer.solution, answer.quick_return) {
        (_, true) => items.push(item("answer", "rocBLAS returns at once: nothing is to be done".into())),
        (None, _) => items.push(item("answer", "no solution: rocBLAS returns not_implemented (2)".into())),
        (Some(solution), _) => {
            let kind = if answer.fallback { "fallback, for every target" } else { "tuned for this target" };
            items.push(item("solution", format!("{} ({kind})", solution.index)));
            items.push(item("kernel", answer.kernel.unwrap_or_default().to_owned()));
            let m = &solution.mapping;
            let tile = format!(
                "macro tile {} × {}, depth {}, global split {}, {}",
                m.macro_tile[0],
                m.macro_tile[1],
                m.depth_u,
                m.global_split_u,
                if m.source_kernel { "HIP source" } else { "assembly" }
            );
            items.push(item("decoded", tile));
            items
                .push(item("code object", answer.co.clone().unwrap_or_else(|| "named by no catalog".into())));
            if answer.loaded_from.as_deref() != answer.co.as_deref() {
                let from = answer.loaded_from.as_deref().unwrap_or("no file: the kernel is missing");
                items.push(item("supplied by", from.to_owned()));
            }
            if answer.ws_req > 0 {
                items.push(item("workspace", format!("{} bytes", thousands(answer.ws_req))));
            }
            if answer.status != 0 {
                items.push(item("status", format!("rocblas_status {}", answer.status)));
            }
        }
    }
    blocks.push(Block::Items(items));
    if !answer.launches.is_empty() {
        let mut table = Table::new([
            Column::left("launch"),
            Column::left("grid"),
            Column::left("work group"),
            Column::left("kernel"),
        ]);
        for launch in &answer.launches {
            table.row([
                Cell::new(format!("{:?}", launch.role)),
                Cell::new(format!("{:?}", launch.grid)),
                Cell::new(format!("{:?}", launch.work_group)),
                Cell::new(launch.kernel.to_string()),
            ]);
        }
        blocks.extend([Block::Heading("Launches".into()), Block::Table(table)]);
    }
    if style.verbose > 0 {
        blocks.push(Block::Heading("The walk".into()));
        blocks.push(Block::Lines(walk.steps().iter().map(step).collect()));
        if walk.dropped() > 0 {
            blocks.push(Block::Text(Tone::Dim, format!("{} more candidates.", thousands(walk.dropped()))));
        }
    }
    let assumed = format!(
        "Read in the catalogs of this install; how rocBLAS 6.4 chooses among them is known from its source and \
         was held against it. Assumed: the first call of a process, {} bytes of workspace, no environment that \
         overrides the choice, no hipBLASLt before it. Predicted, not observed.",
        thousands(p.ws)
    );
    blocks.extend([Block::Space, Block::Text(Tone::Dim, assumed)]);
    blocks
}

fn step(step: &Step) -> String {
    match step {
        Step::Row { node, row, rows, predicate, failed: None } => {
            format!("{node} row {} of {rows}: {predicate} holds", row + 1)
        }
        Step::Row { node, row, rows, failed: Some(failed), .. } => {
            format!("{node} row {} of {rows}: fails at {failed}", row + 1)
        }
        Step::Operation { name, found } => {
            format!("{name}: {}", if *found { "there are rows for it" } else { "nothing for it" })
        }
        Step::Catalog { name } => format!("catalog {name}"),
        Step::Table { metric, rows, tried, chosen, runner_up } => {
            let solution = |s: &Option<(u32, f64)>| match s {
                Some((index, distance)) => format!("solution {index} at distance {distance}"),
                None => "nothing".to_owned(),
            };
            format!(
                "{metric} table of {rows} rows, {tried} asked: {}; next best {}",
                solution(chosen),
                solution(runner_up)
            )
        }
        Step::Trees { tried, chosen } => match chosen {
            Some(index) => format!("decision trees, {tried} solutions asked: {index}"),
            None => format!("decision trees, {tried} solutions asked: nothing"),
        },
        Step::Candidate { solution, failed: Some(failed), .. } => {
            format!("  solution {solution}: fails at {failed}")
        }
        Step::Candidate { solution, distance: Some(distance), .. } => {
            format!("  solution {solution}: can solve it, distance {distance}")
        }
        Step::Candidate { solution, .. } => format!("  solution {solution}: can solve it"),
    }
}
