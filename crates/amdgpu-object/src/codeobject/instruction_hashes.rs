//! Hashes of single instructions: with the numbers of their registers, without them, and with registers in the
//! order of their first use.
//!
//! Kernels repeat themselves: of ten instructions, nine have the same bytes as one of the last some thousand.
//! What does not depend on the instructions before is kept for these, since reading operands and hashing them
//! takes several times as long as looking it up.
#![deny(clippy::indexing_slicing)]

use crate::isa::{Decoder, File, Instruction, Instructions, Operand, Register};
use std::sync::{Mutex, PoisonError};

/// A hash of numbers, by multiplication to twice as many bits and folding, as wyhash has it: a call of a library
/// for each of a dozen numbers of an instruction would take longer than all else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hash(pub(super) u64);

impl Hash {
    /// An odd number with as many ones as zeros.
    const BY: u64 = 0x9e37_79b9_7f4a_7c15;
    const BESIDE: u64 = 0xa076_1d64_78bd_642f;

    #[inline(always)]
    pub(super) fn add(&mut self, value: u64) {
        *self = Hash(folded(self.0 ^ value ^ Self::BESIDE, Self::BY));
    }

    /// Hashes two numbers. The first may be a hash.
    #[inline(always)]
    fn of_both(one: u64, other: u64) -> Hash {
        Hash(folded(one ^ Self::BESIDE, other ^ Self::BY))
    }

    /// Adds a hash, whose bits are mixed already.
    #[inline(always)]
    pub(super) fn add_hash(&mut self, other: Hash) {
        *self = Hash((self.0.rotate_left(29) ^ other.0).wrapping_mul(Self::BY));
    }
}

#[inline(always)]
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one).wrapping_mul(u128::from(other));
    product as u64 ^ (product >> 64) as u64
}

/// What an instruction is in each of four ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hashes {
    /// With the numbers of its registers.
    pub(super) exact: Hash,
    /// With registers in the order of their first use.
    pub(super) renamed: Hash,
    /// The same without the distance of a branch.
    pub(super) unwaited: Hash,
    /// Without the numbers of registers and the distance of a branch.
    pub(super) plain: Hash,
}

impl Hashes {
    /// Of what is no instruction.
    pub(super) fn all(hash: Hash) -> Hashes {
        Hashes { exact: hash, renamed: hash, unwaited: hash, plain: hash }
    }
}

/// Registers by the order in which they were first met.
pub(super) struct Renaming {
    /// For each register its number plus one in two bytes, one file behind the other; zero where it was not met.
    /// From each place that a row can name, four can be read.
    numbers: [u8; PLACES + 8],
    next: [u16; FILES],
}

/// Registers of a file.
const REGISTERS: usize = 1024;
/// Files whose registers are renamed: those of vector, accumulation and scalar registers.
const FILES: usize = 3;
/// Bytes of the numbers of a file: four can be read from each on.
const FILE_BYTES: usize = (REGISTERS + 4) * 2;
/// A power of two above the bytes of all files.
const PLACES: usize = 1 << 13;

impl Renaming {
    pub(super) fn new() -> Self {
        Renaming { numbers: [0; PLACES + 8], next: [1; FILES] }
    }

    /// The numbers of the registers of some rows, as a hash. Only the last rows may be empty.
    ///
    /// Masks take the count of registers into account, not branches, which a processor would predict wrong for
    /// every second instruction.
    #[inline(always)]
    fn hash_of(&mut self, rows: &[RegisterRow; USUAL_ROWS]) -> Hash {
        // One by one: closures of four are not always compiled into their caller.
        let [first, second, third, fourth] = *rows;
        let (mut a, mut b) = (self.four(first), self.four(second));
        let (mut c, mut d) = (self.four(third), self.four(fourth));
        let has_zero = first.has_zero(a) | second.has_zero(b) | third.has_zero(c) | fourth.has_zero(d);
        if has_zero != 0 {
            [a, b, c, d] = self.number(rows);
        }
        let (one, other) = (Hash::of_both(a, b), Hash::of_both(c, d));
        Hash(one.0 ^ other.0.rotate_left(32))
    }

