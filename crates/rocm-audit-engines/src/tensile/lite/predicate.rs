//! Predicates of hipBLASLt's catalogs.
//!
//! Source: hipBLASLt, `tensilelite/include/Tensile/ContractionProblemPredicates.hpp`, and the catalogs of
//! 7.1.1; held against the library.
#![deny(clippy::indexing_slicing)]

use super::call::SparseMatrix;
use super::epilogue::Activation;
use super::problem::{Problem, ScaleAb};
use crate::tensile::data_type::DataType;
use crate::tensile::values::{self, Tagged, Text, word};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::{ParseError, Parsed};
use std::fmt;

/// Most work groups of a launch. Source: `WorkgroupNumberCheck`.
const MOST_WORK_GROUPS: f32 = 16_777_216.0;

/// A predicate on a problem. Fields are named as in catalogs.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// Always; also those that always hold for this interface, kept by name.
    Always(&'static str),
    /// Never.
    Never,
    /// The row of solutions that stream along K, which is for processes that ask for it.
    ExperimentalStreamK,
    /// A row of tables, by name; skipped if the model is to rank.
    Tables(&'static str),
    /// All of them.
    And(Box<[Predicate]>),
    /// Any of them.
    Or(Box<[Predicate]>),
    /// Not it.
    Not(Box<Predicate>),
    /// One that this tool does not know, by name.
    Unknown(Text),
    /// The operation.
    OperationIdentifierEqual(Text),
    /// Of A, B, C, D and what A and B are computed as.
    TypesEqual([DataType; 5]),
    /// A flag of the problem.
    Flag(Flag, bool),
    /// The matrix that is sparse: none (0), A (1) or B (2).
    Sparse(u64),
    /// How matrix units take 32-bit floats.
    F32XdlMathOp(DataType),
    /// The kind of activation.
    Activation(Activation),
    /// The type in which it is computed.
    ActivationComputeType(DataType),
    /// The activations that the kernel has.
    ActivationEnumWhiteList(Box<[Activation]>),
    /// Whether the kernel adds a bias.
    UseBias(u64),
    /// The types of bias that it has.
    BiasDataTypeWhiteList(Box<[DataType]>),
    /// The sources of the bias that it has.
    BiasSrcWhiteList(Box<[u64]>),
    /// The type of the auxiliary matrix.
    DataTypeE(DataType),
    /// How A and B are scaled.
    UseScaleAb(ScaleAb),
    /// Whether the kernel scales C and D.
    UseScaleCd(bool),
    /// Whether it takes alpha as a vector.
    UseScaleAlphaVec(u64),
    /// Whether several products can read their arguments on the device.
    SupportDeviceUserArguments(bool),
    /// M (0) or N (1), at least.
    LeadingFreeSizesGreaterOrEqual(u8, u64),
    /// M (0) or N (1) is a multiple.
    FreeSizeMultiple(u8, u64),
    /// K is a multiple.
    BoundSizeMultiple(u64),
    /// Offsets into A and B fit 32 bits.
    BufferLoadOffsetLimitCheck([u32; 4]),
    /// Offsets into C fit 32 bits.
    BufferLoadOffsetLimitCheckBeta(u64),
    /// Offsets into D fit 32 bits.
    BufferStoreOffsetLimitCheck(u64),
    /// K is large enough to be split.
    GlobalSplitUCheckMinK([i64; 2]),
    /// The launch has not too many work groups.
    WorkgroupNumberCheck([i64; 3]),
    /// Work groups can be mapped to the dies of the device: their number, and what they divide (-1: the
    /// multiprocessors).
    WorkgroupMappingXccCheck([i64; 2]),
    /// One of M, N, batch, K (0 to 3) lies in a range, its end excluded.
    SizeInRange(u8, u64, u64),
}

/// A flag of a problem that a predicate compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// Sums in more bits.
    HighPrecisionAccumulate,
    /// Batches at a distance; always so here.
    StridedBatched,
    /// Several products at once.
    GroupedGemm,
    /// A backward pass.
    UseGradient,
    /// An auxiliary matrix.
    UseE,
    /// A is stored in another order; never so here.
    SwizzleTensorA,
    /// B likewise.
    SwizzleTensorB,
    /// An activation that guards nothing; never so here.
    ActivationNoGuard,
    /// The largest absolute value of D.
    AmaxDCheck,
    /// Results must repeat; never so here.
    DeterministicMode,
}

