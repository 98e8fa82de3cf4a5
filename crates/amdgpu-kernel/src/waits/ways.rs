//! Whether a way can be taken: conditions along it must not exclude each other.
//!
//! Kernels ask the same question again: Tensile compares its loop counter before it loads ahead, and again
//! before it uses what was loaded. A way that goes right at one and left at the other is none. Followed are
//! comparisons of a scalar register with a constant, as long as nothing writes the register; and where that
//! rules nothing out, what is computed of registers as well, from a few blocks before the result on.

use super::cleared::{EmptySums, Handling};
use super::counter::Issue;
use super::facts::{Asked, Facts, Made, Roots, ScalarSet};
use super::pending::{Open, Pending};
use super::seeded::Seeded;
use super::{Analysis, Misuse};
use crate::block::Block;
use crate::body::One;
use crate::mnemonics::flag;
use crate::units::{Marks, Span, mark};
use std::collections::{HashMap, HashSet};

/// Steps that are taken for one result, and instructions that are gone over for one kernel. Behind them it is not
/// known whether a way is possible.
const STEPS: usize = 2048;
const INSTRUCTIONS: usize = 1 << 22;

/// Blocks before the one of the result that are gone back to, and ways through them: the single way, and with
/// what is computed of registers.
const BLOCKS_BEFORE: usize = 8;
const BLOCKS_BEFORE_COMPUTED: usize = 6;
const WAYS_BEFORE: usize = 24;

/// Places where many ways meet that are gone back through, one after the other.
const MEETINGS: u32 = 64;

/// Blocks between the place where many ways part and the one where they meet.
const BLOCKS_BETWEEN: usize = 128;

/// Blocks whose facts at their beginning are kept, at most.
const BEGINS: usize = 4096;

/// What decides the branch at the end of a block: the comparison, and whether the branch is taken where it
/// holds.
type Condition = (Asked, bool);

/// What a search for a way says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Led {
    /// One is possible, as far as conditions along it are followed.
    Somewhere,
    /// None is possible.
    Nowhere,
    /// There are more than are followed.
    TooFar,
}

/// Looks for ways from results to their users.
pub(super) struct Ways<'a, 'g> {
    analysis: &'a Analysis<'g>,
    pending: Pending,
    conditions: Vec<Option<Option<Condition>>>,
    roots: Roots,
    /// What instructions make of scalar registers, by their numbers; the outer `None` is not known yet.
    made: Vec<Option<Option<Made>>>,
    /// The units that each instruction touches; all of what counts, waits, calls or writes scalar registers.
    marks: Vec<Marks>,
    /// What is known where blocks begin, without what is computed and with it, of blocks that were asked for.
    begins: [HashMap<usize, Vec<Facts>>; 2],
    /// Whether what is computed of registers is followed.
    computes: bool,
    left: usize,
    seeded: Seeded,
    /// What instructions do to sums, by their numbers, as far as that was asked for.
    handlings: Vec<Option<Handling>>,
}

/// The bits of some units.
fn marks(spans: &[Span]) -> Marks {
    spans.iter().fold(0, |all, span| all | span.marks())
}

/// The scalar registers among some units.
fn scalars(spans: &[Span]) -> ScalarSet {
    spans.iter().fold(0, |all, span| all | span.scalars())
}

impl<'a, 'g> Ways<'a, 'g> {
    pub(super) fn new(analysis: &'a Analysis<'g>) -> Self {
        let pending = Pending::on_major(analysis.major);
        let body = analysis.body;
        let of = |one: &One| {
            let is_counted = !matches!(analysis.issue(one).0, Issue::Nothing);
            match is_counted || one.is_call() || one.has(flag::WRITES_SCALAR) {
                true => Marks::MAX,
                false => marks(body.reads(one)) | marks(body.writes(one)),
            }
        };
        Ways {
            analysis,
            pending,
            conditions: vec![None; analysis.graph.blocks.len()],
            roots: Roots::default(),
            made: vec![None; body.all.len()],
            marks: body.all.iter().map(of).collect(),
            begins: Default::default(),
            computes: false,
            left: INSTRUCTIONS,
            seeded: Seeded::default(),
            handlings: vec![None; body.all.len()],
        }
    }

