//! Waits: whether each result of memory is waited for before it is read or written over.
//!
//! A memory instruction goes on while the wave does. Its counter tells how many are on their way, and a wait
//! says how many may be left. Here each result is followed along all ways through a kernel: if an instruction
//! reads or writes its register where no wait has covered it along some way, that is a missing wait. What is
//! not decided gives no alarm: see [`Undecided`]. Neither does a way whose conditions exclude each other.

mod cleared;
mod counter;
mod facts;
mod pending;
mod seeded;
#[cfg(test)]
mod tests;
mod ways;

pub use counter::Counter;
pub(crate) use counter::MovedHalf;

use crate::body::{Code, KernelBody, One};
use crate::graph::Graph;
use crate::mnemonics::flag;
use amdgpu_object::answer;
use counter::{Issue, Left};
use pending::{Open, Pending, Touched, merge};
use std::collections::{BTreeSet, VecDeque};
use std::sync::OnceLock;
use ways::{Led, Ways};

/// What is done to a result before it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Misuse {
    /// It is read: the old value is used.
    Read,
    /// Its register is written: the result comes later and destroys the new value.
    Overwritten,
}

answer! {
    /// A result that is used where no wait covers it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MissingWait {
        /// Offset of the instruction whose result it is, from the begin of the kernel in bytes.
        copy source: u32,
        /// Offset of the instruction that uses it.
        copy user: u32,
        /// What it does to it.
        copy misuse: Misuse,
        /// What the result is counted on.
        copy counter: Counter,
        /// The register, such as `v5`.
        text register: String,
        /// Whether both are in one basic block, so that no branch between them can lead around a wait: it is
        /// missing each time. Else along one way at least, which conditions may rule out.
        copy is_each_time: bool,
    }
}

/// Why a kernel is not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Undecided {
    /// Words in it are no instruction that is known.
    UnknownWords,
    /// Registers are named by the value of others.
    IndexedRegisters,
    /// A jump leads to where a register says: what comes there is not looked at.
    IndirectJump,
    /// It would take more steps than are believed of its size.
    TooLarge,
    /// More ways lead from some results to instructions that use them than are followed, so that it is not known
    /// whether one of them is possible. All other results are judged.
    ManyWays,
}

answer! {
    /// What is found of the waits of a kernel.
    #[derive(Debug, Default, PartialEq, Eq)]
    pub struct Waits {
        /// Missing waits in the order of their users.
        list missing: MissingWait,
        /// Registers that a read of LDS beyond its end clears, and that are passed on without a wait where nothing was
        /// added: in the order of their users, and none of the missing waits.
        list empty_sums: MissingWait,
        /// Instructions with results that have to be waited for.
        copy results: u32,
        /// Instructions that wait.
        copy waits: u32,
        /// Why it is not judged, or not to the end.
        copy undecided: Option<Undecided>,
    }
}

/// Instructions and open results that are gone over, at most: a second or so. The longest known kernels need
/// some million.
const STEPS: usize = 1 << 26;

/// Blocks times open results that are kept, at most: 16 bytes each.
const MOST_OPEN: usize = 4 << 20;

impl Waits {
    /// Of a kernel, with the graph of the same code.
    pub fn from_graph(code: &Code<'_>, graph: &Graph) -> Waits {
        Analysis { code, graph, body: &graph.body, issues: issues(), major: code.major() }.run()
    }
}

fn issues() -> &'static [(Issue, MovedHalf)] {
    static ALL: OnceLock<Vec<(Issue, MovedHalf)>> = OnceLock::new();
    let of = |name: &'static str| (Issue::from_mnemonic(name), MovedHalf::from_mnemonic(name));
    ALL.get_or_init(|| amdgpu_isa::mnemonics().map(of).collect())
}

/// What is known of the ways to a block.
#[derive(Debug, Clone, Default)]
struct Way {
    /// Results on their way before it.
    open: Vec<Open>,
    /// Whether it uses one of them, or one of its own, too early.
    misuses: bool,
}

/// What becomes of a result that an instruction misuses.
enum Fate {
    /// A wait is missing.
    Missed,
    /// It is nothing but zero, and nothing was added to it.
    EmptySum,
    /// No way leads there.
    Unreached,
    /// It is not known whether one does.
    Unknown,
}