impl Flag {
    fn holds_for(self, problem: &Problem) -> bool {
        match self {
            Flag::HighPrecisionAccumulate => problem.high_precision_accumulate,
            Flag::StridedBatched => true,
            Flag::GroupedGemm => problem.grouped,
            Flag::UseGradient => problem.gradient,
            Flag::UseE => problem.aux.is_some(),
            Flag::AmaxDCheck => problem.amax_d,
            Flag::SwizzleTensorA
            | Flag::SwizzleTensorB
            | Flag::ActivationNoGuard
            | Flag::DeterministicMode => false,
        }
    }
}

impl Predicate {
    /// Reads a predicate.
    ///
    /// # Errors
    /// Where it is not whole. One that is not known is kept by name.
    pub fn read(reader: &mut Reader<'_>, depth: usize) -> Parsed<Predicate> {
        let mut at_type = reader.clone();
        let tagged = Tagged::read(reader, "predicate")?;
        Predicate::from_tagged(&tagged, depth, &mut at_type)
    }

    fn from_tagged(t: &Tagged<'_>, depth: usize, begin: &mut Reader<'_>) -> Parsed<Predicate> {
        use Predicate as P;
        let flag = |flag| Ok(P::Flag(flag, t.flag()?));
        let free = |free| {
            t.only_index()?;
            Ok(P::FreeSizeMultiple(free, t.divisor()?))
        };
        Ok(match t.kind {
            b"TruePred" => P::Always("TruePred"),
            b"FalsePred" => P::Never,
            b"And" => P::And(t.parts(depth, Predicate::read)?),
            b"Or" => P::Or(t.parts(depth, Predicate::read)?),
            b"Not" => P::Not(Box::new(P::read(&mut t.value()?, t.deeper(depth)?)?)),
            b"EqualityMatching" => P::Tables("EqualityMatching"),
            b"GridBasedMatching" => P::Always("GridBasedMatching"),
            b"RangeMatching" => P::Tables("RangeMatching"),
            b"FreeSizeMatching" => P::Always("FreeSizeMatching"),
            b"PredictionMatching" => P::Always("PredictionMatching"),
            b"ExperimentalStreamK" => P::ExperimentalStreamK,
            b"SupportDeviceUserArguments" => P::SupportDeviceUserArguments(t.flag()?),
            b"KernelLanguageCompatible" => P::Always("KernelLanguageCompatible"),
            // Of gfx90a's solutions with globalAccumulation 3; no call contradicts that it holds.
            b"SynchronizerSizeCheck" => P::Always("SynchronizerSizeCheck"),
            b"OperationIdentifierEqual" => {
                P::OperationIdentifierEqual(Text::read(&mut t.value()?, "an operation")?)
            }
            b"TypesEqual" => P::TypesEqual(five_types(t)?),
            b"HighPrecisionAccumulate" => flag(Flag::HighPrecisionAccumulate)?,
            b"StridedBatched" => flag(Flag::StridedBatched)?,
            b"GroupedGemm" => flag(Flag::GroupedGemm)?,
            b"UseGradient" => flag(Flag::UseGradient)?,
            b"UseE" => flag(Flag::UseE)?,
            b"Sparse" => P::Sparse(t.number()?),
            b"SwizzleTensorA" => flag(Flag::SwizzleTensorA)?,
            b"SwizzleTensorB" => flag(Flag::SwizzleTensorB)?,
            b"ActivationNoGuard" => flag(Flag::ActivationNoGuard)?,
            b"AmaxDCheck" => flag(Flag::AmaxDCheck)?,
            b"DeterministicMode" => flag(Flag::DeterministicMode)?,
            b"F32XdlMathOp" => P::F32XdlMathOp(t.word(DataType::by_lite_name)?),
            b"Activation" => P::Activation(t.word(|word| Some(Activation::by_name(word)))?),
            b"ActivationComputeType" => P::ActivationComputeType(t.word(DataType::by_lite_name)?),
            b"ActivationEnumWhiteList" => {
                P::ActivationEnumWhiteList(words(t, |word| Some(Activation::by_name(word)))?)
            }
            b"UseBias" => P::UseBias(t.number()?),
            b"BiasDataTypeWhiteList" => P::BiasDataTypeWhiteList(words(t, DataType::by_lite_name)?),
            b"BiasSrcWhiteList" => P::BiasSrcWhiteList(numbers(t)?.into()),
            b"DataTypeE" => P::DataTypeE(t.word(DataType::by_lite_name)?),
            b"UseScaleAB" => P::UseScaleAb(t.word(|word| {
                Some(match word {
                    b"" => ScaleAb::None,
                    b"Scalar" => ScaleAb::Scalar,
                    b"Vector" => ScaleAb::Vector,
                    _ => ScaleAb::Other,
                })
            })?),
            b"UseScaleCD" => P::UseScaleCd(t.flag()?),
            b"UseScaleAlphaVec" => P::UseScaleAlphaVec(t.number()?),
            b"LeadingFree0SizesGreaterOrEqual" => P::LeadingFreeSizesGreaterOrEqual(0, t.number()?),
            b"LeadingFree1SizesGreaterOrEqual" => P::LeadingFreeSizesGreaterOrEqual(1, t.number()?),
            b"Free0SizeMultiple" => free(0)?,
            b"Free1SizeMultiple" => free(1)?,
            b"BoundSizeMultiple" => {
                t.only_index()?;
                P::BoundSizeMultiple(t.divisor()?)
            }
            b"BufferLoadOffsetLimitCheck" => P::BufferLoadOffsetLimitCheck(values::buffer_load(t)?),
            b"BufferLoadOffsetLimitCheck_Beta" => P::BufferLoadOffsetLimitCheckBeta(t.number()?),
            b"BufferStoreOffsetLimitCheck" => P::BufferStoreOffsetLimitCheck(t.number()?),
            b"GlobalSplitUCheckMinK" => P::GlobalSplitUCheckMinK(fixed(t)?),
            b"WorkgroupNumberCheck" => P::WorkgroupNumberCheck(fixed(t)?),
            b"SizeInRange" => size_in_range(t)?,
            b"WorkgroupMappingXCCCheck" => P::WorkgroupMappingXccCheck(fixed(t)?),
            _ => P::Unknown(kind(begin)?),
        })
    }