    /// Whether a way leads from a result that is still on its way to an instruction that misuses it: both by their
    /// numbers.
    pub(super) fn lead(&mut self, source: u32, unit: u16, user: usize) -> Led {
        let begin = self.analysis.body.all.get(source as usize).map(|one| one.offset);
        let Some(first) = begin.and_then(|offset| self.analysis.graph.block_at(offset)) else {
            return Led::Somewhere;
        };
        let mut led = Led::Nowhere;
        for computes in [false, true] {
            self.computes = computes;
            let known = self.known_at(first, source as usize);
            led = self.lead_from(first, known, (source, unit, user), None);
            if led == Led::Nowhere {
                break;
            }
        }
        led
    }

    /// Whether a user moves anything but zero onto a result which only clears its register, along some way, or
    /// something behind it could come to harm by that.
    pub(super) fn lead_to_more_than_zero(&mut self, source: u32, user: usize) -> Led {
        let analysis = self.analysis;
        let Some(own) = analysis.body.all.get(source as usize) else { return Led::Somewhere };
        let Some(first) = analysis.graph.block_at(own.offset) else { return Led::Somewhere };
        let mut sums = EmptySums::none();
        for at in analysis.graph.blocks[first].numbers().start..source as usize {
            self.is_zero_moved(&mut sums, at);
            sums.begin();
        }
        self.computes = true;
        let known = self.known_at(first, source as usize);
        let mut led = Led::Nowhere;
        for unit in analysis.body.writes(own).iter().flat_map(|span| span.units()) {
            let asked = (source, unit as u16, user);
            match self.lead_from(first, known.clone(), asked, Some(&sums)) {
                Led::Nowhere => {}
                Led::Somewhere => return Led::Somewhere,
                Led::TooFar => led = Led::TooFar,
            }
        }
        led
    }

    /// Goes over an instruction: whether it moves zero onto zero alone.
    fn is_zero_moved(&mut self, sums: &mut EmptySums, at: usize) -> bool {
        let Some(one) = self.analysis.body.all.get(at) else { return false };
        let handling = *self.handlings[at].get_or_insert_with(|| self.analysis.handling(at));
        sums.pass(handling, one, self.analysis.body.writes(one))
    }

    /// What is known at an instruction of a block, along each way that was gone back.
    fn known_at(&mut self, block: usize, at: usize) -> Vec<Facts> {
        let begin = self.analysis.graph.blocks[block].numbers().start;
        let mut known = match self.begins[usize::from(self.computes)].get(&block) {
            Some(known) => known.clone(),
            None => {
                let known = match self.computes {
                    false => vec![self.known_before(block, begin)],
                    true => self.all_known_before(block, begin),
                };
                let begins = &mut self.begins[usize::from(self.computes)];
                if begins.len() >= BEGINS {
                    begins.clear();
                }
                begins.insert(block, known.clone());
                known
            }
        };
        known.iter_mut().for_each(|facts| (begin..at).for_each(|at| self.note(facts, at)));
        known
    }

    fn lead_from(
        &mut self,
        first: usize,
        known: Vec<Facts>,
        asked: (u32, u16, usize),
        sums: Option<&EmptySums>,
    ) -> Led {
        let blocks = &self.analysis.graph.blocks;
        let mut seen: HashSet<(u32, Open, Facts, Option<EmptySums>), Seeded> =
            HashSet::with_hasher(self.seeded);
        let mut open: Vec<(u32, Option<Open>, Facts, Option<EmptySums>)> =
            known.into_iter().map(|facts| (first as u32, None, facts, sums.cloned())).collect();
        while let Some((number, entry, mut facts, mut sums)) = open.pop() {
            let block = &blocks[number as usize];
            self.left = self.left.saturating_sub(block.numbers().len());
            if seen.len() > STEPS || self.left == 0 {
                return Led::TooFar;
            }
            let (is_misused, entry) = self.pass(block, asked, entry, &mut facts, &mut sums);
            if is_misused {
                return Led::Somewhere;
            }
            let Some(entry) = entry else { continue };
            for (to, facts) in self.successors(number as usize, &facts) {
                if seen.insert((to, entry, facts.clone(), sums.clone())) {
                    open.push((to, Some(entry), facts, sums.clone()));
                }
            }
        }
        Led::Nowhere
    }

    /// What is known at an instruction of a block, as far as one block alone leads to the next.
    fn known_before(&mut self, block: usize, at: usize) -> Facts {
        let (analysis, mut chain) = (self.analysis, vec![block]);
        while let [before] = analysis.graph.predecessors.to(chain[chain.len() - 1]) {
            if chain.contains(&(*before as usize)) || chain.len() > BLOCKS_BEFORE {
                break;
            }
            chain.push(*before as usize);
        }
        self.along(&chain, at).unwrap_or_default()
    }

