//! What every part of a catalog is made of: keys, texts, numbers, and maps that say with `type` what they
//! are.
//!
//! As Tensile's `MessagePack.hpp` reads them: the order of keys is irrelevant, unknown extra keys are
//! skipped, and integers may have any width.
#![deny(clippy::indexing_slicing)]

use amdgpu_object::bytes::msgpack::{Reader, Value};
use rocm_audit_files::error::{ParseError, Parsed};
use rocm_audit_files::limits::TENSILE_DEPTH;

/// A text of a catalog, as its place in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Text {
    at: u32,
    len: u32,
}

impl Text {
    /// The text itself, given the bytes of the catalog.
    pub fn in_catalog(self, catalog: &[u8]) -> &[u8] {
        let at = self.at as usize;
        catalog.get(at..at.saturating_add(self.len as usize)).unwrap_or_default()
    }

    /// Reads a text and keeps its place. The reader's offsets count from the beginning of the catalog.
    pub(super) fn read(reader: &mut Reader<'_>, what: &str) -> Parsed<Text> {
        let begin = reader.offset();
        let text = text(reader, what)?;
        let at = u32::try_from(reader.offset().saturating_sub(text.len() as u64));
        match (at, u32::try_from(text.len())) {
            (Ok(at), Ok(len)) => Ok(Text { at, len }),
            _ => Err(ParseError::new(begin, format!("{what} lies beyond 4 GiB"))),
        }
    }
}

#[cold]
fn expected<T>(at: u64, what: &str, kind: &str, found: &Value<'_>) -> Parsed<T> {
    Err(ParseError::new(at, format!("{what}: expected {kind}, found {}", found.kind())))
}

/// Bytes of a file in a message.
pub(super) fn shown(text: &[u8]) -> String {
    let near = text.get(..80).unwrap_or(text);
    String::from_utf8_lossy(near).into_owned()
}

/// A key of a map. Integers stand for their decimal digits, which name no field.
#[inline]
pub(super) fn key<'a>(reader: &mut Reader<'a>) -> Parsed<&'a [u8]> {
    match reader.short_text() {
        Some(key) => Ok(key),
        None => any_key(reader),
    }
}

fn any_key<'a>(reader: &mut Reader<'a>) -> Parsed<&'a [u8]> {
    let at = reader.offset();
    match reader.value()? {
        Value::Str(text) => Ok(text),
        Value::Unsigned(_) => Ok(b""),
        other => expected(at, "a key", "a string", &other),
    }
}

#[inline]
pub(super) fn text<'a>(reader: &mut Reader<'a>, what: &str) -> Parsed<&'a [u8]> {
    match reader.short_text() {
        Some(text) => Ok(text),
        None => any_text(reader, what),
    }
}

fn any_text<'a>(reader: &mut Reader<'a>, what: &str) -> Parsed<&'a [u8]> {
    let at = reader.offset();
    match reader.value()? {
        Value::Str(text) => Ok(text),
        other => expected(at, what, "a string", &other),
    }
}

pub(super) fn boolean(reader: &mut Reader<'_>, what: &str) -> Parsed<bool> {
    let at = reader.offset();
    match reader.value()? {
        Value::Bool(flag) => Ok(flag),
        other => expected(at, what, "a boolean", &other),
    }
}

#[inline]
pub(super) fn unsigned(reader: &mut Reader<'_>, what: &str) -> Parsed<u64> {
    match reader.small() {
        Some(number) => Ok(u64::from(number)),
        None => any_unsigned(reader, what),
    }
}

fn any_unsigned(reader: &mut Reader<'_>, what: &str) -> Parsed<u64> {
    let at = reader.offset();
    match reader.value()? {
        Value::Unsigned(number) => Ok(number),
        other => expected(at, what, "an integer that is not negative", &other),
    }
}

pub(super) fn signed(reader: &mut Reader<'_>, what: &str) -> Parsed<i64> {
    let at = reader.offset();
    match reader.value()? {
        Value::Signed(number) => Ok(number),
        Value::Unsigned(number) => {
            i64::try_from(number).map_err(|_| ParseError::new(at, format!("{what}: {number} is too large")))
        }
        other => expected(at, what, "an integer", &other),
    }
}

