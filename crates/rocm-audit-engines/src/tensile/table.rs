//! Matching tables: tuned sizes with the solution that was fastest, and the three ways to look one up.
//!
//! Source: Tensile 6.4, `PropertyMatching.hpp`, `Distance.hpp`.
#![deny(clippy::indexing_slicing)]

use super::introsort;
use super::solution::index;
use super::values;
use super::values::{Tagged, required, word};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::{ParseError, Parsed};
use std::cmp::Ordering;

/// Most parts of a key.
const PARTS: usize = 4;

/// A table, sorted as the real library sorts it.
#[derive(Debug, Clone)]
pub struct Table {
    /// How rows are compared with a problem.
    pub metric: Metric,
    properties: Vec<Property>,
    /// Beyond the last solution that a row leads to.
    pub(super) solutions: usize,
    /// The places of the solutions that rows lead to, each once.
    pub(super) places: Box<[u32]>,
    /// The rows, by key and then by speed, the fastest first; equal ones in the order of [`introsort`].
    pub rows: Box<[TunedSize]>,
}

/// A tuned size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TunedSize {
    pub(super) key: [u64; PARTS],
    speed: f64,
    /// Where the solution stands in the catalog.
    pub solution: u32,
}

/// Ways to look up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// The squared distance.
    Euclidean,
    /// The same sizes only.
    Equality,
    /// The next sizes above, then by waste.
    GridBased,
}

/// What a part of a key is compared with, as its place in
/// [`Contraction::sizes`](super::call::Contraction::sizes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Property(u8);

/// A row that was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Where the solution stands in the catalog.
    pub solution: u32,
    /// The distance.
    pub distance: f64,
    /// The row's sizes.
    pub(super) key: [u64; PARTS],
}

impl Match {
    /// The row's sizes, in the order of the table's properties.
    pub fn key(&self) -> [u64; PARTS] {
        self.key
    }

    pub(super) fn from_row(row: &TunedSize, distance: f64) -> Match {
        Match { solution: row.solution, distance, key: row.key }
    }
}

