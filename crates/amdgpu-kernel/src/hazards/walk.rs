//! From an instruction backwards, along all ways, to what it is too close to.

use super::family::HazardFamily;
use super::kinds::{
    self, ACC_READ, ACC_WRITE, DEPCTR, DS, EXPORT, Kinds, MFMA, NOP, TRANS, VALU, VMEM, WAITCNT,
};
use super::matrix::{self, MatrixUnit, Product};
use super::table::{Distance, EndingWait, HAZARDS, Hazard};
use super::{TooClose, WaitStates};
use crate::block::Block;
use crate::body::{Code, KernelBody, One};
use crate::graph::Graph;
use crate::mnemonics::flag;
use crate::waits::Undecided;
use std::sync::OnceLock;

/// Blocks that are looked at behind one instruction, at most.
const BLOCKS: usize = 64;

/// Instructions that are looked at for what only another instruction ends.
const LOOKED_BACK: u32 = 64;

/// No hazard of matrix products reaches further.
const MATRIX_STATES: u32 = 20;

/// Vector instructions, and transcendental functions among them, behind which a result of one is there on
/// gfx11 (LLVM 22.1.8, `fixVALUTransUseHazard`).
const VECTORS_BEHIND: u32 = 5;
const TRANSCENDENTALS_BEHIND: u32 = 1;

/// The bits of matrix products and of transcendental functions among the rows of a family.
const MATRIX: u64 = 1 << 63;
const TRANSCENDENTAL: u64 = 1 << 62;

/// The rows of the table that a family has.
struct FamilyRows {
    rows: Vec<&'static Hazard>,
    /// Bits of the rows whose second instruction a mnemonic can be, by its number.
    of_user: Vec<u64>,
}

impl FamilyRows {
    fn of(family: HazardFamily) -> &'static FamilyRows {
        static ALL: [OnceLock<FamilyRows>; HazardFamily::ALL.len()] =
            [const { OnceLock::new() }; HazardFamily::ALL.len()];
        static NONE: FamilyRows = FamilyRows { rows: Vec::new(), of_user: Vec::new() };
        ALL.get(family as usize).map_or(&NONE, |own| own.get_or_init(|| FamilyRows::make(family)))
    }

    fn make(family: HazardFamily) -> FamilyRows {
        let rows: Vec<&Hazard> = HAZARDS.iter().filter(|row| row.families().has(family)).collect();
        let has_products = !matrix::products(family).is_empty();
        let users = match family {
            HazardFamily::Gfx908 => MFMA | ACC_READ | ACC_WRITE,
            _ => VALU | VMEM | DS | EXPORT,
        };
        let of_user = kinds::kinds().iter().map(|kinds| {
            let own = rows.iter().enumerate().filter(|(_, row)| row.consumer & kinds != 0);
            let trans = family == HazardFamily::Gfx11 && kinds & VALU != 0;
            let matrix = has_products && kinds & users != 0;
            own.fold(0, |all, (bit, _)| all | 1 << bit)
                | if trans { TRANSCENDENTAL } else { 0 }
                | if matrix { MATRIX } else { 0 }
        });
        FamilyRows { of_user: of_user.collect(), rows }
    }
}

/// A kernel with what its processor keeps not apart.
pub(super) struct HazardWalk<'g> {
    pub(super) code: &'g Code<'g>,
    pub(super) body: &'g KernelBody,
    pub(super) kinds: &'static [Kinds],
    graph: &'g Graph,
    family: HazardFamily,
    products: &'static [Option<Product>],
    rows: &'static FamilyRows,
    /// Rows that this kernel can have at all.
    possible: u64,
    stops: ProductStops,
}

/// Where the way back to matrix products can be cut short, by the number of the instruction: most of a kernel
/// that multiplies matrices lies close behind one. Empty for kernels without.
#[derive(Default)]
struct ProductStops {
    /// The wait states of all instructions before each, and before the end.
    states: Vec<u32>,
    /// The number behind the last matrix product or call among those up to each; 0 where none is.
    behind: Vec<u32>,
}

impl ProductStops {
    fn at(&self, number: usize) -> Option<usize> {
        self.behind.get(number).map(|behind| *behind as usize)
    }

    fn states(&self, range: std::ops::Range<usize>) -> u32 {
        let before = |number: usize| self.states.get(number).copied().unwrap_or(0);
        before(range.end).wrapping_sub(before(range.start))
    }
}

/// The kinds of the last instructions of a block: each is a wait state at least.
struct RecentKinds {
    last: [Kinds; RecentKinds::KEPT],
    next: usize,
    /// Instructions since the last matrix product, or since the begin of the block if there is none.
    since_product: u32,
}

