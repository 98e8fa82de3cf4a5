//! Units of registers: halves of vector and accumulation registers, whole scalar registers, as bits.

use crate::waits::MovedHalf;
use amdgpu_isa::{File, Half, Register};

/// A file of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Unit {
    Vector,
    Accumulation,
    Scalar,
}

/// Where units of each file begin, and where VCC and EXEC lie behind the scalar registers.
const ACCUMULATION: u16 = 2048;
const SCALAR: u16 = 3072;
const VCC: u16 = SCALAR + 128;
const EXEC: u16 = VCC + 2;
const END: u16 = EXEC + 2;

/// Number of all units.
pub(crate) const UNITS: usize = END as usize;

/// Special registers by their number in a source (AMD's instruction set references, scalar operands).
const VCC_NUMBER: u16 = 106;
const EXEC_NUMBER: u16 = 126;

/// Units as bits, several units for each bit: what shares none has no unit in common.
pub(crate) type Marks = u64;

/// The bit of a unit.
pub(crate) fn mark(unit: usize) -> Marks {
    1 << (unit % Marks::BITS as usize)
}

/// Units in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    first: u16,
    count: u16,
}

/// The register behind the highest of each file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Highest(pub(crate) [u16; 3]);

impl Highest {
    #[inline]
    pub(crate) fn note(&mut self, span: Span) {
        let most = &mut self.0[span.file() as usize];
        *most = (*most).max(span.end_register());
    }
}

impl Span {
    pub(crate) const NONE: Span = Span { first: END, count: 0 };

    /// The units of a register; nothing for special registers other than VCC and EXEC.
    #[inline(always)]
    pub(crate) fn from_register(register: Register) -> Option<Span> {
        let (index, count) = (register.index(), u16::from(register.count()));
        let (first, count) = match register.file() {
            File::Vector => halves(0, index & 1023, count, register.half()),
            File::Accumulation => halves(ACCUMULATION, index & 511, count, register.half()),
            File::Scalar => (SCALAR + (index & 127), count),
            File::Special => match index {
                VCC_NUMBER | 107 => (VCC + index - VCC_NUMBER, count),
                EXEC_NUMBER | 127 => (EXEC + index - EXEC_NUMBER, count),
                _ => return None,
            },
            _ => return None,
        };
        // Registers behind the last of a file are none.
        let end = match first {
            ..ACCUMULATION => ACCUMULATION,
            ACCUMULATION..SCALAR => SCALAR,
            SCALAR..VCC => VCC,
            _ => END,
        };
        Some(Span { first, count: count.min(end - first) })
    }

    /// Whether it has no half of a register alone.
    #[inline]
    pub(crate) fn is_whole(self) -> bool {
        self.first >= SCALAR || (self.first | self.count) & 1 == 0
    }

    /// The low or the high half, where it is one whole vector register.
    #[inline]
    pub(crate) fn only(self, half: MovedHalf) -> Span {
        let is_one = self.count == 2 && self.first < SCALAR && self.is_whole();
        match half {
            MovedHalf::Low if is_one => Span { count: 1, ..self },
            MovedHalf::High if is_one => Span { first: self.first + 1, count: 1 },
            _ => self,
        }
    }

    #[inline]
    pub(crate) fn file(self) -> Unit {
        match self.first {
            ..ACCUMULATION => Unit::Vector,
            ACCUMULATION..SCALAR => Unit::Accumulation,
            _ => Unit::Scalar,
        }
    }

    /// Whether it is VCC or EXEC, which are no registers that are counted.
    #[inline]
    pub(crate) fn is_mask(self) -> bool {
        self.first >= VCC
    }

    /// Its units by their numbers.
    #[inline]
    pub(crate) fn units(self) -> std::ops::Range<usize> {
        usize::from(self.first)..usize::from(self.first + self.count)
    }

    /// The bits of its units.
    pub(crate) fn marks(self) -> Marks {
        let row = Marks::MAX.checked_shr(Marks::BITS.saturating_sub(self.count.into())).unwrap_or(0);
        row.rotate_left(u32::from(self.first) % Marks::BITS)
    }

    pub(crate) fn is_exec(self) -> bool {
        self.first >= EXEC
    }

    pub(crate) fn is_vcc(self) -> bool {
        (VCC..EXEC).contains(&self.first)
    }

    /// The first unit of both, where they overlap.
    pub(crate) fn first_shared(self, other: Span) -> Option<u16> {
        self.overlaps(other).then(|| self.first.max(other.first))
    }

