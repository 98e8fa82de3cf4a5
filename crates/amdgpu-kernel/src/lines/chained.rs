//! The chains of a whole kernel.

use super::{Frame, SourceLines};
use std::collections::HashMap;
use std::ops::Range;

/// Where the code of a range is from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chained<'d> {
    /// Different chains, each with the innermost function first.
    pub chains: Vec<Vec<Frame<'d>>>,
    /// Stretches of addresses in their order, each with the number of its chain. Code without lines is left
    /// out.
    pub stretches: Vec<(Range<u64>, u32)>,
}

impl<'d> SourceLines<'d> {
    /// [`SourceLines::chain`] for all code in a range of addresses.
    pub fn chained(&self, range: Range<u64>) -> Chained<'d> {
        let mut borders: Vec<u64> = vec![range.start];
        borders
            .extend(self.rows.within(range.clone()).flat_map(|row| [row.addresses.start, row.addresses.end]));
        borders.extend(self.functions.borders(range.clone()));
        borders.sort_unstable();
        borders.dedup();
        borders.retain(|address| range.contains(address));
        let mut found = Chained::default();
        let mut known = HashMap::new();
        for (number, begin) in borders.iter().enumerate() {
            let end = borders.get(number + 1).copied().unwrap_or(range.end);
            let key = (self.rows.at(*begin), self.functions.at(*begin));
            if key == (None, None) {
                continue;
            }
            let chain = *known.entry(key).or_insert_with(|| {
                found.chains.push(self.frames(key.0, key.1));
                found.chains.len() as u32 - 1
            });
            match found.stretches.last_mut() {
                Some((last, own)) if *own == chain && last.end == *begin => last.end = end,
                _ => found.stretches.push((*begin..end, chain)),
            }
        }
        found
    }
}
