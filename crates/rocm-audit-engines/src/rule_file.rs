//! What the types of rule files are made of, so that the build can read a file once and write it as a Rust
//! expression: the program has all rules as constants and prepares nothing.
//!
//! The build compiles this module and those with the types (`build.rs`). It reads each YAML file by their
//! `Deserialize`, which refuses what is malformed, and writes what their `Debug` shows: that is the expression
//! that makes the same value.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// A list in a rule file.
#[derive(PartialEq, Eq)]
pub struct List<T: 'static>(pub &'static [T]);

/// Clones are of the place, so what stands there needs no `Clone`.
macro_rules! copied {
    ($($name:ident)*) => {$(
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}
    )*};
}

copied!(List Aside Named);

impl<T> List<T> {
    /// The list of a file that has none.
    pub const fn empty() -> Self {
        List(&[])
    }
}

impl List<&'static str> {
    /// Whether a text is one of these.
    pub fn has(&self, text: &str) -> bool {
        self.0.contains(&text)
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List::empty()
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0
    }
}

impl<T> IntoIterator for List<T> {
    type Item = &'static T;
    type IntoIter = std::slice::Iter<'static, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "List(&{:?})", self.0)
    }
}

/// What was read stays: the build and the tests, which alone read rules from text, end soon.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(|read| List(read.leak()))
    }
}

/// A part that few entries of a file have; the others keep its default.
#[derive(PartialEq, Eq)]
pub struct Aside<T: 'static>(pub Option<&'static T>);

impl<T: Default + PartialEq> Aside<T> {
    /// The part, unless it is the default.
    pub fn new(part: T) -> Self {
        Aside((part != T::default()).then(|| &*Box::leak(Box::new(part))))
    }
}

impl<T: fmt::Debug> fmt::Debug for Aside<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(part) => write!(f, "Aside(Some(&{part:?}))"),
            None => f.write_str("Aside(None)"),
        }
    }
}

/// Values by name in a rule file, sorted by name.
#[derive(PartialEq, Eq)]
pub struct Named<T: 'static>(pub &'static [(&'static str, T)]);

impl<T> Named<T> {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&'static T> {
        let place = self.0.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        self.0.get(place).map(|(_, value)| value)
    }

    /// The names with their values, in order.
    pub fn iter(&self) -> std::slice::Iter<'static, (&'static str, T)> {
        self.0.iter()
    }
}

impl<T> IntoIterator for Named<T> {
    type Item = &'static (&'static str, T);
    type IntoIter = std::slice::Iter<'static, (&'static str, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Named(&[])
    }
}

impl<T: fmt::Debug> fmt::Debug for Named<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Named(&{:?})", self.0)
    }
}

impl<T: Deserialize<'static>> Deserialize<'static> for Named<T> {
    fn deserialize<D: Deserializer<'static>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<T>(PhantomData<T>);

impl<T: Deserialize<'static> + 'static> Visitor<'static> for Entries<T> {
    type Value = Named<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("values by name")
    }

    fn visit_map<A: MapAccess<'static>>(self, mut map: A) -> Result<Named<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        entries.sort_unstable_by_key(|(name, _): &(&'static str, T)| *name);
        Ok(Named(entries.leak()))
    }
}

/// The value of a YAML text, read as the build reads it.
#[cfg(test)]
pub fn of_yaml<T: Deserialize<'static>>(yaml: &str) -> Result<T, String> {
    let value: serde_json::Value = serde_yaml::from_str(yaml).map_err(|error| error.to_string())?;
    T::deserialize(&*Box::leak(Box::new(value))).map_err(|error| error.to_string())
}