/// A number that fits 32 bits and is not zero where `least` is one.
pub(super) fn small(reader: &mut Reader<'_>, what: &str, least: u32) -> Parsed<u32> {
    let at = reader.offset();
    let number = unsigned(reader, what)?;
    match u32::try_from(number) {
        Ok(small) if small >= least => Ok(small),
        _ => Err(ParseError::new(at, format!("{what}: {number} is not between {least} and {}", u32::MAX))),
    }
}

pub(super) fn float(reader: &mut Reader<'_>, what: &str) -> Parsed<f64> {
    let at = reader.offset();
    match reader.value()? {
        Value::Float(number) if number.is_nan() => {
            Err(ParseError::new(at, format!("{what} is not a number, so there is no order")))
        }
        Value::Float(number) => Ok(number),
        Value::Unsigned(number) => Ok(number as f64),
        Value::Signed(number) => Ok(number as f64),
        other => expected(at, what, "a float", &other),
    }
}

#[cold]
fn lack(at: u64, what: &str, name: &str) -> ParseError {
    ParseError::new(at, format!("{what} has no {name}"))
}

/// A required value of a map that begins at `at`.
pub(super) fn required<T>(value: Option<T>, at: u64, what: &str, name: &str) -> Parsed<T> {
    value.ok_or_else(|| lack(at, what, name))
}

/// The `type` of a map whose head was just read, wherever it stands among the pairs, and its offset.
pub(super) fn type_of<'a>(reader: &Reader<'a>, pairs: u32, what: &str) -> Parsed<(&'a [u8], u64)> {
    let mut ahead = reader.clone();
    for _ in 0..pairs {
        if key(&mut ahead)? == b"type" {
            let at = ahead.offset();
            return Ok((text(&mut ahead, what)?, at));
        }
        ahead.skip()?;
    }
    Err(ParseError::new(reader.offset(), format!("{what} has no type")))
}

/// A map `{ type, index?, value? }`: predicates, properties.
#[derive(Debug)]
pub(super) struct Tagged<'a> {
    what: &'static str,
    /// Where the map begins.
    pub at: u64,
    /// Its type.
    pub kind: &'a [u8],
    /// Where the type stands.
    pub kind_at: u64,
    index: Option<(i64, u64)>,
    value: Option<Reader<'a>>,
}

impl<'a> Tagged<'a> {
    /// Reads the map; its value is read when it is known what it must be.
    pub fn read(reader: &mut Reader<'a>, what: &'static str) -> Parsed<Self> {
        let at = reader.offset();
        let pairs = reader.map(what)?;
        let (mut kind, mut index, mut value) = (None, None, None);
        for _ in 0..pairs {
            match key(reader)? {
                b"type" => {
                    let at = reader.offset();
                    kind = Some((text(reader, what)?, at));
                }
                b"index" => {
                    let at = reader.offset();
                    index = Some((signed(reader, what)?, at));
                }
                b"value" => {
                    value = Some(reader.clone());
                    reader.skip()?;
                }
                _ => reader.skip()?,
            }
        }
        let (kind, kind_at) = required(kind, at, what, "type")?;
        Ok(Tagged { what, at, kind, kind_at, index, value })
    }

