//! The search of a grid of tuned sizes for several solutions.
//!
//! Source: hipBLASLt 7.1, `tensilelite/include/Tensile/PropertyMatching.hpp` (`findTopKSolutions` of a
//! GridBased table), held against the library. Rows are sorted by M, N, batch, K; those of one M are a
//! column, those of one M and N a cell. From 1.2 on a cell is of one batch, too.
#![deny(clippy::indexing_slicing)]

use super::release::ChoiceRules;
use crate::tensile::dialect::CanSolve;
use crate::tensile::table::{Match, Table, TunedSize};

/// What is known of a solution during one search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SolutionFacts {
    Nothing,
    Can,
    Cannot,
    /// It is in the list.
    Taken,
}

/// Cells that are searched before it is asked how many solutions there can be at all.
const PATIENCE: usize = 32;

struct Grid<'t, 'f> {
    rules: ChoiceRules,
    rows: &'t [TunedSize],
    places: &'t [u32],
    known: Vec<SolutionFacts>,
    can_solve: CanSolve<'f>,
    found: Vec<Match>,
}

/// Where a cell lies: its first row, the one behind its last, the one behind all of its M and N, and the one
/// behind its column.
#[derive(Debug, Clone, Copy, Default)]
struct GridCell {
    begin: usize,
    end: usize,
    batches_end: usize,
    column_end: usize,
}

/// The best `wanted` rows for M, N, batch and K, each of another solution, in the order of the library.
pub fn search(
    table: &Table,
    rules: ChoiceRules,
    sizes: [u64; 4],
    wanted: usize,
    can_solve: CanSolve<'_>,
) -> Vec<Match> {
    let known = vec![SolutionFacts::Nothing; table.solutions];
    let mut grid =
        Grid { rules, rows: &table.rows, places: &table.places, known, can_solve, found: Vec::new() };
    grid.search(sizes, wanted);
    grid.found
}

/// The smallest `i` with `i * (i + 1) / 2 >= wanted`: how far the first leg of the zigzag goes.
fn first_leg(wanted: usize) -> u64 {
    let mut leg = 1_u64;
    while leg.saturating_mul(leg + 1) / 2 < wanted as u64 {
        leg += 1;
    }
    leg
}

impl Grid<'_, '_> {
    fn search(&mut self, [mut m, mut n, mut batch, k]: [u64; 4], mut wanted: usize) {
        let mut cells = 0_usize;
        let (mut leg, mut step) = (first_leg(wanted), 0_u64);
        let mut cell = GridCell::default();
        let mut first = true;
        while cell.end < self.rows.len() && self.found.len() < wanted {
            cells += 1;
            if cells == PATIENCE {
                wanted = wanted.min(self.able(k));
                continue;
            }
            // Some cells along a column, then on to the next column, each time one fewer.
            let start = if step == leg && leg != 1 {
                (step, leg) = (1, leg.wrapping_sub(1));
                cell.column_end
            } else {
                step += 1;
                cell.batches_end
            };
            cell = self.cell(cell, start, [m, n, batch]);
            let best = self.nearest(cell, k);
            if std::mem::take(&mut first) && batch != 1 {
                // The batch becomes part of the larger side, and all begins anew, unless the row is of a
                // batch.
                let larger = if m > n { &mut m } else { &mut n };
                *larger = larger.wrapping_mul(batch);
                batch = 1;
                let [_, _, of, _] = best.map_or(self.key(0), |row| row.key);
                if of == 1 {
                    (leg, step, cell) = (0, 0, GridCell::default());
                    continue;
                }
            }
            if let Some(row) = best {
                self.take(row, k);
            }
        }
        if cells < PATIENCE && self.found.len() < wanted {
            wanted = wanted.min(self.able(k));
        }
        let before = self.rows.get(..cell.begin).unwrap_or_default();
        for row in before.iter().rev() {
            if self.found.len() >= wanted {
                break;
            }
            if self.can(row, k) {
                self.take(*row, k);
            }
        }
    }

    /// How many solutions of the table can solve the problem. A list of all of them cannot grow.
    fn able(&mut self, k: u64) -> usize {
        let places = self.places;
        places.iter().filter(|place| self.can_at(**place, k, k)).count()
    }