impl RecentKinds {
    /// The most wait states that a row of the table asks for.
    const KEPT: usize = 5;

    /// What lies before a block can be of any kind.
    fn at_start() -> Self {
        RecentKinds { last: [Kinds::MAX; RecentKinds::KEPT], next: 0, since_product: 0 }
    }

    fn note(&mut self, kinds: Kinds) {
        if let Some(place) = self.last.get_mut(self.next) {
            *place = kinds;
        }
        self.next = (self.next + 1) % RecentKinds::KEPT;
        self.since_product = if kinds & MFMA != 0 { 0 } else { self.since_product.saturating_add(1) };
    }

    fn near(&self) -> Kinds {
        self.last.iter().fold(0, |all, kinds| all | kinds)
    }
}

/// A way backwards.
#[derive(Clone, Copy)]
struct BackWay {
    block: usize,
    /// The number of the instruction behind the next that is looked at.
    end: usize,
    /// Rows that can still be.
    alive: u64,
    /// Wait states on the way.
    states: u32,
    looked: u32,
    vectors: u32,
    transcendentals: u32,
    /// The last matrix product on the way, with the wait states that lie behind it at least.
    product: Option<(MatrixUnit, u32)>,
    is_own: bool,
}

/// Something that is too close, with the register as a unit.
#[derive(Clone, Copy)]
struct Close {
    source: usize,
    hazard: (&'static str, &'static str),
    unit: Option<u16>,
    states: u32,
    needed: Option<u32>,
    is_own: bool,
}

impl Close {
    fn key(&self) -> (bool, u32) {
        (self.is_own, self.needed.map_or(u32::MAX, |needed| needed - self.states))
    }
}

impl<'g> HazardWalk<'g> {
    pub(super) fn new(code: &'g Code<'g>, graph: &'g Graph, family: HazardFamily) -> Self {
        let (body, kinds, rows) = (&graph.body, kinds::kinds(), FamilyRows::of(family));
        let there = body.all.iter().fold(0, |all, one| all | kinds_of(kinds, one));
        let own = rows.rows.iter().enumerate().filter(|(_, row)| row.producer & there != 0);
        let possible = own.fold(0, |all, (bit, _)| all | 1 << bit)
            | if there & MFMA != 0 { MATRIX } else { 0 }
            | if there & TRANS != 0 { TRANSCENDENTAL } else { 0 };
        let products = matrix::products(family);
        let stops = ProductStops::default();
        let mut walk = HazardWalk { code, body, kinds, graph, family, products, rows, possible, stops };
        if possible & MATRIX != 0 {
            walk.stops = walk.product_stops();
        }
        walk
    }

    fn product_stops(&self) -> ProductStops {
        let (mut states, mut behind) = (Vec::new(), Vec::new());
        states.reserve_exact(self.body.all.len() + 1);
        behind.reserve_exact(self.body.all.len());
        let (mut sum, mut last) = (0u32, 0);
        for (number, one) in self.body.all.iter().enumerate() {
            let kinds = kinds_of(self.kinds, one);
            states.push(sum);
            sum = sum.wrapping_add(self.states(one, kinds));
            if kinds & MFMA != 0 || one.is_call() {
                last = number as u32 + 1;
            }
            behind.push(last);
        }
        states.push(sum);
        ProductStops { states, behind }
    }

    pub(super) fn run(&self, found: &mut WaitStates) {
        for (number, block) in self.graph.blocks.iter().enumerate().filter(|(_, block)| block.is_reachable) {
            let mut recent = RecentKinds::at_start();
            for (at, one) in block.numbers().zip(self.body.all.get(block.numbers()).unwrap_or_default()) {
                let rows = self.rows.of_user.get(usize::from(one.mnemonic)).copied().unwrap_or(0);
                let rows = rows & self.possible;
                if rows != 0 {
                    found.judged += 1;
                    let rows = self.rows_behind(rows, &recent);
                    if rows != 0 {
                        found.too_close.extend(self.look_back(number, at, rows));
                    }
                }
                recent.note(kinds_of(self.kinds, one));
            }
            if block.goes_anywhere {
                found.undecided.get_or_insert(Undecided::IndirectJump);
            }
        }
    }

