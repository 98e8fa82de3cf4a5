//! Predicates: what must hold of a problem, a task or a device for a solution or a row.
//!
//! Source: Tensile 6.4, `ContractionProblemPredicates.hpp`, `AMDGPUPredicates.hpp`. Those that stand in real
//! catalogs are compared with the real library by recorded vectors; the others follow the source.
#![deny(clippy::indexing_slicing)]

use super::call::{Contraction, Metric, Scalar};
use super::data_type::DataType;
use super::values;
use super::values::{Tagged, Text, word};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::{ParseError, Parsed};
use std::fmt;

/// A predicate on a problem or on the task of solving it. Fields are named as in catalogs.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Predicate {
    /// Always; also those that always hold where rocBLAS asks, kept by name.
    Always(&'static str),
    /// Never.
    Never,
    /// All of them; nested ones are kept flat where they can be.
    And(Box<[Predicate]>),
    /// Any of them.
    Or(Box<[Predicate]>),
    /// Not it.
    Not(Box<Predicate>),
    /// Stride `index` of tensor A, B, C or D (0 to 3).
    StrideEqual { tensor: u8, index: u8, value: u64 },
    /// The operation.
    OperationIdentifierEqual(Text),
    /// Of A, B, C, D.
    TypesEqual([DataType; 4]),
    /// Sums in more bits.
    HighPrecisionAccumulate(bool),
    /// How the matrix units take 32-bit floats.
    F32XdlMathOp(DataType),
    /// Rounding at random; rocBLAS asks for it only with 8-bit floats.
    StochasticRounding(bool),
    /// Batches at a distance, not by pointers.
    StridedBatched(bool),
    /// M (0) or N (1), at least.
    LeadingFreeSizesGreaterOrEqual { free: u8, value: u64 },
    /// The unit that does the arithmetic.
    ArithmeticUnitCompatible(ArithmeticUnit),
    /// Offsets into A and B fit 32 bits.
    BufferLoadOffsetLimitCheck([u32; 4]),
    /// Offsets into D fit 32 bits.
    BufferStoreOffsetLimitCheck(u64),
    /// M (0) or N (1) is a multiple.
    FreeSizeMultiple { free: u8, value: u64 },
    /// K is a multiple.
    BoundSizeMultiple(u64),
    /// The batch is a multiple.
    BatchSizeMultiple(u64),
    /// The batch is this.
    BatchSizeEqual(u64),
    /// K is at least.
    GlobalSplitUCheckMinK(u64),
    /// Atomics are forbidden, or not.
    DeterministicMode(bool),
    /// One of M, N, batch, K (0 to 3) against a number.
    Size { relation: SizeRelation, index: u8, value: u64 },
    /// One of M, N, batch, K (0 to 3) lies in a range, its end excluded.
    SizeInRange { index: u8, min: u64, max: u64 },
    /// The largest of M, N, batch and K is greater than this.
    MaxProblemSizeGreaterThan(u64),
    /// The call sets `rocblas_gemm_flags_fp16_alt_impl`.
    Fp16AltImpl,
    /// The call sets `rocblas_gemm_flags_fp16_alt_impl_rnz`.
    Fp16AltImplRound,
    /// Alpha's category.
    AlphaValue(Scalar),
    /// Beta's category.
    BetaValue(Scalar),
    /// C is D.
    CEqualsD,
    /// Leading dimensions of C and D.
    LdcEqualsLdd,
    /// All strides of C and D.
    CdStridesEqual,
    /// What to be good at.
    Metric(Metric),
    /// The workspace holds what the solution needs.
    WorkspaceCheck,
}

/// How a size is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeRelation {
    /// `size < value`.
    LessThan,
    /// `size > value`.
    GreaterThan,
    /// `size == value`.
    Equal,
    /// Without remainder.
    Multiple,
}

/// Where arithmetic is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArithmeticUnit {
    /// Anywhere.
    Any,
    /// Matrix units.
    Mfma,
    /// Vector units.
    Valu,
}