    /// The numbers of the registers of a row, in 16 bits each; zeros where it has none or fewer.
    #[inline(always)]
    fn four(&self, row: RegisterRow) -> u64 {
        let bytes = self.numbers.get(row.place()..).and_then(|numbers| numbers.first_chunk::<8>());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes)) & row.mask()
    }

    /// Gives the registers numbers that have none.
    #[cold]
    #[inline(never)]
    fn number(&mut self, rows: &[RegisterRow; USUAL_ROWS]) -> [u64; USUAL_ROWS] {
        for row in rows {
            let own = self.numbers.get_mut(row.place()..).unwrap_or_default();
            let (numbers, _) = own.as_chunks_mut::<2>();
            let Some(next) = self.next.get_mut(row.place() / FILE_BYTES) else { continue };
            for number in numbers.iter_mut().take(row.count()).filter(|number| **number == [0; 2]) {
                *number = next.to_le_bytes();
                *next = next.saturating_add(1);
            }
        }
        rows.map(|row| self.four(row))
    }
}

/// Up to four registers in a row that are renamed, in one number: where their numbers are (16 bits), and how many
/// they are. No registers are 0.
#[derive(Debug, Clone, Copy, Default)]
struct RegisterRow(u32);

impl RegisterRow {
    /// Hands on the rows of a register, or of more in a row. False for those that have names of their own, and
    /// for those that lie beyond their file.
    #[inline(always)]
    fn each_of(register: Register, on_row: &mut impl FnMut(RegisterRow)) -> bool {
        let file = match register.file() {
            File::Vector => 0,
            File::Accumulation => 1,
            File::Scalar => 2,
            _ => return false,
        };
        let (first, count) = (usize::from(register.index()), usize::from(register.count().max(1)));
        if first + count > REGISTERS {
            return false;
        }
        for start in (0..count).step_by(4) {
            let place = file * FILE_BYTES + (first + start) * 2;
            on_row(RegisterRow(place as u32 | ((count - start).min(4) as u32) << 16));
        }
        true
    }

    /// The place of the first number, in bytes.
    #[inline(always)]
    fn place(self) -> usize {
        self.0 as usize & (PLACES - 1)
    }

    #[inline(always)]
    fn count(self) -> usize {
        (self.0 >> 16) as usize & 7
    }

    /// The bits of so many numbers.
    #[inline(always)]
    fn mask(self) -> u64 {
        const MASKS: [u64; 8] =
            [0, 0xffff, 0xffff_ffff, 0xffff_ffff_ffff, u64::MAX, u64::MAX, u64::MAX, u64::MAX];
        MASKS.get(self.count()).copied().unwrap_or(u64::MAX)
    }

    /// Bits where one of its numbers is zero.
    #[inline(always)]
    fn has_zero(self, numbers: u64) -> u64 {
        let filled = numbers | !self.mask();
        filled.wrapping_sub(0x0001_0001_0001_0001) & !filled & 0x8000_8000_8000_8000
    }
}

/// Rows of registers that one instruction has at most; the few that have more are not kept.
const ROWS: usize = 4 * USUAL_ROWS;
/// Rows that are looked at whether there are so many or not.
const USUAL_ROWS: usize = 4;

/// Recent instructions: each can be in one place only. Most need only the first of the two tables; in one, lines
/// of a processor's cache that are read would lie in every second place of it.
pub(super) struct Recent {
    kept: Vec<Kept>,
    more: Vec<More>,
}

/// What an instruction is but for what was before it, in a line of a processor's cache.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Kept {
    /// Its bytes, and a number for their count and those whose instruction it is; zeros where nothing is kept.
    bits: [u64; 2],
    of: u64,
    exact: Hash,
    plain: Hash,
    rows: [RegisterRow; USUAL_ROWS],
    /// What is asked of its mnemonic.
    traits: u16,
    /// Whether there is more of it.
    has_more: bool,
}

/// What only some have.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct More {
    /// `plain` with the distance of a branch.
    directed: Hash,
    rows: [[RegisterRow; USUAL_ROWS]; ROWS / USUAL_ROWS - 1],
}

