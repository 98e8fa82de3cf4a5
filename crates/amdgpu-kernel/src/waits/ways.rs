//! Whether a way can be taken: conditions along it must not exclude each other.
//!
//! Kernels ask the same question again: Tensile compares its loop counter before it loads ahead, and again
//! before it uses what was loaded. A way that goes right at one and left at the other is none. Followed are
//! comparisons of a scalar register with a constant, as long as nothing writes the register.

use super::pending::{Open, Pending};
use super::{Analysis, Misuse};
use crate::block::Block;
use crate::constants;
use crate::mnemonics::flag;
use amdgpu_isa::{Instruction, Operand};
use std::collections::HashSet;

/// Steps that are taken for one result, and instructions that are gone over for one kernel. Behind them a way
/// is taken to be possible.
const STEPS: usize = 2048;
const INSTRUCTIONS: usize = 1 << 22;

/// Facts that are kept along a way.
const FACTS: usize = 8;

/// How a register is compared; other comparisons are the opposite of one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    LessSigned,
    LessOrEqualSigned,
}

impl Comparison {
    /// By the mnemonic, with whether it is the opposite.
    fn from_mnemonic(name: &str) -> Option<(Comparison, bool)> {
        let rest = name.strip_prefix("s_cmpk_").or_else(|| name.strip_prefix("s_cmp_"))?;
        Some(match rest {
            "eq_u32" | "eq_i32" => (Comparison::Equal, false),
            "lg_u32" | "lg_i32" => (Comparison::Equal, true),
            "lt_u32" => (Comparison::Less, false),
            "ge_u32" => (Comparison::Less, true),
            "le_u32" => (Comparison::LessOrEqual, false),
            "gt_u32" => (Comparison::LessOrEqual, true),
            "lt_i32" => (Comparison::LessSigned, false),
            "ge_i32" => (Comparison::LessSigned, true),
            "le_i32" => (Comparison::LessOrEqualSigned, false),
            "gt_i32" => (Comparison::LessOrEqualSigned, true),
            _ => return None,
        })
    }

    fn holds(self, value: u32, constant: u32) -> bool {
        match self {
            Comparison::Equal => value == constant,
            Comparison::Less => value < constant,
            Comparison::LessOrEqual => value <= constant,
            Comparison::LessSigned => (value as i32) < constant as i32,
            Comparison::LessOrEqualSigned => value as i32 <= constant as i32,
        }
    }
}

/// A comparison of a scalar register with a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Compared {
    register: u16,
    comparison: Comparison,
    constant: u32,
}

impl Compared {
    /// What an instruction compares, with whether SCC is the opposite of it.
    fn from_instruction(found: &Instruction) -> Option<(Compared, bool)> {
        let (comparison, is_opposite) = Comparison::from_mnemonic(found.mnemonic())?;
        let mut operands = found.operands().map(|named| named.operand);
        let register = constants::single(operands.next()?)?;
        let constant = match operands.next()? {
            // Larger ones are extended with their sign by some mnemonics.
            Operand::Number(value) => u32::try_from(value).ok().filter(|value| *value < 0x8000)?,
            other => constants::constant(other)?,
        };
        Some((Compared { register, comparison, constant }, is_opposite))
    }
}

/// What is known of scalar registers along a way, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Facts(Vec<(Compared, bool)>);

impl Facts {
    /// Whether a comparison holds, where that is known.
    fn decide(&self, asked: &Compared) -> Option<bool> {
        let own = || self.0.iter().filter(|(known, _)| known.register == asked.register);
        let same = own().find(|(known, _)| known == asked).map(|(_, holds)| *holds);
        let is_value = |(known, holds): &&(Compared, bool)| *holds && known.comparison == Comparison::Equal;
        let of_value =
            || own().find(is_value).map(|(known, _)| asked.comparison.holds(known.constant, asked.constant));
        // A value that an earlier comparison does not have is another one.
        let excludes = |(known, holds): &(Compared, bool)| {
            known.comparison.holds(asked.constant, known.constant) != *holds
        };
        let other = || (asked.comparison == Comparison::Equal && own().any(excludes)).then_some(false);
        same.or_else(of_value).or_else(other)
    }

    /// Forgets what an instruction writes.
    fn pass(&mut self, analysis: &Analysis<'_>, at: usize) {
        let one = &analysis.body.all[at];
        if one.has(flag::WRITES_SCALAR) && !self.0.is_empty() {
            let writes = analysis.body.writes(one);
            self.0.retain(|(known, _)| !writes.iter().any(|span| span.has_scalar(known.register)));
        }
    }

    fn with(&self, compared: Compared, holds: bool) -> Facts {
        let mut facts = self.clone();
        if facts.0.len() < FACTS && facts.decide(&compared).is_none() {
            facts.0.push((compared, holds));
            facts.0.sort_unstable();
        }
        facts
    }
}

/// What decides the branch at the end of a block: the comparison, and whether the branch is taken where it
/// holds.
type Condition = (Compared, bool);

