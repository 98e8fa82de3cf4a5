//! How often each mnemonic occurs.
#![deny(clippy::indexing_slicing)]

use crate::isa::Counts;

/// How often each mnemonic occurs: number and count, sorted by number, none of them zero.
pub type Histogram = Vec<(u16, u64)>;

/// The sum of a histogram.
pub fn total(histogram: &Histogram) -> u64 {
    histogram.iter().map(|(_, count)| count).sum()
}

/// Adds a histogram to another.
pub fn add(all: &mut Histogram, more: &Histogram) {
    let mut merged = Vec::with_capacity(all.len().max(more.len()));
    let (mut a, mut b) = (all.iter().peekable(), more.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some((x, n)), Some((y, m))) if x == y => (*x, n + m, true, true),
            (Some((x, n)), Some((y, _))) if x < y => (*x, *n, true, false),
            (Some((x, n)), None) => (*x, *n, true, false),
            (_, Some((y, m))) => (*y, *m, false, true),
            (None, None) => break,
        };
        let (number, count, of_a, of_b) = next;
        merged.push((number, count));
        if of_a {
            a.next();
        }
        if of_b {
            b.next();
        }
    }
    *all = merged;
}

/// Counts equal numbers.
pub(super) fn counted(mut numbers: Vec<u16>) -> Histogram {
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|a, b| a == b);
    runs.filter_map(|run| Some((*run.first()?, run.len() as u64))).collect()
}

/// The mnemonics with a nonzero count.
pub(super) fn sparse(counts: &Counts) -> Histogram {
    let counted = counts.mnemonics.iter().enumerate().filter(|(_, count)| **count > 0);
    counted.map(|(number, count)| (number as u16, u64::from(*count))).collect()
}
