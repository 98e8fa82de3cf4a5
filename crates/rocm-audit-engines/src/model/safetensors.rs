//! The header of a safetensors file: names, types and shapes of tensors. Their data is not read.
//!
//! Format: eight bytes of a little-endian length, that many bytes of JSON, data
//! (<https://github.com/huggingface/safetensors>, README of 0.8.0). An error becomes a problem with its
//! offset, and everything read before it is kept.

use rocm_audit_files::budget::ModelBudget;
use rocm_audit_files::error::{ParseError, ParseErrorKind, ParseErrors};
use rocm_audit_files::limits::{MODEL_MEMORY, MODEL_NAME_BYTES, MODEL_TENSORS};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// Longest header that is read, in bytes: the format's own limit.
pub const LONGEST_HEADER: u64 = 100_000_000;

/// Most dimensions of a tensor; real models have fewer.
const DIMENSIONS: usize = 8;

/// A header.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// The tensors, in the order of the file.
    pub tensors: Vec<StoredTensor>,
    /// Whether the file contains no tensor data, only the header.
    pub is_header_only: bool,
    /// Problems found while reading.
    pub problems: ParseErrors,
}

/// A tensor as the header describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTensor {
    /// Name of the tensor.
    pub name: String,
    /// Name of the type in the format: `BF16`.
    pub dtype: String,
    /// Dimensions, outermost first.
    pub shape: Vec<u64>,
    /// Bytes of its data.
    pub bytes: u64,
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Shape,
    data_offsets: [u64; 2],
}

/// Up to one more dimension than allowed, so that a header full of dimensions uses no memory.
#[derive(Debug)]
struct Shape(Vec<u64>);

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Dimensions)
    }
}

struct Dimensions;

impl<'de> Visitor<'de> for Dimensions {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of dimensions")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
        let mut kept = Vec::new();
        while let Some(size) = list.next_element()? {
            if kept.len() <= DIMENSIONS {
                kept.push(size);
            }
        }
        Ok(Shape(kept))
    }
}

/// Bits in a value of a type; `None` for unknown types.
fn bits(dtype: &str) -> Option<u64> {
    Some(match dtype {
        "F4" => 4,
        "F6_E2M3" | "F6_E3M2" => 6,
        "BOOL" | "U8" | "I8" | "F8_E4M3" | "F8_E5M2" | "F8_E8M0" => 8,
        "U16" | "I16" | "F16" | "BF16" => 16,
        "U32" | "I32" | "F32" => 32,
        "U64" | "I64" | "F64" | "C64" => 64,
        _ => return None,
    })
}

/// Reads the header of a model that is one file. What could not be read is among its problems.
pub fn read(bytes: &[u8]) -> Header {
    read_within(bytes, &mut ModelBudget::default())
}

/// Reads the header of one file of a model. All files of the model share `budget`.
pub fn read_within(bytes: &[u8], budget: &mut ModelBudget) -> Header {
    let mut header = Header::default();
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        let what = format!("the length of the header needs 8 bytes, and {} are there", bytes.len());
        header.problems.push(ParseError::new(0, what).of_kind(ParseErrorKind::CutEnd));
        return header;
    };
    let length = u64::from_le_bytes(*length);
    if length > LONGEST_HEADER {
        let what = format!("a header of {length} bytes; at most {LONGEST_HEADER} are read");
        header.problems.push(ParseError::new(0, what));
        return header;
    }
    let text = usize::try_from(length).ok().and_then(|length| rest.get(..length));
    if text.is_none() {
        let what = format!("the header is said to have {length} bytes, and {} are there", rest.len());
        header.problems.push(ParseError::new(0, what).of_kind(ParseErrorKind::CutEnd));
    }
    header.entries(text.unwrap_or(rest), text.is_none(), budget);
    let data = (rest.len() as u64).saturating_sub(length);
    header.is_header_only = text.is_some() && data == 0 && header.tensors.iter().any(|t| t.bytes > 0);
    header
}

impl Header {
    fn entries(&mut self, text: &[u8], is_cut: bool, budget: &mut ModelBudget) {
        let mut json = serde_json::Deserializer::from_slice(text);
        let mut entries = Entries { header: self, names: HashSet::new(), budget };
        let found = (&mut entries).deserialize(&mut json).and_then(|()| json.end());
        if let Err(error) = found
            && !(is_cut && error.is_eof())
        {
            let what = format!("the header is no JSON of tensors: {}", sentence(&error));
            self.problems.push(ParseError::new(8 + offset(text, &error), what));
        }
    }