    pub(crate) fn overlaps(self, other: Span) -> bool {
        self.first < other.first + other.count && other.first < self.first + self.count
    }

    /// Its scalar registers as bits, VCC and EXEC left out.
    pub(crate) fn scalars(self) -> u128 {
        let units = self.first.max(SCALAR)..(self.first + self.count).min(VCC);
        match units.len() {
            0 => 0,
            count => u128::MAX >> (128 - count) << (units.start - SCALAR),
        }
    }

    /// Whether a scalar register of this number is among them.
    pub(crate) fn has_scalar(self, number: u16) -> bool {
        (self.first..self.first + self.count).contains(&(SCALAR + number))
    }

    /// The number of the register behind its last, in its file.
    #[inline]
    pub(crate) fn end_register(self) -> u16 {
        let end = self.first + self.count;
        match self.file() {
            Unit::Vector => end.div_ceil(2),
            Unit::Accumulation => (end - ACCUMULATION).div_ceil(2),
            Unit::Scalar => end - SCALAR,
        }
    }
}

/// The name of the register that a unit lies in.
pub(crate) fn register_name(unit: u16) -> String {
    match unit {
        ..ACCUMULATION => format!("v{}", unit / 2),
        ACCUMULATION..SCALAR => format!("a{}", (unit - ACCUMULATION) / 2),
        SCALAR..VCC => format!("s{}", unit - SCALAR),
        VCC..EXEC => "vcc".to_owned(),
        _ => "exec".to_owned(),
    }
}

#[inline(always)]
fn halves(base: u16, index: u16, count: u16, half: Option<Half>) -> (u16, u16) {
    match half {
        None => (base + 2 * index, 2 * count),
        Some(Half::Low) => (base + 2 * index, 1),
        Some(Half::High) => (base + 2 * index + 1, 1),
    }
}

/// Words of all units, each file at the begin of one.
const WORDS: usize = END as usize / 64 + 1;

/// How sets of units lie in words: as many for each file as the kernel names registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Where each file begins and where the last ends, in words.
    starts: [u16; 4],
    /// The word of a set for each word of all units.
    places: [u8; WORDS],
}

impl Layout {
    /// For so many vector and accumulation registers.
    pub(crate) fn for_registers(vgprs: u16, agprs: u16) -> Layout {
        let vectors = (2 * vgprs).div_ceil(64);
        let accumulations = (2 * agprs).div_ceil(64);
        let scalar = vectors + accumulations;
        let starts = [0, vectors, scalar, scalar + 2];
        let mut places = [0; WORDS];
        for (word, place) in places.iter_mut().enumerate() {
            let word = word as u16;
            *place = match word * 64 {
                ..ACCUMULATION => word,
                ACCUMULATION..SCALAR => vectors + word - ACCUMULATION / 64,
                _ => scalar + word - SCALAR / 64,
            } as u8;
        }
        Layout { starts, places }
    }

    /// Words of a set.
    pub(crate) fn words(&self) -> usize {
        usize::from(self.starts[3])
    }

    /// The words of a file.
    pub(crate) fn of_file(&self, file: Unit) -> std::ops::Range<usize> {
        let at = file as usize;
        usize::from(self.starts[at])..usize::from(self.starts[at + 1])
    }

    /// Calls `with` for each word that a span lies in, with the bits there. Masks are left out.
    #[inline(always)]
    pub(crate) fn each(&self, span: Span, mut with: impl FnMut(usize, u64)) {
        if span.is_mask() || span.count == 0 {
            return;
        }
        let (word, bit) = (usize::from(span.first / 64), span.first % 64);
        let count = span.count;
        if bit + count <= 64 {
            return with(self.place(word), (u64::MAX >> (64 - count.max(1))) << bit);
        }
        with(self.place(word), u64::MAX << bit);
        let mut left = bit + count - 64;
        let mut word = word + 1;
        while left > 0 {
            let here = left.min(64);
            with(self.place(word), u64::MAX >> (64 - here));
            left -= here;
            word += 1;
        }
    }

    #[inline]
    fn place(&self, word: usize) -> usize {
        usize::from(self.places.get(word).copied().unwrap_or_default())
    }
}

/// Registers of a word of halves that have any half in it.
#[inline]
pub(crate) fn registers_of_halves(word: u64) -> u32 {
    ((word | word >> 1) & 0x5555_5555_5555_5555).count_ones()
}
