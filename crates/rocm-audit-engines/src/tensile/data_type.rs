//! Data types as Tensile names them, and the GEMM types as rocBLAS combines them.
#![deny(clippy::indexing_slicing)]

use rocm_audit_files::error::NotUnderstood;
use std::fmt;

/// A data type of Tensile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataType {
    /// 32-bit float.
    Float,
    /// 64-bit float.
    Double,
    /// Two 32-bit floats.
    ComplexFloat,
    /// Two 64-bit floats.
    ComplexDouble,
    /// 16-bit float.
    Half,
    /// Four 8-bit integers.
    Int8x4,
    /// 32-bit integer.
    Int32,
    /// 16-bit brain float.
    BFloat16,
    /// 8-bit integer.
    Int8,
    /// 64-bit integer.
    Int64,
    /// 32-bit float; the matrix units use 19 of its bits.
    XFloat32,
    /// 8-bit float with 4 bits of exponent.
    Float8,
    /// 8-bit float with 5 bits of exponent.
    BFloat8,
    /// Float8 against BFloat8.
    Float8BFloat8,
    /// BFloat8 against Float8.
    BFloat8Float8,
    /// Float8 of gfx94x, which has neither infinities nor a negative zero.
    Float8Fnuz,
    /// BFloat8 of gfx94x, likewise.
    BFloat8Fnuz,
    /// 6-bit float with 2 bits of exponent.
    Float6,
    /// 6-bit float with 3 bits of exponent.
    BFloat6,
    /// 4-bit float.
    Float4,
    /// Float8 against BFloat8 of gfx94x.
    Float8BFloat8Fnuz,
    /// BFloat8 against Float8 of gfx94x.
    BFloat8Float8Fnuz,
}

/// Type, name, abbreviation, bytes. Source: Tensile's `DataTypes.cpp`, release 6.4.
const TYPES: &[(DataType, &str, &str, u64)] = &[
    (DataType::Float, "Float", "S", 4),
    (DataType::Double, "Double", "D", 8),
    (DataType::ComplexFloat, "ComplexFloat", "C", 8),
    (DataType::ComplexDouble, "ComplexDouble", "Z", 16),
    (DataType::Half, "Half", "H", 2),
    (DataType::Int8x4, "Int8x4", "4xi8", 4),
    (DataType::Int32, "Int32", "I", 4),
    (DataType::BFloat16, "BFloat16", "B", 2),
    (DataType::Int8, "Int8", "I8", 1),
    (DataType::Int64, "Int64", "I64", 8),
    (DataType::XFloat32, "XFloat32", "X", 4),
    (DataType::Float8, "Float8", "F8", 1),
    (DataType::BFloat8, "BFloat8", "B8", 1),
    (DataType::Float8BFloat8, "Float8BFloat8", "F8B8", 1),
    (DataType::BFloat8Float8, "BFloat8Float8", "B8F8", 1),
];

/// Those that only hipBLASLt's catalogs name. Source: hipBLASLt, `tensilelite/src/DataTypes.cpp`.
const LITE_TYPES: &[(DataType, &str, &str, u64)] = &[
    (DataType::Float8Fnuz, "Float8_fnuz", "F8N", 1),
    (DataType::BFloat8Fnuz, "BFloat8_fnuz", "B8N", 1),
    (DataType::Float8BFloat8Fnuz, "Float8BFloat8_fnuz", "F8B8N", 1),
    (DataType::BFloat8Float8Fnuz, "BFloat8Float8_fnuz", "B8F8N", 1),
    // Parts of a byte count as one.
    (DataType::Float6, "Float6", "F6", 1),
    (DataType::BFloat6, "BFloat6", "B6", 1),
    (DataType::Float4, "Float4", "F4", 1),
];

impl DataType {
    /// The type of this name in a catalog of rocBLAS.
    pub fn by_name(name: &[u8]) -> Option<Self> {
        TYPES.iter().find(|(_, known, ..)| known.as_bytes() == name).map(|(found, ..)| *found)
    }

    /// The type of this name in a catalog of hipBLASLt.
    pub fn by_lite_name(name: &[u8]) -> Option<Self> {
        let lite = || LITE_TYPES.iter().find(|(_, known, ..)| known.as_bytes() == name);
        Self::by_name(name).or_else(|| lite().map(|(found, ..)| *found))
    }

    fn row(self) -> (&'static str, &'static str, u64) {
        TYPES
            .iter()
            .chain(LITE_TYPES)
            .find(|(known, ..)| *known == self)
            .map_or(("", "", 0), |(_, name, short, bytes)| (*name, *short, *bytes))
    }