/// An instruction that is kept.
pub(super) struct Known<'r> {
    kept: &'r Kept,
    more: Option<&'r More>,
}

/// Number of places, as a power of two: a table has 256 KiB.
const BITS: u32 = 12;

/// Whose instructions they are: a decoder's, in waves of so many lanes.
#[derive(Clone, Copy)]
pub(super) struct Owner(u64);

impl Owner {
    pub(super) fn new(decoder: &'static Decoder, lanes: u32) -> Owner {
        // Decoders are there once for each family of processors. Addresses have less than 56 bits.
        Owner((std::ptr::from_ref(decoder) as u64) << 8 | u64::from(lanes == 32) << 7)
    }

    #[inline(always)]
    fn with_length(self, length: usize) -> u64 {
        self.0 | length as u64
    }
}

impl Recent {
    fn new() -> Recent {
        Recent { kept: vec![Kept::default(); 1 << BITS], more: vec![More::default(); 1 << BITS] }
    }

    /// The place and the length of the next instruction, if it is kept.
    #[inline(always)]
    pub(super) fn next_of(&self, instructions: &Instructions<'_>, owner: Owner) -> Option<(usize, usize)> {
        let (bits, length) = instructions.likely_bits()?;
        let place = place(bits);
        let kept = self.kept.get(place)?;
        let differs =
            (kept.bits[0] ^ bits[0]) | (kept.bits[1] ^ bits[1]) | (kept.of ^ owner.with_length(length));
        (differs == 0).then_some((place, length))
    }

    #[inline(always)]
    pub(super) fn at(&self, place: usize) -> Option<Known<'_>> {
        Some(self.known(self.kept.get(place)?, place))
    }

    #[inline(always)]
    fn known<'r>(&'r self, kept: &'r Kept, place: usize) -> Known<'r> {
        Known { kept, more: if kept.has_more { self.more.get(place) } else { None } }
    }

    /// Keeps an instruction. Returns what it is; nothing where its bytes or its registers are more than there is
    /// room for.
    #[inline(never)]
    pub(super) fn keep(
        &mut self,
        instruction: &Instruction,
        owner: Owner,
        traits: u16,
        is_branch: bool,
    ) -> Option<Known<'_>> {
        let bits = instruction.bits()?;
        let (mut rows, mut count) = ([[RegisterRow::default(); USUAL_ROWS]; ROWS / USUAL_ROWS], 0);
        let [exact, plain, directed] = read(instruction, false, is_branch, |row| {
            if let Some(place) = rows.as_flattened_mut().get_mut(count) {
                *place = row;
            }
            count += 1;
        });
        if count > ROWS {
            return None;
        }
        let [first, rest @ ..] = rows;
        let has_more = is_branch || count > USUAL_ROWS;
        let (place, of) = (place(bits), owner.with_length(instruction.length()));
        *self.kept.get_mut(place)? = Kept { bits, of, exact, plain, rows: first, traits, has_more };
        if has_more {
            *self.more.get_mut(place)? = More { directed, rows: rest };
        }
        Some(self.known(self.kept.get(place)?, place))
    }
}

#[inline(always)]
fn place([low, high]: [u64; 2]) -> usize {
    let mixed = (low ^ high.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - BITS)) as usize
}

impl Known<'_> {
    /// What is asked of its mnemonic.
    #[inline(always)]
    pub(super) fn traits(&self) -> u16 {
        self.kept.traits
    }

    /// What the instruction is with registers as they are numbered after those before it.
    #[inline(always)]
    pub(super) fn hashes(&self, is_branch: bool, registers: &mut Renaming) -> Hashes {
        let Kept { exact, plain, rows, .. } = self.kept;
        match self.more {
            None => whole(*exact, (*plain, None), (rows, &[]), registers),
            Some(more) => {
                let directed = is_branch.then_some(more.directed);
                whole(*exact, (*plain, directed), (rows, &more.rows), registers)
            }
        }
    }
}