    /// The cell at or behind a row with the next larger M and N, or with the last ones. `before` is the one
    /// that was searched before, in whose column the row may lie.
    fn cell(&self, before: GridCell, start: usize, [m, n, batch]: [u64; 3]) -> GridCell {
        let end = self.rows.len();
        let Some(last) = self.rows.last().filter(|_| start < end) else {
            return GridCell { begin: end, end, batches_end: end, column_end: end };
        };
        let m = m.min(last.key[0]);
        let column = self.behind(start, end, &|[of, ..]| of < m);
        let [own, ..] = self.key(column);
        let column_end = if column > before.begin && column < before.column_end {
            before.column_end
        } else {
            self.behind(column, end, &|[of, ..]| of <= own)
        };
        let [_, last, ..] = self.key(column_end.saturating_sub(1));
        let n = n.min(last);
        let begin = self.behind(column, column_end, &|[_, of, ..]| of < n);
        let [_, own, ..] = self.key(begin);
        let end = self.behind(begin, column_end, &|[_, of, ..]| of <= own);
        if self.rules < ChoiceRules::Of1_2 {
            return GridCell { begin, end, batches_end: end, column_end };
        }
        let batches_end = end;
        let [_, _, last, _] = self.key(batches_end.saturating_sub(1));
        let batch = batch.min(last);
        let begin = self.behind(begin, batches_end, &|[_, _, of, _]| of < batch);
        let [_, _, own, _] = self.key(begin);
        let end = self.behind(begin, batches_end, &|[_, _, of, _]| of <= own);
        GridCell { begin, end, batches_end, column_end }
    }

    fn key(&self, at: usize) -> [u64; 4] {
        self.rows.get(at).map(|row| row.key).unwrap_or_default()
    }

    /// The first row from `from` on that `is_before` does not hold of: in steps that double, since it is
    /// mostly near.
    fn behind(&self, from: usize, to: usize, is_before: &dyn Fn([u64; 4]) -> bool) -> usize {
        let (mut low, mut step) = (from, 1);
        while low < to && is_before(self.key(low)) {
            let high = low.saturating_add(step).min(to);
            if high == to || !is_before(self.key(high)) {
                let rows = self.rows.get(low..high).unwrap_or_default();
                return low + rows.partition_point(|row| is_before(row.key));
            }
            (low, step) = (high, step * 2);
        }
        low
    }

    /// The row of a cell with the nearest K that can solve the problem; of equally near ones the last.
    fn nearest(&mut self, cell: GridCell, k: u64) -> Option<TunedSize> {
        let rows = self.rows.get(cell.begin..cell.end).unwrap_or_default();
        let of_one_batch = rows.first().map(|row| row.key[2]) == rows.last().map(|row| row.key[2]);
        if of_one_batch { self.nearest_of_sorted(rows, k) } else { self.nearest_of_any(rows, k) }
    }

    /// The same where the rows are sorted by K: from its place to both sides.
    fn nearest_of_sorted(&mut self, rows: &[TunedSize], k: u64) -> Option<TunedSize> {
        let (mut left, mut right) = rows.split_at_checked(rows.partition_point(|row| row.key[3] < k))?;
        loop {
            let (below, above) = (left.last(), right.first());
            let nearer = match (below, above) {
                (Some(below), Some(above)) => below.key[3].abs_diff(k) < above.key[3].abs_diff(k),
                (below, None) => below.is_some(),
                (None, Some(_)) => false,
            };
            if nearer {
                let (last, rest) = left.split_last()?;
                left = rest;
                if self.can(last, k) {
                    return Some(*last);
                }
                continue;
            }
            // Of rows with the same K the last one comes first.
            let same = above?.key[3];
            let (run, rest) = right.split_at_checked(right.partition_point(|row| row.key[3] == same))?;
            right = rest;
            if let Some(row) = run.iter().rev().find(|row| self.can(row, k)) {
                return Some(*row);
            }
        }
    }

    fn nearest_of_any(&mut self, rows: &[TunedSize], k: u64) -> Option<TunedSize> {
        let mut best: Option<(u64, TunedSize)> = None;
        for row in rows {
            let distance = row.key[3].abs_diff(k);
            if best.is_none_or(|(shortest, _)| distance <= shortest) && self.can(row, k) {
                best = Some((distance, *row));
            }
        }
        best.map(|(_, row)| row)
    }

    fn can(&mut self, row: &TunedSize, k: u64) -> bool {
        self.can_at(row.solution, row.key[3], k)
    }

    fn can_at(&mut self, place: u32, of: u64, k: u64) -> bool {
        let Some(known) = self.known.get_mut(place as usize) else { return false };
        if *known == SolutionFacts::Nothing {
            let can = (self.can_solve)(place, of.abs_diff(k) as f64);
            *known = if can { SolutionFacts::Can } else { SolutionFacts::Cannot };
        }
        *known != SolutionFacts::Cannot
    }

    /// Appends a row whose solution is not in the list.
    fn take(&mut self, row: TunedSize, k: u64) {
        let Some(known) = self.known.get_mut(row.solution as usize) else { return };
        if *known != SolutionFacts::Taken {
            *known = SolutionFacts::Taken;
            let [.., own] = row.key;
            self.found.push(Match::from_row(&row, own.abs_diff(k) as f64));
        }
    }
}
