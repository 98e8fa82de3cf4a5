//! Results of PyTorch's TunableOp (`PYTORCH_TUNABLEOP_FILENAME`).
//!
//! Source: PyTorch, `aten/src/ATen/cuda/tunable`: every validator has to be what the process has, else the
//! whole file is rejected; rows name the solutions of rocBLAS and hipBLASLt by their numbers.
#![deny(clippy::indexing_slicing)]

use super::{CheckedTuning, Libraries, hipblaslt, lines, rocblas};
use crate::tensile::call::{GemmCall, Transpose};
use crate::tensile::version::Version;
use amdgpu_object::target::TargetId;

/// The types in the names of rows, and rocBLAS's for them.
const TYPES: &[(&str, &str)] = &[
    ("float", "SS"),
    ("double", "DD"),
    ("Half", "HHS"),
    ("BFloat16", "BBS"),
    ("c10::complex<float>", "CC"),
    ("c10::complex<double>", "ZZ"),
];

pub(super) fn check(text: &str, libraries: &Libraries, checked: &mut CheckedTuning) {
    for (number, line) in lines(text).filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        match *cells {
            ["Validator", name, value] => validate(number, name, value, libraries, checked),
            [operation, sizes, solution, ..] => {
                checked.rows += 1;
                if let Some(why) = stale(operation, sizes, solution, libraries) {
                    checked.stale(number, why);
                }
            }
            _ => checked.stale(number, format!("it has {} cells, and a row has three or four", cells.len())),
        }
    }
}

/// Rejects the file where a validator is not what the libraries state.
fn validate(number: u64, name: &str, value: &str, libraries: &Libraries, checked: &mut CheckedTuning) {
    let differs = match name {
        "HIPBLASLT_VERSION" => {
            let written = value.split('-').next().and_then(|number| number.parse().ok());
            let written = written.and_then(Version::of_number);
            let own = libraries.hipblaslt_version();
            own.filter(|own| written != Some(*own)).map(|own| format!("hipBLASLt here is {}", own.number()))
        }
        "ROCBLAS_VERSION" => {
            let (written, own) = (Version::parse(value), libraries.rocblas_version());
            own.filter(|own| written != Some(*own)).map(|own| format!("rocBLAS here is {own}"))
        }
        "GCN_ARCH_NAME" => {
            let (written, own) = (TargetId::parse(value), TargetId::parse(&libraries.target));
            let same = written.zip(own).is_some_and(|(written, own)| written.processor == own.processor);
            (!same).then(|| format!("the device is {}", libraries.target))
        }
        _ => None,
    };
    if let Some(what) = differs {
        checked.reject(
            number,
            format!("the validator {name} is {value}, and {what}: PyTorch rejects the whole file"),
        );
    }
}

/// Why a row names no solution that is here and can solve its product.
fn stale(operation: &str, sizes: &str, solution: &str, libraries: &Libraries) -> Option<String> {
    if solution == "Default" {
        return None;
    }
    let index = |prefix: &str| solution.strip_prefix(prefix).and_then(|number| number.parse::<i64>().ok());
    if let Some(index) = index("Gemm_Hipblaslt_") {
        let Some(library) = &libraries.hipblaslt else {
            return Some("no catalog of hipBLASLt for the target is here".to_owned());
        };
        let found = u32::try_from(index).ok().and_then(|index| hipblaslt::solution(library, index));
        return found.is_none().then(|| format!("no catalog of hipBLASLt here has solution {index}"));
    }
    let Some(number) = index("Gemm_Rocblas_") else {
        return Some(format!("{solution:?} names no solution of rocBLAS or hipBLASLt"));
    };
    let Some(library) = &libraries.rocblas else {
        return Some("no catalog of rocBLAS for the target is here".to_owned());
    };
    let is_new = library.version().is_some_and(|version| version >= Version::new(5, 0));
    let index = if is_new { -number - 11 } else { number - 1 };
    let Ok(index) = u32::try_from(index) else {
        let release = if is_new {
            "5.0 and later: they are -11 and below"
        } else {
            "4.4 and earlier: they are positive"
        };
        return Some(format!("{number} is no number of a solution of Tensile in rocBLAS {release}"));
    };
    let call = match call(operation, sizes, libraries) {
        Some(call) => call,
        None if is_known(operation) => return Some(format!("{sizes:?} is no product of {operation}")),
        None => return None,
    };
    let instead = rocblas::instead(library, &call);
    match rocblas::solution(library, &call, index) {
        None => Some(format!(
            "no catalog of its type and transposition has Tensile's solution {index}; {instead}"
        )),
        Some((_, Some(why))) => Some(format!("Tensile's solution {index} cannot solve it: {why}; {instead}")),
        Some((_, None)) => None,
    }
}

/// Whether the name of a row is of a type that is known.
fn is_known(operation: &str) -> bool {
    let ty = operation.rsplit_once('_').and_then(|(operation, _)| operation.split_once('_'));
    ty.is_some_and(|(_, ty)| TYPES.iter().any(|(name, _)| *name == ty))
}

/// The call of a row: `GemmTunableOp_Half_TN`, `tn_4096_16_4096_ld_4096_4096_4096`; none of a kind that is
/// not known.
fn call(operation: &str, sizes: &str, libraries: &Libraries) -> Option<GemmCall> {
    let (operation, letters) = operation.rsplit_once('_')?;
    let (_, ty) = operation.split_once('_')?;
    let (_, ty) = TYPES.iter().find(|(name, _)| *name == ty)?;
    let letters: Option<Vec<Transpose>> = letters.chars().map(Transpose::of_letter).collect();
    let Some([a, b]) = letters.as_deref() else { return None };
    let mut words = sizes.split('_').skip(1);
    let mut numbers = || -> Option<u64> { words.next()?.parse().ok() };
    let [m, n, k] = [numbers()?, numbers()?, numbers()?];
    let target = TargetId::parse(&libraries.target)?;
    let mut call = GemmCall::new(&target, libraries.multiprocessors, ty, [*a, *b], [m, n, k]);
    let mut rest = sizes.split("_ld_").nth(1).unwrap_or_default().split('_');
    let mut ld = || -> Option<u64> { rest.next()?.parse().ok() };
    if let (Some(lda), Some(ldb), Some(ldc)) = (ld(), ld(), ld()) {
        call.ld = [lda, ldb, ldc, ldc];
    }
    call.c_eq_d = true;
    Some(call)
}