impl Table {
    /// The tuned size of a row: `M 1024, N 512, K 2048`.
    pub fn size(&self, found: &Match) -> String {
        let parts = self.properties.iter().zip(&found.key).map(|(property, part)| {
            let name = ["M", "N", "batch", "K"].get(usize::from(property.0)).copied().unwrap_or_default();
            format!("{name} {part}")
        });
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Reads a table whose map head was read: the pairs after it. Solutions are kept as their index until
    /// [`Table::resolve`].
    pub(super) fn read(reader: &mut Reader<'_>, pairs: u32, at: u64) -> Parsed<Table> {
        let (mut properties, mut rows, mut metric) = (None, None, None);
        for _ in 0..pairs {
            match values::key(reader)? {
                b"properties" => properties = Some(Property::read_all(reader)?),
                b"table" => rows = Some(read_rows(reader)?),
                b"distance" => metric = Some(Metric::read(reader)?),
                _ => reader.skip()?,
            }
        }
        let what = "a Matching node";
        let properties = required(properties, at, what, "properties")?;
        let (mut rows, parts) = required(rows, at, what, "table")?;
        let metric = required(metric, at, what, "distance")?;
        if !rows.is_empty() && parts != properties.len() {
            let what = format!("a table with keys of {parts} parts for {} properties", properties.len());
            return Err(ParseError::new(at, what));
        }
        if metric == Metric::GridBased && properties.len() < 3 {
            return Err(ParseError::new(at, "a GridBased table needs three properties"));
        }
        sort(&mut rows);
        Ok(Table { metric, properties, solutions: 0, places: Box::default(), rows: rows.into() })
    }

    /// Turns the indices of solutions into places in the catalog.
    pub(super) fn resolve(&mut self, place: impl Fn(u32) -> Option<u32>) -> Result<(), u32> {
        for row in &mut self.rows {
            row.solution = place(row.solution).ok_or(row.solution)?;
            self.solutions = self.solutions.max(row.solution as usize + 1);
        }
        let mut seen = vec![false; self.solutions];
        for row in &self.rows {
            if let Some(seen) = seen.get_mut(row.solution as usize) {
                *seen = true;
            }
        }
        let places = (0..).zip(seen).filter_map(|(place, seen)| seen.then_some(place));
        self.places = places.collect();
        Ok(())
    }

    /// The sizes of a problem in the order of the properties.
    pub(super) fn key(&self, sizes: &[u64; 4]) -> [u64; PARTS] {
        let mut key = [0; PARTS];
        for (part, property) in key.iter_mut().zip(&self.properties) {
            *part = sizes.get(usize::from(property.0)).copied().unwrap_or_default();
        }
        key
    }

    /// Whether the keys are M, N, batch and K, in this order.
    pub(super) fn is_of_four_sizes(&self) -> bool {
        self.properties == [Property(0), Property(1), Property(2), Property(3)]
    }

    /// The best row for a problem of these sizes whose solution can solve it. `can_solve` is asked in the
    /// order in which the real library asks.
    pub fn find(&self, sizes: &[u64; 4], can_solve: impl FnMut(u32, f64) -> bool) -> Option<Match> {
        let key = self.key(sizes);
        match self.metric {
            Metric::Euclidean => self.euclidean(&key, can_solve),
            Metric::Equality => self.equality(&key, can_solve),
            Metric::GridBased => self.grid_based(&key, can_solve),
        }
    }

    fn lower_bound(&self, key: &[u64; PARTS]) -> usize {
        self.rows.partition_point(|row| row.key < *key)
    }

    pub(super) fn equality(
        &self,
        key: &[u64; PARTS],
        mut can_solve: impl FnMut(u32, f64) -> bool,
    ) -> Option<Match> {
        let row = self.rows.get(self.lower_bound(key)).filter(|row| row.key == *key)?;
        can_solve(row.solution, 0.0).then_some(Match::from_row(row, 0.0))
    }

    /// From the key's place to both sides, as long as the first part alone is not farther than the best.
    fn euclidean(&self, key: &[u64; PARTS], mut can_solve: impl FnMut(u32, f64) -> bool) -> Option<Match> {
        let (left, right) = self.rows.split_at_checked(self.lower_bound(key))?;
        let mut best: Option<Match> = None;
        let (mut shortest, mut fastest) = (f64::MAX, 0.0);
        let mut scan = |rows: &mut dyn Iterator<Item = &TunedSize>| {
            for row in rows {
                let [first, ..] = row.key;
                let [own, ..] = *key;
                if best.is_some() && !(squared(own, first) < shortest || row.key == *key) {
                    return;
                }
                let distance: f64 = key.iter().zip(&row.key).map(|(own, of)| squared(*own, *of)).sum();
                let closer = distance < shortest || (distance == shortest && row.speed > fastest);
                if closer && can_solve(row.solution, distance) {
                    best = Some(Match::from_row(row, distance));
                    (shortest, fastest) = (distance, row.speed);
                }
            }
        };
        scan(&mut right.iter());
        scan(&mut left.iter().rev());
        best
    }

    /// The rows of the next larger M and N, and of these the least wasteful; the next N and M where none can
    /// solve it.
    fn grid_based(&self, key: &[u64; PARTS], mut can_solve: impl FnMut(u32, f64) -> bool) -> Option<Match> {
        let [own0, own1, ..] = *key;
        let [last0, ..] = self.rows.last()?.key;
        let row = |at: usize| self.rows.get(at).map(|row| row.key).unwrap_or_default();
        let bound = |from: usize, to: usize, part: usize, least: u64, equal: bool| {
            let part_of = |row: &TunedSize| row.key.get(part).copied().unwrap_or_default();
            let rows = self.rows.get(from..to).unwrap_or_default();
            from + rows.partition_point(|row| part_of(row) < least || (equal && part_of(row) == least))
        };
        // The same few solutions stand in many rows (2,294 in 312,304), and what cannot solve the problem
        // never can.
        let mut refused = vec![false; self.solutions];
        let mut try_row = |row: &TunedSize, below: Option<f64>| {
            let refused = refused.get_mut(row.solution as usize).filter(|refused| !**refused)?;
            let distance = grid_distance(key, &row.key);
            if below.is_none_or(|below| distance < below) {
                *refused = !can_solve(row.solution, distance);
                return (!*refused).then_some(Match::from_row(row, distance));
            }
            None
        };
        let (mut begin, mut end, mut high) = (0, 0, 0);
        while end < self.rows.len() {
            let [next0, ..] = row(end);
            let target0 = own0.min(last0);
            let low = if next0 < target0 { bound(end, self.rows.len(), 0, target0, false) } else { end };
            let [group0, next1, ..] = row(low);
            if low >= high {
                high = bound(low, self.rows.len(), 0, group0, true);
            }
            let [_, last1, ..] = row(high.checked_sub(1)?);
            let target1 = own1.min(last1);
            begin = if next1 < target1 { bound(low, high, 1, target1, false) } else { low };
            let [_, group1, ..] = row(begin);
            let rows = self.rows.get(begin..high).unwrap_or_default();
            let mut best: Option<Match> = None;
            end = begin;
            for row in rows.iter().take_while(|TunedSize { key: [_, part, ..], .. }| *part == group1) {
                let shortest = best.map_or(f64::MAX, |best| best.distance);
                best = try_row(row, Some(shortest)).or(best);
                end += 1;
            }
            if best.is_some() {
                return best;
            }
        }
        let before = self.rows.get(..begin).unwrap_or_default();
        // Here the first that can is taken, however far it is.
        before.iter().rev().find_map(|row| try_row(row, None))
    }
}

/// Sorts rows as the original does, given the same comparisons.
fn sort(rows: &mut [TunedSize]) {
    // Where every row is before the next, any sort leaves them as they are.
    if rows.is_sorted_by(TunedSize::precedes) {
        return;
    }
    // Sizes below two million make a number of 64 bits with the same order, which is quicker to compare and
    // to exchange.
    let narrow: Option<Vec<_>> =
        rows.iter().zip(0..).map(|(row, at)| Some((row.narrow()?, row.speed, at))).collect();
    let Some(mut narrow) = narrow else {
        return introsort::sort(rows, TunedSize::precedes);
    };
    introsort::sort(&mut narrow, |a: &(u64, f64, usize), b| a.0 < b.0 || (a.0 == b.0 && a.1 > b.1));
    // Along each circle of rows that take one another's places.
    for first in 0..narrow.len() {
        let mut to = first;
        while let Some((_, _, from)) = narrow.get_mut(to) {
            let from = std::mem::replace(from, to);
            if from == first {
                break;
            }
            rows.swap(to, from);
            to = from;
        }
    }
}

/// The square of a difference, as `int64_t` and `double` have it.
fn squared(a: u64, b: u64) -> f64 {
    let difference = a.wrapping_sub(b).cast_signed() as f64;
    difference * difference
}

/// Waste of the tile grid of one size when it is used for another.
fn grid_distance(key: &[u64; PARTS], row: &[u64; PARTS]) -> f64 {
    const LARGE: f64 = 32768.0;
    let [m, n, k, _] = key.map(|part| part as f64);
    let [m0, n0, k0, _] = row.map(|part| part as f64);
    let scale = |own: f64, of: f64| if own <= LARGE { (own / of).ceil() } else { 1.0 };
    let (sm, sn) = (scale(m, m0), scale(n, n0));
    let waste = if m <= LARGE && n <= LARGE {
        let filled = (m * n) / (sm * m0 * sn * n0);
        (100.0 * sm * sn / (filled * filled)).round()
    } else {
        (10000.0 * sm * sn * ((m - m0) * (m - m0) + (n - n0) * (n - n0)).sqrt()).round()
    };
    waste + (k0 - k).abs() / (k0 + 8.0 * k)
}

impl TunedSize {
    /// The key as one number of the same order, where its parts are small.
    fn narrow(&self) -> Option<u64> {
        const BITS: u32 = 21;
        match self.key {
            [a, b, c, 0] if (a | b | c) >> BITS == 0 => Some((a << (2 * BITS)) | (b << BITS) | c),
            _ => None,
        }
    }

