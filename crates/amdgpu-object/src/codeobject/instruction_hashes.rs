//! Hashes of single instructions: with the numbers of their registers, without them, and with registers in the
//! order of their first use.
//!
//! Kernels repeat themselves: of ten instructions, nine have the same bytes as one of the last some thousand.
//! What does not depend on the instructions before is kept for these, since reading operands and hashing them
//! takes several times as long as looking it up.
#![deny(clippy::indexing_slicing)]

use crate::isa::{Decoder, File, Instruction, Operand, Register};
use std::sync::{Mutex, PoisonError};

/// A hash of numbers, by multiplication to twice as many bits and folding, as wyhash has it: a call of a library
/// for each of a dozen numbers of an instruction would take longer than all else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hash(pub(super) u64);

impl Hash {
    /// An odd number with as many ones as zeros.
    const BY: u128 = 0x9e37_79b9_7f4a_7c15;

    #[inline(always)]
    pub(super) fn add(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value ^ 0xa076_1d64_78bd_642f).wrapping_mul(Self::BY);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
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
    numbers: [u8; FILES * FILE_BYTES],
    next: [u16; FILES],
}

/// Registers of a file.
const REGISTERS: usize = 1024;
/// Files whose registers are renamed: those of vector, accumulation and scalar registers.
const FILES: usize = 3;
/// Bytes of the numbers of a file: four can be read from each on.
const FILE_BYTES: usize = (REGISTERS + 4) * 2;

impl Renaming {
    pub(super) fn new() -> Self {
        Renaming { numbers: [0; FILES * FILE_BYTES], next: [1; FILES] }
    }

    /// The numbers of some registers, as one number.
    ///
    /// A mask takes their count into account, not a branch, which a processor would predict wrong for every second
    /// instruction.
    #[inline(always)]
    fn numbers_of(&mut self, row: RegisterRow) -> u64 {
        let mask = MASKS.get(row.count()).copied().unwrap_or(u64::MAX);
        let four = self.four(row);
        // Whether one of the 16 bits that count is zero.
        let filled = four | !mask;
        let zeros = filled.wrapping_sub(0x0001_0001_0001_0001) & !filled & 0x8000_8000_8000_8000;
        if zeros != 0 { self.number(row) & mask } else { four & mask }
    }

    #[inline(always)]
    fn four(&self, row: RegisterRow) -> u64 {
        let bytes = self.numbers.get(row.place()..).and_then(|numbers| numbers.first_chunk::<8>());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Gives the registers numbers that have none.
    #[cold]
    #[inline(never)]
    fn number(&mut self, row: RegisterRow) -> u64 {
        let own = self.numbers.get_mut(row.place()..).unwrap_or_default();
        let (numbers, _) = own.as_chunks_mut::<2>();
        let next = self.next.get_mut(row.place() / FILE_BYTES);
        if let Some(next) = next {
            for number in numbers.iter_mut().take(row.count()).filter(|number| **number == [0; 2]) {
                *number = next.to_le_bytes();
                *next = next.saturating_add(1);
            }
        }
        self.four(row)
    }

    /// Adds the numbers of registers to a hash.
    #[inline(always)]
    fn add_to(&mut self, hash: &mut Hash, (first, rest): (&[RegisterRow; USUAL_ROWS], &[RegisterRow])) {
        for row in first {
            hash.add(self.numbers_of(*row));
        }
        for row in rest.iter().take_while(|row| row.0 != 0) {
            hash.add(self.numbers_of(*row));
        }
    }
}

/// The bits of so many numbers.
const MASKS: [u64; 5] = [0, 0xffff, 0xffff_ffff, 0xffff_ffff_ffff, u64::MAX];

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
        self.0 as usize & 0xffff
    }

    #[inline(always)]
    fn count(self) -> usize {
        (self.0 >> 16) as usize
    }
}

/// Rows of registers that one instruction has at most; the few that have more are not kept.
const ROWS: usize = 16;
/// Rows that are looked at whether there are so many or not.
const USUAL_ROWS: usize = 4;