    /// Of some rows those whose first instruction can be near enough.
    fn rows_behind(&self, rows: u64, recent: &RecentKinds) -> u64 {
        let mut behind = rows & (MATRIX | TRANSCENDENTAL);
        if recent.since_product >= MATRIX_STATES {
            behind &= !MATRIX;
        }
        let near = recent.near();
        let mut left = rows & !(MATRIX | TRANSCENDENTAL);
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let Some(row) = self.rows.rows.get(bit as usize) else { continue };
            let is_near = row.producer & near != 0 || matches!(row.distance, Distance::Until(..));
            behind |= u64::from(is_near) << bit;
        }
        behind
    }

    /// The worst of what an instruction is too close to.
    fn look_back(&self, block: usize, at: usize, alive: u64) -> Option<TooClose> {
        let mut worst: Option<Close> = None;
        let (mut open, mut seen): (Vec<BackWay>, Vec<(usize, u32, u64)>) = (Vec::new(), Vec::new());
        let mut way = BackWay {
            block,
            end: at,
            alive,
            states: 0,
            looked: 0,
            vectors: 0,
            transcendentals: 0,
            product: None,
            is_own: true,
        };
        loop {
            self.go_through(&mut way, at, &mut worst);
            if way.alive != 0 {
                for before in self.graph.predecessors.to(way.block) {
                    let (block, key) = (*before as usize, (*before as usize, way.states, way.alive));
                    if seen.len() < BLOCKS && !seen.contains(&key) {
                        seen.push(key);
                        let end = self.graph.blocks.get(block).map_or(0, |block| block.numbers().end);
                        open.push(BackWay { block, end, is_own: false, ..way });
                    }
                }
            }
            match open.pop() {
                Some(next) => way = next,
                None => break,
            }
        }
        let offset = |at: usize| self.body.all.get(at).map_or(0, |one| one.offset);
        worst.map(|close| TooClose {
            source: offset(close.source),
            user: offset(at),
            hazard: close.hazard.0,
            title: close.hazard.1,
            register: close.unit.map(crate::units::register_name).unwrap_or_default(),
            states: close.states,
            needed: close.needed,
            is_each_time: close.is_own,
        })
    }

    /// Goes through a block backwards as long as any row can be.
    fn go_through(&self, way: &mut BackWay, at: usize, worst: &mut Option<Close>) {
        let start = self.graph.blocks.get(way.block).map_or(0, |block: &Block| block.numbers().start);
        let mut end = way.end;
        while end > start {
            if way.alive == MATRIX {
                let behind = self.stops.at(end - 1).unwrap_or(end).max(start);
                way.states += self.stops.states(behind..end);
                if way.states >= MATRIX_STATES {
                    way.alive = 0;
                }
                end = behind;
                if way.alive == 0 || end == start {
                    return;
                }
            }
            end -= 1;
            let number = end;
            let Some(one) = self.body.all.get(number) else { return };
            let kinds = kinds_of(self.kinds, one);
            let mut note = |close: Close| {
                if worst.as_ref().is_none_or(|known| known.key() < close.key()) {
                    *worst = Some(close);
                }
            };
            self.check_rows(way, number, kinds, at, &mut note);
            if way.alive & MATRIX != 0 && kinds & MFMA != 0 {
                self.check_product(way, number, at, &mut note);
            }
            if way.alive & TRANSCENDENTAL != 0 {
                self.check_transcendental(way, number, kinds, at, &mut note);
            }
            if one.is_call() {
                way.alive = 0;
            }
            self.pass(way, one, kinds);
            if way.alive == 0 {
                return;
            }
        }
    }

    fn check_rows(
        &self,
        way: &mut BackWay,
        number: usize,
        kinds: Kinds,
        at: usize,
        note: &mut impl FnMut(Close),
    ) {
        let mut rows = way.alive & !(MATRIX | TRANSCENDENTAL);
        while rows != 0 {
            let bit = rows.trailing_zeros();
            rows &= rows - 1;
            let Some(row) = self.rows.rows.get(bit as usize) else { continue };
            if row.producer & kinds == 0 || row.except & kinds != 0 {
                continue;
            }
            let Some(unit) = self.relates(row.relation, number, at) else { continue };
            let hazard = (row.id, row.title);
            let (states, is_own) = (way.states, way.is_own);
            note(Close { source: number, hazard, unit, states, needed: row.states(), is_own });
            // What lies before is further away.
            way.alive &= !(1 << bit);
        }
    }

    fn check_product(&self, way: &mut BackWay, number: usize, at: usize, note: &mut impl FnMut(Close)) {
        let Some(product) = self.product(number) else { return };
        // The unit takes the next product when it is through with this one.
        let states = match way.product {
            Some((unit, behind)) if unit == product.unit => way.states.max(product.passes + behind),
            _ => way.states,
        };
        way.product = Some((product.unit, states + 1));
        let uses = self.uses_of_product(number, at, self.product(at), self.family);
        for (used, unit) in uses.into_iter().flatten() {
            let needed = used.states(product, self.family);
            if states < needed {
                let (hazard, unit, is_own) = (used.hazard(), Some(unit), way.is_own);
                note(Close { source: number, hazard, unit, states, needed: Some(needed), is_own });
            }
        }
    }

    fn check_transcendental(
        &self,
        way: &mut BackWay,
        number: usize,
        kinds: Kinds,
        at: usize,
        note: &mut impl FnMut(Close),
    ) {
        const HAZARD: (&str, &str) = (
            "trans-use",
            "a result of a transcendental function is read by a vector instruction close behind",
        );
        let is_behind = way.vectors > VECTORS_BEHIND || way.transcendentals > TRANSCENDENTALS_BEHIND;
        let waits = || kinds & DEPCTR != 0 && self.word(number) >> 12 & 15 == 0;
        if is_behind || kinds & (VMEM | DS | EXPORT) != 0 || waits() {
            way.alive &= !TRANSCENDENTAL;
            return;
        }
        if kinds & TRANS != 0
            && let Some(unit) = self.reads_vector(number, at)
        {
            let (states, is_own) = (way.states, way.is_own);
            note(Close { source: number, hazard: HAZARD, unit: Some(unit), states, needed: None, is_own });
            way.alive &= !TRANSCENDENTAL;
        }
        way.vectors += u32::from(kinds & VALU != 0);
        way.transcendentals += u32::from(kinds & TRANS != 0);
    }

    /// The matrix product that an instruction is.
    pub(super) fn product(&self, number: usize) -> Option<Product> {
        self.products.get(usize::from(self.body.all.get(number)?.mnemonic)).copied().flatten()
    }

    /// Counts an instruction, and ends what it ends.
    fn pass(&self, way: &mut BackWay, one: &One, kinds: Kinds) {
        way.states += self.states(one, kinds);
        way.looked += 1;
        if way.states >= MATRIX_STATES {
            way.alive &= !MATRIX;
        }
        let mut rows = way.alive & !(MATRIX | TRANSCENDENTAL);
        while rows != 0 {
            let bit = rows.trailing_zeros();
            rows &= rows - 1;
            let ends = match self.rows.rows.get(bit as usize).map(|row| row.distance) {
                Some(Distance::States(states)) => way.states >= u32::from(states),
                Some(Distance::StatesOr(states, ends)) => {
                    let is_wait = || amdgpu_isa::mnemonic(one.mnemonic).starts_with("s_wait");
                    way.states >= u32::from(states) || ends & kinds != 0 || is_wait()
                }
                Some(Distance::Until(ends, wait)) => {
                    ends & kinds != 0 || way.looked >= LOOKED_BACK || self.ends(wait, one, kinds)
                }
                None => true,
            };
            if ends {
                way.alive &= !(1 << bit);
            }
        }
    }

    fn states(&self, one: &One, kinds: Kinds) -> u32 {
        if kinds & NOP == 0 {
            return 1;
        }
        let most = if self.family <= HazardFamily::Gfx7 { 7 } else { 15 };
        (self.word_of(one) & most) + 1
    }

    /// Whether an instruction is a wait that ends a hazard.
    fn ends(&self, wait: EndingWait, one: &One, kinds: Kinds) -> bool {
        let number = || self.word_of(one) & 0xffff;
        match wait {
            EndingWait::None => false,
            EndingWait::VectorMemorySources => {
                kinds & WAITCNT != 0 && number() == 0 || kinds & DEPCTR != 0 && number() >> 2 & 7 == 0
            }
            EndingWait::ScalarMemory => {
                kinds & WAITCNT != 0 && number() >> 8 & 63 == 0
                    || amdgpu_isa::mnemonic(one.mnemonic) == "s_waitcnt_lgkmcnt" && number() == 0
            }
            EndingWait::ScalarResults => {
                kinds & VALU != 0 && one.has(flag::WRITES_SCALAR) || kinds & DEPCTR != 0 && number() & 1 == 0
            }
        }
    }

    /// The first word of an instruction.
    pub(super) fn word(&self, number: usize) -> u32 {
        self.body.all.get(number).map_or(0, |one| self.word_of(one))
    }

    fn word_of(&self, one: &One) -> u32 {
        self.code.bytes(one.offset, 4).try_into().map_or(0, u32::from_le_bytes)
    }
}

fn kinds_of(kinds: &[Kinds], one: &One) -> Kinds {
    kinds.get(usize::from(one.mnemonic)).copied().unwrap_or(0)
}
