//! Fields of Protocol Buffers messages, without a schema: a number, and a varint, eight bytes, four bytes or
//! a run of bytes.
//!
//! Encoding: <https://protobuf.dev/programming-guides/encoding/>. Lengths are compared with the available
//! bytes; unused fields are skipped.

use rocm_audit_files::error::{ParseError, ParseErrorKind, Parsed};

/// A message: its bytes, and their offset in the file.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    bytes: &'a [u8],
    at: u64,
}

/// A field.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// Field number in the message's schema.
    pub number: u64,
    /// The value, in the encoding of its wire type.
    pub value: Value<'a>,
    /// Offset in the file.
    pub at: u64,
}

/// A value.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// A number with variable length.
    Varint(u64),
    /// Eight or four bytes.
    Fixed(u64),
    /// A run of bytes: a message, a text, packed numbers.
    Bytes(Message<'a>),
}

impl<'a> Message<'a> {
    /// A whole file as a message.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Message { bytes, at: 0 }
    }

    /// The encoded message.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Its bytes as text; invalid ones are replaced.
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.bytes).into_owned()
    }

    /// Offset in the file.
    pub fn at(self) -> u64 {
        self.at
    }

    /// Its fields, up to the first malformed one.
    pub fn fields(self) -> Fields<'a> {
        Fields { left: self, ended: false }
    }

    /// Packed numbers with variable length, up to the first malformed one.
    pub fn varints(self) -> impl Iterator<Item = u64> {
        let mut left = self;
        std::iter::from_fn(move || if left.bytes.is_empty() { None } else { left.varint().ok() })
    }

    fn take(&mut self, count: u64) -> Parsed<Message<'a>> {
        let (at, length) = (self.at, self.bytes.len());
        let cut = usize::try_from(count).ok().and_then(|count| self.bytes.split_at_checked(count));
        let Some((taken, rest)) = cut else {
            let what = format!("a field needs {count} bytes, and {length} are left of its message");
            return Err(ParseError::new(at, what).of_kind(ParseErrorKind::CutEnd));
        };
        self.bytes = rest;
        self.at = at.saturating_add(count);
        Ok(Message { bytes: taken, at })
    }

    fn varint(&mut self) -> Parsed<u64> {
        let at = self.at;
        let mut number = 0_u64;
        for place in 0..10 {
            let byte = self.take(1)?.bytes.first().copied().unwrap_or(0);
            number |= u64::from(byte & 0x7f).checked_shl(7 * place).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(ParseError::new(at, "a number of more than ten bytes"))
    }

    fn field(&mut self) -> Parsed<Field<'a>> {
        let at = self.at;
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed(self.fixed(8)?),
            2 => {
                let length = self.varint()?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Fixed(self.fixed(4)?),
            other => {
                return Err(ParseError::new(
                    at,
                    format!("a field of wire type {other}; known are 0, 1, 2 and 5"),
                ));
            }
        };
        Ok(Field { number: key >> 3, value, at })
    }

    fn fixed(&mut self, bytes: u64) -> Parsed<u64> {
        let found = self.take(bytes)?.bytes;
        Ok(found.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }
}

/// The fields of a message.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    left: Message<'a>,
    ended: bool,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Parsed<Field<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended || self.left.bytes.is_empty() {
            return None;
        }
        let field = self.left.field();
        self.ended = field.is_err();
        Some(field)
    }
}

impl<'a> Field<'a> {
    /// The value if it is a run of bytes.
    pub fn message(&self) -> Option<Message<'a>> {
        match self.value {
            Value::Bytes(message) => Some(message),
            _ => None,
        }
    }

    /// The value if it is a number with variable length, as a signed one.
    pub fn signed(&self) -> Option<i64> {
        match self.value {
            Value::Varint(number) => Some(number as i64),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_wire_type() {
        let bytes =
            [0x08, 0x96, 0x01, 0x12, 0x02, b'h', b'i', 0x1d, 1, 0, 0, 0, 0x21, 2, 0, 0, 0, 0, 0, 0, 0];
        let fields: Vec<Field<'_>> = Message::from_bytes(&bytes).fields().map(Result::unwrap).collect();
        assert_eq!(
            fields.iter().map(|f| (f.number, f.at)).collect::<Vec<_>>(),
            [(1, 0), (2, 3), (3, 7), (4, 12)]
        );
        assert_eq!(fields[0].signed(), Some(150));
        assert_eq!(
            (fields[1].message().unwrap().text().as_str(), fields[1].message().unwrap().at()),
            ("hi", 5)
        );
        assert!(matches!((fields[2].value, fields[3].value), (Value::Fixed(1), Value::Fixed(2))));
        assert_eq!(Message::from_bytes(&[1, 0x80, 2, 3]).varints().collect::<Vec<_>>(), [1, 256, 3]);
    }

    #[test]
    fn stops_where_a_field_is_malformed() {
        for (bytes, at) in
            [(&[0x12_u8, 5, 1][..], 2), (&[0x0b], 0), (&[0x80; 12], 0), (&[0x08], 1), (&[0x21, 1], 1)]
        {
            let mut fields = Message::from_bytes(bytes).fields();
            assert_eq!(fields.next().unwrap().unwrap_err().offset(), at, "{bytes:?}");
            assert!(fields.next().is_none());
        }
    }
}
