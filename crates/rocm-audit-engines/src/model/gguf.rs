//! The header of a GGUF file: metadata and the list of tensors. Their data is not read.
//!
//! Format: ggml `docs/gguf.md`; versions 2 and 3 in either byte order. Counts are compared with the available
//! bytes before memory is reserved. An error becomes a problem with its offset, and everything read before it
//! is kept.

use crate::ggml::types::{self, Type};
use rocm_audit_files::budget::ModelBudget;
use rocm_audit_files::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};
use rocm_audit_files::limits::{MODEL_NAME_BYTES, MODEL_TENSORS};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::{BTreeMap, HashSet};

/// The first four bytes of a file.
pub const MAGIC: &[u8; 4] = b"GGUF";

/// Smallest metadata entry in bytes: the length of its key, its type, one byte.
const ENTRY_BYTES: u64 = 8 + 4 + 1;

/// Smallest tensor entry in bytes: the length of its name, no dimension, type, offset.
const TENSOR_BYTES: u64 = 8 + 4 + 4 + 8;

/// Memory for an entry or a tensor in addition to its texts and numbers, in bytes.
const ENTRY_MEMORY: u64 = 192;

/// Elements kept from an array of numbers; models have far fewer layers. The count is always kept.
const KEPT_NUMBERS: u64 = 4096;

/// Nesting limit for arrays.
const DEPTH: u32 = 4;

/// Longest text that is kept, in bytes; longer ones, such as chat templates, are skipped.
const KEPT_TEXT: u64 = 4096;

/// A header.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// The version of the format.
    pub version: u32,
    /// Whether numbers stand in big-endian order.
    pub big_endian: bool,
    /// Metadata by key.
    pub metadata: BTreeMap<String, Value>,
    /// The tensors, in the order of the file.
    pub tensors: Vec<Tensor>,
    /// Where the data begins, in bytes from the start of the file.
    pub data_at: u64,
    /// Whether the file contains no tensor data, only the header.
    pub is_header_only: bool,
    /// Problems found while reading.
    pub problems: ParseErrors,
}

/// A value of the metadata.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i128),
    /// A number of floating point.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A text; `None` if it is too long to keep.
    Text(Option<String>),
    /// An array.
    Array(Array),
}

/// An array of the metadata.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Array {
    /// Number of elements.
    pub count: u64,
    /// The first elements, if they are integers or booleans.
    pub numbers: Vec<i128>,
}

/// A tensor as the header describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Name of the tensor.
    pub name: String,
    /// Dimensions, innermost first; one to four.
    pub shape: Vec<u64>,
    /// Number of the type.
    pub type_number: u32,
    /// Offset of its data from the beginning of all data, in bytes.
    pub offset: u64,
    /// Offset of its description from the beginning of the file, in bytes.
    pub described_at: u64,
}

impl Tensor {
    /// The type, if ggml has one with that number.
    pub fn ty(&self) -> Option<Type> {
        u16::try_from(self.type_number).ok().and_then(types::numbered)
    }

    /// Size of its data in bytes; `None` if the type is unknown or a row is not a whole number of blocks.
    pub fn bytes(&self) -> Option<u64> {
        let ty = self.ty()?;
        let (row, rest) = self.shape.split_first()?;
        let blocks = row.is_multiple_of(ty.qk).then_some(row / ty.qk)?;
        rest.iter().try_fold(blocks.checked_mul(ty.block_bytes)?, |bytes, size| bytes.checked_mul(*size))
    }
}

impl Value {
    /// The value if it is a non-negative integer.
    pub fn unsigned(&self) -> Option<u64> {
        match self {
            Value::Int(number) => u64::try_from(*number).ok(),
            Value::Float(number) if *number >= 0.0 && number.fract() == 0.0 && *number < 1e15 => {
                Some(*number as u64)
            }
            _ => None,
        }
    }

