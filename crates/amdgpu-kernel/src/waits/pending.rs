//! Results on their way at one place of a kernel.

use super::counter::{COUNTERS, Counter, Left};
use crate::units::{Marks, Span, UNITS, mark};

/// A result on its way.
#[derive(Debug, Clone, Copy, Default)]
struct Due {
    /// How many of its counter were issued up to its instruction; nothing is due at zero.
    issued: u32,
    /// The same of the memory of the work-group, for FLAT instructions.
    local: u32,
    /// The number of its instruction.
    source: u32,
}

/// A result on its way, as it is handed from block to block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Open {
    unit: u16,
    counter: Counter,
    /// How many of its counter were issued behind it: the fewest along all ways.
    behind: u8,
    local: u8,
    source: u32,
}

impl Open {
    /// Whether it is the result of an instruction in a unit.
    pub(super) fn is_of(&self, source: u32, unit: u16) -> bool {
        self.source == source && self.unit == unit
    }

    fn key(&self) -> (u16, Counter) {
        (self.unit, self.counter)
    }

    /// Takes what is worse of both. Whether that changed it.
    fn merge(&mut self, other: &Open) -> bool {
        let before = *self;
        if (other.behind, other.source) < (self.behind, self.source) {
            self.source = other.source;
        }
        self.behind = self.behind.min(other.behind);
        self.local = self.local.min(other.local);
        *self != before
    }
}

/// Takes into a sorted list what is open along another way as well. Whether that changed it.
pub(super) fn merge(into: &mut Vec<Open>, other: &[Open]) -> bool {
    let mut changed = false;
    let mut new = Vec::new();
    let mut at = 0;
    for one in other {
        while into.get(at).is_some_and(|own| own.key() < one.key()) {
            at += 1;
        }
        match into.get_mut(at).filter(|own| own.key() == one.key()) {
            Some(own) => changed |= own.merge(one),
            None => new.push(*one),
        }
    }
    if new.is_empty() {
        return changed;
    }
    into.append(&mut new);
    into.sort_unstable_by_key(Open::key);
    true
}

/// A result that is touched before a wait covers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Touched {
    pub(super) source: u32,
    pub(super) counter: Counter,
    pub(super) unit: u16,
}

/// Results on their way, by units of registers.
pub(super) struct Pending {
    major: u8,
    issued: [u32; COUNTERS],
    /// What was issued up to this has come.
    come: [u32; COUNTERS],
    /// Bits of the counters that something of a unit is due on.
    counters: Vec<u8>,
    dues: Vec<[Due; COUNTERS]>,
    /// Units that something may be due for.
    touched: Vec<u16>,
    /// Units that are looked at.
    watched: Marks,
}

/// A count that is higher than any that a counter reaches.
const BASE: u32 = 64;

impl Pending {
    pub(super) fn on_major(major: u8) -> Self {
        Pending {
            major,
            issued: [BASE; COUNTERS],
            come: [0; COUNTERS],
            counters: vec![0; UNITS],
            dues: vec![[Due::default(); COUNTERS]; UNITS],
            touched: Vec::new(),
            watched: Marks::MAX,
        }
    }

    /// Looks from now on only at units with some bits.
    pub(super) fn watch(&mut self, watched: Marks) {
        self.watched = watched;
    }

    /// Begins with what is open.
    pub(super) fn start(&mut self, open: &[Open]) {
        self.forget();
        self.issued = [BASE; COUNTERS];
        self.come = [0; COUNTERS];
        for one in open {
            let (issued, local) = (BASE - u32::from(one.behind), BASE - u32::from(one.local));
            self.note(usize::from(one.unit), one.counter, Due { issued, local, source: one.source });
        }
    }

    fn forget(&mut self) {
        for unit in self.touched.drain(..) {
            self.counters[usize::from(unit)] = 0;
        }
    }

    fn note(&mut self, unit: usize, counter: Counter, due: Due) {
        if self.counters[unit] == 0 {
            self.touched.push(unit as u16);
        }
        self.counters[unit] |= 1 << counter as u8;
        self.dues[unit][counter as usize] = due;
    }