/// What an instruction is but for what was before it, in two lines of a processor's cache: most need the first.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Parts {
    exact: Hash,
    plain: Hash,
    first: [RegisterRow; USUAL_ROWS],
    /// What is asked of its mnemonic.
    pub(super) traits: u16,
    /// Whether it has more rows.
    has_more: bool,
    /// `plain` with the distance of a branch.
    directed: Hash,
    more: [RegisterRow; ROWS - USUAL_ROWS],
}

/// Recent instructions: each can be in one place only.
pub(super) struct Recent(Vec<Kept>);

#[derive(Clone, Copy, Default)]
#[repr(C, align(128))]
struct Kept {
    /// Its bytes, and a number for their count and those whose instruction it is; zeros where nothing is kept.
    bits: [u64; 2],
    of: u64,
    parts: Parts,
}

/// Number of places, as a power of two; the first halves of them, 256 KiB, are most of what is read.
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
        Recent(vec![Kept::default(); 1 << BITS])
    }

    /// What an instruction of these bytes is, if it is kept.
    #[inline(always)]
    pub(super) fn find(&self, (bits, length): ([u64; 2], usize), owner: Owner) -> Option<&Parts> {
        let kept = self.0.get(place(bits))?;
        (kept.bits == bits && kept.of == owner.with_length(length)).then_some(&kept.parts)
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
    ) -> Option<&Parts> {
        let bits = instruction.bits()?;
        let parts = parts(instruction, traits, is_branch)?;
        let kept = self.0.get_mut(place(bits))?;
        *kept = Kept { bits, of: owner.with_length(instruction.length()), parts };
        Some(&kept.parts)
    }
}

#[inline(always)]
fn place([low, high]: [u64; 2]) -> usize {
    let mixed = (low ^ high.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - BITS)) as usize
}

impl Parts {
    /// What the instruction is with registers as they are numbered after those before it.
    #[inline(always)]
    pub(super) fn hashes(&self, is_branch: bool, registers: &mut Renaming) -> Hashes {
        let more: &[RegisterRow] = if self.has_more { &self.more } else { &[] };
        let directed = if is_branch { self.directed } else { self.plain };
        whole(self.exact, [self.plain, directed], (&self.first, more), is_branch, registers)
    }
}

/// What an instruction is with its registers as they are numbered after those before it; by its hashes without
/// them, and without and with the distance of a branch.
#[inline(always)]
fn whole(
    exact: Hash,
    [plain, directed]: [Hash; 2],
    rows: (&[RegisterRow; USUAL_ROWS], &[RegisterRow]),
    is_branch: bool,
    registers: &mut Renaming,
) -> Hashes {
    let (mut unwaited, mut renamed) = (plain, directed);
    registers.add_to(&mut unwaited, rows);
    if is_branch {
        registers.add_to(&mut renamed, rows);
    } else {
        renamed = unwaited;
    }
    Hashes { exact, renamed, unwaited, plain }
}

/// The parts of an instruction that are kept; nothing where its registers are more than there is room for.
fn parts(instruction: &Instruction, traits: u16, is_branch: bool) -> Option<Parts> {
    let (mut rows, mut count) = ([RegisterRow::default(); ROWS], 0);
    let [exact, plain, directed] = read(instruction, false, is_branch, |row| {
        if let Some(place) = rows.get_mut(count) {
            *place = row;
        }
        count += 1;
    });
    let (first, more) = rows.split_first_chunk()?;
    let (first, more) = (*first, *more.first_chunk()?);
    let has_more = count > USUAL_ROWS;
    (count <= ROWS).then_some(Parts { exact, plain, first, traits, has_more, directed, more })
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
    rows.resize(rows.len().max(USUAL_ROWS), RegisterRow::default());
    let none = (&[RegisterRow(0); USUAL_ROWS], &[][..]);
    let rows = rows.split_first_chunk().unwrap_or(none);
    whole(exact, [plain, directed], rows, is_branch, registers)
}

/// Hashes the operands of an instruction, with the numbers of registers, without them, and so with the distance
/// of a branch. Hands on the registers that are renamed.
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
                directed.add(own);
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
        directed.add(value ^ tag << 56);
        // How far a branch leads follows from what lies between.
        if !is_branch {
            plain.add(value ^ tag << 56);
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
