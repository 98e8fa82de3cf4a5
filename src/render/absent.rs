//! What another processor lacks that kernels need, in words.

use super::style::{plural, thousands};
use crate::report::v1::{AbsentNeed, AbsentRow};

/// The instruction that the other processor reads in the same bits.
pub(super) fn read_as<'r>(row: &'r AbsentRow, nothing: &'r str) -> &'r str {
    match row {
        _ if row.odd_registers => "refused: odd registers",
        _ if row.unknown_bits => "bits without a meaning there",
        _ => row.there.as_deref().unwrap_or(nothing),
    }
}

/// What kernels ask for and another processor does not have.
pub(super) fn need_text(need: &AbsentNeed, processor: &str) -> String {
    let kernels = plural(need.kernels, "kernel", "kernels");
    let (asks, asked) = (if need.kernels == 1 { "asks" } else { "ask" }, thousands(u64::from(need.asked)));
    match need.need {
        "lds" => format!(
            "{kernels} {asks} for up to {asked} bytes of LDS; a work-group has {} on {processor}",
            thousands(u64::from(need.there))
        ),
        _ => format!(
            "{kernels} {asks} for waves of {asked} lanes; {processor} has waves of {} alone",
            need.there
        ),
    }
}
