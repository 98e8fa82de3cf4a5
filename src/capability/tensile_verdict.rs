//! What a Tensile library folder gives a processor, in clauses: which types are tuned, which fall back, and
//! whose calls fail.

use super::answer::Answer;
use super::coverage::CoverageCell;
use super::gemm::{GemmRow, types};
use crate::engines::tensile::coverage::GemmService;
use crate::finding::amount::plural;
use crate::finding::evidence::Evidence;

/// What a library folder with a broken chain gives.
pub(super) fn broken(cell: &CoverageCell<'_>, tuned: Option<String>) -> (Answer, String, Evidence) {
    let Some((link, runs)) = &cell.broken else {
        return (Answer::Unknown, "what its catalogs lead to is not known".to_owned(), Evidence::Inferred);
    };
    match tuned.filter(|_| *runs) {
        Some(tuned) => (Answer::Limits, format!("{tuned}; {}", link.what), Evidence::Observed),
        None if *runs => (Answer::Limits, format!("some calls fail: {}", link.what), Evidence::Observed),
        None => (Answer::Not, format!("calls of every type fail: {}", link.what), Evidence::Observed),
    }
}

/// The types that a library's catalogs are tuned for, those that fall back, and those whose calls fail.
pub(super) fn tuned_types(library: &str, processor: &str, gemm: &[GemmRow<'_>]) -> Option<String> {
    let row = gemm.iter().find(|row| row.library == library && row.processor == processor)?;
    let (mut tuned, mut fallback, mut for_arrays, mut failing) = (Vec::new(), 0, Vec::new(), Vec::new());
    for ty in types(&row.coverage) {
        let broken = ty.served.values().filter(|served| served.is_broken()).count();
        let of = |n: u64| match n == ty.served.len() as u64 {
            true => ty.name.to_owned(),
            false => format!("{} ({n} of {})", ty.name, ty.served.len()),
        };
        if broken > 0 {
            failing.push(of(broken as u64));
        }
        match ty.count(GemmService::Tuned) {
            0 if ty.count(GemmService::TunedForArrays) > 0 => for_arrays.push(ty.name.to_owned()),
            0 => fallback += u64::from(ty.count(GemmService::Fallback) > 0),
            n => tuned.push(of(n)),
        }
    }
    let mut parts = Vec::new();
    if !tuned.is_empty() {
        parts.push(format!("tuned for {}", tuned.join(" ")));
    }
    if !for_arrays.is_empty() {
        parts.push(format!("fallback for {} (tuned for arrays of pointers only)", for_arrays.join(" ")));
    }
    let other = if for_arrays.is_empty() && tuned.is_empty() { "" } else { "other " };
    match (fallback, tuned.is_empty() && for_arrays.is_empty() && failing.is_empty()) {
        (0, false) => {}
        (_, true) => parts.push("fallback kernels only".to_owned()),
        (n, false) => parts
            .push(format!("fallback for {}", plural(n, &format!("{other}type"), &format!("{other}types")))),
    }
    if !failing.is_empty() {
        parts.push(format!("calls fail for {}", failing.join(" ")));
    }
    Some(parts.join("; "))
}
