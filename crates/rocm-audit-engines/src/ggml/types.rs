//! The types of ggml's tensors, in one table.
//!
//! Numbers are those of `enum ggml_type` (`include/ggml.h`), which occur in mangled kernel names. `qk`, `qi`
//! and `vdr` are ggml's: values in a block, 32-bit integers in a block that hold them, and how many of these
//! the vector kernel processes at once (`ggml-common.h`, `vecdotq.cuh`).

use std::fmt;

/// Facts about a type.
#[derive(Debug, PartialEq, Eq)]
pub struct TypeFacts {
    /// Name in GGUF files and on ggml's command lines.
    pub name: &'static str,
    /// Number in `enum ggml_type`.
    pub number: u16,
    /// Values in a block; 1 if it is not quantized.
    pub qk: u64,
    /// Integers in a block; 0 if it is not quantized.
    pub qi: u64,
    /// Integers that the vector kernel processes at once.
    pub vdr: u64,
    /// Size of a block in bytes.
    pub block_bytes: u64,
    /// The kernel that converts it to F16 for BLAS.
    pub dequantize: Dequantize,
}

/// How BLAS gets the values of a quantized type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dequantize {
    /// Directly, since the type is not quantized.
    None,
    /// By a kernel for this type, with the output type as template argument.
    Own,
    /// By `dequantize_block` with this many values at once, and a function for the type.
    Block(u64),
    /// By `dequantize_block_q8_0_f16`.
    Q80,
}

/// A type.
pub type Type = &'static TypeFacts;

const fn plain(name: &'static str, number: u16, bytes: u64) -> TypeFacts {
    TypeFacts { name, number, qk: 1, qi: 0, vdr: 1, block_bytes: bytes, dequantize: Dequantize::None }
}

const fn quantized(
    name: &'static str,
    number: u16,
    (qk, qi, vdr): (u64, u64, u64),
    block_bytes: u64,
    dequantize: Dequantize,
) -> TypeFacts {
    TypeFacts { name, number, qk, qi, vdr, block_bytes, dequantize }
}

/// All types that the selector knows.
pub static TYPES: [TypeFacts; 26] = [
    plain("f32", 0, 4),
    plain("f16", 1, 2),
    plain("bf16", 30, 2),
    quantized("q4_0", 2, (32, 4, 2), 18, Dequantize::Own),
    quantized("q4_1", 3, (32, 4, 2), 20, Dequantize::Own),
    quantized("q5_0", 6, (32, 4, 2), 22, Dequantize::Block(2)),
    quantized("q5_1", 7, (32, 4, 2), 24, Dequantize::Block(2)),
    quantized("q8_0", 8, (32, 8, 2), 34, Dequantize::Q80),
    quantized("q2_K", 10, (256, 16, 1), 84, Dequantize::Own),
    quantized("q3_K", 11, (256, 16, 1), 110, Dequantize::Own),
    quantized("q4_K", 12, (256, 32, 2), 144, Dequantize::Own),
    quantized("q5_K", 13, (256, 32, 2), 176, Dequantize::Own),
    quantized("q6_K", 14, (256, 32, 1), 210, Dequantize::Own),
    quantized("iq2_xxs", 16, (256, 16, 2), 66, Dequantize::Own),
    quantized("iq2_xs", 17, (256, 16, 2), 74, Dequantize::Own),
    quantized("iq3_xxs", 18, (256, 16, 2), 98, Dequantize::Own),
    quantized("iq1_s", 19, (256, 32, 1), 50, Dequantize::Own),
    quantized("iq4_nl", 20, (32, 4, 2), 18, Dequantize::Own),
    quantized("iq3_s", 21, (256, 16, 2), 110, Dequantize::Own),
    quantized("iq2_s", 22, (256, 16, 2), 82, Dequantize::Own),
    quantized("iq4_xs", 23, (256, 32, 4), 136, Dequantize::Own),
    quantized("iq1_m", 29, (256, 32, 1), 56, Dequantize::Own),
    quantized("mxfp4", 39, (32, 4, 2), 17, Dequantize::Own),
    quantized("nvfp4", 40, (64, 8, 4), 36, Dequantize::Own),
    quantized("q1_0", 41, (128, 4, 1), 18, Dequantize::Block(1)),
    quantized("q2_0", 42, (64, 2, 1), 18, Dequantize::Block(1)),
];

impl TypeFacts {
    /// Whether its values are stored in blocks.
    pub fn is_quantized(&self) -> bool {
        self.qi > 0
    }
}

/// The error for a word that is not a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownType(pub String);

impl fmt::Display for UnknownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = TYPES.iter().map(|facts| facts.name).collect();
        write!(f, "{} is no type of ggml; known are {}", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownType {}

/// Finds a type by name, in upper or lower case.
///
/// # Errors
///
/// If ggml has no type with this name.
pub fn named(name: &str) -> Result<Type, UnknownType> {
    let found = TYPES.iter().find(|facts| facts.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| UnknownType(name.to_owned()))
}

/// Finds a type by number.
pub fn numbered(number: u16) -> Option<Type> {
    TYPES.iter().find(|facts| facts.number == number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_type_stands_once() {
        let names: HashSet<_> = TYPES.iter().map(|facts| facts.name).collect();
        let numbers: HashSet<_> = TYPES.iter().map(|facts| facts.number).collect();
        assert_eq!((names.len(), numbers.len()), (TYPES.len(), TYPES.len()));
        assert_eq!(named("Q4_K").unwrap().number, 12);
        assert_eq!(numbered(30).unwrap().name, "bf16");
        assert!(named("q4_k_m").unwrap_err().to_string().contains("iq4_xs"));
    }
}
