//! Parts of a section of machine code that are decoded side by side.
#![deny(clippy::indexing_slicing)]

use super::kernel_spans::{NamedSpan, kernel_at};
use super::text_section::{Span, TextSection};
use std::ops::Range;

/// Minimum number of bytes to decode before another core takes over; with fingerprints, which cost much more.
pub(super) const STRETCH: usize = 2 << 20;
pub(super) const STRETCH_OF_FINGERPRINTS: usize = 128 << 10;

/// A stretch with fewer bytes is not split in halves: making the counts of each would take longer than is gained.
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
    let can_begin =
        |part: &Span<'_>| kernel_at(kernels, part.start).is_none_or(|(start, _)| start == part.start);
    let after = parts.partition_point(|part| part.start < middle);
    let split = after + parts.get(after..)?.iter().position(can_begin)?;
    parts.split_at_checked(split).map(<[_; 2]>::from)
}
