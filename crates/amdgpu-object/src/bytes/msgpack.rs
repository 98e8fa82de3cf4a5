//! MessagePack, read one value at a time: nothing is copied, no tree is built, depth and lengths are bounded.
//! First bytes follow the MessagePack specification, "Formats". Used for kernel metadata (145 MB in one file)
//! and Tensile catalogs (230 MB).
#![deny(clippy::indexing_slicing)]

use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::limits::MSGPACK_DEPTH;
use alloc::format;
use alloc::string::String;

/// A position in MessagePack bytes.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
    offset: u64,
}

/// One value; arrays and maps are represented by their lengths, and their content follows in the stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// `nil`.
    Nil,
    /// A boolean.
    Bool(bool),
    /// A non-negative integer of any width.
    Unsigned(u64),
    /// A negative integer of any width.
    Signed(i64),
    /// A float of either width.
    Float(f64),
    /// A string; not checked to be UTF-8.
    Str(&'a [u8]),
    /// Bytes.
    Bin(&'a [u8]),
    /// An array of this many values.
    Array(u32),
    /// A map of this many pairs.
    Map(u32),
    /// An extension type with its bytes.
    Ext(i8, &'a [u8]),
}

impl<'a> Reader<'a> {
    /// Reads `bytes`, whose first byte lies at the absolute offset `base`.
    pub fn new(bytes: &'a [u8], base: u64) -> Self {
        Reader { rest: bytes, offset: base }
    }

    /// Absolute offset of the next value.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// True at the end of the bytes.
    pub fn at_end(&self) -> bool {
        self.rest.is_empty()
    }

    #[cold]
    fn error(&self, what: impl Into<String>) -> ParseError {
        ParseError::new(self.offset, what)
    }

    #[cold]
    fn cut(&self, count: usize) -> ParseError {
        let left = self.rest.len();
        let what = format!("MessagePack ends too early: {count} more bytes were expected, {left} are there");
        self.error(what).of_kind(ParseErrorKind::CutEnd)
    }

    #[inline]
    fn take(&mut self, count: usize) -> Parsed<&'a [u8]> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                self.offset += count as u64;
                Ok(taken)
            }
            None => Err(self.cut(count)),
        }
    }

    #[inline]
    fn fixed<const N: usize>(&mut self) -> Parsed<[u8; N]> {
        match self.rest.split_first_chunk::<N>() {
            Some((taken, rest)) => {
                self.rest = rest;
                self.offset += N as u64;
                Ok(*taken)
            }
            None => Err(self.cut(N)),
        }
    }

    #[inline]
    fn sized(&mut self, width: Width) -> Parsed<&'a [u8]> {
        let count = self.length(width)?;
        self.take(count as usize)
    }

    #[inline]
    fn length(&mut self, width: Width) -> Parsed<u32> {
        Ok(match width {
            Width::One => u32::from(self.fixed::<1>()?[0]),
            Width::Two => u32::from(u16::from_be_bytes(self.fixed()?)),
            Width::Four => u32::from_be_bytes(self.fixed()?),
        })
    }

    fn ext(&mut self, count: usize) -> Parsed<Value<'a>> {
        let [kind] = self.fixed()?;
        Ok(Value::Ext(kind.cast_signed(), self.take(count)?))
    }

    /// Reads the next value; for an array or a map, only its head.
    ///
    /// # Errors
    ///
    /// At the end of the bytes, and at the byte 0xc1, which MessagePack never uses.
    #[inline]
    pub fn value(&mut self) -> Parsed<Value<'a>> {
        let [first] = self.fixed()?;
        Ok(match first {
            n @ 0x00..=0x7f => Value::Unsigned(u64::from(n)),
            n @ 0xe0..=0xff => Value::Signed(i64::from(n.cast_signed())),
            n @ 0x80..=0x8f => Value::Map(u32::from(n & 0x0f)),
            n @ 0x90..=0x9f => Value::Array(u32::from(n & 0x0f)),
            n @ 0xa0..=0xbf => Value::Str(self.take(usize::from(n & 0x1f))?),
            0xc0 => Value::Nil,
            0xc3 => Value::Bool(true),
            0xc2 => Value::Bool(false),
            0xcc => Value::Unsigned(u64::from(self.fixed::<1>()?[0])),
            0xcd => Value::Unsigned(u64::from(u16::from_be_bytes(self.fixed()?))),
            0xce => Value::Unsigned(u64::from(u32::from_be_bytes(self.fixed()?))),
            0xcf => Value::Unsigned(u64::from_be_bytes(self.fixed()?)),
            0xd0 => signed(i64::from(i8::from_be_bytes(self.fixed()?))),
            0xd1 => signed(i64::from(i16::from_be_bytes(self.fixed()?))),
            0xd2 => signed(i64::from(i32::from_be_bytes(self.fixed()?))),
            0xd3 => signed(i64::from_be_bytes(self.fixed()?)),
            0xca => Value::Float(f64::from(f32::from_be_bytes(self.fixed()?))),
            0xcb => Value::Float(f64::from_be_bytes(self.fixed()?)),
            0xd9 => Value::Str(self.sized(Width::One)?),
            0xda => Value::Str(self.sized(Width::Two)?),
            0xdb => Value::Str(self.sized(Width::Four)?),
            0xc4 => Value::Bin(self.sized(Width::One)?),
            0xc5 => Value::Bin(self.sized(Width::Two)?),
            0xc6 => Value::Bin(self.sized(Width::Four)?),
            0xdc => Value::Array(self.length(Width::Two)?),
            0xdd => Value::Array(self.length(Width::Four)?),
            0xde => Value::Map(self.length(Width::Two)?),
            0xdf => Value::Map(self.length(Width::Four)?),
            0xd4 => self.ext(1)?,
            0xd5 => self.ext(2)?,
            0xd6 => self.ext(4)?,
            0xd7 => self.ext(8)?,
            0xd8 => self.ext(16)?,
            0xc7 => {
                let count = self.length(Width::One)?;
                self.ext(count as usize)?
            }
            0xc8 => {
                let count = self.length(Width::Two)?;
                self.ext(count as usize)?
            }
            0xc9 => {
                let count = self.length(Width::Four)?;
                self.ext(count as usize)?
            }
            0xc1 => {
                return Err(self.never_used());
            }
        })
    }

    /// Consumes `bytes` if the input continues with them, and says whether it did. A fast path for keys that
    /// writers repeat verbatim.
    #[inline]
    pub fn passes(&mut self, bytes: &[u8]) -> bool {
        let Some(rest) = self.rest.strip_prefix(bytes) else { return false };
        self.rest = rest;
        self.offset += bytes.len() as u64;
        true
    }

    /// The next value if it is a non-negative integer of at most 32 bits; otherwise reads nothing.
    #[inline]
    pub fn small(&mut self) -> Option<u32> {
        let (number, len) = match *self.rest {
            [number @ 0..=0x7f, ..] => (u32::from(number), 1),
            [0xcc, number, ..] => (u32::from(number), 2),
            [0xcd, a, b, ..] => (u32::from(u16::from_be_bytes([a, b])), 3),
            [0xce, a, b, c, d, ..] => (u32::from_be_bytes([a, b, c, d]), 5),
            _ => return None,
        };
        self.rest = self.rest.get(len..)?;
        self.offset += len as u64;
        Some(number)
    }

    /// The next value if it is a string of at most 31 bytes; otherwise reads nothing.
    #[inline]
    pub fn short_text(&mut self) -> Option<&'a [u8]> {
        let (first @ 0xa0..=0xbf, rest) = self.rest.split_first()? else { return None };
        let (text, rest) = rest.split_at_checked(usize::from(first & 0x1f))?;
        self.rest = rest;
        self.offset += 1 + text.len() as u64;
        Some(text)
    }

    /// Skips the next value including its content.
    ///
    /// # Errors
    ///
    /// As [`Reader::value`], and beyond [`MSGPACK_DEPTH`].
    #[inline]
    pub fn skip(&mut self) -> Parsed<()> {
        match self.skip_own()? {
            0 => Ok(()),
            inner => self.skip_nested(inner),
        }
    }

    /// Skips a value but for the values inside it, and returns how many these are. Most of the metadata of
    /// kernels is skipped, so no [`Value`] is made here.
    #[inline]
    fn skip_own(&mut self) -> Parsed<u64> {
        let [first] = self.fixed()?;
        let (bytes, inner) = match first {
            0x00..=0x7f | 0xe0..=0xff | 0xc0 | 0xc2 | 0xc3 => (0, 0),
            0xa0..=0xbf => (usize::from(first & 0x1f), 0),
            0x90..=0x9f => (0, u64::from(first & 0x0f)),
            0x80..=0x8f => (0, 2 * u64::from(first & 0x0f)),
            0xcc | 0xd0 => (1, 0),
            0xcd | 0xd1 => (2, 0),
            0xce | 0xd2 | 0xca => (4, 0),
            0xcf | 0xd3 | 0xcb => (8, 0),
            0xc4 | 0xd9 => (self.length(Width::One)? as usize, 0),
            0xc5 | 0xda => (self.length(Width::Two)? as usize, 0),
            0xc6 | 0xdb => (self.length(Width::Four)? as usize, 0),
            0xdc => (0, u64::from(self.length(Width::Two)?)),
            0xdd => (0, u64::from(self.length(Width::Four)?)),
            0xde => (0, 2 * u64::from(self.length(Width::Two)?)),
            0xdf => (0, 2 * u64::from(self.length(Width::Four)?)),
            // An extension has a byte for its type.
            0xd4..=0xd8 => (1 + (1 << (first - 0xd4)), 0),
            0xc7 => ((self.length(Width::One)? as usize).saturating_add(1), 0),
            0xc8 => ((self.length(Width::Two)? as usize).saturating_add(1), 0),
            0xc9 => ((self.length(Width::Four)? as usize).saturating_add(1), 0),
            0xc1 => return Err(self.never_used()),
        };
        self.take(bytes)?;
        Ok(inner)
    }

    #[cold]
    fn never_used(&self) -> ParseError {
        self.error("the byte before is 0xc1, which MessagePack never uses")
    }

    /// The bytes of the next value including its content, which is skipped.
    ///
    /// # Errors
    ///
    /// As [`Reader::skip`].
    pub fn raw(&mut self) -> Parsed<&'a [u8]> {
        let before = self.rest;
        self.skip()?;
        Ok(before.get(..before.len() - self.rest.len()).unwrap_or_default())
    }

    fn skip_nested(&mut self, first: u64) -> Parsed<()> {
        let mut pending = [0u64; MSGPACK_DEPTH];
        let mut depth = 0;
        let mut left = first;
        loop {
            while left == 0 {
                if depth == 0 {
                    return Ok(());
                }
                depth -= 1;
                left = pending.get(depth).copied().unwrap_or(0);
            }
            left -= 1;
            let inner = self.skip_own()?;
            if inner == 0 {
                continue;
            }
            match pending.get_mut(depth) {
                Some(slot) => *slot = left,
                None => {
                    return Err(
                        self.error(format!("MessagePack is nested deeper than {MSGPACK_DEPTH} levels"))
                    );
                }
            }
            depth += 1;
            left = inner;
        }
    }

    /// Reads the head of a map and returns its number of pairs.
    ///
    /// # Errors
    ///
    /// If the value is not a map.
    pub fn map(&mut self, what: &str) -> Parsed<u32> {
        let at = self.offset;
        match self.value()? {
            Value::Map(count) => Ok(count),
            other => Err(ParseError::new(at, format!("{what}: expected a map, found {}", other.kind()))),
        }
    }

    /// Reads the head of an array and returns its number of values.
    ///
    /// # Errors
    ///
    /// If the value is not an array.
    pub fn array(&mut self, what: &str) -> Parsed<u32> {
        let at = self.offset;
        match self.value()? {
            Value::Array(count) => Ok(count),
            other => Err(ParseError::new(at, format!("{what}: expected an array, found {}", other.kind()))),
        }
    }
}