    /// Whether it depends on what is asked alone, not on sizes.
    pub fn is_of_kind(&self) -> bool {
        use Predicate as P;
        match self {
            P::And(all) | P::Or(all) => all.iter().all(P::is_of_kind),
            P::Not(inner) => inner.is_of_kind(),
            P::LeadingFreeSizesGreaterOrEqual(..)
            | P::FreeSizeMultiple(..)
            | P::BoundSizeMultiple(_)
            | P::BufferLoadOffsetLimitCheck(_)
            | P::BufferLoadOffsetLimitCheckBeta(_)
            | P::BufferStoreOffsetLimitCheck(_)
            | P::GlobalSplitUCheckMinK(_)
            | P::WorkgroupNumberCheck(_)
            | P::WorkgroupMappingXccCheck(_)
            | P::SizeInRange(..) => false,
            _ => true,
        }
    }

    /// Whether it holds. `catalog` are the bytes that its texts stand in. One that is not known is taken to
    /// hold; see
    /// [`Predicate::unknown`].
    pub fn holds(&self, problem: &Problem, catalog: &[u8]) -> bool {
        use Predicate as P;
        let [m, n, batch, k] = problem.sizes;
        let [lda, ldb, ldc, ldd] = problem.ld;
        let [a, b, c, d, _] = problem.types.map(DataType::bytes);
        let free = |free: u8| if free == 0 { m } else { n };
        let below_4gib = |factors: [u64; 3]| factors.into_iter().fold(1, u64::wrapping_mul) < 1 << 32;
        match self {
            P::Always(_) | P::Unknown(_) => true,
            P::Never => false,
            P::ExperimentalStreamK => problem.experimental,
            P::Tables(_) => !problem.predicts_first,
            P::And(all) => all.iter().all(|p| p.holds(problem, catalog)),
            P::Or(any) => any.iter().any(|p| p.holds(problem, catalog)),
            P::Not(inner) => !inner.holds(problem, catalog),
            P::OperationIdentifierEqual(text) => text.in_catalog(catalog) == problem.operation.as_bytes(),
            P::TypesEqual(types) => *types == problem.types,
            P::Flag(flag, value) => flag.holds_for(problem) == *value,
            P::Sparse(which) => *which == problem.sparse.map_or(0, SparseMatrix::number),
            P::F32XdlMathOp(ty) => *ty == problem.f32_math,
            P::Activation(kind) => problem.activation == Activation::None || *kind == Activation::All,
            P::ActivationComputeType(ty) => problem.activation == Activation::None || *ty == problem.compute,
            P::ActivationEnumWhiteList(list) => {
                problem.activation == Activation::None || list.contains(&problem.activation)
            }
            P::UseBias(value) => problem.bias.is_none() || *value != 0,
            P::BiasDataTypeWhiteList(list) => problem.bias.is_none_or(|(ty, _)| list.contains(&ty)),
            P::BiasSrcWhiteList(list) => {
                problem.bias.is_none_or(|(_, source)| list.contains(&(source as u64)))
            }
            P::DataTypeE(ty) => problem.aux.is_none_or(|aux| aux == *ty),
            P::UseScaleAb(scale) => problem.scale_ab == ScaleAb::None || *scale == problem.scale_ab,
            P::UseScaleCd(value) => !problem.scale_cd || *value,
            P::UseScaleAlphaVec(value) => !problem.scale_alpha_vec || value & 1 == 1,
            P::SupportDeviceUserArguments(value) => !problem.grouped || *value,
            // A group may have members without columns.
            P::LeadingFreeSizesGreaterOrEqual(1, _) if problem.grouped && n == 0 => true,
            P::LeadingFreeSizesGreaterOrEqual(which, value) => free(*which) >= *value,
            P::FreeSizeMultiple(which, value) => free(*which).checked_rem(*value) == Some(0),
            P::BoundSizeMultiple(value) => k.checked_rem(*value) == Some(0),
            P::BufferLoadOffsetLimitCheck([tile0, tile1, shift_a, shift_b]) => {
                let fits = |ld: u64, tile: u32, shift: u32, bytes: u64| {
                    let elements = ld.wrapping_mul(u64::from(tile)).wrapping_add(u64::from(shift));
                    below_4gib([elements, bytes, 1])
                };
                fits(lda, *tile0, *shift_a, a) && fits(ldb, *tile1, *shift_b, b)
            }
            P::BufferLoadOffsetLimitCheckBeta(rows) => below_4gib([ldc, c, problem.rules.rows(*rows, n)]),
            P::BufferStoreOffsetLimitCheck(rows) => below_4gib([ldd, d, problem.rules.rows(*rows, n)]),
            P::GlobalSplitUCheckMinK([depth, split]) => {
                // A split of -1 is chosen so that K suffices.
                *split <= 1 || k >= depth.wrapping_mul(*split).cast_unsigned()
            }
            P::WorkgroupNumberCheck([tile0, tile1, split]) => {
                let tiles = |size: u64, tile: i64| (size as f32 / tile as f32).ceil();
                let groups = tiles(m, *tile0) * tiles(n, *tile1);
                groups * (*split).max(1) as f32 * batch as f32 <= MOST_WORK_GROUPS
            }
            P::WorkgroupMappingXccCheck([dies, of]) => {
                let of = if *of == -1 { i64::from(problem.multiprocessors) } else { *of };
                dies.cast_unsigned().is_power_of_two() && of % dies == 0
            }
            P::SizeInRange(index, min, max) => {
                let size = problem.sizes.get(usize::from(*index)).copied().unwrap_or_default();
                (*min..*max).contains(&size)
            }
        }
    }