impl ArithmeticUnit {
    fn by_name(word: &[u8]) -> Option<ArithmeticUnit> {
        match word {
            b"Any" => Some(ArithmeticUnit::Any),
            b"MFMA" => Some(ArithmeticUnit::Mfma),
            b"VALU" => Some(ArithmeticUnit::Valu),
            _ => None,
        }
    }
}

impl Predicate {
    /// Reads a predicate.
    ///
    /// # Errors
    /// Where it is not one that is known, or not whole.
    pub(super) fn read(reader: &mut Reader<'_>, depth: usize) -> Parsed<Predicate> {
        let tagged = Tagged::read(reader, "predicate")?;
        Predicate::from_tagged(&tagged, depth)
    }

    fn from_tagged(t: &Tagged<'_>, depth: usize) -> Parsed<Predicate> {
        use Predicate as P;
        let stride = |tensor| Ok(P::StrideEqual { tensor, index: t.index(3)?, value: t.number()? });
        let size = |relation| {
            let value = if relation == SizeRelation::Multiple { t.divisor()? } else { t.number()? };
            Ok(P::Size { relation, index: t.index(4)?, value })
        };
        Ok(match t.kind {
            b"TruePred" => P::Always("TruePred"),
            b"FalsePred" => P::Never,
            b"And" => P::And(t.parts(depth, Predicate::read)?),
            b"Or" => P::Or(t.parts(depth, Predicate::read)?),
            b"Not" => P::Not(Box::new(P::read(&mut t.value()?, t.deeper(depth)?)?)),
            b"StrideAEqual" => stride(0)?,
            b"StrideBEqual" => stride(1)?,
            b"StrideCEqual" => stride(2)?,
            b"StrideDEqual" => stride(3)?,
            b"OperationIdentifierEqual" => {
                P::OperationIdentifierEqual(Text::read(&mut t.value()?, "an operation")?)
            }
            b"TypesEqual" => types(t)?,
            b"HighPrecisionAccumulate" => P::HighPrecisionAccumulate(t.flag()?),
            b"F32XdlMathOp" => P::F32XdlMathOp(t.word(DataType::by_name)?),
            b"StochasticRounding" => P::StochasticRounding(t.flag()?),
            b"StridedBatched" => P::StridedBatched(t.flag()?),
            b"LeadingFree0SizesGreaterOrEqual" => {
                P::LeadingFreeSizesGreaterOrEqual { free: 0, value: t.number()? }
            }
            b"LeadingFree1SizesGreaterOrEqual" => {
                P::LeadingFreeSizesGreaterOrEqual { free: 1, value: t.number()? }
            }
            b"KernelLanguageCompatible" => kernel_language(t)?,
            b"ArithmeticUnitCompatible" => P::ArithmeticUnitCompatible(t.word(ArithmeticUnit::by_name)?),
            b"BufferLoadOffsetLimitCheck" => P::BufferLoadOffsetLimitCheck(values::buffer_load(t)?),
            b"BufferStoreOffsetLimitCheck" => P::BufferStoreOffsetLimitCheck(t.number()?),
            b"Free0SizeMultiple" => P::FreeSizeMultiple { free: 0, value: only_divisor(t)? },
            b"Free1SizeMultiple" => P::FreeSizeMultiple { free: 1, value: only_divisor(t)? },
            b"BoundSizeMultiple" => P::BoundSizeMultiple(only_divisor(t)?),
            b"BatchSizeMultiple" => P::BatchSizeMultiple(only_divisor(t)?),
            b"BatchSizeEqual" => {
                t.only_index()?;
                P::BatchSizeEqual(t.number()?)
            }
            b"GlobalSplitUCheckMinK" => P::GlobalSplitUCheckMinK(t.number()?),
            b"DeterministicMode" => P::DeterministicMode(t.flag()?),
            // Its condition is computed by Tensile's benchmark client only.
            b"PersistentKernelCheck" => P::Always("PersistentKernelCheck"),
            b"EqualityMatching" => P::Always("EqualityMatching"),
            b"SizeLessThan" => size(SizeRelation::LessThan)?,
            b"SizeGreaterThan" => size(SizeRelation::GreaterThan)?,
            b"SizeEqual" => size(SizeRelation::Equal)?,
            b"SizeMultiple" => size(SizeRelation::Multiple)?,
            b"SizeInRange" => size_in_range(t)?,
            b"MaxProblemSizeGreaterThan" => P::MaxProblemSizeGreaterThan(t.number()?),
            b"Fp16AltImpl" => P::Fp16AltImpl,
            b"Fp16AltImplRound" => P::Fp16AltImplRound,
            b"AlphaValue" => P::AlphaValue(t.word(Scalar::by_name)?),
            b"BetaValue" => P::BetaValue(t.word(Scalar::by_name)?),
            b"BetaZero" => P::BetaValue(Scalar::Zero),
            b"BetaOne" => P::BetaValue(Scalar::One),
            b"CEqualsD" => P::CEqualsD,
            b"LDCEqualsLDD" => P::LdcEqualsLdd,
            b"CDStridesEqual" => P::CdStridesEqual,
            b"CUEfficiency" => P::Metric(Metric::CuEfficiency),
            // rocBLAS 5.5 has one experimental way, which any value of the variable switches on.
            b"Experimental" => {
                P::Or(Box::new([P::Metric(Metric::ExperimentalGrid), P::Metric(Metric::ExperimentalDTree)]))
            }
            b"ExperimentalGrid" => P::Metric(Metric::ExperimentalGrid),
            b"ExperimentalDTree" => P::Metric(Metric::ExperimentalDTree),
            b"WorkspaceCheck" => P::WorkspaceCheck,
            _ => return Err(t.unknown()),
        })
    }

