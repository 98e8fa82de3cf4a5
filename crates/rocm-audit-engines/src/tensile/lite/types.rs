//! Types of matrices and of computations, as hipBLASLt's callers name them and as its catalogs do.
#![deny(clippy::indexing_slicing)]

use crate::tensile::data_type::{DataType, GemmType};
use rocm_audit_files::error::NotUnderstood;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A type of a matrix, a bias or an auxiliary matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatrixType {
    /// Its short name: `f16`.
    pub name: &'static str,
    /// As hipblaslt-bench and its logs write it: `f16_r`.
    pub bench: &'static str,
    /// As PyTorch and others write it.
    other: &'static str,
    /// In catalogs.
    pub tensile: DataType,
}

const fn matrix(
    name: &'static str,
    bench: &'static str,
    other: &'static str,
    tensile: DataType,
) -> MatrixType {
    MatrixType { name, bench, other, tensile }
}

/// The types of matrices. Source: hipBLASLt 7.1, `hipblaslt-types.h` and `hipblaslt_datatype2string.hpp`.
pub const MATRIX_TYPES: &[MatrixType] = &[
    matrix("f32", "f32_r", "float", DataType::Float),
    matrix("f64", "f64_r", "double", DataType::Double),
    matrix("f16", "f16_r", "half", DataType::Half),
    matrix("bf16", "bf16_r", "bfloat16", DataType::BFloat16),
    matrix("i8", "i8_r", "int8", DataType::Int8),
    matrix("i32", "i32_r", "int32", DataType::Int32),
    matrix("f8", "f8_r", "fp8", DataType::Float8),
    matrix("bf8", "bf8_r", "bf8", DataType::BFloat8),
    matrix("f8n", "f8_fnuz_r", "fp8_fnuz", DataType::Float8Fnuz),
    matrix("bf8n", "bf8_fnuz_r", "bf8_fnuz", DataType::BFloat8Fnuz),
    matrix("f6", "f6_r", "fp6", DataType::Float6),
    matrix("bf6", "bf6_r", "bf6", DataType::BFloat6),
    matrix("f4", "f4_r", "fp4", DataType::Float4),
    matrix("c32", "f32_c", "complex64", DataType::ComplexFloat),
    matrix("c64", "f64_c", "complex128", DataType::ComplexDouble),
];

/// A type of computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ComputeType {
    /// Its short name: `fast16f`.
    pub name: &'static str,
    /// As hipblaslt-bench and its logs write it: `f32_f16_r`.
    pub bench: &'static str,
    /// The type of the sums.
    pub sums: DataType,
    /// What the inputs become first; none where they stay.
    pub input: Option<DataType>,
    /// Whether matrix units take 32-bit floats as XFloat32.
    pub xf32: bool,
}

const fn compute(
    name: &'static str,
    bench: &'static str,
    sums: DataType,
    input: Option<DataType>,
) -> ComputeType {
    ComputeType { name, bench, sums, input, xf32: false }
}

/// The types of computations (`HIPBLAS_COMPUTE_*` and those that hipBLASLt adds). Source: hipBLASLt 7.1, the
/// same files, and `rocblaslt_mat_utils.hpp`.
pub const COMPUTE_TYPES: &[ComputeType] = &[
    compute("f32", "f32_r", DataType::Float, None),
    ComputeType { xf32: true, ..compute("xf32", "xf32_r", DataType::Float, None) },
    compute("f64", "f64_r", DataType::Double, None),
    compute("i32", "i32_r", DataType::Int32, None),
    compute("fast16f", "f32_f16_r", DataType::Float, Some(DataType::Half)),
    compute("fast16bf", "f32_bf16_r", DataType::Float, Some(DataType::BFloat16)),
    compute("fast8f", "f32_f8_fnuz_r", DataType::Float, Some(DataType::Float8Fnuz)),
    compute("fast8bf", "f32_bf8_fnuz_r", DataType::Float, Some(DataType::BFloat8Fnuz)),
    compute("fast8f8bf", "f32_f8bf8_fnuz_r", DataType::Float, Some(DataType::Float8BFloat8Fnuz)),
    compute("fast8bf8f", "f32_bf8f8_fnuz_r", DataType::Float, Some(DataType::BFloat8Float8Fnuz)),
];