    /// The name of one in it that this tool does not know.
    pub fn unknown(&self, catalog: &[u8]) -> Option<String> {
        use Predicate as P;
        match self {
            P::Unknown(name) => Some(values::shown(name.in_catalog(catalog))),
            P::And(all) | P::Or(all) => all.iter().find_map(|p| p.unknown(catalog)),
            P::Not(inner) => inner.unknown(catalog),
            _ => None,
        }
    }

    /// The predicate in words, as catalogs spell it.
    pub fn shown(&self, catalog: &[u8]) -> String {
        ShownLitePredicate { predicate: self, catalog }.to_string()
    }
}

struct ShownLitePredicate<'a> {
    predicate: &'a Predicate,
    catalog: &'a [u8],
}

impl fmt::Display for ShownLitePredicate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Predicate as P;
        let list = |f: &mut fmt::Formatter<'_>, name: &str, all: &[Predicate]| {
            write!(f, "{name}(")?;
            for (at, predicate) in all.iter().enumerate() {
                let comma = if at == 0 { "" } else { ", " };
                write!(f, "{comma}{}", ShownLitePredicate { predicate, catalog: self.catalog })?;
            }
            f.write_str(")")
        };
        match self.predicate {
            P::Always(name) | P::Tables(name) => f.write_str(name),
            P::ExperimentalStreamK => f.write_str("ExperimentalStreamK"),
            P::Never => f.write_str("FalsePred"),
            P::And(all) => list(f, "And", all),
            P::Or(all) => list(f, "Or", all),
            P::Not(inner) => list(f, "Not", std::slice::from_ref(inner)),
            P::Unknown(name) => f.write_str(&values::shown(name.in_catalog(self.catalog))),
            P::OperationIdentifierEqual(text) => {
                write!(f, "OperationIdentifierEqual {}", values::shown(text.in_catalog(self.catalog)))
            }
            P::TypesEqual([a, b, c, d, input]) => write!(f, "TypesEqual {a} {b} {c} {d} in {input}"),
            P::Flag(flag, value) => write!(f, "{flag:?} {value}"),
            P::Sparse(which) => write!(f, "Sparse {which}"),
            P::F32XdlMathOp(ty) => write!(f, "F32XdlMathOp {ty}"),
            P::Activation(kind) => write!(f, "Activation {kind:?}"),
            P::ActivationComputeType(ty) => write!(f, "ActivationComputeType {ty}"),
            P::ActivationEnumWhiteList(all) => write!(f, "ActivationEnumWhiteList {all:?}"),
            P::UseBias(value) => write!(f, "UseBias {value}"),
            P::BiasDataTypeWhiteList(all) => write!(f, "BiasDataTypeWhiteList {all:?}"),
            P::BiasSrcWhiteList(all) => write!(f, "BiasSrcWhiteList {all:?}"),
            P::DataTypeE(ty) => write!(f, "DataTypeE {ty}"),
            P::UseScaleAb(scale) => write!(f, "UseScaleAB {scale:?}"),
            P::UseScaleCd(value) => write!(f, "UseScaleCD {value}"),
            P::UseScaleAlphaVec(value) => write!(f, "UseScaleAlphaVec {value}"),
            P::SupportDeviceUserArguments(value) => write!(f, "SupportDeviceUserArguments {value}"),
            P::LeadingFreeSizesGreaterOrEqual(free, value) => {
                write!(f, "LeadingFree{free}SizesGreaterOrEqual {value}")
            }
            P::FreeSizeMultiple(free, value) => write!(f, "Free{free}SizeMultiple {value}"),
            P::BoundSizeMultiple(value) => write!(f, "BoundSizeMultiple {value}"),
            P::BufferLoadOffsetLimitCheck([t0, t1, a, b]) => {
                write!(f, "BufferLoadOffsetLimitCheck {t0} {t1} {a} {b}")
            }
            P::BufferLoadOffsetLimitCheckBeta(value) => write!(f, "BufferLoadOffsetLimitCheck_Beta {value}"),
            P::BufferStoreOffsetLimitCheck(value) => write!(f, "BufferStoreOffsetLimitCheck {value}"),
            P::GlobalSplitUCheckMinK([depth, split]) => write!(f, "GlobalSplitUCheckMinK {depth} {split}"),
            P::WorkgroupNumberCheck([t0, t1, split]) => write!(f, "WorkgroupNumberCheck {t0} {t1} {split}"),
            P::WorkgroupMappingXccCheck([dies, of]) => write!(f, "WorkgroupMappingXCCCheck {dies} {of}"),
            P::SizeInRange(index, min, max) => {
                let name = ["M", "N", "batch", "K"].get(usize::from(*index)).copied().unwrap_or("?");
                write!(f, "SizeInRange {name} {min}..{max}")
            }
        }
    }
}