    /// Whether it holds. `catalog` are the bytes that its texts stand in; `workspace` is what one element of
    /// C needs.
    #[inline]
    pub fn holds(&self, problem: &Contraction, catalog: &[u8], workspace: u64) -> bool {
        use Predicate as P;
        let [m, n, batch, k] = problem.sizes;
        let free = |free: u8| if free == 0 { m } else { n };
        let size = |index: u8| problem.sizes.get(usize::from(index)).copied().unwrap_or_default();
        let stride = |tensor: u8, index: u8| {
            problem.strides.get(usize::from(tensor)).and_then(|s| s.get(usize::from(index))).copied()
        };
        match self {
            P::Always(_) => true,
            P::Never => false,
            P::And(all) => all.iter().all(|p| p.holds(problem, catalog, workspace)),
            P::Or(any) => any.iter().any(|p| p.holds(problem, catalog, workspace)),
            P::Not(inner) => !inner.holds(problem, catalog, workspace),
            P::StrideEqual { tensor, index, value } => stride(*tensor, *index) == Some(*value),
            P::OperationIdentifierEqual(text) => text.in_catalog(catalog) == problem.operation.as_bytes(),
            P::TypesEqual(types) => *types == problem.types,
            P::HighPrecisionAccumulate(flag) => *flag == problem.high_precision_accumulate,
            P::F32XdlMathOp(ty) => *ty == problem.f32_math,
            P::StochasticRounding(flag) => !*flag,
            P::StridedBatched(flag) => *flag == problem.strided_batched,
            P::LeadingFreeSizesGreaterOrEqual { free: which, value } => free(*which) >= *value,
            P::ArithmeticUnitCompatible(unit) => {
                !(problem.force_valu && problem.types == [DataType::Double; 4])
                    || *unit == ArithmeticUnit::Valu
            }
            P::BufferLoadOffsetLimitCheck([mt0, mt1, shift_a, shift_b]) => {
                let fits = |tensor: u8, tile: u32, shift: u32| {
                    let bytes = problem.types.get(usize::from(tensor)).map_or(0, |t| t.bytes());
                    let elements = stride(tensor, 1).unwrap_or_default().wrapping_mul(u64::from(tile));
                    elements.wrapping_add(u64::from(shift)).wrapping_mul(bytes) < 1 << 32
                };
                fits(0, *mt0, *shift_a) && fits(1, *mt1, *shift_b)
            }
            P::BufferStoreOffsetLimitCheck(rows) => {
                let [.., d] = problem.types;
                let elements = stride(3, 1).unwrap_or_default();
                elements.wrapping_mul(d.bytes()).wrapping_mul(*rows) < 1 << 32
            }
            P::FreeSizeMultiple { free: which, value } => free(*which).checked_rem(*value) == Some(0),
            P::BoundSizeMultiple(value) => k.checked_rem(*value) == Some(0),
            P::BatchSizeMultiple(value) => batch.checked_rem(*value) == Some(0),
            P::BatchSizeEqual(value) => batch == *value,
            P::GlobalSplitUCheckMinK(value) => k >= *value,
            P::DeterministicMode(flag) => *flag == problem.deterministic,
            P::Size { relation, index, value } => match relation {
                SizeRelation::LessThan => size(*index) < *value,
                SizeRelation::GreaterThan => size(*index) > *value,
                SizeRelation::Equal => size(*index) == *value,
                SizeRelation::Multiple => size(*index).checked_rem(*value) == Some(0),
            },
            P::SizeInRange { index, min, max } => (*min..*max).contains(&size(*index)),
            P::MaxProblemSizeGreaterThan(value) => problem.sizes.iter().any(|size| size > value),
            P::Fp16AltImpl => problem.fp16_alt,
            P::Fp16AltImplRound => problem.fp16_alt_round,
            P::AlphaValue(value) => *value == Scalar::Any || *value == problem.alpha,
            P::BetaValue(value) => *value == Scalar::Any || *value == problem.beta,
            P::CEqualsD => problem.c_equals_d,
            P::LdcEqualsLdd => stride(2, 1) == stride(3, 1),
            P::CdStridesEqual => {
                let [.., c, d] = problem.strides;
                c == d
            }
            P::Metric(metric) => *metric == problem.metric,
            P::WorkspaceCheck => problem.outputs().wrapping_mul(workspace) <= problem.workspace,
        }
    }