struct Analysis<'g> {
    code: &'g Code<'g>,
    graph: &'g Graph,
    body: &'g KernelBody,
    issues: &'static [(Issue, MovedHalf)],
    major: u8,
}

impl Analysis<'_> {
    fn run(&self) -> Waits {
        let mut found = Waits::default();
        for one in &self.body.all {
            match self.issue(one).0 {
                Issue::Nothing | Issue::All => {}
                Issue::Wait(_) => found.waits += 1,
                _ => found.results += u32::from(one.writes > 0),
            }
        }
        if self.graph.unknown_words > 0 {
            found.undecided = Some(Undecided::UnknownWords);
        } else if self.graph.names_registers_by_index() {
            found.undecided = Some(Undecided::IndexedRegisters);
        } else if found.results > 0 {
            let mut pending = Pending::on_major(self.major);
            match self.solve(&mut pending) {
                Some(ways) => self.add_missing(&mut pending, &ways, &mut found),
                None => found.undecided = Some(Undecided::TooLarge),
            }
            let leads_away = |block: &crate::Block| block.is_reachable && block.goes_anywhere;
            if self.graph.blocks.iter().any(leads_away) {
                found.undecided.get_or_insert(Undecided::IndirectJump);
            }
        }
        found
    }

    fn issue(&self, one: &One) -> (Issue, MovedHalf) {
        let (issue, half) =
            self.issues.get(usize::from(one.mnemonic)).copied().unwrap_or((Issue::Nothing, MovedHalf::Both));
        // Before gfx11 no instruction names a half.
        (issue, if self.major < 11 { MovedHalf::Both } else { half })
    }

    /// Follows results along all ways, until nothing new is open before any block.
    fn solve(&self, pending: &mut Pending) -> Option<Vec<Way>> {
        let blocks = &self.graph.blocks;
        let mut ways: Vec<Way> = vec![Way::default(); blocks.len()];
        let mut open: VecDeque<u32> = self.graph.order.iter().copied().collect();
        let mut is_open: Vec<bool> = blocks.iter().map(|block| block.is_reachable).collect();
        let (mut steps, mut kept) = (STEPS, 0usize);
        while let Some(number) = open.pop_front() {
            let number = number as usize;
            is_open[number] = false;
            pending.start(&ways[number].open);
            let mut misuses = false;
            for at in blocks[number].numbers() {
                self.step(pending, at, |_, _| misuses = true);
            }
            ways[number].misuses = misuses;
            let out = pending.open();
            let taken = blocks[number].numbers().len() + ways[number].open.len() + 3 * out.len();
            steps = steps.checked_sub(taken)?;
            for to in &blocks[number].successors {
                let to = *to as usize;
                let before = ways[to].open.len();
                if merge(&mut ways[to].open, &out) {
                    kept += ways[to].open.len() - before;
                    if kept > MOST_OPEN {
                        return None;
                    }
                    if !std::mem::replace(&mut is_open[to], true) {
                        open.push_back(to as u32);
                    }
                }
            }
        }
        Some(ways)
    }

    fn add_missing(&self, pending: &mut Pending, ways: &[Way], found: &mut Waits) {
        let mut seen = BTreeSet::new();
        let mut possible: Option<Ways<'_, '_>> = None;
        let with_misuses = self.graph.blocks.iter().zip(ways).filter(|(_, way)| way.misuses);
        for (block, way) in with_misuses {
            let numbers = block.numbers();
            pending.start(&way.open);
            for at in block.numbers() {
                let user = self.body.all[at].offset;
                self.step(pending, at, |touched, misuse| {
                    let source = self.body.all.get(touched.source as usize).map_or(0, |one| one.offset);
                    if seen.insert((user, source)) {
                        let register = crate::units::register_name(touched.unit);
                        let counter = touched.counter;
                        let own = touched.source as usize;
                        let is_each_time = numbers.start <= own && own < at;
                        // Where no branch lies between, no count of steps can lead around a wait.
                        let fate = match is_each_time {
                            true => Fate::Missed,
                            false => {
                                let ways = possible.get_or_insert_with(|| Ways::new(self));
                                self.fate(ways, &touched, at, misuse)
                            }
                        };
                        let waits = match fate {
                            Fate::Missed => &mut found.missing,
                            Fate::EmptySum => &mut found.empty_sums,
                            Fate::Unreached => return,
                            Fate::Unknown => {
                                found.undecided.get_or_insert(Undecided::ManyWays);
                                return;
                            }
                        };
                        waits.push(MissingWait { source, user, misuse, counter, register, is_each_time });
                    }
                });
            }
        }
    }

    /// What becomes of a result that an instruction in another block misuses where no wait covers it.
    fn fate(&self, ways: &mut Ways<'_, '_>, touched: &Touched, user: usize, misuse: Misuse) -> Fate {
        match ways.lead(touched.source, touched.unit, user) {
            Led::Nowhere => Fate::Unreached,
            Led::TooFar => Fate::Unknown,
            Led::Somewhere if self.is_empty_sum(touched.source, user, misuse) => Fate::EmptySum,
            Led::Somewhere if !self.may_move_zero_onto_zero(touched.source, user, misuse) => Fate::Missed,
            Led::Somewhere => match ways.lead_to_more_than_zero(touched.source, user) {
                Led::Nowhere => Fate::EmptySum,
                Led::Somewhere => Fate::Missed,
                Led::TooFar => Fate::Unknown,
            },
        }
    }

    /// One alarm for a result is enough.
    fn forget(&self, pending: &mut Pending, source: u32) {
        if let Some(one) = self.body.all.get(source as usize) {
            pending.forget_results(source, self.body.writes(one));
        }
    }

    /// Goes over one instruction; `found` gets what it uses too early.
    #[inline]
    fn step(&self, pending: &mut Pending, at: usize, mut found: impl FnMut(Touched, Misuse)) {
        let one = &self.body.all[at];
        let (issue, half) = self.issue(one);
        let (reads, writes) = (self.body.reads(one), self.body.writes(one));
        let counter = self.counter(issue, !writes.is_empty());
        // What a load of half a register keeps of it is no source: it is merged when the result comes.
        let mut tied = if one.has(flag::IS_PARTIAL) { writes.first() } else { None };
        for span in reads {
            if tied.is_some_and(|kept| kept == span) {
                tied = None;
                continue;
            }
            // Stores of 16 bits read a half; their addresses are loaded whole.
            let span = if issue.stores() { span.only(half) } else { *span };
            while let Some(touched) = pending.touch(span, None) {
                found(touched, Misuse::Read);
                self.forget(pending, touched.source);
            }
        }
        for span in writes {
            let span = span.only(half);
            while let Some(touched) = pending.touch(span, counter) {
                found(touched, Misuse::Overwritten);
                self.forget(pending, touched.source);
            }
        }
        // LLVM's functions wait for everything where they begin and where they end.
        if one.is_call() {
            pending.wait_for_all();
        }
        match issue {
            Issue::All => pending.wait_for_all(),
            Issue::Wait(wait) => {
                let bytes = self.code.bytes(one.offset, 4);
                let word = bytes.try_into().map_or(0, u32::from_le_bytes);
                pending.wait(&Left::from_word(wait, word, self.major));
            }
            _ => {
                let Some(counter) = counter else { return };
                match writes {
                    [one] => pending.issue(counter, at as u32, &[one.only(half)]),
                    several => pending.issue(counter, at as u32, several),
                }
            }
        }
    }

    /// What an instruction is counted on, as far as results go.
    fn counter(&self, issue: Issue, has_result: bool) -> Option<Counter> {
        let counts_stores = has_result || self.major < 10;
        match issue {
            Issue::Nothing | Issue::Wait(_) | Issue::All => None,
            Issue::Load => Some(Counter::Vector),
            Issue::Store => counts_stores.then_some(Counter::Vector),
            Issue::Sample => Some(if self.major >= 12 { Counter::Sample } else { Counter::Vector }),
            Issue::Ray => Some(if self.major >= 12 { Counter::Ray } else { Counter::Vector }),
            Issue::FlatLoad => Some(Counter::Flat),
            Issue::FlatStore if counts_stores => Some(Counter::Flat),
            Issue::FlatStore | Issue::Local => Some(Counter::Local),
            Issue::Scalar => Some(Counter::Scalar),
        }
    }
}
