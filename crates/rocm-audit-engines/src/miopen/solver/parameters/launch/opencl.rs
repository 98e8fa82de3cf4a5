//! Direct convolutions in OpenCL. Source, MIOpen 3.3.0, `src/solver/conv`: `conv_ocl_dir2Dfwd.cpp`
//! (`BaseGetSolution`), `conv_ocl_dir2Dfwdgen.cpp`, `conv_ocl_dir2D_bwdWrW_2.cpp`.

use super::super::super::integer::Integer;
use super::{Asked, Launch, WAVE};

pub(super) fn launch(asked: &Asked<'_>) -> Option<Launch> {
    match asked.class {
        "ConvOclDirectFwd" => tiles(asked),
        "ConvOclDirectFwdGen" => any_shape(asked),
        "ConvOclBwdWrW2" => weights(asked),
        _ => None,
    }
}

fn tiles(asked: &Asked<'_>) -> Option<Launch> {
    let s = &asked.shape;
    let [_, _, in_1, in_0, out_1, out_0, out_tiles, _, stacks]: [Integer; 9] = asked.values()?;
    // Backward, a stride takes the place of the tile.
    let strided = |stride, tile| if !s.is_forward && stride > Integer::ONE { stride } else { tile };
    let ([stride_h, stride_w], [height, width]) = (s.stride, s.output);
    let (out_1, out_0) = (strided(stride_h, out_1), strided(stride_w, out_0));
    let (group_1, group_0) = ((in_1 / out_1).max(Integer(8)), (in_0 / out_0).max(Integer(8)));
    let group = group_1 * group_0;
    // A tile of the image has as many work items as the work group, so that a stack has all of them.
    let stacks = stacks.min(Integer::ONE).min(s.batch);
    let outputs = s.outputs / s.groups;
    let per_stack = out_tiles.min(outputs);
    let items = [
        width.ceil_div(group_0 * out_0) * height.ceil_div(group_1 * out_1) * group,
        outputs.ceil_div(per_stack) * s.groups,
        s.batch.ceil_div(stacks),
    ];
    Launch::new("MIOpenConvUni", items, [group, Integer::ONE, Integer::ONE])
}

fn any_shape(asked: &Asked<'_>) -> Option<Launch> {
    let s = &asked.shape;
    let ([filter_h, filter_w], [_, stride]) = (s.filter, s.stride);
    let ([_, in_width], [height, width]) = (s.input, s.output);
    let most = if filter_h == 3 && filter_w == 3 { 4 } else { 2 };
    let stacks = [4, 2].into_iter().find(|of| *of <= most && s.batch.is_multiple(*of)).unwrap_or(1);
    let is_long = filter_h >= 11 || filter_w >= 11;
    let tile_0 = Integer(if stacks > 1 { 32 } else { 16 }) / stride;
    let tile_1 = Integer(if stacks > 1 && is_long { 32 } else { 16 }) / Integer(stacks);
    let is_coarse = filter_w >= 11 && stride >= 4;
    let outputs = Integer(if in_width >= 384 || is_coarse { 16 } else { 32 }).min(s.outputs);
    let pixels = Integer(if in_width < 320 || is_coarse { 1 } else { 2 });
    let stacks = Integer(stacks);
    let taken = if stacks <= s.batch { stacks } else { Integer::ONE };
    let items = [
        width.ceil_div(pixels).round_up(tile_0),
        height.round_up(tile_1) * stacks,
        s.outputs.ceil_div(outputs) * s.batch.ceil_div(taken),
    ];
    let kernel = if stacks == 1 { "MIOpenCDFGen" } else { "MIOpenCDFGen4" };
    Launch::new(kernel, items, [tile_0, tile_1 * stacks, Integer::ONE])
}

fn weights(asked: &Asked<'_>) -> Option<Launch> {
    let s = &asked.shape;
    let loops = asked.solver.strip_prefix("ConvOclBwdWrW2<")?.strip_suffix('>')?.parse::<u32>().ok()?;
    let [waves, _, per_tile, tiles, _] = asked.values()?;
    let group = WAVE * waves;
    let items = [
        group * (s.outputs / s.groups),
        s.inputs.ceil_div(per_tile * tiles),
        s.batch.ceil_div(Integer::from(loops)),
    ];
    Launch::new("MIOpenCvBwdWrW", items, [group, Integer::ONE, Integer::ONE])
}
