//! Tiles of the OpenCL kernels and their use of local memory. Sources: MIOpen 3.3.0, files under
//! `src/solver/conv/`.

use super::{Arguments, Verdict, need};
use crate::miopen::solver::integer::Integer;
use crate::miopen::solver::variable::Derived;

/// Local memory of a work group, in bytes.
const LOCAL_MEMORY: i64 = 65536;

/// The default tile of `conv_ocl_dir2Dfwd.cpp:40-118` and `conv_ocl_dir2Dfwd_exhaustive_search.cpp`.
pub(super) fn direct_forward_tile(p: &Derived, _: &Arguments) -> Verdict {
    let side = |size: Integer| match size.0 {
        ..=8 => 8,
        9..=16 => 16,
        _ => 32,
    };
    let forward = p.forward() == 1;
    let tile = |size: Integer, stride: Integer| {
        let pixels = stride.max(Integer(if side(size) == 8 { 1 } else { 2 }));
        let input = (Integer(side(size)) / pixels).max(Integer(8)) * pixels;
        let pixels = if !forward && stride > 1 { stride } else { pixels };
        let group = (input / pixels).max(Integer(8));
        (group * pixels, group)
    };
    let ((wide, group_w), (high, group_h)) = (tile(p.w(), p.sw()), tile(p.h(), p.sh()));
    need((1..=256).contains(&(group_w * group_h).0), "more than 256 work items per tile")?;
    // One image and at most two inputs and eight outputs per work group.
    let (inputs, outputs) = ((p.c() / p.g()).min(Integer(2)), (p.k() / p.g()).min(Integer(8)));
    need(p.n() > 0 && outputs > 0, "nothing to compute")?;
    let local = |tile: Integer, stride: Integer, filter: Integer| {
        if forward { (tile - 1) * stride + filter } else { (tile + filter - 1).ceil_div(stride) }
    };
    let image = local(wide, p.sw(), p.x()) * local(high, p.sh(), p.y());
    let elements = image * inputs + outputs * inputs * p.x() * p.y();
    need(elements * p.elem() <= LOCAL_MEMORY, "more than 64 KiB of local memory")
}

/// The default configuration of `conv_ocl_dir2D_bwdWrW_2.cpp`: six elements for each read, filter-height
/// rows.
pub(super) fn wrw2_tile(p: &Derived, &[batches, ..]: &Arguments) -> Verdict {
    const READ: i64 = 6;
    const MOST_WORKSPACE: i64 = 6 << 30;
    const MOST_ELEMENTS: i64 = 7_287_183_769;
    let (one, rows) = (Integer(1), p.y());
    need((2..=11).contains(&rows.0), "the filter is not 2 to 11 high")?;
    let weights = p.k() / p.g() * p.y() * p.x() * p.c();
    let blocks = p.n().ceil_div(batches);
    need(blocks >= 1 && weights * blocks <= MOST_ELEMENTS, "the workspace has too many elements")?;
    need(p.w() >= READ, "dy is less than 6 wide")?;
    let per_group = p.c() / p.g();
    let per_block = (2..=4).rev().find(|&of| per_group.is_multiple(of)).unwrap_or(1);
    need(per_group >= per_block, "no output channel per group")?;
    let high = (rows - 1) * p.sh() + p.y();
    let padded = p.ow() + p.pw() * 2;
    let reads = p.pw() + p.ow().round_up(Integer(READ));
    let right = (padded.max(reads).max(p.x() + (p.w() - 1) * p.sw()) - padded).max(Integer(0));
    let row = p.pw() + p.ow() + right;
    let row = if p.fp32() == 1 { row / 2 * 2 + 1 } else { row };
    let input = row * high + p.pw() + right;
    // Wide filters of even width are processed by halves.
    let part = if p.x() <= 7 || !p.x().is_multiple(2) { p.x() } else { p.x() / 2 };
    let lanes = p.y() * p.x().ceil_div(part);
    let filters = Integer(64) / lanes;
    need(filters > 0, "a filter needs more than 64 lanes")?;
    let span = p.w().ceil_div(filters);
    let used = filters.min(p.w().ceil_div(span));
    let output = rows * (span * used).max(p.w().ceil_div(Integer(READ)) * READ);
    let elements = (input + output).max(lanes * part * used);
    need(elements * p.elem() <= LOCAL_MEMORY, "more than 64 KiB of local memory")?;
    need(blocks <= one || weights * blocks * p.elem() <= MOST_WORKSPACE, "the workspace is beyond 6 GiB")
}

/// Rows of the input in local memory: `conv_ocl_dir2D_bwdWrW_53.cpp:46-152`.
pub(super) fn wrw53_rows(p: &Derived, _: &Arguments) -> Verdict {
    let (two, filter) = (Integer(2), p.x() * p.y());
    let small = filter <= 16;
    let waves = match (small && p.w() > 8, p.w() <= 16) {
        (true, _) => 4,
        (false, true) => 1,
        (false, false) => 2,
    };
    let at_once = Integer(if p.w() <= 32 && small { 4 } else { 1 });
    let mut inputs = at_once.min(p.k() / p.g());
    let unit = (2..=4).rev().find(|&of| p.ow().is_multiple(of)).unwrap_or(1);
    let whole = p.ow().round_up(Integer(unit)) + p.pw() * 2;
    let halved = p.oh() > 32 && p.ow() <= 64 && small;
    let mut rows = if halved { (p.oh() + 1) / 2 } else { p.oh() };
    let mut row = whole;
    let most = Integer(LOCAL_MEMORY) / (two * p.elem());
    // Each step halves one of three numbers, or trades inputs for rows once, so the loop ends.
    while inputs * rows * (row + p.x() - 1) > most {
        if rows < 2 && inputs >= 2 {
            rows = p.h();
            inputs = inputs.ceil_div(two);
        } else if rows >= p.y() * 2 && rows > 1 {
            rows = rows.ceil_div(two);
        } else if rows >= p.y() && row > 2 {
            row = row.ceil_div(two);
        } else {
            return Err("rows do not fit in local memory");
        }
    }
    need(p.x() * (64 * waves) <= most, "the filter is too wide for local memory")?;
    need(rows > 0, "no rows")?;
    if row == whole {
        return Ok(());
    }
    let row = row + p.x() - 1;
    let loops = if row == whole {
        Integer(1)
    } else {
        need(row - p.x() + 1 > 0, "rows cannot be split")?;
        (whole - p.pw() * 2 - row).ceil_div(row - p.x() + 1) + 1
    };
    need(loops <= 2 || p.pw() == 0, "more than two splits of a padded row")?;
    need(loops <= 1 || p.g() == 1, "split rows with groups")
}