fn words<T>(t: &Tagged<'_>, by_name: impl Fn(&[u8]) -> Option<T>) -> Parsed<Box<[T]>> {
    let mut reader = t.value()?;
    let count = reader.array("a list of words")?;
    (0..count).map(|_| word(&mut reader, "a word", &by_name)).collect()
}

fn numbers(t: &Tagged<'_>) -> Parsed<Vec<u64>> {
    let mut reader = t.value()?;
    let count = reader.array("a list of numbers")?;
    (0..count).map(|_| values::unsigned(&mut reader, "a number")).collect()
}

fn fixed<const N: usize>(t: &Tagged<'_>) -> Parsed<[i64; N]> {
    let mut reader = t.value()?;
    let count = reader.array("a list of numbers")? as usize;
    let mut found = [0; N];
    if count != N {
        return Err(ParseError::new(t.at, format!("{}: expected {N} numbers, found {count}", t.name())));
    }
    for number in &mut found {
        *number = values::signed(&mut reader, "a number")?;
    }
    Ok(found)
}

fn five_types(t: &Tagged<'_>) -> Parsed<[DataType; 5]> {
    let found = words(t, DataType::by_lite_name)?;
    let count = found.len();
    found
        .into_vec()
        .try_into()
        .map_err(|_| ParseError::new(t.at, format!("TypesEqual: expected 5 types, found {count}")))
}

fn size_in_range(t: &Tagged<'_>) -> Parsed<Predicate> {
    let [min, max] = t.range()?;
    Ok(Predicate::SizeInRange(t.index(4)?, min, max))
}

/// The type of the map that begins here, as its place.
fn kind(begin: &mut Reader<'_>) -> Parsed<Text> {
    let at = begin.offset();
    for _ in 0..begin.map("predicate")? {
        if values::key(begin)? == b"type" {
            return Text::read(begin, "predicate");
        }
        begin.skip()?;
    }
    Err(ParseError::new(at, "a predicate has no type"))
}
