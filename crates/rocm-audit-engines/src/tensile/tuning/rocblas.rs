//! rocBLAS's override files (`ROCBLAS_TENSILE_GEMM_OVERRIDE_PATH`), and the numbers that `rocblas_gemm_ex`
//! takes for solutions.
//!
//! Source: Tensile's `UserDrivenTuningParser.cpp`; compared with the library of 5.2 by files that it was
//! given.
#![deny(clippy::indexing_slicing)]

use super::{CheckedTuning, Libraries, lines};
use crate::tensile::by_index::of_index;
use crate::tensile::call::{GemmCall, Transpose};
use crate::tensile::data_type::{DataType, GEMM_TYPES, GemmType};
use crate::tensile::library::{Answer, Library, SUCCESS};
use crate::tensile::select::FoundSolution;
use crate::tensile::version::Version;
use amdgpu_object::target::TargetId;
use std::collections::HashMap;

/// `rocblas_status_invalid_value`.
pub const INVALID_VALUE: i32 = 11;

/// What a call must have for a row to apply to it. Alpha and whether C is D do not count.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    transposed: [bool; 2],
    sizes: [u64; 4],
    beta: u64,
    ld: [u64; 3],
    stride: [u64; 3],
    ty: &'static str,
}

/// A row of a file.
#[derive(Debug, Clone)]
pub struct OverrideRow {
    /// Its line, counted from 1.
    pub line: u64,
    /// What it is for.
    pub key: Key,
    /// Tensile's index of the solution.
    pub solution: u32,
    conjugate: [bool; 2],
}

/// Why a line is no row that can apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRow {
    /// A heading, or nothing.
    Heading,
    /// rocBLAS skips it without a word, for this reason.
    Ignored(String),
}

/// Cells of a row without and with strides.
const CELLS: [usize; 2] = [15, 18];

/// The types of a cell.
const TYPES: &[(&str, &str, DataType)] = &[
    ("f16_r", "h", DataType::Half),
    ("f32_r", "s", DataType::Float),
    ("f64_r", "d", DataType::Double),
    ("bf16_r", "bf16_r", DataType::BFloat16),
    ("f32_c", "c", DataType::ComplexFloat),
    ("f64_c", "z", DataType::ComplexDouble),
    ("i8_r", "i8_r", DataType::Int8),
    ("i32_r", "i32_r", DataType::Int32),
];