    /// The predicate in words, as catalogs spell it.
    pub fn shown(&self, catalog: &[u8]) -> String {
        ShownPredicate { predicate: self, catalog }.to_string()
    }
}

struct ShownPredicate<'a> {
    predicate: &'a Predicate,
    catalog: &'a [u8],
}

impl fmt::Display for ShownPredicate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Predicate as P;
        let list = |f: &mut fmt::Formatter<'_>, name: &str, all: &[Predicate]| {
            write!(f, "{name}(")?;
            for (at, predicate) in all.iter().enumerate() {
                let comma = if at == 0 { "" } else { ", " };
                write!(f, "{comma}{}", ShownPredicate { predicate, catalog: self.catalog })?;
            }
            f.write_str(")")
        };
        let dimension = |index: u8| ["M", "N", "batch", "K"].get(usize::from(index)).copied().unwrap_or("?");
        let tensor = |index: u8| ["A", "B", "C", "D"].get(usize::from(index)).copied().unwrap_or("?");
        match self.predicate {
            P::Always(name) => f.write_str(name),
            P::Never => f.write_str("FalsePred"),
            P::And(all) => list(f, "And", all),
            P::Or(all) => list(f, "Or", all),
            P::Not(inner) => list(f, "Not", std::slice::from_ref(inner)),
            P::StrideEqual { tensor: which, index, value } => {
                write!(f, "Stride{}Equal[{index}] {value}", tensor(*which))
            }
            P::OperationIdentifierEqual(text) => {
                write!(f, "OperationIdentifierEqual {}", values::shown(text.in_catalog(self.catalog)))
            }
            P::TypesEqual([a, b, c, d]) => write!(f, "TypesEqual {a} {b} {c} {d}"),
            P::HighPrecisionAccumulate(flag) => write!(f, "HighPrecisionAccumulate {flag}"),
            P::F32XdlMathOp(ty) => write!(f, "F32XdlMathOp {ty}"),
            P::StochasticRounding(flag) => write!(f, "StochasticRounding {flag}"),
            P::StridedBatched(flag) => write!(f, "StridedBatched {flag}"),
            P::LeadingFreeSizesGreaterOrEqual { free, value } => {
                write!(f, "LeadingFree{free}SizesGreaterOrEqual {value}")
            }
            P::ArithmeticUnitCompatible(unit) => write!(f, "ArithmeticUnitCompatible {unit:?}"),
            P::BufferLoadOffsetLimitCheck([mt0, mt1, a, b]) => {
                write!(f, "BufferLoadOffsetLimitCheck {mt0} {mt1} {a} {b}")
            }
            P::BufferStoreOffsetLimitCheck(value) => write!(f, "BufferStoreOffsetLimitCheck {value}"),
            P::FreeSizeMultiple { free, value } => write!(f, "Free{free}SizeMultiple {value}"),
            P::BoundSizeMultiple(value) => write!(f, "BoundSizeMultiple {value}"),
            P::BatchSizeMultiple(value) => write!(f, "BatchSizeMultiple {value}"),
            P::BatchSizeEqual(value) => write!(f, "BatchSizeEqual {value}"),
            P::GlobalSplitUCheckMinK(value) => write!(f, "GlobalSplitUCheckMinK {value}"),
            P::DeterministicMode(flag) => write!(f, "DeterministicMode {flag}"),
            P::Size { relation, index, value } => {
                write!(f, "Size{relation:?} {} {value}", dimension(*index))
            }
            P::SizeInRange { index, min, max } => {
                write!(f, "SizeInRange {} {min}..{max}", dimension(*index))
            }
            P::MaxProblemSizeGreaterThan(value) => write!(f, "MaxProblemSizeGreaterThan {value}"),
            P::Fp16AltImpl => f.write_str("Fp16AltImpl"),
            P::Fp16AltImplRound => f.write_str("Fp16AltImplRound"),
            P::AlphaValue(value) => write!(f, "AlphaValue {}", value.name()),
            P::BetaValue(value) => write!(f, "BetaValue {}", value.name()),
            P::CEqualsD => f.write_str("CEqualsD"),
            P::LdcEqualsLdd => f.write_str("LDCEqualsLDD"),
            P::CdStridesEqual => f.write_str("CDStridesEqual"),
            P::Metric(metric) => write!(f, "{metric:?}"),
            P::WorkspaceCheck => f.write_str("WorkspaceCheck"),
        }
    }
}

fn types(t: &Tagged<'_>) -> Parsed<Predicate> {
    let mut reader = t.value()?;
    let at = reader.offset();
    match reader.array("TypesEqual")? {
        4 => {}
        count => return Err(ParseError::new(at, format!("TypesEqual: expected 4 types, found {count}"))),
    }
    let mut types = [DataType::Float; 4];
    for slot in &mut types {
        *slot = word(&mut reader, "a data type", DataType::by_name)?;
    }
    Ok(Predicate::TypesEqual(types))
}

fn size_in_range(t: &Tagged<'_>) -> Parsed<Predicate> {
    let [min, max] = t.range()?;
    Ok(Predicate::SizeInRange { index: t.index(4)?, min, max })
}

/// The divisor of a size that has one dimension.
fn only_divisor(t: &Tagged<'_>) -> Parsed<u64> {
    t.only_index()?;
    t.divisor()
}

fn kernel_language(t: &Tagged<'_>) -> Parsed<Predicate> {
    t.word(|word| matches!(word, b"Any" | b"Assembly" | b"Source").then_some(()))?;
    Ok(Predicate::Always("KernelLanguageCompatible"))
}
