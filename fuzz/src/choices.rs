//! A fuzzer's bytes as choices. After the last byte, every choice is the first option.

/// The remaining bytes.
#[derive(Debug, Clone)]
pub struct Choices<'a> {
    rest: &'a [u8],
    /// Whether a field was bent, so that the result is not what it claims to be.
    pub bent: bool,
}

impl<'a> Choices<'a> {
    pub fn new(rest: &'a [u8]) -> Self {
        Choices { rest, bent: false }
    }

    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        self.rest = rest;
        *first
    }

    /// A number below `end`, which is at most 256.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    /// One of the given values.
    pub fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// True for one byte in four.
    pub fn seldom(&mut self) -> bool {
        self.byte() % 4 == 3
    }

    pub fn word(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    pub fn number(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// Up to `count` of the remaining bytes.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// Exactly `count` bytes; if there are fewer, the result counts as bent.
    pub fn whole(&mut self, count: usize) -> &'a [u8] {
        self.bent |= self.rest.len() < count;
        self.take(count)
    }

    /// A few bytes; the first byte gives their number.
    pub fn some(&mut self) -> &'a [u8] {
        let count = usize::from(self.byte());
        self.take(count)
    }

    /// All remaining bytes.
    pub fn all(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// A field that should be `right`: usually it is; otherwise it is next to it, at a limit, or arbitrary.
    pub fn field(&mut self, right: u64) -> u64 {
        let value = match self.byte() {
            0..=215 => return right,
            216..=219 => right.wrapping_add(1),
            220..=223 => right.wrapping_sub(1),
            224..=226 => right.wrapping_mul(2),
            227..=228 => right / 2,
            229..=230 => 0,
            231..=232 => u64::MAX,
            233..=234 => u64::MAX - right,
            235..=236 => 1 << 63,
            237..=238 => u64::from(u32::MAX),
            239..=240 => 1 << 31,
            241..=244 => right.wrapping_add(u64::from(self.byte())),
            245..=248 => u64::from(self.byte()),
            249..=252 => u64::from(self.word()),
            _ => self.number(),
        };
        self.bent |= value != right;
        value
    }

    /// A text of a few characters, mostly from `usual`.
    pub fn text(&mut self, usual: &[&str]) -> String {
        match self.byte() {
            0..=199 if !usual.is_empty() => self.of(usual).to_owned(),
            _ => String::from_utf8_lossy(self.some()).into_owned(),
        }
    }
}
