//! The steps of a choice, in words.

use crate::engines::tensile::trace::{SelectionStep, TunedRow};

/// Whether a step decides nothing: a node with one row and no condition.
pub(super) fn is_idle(step: &SelectionStep) -> bool {
    matches!(step, SelectionStep::Row { rows: 1, predicate, failed: None, .. } if predicate == "TruePred")
}

/// A table's distance measure in words.
fn metric(name: &str) -> &'static str {
    match name {
        "Euclidean" => "the nearest of {} tuned sizes (sum of the squared differences)",
        "Equality" => "exactly this size among {} tuned ones",
        "Grid" => "the next larger M and N of {} tuned sizes, and of those the nearest K",
        _ => "the next larger M and N of {} tuned sizes, with the least waste",
    }
}

/// A step in words.
pub(super) fn words(step: &SelectionStep) -> String {
    let tuned = |t: &Option<TunedRow>| match t {
        Some(t) => format!("solution {}, tuned for {}, distance {}", t.solution, t.size, t.distance),
        None => "nothing".to_owned(),
    };
    match step {
        SelectionStep::Row { node, row, rows, predicate, failed: None } => {
            format!("{node} row {} of {rows}: {predicate} holds", row + 1)
        }
        SelectionStep::Row { node, row, rows, failed: Some(failed), .. } => {
            format!("{node} row {} of {rows}: fails at {failed}", row + 1)
        }
        SelectionStep::Operation { name, found } => {
            format!("{name}: {}", if *found { "there are rows for it" } else { "nothing for it" })
        }
        SelectionStep::Catalog { name } => format!("opens the catalog {name}"),
        SelectionStep::Table { metric: name, rows, tried, chosen, runner_up } => {
            let what = metric(name).replace("{}", &rows.to_string());
            let mut text = format!("{name} table, {what}; {tried} asked: {}", tuned(chosen));
            if let (Some(best), Some(next)) = (chosen, runner_up) {
                let tie = if best.distance == next.distance && *name != "Grid" {
                    "; equally near: of these the faster in the table wins, else the one that rocBLAS's sort leaves first"
                } else {
                    ""
                };
                text.push_str(&format!("; next best: {}{tie}", tuned(runner_up)));
            }
            text
        }
        SelectionStep::Trees { tried, chosen } => match chosen {
            Some(index) => format!("decision trees, {tried} solutions asked: {index}"),
            None => format!("decision trees, {tried} solutions asked: nothing"),
        },
        SelectionStep::Ranked { solutions, able, chosen } => {
            let first =
                chosen.map_or_else(|| "nothing".to_owned(), |index| format!("solution {index} first"));
            format!("origami's model ranks {solutions} solutions, of them {able} that can solve it: {first}")
        }
        SelectionStep::FreeSize { solutions } => {
            format!("a list of {solutions} solutions without a rank: a search for the best finds none in it")
        }
        SelectionStep::Unknown { what } => {
            format!("{what}: this tool does not know it; what the library finds from here on is not known")
        }
        SelectionStep::Fill { catalogs, tried, candidates } => format!(
            "fills up: {tried} solutions of this operation and these types in {catalogs} catalogs, {candidates} of them can"
        ),
        SelectionStep::Candidate { solution, failed: Some(failed), .. } => {
            format!("  solution {solution}: fails at {failed}")
        }
        SelectionStep::Candidate { solution, distance: Some(distance), .. } => {
            format!("  solution {solution}: can solve it, distance {distance}, the best so far")
        }
        SelectionStep::Candidate { solution, .. } => format!("  solution {solution}: can solve it"),
    }
}
