//! hipBLASLt's tuning files (`HIPBLASLT_TUNING_OVERRIDE_FILE`), of each generation.
//!
//! Source: `rocblaslt`'s `UserDrivenTuningParser.cpp` up to 1.4, and that of 1.5 with named columns. No such
//! file of a real tuning run was there to compare with.
#![deny(clippy::indexing_slicing)]

use super::{CheckedTuning, Libraries, lines};
use crate::tensile::by_index::every_index;
use crate::tensile::lite::library::{Candidate, Library};
use std::collections::HashSet;

/// The first line, which names the build that wrote a file.
const STAMP: &str = "Git Version:";

/// Cells of the rows of releases up to 1.4, and of the first one.
const CELLS: [usize; 2] = [37, 10];

/// The columns that a row with names must have.
const COLUMNS: [&str; 11] = [
    "transA",
    "transB",
    "batch_count",
    "m",
    "n",
    "k",
    "a_type",
    "b_type",
    "c_type",
    "d_type",
    "compute_type",
];

pub(super) fn check(text: &str, libraries: &Libraries, checked: &mut CheckedTuning) {
    let stamp =
        text.lines().next().and_then(|line| line.trim_start().strip_prefix(STAMP)).unwrap_or_default().trim();
    let Some(library) = libraries.hipblaslt.as_deref() else {
        checked.reject(1, "no catalog of hipBLASLt for the target is here");
        return;
    };
    // The build's stamp is a text in the library, where it has one.
    let is_own = library.release().is_built_by(library.folder(), stamp);
    let named = lines(text).find(|(_, line)| line.contains("transA") && line.contains("solution_index"));
    if named.is_none() && is_own == Some(false) {
        let what = format!(
            "it is of the build {stamp:?}, which the library here does not name: hipblasLtMatmulAlgoGetHeuristic skips the \
             whole file, and hipblaslt_ext takes its rows all the same"
        );
        checked.reject(1, what);
    }
    match named {
        Some(_) => check_named(text, library, stamp, is_own, checked),
        None => check_cells(text, library, checked),
    }
}

/// The solution of an index, wherever it stands.
pub(super) fn solution(library: &Library, index: u32) -> Option<Candidate<'_>> {
    every_index(library.catalogs(), index)
}

/// Rows of releases up to 1.4: a heading and values of a fixed number of cells.
fn check_cells(text: &str, library: &Library, checked: &mut CheckedTuning) {
    for (number, line) in lines(text).skip(1) {
        if line.trim().is_empty() || line.contains("transA") {
            continue;
        }
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        checked.rows += 1;
        if !CELLS.contains(&cells.len()) {
            let what =
                format!("it has {} cells, and rows of 37 are read (10 in the first release)", cells.len());
            checked.stale(number, what);
            continue;
        }
        let index = cells.last().copied().unwrap_or_default();
        let Some(index) = index.parse::<u32>().ok().filter(|index| *index > 0) else {
            checked.stale(number, format!("{index:?} is no index of a solution"));
            continue;
        };
        let turned = |at: usize| cells.get(at).is_some_and(|letter| *letter != "N");
        match solution(library, index) {
            None => checked.stale(number, format!("no catalog here has solution {index}")),
            Some(found) if !suits(&found, [turned(0), turned(1)]) => {
                checked.stale(number, format!("solution {index} is of another transposition"));
            }
            Some(_) => {}
        }
    }
}

/// Whether a solution's catalog is of these transpositions, by its name.
fn suits(found: &Candidate<'_>, [a, b]: [bool; 2]) -> bool {
    let Some(name) = found.placeholder else { return true };
    name.contains(if a { "_Alik" } else { "_Ailk" }) && name.contains(if b { "_Bjlk" } else { "_Bljk" })
}

/// Rows of 1.5: a heading names the columns of the line behind it.
fn check_named(
    text: &str,
    library: &Library,
    stamp: &str,
    is_own: Option<bool>,
    checked: &mut CheckedTuning,
) {
    let mut heading: Option<Vec<&str>> = None;
    let mut seen = HashSet::new();
    for (number, line) in lines(text).skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if line.contains("transA") && line.contains("solution_index") {
            heading = Some(cells);
            continue;
        }
        checked.rows += 1;
        let Some(columns) = heading.take() else {
            checked.stale(number, "no heading stands before it");
            continue;
        };
        if columns.len() != cells.len() {
            let what = format!("it has {} cells, and its heading {}", cells.len(), columns.len());
            checked.stale(number, what);
            continue;
        }
        let of =
            |name: &str| columns.iter().position(|own| *own == name).and_then(|at| cells.get(at)).copied();
        if let Some(lost) = COLUMNS.iter().find(|name| of(name).is_none()) {
            checked.stale(number, format!("its heading has no {lost}"));
            continue;
        }
        let key: Vec<&str> = COLUMNS.iter().filter_map(|name| of(name)).collect();
        if !seen.insert(key.join(",")) {
            checked.stale(number, "an earlier row is for the same call, and the first one stays");
            continue;
        }
        let index = of("solution_index").unwrap_or_default();
        let found = index.parse().ok().and_then(|index| solution(library, index));
        let name = of("kernel_name").or_else(|| of("solution_name")).filter(|name| !name.is_empty());
        match (found, name) {
            (None, _) => checked.stale(number, format!("no catalog here has solution {index}")),
            (Some(found), Some(name)) => {
                let own = [found.solution.kernel, found.solution.name].map(|text| found.catalog.text(text));
                if !own.contains(&name) {
                    let [own, _] = own;
                    checked
                        .stale(number, format!("solution {index} is {own} here, and the row names {name}"));
                }
            }
            (Some(_), None) if stamp.is_empty() || is_own == Some(false) => {
                let what = format!(
                    "it names no kernel, and the build {stamp:?} is not the library's: its index can be another's"
                );
                checked.stale(number, what);
            }
            (Some(_), None) => {}
        }
    }
}