    /// The value if it is a number.
    pub fn float(&self) -> Option<f64> {
        match self {
            Value::Int(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// The value if it is a text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => text.as_deref(),
            _ => None,
        }
    }

    /// The value for a layer: an array's element at that index, or the number itself.
    pub fn of_layer(&self, layer: u64) -> Option<u64> {
        match self {
            Value::Array(array) => {
                let number = array.numbers.get(usize::try_from(layer).ok()?)?;
                u64::try_from(*number).ok()
            }
            other => other.unsigned(),
        }
    }
}

/// Reads the header of a model that is one file. What could not be read is among its problems.
pub fn read(bytes: &[u8]) -> Header {
    read_within(bytes, &mut ModelBudget::default())
}

/// Reads the header of one file of a model. All files of the model share `budget`.
pub fn read_within(bytes: &[u8], budget: &mut ModelBudget) -> Header {
    let mut header = Header::default();
    let mut reader = Reader { bytes, at: 0, big_endian: false, budget };
    if let Err(problem) = reader.header(&mut header) {
        // The premature end follows from an impossible count, which is already reported.
        let is_said = problem.kind() == ParseErrorKind::CutEnd
            && header.problems.iter().any(|p| p.kind() == problem.kind());
        if !is_said {
            header.problems.push(problem);
        }
    }
    header.big_endian = reader.big_endian;
    header.check_data(bytes.len() as u64);
    header
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    big_endian: bool,
    /// What may be kept.
    budget: &'a mut ModelBudget,
}

fn malformed<T>(at: usize, what: impl Into<String>) -> Parsed<T> {
    Err(ParseError::new(at as u64, what))
}

impl<'a> Reader<'a> {
    fn left(&self) -> u64 {
        self.bytes.len().saturating_sub(self.at) as u64
    }

    fn take(&mut self, count: u64, what: &str) -> Parsed<&'a [u8]> {
        let found = usize::try_from(count)
            .ok()
            .and_then(|count| self.at.checked_add(count))
            .and_then(|end| self.bytes.get(self.at..end));
        match found {
            Some(found) => {
                self.at += found.len();
                Ok(found)
            }
            None => {
                let what = format!("{what} needs {count} bytes, and {} are left", self.left());
                Err(ParseError::new(self.at as u64, what).of_kind(ParseErrorKind::CutEnd))
            }
        }
    }

    /// A number with up to eight bytes in the file's byte order.
    fn number(&mut self, bytes: u64, what: &str) -> Parsed<u64> {
        let found = self.take(bytes, what)?;
        let join = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Ok(if self.big_endian { found.iter().fold(0, join) } else { found.iter().rev().fold(0, join) })
    }

    fn u32(&mut self, what: &str) -> Parsed<u32> {
        Ok(self.number(4, what)? as u32)
    }