    /// The order of tables: by key, then the fastest first.
    fn precedes(a: &TunedSize, b: &TunedSize) -> bool {
        match a.key.cmp(&b.key) {
            Ordering::Less => true,
            Ordering::Equal => a.speed > b.speed,
            Ordering::Greater => false,
        }
    }
}

impl Metric {
    fn read(reader: &mut Reader<'_>) -> Parsed<Self> {
        word(reader, "a distance", |word| match word {
            b"Euclidean" => Some(Metric::Euclidean),
            b"Equality" => Some(Metric::Equality),
            b"GridBased" => Some(Metric::GridBased),
            _ => None,
        })
    }

    /// The name in catalogs.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Euclidean => "Euclidean",
            Metric::Equality => "Equality",
            Metric::GridBased => "GridBased",
        }
    }
}

impl Property {
    fn read_all(reader: &mut Reader<'_>) -> Parsed<Vec<Property>> {
        let at = reader.offset();
        let count = reader.array("properties")?;
        if !(1..=PARTS as u32).contains(&count) {
            return Err(ParseError::new(at, format!("{count} properties; 1 to {PARTS} are expected")));
        }
        let one = |reader: &mut Reader<'_>| {
            let tagged = Tagged::read(reader, "property")?;
            tagged.only_index()?;
            Ok(Property(match tagged.kind {
                b"FreeSizeA" => 0,
                b"FreeSizeB" => 1,
                b"BatchSize" => 2,
                b"BoundSize" => 3,
                _ => return Err(tagged.unknown()),
            }))
        };
        (0..count).map(|_| one(reader)).collect()
    }
}