    /// What is known at an instruction of a block along each of the ways that lead to it through a few blocks.
    fn all_known_before(&mut self, block: usize, at: usize) -> Vec<Facts> {
        let (analysis, mut open, mut whole) = (self.analysis, vec![vec![block]], Vec::new());
        while let Some(chain) = open.pop() {
            let before = analysis.graph.predecessors.to(chain[chain.len() - 1]);
            let is_loop = before.iter().any(|block| chain.contains(&(*block as usize)));
            if before.is_empty() || is_loop || chain.len() > BLOCKS_BEFORE_COMPUTED {
                whole.push(chain);
            } else {
                open.extend(before.iter().map(|block| [chain.as_slice(), &[*block as usize]].concat()));
            }
            if open.len() + whole.len() > WAYS_BEFORE {
                return self.known_around(block, at, MEETINGS);
            }
        }
        whole.iter().filter_map(|chain| self.along(chain, at)).collect()
    }

    /// What is known at an instruction of a block that many ways lead to: what was known before they part, but for
    /// registers that are written along any of them.
    fn known_around(&mut self, block: usize, at: usize, meetings: u32) -> Vec<Facts> {
        let (body, blocks) = (self.analysis.body, &self.analysis.graph.blocks);
        let Some((parting, between)) = self.parting_before(block) else {
            return vec![self.known_before(block, at)];
        };
        let end = blocks[parting].numbers().end;
        let mut known = match self.analysis.graph.predecessors.to(parting) {
            [_, _, _, ..] if meetings > 0 => self.known_around(parting, end, meetings - 1),
            _ => vec![self.known_before(parting, end)],
        };
        if let [first, second] = self.analysis.graph.predecessors.to(parting) {
            let chains = [[parting, *first as usize], [parting, *second as usize]];
            let longer = |block: usize| match self.analysis.graph.predecessors.to(block) {
                [before] => Some(*before as usize),
                _ => None,
            };
            let chains = chains.map(|chain| [&chain[..], longer(chain[1]).as_slice()].concat());
            known = chains.iter().filter_map(|chain| self.along(chain, end)).collect();
        }
        for facts in &mut known {
            for number in between.iter().flat_map(|block| blocks[*block].numbers()) {
                let writes = body.all.get(number).map_or(0, |one| scalars(body.writes(one)));
                facts.forget(writes, &self.roots);
            }
            (blocks[block].numbers().start..at).for_each(|at| self.note(facts, at));
        }
        known
    }

    /// The nearest block that all ways to another go through, with the blocks between.
    fn parting_before(&self, block: usize) -> Option<(usize, Vec<usize>)> {
        let before =
            |block: usize| self.analysis.graph.predecessors.to(block).iter().map(|block| *block as usize);
        let (mut open, mut between): (Vec<usize>, Vec<usize>) = (before(block).collect(), Vec::new());
        loop {
            open.sort_unstable_by_key(|block| self.analysis.graph.blocks[*block].start);
            open.dedup();
            match open.as_slice() {
                [one] if *one != block => return Some((*one, between)),
                [] => return None,
                _ if between.len() > BLOCKS_BETWEEN => return None,
                _ => {}
            }
            let last = open.pop()?;
            if last == 0 {
                return None;
            }
            between.push(last);
            open.extend(before(last).filter(|block| !between.contains(block)));
        }
    }

    /// What is known at an instruction behind a chain of blocks, the last one first; nothing where no way leads
    /// through them.
    fn along(&mut self, chain: &[usize], at: usize) -> Option<Facts> {
        let blocks = &self.analysis.graph.blocks;
        let mut facts = Facts::default();
        for pair in chain.windows(2).rev() {
            let [to, from] = [pair[0], pair[1]];
            blocks[from].numbers().for_each(|at| self.note(&mut facts, at));
            let ways = self.successors(from, &facts);
            let mut ways = ways.into_iter().filter(|(own, _)| *own as usize == to);
            facts = match (ways.next(), ways.next()) {
                (Some((_, facts)), None) => facts,
                (None, _) => return None,
                _ => Facts::default(),
            };
        }
        (blocks[chain[0]].numbers().start..at).for_each(|at| self.note(&mut facts, at));
        Some(facts)
    }

