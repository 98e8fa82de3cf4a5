//! UTF-16 as UTF-8: what PowerShell writes where a log is redirected to a file.

use std::io::{self, BufRead, Chain, Cursor, Read};

/// Bytes of a log that show its encoding.
const HEAD: usize = 512;
/// Units that are read at once.
const UNITS: usize = 1 << 12;
/// Units in a row, each of two letters of ASCII, that are no UTF-16: a program appended to the file in
/// another encoding.
const APPENDED: usize = 8;

/// The order of the bytes of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// A log, in UTF-8 where it is UTF-16, and as it is in all other encodings: those are ASCII where our
/// messages are.
pub(super) struct Decoded<R> {
    log: Chain<Cursor<Vec<u8>>, R>,
    /// Bytes of the log that were read, in its own encoding.
    taken: u64,
    order: Option<Order>,
    /// Bytes that were read and not yet decoded: half a unit, or a half of a pair.
    left: Vec<u8>,
    /// What is decoded, and how much of it was given away.
    ready: Vec<u8>,
    given: usize,
}

impl<R: BufRead> Decoded<R> {
    /// Looks at the beginning of a log.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(super) fn new(mut log: R) -> io::Result<Self> {
        // What a pipe has ready may be a single line, so the head is read, not peeked at.
        let mut head = Vec::new();
        (&mut log).take(HEAD as u64).read_to_end(&mut head)?;
        let order = order(&head);
        let log = Cursor::new(head).chain(log);
        Ok(Decoded { log, taken: 0, order, left: Vec::new(), ready: Vec::new(), given: 0 })
    }

    /// Bytes of the log that were read so far, in its own encoding.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Decodes some more; false at the end of the log.
    fn more(&mut self, order: Order) -> io::Result<bool> {
        let mut bytes = std::mem::take(&mut self.left);
        let had = bytes.len();
        (&mut self.log).take(2 * UNITS as u64).read_to_end(&mut bytes)?;
        let ends = bytes.len() == had;
        self.taken += (bytes.len() - had) as u64;
        (self.ready, self.given) = (Vec::new(), 0);
        let unit = |pair: &[u8]| match (order, pair) {
            (Order::Little, [low, high]) | (Order::Big, [high, low]) => u16::from_be_bytes([*high, *low]),
            _ => 0,
        };
        let mut pairs = bytes.chunks_exact(2);
        let units: Vec<u16> = pairs.by_ref().map(unit).collect();
        self.left = pairs.remainder().to_vec();
        let is_pair_begun = units.last().is_some_and(|last| (0xd800..0xdc00).contains(last));
        let whole = units.len() - usize::from(is_pair_begun && !ends);
        if whole < units.len() {
            self.left.splice(..0, bytes.get(2 * whole..2 * whole + 2).unwrap_or_default().iter().copied());
        }
        let is_text = |byte: u8| (b' '..0x7f).contains(&byte) || b"\t\r\n".contains(&byte);
        let appended = |at: usize| {
            let row = bytes.get(2 * at..2 * (at + APPENDED)).unwrap_or_default();
            row.len() == 2 * APPENDED && row.iter().all(|byte| is_text(*byte))
        };
        let (mut at, mut rest) = (0, units.get(..whole).unwrap_or_default());
        while !rest.is_empty() {
            if appended(at) {
                let row = bytes.get(2 * at..2 * whole).unwrap_or_default();
                let length = row.iter().take_while(|byte| is_text(**byte)).count() / 2;
                self.ready.extend_from_slice(row.get(..2 * length).unwrap_or_default());
                at += length;
                rest = rest.get(length..).unwrap_or_default();
                continue;
            }
            let length = 1 + usize::from(
                rest.first().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) && rest.len() > 1,
            );
            for letter in char::decode_utf16(rest.iter().take(length).copied()) {
                let letter = letter.unwrap_or(char::REPLACEMENT_CHARACTER);
                self.ready.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            at += length;
            rest = rest.get(length..).unwrap_or_default();
        }
        if ends {
            self.ready.append(&mut self.left);
        }
        Ok(!ends)
    }
}

impl<R: BufRead> Read for Decoded<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let Some(order) = self.order else {
            let read = self.log.read(to)?;
            self.taken += read as u64;
            return Ok(read);
        };
        let mut goes_on = true;
        while self.given == self.ready.len() && goes_on {
            goes_on = self.more(order)?;
        }
        let rest = self.ready.get(self.given..).unwrap_or_default();
        let length = rest.len().min(to.len());
        if let (Some(to), Some(from)) = (to.get_mut(..length), rest.get(..length)) {
            to.copy_from_slice(from);
        }
        self.given += length;
        Ok(length)
    }
}

/// The order of UTF-16, by its mark or by the zeros beside letters of ASCII; none where it is another
/// encoding.
fn order(head: &[u8]) -> Option<Order> {
    match head {
        [0xff, 0xfe, ..] => return Some(Order::Little),
        [0xfe, 0xff, ..] => return Some(Order::Big),
        _ => {}
    }
    let zeros = |odd: usize| head.iter().skip(odd).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), head.len() / 2);
    match (half >= 4, odd * 2 > half, even * 2 > half) {
        (true, true, false) => Some(Order::Little),
        (true, false, true) => Some(Order::Big),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn utf8(bytes: &[u8]) -> String {
        let mut text = Vec::new();
        Decoded::new(bytes).unwrap().read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text).trim_start_matches('\u{feff}').to_owned()
    }

    #[test]
    fn both_orders_with_and_without_a_mark() {
        let text = "HIP-Fehler: „ungültig“ 上 𝄞\nhipErrorNoBinaryForGpu ".repeat(900);
        for mark in ["", "\u{feff}"] {
            let marked = format!("{mark}{text}");
            let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
            assert!(utf8(&little) == text && utf8(&big) == text);
        }
        for other in ["plain", "ünï", ""] {
            assert_eq!(utf8(other.as_bytes()), other);
        }
    }

    #[test]
    fn a_log_that_comes_in_pieces_is_decoded_alike() {
        let little: Vec<u8> = "hipErrorNoBinaryForGpu".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut text = Vec::new();
        let mut decoded = Decoded::new(io::BufReader::with_capacity(3, little.as_slice())).unwrap();
        decoded.read_to_end(&mut text).unwrap();
        assert_eq!(
            (text.as_slice(), decoded.taken()),
            (b"hipErrorNoBinaryForGpu".as_slice(), little.len() as u64)
        );
    }

    #[test]
    fn what_was_appended_in_ascii_is_kept() {
        let mut log: Vec<u8> = "\u{feff}first\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        log.extend_from_slice(b"hipErrorNoBinaryForGpu: second\r\n");
        assert_eq!(utf8(&log), "first\r\nhipErrorNoBinaryForGpu: second\r\n");
        // Half of a unit at the end is passed on.
        assert_eq!(utf8(b"\xff\xfea\0b\0c"), "abc");
    }
}