    fn string(&mut self, what: &str) -> Parsed<&'a [u8]> {
        let length = self.number(8, what)?;
        self.take(length, what)
    }

    /// A count of items with at least `least` bytes each.
    fn count(&mut self, least: u64, what: &str) -> Parsed<u64> {
        let at = self.at;
        let count = self.number(8, what)?;
        if count > self.left() / least {
            let what = format!("{count} {what} are announced, and {} bytes are left", self.left());
            return Err(ParseError::new(at as u64, what).of_kind(ParseErrorKind::CutEnd));
        }
        Ok(count)
    }

    fn header(&mut self, header: &mut Header) -> Parsed<()> {
        if self.take(4, "the magic number")? != MAGIC {
            return malformed(0, "the file does not begin with GGUF");
        }
        let version = self.u32("the version")?;
        // In the other byte order, a version has all of its bits in the upper half.
        self.big_endian = version & 0xffff == 0;
        header.version = if self.big_endian { version.swap_bytes() } else { version };
        if !matches!(header.version, 2 | 3) {
            return malformed(4, format!("version {} is not read; known are 2 and 3", header.version));
        }
        // Both counts precede the items. An impossible count is a problem, and the existing items are read.
        let tensors = self.announced(header, TENSOR_BYTES, "tensors")?;
        let entries = self.announced(header, ENTRY_BYTES, "entries of metadata")?;
        for _ in 0..entries {
            self.entry(header)?;
        }
        let mut names = HashSet::new();
        for _ in 0..tensors {
            if !self.budget.has_room() {
                let what = format!("more than {MODEL_TENSORS} tensors; those behind are not looked at");
                return Err(ParseError::new(self.at as u64, what).of_kind(ParseErrorKind::TooMany));
            }
            if let Some(tensor) = self.tensor(header)? {
                if names.insert(tensor.name.clone()) {
                    self.budget.take_tensor();
                    header.tensors.push(tensor);
                } else {
                    let what = format!("the tensor {} stands twice; the first one is taken", tensor.name);
                    let twice = ParseError::new(tensor.described_at, what);
                    header.problems.push(twice.of_kind(ParseErrorKind::DoubledName));
                }
            }
        }
        let alignment = header.metadata.get("general.alignment").and_then(Value::unsigned).unwrap_or(32);
        if alignment == 0 || alignment > 1 << 20 {
            let what = format!("an alignment of {alignment} bytes; 32 is taken");
            header.problems.push(ParseError::new(0, what));
        }
        let alignment = if (1..=1 << 20).contains(&alignment) { alignment } else { 32 };
        header.data_at = (self.at as u64).next_multiple_of(alignment);
        Ok(())
    }

    fn announced(&mut self, header: &mut Header, least: u64, what: &str) -> Parsed<u64> {
        let at = self.at;
        let count = self.number(8, what)?;
        if count > self.left() / least {
            let what = format!("{count} {what} are announced, and {} bytes are left", self.left());
            header.problems.push(ParseError::new(at as u64, what).of_kind(ParseErrorKind::CutEnd));
        }
        Ok(count)
    }

    /// Pays for something that is kept: its bytes, and the memory around them.
    fn pay(&mut self, bytes: u64) -> Parsed<()> {
        if self.budget.take(bytes.saturating_add(ENTRY_MEMORY)) {
            return Ok(());
        }
        let what = "the metadata and the tensors' names take more memory than is given to a model; the rest is not read";
        Err(ParseError::new(self.at as u64, what).of_kind(ParseErrorKind::TooMany))
    }

    fn entry(&mut self, header: &mut Header) -> Parsed<()> {
        let at = self.at;
        let key = String::from_utf8_lossy(self.string("a key")?).into_owned();
        let ty = self.u32("the type of a value")?;
        let value = self.value(ty, 0)?;
        let kept = match &value {
            Value::Array(array) => array.numbers.len() * size_of::<i128>(),
            Value::Text(text) => text.as_deref().map_or(0, str::len),
            _ => 0,
        };
        self.pay((2 * key.len() + kept) as u64)?;
        if header.metadata.insert(key.clone(), value).is_some() {
            let what = format!("the key {key} stands twice; the last one is taken");
            header.problems.push(ParseError::new(at as u64, what).of_kind(ParseErrorKind::DoubledName));
        }
        Ok(())
    }

    /// A tensor; `None` if its entry is impossible, which is a problem but does not end reading.
    fn tensor(&mut self, header: &mut Header) -> Parsed<Option<Tensor>> {
        let described_at = self.at as u64;
        let name = String::from_utf8_lossy(self.string("the name of a tensor")?).into_owned();
        if name.len() > MODEL_NAME_BYTES {
            let what =
                format!("a tensor's name has {} bytes; at most {MODEL_NAME_BYTES} are read", name.len());
            return Err(ParseError::new(described_at, what).of_kind(ParseErrorKind::TooMany));
        }
        self.pay(4 * name.len() as u64)?;
        let count_at = self.at;
        let count = self.u32("the number of dimensions")?;
        if count > 64 {
            return malformed(count_at, format!("the tensor {name} has {count} dimensions; ggml knows 4"));
        }
        let mut shape = Vec::new();
        for _ in 0..count {
            shape.push(self.number(8, "a dimension")?);
        }
        let type_at = self.at as u64;
        let type_number = self.u32("the type of a tensor")?;
        let offset = self.number(8, "the offset of a tensor")?;
        let wrong = |at: u64, what: String| Some(ParseError::new(at, what));
        let most = u64::try_from(i64::MAX).unwrap_or(u64::MAX);
        let values = shape.iter().try_fold(1_u64, |values, size| values.checked_mul(*size));
        let problem = match count {
            0 | 5.. => {
                wrong(count_at as u64, format!("the tensor {name} has {count} dimensions; ggml knows 1 to 4"))
            }
            _ if values.is_none_or(|values| values == 0 || values > most) => wrong(
                count_at as u64,
                format!("the tensor {name} has no possible number of values: {shape:?}"),
            ),
            _ => None,
        };
        if let Some(problem) = problem {
            header.problems.push(problem);
            return Ok(None);
        }
        let tensor = Tensor { name, shape, type_number, offset, described_at };
        if tensor.ty().is_none() {
            let what = format!("the tensor {} is of type {type_number}, which is not known", tensor.name);
            header.problems.push(ParseError::new(type_at, what));
        } else if tensor.bytes().is_none() {
            let what = format!(
                "rows of the tensor {} are no whole number of blocks: {:?}",
                tensor.name, tensor.shape
            );
            header.problems.push(ParseError::new(type_at, what));
        }
        Ok(Some(tensor))
    }

    fn value(&mut self, ty: u32, depth: u32) -> Parsed<Value> {
        let what = "a value";
        let at = self.at;
        Ok(match ty {
            0 | 2 | 4 | 10 => Value::Int(i128::from(self.number(width(ty), what)?)),
            1 => Value::Int(i128::from(self.number(1, what)? as u8 as i8)),
            3 => Value::Int(i128::from(self.number(2, what)? as u16 as i16)),
            5 => Value::Int(i128::from(self.u32(what)? as i32)),
            11 => Value::Int(i128::from(self.number(8, what)? as i64)),
            6 => Value::Float(f64::from(f32::from_bits(self.u32(what)?))),
            12 => Value::Float(f64::from_bits(self.number(8, what)?)),
            7 => Value::Bool(self.number(1, what)? != 0),
            8 => {
                let text = self.string("a text")?;
                let kept =
                    (text.len() as u64 <= KEPT_TEXT).then(|| String::from_utf8_lossy(text).into_owned());
                Value::Text(kept)
            }
            9 if depth < DEPTH => Value::Array(self.array(depth)?),
            9 => {
                let what = format!("arrays in arrays, deeper than {DEPTH}");
                return Err(ParseError::new(at as u64, what).of_kind(ParseErrorKind::TooDeep));
            }
            other => {
                return malformed(
                    at.saturating_sub(4),
                    format!("a value of type {other}; known are 0 to 12"),
                );
            }
        })
    }

    fn array(&mut self, depth: u32) -> Parsed<Array> {
        let ty = self.u32("the type of an array's elements")?;
        let least = match ty {
            8 => 8,
            9 => 12,
            other => width(other).max(1),
        };
        let count = self.count(least, "elements of an array")?;
        let mut array = Array { count, numbers: Vec::new() };
        match ty {
            8 => (0..count).try_for_each(|_| self.string("a text").map(drop))?,
            6 | 12 => drop(self.take(count * width(ty), "an array")?),
            9 => (0..count).try_for_each(|_| self.value(ty, depth + 1).map(drop))?,
            _ if width(ty) > 0 => {
                let kept = count.min(KEPT_NUMBERS);
                for _ in 0..kept {
                    match self.value(ty, depth + 1)? {
                        Value::Int(number) => array.numbers.push(number),
                        Value::Bool(value) => array.numbers.push(i128::from(value)),
                        _ => {}
                    }
                }
                self.take((count - kept) * width(ty), "an array")?;
            }
            other => return malformed(self.at, format!("an array of type {other}; known are 0 to 12")),
        }
        Ok(array)
    }
}