    /// Goes over one instruction.
    fn note(&mut self, facts: &mut Facts, at: usize) {
        let one = &self.analysis.body.all[at];
        if !one.has(flag::WRITES_SCALAR) || facts.is_empty() && !self.computes {
            return;
        }
        if self.computes {
            let code = self.analysis.code;
            let made = self.made[at]
                .get_or_insert_with(|| Made::from_instruction(&code.instruction(one.offset)?, one.mnemonic));
            if let Some(made) = made {
                return facts.make(made, &mut self.roots);
            }
        }
        facts.forget(scalars(self.analysis.body.writes(one)), &self.roots);
    }

    /// Goes over a block: whether the user misuses the result there, and else the result, if it is still on
    /// its way at the end. Without `entry` it begins with the result's instruction. With `sums`, moves of zero onto
    /// zero change nothing; behind the user, whatever does not pass the result on is a misuse.
    fn pass(
        &mut self,
        block: &Block,
        (source, unit, user): (u32, u16, usize),
        entry: Option<Open>,
        facts: &mut Facts,
        sums: &mut Option<EmptySums>,
    ) -> (bool, Option<Open>) {
        let analysis = self.analysis;
        self.pending.start(entry.as_slice());
        let numbers = block.numbers();
        let begin = if entry.is_some() { numbers.start } else { source as usize };
        let own = analysis.body.all.get(source as usize).map_or(&[][..], |one| analysis.body.writes(one));
        let watched = mark(unit.into()) | if sums.is_some() { 0 } else { marks(own) };
        self.pending.watch(watched);
        for at in begin..numbers.end {
            if let Some(sums) = sums {
                let is_zero_moved = self.is_zero_moved(sums, at);
                sums.is_behind_user |= at == user;
                if is_zero_moved {
                    continue;
                }
            }
            // What neither counts nor touches the result changes nothing of it.
            if self.marks[at] & watched == 0 {
                continue;
            }
            let mut misused = None;
            analysis.step(&mut self.pending, at, |touched, misuse| {
                misused = misused.or((touched.source == source).then_some(misuse));
            });
            if let Some(misuse) = misused {
                let passes_on = || misuse == Misuse::Read && analysis.passes_on(at);
                let is_behind = sums.as_ref().is_some_and(|sums| sums.is_behind_user);
                return (at == user || is_behind && !passes_on(), None);
            }
            self.note(facts, at);
        }
        let left = self.pending.open();
        let own = left.into_iter().find(|open| open.is_of(source, unit));
        (false, own)
    }

    /// The blocks that can follow, each with what is known then.
    fn successors(&mut self, number: usize, facts: &Facts) -> Vec<(u32, Facts)> {
        let block = &self.analysis.graph.blocks[number];
        let known = self.conditions[number].unwrap_or_else(|| self.condition(block));
        self.conditions[number] = Some(known);
        let here = block.start;
        let (Some((asked, taken_if)), [taken, next]) = (known, &block.successors[..]) else {
            return block.successors.iter().map(|to| (*to, self.onto(here, *to, facts.clone()))).collect();
        };
        let decided = facts.decide(&asked, &self.roots);
        let ways = [(*taken, taken_if), (*next, !taken_if)];
        let possible = ways.into_iter().filter(|(_, holds)| decided.is_none_or(|known| known == *holds));
        possible
            .map(|(to, holds)| {
                let facts = facts.with(&asked, holds, &self.roots);
                (to, self.onto(here, to, facts))
            })
            .collect()
    }

    /// What is known in a block that a block at an offset leads to: around a loop values are others each time.
    fn onto(&self, from: u32, to: u32, mut facts: Facts) -> Facts {
        if self.analysis.graph.blocks[to as usize].start <= from {
            facts.forget_values(&self.roots);
        }
        facts
    }

    fn condition(&self, block: &Block) -> Option<Condition> {
        let (code, body) = (self.analysis.code, self.analysis.body);
        let numbers = block.numbers();
        let last = numbers.end.checked_sub(1)?;
        let wants_set = match code.instruction(body.all.get(last)?.offset)?.mnemonic() {
            "s_cbranch_scc1" => true,
            "s_cbranch_scc0" => false,
            _ => return None,
        };
        for at in (numbers.start..last).rev() {
            let found = code.instruction(body.all.get(at)?.offset)?;
            if !found.writes().any(|register| register.is_scc()) {
                continue;
            }
            let (asked, is_opposite) = Asked::from_instruction(&found)?;
            let between = body.all.get(at + 1..last)?.iter();
            let is_kept =
                between.flat_map(|one| body.writes(one)).all(|span| !span.has_scalar(asked.register));
            return is_kept.then_some((asked, wants_set != is_opposite));
        }
        None
    }
}
