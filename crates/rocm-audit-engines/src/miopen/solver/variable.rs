//! The variables that the conditions of rules may name: one table.

use super::context::Context;
use super::integer::Integer;
use crate::miopen::problem::{ConvolutionProblem, Direction};

/// A variable of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Name in rules.
    pub name: &'static str,
    /// Meaning of its value.
    pub means: &'static str,
}

/// A problem in numbers that conditions can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    values: [Integer; VARIABLES.len()],
}

macro_rules! variables {
    ($given:ident; $($name:ident $means:literal = $value:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        enum VariableIndex { $($name,)* }

        /// Every variable, in the order of [`Derived::value`]. Booleans are 1 or 0.
        pub const VARIABLES: &[Variable] = &[$(Variable { name: stringify!($name), means: $means },)*];

        impl Derived {
            $(
                #[doc = $means]
                #[inline]
                pub fn $name(&self) -> Integer {
                    self.values[VariableIndex::$name as usize]
                }
            )*
        }

        impl VariableSources<'_> {
            fn values(&self) -> [Integer; VARIABLES.len()] {
                let $given = self;
                [$(Integer::from($value),)*]
            }
        }
    };
}

impl Derived {
    /// The value of the variable at an index of `VARIABLES`; 0 beyond the last.
    #[inline]
    pub fn value(&self, place: usize) -> Integer {
        self.values.get(place).copied().unwrap_or_default()
    }
}

impl From<&ConvolutionProblem<'_>> for Derived {
    fn from(problem: &ConvolutionProblem<'_>) -> Self {
        Derived { values: VariableSources::from_key(problem, [0; 2]).values() }
    }
}

impl Derived {
    /// A problem on the device of a context.
    pub fn on(context: &Context, problem: &ConvolutionProblem<'_>) -> Derived {
        let units = [context.compute_units, context.hardware_compute_units()];
        Derived { values: VariableSources::from_key(problem, units).values() }
    }
}

/// Values that several variables are made from.
struct VariableSources<'a> {
    key: &'a ConvolutionProblem<'a>,
    forward: crate::miopen::problem::Forward,
    element: Integer,
    groups: Integer,
    input: Integer,
    output: Integer,
    filter: Integer,
    /// Compute units as HIP counts them, and as the hardware counts them.
    units: [u32; 2],
}

impl<'a> VariableSources<'a> {
    fn from_key(key: &'a ConvolutionProblem<'a>, units: [u32; 2]) -> Self {
        let volume = |sizes: [u32; 3]| sizes.iter().fold(Integer(1), |all, &size| all * Integer::from(size));
        VariableSources {
            key,
            forward: key.forward(),
            element: Integer(element_bytes(key.data_type)),
            groups: Integer::from(key.groups),
            input: volume(key.input) * Integer::from(key.channels),
            output: volume(key.output) * Integer::from(key.filters),
            filter: volume(key.filter),
            units,
        }
    }

    fn layout(&self, two: &str, three: &str) -> bool {
        self.key.layouts == [if self.key.dimensions == 2 { two } else { three }; 3]
    }

    fn type_is(&self, names: &[&str]) -> bool {
        names.contains(&self.key.data_type)
    }

    /// Source, MIOpen 3.3.0: `src/solver/conv/conv_asm_implicit_gemm_wrw_v4r1_dynamic.cpp:48-77, 264-274`.
    fn gemm_k_parts(&self) -> Integer {
        let forward = &self.forward;
        let batch = Integer::from(self.key.batch);
        let gemm_n = Integer::from(forward.channels)
            * Integer::from(self.key.filter[1])
            * Integer::from(self.key.filter[2]);
        let is_large = Integer::from(forward.filters).is_multiple(128) && gemm_n.is_multiple(128);
        let per_block = if is_large { 16 } else { 4 };
        let gemm_k = batch * Integer::from(self.key.input[1]) * Integer::from(self.key.input[2]);
        let mut parts = Integer(2);
        for power in 0..6 {
            let fits = batch.is_multiple(1 << power)
                && gemm_k % (batch / (1 << power) * per_block) == 0
                && batch > 0;
            if !fits {
                break;
            }
            parts = Integer(1 << power);
        }
        parts
    }

    /// Of the tensors in, weights, out: whether the one is cast to an eight-bit float.
    fn cast_f8(&self, tensor: usize) -> bool {
        self.key.casts.get(tensor).is_some_and(|cast| matches!(cast, Some("FP8" | "BF8")))
    }

    /// Whether every length and stride of x, w and y fits an `int`: the largest stride is that of one image
    /// or filter.
    fn fits(&self) -> bool {
        let filter = Integer::from(self.forward.channels) / self.groups * self.filter;
        self.input.max(self.output).max(filter) < 1 << 31
    }
}

fn element_bytes(data_type: &str) -> i64 {
    match data_type {
        "FP16" | "BF16" => 2,
        "FP8" | "BF8" | "BFP8" => 1,
        "FP64" => 8,
        joined if joined.starts_with("INT8") => 1,
        _ => 4,
    }
}

