//! What MIOpen's models share in their files, which frugally-deep defines: numbers and test vectors.

use amdgpu_object::error::{ParseError, ParseErrorKind};
use serde::Deserialize;

/// Most numbers in a layer; the largest known model has 190,000 in total.
const MOST_NUMBERS: usize = 1 << 24;

/// Inputs of a model, and the outputs that it gives for them.
#[derive(Deserialize)]
pub(super) struct TestFile {
    pub inputs: Vec<ValuesFile>,
    pub outputs: Vec<ValuesFile>,
}

/// Numbers, as [`floats`] reads them.
#[derive(Deserialize)]
pub(super) struct ValuesFile {
    pub values: Vec<String>,
}

/// Why a file is no JSON of the expected form, and from which byte on.
pub(super) fn json_fault(bytes: &[u8], error: &serde_json::Error) -> ParseError {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
    let kind = if error.is_eof() { ParseErrorKind::CutEnd } else { ParseErrorKind::Malformed };
    ParseError::new((before + error.column()) as u64, error.to_string()).of_kind(kind)
}

/// The first byte of a text that stands in quotes in a file; its end if it does not stand there like this.
pub(super) fn place_of(bytes: &[u8], text: &str) -> u64 {
    let quoted = format!("\"{text}\"");
    memchr::memmem::find(bytes, quoted.as_bytes()).map_or(bytes.len(), |at| at + 1) as u64
}

/// What is wrong with numbers, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NumbersFault {
    /// The piece that has the fault.
    piece: usize,
    /// The digit in the piece.
    digit: usize,
    /// What is wrong, as what a layer has.
    pub what: &'static str,
}

impl NumbersFault {
    /// Its place in the file that the pieces are from.
    pub(super) fn place(&self, bytes: &[u8], pieces: &[String]) -> u64 {
        let piece = pieces.get(self.piece).map_or("", String::as_str);
        (place_of(bytes, piece) + self.digit as u64).min(bytes.len() as u64)
    }
}

/// Little-endian 32-bit floats, in independent pieces of base64.
pub(super) fn floats(pieces: &[String]) -> Result<Vec<f32>, NumbersFault> {
    let length: usize = pieces.iter().map(String::len).sum();
    let mut bytes: Vec<u8> = Vec::with_capacity(length / 4 * 3 + 3);
    let mut begins = Vec::new();
    for (piece, text) in pieces.iter().enumerate() {
        begins.push(bytes.len());
        let decoded = decode(text.as_bytes(), &mut bytes);
        let what = "has numbers that are no base64";
        decoded.map_err(|digit| NumbersFault { piece, digit, what })?;
    }
    // The piece and the digit of a decoded byte.
    let fault = |at: usize, what| {
        let piece = begins.partition_point(|begin| *begin <= at).saturating_sub(1);
        let digit = (at - begins.get(piece).copied().unwrap_or(at)) / 3 * 4;
        NumbersFault { piece, digit, what }
    };
    let (whole, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() || whole.len() > MOST_NUMBERS {
        return Err(fault(whole.len().min(MOST_NUMBERS) * 4, "has numbers that are cut or too many"));
    }
    let numbers: Vec<f32> = whole.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(at) => Err(fault(at * 4, "has numbers that are not finite")),
        None => Ok(numbers),
    }
}

/// What is no digit of base64, among [`DIGITS`].
const NONE: u8 = 64;

/// The value of each byte as a digit of base64.
static DIGITS: [u8; 256] = {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut digits = [NONE; 256];
    let mut at = 0u8;
    while at < NONE {
        digits[alphabet[at as usize] as usize] = at;
        at += 1;
    }
    digits
};

/// Appends the bytes of a text of base64, which may end without its padding. What is left of the last digit
/// has no byte of its own.
///
/// # Errors
/// The place of what is no digit.
fn decode(text: &[u8], bytes: &mut Vec<u8>) -> Result<(), usize> {
    let wrong = || text.iter().position(|byte| DIGITS[usize::from(*byte)] == NONE).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| *byte != b'=').map_or(0, |last| last + 1);
    let (fours, rest) = text.get(..end).unwrap_or_default().as_chunks::<4>();
    for four in fours {
        let [a, b, c, d] = four.map(|byte| DIGITS[usize::from(byte)]);
        if (a | b | c | d) & NONE != 0 {
            return Err(wrong());
        }
        bytes.extend([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
    }
    let mut last = [0; 4];
    for (digit, byte) in last.iter_mut().zip(rest) {
        *digit = DIGITS[usize::from(*byte)];
        if *digit == NONE {
            return Err(wrong());
        }
    }
    let [a, b, c, _] = last;
    bytes.extend([a << 2 | b >> 4, b << 4 | c >> 2].iter().take(rest.len() * 3 / 4));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts and bytes of RFC 4648, section 10.
    #[test]
    fn base64_is_read() {
        for (text, expected) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
            ("Zm9vYmE", "fooba"),
            ("Z", ""),
        ] {
            let mut bytes = Vec::new();
            decode(text.as_bytes(), &mut bytes).unwrap();
            assert_eq!(bytes, expected.as_bytes(), "{text}");
        }
        for text in ["Zm9v YmFy", "Zm\0v", "Zm=v", "Z*"] {
            assert!(decode(text.as_bytes(), &mut Vec::new()).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_model_says_where() {
        let told = |text: &str| {
            let error = serde_json::from_str::<TestFile>(text).err().expect("no test file");
            let fault = json_fault(text.as_bytes(), &error);
            (fault.offset(), fault.kind(), fault.what().to_owned())
        };
        let cut = ParseErrorKind::CutEnd;
        let list = "EOF while parsing a list at line 2 column 12".to_owned();
        assert_eq!(told("{\n \"inputs\": ["), (14, cut, list));
        assert_eq!(told(""), (0, cut, "EOF while parsing a value at line 1 column 0".to_owned()));
    }

    #[test]
    fn numbers_are_whole_and_finite() {
        let read = |text: &str| floats(&[text.to_owned()]).map_err(|fault| fault.what);
        assert_eq!(read("AACAPwAAAMA="), Ok(vec![1.0, -2.0]));
        assert_eq!(read("AACAPwAA"), Err("has numbers that are cut or too many"));
        assert_eq!(read("AADAfw=="), Err("has numbers that are not finite"));
        // The second number of the second piece is no number: its bits begin in the second group of digits.
        let pieces = ["AACAPwAAAMA=", "AACAPwAAwH8="].map(str::to_owned);
        let file = br#"{"weights": ["AACAPwAAAMA=", "AACAPwAAwH8="]}"#;
        assert_eq!(floats(&pieces).unwrap_err().place(file, &pieces), 30 + 4);
        let pieces = ["AACA*wAA".to_owned()];
        assert_eq!(floats(&pieces).unwrap_err().place(br#"["AACA*wAA"]"#, &pieces), 2 + 4);
    }
}