/// Reads a line.
///
/// # Errors
/// Why it is no row.
pub fn row(number: u64, line: &str) -> Result<OverrideRow, NoRow> {
    let ignored = |why: String| NoRow::Ignored(why);
    if line.contains("transA") || line.trim().is_empty() {
        return Err(NoRow::Heading);
    }
    let cells: Vec<&str> = line.split(',').collect();
    if !CELLS.contains(&cells.len()) {
        return Err(ignored(format!(
            "it has {} cells, and only rows of 15, or 18 with strides, are read",
            cells.len()
        )));
    }
    let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
    let number_at = |at: usize| -> Result<u64, NoRow> {
        cell(at).parse().map_err(|_| ignored(format!("{:?} in its cell {} is no number", cell(at), at + 1)))
    };
    let letter = |at: usize| match cell(at) {
        "N" => Ok((false, false)),
        text if text.len() == 1 => Ok((true, text == "C")),
        text => Err(ignored(format!("{text:?} in its cell {} is no transposition", at + 1))),
    };
    let strides = cells.len() == 18;
    let behind = if strides { 14 } else { 11 };
    let ty = |at: usize| {
        let found = TYPES.iter().find(|(name, short, _)| [*name, *short].contains(&cell(at)));
        let unknown = || ignored(format!("{:?} in its cell {} is no type", cell(at), at + 1));
        found.map(|(.., ty)| *ty).ok_or_else(unknown)
    };
    let types = [ty(behind)?, ty(behind + 1)?, ty(behind + 2)?];
    let known = GEMM_TYPES.iter().find(|known| [known.input, known.output, known.compute] == types);
    let known: &GemmType = known.ok_or_else(|| {
        let [a, c, compute] = types;
        ignored(format!("rocBLAS has no products of {a} to {c} in {compute}"))
    })?;
    let (index, at) = (cells.last().copied().unwrap_or_default().trim_end(), cells.len());
    let index: i64 = index
        .parse()
        .map_err(|_| ignored(format!("{index:?} in its cell {at} is no number of a solution")))?;
    let solution = u32::try_from(index - 1).ok().filter(|_| index > 0).ok_or_else(|| {
        let own = if index <= -11 {
            format!(
                "; rocblas_gemm_ex_get_solutions gives such numbers, and this one is {} in a file",
                -index - 10
            )
        } else {
            String::new()
        };
        ignored(format!("solution {index} is dropped: a file takes Tensile's index plus one{own}"))
    })?;
    let beta: f64 =
        cell(7).parse().map_err(|_| ignored(format!("{:?} in its cell 8 is no number", cell(7))))?;
    let ((ta, ca), (tb, cb)) = (letter(0)?, letter(1)?);
    let [m, n, batch, k] = [number_at(2)?, number_at(3)?, number_at(4)?, number_at(5)?];
    let ld = [number_at(8)?, number_at(9)?, number_at(10)?];
    let packed = [
        ld_times(ld, 0, if ta { m } else { k }),
        ld_times(ld, 1, if tb { k } else { n }),
        ld_times(ld, 2, n),
    ];
    let stride = match (strides, batch) {
        (true, _) => [number_at(11)?, number_at(12)?, number_at(13)?],
        (false, 1) => [1; 3],
        (false, _) => packed,
    };
    let key = Key {
        transposed: [ta, tb],
        sizes: [m, n, batch, k],
        beta: beta.to_bits(),
        ld,
        stride,
        ty: known.name,
    };
    Ok(OverrideRow { line: number, key, solution, conjugate: [ca, cb] })
}

fn ld_times(ld: [u64; 3], at: usize, columns: u64) -> u64 {
    ld.get(at).copied().unwrap_or_default().saturating_mul(columns)
}

impl Key {
    /// The key of a call.
    pub fn from_call(call: &GemmCall) -> Option<Key> {
        let ([lda, ldb, ldc, _], [a, b, c, _]) = (call.ld, call.stride);
        Some(Key {
            transposed: [call.ta, call.tb].map(|transpose| transpose != Transpose::N),
            sizes: [call.m, call.n, call.batch, call.k],
            beta: call.beta.to_bits(),
            ld: [lda, ldb, ldc],
            stride: if call.batch == 1 { [1; 3] } else { [a, b, c] },
            ty: GemmType::by_name(&call.ty)?.name,
        })
    }
}

impl OverrideRow {
    /// The call that the row is for.
    fn call(&self, libraries: &Libraries) -> Option<GemmCall> {
        let target = TargetId::parse(&libraries.target)?;
        let turned = |turned: bool, conjugate: bool| match (turned, conjugate) {
            (false, _) => Transpose::N,
            (true, false) => Transpose::T,
            (true, true) => Transpose::C,
        };
        let ([ta, tb], [ca, cb]) = (self.key.transposed, self.conjugate);
        let [m, n, batch, k] = self.key.sizes;
        let transposes = [turned(ta, ca), turned(tb, cb)];
        let mut call = GemmCall::new(&target, libraries.multiprocessors, self.key.ty, transposes, [m, n, k]);
        let ([lda, ldb, ldc], [a, b, c]) = (self.key.ld, self.key.stride);
        (call.batch, call.ld, call.stride) = (batch, [lda, ldb, ldc, ldc], [a, b, c, c]);
        (call.beta, call.c_eq_d) = (f64::from_bits(self.key.beta), true);
        Some(call)
    }
}

/// The rows of a file that can apply, the last of each key.
pub fn rows(text: &str) -> HashMap<Key, OverrideRow> {
    let all = lines(text).filter_map(|(number, line)| row(number, line).ok());
    all.map(|row| (row.key.clone(), row)).collect()
}