/// Looks for ways from results to their users.
pub(super) struct Ways<'a, 'g> {
    analysis: &'a Analysis<'g>,
    pending: Pending,
    conditions: Vec<Option<Option<Condition>>>,
    left: usize,
}

impl<'a, 'g> Ways<'a, 'g> {
    pub(super) fn new(analysis: &'a Analysis<'g>) -> Self {
        let pending = Pending::on_major(analysis.major);
        Ways { analysis, pending, conditions: vec![None; analysis.graph.blocks.len()], left: INSTRUCTIONS }
    }

    /// Whether a result that is still on its way can be misused by an instruction: both by their numbers.
    pub(super) fn lead(&mut self, source: u32, unit: u16, user: usize) -> bool {
        let blocks = &self.analysis.graph.blocks;
        let begin = self.analysis.body.all.get(source as usize).map(|one| one.offset);
        let Some(first) = begin.and_then(|offset| self.analysis.graph.block_at(offset)) else { return true };
        let mut seen: HashSet<(u32, Open, Facts)> = HashSet::new();
        let known = self.known_before(first, source as usize);
        let mut open: Vec<(u32, Option<Open>, Facts)> = vec![(first as u32, None, known)];
        while let Some((number, entry, facts)) = open.pop() {
            let block = &blocks[number as usize];
            self.left = self.left.saturating_sub(block.numbers().len());
            if seen.len() > STEPS || self.left == 0 {
                return true;
            }
            let (is_misused, entry, facts) = self.pass(block, source, unit, user, entry, facts);
            if is_misused {
                return true;
            }
            let Some(entry) = entry else { continue };
            for (to, facts) in self.successors(number as usize, &facts) {
                if seen.insert((to, entry, facts.clone())) {
                    open.push((to, Some(entry), facts));
                }
            }
        }
        false
    }

    /// What is known at an instruction of a block, as far as one block alone leads to the next.
    fn known_before(&mut self, block: usize, at: usize) -> Facts {
        let (analysis, mut chain) = (self.analysis, vec![block]);
        while let [before] = analysis.graph.predecessors.to(chain[chain.len() - 1]) {
            if chain.contains(&(*before as usize)) || chain.len() > FACTS {
                break;
            }
            chain.push(*before as usize);
        }
        let mut facts = Facts::default();
        for pair in chain.windows(2).rev() {
            let [to, from] = [pair[0], pair[1]];
            analysis.graph.blocks[from].numbers().for_each(|at| facts.pass(analysis, at));
            let ways = self.successors(from, &facts);
            let mut ways = ways.into_iter().filter(|(own, _)| *own as usize == to);
            facts = match (ways.next(), ways.next()) {
                (Some((_, facts)), None) => facts,
                _ => Facts::default(),
            };
        }
        (analysis.graph.blocks[block].numbers().start..at).for_each(|at| facts.pass(analysis, at));
        facts
    }

    /// Goes over a block: whether the user misuses the result there, and else the result, if it is still on
    /// its way at the end, with what is known there. Without `entry` it begins with the result's instruction.
    fn pass(
        &mut self,
        block: &Block,
        source: u32,
        unit: u16,
        user: usize,
        entry: Option<Open>,
        mut facts: Facts,
    ) -> (bool, Option<Open>, Facts) {
        let analysis = self.analysis;
        self.pending.start(entry.as_slice());
        let numbers = block.numbers();
        let begin = if entry.is_some() { numbers.start } else { source as usize };
        for at in begin..numbers.end {
            let mut misused = None;
            analysis.step(&mut self.pending, at, |touched, _: Misuse| {
                misused = misused.or((touched.source == source).then_some(at));
            });
            if let Some(misused) = misused {
                return (misused == user, None, facts);
            }
            facts.pass(analysis, at);
        }
        let left = self.pending.open();
        let own = left.into_iter().find(|open| open.is_of(source, unit));
        (false, own, facts)
    }

    /// The blocks that can follow, each with what is known then.
    fn successors(&mut self, number: usize, facts: &Facts) -> Vec<(u32, Facts)> {
        let block = &self.analysis.graph.blocks[number];
        let known = self.conditions[number].unwrap_or_else(|| self.condition(block));
        self.conditions[number] = Some(known);
        let (Some((compared, taken_if)), [taken, next]) = (known, &block.successors[..]) else {
            return block.successors.iter().map(|to| (*to, facts.clone())).collect();
        };
        let decided = facts.decide(&compared);
        let ways = [(*taken, taken_if), (*next, !taken_if)];
        let possible = ways.into_iter().filter(|(_, holds)| decided.is_none_or(|known| known == *holds));
        possible.map(|(to, holds)| (to, facts.with(compared, holds))).collect()
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
            let (compared, is_opposite) = Compared::from_instruction(&found)?;
            let between = body.all.get(at + 1..last)?.iter();
            let is_kept =
                between.flat_map(|one| body.writes(one)).all(|span| !span.has_scalar(compared.register));
            return is_kept.then_some((compared, wants_set != is_opposite));
        }
        None
    }
}