/// What an instruction is with its registers as they are numbered after those before it; by its hashes without
/// them, and with the distance of a branch if it is one.
#[inline(always)]
fn whole(
    exact: Hash,
    (plain, directed): (Hash, Option<Hash>),
    (first, more): (&[RegisterRow; USUAL_ROWS], &[[RegisterRow; USUAL_ROWS]]),
    registers: &mut Renaming,
) -> Hashes {
    let mut rows = registers.hash_of(first);
    for more in more.iter().take_while(|rows| rows.first().is_some_and(|row| row.0 != 0)) {
        rows.add_hash(registers.hash_of(more));
    }
    let unwaited = Hash::of_both(plain.0, rows.0);
    let renamed = directed.map_or(unwaited, |directed| Hash::of_both(directed.0, rows.0));
    Hashes { exact, renamed, unwaited, plain }
}

/// What an instruction is, by its operands. `is_distance` says that its number is one that is added to the
/// program counter, and does not count.
#[cold]
#[inline(never)]
pub(super) fn of_operands(
    instruction: &Instruction,
    is_distance: bool,
    is_branch: bool,
    registers: &mut Renaming,
) -> Hashes {
    let mut rows = Vec::new();
    let [exact, plain, directed] = read(instruction, is_distance, is_branch, |row| rows.push(row));
    rows.resize(rows.len().next_multiple_of(USUAL_ROWS).max(USUAL_ROWS), RegisterRow::default());
    let (rows, _) = rows.as_chunks();
    let (first, more) = rows.split_first().unwrap_or((&[RegisterRow(0); USUAL_ROWS], &[]));
    whole(exact, (plain, is_branch.then_some(directed)), (first, more), registers)
}

/// Hashes the operands of an instruction, with the numbers of registers, without them, and, of a branch, without
/// them but with its distance. Hands on the registers that are renamed.
#[inline(always)]
fn read(
    instruction: &Instruction,
    is_distance: bool,
    is_branch: bool,
    mut on_row: impl FnMut(RegisterRow),
) -> [Hash; 3] {
    let mut begun = Hash::default();
    begun.add(u64::from(instruction.mnemonic_number()));
    let (mut exact, mut plain, mut directed) = (begun, begun, begun);
    for named in instruction.operands() {
        let (tag, value) = match named.operand {
            Operand::Register(register) => {
                let kind = kind(register);
                let named = kind | u64::from(register.index()) << 32;
                // What cannot be renamed keeps its name everywhere.
                let own = if RegisterRow::each_of(register, &mut on_row) { kind } else { named };
                exact.add(named);
                plain.add(own);
                if is_branch {
                    directed.add(own);
                }
                continue;
            }
            Operand::Inline(_) | Operand::Literal(_) | Operand::Literal64(_) if is_distance => (7, 0),
            Operand::Inline(value) => (2, value),
            Operand::Literal(value) => (3, value),
            Operand::Literal64(value) => (4, value),
            Operand::Number(value) => (5, value as u64),
            _ => (6, 0),
        };
        exact.add(value ^ tag << 56);
        // How far a branch leads follows from what lies between.
        match is_branch {
            true => directed.add(value ^ tag << 56),
            false => plain.add(value ^ tag << 56),
        }
    }
    [exact, plain, directed]
}

/// What a register is but for its number.
fn kind(register: Register) -> u64 {
    let half = register.half().map_or(0, |half| 1 + half as u64);
    1 << 56 | (register.file() as u64) << 8 | u64::from(register.count()) << 16 | half
}

/// Tables of recent instructions, one for each thread at work: threads come and go, and fill theirs anew.
#[derive(Default)]
pub(super) struct RecentOfThreads(Mutex<Vec<Recent>>);

impl std::fmt::Debug for RecentOfThreads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RecentOfThreads")
    }
}

impl RecentOfThreads {
    /// Runs with one of them.
    pub(super) fn with<T>(&self, run: impl FnOnce(&mut Recent) -> T) -> T {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = free().pop();
        let mut recent = known.unwrap_or_else(Recent::new);
        let made = run(&mut recent);
        free().push(recent);
        made
    }
}
