//! A problem as heuristics of solvers ask for it.

use crate::miopen::problem::ConvolutionProblem;

/// A problem with the sizes that heuristics ask for, all signed as they are in MIOpen. *In* and *out* are
/// those of the key, which are exchanged for backward directions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub inputs: i64,
    pub outputs: i64,
    pub in_height: i64,
    pub in_width: i64,
    pub out_height: i64,
    pub out_width: i64,
    pub batch: i64,
    pub groups: i64,
    /// Height, width.
    pub filter: [i64; 2],
    pub pad: [i64; 2],
    pub stride: [i64; 2],
    pub dilation: [i64; 2],
    /// Elements of the type in four bytes.
    pub in_dword: i64,
}

impl Sizes {
    pub fn of_problem(p: &ConvolutionProblem<'_>) -> Sizes {
        let two = |[_, height, width]: [u32; 3]| [height, width].map(i64::from);
        let ([in_height, in_width], [out_height, out_width]) = (two(p.input), two(p.output));
        Sizes {
            inputs: p.channels.into(),
            outputs: p.filters.into(),
            in_height,
            in_width,
            out_height,
            out_width,
            batch: p.batch.into(),
            groups: i64::from(p.groups.max(1)),
            filter: two(p.filter),
            pad: two(p.pad),
            stride: two(p.stride),
            dilation: two(p.dilation),
            in_dword: if matches!(p.data_type, "FP16" | "BF16") { 2 } else { 1 },
        }
    }
}
