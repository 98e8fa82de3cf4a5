//! Kernels with their bytes in a section of machine code.
#![deny(clippy::indexing_slicing)]

use super::text_section::{KernelEntry, TextSection};

/// A kernel with its bytes in its section.
pub(super) struct NamedSpan<'d> {
    pub(super) entry: KernelEntry<'d>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The kernels of a section with their bytes, in order and without overlap.
pub(super) fn spans<'d>(text: &TextSection<'d>) -> Vec<NamedSpan<'d>> {
    let mut spans: Vec<NamedSpan<'d>> = Vec::new();
    for part in &text.parts {
        let Some(entry) = part.kernel else { continue };
        if let Some(last) = spans.last_mut() {
            last.end = last.end.min(part.start);
        }
        let end = match usize::try_from(entry.size) {
            Ok(size) if size > 0 => part.start.saturating_add(size).min(text.bytes.len()),
            _ => text.bytes.len(),
        };
        spans.push(NamedSpan { entry, start: part.start, end });
    }
    spans
}

/// Where the kernel at an offset begins, and its name.
pub(super) fn kernel_at<'d>(kernels: &[NamedSpan<'d>], at: usize) -> Option<(usize, &'d [u8])> {
    let last = kernels.partition_point(|span| span.start <= at).checked_sub(1)?;
    kernels.get(last).filter(|span| at < span.end).map(|span| (span.start, span.entry.name))
}
