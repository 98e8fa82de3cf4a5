//! The structure of a value as CSV needs it: scalars, lists, objects. Instead of copying a report, CSV
//! traverses it once for each question about its structure, so memory stays at one row.

use serde::ser::{self, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::io;

/// Receives the structure of a value.
pub(super) trait Shape {
    /// A scalar; the text is empty for no value.
    fn scalar(&mut self, text: Cow<'_, str>);

    /// The beginning of a list; `element` and `end_list` follow.
    fn list(&mut self) {}

    /// An element of the list.
    ///
    /// # Errors
    ///
    /// Ends the traversal.
    fn element(&mut self, value: &dyn erased_serde::Serialize) -> Result<(), RowsEnded>;

    /// The end of the list.
    fn end_list(&mut self) {}

    /// The beginning of an object; `field` follows.
    fn object(&mut self) {}

    /// A field of the object.
    ///
    /// # Errors
    ///
    /// Ends the traversal.
    fn field(&mut self, name: &str, value: &dyn erased_serde::Serialize) -> Result<(), RowsEnded>;
}

/// Reports the structure of a value to `shape`.
///
/// # Errors
///
/// What `shape` returned to end the traversal.
pub(super) fn tell(value: &dyn erased_serde::Serialize, shape: &mut dyn Shape) -> Result<(), RowsEnded> {
    value.serialize(Teller { shape, key: String::new() })
}

/// Ends a traversal because rows cannot be written.
#[derive(Debug)]
pub(super) struct RowsEnded(pub io::Error);

impl fmt::Display for RowsEnded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for RowsEnded {}

impl ser::Error for RowsEnded {
    fn custom<T: fmt::Display>(what: T) -> Self {
        RowsEnded(io::Error::other(what.to_string()))
    }
}

struct Teller<'s> {
    shape: &'s mut dyn Shape,
    /// The key of a map's next value.
    key: String,
}

impl Teller<'_> {
    fn said(self, text: impl Into<String>) -> Result<(), RowsEnded> {
        self.shape.scalar(Cow::Owned(text.into()));
        Ok(())
    }

    /// A named value, as in JSON for enum variants with content.
    fn named<T: Serialize + ?Sized>(self, name: &str, value: &T) -> Result<(), RowsEnded> {
        self.shape.object();
        self.shape.field(name, &value)
    }
}

/// Scalars of serde, as they are written.
macro_rules! scalars {
    ($($serialize:ident $type:ty),*) => {
        $(fn $serialize(self, value: $type) -> Result<(), RowsEnded> {
            self.said(value.to_string())
        })*
    };
}

impl Serializer for Teller<'_> {
    type Ok = ();
    type Error = RowsEnded;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    scalars!(serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128, serialize_char char);

    fn serialize_f32(self, value: f32) -> Result<(), RowsEnded> {
        self.said(if value.is_finite() { value.to_string() } else { String::new() })
    }

    fn serialize_f64(self, value: f64) -> Result<(), RowsEnded> {
        self.said(if value.is_finite() { value.to_string() } else { String::new() })
    }

    fn serialize_str(self, value: &str) -> Result<(), RowsEnded> {
        self.shape.scalar(Cow::Borrowed(value));
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), RowsEnded> {
        value.serialize(self)
    }

    fn serialize_none(self) -> Result<(), RowsEnded> {
        self.said("")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), RowsEnded> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), RowsEnded> {
        self.said("")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), RowsEnded> {
        self.said("")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), RowsEnded> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), RowsEnded> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), RowsEnded> {
        self.named(variant, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, RowsEnded> {
        self.shape.list();
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, RowsEnded> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, RowsEnded> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, RowsEnded> {
        // No report has one, since its values would need names.
        Err(ser::Error::custom(format!("{variant} holds several values without names")))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, RowsEnded> {
        self.shape.object();
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, RowsEnded> {
        self.serialize_map(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, RowsEnded> {
        Err(ser::Error::custom(format!("{variant} holds fields without a name over them")))
    }
}

/// Serde's list types, each with its names for methods.
macro_rules! lists {
    ($($list:ident $element:ident),*) => {
        $(impl ser::$list for Teller<'_> {
            type Ok = ();
            type Error = RowsEnded;

            fn $element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), RowsEnded> {
                self.shape.element(&value)
            }

            fn end(self) -> Result<(), RowsEnded> {
                self.shape.end_list();
                Ok(())
            }
        })*
    };
}

lists!(SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field);

/// Serde's object types with field names from the code.
macro_rules! objects {
    ($($object:ident),*) => {
        $(impl ser::$object for Teller<'_> {
            type Ok = ();
            type Error = RowsEnded;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), RowsEnded> {
                self.shape.field(name, &value)
            }

            fn end(self) -> Result<(), RowsEnded> {
                Ok(())
            }
        })*
    };
}

objects!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Teller<'_> {
    type Ok = ();
    type Error = RowsEnded;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), RowsEnded> {
        let mut text = Text::default();
        tell(&key, &mut text)?;
        self.key = text.0;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), RowsEnded> {
        self.shape.field(&std::mem::take(&mut self.key), &value)
    }

    fn end(self) -> Result<(), RowsEnded> {
        Ok(())
    }
}

/// Keeps a scalar.
#[derive(Default)]
struct Text(String);

impl Shape for Text {
    fn scalar(&mut self, text: Cow<'_, str>) {
        self.0 = text.into_owned();
    }

    fn element(&mut self, _: &dyn erased_serde::Serialize) -> Result<(), RowsEnded> {
        Ok(())
    }

    fn field(&mut self, _: &str, _: &dyn erased_serde::Serialize) -> Result<(), RowsEnded> {
        Ok(())
    }
}
