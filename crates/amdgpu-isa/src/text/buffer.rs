//! Where text is written: a piece of memory of its own, so that nothing is allocated.
#![deny(clippy::indexing_slicing)]

use super::recent::{Key, Recent};
use core::fmt;

/// Room for the longest text, in bytes; what does not fit is left out.
const ROOM: usize = 448;

/// The text of one instruction. It can be used for many, one after the other:
/// [`Instruction::text`](crate::Instruction::text). One that is used for more than a thousand takes 1 MiB, in
/// which it keeps texts that come again.
#[derive(Clone)]
pub struct Text {
    bytes: [u8; ROOM],
    length: usize,
    pub(crate) recent: Recent,
}

/// The digits of the numbers below 1000, without leading zeros, the first in the lowest byte, and in the
/// highest byte how many they are.
static DECIMAL: [u32; 1000] = decimal();

#[allow(
    clippy::indexing_slicing,
    reason = "made by the compiler, which would refuse a number beyond the end"
)]
const fn decimal() -> [u32; 1000] {
    let mut all = [0; 1000];
    let mut number = 0;
    while number < 1000 {
        let digits =
            [(number / 100) as u8 + b'0', (number / 10 % 10) as u8 + b'0', (number % 10) as u8 + b'0'];
        let [hundreds, tens, ones] = digits;
        all[number] = u32::from_le_bytes(match number {
            100.. => [hundreds, tens, ones, 3],
            10.. => [tens, ones, 0, 2],
            _ => [ones, 0, 0, 1],
        });
        number += 1;
    }
    all
}

/// The digits of a number below 1000, the first in the lowest byte, and how many they are.
#[inline(always)]
fn digits(number: u64) -> Option<(u64, usize)> {
    let packed = *DECIMAL.get(usize::try_from(number).ok()?)?;
    Some((u64::from(packed & 0xff_ffff), (packed >> 24) as usize))
}

impl Default for Text {
    fn default() -> Self {
        Text::new()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({})", self.as_str())
    }
}

impl Text {
    /// Nothing yet.
    #[inline]
    pub const fn new() -> Text {
        Text { bytes: [0; ROOM], length: 0, recent: Recent::new() }
    }

    /// What was written.
    #[inline]
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        core::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Keeps what was written under a key.
    pub(crate) fn keep(&mut self, key: Key) {
        let written = self.bytes.get(..self.length).unwrap_or_default();
        self.recent.keep(key, written);
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.length = 0;
    }

    #[inline]
    pub(crate) fn push(&mut self, text: &str) {
        let end = self.length + text.len();
        if let Some(to) = self.bytes.get_mut(self.length..end) {
            to.copy_from_slice(text.as_bytes());
            self.length = end;
        }
    }

    /// Takes the last bytes back.
    pub(super) fn take_back(&mut self, count: usize) {
        self.length = self.length.saturating_sub(count);
    }

    /// The first `count` of eight bytes. Always writing eight is faster than writing as many as there are.
    #[inline]
    pub(crate) fn push_short(&mut self, eight: [u8; 8], count: usize) {
        if let Some(to) = self.bytes.get_mut(self.length..).and_then(|rest| rest.first_chunk_mut::<8>()) {
            *to = eight;
            self.length += count.min(8);
        }
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        if let Some(to) = self.bytes.get_mut(self.length) {
            *to = byte;
            self.length += 1;
        }
    }

    #[inline]
    pub(super) fn decimal(&mut self, number: u64) {
        match digits(number) {
            Some((digits, count)) => self.push_short(digits.to_le_bytes(), count),
            None => {
                self.decimal(number / 1000);
                let rest = number % 1000;
                let digit = |number: u64| (number % 10) as u8 + b'0';
                self.push_short([digit(rest / 100), digit(rest / 10), digit(rest), 0, 0, 0, 0, 0], 3);
            }
        }
    }

    /// A letter and a number below 1000.
    #[inline(always)]
    pub(super) fn register(&mut self, letter: u8, number: u64) {
        let (digits, count) = digits(number).unwrap_or_default();
        self.push_short((u64::from(letter) | digits << 8).to_le_bytes(), count + 1);
    }

    /// A letter and two numbers below 1000: `v[4:7]`.
    #[inline(always)]
    pub(super) fn registers(&mut self, letter: u8, first: u64, last: u64) {
        let (digits_of_first, count) = digits(first).unwrap_or_default();
        let begin = u64::from(letter) | u64::from(b'[') << 8 | digits_of_first << 16;
        self.push_short(begin.to_le_bytes(), count + 2);
        let (digits_of_last, count) = digits(last).unwrap_or_default();
        let end = u64::from(b':') | digits_of_last << 8 | u64::from(b']') << (8 + 8 * count);
        self.push_short(end.to_le_bytes(), count + 2);
    }

    #[inline]
    pub(super) fn signed(&mut self, number: i64) {
        if number < 0 {
            self.byte(b'-');
        }
        self.decimal(number.unsigned_abs());
    }

    /// `0x` and the digits without leading zeros.
    #[inline]
    pub(super) fn hex(&mut self, number: u64) {
        let count = (64 - number.leading_zeros()).div_ceil(4).max(1);
        self.push_short(*b"0x\0\0\0\0\0\0", 2);
        for digit in (0..count).rev() {
            let digit = (number >> (4 * digit) & 15) as u8;
            self.byte(if digit < 10 { digit + b'0' } else { digit - 10 + b'a' });
        }
    }
}

impl fmt::Write for Text {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}