    /// A reader that stands at the value.
    pub fn value(&self) -> Parsed<Reader<'a>> {
        self.value.clone().ok_or_else(|| self.lacks("value"))
    }

    /// The error for a part that it must have.
    #[cold]
    pub fn lacks(&self, part: &str) -> ParseError {
        lack(self.at, &self.name(), part)
    }

    /// What it is, in words.
    pub fn name(&self) -> String {
        format!("{} {}", self.what, shown(self.kind))
    }

    /// The value as a number.
    pub fn number(&self) -> Parsed<u64> {
        unsigned(&mut self.value()?, self.what)
    }

    /// The value as a number that something is divided by.
    pub fn divisor(&self) -> Parsed<u64> {
        let mut reader = self.value()?;
        let at = reader.offset();
        match unsigned(&mut reader, self.what)? {
            0 => Err(ParseError::new(at, format!("{}: a multiple of zero", self.name()))),
            number => Ok(number),
        }
    }

    /// The value as a boolean.
    pub fn flag(&self) -> Parsed<bool> {
        boolean(&mut self.value()?, self.what)
    }

    /// The depth of its parts, where it stands at this one.
    ///
    /// # Errors
    /// Where that is more than a catalog may have.
    pub fn deeper(&self, depth: usize) -> Parsed<usize> {
        if depth >= TENSILE_DEPTH {
            let what = format!("predicates are nested deeper than {TENSILE_DEPTH} levels");
            return Err(ParseError::new(self.at, what));
        }
        Ok(depth + 1)
    }

    /// The parts that the value lists, each read with its depth.
    pub fn parts<T>(
        &self,
        depth: usize,
        read: impl Fn(&mut Reader<'a>, usize) -> Parsed<T>,
    ) -> Parsed<Box<[T]>> {
        let depth = self.deeper(depth)?;
        let mut reader = self.value()?;
        let count = reader.array("the parts of a predicate")?;
        (0..count).map(|_| read(&mut reader, depth)).collect()
    }

    /// The value as a range of sizes, its end excluded; open where a bound is not said.
    pub fn range(&self) -> Parsed<[u64; 2]> {
        let mut reader = self.value()?;
        let (mut min, mut max) = (0, u64::MAX);
        for _ in 0..reader.map("SizeInRange")? {
            match key(&mut reader)? {
                b"min" => min = unsigned(&mut reader, "SizeInRange")?,
                b"max" => max = unsigned(&mut reader, "SizeInRange")?,
                _ => reader.skip()?,
            }
        }
        Ok([min, max])
    }

    /// The value as one of some words.
    pub fn word<T>(&self, by_name: impl Fn(&[u8]) -> Option<T>) -> Parsed<T> {
        word(&mut self.value()?, self.what, by_name)
    }

    /// The index, between zero and below `count`.
    pub fn index(&self, count: u8) -> Parsed<u8> {
        let (index, at) = self.index.ok_or_else(|| self.lacks("index"))?;
        u8::try_from(index).ok().filter(|index| *index < count).ok_or_else(|| {
            ParseError::new(at, format!("{}: a GEMM has no dimension {index} here", self.name()))
        })
    }

    /// Checks an index that can have one value only in a GEMM: zero, or minus one, which counts from the end.
    pub fn only_index(&self) -> Parsed<()> {
        match self.index {
            None | Some((0 | -1, _)) => Ok(()),
            Some((index, at)) => {
                Err(ParseError::new(at, format!("{}: a GEMM has no dimension {index} here", self.name())))
            }
        }
    }

    /// The error for a type that is not known.
    #[cold]
    pub fn unknown(&self) -> ParseError {
        ParseError::new(
            self.kind_at,
            format!("unknown {}; the real library refuses such a file", self.name()),
        )
    }
}

/// A text that must be one of some words.
pub(super) fn word<T>(
    reader: &mut Reader<'_>,
    what: &str,
    by_name: impl Fn(&[u8]) -> Option<T>,
) -> Parsed<T> {
    let at = reader.offset();
    let text = text(reader, what)?;
    by_name(text).ok_or_else(|| {
        let what = format!("{what}: unknown word {}; the real library refuses such a file", shown(text));
        ParseError::new(at, what)
    })
}

/// What `BufferLoadOffsetLimitCheck` compares: tile of A and of B, shift of A and of B.
pub(super) fn buffer_load(t: &Tagged<'_>) -> Parsed<[u32; 4]> {
    const NAMES: [&[u8]; 4] = [b"DUorMT0", b"DUorMT1", b"ShiftPtrElemA", b"ShiftPtrElemB"];
    let mut reader = t.value()?;
    let mut found = [None; 4];
    for _ in 0..reader.map("BufferLoadOffsetLimitCheck")? {
        let key = self::key(&mut reader)?;
        match NAMES.iter().zip(&mut found).find(|(name, _)| **name == key) {
            Some((_, slot)) => *slot = Some(small(&mut reader, "BufferLoadOffsetLimitCheck", 0)?),
            None => reader.skip()?,
        }
    }
    let mut parts = [0; 4];
    for ((part, found), name) in parts.iter_mut().zip(found).zip(NAMES) {
        *part = found.ok_or_else(|| t.lacks(&shown(name)))?;
    }
    Ok(parts)
}
