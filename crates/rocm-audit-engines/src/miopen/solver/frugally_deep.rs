//! What MIOpen's models share in their files, which frugally-deep defines: numbers and test vectors.

use rocm_audit_files::error::Unread;
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
pub(super) fn not_read(file: &str, bytes: &[u8], error: &serde_json::Error) -> Unread {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
    format!("{file}, byte {}: {error}", before + error.column()).into()
}

/// Little-endian 32-bit floats, in independent pieces of base64.
pub(super) fn floats(pieces: &[String]) -> Result<Vec<f32>, Unread> {
    let length: usize = pieces.iter().map(String::len).sum();
    let mut bytes: Vec<u8> = Vec::with_capacity(length / 4 * 3 + 3);
    for piece in pieces {
        decode(piece.as_bytes(), &mut bytes)?;
    }
    let (whole, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() || whole.len() > MOST_NUMBERS {
        return Err("has numbers that are cut or too many".into());
    }
    let numbers: Vec<f32> = whole.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let finite = numbers.iter().all(|number| number.is_finite());
    finite.then_some(numbers).ok_or_else(|| "has numbers that are not finite".into())
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
fn decode(text: &[u8], bytes: &mut Vec<u8>) -> Result<(), Unread> {
    let wrong = || Unread::from("has numbers that are no base64");
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
            String::from(not_read("m", text.as_bytes(), &error))
        };
        assert_eq!(told("{\n \"inputs\": ["), "m, byte 14: EOF while parsing a list at line 2 column 12");
        assert_eq!(told(""), "m, byte 0: EOF while parsing a value at line 1 column 0");
    }

    #[test]
    fn numbers_are_whole_and_finite() {
        let read = |text: &str| floats(&[text.to_owned()]).map_err(String::from);
        assert_eq!(read("AACAPwAAAMA="), Ok(vec![1.0, -2.0]));
        assert_eq!(read("AACAPwAA"), Err("has numbers that are cut or too many".to_owned()));
        assert_eq!(read("AADAfw=="), Err("has numbers that are not finite".to_owned()));
    }
}
