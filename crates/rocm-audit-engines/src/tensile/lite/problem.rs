//! The problem that hipBLASLt makes of a call and asks its catalogs about.
//!
//! Source: hipBLASLt, `rocblaslt_auxiliary.cpp` (`construct_rocblaslt_problem`), `tensile_host.cpp`
//! (`updateTensileProblem`), `rocblaslt_mat_utils.hpp`; compared with the library of 7.1.1.
#![deny(clippy::indexing_slicing)]

use super::call::{MatmulCall, OUTER_VECTOR, PREDICTION_FIRST, SELECTION_METHOD, SparseMatrix};
use super::epilogue::{Activation, BiasSource};
use super::release::ChoiceRules;
use super::sparse;
use super::stream_environment::{self, StreamKEnvironment};
use super::types::{ComputeType, MatrixType};
use crate::tensile::call::operation;
use crate::tensile::data_type::DataType;
use crate::tensile::origami::device::Device;

/// How A and B are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScaleAb {
    /// Not at all.
    None,
    /// By a number each.
    Scalar,
    /// By a vector each.
    Vector,
    /// In a way that a catalog names and no call asks for here.
    Other,
}

/// A problem of TensileLite.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// `Contraction_l_Alik_Bljk_Cijk_Dijk`.
    pub operation: &'static str,
    /// M, N, batch, K. All are zero where the call is invalid: no size predicate holds then.
    pub sizes: [u64; 4],
    /// Leading dimensions of A, B, C, D.
    pub ld: [u64; 4],
    /// Of A, B, C, D, and what A and B are computed as.
    pub types: [DataType; 5],
    /// Of the sums.
    pub compute: DataType,
    /// Sums in more bits than A has.
    pub high_precision_accumulate: bool,
    /// Float, or XFloat32 where that is asked for.
    pub f32_math: DataType,
    /// Which matrix is sparse.
    pub sparse: Option<SparseMatrix>,
    /// Whether products are asked for as a group.
    pub grouped: bool,
    /// The group's further products. Tables are asked about the first; a solution has to solve all.
    pub members: Vec<Problem>,
    /// The activation.
    pub activation: Activation,
    /// Type and source of the bias or its gradient.
    pub bias: Option<(DataType, BiasSource)>,
    /// Type of the auxiliary matrix.
    pub aux: Option<DataType>,
    /// Part of a backward pass.
    pub gradient: bool,
    /// How A and B are scaled.
    pub scale_ab: ScaleAb,
    /// Whether C or D is.
    pub scale_cd: bool,
    /// Whether alpha is on the device, as a vector or not.
    pub scale_alpha_vec: bool,
    /// Whether the largest absolute value of D is asked for.
    pub amax_d: bool,
    /// Bytes of workspace.
    pub workspace: u64,
    /// What HIP calls multiprocessors, which a kernel that splits K by itself asks for.
    pub multiprocessors: u32,
    /// The rules that answer.
    pub rules: ChoiceRules,
    /// The device as origami's model knows it, where that has one.
    pub model: Option<Device>,
    /// What the environment says of solutions that stream along K.
    pub stream: StreamKEnvironment,
    /// Whether rows of solutions that stream along K are looked at (`TENSILE_SOLUTION_SELECTION_METHOD=2`).
    pub experimental: bool,
    /// Whether rows of tables are skipped (`TENSILE_PREDICTION_LIB`).
    pub predicts_first: bool,
    /// Why hipBLASLt takes the call for invalid, which leaves it without an algorithm.
    pub invalid: Option<&'static str>,
}

impl Problem {
    /// The problem of a call.
    pub fn from_call(call: &MatmulCall, rules: ChoiceRules) -> Problem {
        let types = [call.a, call.b, call.c, call.d].map(|ty| ty.tensile);
        let [a, b, c, d] = types;
        // hipSPARSELt names sums of integers and has kernels that sum in floats.
        let compute = if call.sparse.is_some() { DataType::Float } else { call.comp.sums };
        let xf32 = call.comp.xf32;
        let epilogue = call.epilogue;
        let complex = matches!(a, DataType::ComplexFloat | DataType::ComplexDouble);
        let invalid = invalid(call);
        let sizes = if invalid.is_some() { [0; 4] } else { [call.m, call.n, call.batch, call.k] };
        let bias_type = call.bias_type.map_or_else(|| usual_bias(call), |ty| ty.tensile);
        Problem {
            operation: operation(call.ta, call.tb, complex),
            sizes,
            ld: call.ld,
            types: [a, b, c, d, call.comp.input.unwrap_or_else(|| input(a, b))],
            compute,
            high_precision_accumulate: compute.bytes() > a.bytes(),
            f32_math: if xf32 { DataType::XFloat32 } else { DataType::Float },
            sparse: call.sparse,
            grouped: call.group.is_some(),
            members: call
                .members()
                .map(|member| Problem { grouped: true, ..Problem::from_call(&member, rules) })
                .collect(),
            activation: epilogue.activation,
            bias: epilogue.bias.map(|source| (bias_type, source)),
            aux: epilogue.aux.then(|| call.aux_type.map_or(d, |ty| ty.tensile)),
            gradient: epilogue.gradient,
            scale_ab: if !call.scale_a && !call.scale_b {
                ScaleAb::None
            } else if call.scale_mode_a == OUTER_VECTOR {
                ScaleAb::Vector
            } else {
                ScaleAb::Scalar
            },
            scale_cd: call.scale_c || call.scale_d,
            scale_alpha_vec: call.pointer_mode != 0,
            amax_d: call.amax_d,
            workspace: if call.sparse.is_some() { u64::MAX } else { call.workspace },
            multiprocessors: call.multiprocessors,
            model: device(call, rules),
            stream: StreamKEnvironment::from_variables(|name| call.variable(name)),
            experimental: call
                .variable(SELECTION_METHOD)
                .is_some_and(|value| stream_environment::leading(value) == 2),
            predicts_first: call
                .variable(PREDICTION_FIRST)
                .is_some_and(|value| stream_environment::leading(value) != 0),
            rules,
            invalid,
        }
    }

