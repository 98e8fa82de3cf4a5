//! Types of elements as origami names them, and how many bits they have.
#![deny(clippy::indexing_slicing)]

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Its name, as in catalogs.
    pub name: &'static str,
    /// Bits of one.
    pub bits: u64,
}

const fn element(name: &'static str, bits: u64) -> Element {
    Element { name, bits }
}

/// Source: origami 0.0.3, `types.hpp`.
const ELEMENTS: &[Element] = &[
    element("Float", 32),
    element("Double", 64),
    element("ComplexFloat", 64),
    element("ComplexDouble", 128),
    element("Half", 16),
    element("Int8x4", 32),
    element("Int32", 32),
    element("BFloat16", 16),
    element("Int8", 8),
    element("Int4", 4),
    element("Int64", 64),
    element("XFloat32", 32),
    element("Float8_fnuz", 8),
    element("BFloat8_fnuz", 8),
    element("Float8BFloat8_fnuz", 8),
    element("BFloat8Float8_fnuz", 8),
    element("Float8", 8),
    element("BFloat8", 8),
    element("Float8BFloat8", 8),
    element("BFloat8Float8", 8),
    element("Float6", 6),
    element("BFloat6", 6),
    element("Float4", 4),
];

impl Element {
    /// The type of a name.
    pub fn by_name(name: &str) -> Option<Element> {
        ELEMENTS.iter().find(|known| known.name == name).copied()
    }

    /// Bytes of one, which can be a part of one.
    pub fn bytes(self) -> f64 {
        self.bits as f64 / 8.0
    }
}