/// Size of a number in bytes by its value type; 0 for other types.
fn width(ty: u32) -> u64 {
    match ty {
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        _ => 0,
    }
}

impl Header {
    /// Finds tensors whose data overlaps or is not in the file.
    fn check_data(&mut self, length: u64) {
        self.is_header_only = self.data_at > 0 && length <= self.data_at && !self.tensors.is_empty();
        let mut places: Vec<(u64, u64, &Tensor)> = Vec::new();
        for tensor in &self.tensors {
            if let Some(bytes) = tensor.bytes() {
                places.push((tensor.offset, tensor.offset.saturating_add(bytes), tensor));
            }
        }
        places.sort_rows_by_key(|(from, to, _)| (*from, *to));
        let mut problems = Vec::new();
        for pair in places.windows(2) {
            if let [(_, end, before), (from, _, tensor)] = pair
                && from < end
            {
                let what = format!("the data of {} overlaps that of {}", tensor.name, before.name);
                let overlap = ParseError::new(tensor.described_at, what);
                problems.push(overlap.of_kind(ParseErrorKind::Overlap));
            }
        }
        let beyond = |to: &u64| to.saturating_add(self.data_at) > length;
        let cut: Vec<_> = places.iter().filter(|(_, to, _)| beyond(to)).collect();
        if let Some((_, _, first)) = cut.first().filter(|_| !self.is_header_only && self.data_at > 0) {
            let what =
                format!("the file ends before the data of {} tensors, {} the first", cut.len(), first.name);
            problems.push(ParseError::new(length, what).of_kind(ParseErrorKind::CutEnd));
        }
        self.problems.extend(problems);
    }
}

#[cfg(test)]
#[path = "gguf_tests.rs"]
mod tests;