    /// M * N * batch, as 64-bit arithmetic has it.
    pub fn outputs(&self) -> u64 {
        let [m, n, batch, _] = self.sizes;
        m.wrapping_mul(n).wrapping_mul(batch)
    }
}

/// Why hipBLASLt takes a call for invalid.
fn invalid(call: &MatmulCall) -> Option<&'static str> {
    if call.sparse.is_some() {
        return sparse::invalid(call);
    }
    let types = [call.a, call.b, call.c, call.d].map(|ty| ty.tensile);
    if call.m == 0 || call.batch == 0 {
        return Some("M or the number of products is zero");
    }
    if call.epilogue.aux && !call.aux_ptr {
        return Some("the epilogue has an auxiliary matrix, and no pointer to one is set");
    }
    if call.epilogue.aux && call.aux_ld < call.m {
        return Some("the leading dimension of the auxiliary matrix is less than M");
    }
    if call.scale_mode_a != call.scale_mode_b {
        return Some("A and B are scaled in different ways");
    }
    if call.comp.xf32 && types != [DataType::Float; 4] {
        return Some("xf32 is for matrices of f32 only");
    }
    let [a, b, c, d] = types;
    let integers = a == DataType::Int8
        && b == DataType::Int8
        && matches!((c, d), (DataType::Int32, DataType::Int32) | (DataType::Int8, DataType::Int8));
    if call.comp.sums == DataType::Int32 && !integers {
        return Some("sums in i32 are for A and B of i8, and C and D both of i8 or i32");
    }
    None
}

/// What A and B are computed as: two 8-bit floats of different kinds together, else the narrower type.
fn input(a: DataType, b: DataType) -> DataType {
    match (a, b) {
        (DataType::Float8, DataType::BFloat8) => DataType::Float8BFloat8,
        (DataType::BFloat8, DataType::Float8) => DataType::BFloat8Float8,
        (DataType::Float8Fnuz, DataType::BFloat8Fnuz) => DataType::Float8BFloat8Fnuz,
        (DataType::BFloat8Fnuz, DataType::Float8Fnuz) => DataType::BFloat8Float8Fnuz,
        _ if b.bytes() < a.bytes() => b,
        _ => a,
    }
}

/// The type of a bias that the caller does not state.
fn usual_bias(call: &MatmulCall) -> DataType {
    if call.sparse.is_some() {
        return sparse::usual_bias(call.a);
    }
    usual_bias_of(call.comp, call.a, call.b, call.d)
}

fn usual_bias_of(compute: ComputeType, a: MatrixType, b: MatrixType, d: MatrixType) -> DataType {
    let family = |ty: DataType| match ty {
        DataType::Float8 | DataType::BFloat8 => 1,
        DataType::Float8Fnuz | DataType::BFloat8Fnuz => 2,
        _ => 0,
    };
    let eight_bits = family(a.tensile) != 0 && family(a.tensile) == family(b.tensile);
    match d.tensile {
        _ if compute.sums == DataType::Int32 => DataType::Int32,
        _ if compute.xf32 => DataType::Float,
        DataType::Float | DataType::BFloat16 if eight_bits => DataType::BFloat16,
        _ if eight_bits => DataType::Half,
        other => other,
    }
}

/// The device of a call as the model knows it.
fn device(call: &MatmulCall, rules: ChoiceRules) -> Option<Device> {
    let processor = call.target.split(':').next().unwrap_or_default();
    let mut device = Device::usual(processor, u64::from(call.multiprocessors))?;
    if rules >= ChoiceRules::Of1_4 {
        device.dies = device.own_dies();
    }
    Some(device)
}
