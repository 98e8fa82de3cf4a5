//! Parts of a section of machine code that are decoded side by side.
#![deny(clippy::indexing_slicing)]

use super::kernel_spans::NamedSpan;
use super::text_section::{Span, TextSection};
use std::ops::Range;

/// Minimum number of bytes to decode before another core takes over; with fingerprints, which cost much more.
pub(super) const STRETCH: usize = 2 << 20;
pub(super) const STRETCH_OF_FINGERPRINTS: usize = 128 << 10;

/// Minimum number of bytes of a stretch of which both halves are walked in turns.
const LEAST_HALVES: usize = 16 << 10;

/// Splits the parts of a section into stretches of at least so many bytes that can be walked separately: no kernel lies in
/// two of them.
pub(super) fn stretches<'a, 'd>(
    text: &'a TextSection<'d>,
    kernels: impl Iterator<Item = Range<usize>>,
    least: usize,
) -> Vec<&'a [Span<'d>]> {
    let mut kernels = kernels.peekable();
    let (mut first, mut begin, mut busy) = (0, 0, 0);
    let mut stretches = Vec::new();
    for (index, part) in text.parts.iter().enumerate() {
        if part.start >= busy && part.start - begin >= least {
            stretches.extend(text.parts.get(first..index));
            (first, begin) = (index, part.start);
        }
        if let Some(kernel) = kernels.next_if(|kernel| kernel.start == part.start) {
            busy = kernel.end;
        }
    }
    stretches.extend(text.parts.get(first..));
    stretches
}

/// Splits a stretch in two of about the same size that can be walked separately. `None` if it is too small for
/// that to pay, or if one kernel is all of it.
pub(super) fn halves<'a, 'd>(
    parts: &'a [Span<'d>],
    kernels: &[NamedSpan<'d>],
) -> Option<[&'a [Span<'d>]; 2]> {
    let (start, end) = (parts.first()?.start, parts.last()?.end);
    if end - start < LEAST_HALVES {
        return None;
    }
    let middle = start + (end - start) / 2;
    let is_inside = |at: usize| {
        let last = kernels.partition_point(|kernel| kernel.start < at).checked_sub(1)?;
        kernels.get(last).map(|kernel| kernel.end > at)
    };
    let after = parts.partition_point(|part| part.start < middle);
    let split = (after..parts.len())
        .find(|index| parts.get(*index).is_some_and(|part| is_inside(part.start) != Some(true)))?;
    let (first, second) = parts.split_at_checked(split)?;
    Some([first, second]).filter(|halves| halves.iter().all(|half| !half.is_empty()))
}