/// The solution of an index among the catalogs that a call leads to, and why it cannot solve the call.
pub fn solution<'l>(
    library: &'l Library,
    call: &GemmCall,
    index: u32,
) -> Option<(FoundSolution<'l>, Option<String>)> {
    let contraction = call.contraction()?;
    let hardware = call.hardware(&library.device().processor);
    let found = of_index(library.catalogs(), &contraction, &hardware, index)?;
    let why = found.solution.obstacle(&contraction, &hardware, found.catalog.bytes());
    Some((found, why))
}

/// The kernel that a call runs with these rows in force: that of its row, where that can solve it, else the
/// library's own choice.
pub fn kernel(library: &Library, rows: &HashMap<Key, OverrideRow>, call: &GemmCall) -> Option<String> {
    let row = Key::from_call(call).and_then(|key| rows.get(&key));
    let named = row.and_then(|row| solution(library, call, row.solution));
    match named {
        Some((found, None)) => Some(found.catalog.text(found.solution.name).to_owned()),
        _ => library.select(call, None).ok().as_ref().and_then(own_kernel),
    }
}

fn own_kernel(answer: &Answer<'_>) -> Option<String> {
    answer.kernel.filter(|_| answer.status == SUCCESS || answer.solution.is_some()).map(str::to_owned)
}

/// What `rocblas_gemm_ex` does with a number for a solution: its status, and the kernel where one is
/// launched.
pub fn by_number(library: &Library, call: &GemmCall, number: i64) -> (i32, Option<String>) {
    let is_new = library.version().is_some_and(|version| version >= Version::new(5, 0));
    let index = match number {
        // -2 asks whether there is a choice, and launches nothing.
        -2 if is_new => return (SUCCESS, None),
        0 | -1 => return (SUCCESS, library.select(call, None).ok().as_ref().and_then(own_kernel)),
        _ if is_new => -number - 11,
        _ => number - 1,
    };
    let found = u32::try_from(index).ok().and_then(|index| solution(library, call, index));
    match found {
        Some((found, None)) => (SUCCESS, Some(found.catalog.text(found.solution.name).to_owned())),
        _ => (INVALID_VALUE, None),
    }
}

pub(super) fn check(text: &str, libraries: &Libraries, checked: &mut CheckedTuning) {
    let last = rows(text);
    for (number, line) in lines(text) {
        let row = match row(number, line) {
            Ok(row) => row,
            Err(NoRow::Heading) => continue,
            Err(NoRow::Ignored(why)) => {
                checked.rows += 1;
                checked.stale(number, why);
                continue;
            }
        };
        checked.rows += 1;
        if let Some(later) = last.get(&row.key).filter(|later| later.line != number) {
            checked.stale(number, format!("line {} is for the same call, and the last one wins", later.line));
            continue;
        }
        let Some(library) = &libraries.rocblas else {
            checked.stale(number, "no catalog of rocBLAS for the target is here");
            continue;
        };
        let Some(call) = row.call(libraries) else { continue };
        let instead = instead(library, &call);
        let (index, own) = (row.solution, u64::from(row.solution) + 1);
        match solution(library, &call, row.solution) {
            None => checked.stale(
                number,
                format!(
                    "no catalog of its types and transposition has solution {index} (row: {own}): \"One or more problem \
                     overrides failed to load\"; {instead}"
                ),
            ),
            Some((_, Some(why))) => checked.stale(
                number,
                format!("solution {index} cannot solve the call, and rocBLAS skips it without a word: {why}; {instead}"),
            ),
            Some((_, None)) => {}
        }
    }
}

/// What the library takes where a row is not in force.
pub(super) fn instead(library: &Library, call: &GemmCall) -> String {
    match library.choose(call, None) {
        Ok(choice) => match choice.found {
            Some(found) => format!("solution {} is taken instead", found.solution.index),
            None => "no solution is there for the call".to_owned(),
        },
        Err(error) => error.to_string(),
    }
}
