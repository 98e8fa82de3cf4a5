//! A convolution in words.

use crate::engines::miopen::problem::{ConvolutionProblem, Direction};

/// Describes the problem as its forward convolution.
pub(super) fn words(p: &ConvolutionProblem<'_>) -> String {
    let forward = p.forward();
    let skip = usize::from(p.dimensions == 2);
    let by = |extent: &[u32; 3]| {
        extent.get(skip..).unwrap_or_default().iter().map(u32::to_string).collect::<Vec<_>>().join("×")
    };
    let short = |extent: &[u32; 3]| {
        let [.., last] = extent;
        let same = extent.get(skip..).unwrap_or_default().iter().all(|step| step == last);
        if same { last.to_string() } else { by(extent) }
    };
    let direction = match p.direction {
        Direction::Forward => "forward",
        Direction::BackwardData => "backward data",
        Direction::BackwardWeights => "backward weights",
    };
    let groups = if p.groups == 1 { String::new() } else { format!(", {} groups", p.groups) };
    let dilation = if p.dilation.get(skip..).is_some_and(|d| d.iter().all(|d| *d == 1)) {
        String::new()
    } else {
        format!(" l{}", short(&p.dilation))
    };
    format!(
        "{direction} {} {}  N{} C{} {} K{} {} s{} p{}{dilation}{groups}",
        p.data_type,
        p.layouts.first().unwrap_or(&""),
        p.batch,
        forward.channels,
        by(&forward.input),
        forward.filters,
        by(&p.filter),
        short(&p.stride),
        short(&p.pad),
    )
}
