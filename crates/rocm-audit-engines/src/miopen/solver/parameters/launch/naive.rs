//! The naive convolution. Source, MIOpen 3.3.0: `src/solver/conv/conv_direct_naive_conv.cpp:122-230` (names),
//! `:360-1041` (sizes).

use super::super::super::integer::Integer;
use super::{Asked, Launch};
use crate::miopen::problem::Direction;

/// Types of a problem, and those of a kernel's name: of the tensors read, of the sum, of the tensor written.
static TYPES: [(&str, &str); 6] = [
    ("FP32", "float_double_float"),
    ("FP16", "half_double_half"),
    ("BF16", "ushort_double_ushort"),
    ("INT8", "int8_t_int32_t_int8_t"),
    ("INT8INT8INT32", "int8_t_int32_t_int32_t"),
    ("INT8INT8FP32", "int8_t_int32_t_float"),
];

/// Work items of each work group.
const GROUP: Integer = Integer(256);

pub(super) fn launch(asked: &Asked<'_>) -> Option<Launch> {
    let (p, s) = (asked.problem, &asked.shape);
    if !asked.class.starts_with("ConvDirectNaiveConv") || p.casts.iter().any(Option::is_some) {
        return None;
    }
    let [layout, ..] = p.layouts;
    let (_, types) = TYPES.iter().find(|(data, _)| *data == p.data_type)?;
    let channels_last = layout.ends_with('C');
    let (direction, groups) = match p.direction {
        Direction::BackwardWeights => ("wrw", s.y_channels),
        Direction::Forward if channels_last => ("fwd", s.groups * s.batch * s.y_first),
        Direction::Forward => ("fwd", s.batch * s.y_channels),
        Direction::BackwardData if channels_last => ("bwd", s.groups * s.batch * s.x_first),
        Direction::BackwardData => ("bwd", s.batch * s.x_channels),
    };
    let layout = layout.to_ascii_lowercase();
    Launch::in_line(format!("naive_conv_ab_nonpacked_{direction}_{layout}_{types}"), groups, GROUP)
}