    /// An instruction of a counter, with its results.
    pub(super) fn issue(&mut self, counter: Counter, source: u32, results: &[Span]) {
        let counted: &[Counter] = match counter {
            Counter::Flat => &[Counter::Vector, Counter::Local],
            ref one => std::slice::from_ref(one),
        };
        for one in counted {
            let at = *one as usize;
            self.issued[at] += 1;
            // The counter can count no further: an earlier one has come before this is issued.
            if one.is_in_order() {
                self.come[at] = self.come[at].max(self.issued[at].saturating_sub(one.most(self.major)));
            }
        }
        let of = counted[0] as usize;
        let due = Due { issued: self.issued[of], local: self.issued[Counter::Local as usize], source };
        for unit in results.iter().flat_map(|span| span.units()) {
            if self.watched & mark(unit) != 0 {
                self.note(unit, counter, due);
            }
        }
    }

    /// A wait that leaves so many.
    pub(super) fn wait(&mut self, left: &Left) {
        for counter in Counter::ALL {
            let Some(count) = left.get(counter) else { continue };
            let at = counter as usize;
            let come = match (counter.is_in_order(), count) {
                (true, _) => self.issued[at].saturating_sub(count),
                (false, 0) => self.issued[at],
                (false, _) => continue,
            };
            self.come[at] = self.come[at].max(come);
        }
    }

    /// All results have come.
    pub(super) fn wait_for_all(&mut self) {
        self.come = self.issued;
        self.forget();
    }

    fn is_due(&self, counter: Counter, due: &Due) -> bool {
        let come = |counter: Counter| self.come[counter as usize];
        match counter {
            Counter::Flat => due.issued > come(Counter::Vector) && due.local > come(Counter::Local),
            own => due.issued > come(own),
        }
    }

    /// The first result on its way in some registers, other than those that come in the order of `own`.
    #[inline]
    pub(super) fn touch(&mut self, span: Span, own: Option<Counter>) -> Option<Touched> {
        let units = span.units();
        if self.counters.get(units.clone()).is_none_or(|all| all.iter().all(|set| *set == 0)) {
            return None;
        }
        units.into_iter().find_map(|unit| self.touch_unit(unit, own))
    }

    fn touch_unit(&mut self, unit: usize, own: Option<Counter>) -> Option<Touched> {
        let set = self.counters[unit];
        for counter in Counter::ALL.into_iter().filter(|one| set >> *one as u8 & 1 == 1) {
            let due = self.dues[unit][counter as usize];
            if !self.is_due(counter, &due) {
                self.counters[unit] &= !(1 << counter as u8);
                continue;
            }
            if own.is_some_and(|own| come_in_order(own, counter)) {
                continue;
            }
            return Some(Touched { source: due.source, counter, unit: unit as u16 });
        }
        None
    }

    /// Nothing more is said of the results of an instruction, which lie in `results`.
    pub(super) fn forget_results(&mut self, source: u32, results: &[Span]) {
        for unit in results.iter().flat_map(|span| span.units()) {
            for counter in Counter::ALL {
                if self.dues[unit][counter as usize].source == source {
                    self.counters[unit] &= !(1 << counter as u8);
                }
            }
        }
    }

    /// What is open, sorted.
    pub(super) fn open(&self) -> Vec<Open> {
        let mut open = Vec::new();
        let mut units = self.touched.clone();
        units.sort_unstable();
        units.dedup();
        for unit in units {
            let set = self.counters[usize::from(unit)];
            for counter in Counter::ALL.into_iter().filter(|one| set >> *one as u8 & 1 == 1) {
                let due = self.dues[usize::from(unit)][counter as usize];
                if !self.is_due(counter, &due) {
                    continue;
                }
                let counted = if counter == Counter::Flat { Counter::Vector } else { counter };
                let most = if counter.is_in_order() { BASE - 1 } else { 0 };
                let behind = |counter: Counter, at: u32| {
                    self.issued[counter as usize].saturating_sub(at).min(most) as u8
                };
                let local = if counter == Counter::Flat { behind(Counter::Local, due.local) } else { 0 };
                open.push(Open {
                    unit,
                    counter,
                    behind: behind(counted, due.issued),
                    local,
                    source: due.source,
                });
            }
        }
        open
    }
}

/// Whether results of both come in the order of their instructions, so that the later may write what the
/// earlier does. FLAT instructions are given the benefit of the doubt.
fn come_in_order(one: Counter, other: Counter) -> bool {
    let kinds = [one, other];
    if kinds.contains(&Counter::Flat) {
        return kinds.iter().all(|kind| matches!(kind, Counter::Flat | Counter::Vector | Counter::Local));
    }
    one == other && one.is_in_order()
}
