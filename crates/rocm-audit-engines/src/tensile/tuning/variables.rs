//! Variables of the environment that name a solution: lines `TENSILE_SOLUTION_INDEX=N`, with or without
//! `export`.
//!
//! Source: Tensile's `Debug.cpp` and `MasterSolutionLibrary.hpp`, which take the solution of that index for
//! every product of a process; of hipBLASLt, ROCm/rocm-libraries #12243: `hipblasLtMatmul` does not ask for
//! it.
#![deny(clippy::indexing_slicing)]

use super::{CheckedTuning, Libraries, hipblaslt, lines};
use crate::tensile::by_index::every_index;

/// The variable.
const SOLUTION_INDEX: &str = "TENSILE_SOLUTION_INDEX";

/// Name and value of a line that sets a variable of Tensile.
pub(super) fn setting(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").map_or(line, str::trim_start);
    let (name, value) = line.split_once('=')?;
    name.starts_with("TENSILE_").then(|| (name, value.trim_matches(['"', '\''])))
}

pub(super) fn check(text: &str, libraries: &Libraries, checked: &mut CheckedTuning) {
    for (number, line) in lines(text) {
        let Some((SOLUTION_INDEX, value)) = setting(line) else { continue };
        checked.rows += 1;
        let Ok(index) = value.parse::<i64>() else {
            checked.stale(number, format!("{value:?} is no index of a solution"));
            continue;
        };
        // Below zero stands for none.
        let Ok(index) = u32::try_from(index) else {
            checked.stale(number, format!("{index} stands for no solution, and the library chooses"));
            continue;
        };
        let of_rocblas =
            libraries.rocblas.as_ref().is_some_and(|own| every_index(own.catalogs(), index).is_some());
        let of_hipblaslt =
            || libraries.hipblaslt.as_ref().is_some_and(|own| hipblaslt::solution(own, index).is_some());
        if of_rocblas {
            continue;
        }
        let why = if of_hipblaslt() {
            format!(
                "solution {index} is one of hipBLASLt, whose hipblasLtMatmul does not ask for the variable"
            )
        } else {
            format!("no catalog here has solution {index}")
        };
        checked.stale(number, why);
    }
}