    /// The name in catalogs.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The abbreviation in names of kernels.
    pub fn abbreviation(self) -> &'static str {
        self.row().1
    }

    /// Bytes of one element.
    pub fn bytes(self) -> u64 {
        self.row().2
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The types of A and B, of C and D, and of the computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GemmType {
    /// A letter or two each for input, output, computation: `SS`, `HHS`, `I8I`.
    pub name: &'static str,
    /// Of A and B.
    pub input: DataType,
    /// Of C and D.
    pub output: DataType,
    /// Of alpha, beta and the sums.
    pub compute: DataType,
}

/// Source: rocBLAS 6.4, `tensile_host.cpp`, and the catalogs that it ships.
pub const GEMM_TYPES: &[GemmType] = &[
    gemm("SS", DataType::Float, DataType::Float, DataType::Float),
    gemm("DD", DataType::Double, DataType::Double, DataType::Double),
    gemm("CC", DataType::ComplexFloat, DataType::ComplexFloat, DataType::ComplexFloat),
    gemm("ZZ", DataType::ComplexDouble, DataType::ComplexDouble, DataType::ComplexDouble),
    gemm("HH", DataType::Half, DataType::Half, DataType::Half),
    gemm("HHS", DataType::Half, DataType::Half, DataType::Float),
    gemm("HSS", DataType::Half, DataType::Float, DataType::Float),
    gemm("BBS", DataType::BFloat16, DataType::BFloat16, DataType::Float),
    gemm("BSS", DataType::BFloat16, DataType::Float, DataType::Float),
    gemm("I8I", DataType::Int8, DataType::Int32, DataType::Int32),
];

const fn gemm(name: &'static str, input: DataType, output: DataType, compute: DataType) -> GemmType {
    GemmType { name, input, output, compute }
}

/// What people write for a type, in small letters: of rocblas-bench, of PyTorch, of Tensile's file names.
const SPELLINGS: &[(&str, &str)] = &[
    ("s", "SS"),
    ("sss", "SS"),
    ("f32", "SS"),
    ("fp32", "SS"),
    ("float", "SS"),
    ("f32_r", "SS"),
    ("d", "DD"),
    ("ddd", "DD"),
    ("f64", "DD"),
    ("fp64", "DD"),
    ("double", "DD"),
    ("f64_r", "DD"),
    ("c", "CC"),
    ("f32_c", "CC"),
    ("z", "ZZ"),
    ("f64_c", "ZZ"),
    ("h", "HH"),
    ("hhh", "HH"),
    ("f16", "HHS"),
    ("fp16", "HHS"),
    ("half", "HHS"),
    ("f16_r", "HHS"),
    ("b", "BBS"),
    ("bf16", "BBS"),
    ("bfloat16", "BBS"),
    ("bf16_r", "BBS"),
    ("i8", "I8I"),
    ("int8", "I8I"),
    ("i8ii", "I8I"),
    ("i8_r", "I8I"),
];

impl GemmType {
    /// The type of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        GEMM_TYPES.iter().find(|known| known.name == name).copied()
    }

    /// The type that a user means, in capitals or not: its name, or one of the spellings that people use.
    /// FP16 and BF16 alone name the matrices; their sums are then in FP32, as in PyTorch.
    ///
    /// # Errors
    /// A sentence with all names.
    pub fn meant(text: &str) -> Result<Self, NotUnderstood> {
        let lower = text.to_ascii_lowercase();
        let spelling = SPELLINGS.iter().find(|(spelling, _)| *spelling == lower).map(|(_, name)| *name);
        let name = spelling.unwrap_or(text).to_ascii_uppercase();
        Self::by_name(&name).ok_or_else(|| {
            let known: Vec<String> = GEMM_TYPES.iter().map(GemmType::described).collect();
            NotUnderstood::from(format!(
                "{text:?} is no type of rocBLAS's products; known are {}",
                known.join(", ")
            ))
        })
    }

    /// Its name and the other spellings of it: `HHS (f16, fp16, half)`.
    pub fn described(&self) -> String {
        let others: Vec<&str> =
            SPELLINGS.iter().filter(|(_, name)| *name == self.name).map(|(text, _)| *text).collect();
        format!("{} ({})", self.name, others.join(", ")).replace(" ()", "")
    }

    /// Whether sums are kept in more bits than the inputs have.
    pub fn high_precision_accumulate(self) -> bool {
        self.compute.bytes() > self.input.bytes()
    }

    /// Whether it is complex.
    pub fn is_complex(self) -> bool {
        matches!(self.input, DataType::ComplexFloat | DataType::ComplexDouble)
    }
}