variables! { p;
    dim "Spatial dimensions, 2 or 3." = u32::from(p.key.dimensions);
    n "Batch." = p.key.batch;
    c "Channels of in, as the key has it: of x forward, of dy backward." = p.key.channels;
    d "Depth of in, 1 in 2D." = p.key.input[0];
    h "Height of in." = p.key.input[1];
    w "Width of in." = p.key.input[2];
    k "Channels of out, as the key has it: of y forward, of dx or x backward." = p.key.filters;
    od "Depth of out, 1 in 2D." = p.key.output[0];
    oh "Height of out." = p.key.output[1];
    ow "Width of out." = p.key.output[2];
    z "Depth of the filter, 1 in 2D." = p.key.filter[0];
    y "Height of the filter." = p.key.filter[1];
    x "Width of the filter." = p.key.filter[2];
    pd "Padding in depth, 0 in 2D." = p.key.pad[0];
    ph "Padding in height." = p.key.pad[1];
    pw "Padding in width." = p.key.pad[2];
    sd "Stride in depth, 0 in 2D." = p.key.stride[0];
    sh "Stride in height." = p.key.stride[1];
    sw "Stride in width." = p.key.stride[2];
    dd "Dilation in depth, 0 in 2D." = p.key.dilation[0];
    dh "Dilation in height." = p.key.dilation[1];
    dw "Dilation in width." = p.key.dilation[2];
    g "Groups." = p.key.groups;
    bias "The bias of the key, 0 in every shipped record." = p.key.bias;
    forward "The direction is F." = p.key.direction == Direction::Forward;
    backward_data "The direction is B." = p.key.direction == Direction::BackwardData;
    backward_weights "The direction is W." = p.key.direction == Direction::BackwardWeights;
    elem "Bytes of an element." = p.element;
    fp32 "The type is FP32." = p.type_is(&["FP32"]);
    fp16 "The type is FP16." = p.type_is(&["FP16"]);
    bf16 "The type is BF16." = p.type_is(&["BF16"]);
    fp8 "The type is FP8." = p.type_is(&["FP8"]);
    bf8 "The type is BF8." = p.type_is(&["BF8", "BFP8"]);
    any_float "The type is FP32, FP16 or BF16." = p.type_is(&["FP32", "FP16", "BF16"]);
    int8 "The type is INT8, whatever the output is." = p.key.data_type.starts_with("INT8");
    int8_in_out "The type is INT8 with an INT8 output." = p.type_is(&["INT8"]);
    int8_out_32 "The type is INT8 with an INT32 or FP32 output." = p.type_is(&["INT8INT8INT32", "INT8INT8FP32"]);
    int8_out_int32 "The type is INT8 with an INT32 output." = p.type_is(&["INT8INT8INT32"]);
    cast "A tensor is cast." = p.key.casts.iter().any(Option::is_some);
    cast_in_f8 "In is cast to FP8 or BF8." = p.cast_f8(0);
    cast_weights_f8 "The weights are cast to FP8 or BF8." = p.cast_f8(1);
    cast_out_f8 "Out is cast to FP8 or BF8." = p.cast_f8(2);
    default_layout "All three tensors are NCHW, or NCDHW in 3D." = p.layout("NCHW", "NCDHW");
    channels_last "All three tensors are NHWC, or NDHWC in 3D." = p.layout("NHWC", "NDHWC");
    fits_int "Every length and stride of x, w and y fits 31 bits." = p.fits();
    in_bytes "Bytes of in." = Integer::from(p.key.batch) * p.input * p.element;
    out_bytes "Bytes of out." = Integer::from(p.key.batch) * p.output * p.element;
    weight_bytes "Bytes of the weights." =
        Integer::from(p.key.channels) * Integer::from(p.key.filters) / p.groups * p.filter * p.element;
    bph "Padding in height of the backward convolution: y - ph - 1, may be negative." =
        Integer::from(p.key.filter[1]) - Integer::from(p.key.pad[1]) - 1;
    bpw "Padding in width of the backward convolution: x - pw - 1, may be negative." =
        Integer::from(p.key.filter[2]) - Integer::from(p.key.pad[2]) - 1;
    fwd_c "Channels of x, whatever the direction." = p.forward.channels;
    fwd_k "Channels of y, whatever the direction." = p.forward.filters;
    di "Depth of x, whatever the direction." = p.forward.input[0];
    hi "Height of x, whatever the direction." = p.forward.input[1];
    wi "Width of x, whatever the direction." = p.forward.input[2];
    d_o "Depth of y, whatever the direction." = p.forward.output[0];
    ho "Height of y, whatever the direction." = p.forward.output[1];
    wo "Width of y, whatever the direction." = p.forward.output[2];
    gemm_k_parts "Into how many parts ConvAsmImplicitGemmV4R1DynamicWrw splits GemmK, a power of two." = p.gemm_k_parts();
    units "Compute units of the device as HIP counts them, 0 without a device." = p.units[0];
    hardware_units "Compute units of the device, twice its work group processors, 0 without a device." = p.units[1];
}