/// The rows of a table and the number of parts of their keys, which must be the same for all.
fn read_rows(reader: &mut Reader<'_>) -> Parsed<(Vec<TunedSize>, usize)> {
    let count = reader.array("a table")?;
    let mut rows = Vec::new();
    let mut parts = 0;
    for number in 0..count {
        if number > 0
            && parts >= 3
            && let Some(row) = usual_row(reader, parts)
        {
            rows.push(row);
            continue;
        }
        let at = reader.offset();
        let (mut key, mut solution, mut speed) = (None, None, 0.0);
        for _ in 0..reader.map("a row of a table")? {
            match values::key(reader)? {
                b"key" => key = Some(read_key(reader)?),
                b"index" => solution = Some(index(reader)?),
                b"speed" => speed = values::float(reader, "speed")?,
                _ => reader.skip()?,
            }
        }
        let (key, len) = required(key, at, "a row of a table", "key")?;
        if number > 0 && len != parts {
            return Err(ParseError::new(at, format!("a key of {len} parts after keys of {parts}")));
        }
        parts = len;
        rows.push(TunedSize { key, speed, solution: required(solution, at, "a row of a table", "index")? });
    }
    Ok((rows, parts))
}

/// A row as Tensile writes it nearly always, with three or four parts; else nothing is read.
#[inline]
fn usual_row(reader: &mut Reader<'_>, parts: usize) -> Option<TunedSize> {
    let mut ahead = reader.clone();
    let with_speed = ahead.passes(b"\x83");
    if !with_speed && !ahead.passes(b"\x82") {
        return None;
    }
    // Each text has a length that the compiler knows, so that it is compared as one number and not by a call.
    let is_key = if parts == 3 { ahead.passes(b"\xa3key\x93") } else { ahead.passes(b"\xa3key\x94") };
    if !is_key {
        return None;
    }
    let mut key = [0; PARTS];
    for part in key.iter_mut().take(parts) {
        *part = u64::from(ahead.small()?);
    }
    if !ahead.passes(b"\xa5index") {
        return None;
    }
    let solution = ahead.small().filter(|index| i32::try_from(*index).is_ok())?;
    let mut speed = 0.0;
    if with_speed {
        speed = ahead.passes(b"\xa5speed").then(|| values::float(&mut ahead, "speed").ok())??;
    }
    *reader = ahead;
    Some(TunedSize { key, speed, solution })
}

fn read_key(reader: &mut Reader<'_>) -> Parsed<([u64; PARTS], usize)> {
    let at = reader.offset();
    let count = reader.array("a key")? as usize;
    let mut key = [0; PARTS];
    match key.get_mut(..count) {
        Some(parts) if count > 0 => {
            for part in parts {
                *part = values::unsigned(reader, "a part of a key")?;
            }
        }
        _ => return Err(ParseError::new(at, format!("a key of {count} parts; 1 to {PARTS} are expected"))),
    }
    Ok((key, count))
}
