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

/// Little-endian 32-bit floats, in independent pieces of base64.
pub(super) fn floats(pieces: &[String]) -> Result<Vec<f32>, Unread> {
    let mut bytes: Vec<u8> = Vec::new();
    for piece in pieces {
        let (mut bits, mut held) = (0u32, 0u32);
        for byte in piece.bytes().filter(|byte| *byte != b'=') {
            let digit = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return Err("has numbers that are no base64".into()),
            };
            (bits, held) = (bits << 6 | u32::from(digit), held + 6);
            if held >= 8 {
                held -= 8;
                let [.., byte] = (bits >> held).to_be_bytes();
                bytes.push(byte);
            }
        }
    }
    let (whole, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() || whole.len() > MOST_NUMBERS {
        return Err("has numbers that are cut or too many".into());
    }
    let numbers: Vec<f32> = whole.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let finite = numbers.iter().all(|number| number.is_finite());
    finite.then_some(numbers).ok_or_else(|| "has numbers that are not finite".into())
}