impl MatrixType {
    /// The type that a user means, by any of its names.
    ///
    /// # Errors
    /// A sentence with all names.
    pub fn meant(text: &str) -> Result<Self, NotUnderstood> {
        let lower = text.to_ascii_lowercase();
        let is = |ty: &&MatrixType| [ty.name, ty.bench, ty.other].contains(&lower.as_str());
        let alias = match lower.as_str() {
            "fp32" => "f32",
            "fp64" => "f64",
            "fp16" => "f16",
            _ => "",
        };
        MATRIX_TYPES.iter().find(|ty| is(ty) || ty.name == alias).copied().ok_or_else(|| {
            let known: Vec<&str> = MATRIX_TYPES.iter().map(|ty| ty.name).collect();
            NotUnderstood::from(format!(
                "{text:?} is no type of hipBLASLt's matrices; known are {}",
                known.join(", ")
            ))
        })
    }

    /// The type of a name in catalogs.
    pub fn from_data_type(tensile: DataType) -> Option<Self> {
        MATRIX_TYPES.iter().find(|ty| ty.tensile == tensile).copied()
    }
}

impl ComputeType {
    /// The type that a user means, by either of its names; `c_f32_r` stands for `f32_r`.
    ///
    /// # Errors
    /// A sentence with all names.
    pub fn meant(text: &str) -> Result<Self, NotUnderstood> {
        let lower = text.to_ascii_lowercase();
        let lower = match lower.strip_prefix("c_").unwrap_or(&lower) {
            // As hipBLASLt's own log writes them.
            "f32_fast_f16_r" => "fast16f",
            "f32_fast_bf16_r" => "fast16bf",
            other => other,
        };
        COMPUTE_TYPES.iter().find(|ty| ty.name == lower || ty.bench == lower).copied().ok_or_else(|| {
            let known: Vec<&str> = COMPUTE_TYPES.iter().map(|ty| ty.name).collect();
            NotUnderstood::from(format!(
                "{text:?} is no type of hipBLASLt's computations; known are {}",
                known.join(", ")
            ))
        })
    }

    /// That of the sums of a type of rocBLAS's products; none in which hipBLASLt does not compute.
    pub fn from_data_type(sums: DataType) -> Option<Self> {
        COMPUTE_TYPES.iter().find(|ty| ty.sums == sums && ty.input.is_none() && !ty.xf32).copied()
    }

    /// What products of two types are usually computed in: integers in i32, doubles in f64, all else in f32.
    pub fn usual(a: MatrixType) -> Self {
        let sums = match a.tensile {
            DataType::Int8 => DataType::Int32,
            DataType::Double => DataType::Double,
            _ => DataType::Float,
        };
        let [first, ..] = COMPUTE_TYPES else { return compute("f32", "f32_r", DataType::Float, None) };
        COMPUTE_TYPES.iter().find(|ty| ty.sums == sums).copied().unwrap_or(*first)
    }
}

/// The types of A, B, C and D and of the computation, by one type for all or by one of rocBLAS's names, such
/// as `HSS`.
///
/// # Errors
/// A sentence with the names, or that hipBLASLt does not compute so.
pub fn types_of(text: &str) -> Result<([MatrixType; 4], ComputeType), NotUnderstood> {
    if let Ok(ty) = MatrixType::meant(text) {
        let output = if ty.tensile == DataType::Int8 { MatrixType::meant("i32")? } else { ty };
        return Ok(([ty, ty, output, output], ComputeType::usual(ty)));
    }
    match GemmType::meant(text) {
        Ok(_) => types_of_rocblas(text),
        Err(_) => MatrixType::meant(text).map(|ty| ([ty; 4], ComputeType::usual(ty))),
    }
}

/// The types of one of rocBLAS's products, such as `HSS`.
///
/// # Errors
/// A sentence with the names, or that hipBLASLt does not compute so.
pub fn types_of_rocblas(text: &str) -> Result<([MatrixType; 4], ComputeType), NotUnderstood> {
    let gemm = GemmType::meant(text)?;
    let of = |ty| {
        MatrixType::from_data_type(ty)
            .ok_or_else(|| NotUnderstood::from(format!("hipBLASLt has no matrices of {ty}")))
    };
    let (input, output) = (of(gemm.input)?, of(gemm.output)?);
    let compute = ComputeType::from_data_type(gemm.compute);
    let compute = compute.ok_or_else(|| format!("hipBLASLt does not compute in {}", gemm.compute))?;
    Ok(([input, input, output, output], compute))
}

impl fmt::Display for MatrixType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for ComputeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<'de> Deserialize<'de> for MatrixType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        MatrixType::meant(&text).map_err(serde::de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for ComputeType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        ComputeType::meant(&text).map_err(serde::de::Error::custom)
    }
}

impl Serialize for MatrixType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}