#[derive(Clone, Copy)]
enum Width {
    One,
    Two,
    Four,
}

fn signed<'a>(n: i64) -> Value<'a> {
    u64::try_from(n).map_or(Value::Signed(n), Value::Unsigned)
}

impl Value<'_> {
    /// The kind of value in a word, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Nil => "nil",
            Value::Bool(_) => "a boolean",
            Value::Unsigned(_) | Value::Signed(_) => "an integer",
            Value::Float(_) => "a float",
            Value::Str(_) => "a string",
            Value::Bin(_) => "bytes",
            Value::Array(_) => "an array",
            Value::Map(_) => "a map",
            Value::Ext(..) => "an extension",
        }
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compares our reader with `rmpv`, an independent implementation that builds trees.
    fn same(reader: &mut Reader<'_>, expected: &rmpv::Value) {
        let value = reader.value().unwrap();
        match (value, expected) {
            (Value::Nil, rmpv::Value::Nil) => {}
            (Value::Bool(a), rmpv::Value::Boolean(b)) => assert_eq!(a, *b),
            (Value::Unsigned(a), rmpv::Value::Integer(b)) => assert_eq!(Some(a), b.as_u64()),
            (Value::Signed(a), rmpv::Value::Integer(b)) => assert_eq!(Some(a), b.as_i64()),
            (Value::Float(a), rmpv::Value::F32(b)) => assert_eq!(a.to_bits(), f64::from(*b).to_bits()),
            (Value::Float(a), rmpv::Value::F64(b)) => assert_eq!(a.to_bits(), b.to_bits()),
            (Value::Str(a), rmpv::Value::String(b)) => assert_eq!(a, b.as_bytes()),
            (Value::Bin(a), rmpv::Value::Binary(b)) => assert_eq!(a, b),
            (Value::Ext(kind, a), rmpv::Value::Ext(other, b)) => {
                assert_eq!((kind, a), (*other, b.as_slice()))
            }
            (Value::Array(count), rmpv::Value::Array(items)) => {
                assert_eq!(count as usize, items.len());
                items.iter().for_each(|item| same(reader, item));
            }
            (Value::Map(count), rmpv::Value::Map(pairs)) => {
                assert_eq!(count as usize, pairs.len());
                for (key, value) in pairs {
                    same(reader, key);
                    same(reader, value);
                }
            }
            (ours, theirs) => panic!("{ours:?} against {theirs:?}"),
        }
    }

    fn any_value() -> impl Strategy<Value = rmpv::Value> {
        let leaf = prop_oneof![
            Just(rmpv::Value::Nil),
            any::<bool>().prop_map(rmpv::Value::from),
            any::<i64>().prop_map(rmpv::Value::from),
            any::<u64>().prop_map(rmpv::Value::from),
            (-40i64..300).prop_map(rmpv::Value::from),
            (-3.0f32..3.0).prop_map(rmpv::Value::from),
            (-3.0f64..3.0).prop_map(rmpv::Value::from),
            ".{0,300}".prop_map(rmpv::Value::from),
            proptest::collection::vec(any::<u8>(), 0..300).prop_map(rmpv::Value::from),
            (any::<i8>(), proptest::collection::vec(any::<u8>(), 0..20))
                .prop_map(|(k, v)| rmpv::Value::Ext(k, v)),
        ];
        leaf.prop_recursive(5, 200, 20, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..20).prop_map(rmpv::Value::Array),
                proptest::collection::vec((inner.clone(), inner), 0..20).prop_map(rmpv::Value::Map),
            ]
        })
    }

    proptest! {
        #[test]
        fn reads_what_an_independent_writer_wrote(value in any_value()) {
            let mut bytes = Vec::new();
            rmpv::encode::write_value(&mut bytes, &value).unwrap();
            let mut reader = Reader::new(&bytes, 0);
            same(&mut reader, &value);
            prop_assert!(reader.at_end());
            let mut skipper = Reader::new(&bytes, 0);
            skipper.skip().unwrap();
            prop_assert_eq!(skipper.offset(), bytes.len() as u64);
            for end in 0..bytes.len() {
                prop_assert!(Reader::new(&bytes[..end], 0).skip().is_err());
            }
        }

        #[test]
        fn never_panics_on_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Reader::new(&bytes, 0).skip();
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = vec![0x91; 1000];
        let error = Reader::new(&deep, 100).skip().unwrap_err();
        assert!(error.what.contains("nested deeper"), "{error}");
        assert!(error.offset > 100);
    }
}