    fn add(&mut self, name: String, entry: Entry, is_new: bool) {
        let [begin, end] = entry.data_offsets;
        let Shape(shape) = entry.shape;
        let values = shape.iter().try_fold(1_u64, |values, size| values.checked_mul(*size));
        let expected = values.zip(bits(&entry.dtype)).and_then(|(values, bits)| values.checked_mul(bits));
        let problem = if !is_new {
            Some((
                ParseErrorKind::DoubledName,
                format!("the tensor {name} stands twice; the first one is taken"),
            ))
        } else if shape.len() > DIMENSIONS || values.is_none() {
            let what = format!("the tensor {name} has no possible shape: {shape:?}");
            Some((ParseErrorKind::Malformed, what))
        } else if end < begin
            || bits(&entry.dtype).is_some() && expected.map(|bits| bits.div_ceil(8)) != Some(end - begin)
        {
            let what = format!(
                "the tensor {name} of {} {shape:?} is said to lie from byte {begin} to {end} of the data",
                entry.dtype
            );
            Some((ParseErrorKind::WrongSize, what))
        } else {
            None
        };
        let is_dropped = problem.as_ref().is_some_and(|(kind, _)| *kind != ParseErrorKind::WrongSize);
        if let Some((kind, what)) = problem {
            self.problems.push(ParseError::new(8, what).of_kind(kind));
        }
        if !is_dropped {
            let bytes = expected.map_or(end.saturating_sub(begin), |bits| bits.div_ceil(8));
            self.tensors.push(StoredTensor { name, dtype: entry.dtype, shape, bytes });
        }
    }
}

/// The error in a JSON text, with its offset.
pub fn json_problem(text: &[u8], error: &serde_json::Error) -> ParseError {
    ParseError::new(offset(text, error), format!("no JSON as expected: {}", sentence(error)))
}

/// Serde's message without the position, which is given as an offset.
pub(super) fn sentence(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(what, _)| what.to_owned())
}

/// Position of an error in a text, in bytes from its beginning.
pub(super) fn offset(text: &[u8], error: &serde_json::Error) -> u64 {
    let lines = error.line().saturating_sub(1);
    let before: usize = text.split_inclusive(|byte| *byte == b'\n').take(lines).map(<[u8]>::len).sum();
    (before + error.column().saturating_sub(1)).min(text.len()) as u64
}

/// Adds the entries to a header one by one, so that those before an error are kept.
struct Entries<'a> {
    header: &'a mut Header,
    names: HashSet<String>,
    /// What may be kept of further tensors.
    budget: &'a mut ModelBudget,
}

impl<'de> DeserializeSeed<'de> for &mut Entries<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Entries<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if name == "__metadata__" {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            // The name is in the set and in the tensor, and may be in a message.
            let taken = size_of::<StoredTensor>() + 8 * (DIMENSIONS + 1) + 3 * name.len();
            if !self.budget.take(taken as u64) || !self.budget.has_room() {
                let what = format!(
                    "more than {MODEL_TENSORS} tensors, or names of more than {MODEL_MEMORY} bytes; those behind are not looked at"
                );
                self.header.problems.push(ParseError::new(8, what).of_kind(ParseErrorKind::TooMany));
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                return Ok(());
            }
            if name.len() > MODEL_NAME_BYTES {
                let begin: String = name.chars().take(64).collect();
                let what = format!(
                    "the name {begin}… has {} bytes; at most {MODEL_NAME_BYTES} are read",
                    name.len()
                );
                self.header.problems.push(ParseError::new(8, what).of_kind(ParseErrorKind::TooMany));
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let entry = map.next_value::<Entry>()?;
            let is_new = self.names.insert(name.clone());
            let before = self.header.tensors.len();
            self.header.add(name, entry, is_new);
            if self.header.tensors.len() > before {
                self.budget.take_tensor();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn file(json: &str) -> Vec<u8> {
        [&(json.len() as u64).to_le_bytes()[..], json.as_bytes()].concat()
    }

    #[test]
    fn tensors_are_in_the_order_of_the_file() {
        let header = read(&file(
            r#"{"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[3,2],"data_offsets":[0,12]},
               "a":{"dtype":"F32","shape":[],"data_offsets":[12,16]}}"#,
        ));
        assert!(header.problems.is_empty() && header.is_header_only);
        let found: Vec<_> =
            header.tensors.iter().map(|t| (t.name.as_str(), t.shape.as_slice(), t.bytes)).collect();
        assert_eq!(found, [("b", &[3, 2][..], 12), ("a", &[][..], 4)]);
    }

    #[test]
    fn what_stands_before_damage_is_read() {
        let whole = file(r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":7}}"#);
        let header = read(&whole);
        assert_eq!(header.tensors.len(), 1);
        let problem = header.problems.iter().next().unwrap();
        assert!(problem.offset() > 60 && problem.offset() < whole.len() as u64, "{problem:?}");
        let cut = read(&whole[..70]);
        assert_eq!(
            (cut.tensors.len(), cut.problems.iter().next().unwrap().kind()),
            (1, ParseErrorKind::CutEnd)
        );
        assert_eq!(read(&[1, 2]).problems.iter().next().unwrap().kind(), ParseErrorKind::CutEnd);
        assert_eq!(read(&[0xff; 16]).problems.iter().next().unwrap().offset(), 0);
    }

    #[test]
    fn shapes_and_places_must_agree() {
        let kinds = |json: &str| read(&file(json)).problems.iter().map(|p| p.kind()).collect::<Vec<_>>();
        let of = |shape: &str, end: u64| {
            kinds(&format!(r#"{{"a":{{"dtype":"F16","shape":{shape},"data_offsets":[0,{end}]}}}}"#))
        };
        assert_eq!(of("[4]", 8), []);
        assert_eq!(of("[4]", 9), [ParseErrorKind::WrongSize]);
        assert_eq!(of("[18446744073709551615,2]", 9), [ParseErrorKind::Malformed]);
        let twice = r#"{"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}"#;
        assert_eq!(kinds(twice), [ParseErrorKind::DoubledName]);
    }
}
