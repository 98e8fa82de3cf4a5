//! Tiles of the implicit GEMM solvers. Sources: MIOpen 3.3.0, files under `src/solver/conv/`.

use super::{Arguments, Verdict, need};
use crate::miopen::solver::integer::Integer;
use crate::miopen::solver::variable::Derived;

/// What a kernel in the assembly v4r1 table must divide: GemmN for each block without its vectors, K, C*Y*X,
/// and the batch.
struct Tile {
    b: i64,
    k: i64,
    e: i64,
    n: i64,
}

/// `conv_asm_implicit_gemm_v4r1_dynamic.cpp:73-86`.
const FORWARD_TILES: [Tile; 7] = [
    Tile { b: 16, k: 128, e: 16, n: 8 },
    Tile { b: 16, k: 128, e: 8, n: 8 },
    Tile { b: 8, k: 128, e: 8, n: 8 },
    Tile { b: 8, k: 64, e: 8, n: 8 },
    Tile { b: 16, k: 32, e: 4, n: 8 },
    Tile { b: 16, k: 16, e: 4, n: 4 },
    Tile { b: 8, k: 32, e: 4, n: 4 },
];

/// `conv_asm_implicit_gemm_v4r1_dynamic.cpp:168-279`.
pub(super) fn asm_v4r1_forward_tile(p: &Derived, _: &Arguments) -> Verdict {
    let e = p.c() * p.y() * p.x();
    let fits = |tile: &Tile| {
        let b = p.n() / tile.n * p.oh() * p.ow();
        p.n().is_multiple(tile.n)
            && p.k().is_multiple(tile.k)
            && b.is_multiple(tile.b)
            && e.is_multiple(tile.e)
    };
    need(FORWARD_TILES.iter().any(fits), "no tile divides K, N*Ho*Wo and C*Y*X")
}

/// The part of dx that a backward v4r1 convolution computes along one axis, and its number of tilde steps.
pub(in crate::miopen::solver) struct Axis {
    /// Output positions that reach the input.
    pub(in crate::miopen::solver) span: Integer,
    /// Filter positions in each part.
    dot: Integer,
    /// Number of parts.
    pub(in crate::miopen::solver) tilde: Integer,
    filter: Integer,
}

impl Axis {
    pub(in crate::miopen::solver) fn new(
        input: Integer,
        output: Integer,
        filter: Integer,
        pad: Integer,
        stride: Integer,
        dilation: Integer,
    ) -> Axis {
        let tilde = stride / stride.gcd(dilation);
        let total = output + (dilation * (filter - 1)).ceil_div(stride);
        let left = (pad - dilation * (tilde - 1)).max(Integer(0)) / stride;
        let right = total.min((pad + input - 1).ceil_div(stride) + 1);
        Axis { span: right - left, dot: filter.ceil_div(tilde), tilde, filter }
    }

    /// Filter positions in the first part and in the last one, which alone can be different.
    pub(super) fn slices(&self) -> [Integer; 2] {
        [self.slice(Integer(0)), self.slice(self.tilde - 1)]
    }

    /// Filter positions in one part.
    pub(in crate::miopen::solver) fn slice(&self, part: Integer) -> Integer {
        if (part + 1) * self.dot <= self.filter { self.dot } else { self.filter % self.dot }
    }
}

/// A stride or dilation; over a single position it counts as 1.
pub(in crate::miopen::solver) fn over(steps: Integer, positions: Integer) -> Integer {
    if positions > 1 { steps } else { Integer::ONE }
}

/// Height and width of the input gradient; a stride or dilation over a single position counts as 1.
fn axes(p: &Derived) -> (Axis, Axis) {
    let (sh, sw) = (over(p.sh(), p.ho()), over(p.sw(), p.wo()));
    let (dh, dw) = (over(p.dh(), p.y()), over(p.dw(), p.x()));
    (Axis::new(p.hi(), p.ho(), p.y(), p.ph(), sh, dh), Axis::new(p.wi(), p.wo(), p.x(), p.pw(), sw, dw))
}

/// `conv_asm_implicit_gemm_gtc_bwd_nhwc.cpp:409-455`.
pub(super) fn spans(p: &Derived) -> [Integer; 2] {
    let (sh, sw) = (over(p.sh(), p.hi()), over(p.sw(), p.wi()));
    let (dh, dw) = (over(p.dh(), p.y()), over(p.dw(), p.x()));
    let height = Axis::new(p.hi(), p.ho(), p.y(), p.ph(), sh, dh);
    let width = Axis::new(p.wi(), p.wo(), p.x(), p.pw(), sw, dw);
    [height.span, width.span]
}

/// `conv_asm_implicit_gemm_bwd_v4r1_dynamic.cpp:132-181`.
pub(super) fn asm_v4r1_backward_tile(p: &Derived, _: &Arguments) -> Verdict {
    let (height, width) = axes(p);
    let (m, n, k) = (p.fwd_c(), p.n() * height.span * width.span, p.fwd_k());
    let divides =
        |of_m: i64, of_n: i64, of_k: i64| m.is_multiple(of_m) && n.is_multiple(of_n) && k.is_multiple(of_k);
    let one = |value: Integer| value == 1;
    let over = |steps: Integer, positions: Integer| positions <= 1 || one(steps);
    let plain = one(p.y())
        && one(p.x())
        && over(p.sh(), p.ho())
        && over(p.sw(), p.wo())
        && p.ph() == 0
        && p.pw() == 0;
    let plain_fits = (divides(128, 128, 8) && (p.ho() * p.wo()).is_multiple(16))
        || (divides(64, 64, 8) && p.n().is_multiple(64));
    need(
        divides(128, 128, 16) || (plain && plain_fits),
        "GemmM, GemmN, GemmK are no multiples of 128, 128, 16, nor of the two 1x1 tiles",
    )
}

/// `conv_asm_implicit_gemm_wrw_v4r1_dynamic.cpp:283-315`: split parts are added up by a HIP kernel.
pub(super) fn asm_v4r1_weights_unsplit(p: &Derived, _: &Arguments) -> Verdict {
    need(p.gemm_k_parts() <= 1, "GemmK is split")
}

/// `conv_asm_implicit_gemm_wrw_v4r1_dynamic.cpp:297-352`.
pub(super) fn asm_v4r1_weights_tile(p: &Derived, _: &Arguments) -> Verdict {
    let channels = p.fwd_c();
    let (m, n, k) = (p.fwd_k(), channels * p.y() * p.x(), p.n() * p.h() * p.w());
    let (of_c, k_per_block) = if m.is_multiple(128) && n.is_multiple(128) {
        (8, 16)
    } else if m.is_multiple(32) && n.is_multiple(32) {
        (4, 4)
    } else {
        return Err("GemmM or GemmN is no multiple of 32");
    };
    need(channels.is_multiple(of_c), "C is no multiple of 8, or of 4 with the small tile")?;
    need(k % (p.gemm_k_parts() * k_per_block) == 0, "GemmK cannot be split")
}

pub(super) fn grid(m: Integer, n: Integer, k: Integer) -> Verdict {
    need(m.is_multiple(16) || n.is_multiple(64), "GemmM is no multiple of 16 and GemmN none of 64")?;
    let fits = (m * n).is_multiple(256)
        && (k * m).is_multiple(64)
        && (k * n).is_multiple(64)
        && n.is_multiple(16)
        && m.is_multiple(4)
        && k.is_multiple(4);
    need(fits, "GemmM, GemmN, GemmK do not fill the xdlops grid")
}

/// `src/include/miopen/solver/implicitgemm_util.hpp`, IsValidGridGemmXdlops.
pub(super) fn xdlops_grid(_: &Derived, &[m, n, k, ..]: &Arguments) -> Verdict {
    grid(m, n, k)
}

/// `conv_hip_implicit_gemm_fwd_v4r4_xdlops_padded_gemm.cpp:1030-1104`.
pub(super) fn xdlops_padded_grid(_: &Derived, &[m, n, k, ..]: &Arguments) -> Verdict {
    let padded = (m.round_up(Integer(16)), n.round_up(Integer(64)), k.round_up(Integer(4)));
    need(padded != (m, n, k), "nothing to pad: ConvHipImplicitGemmForwardV4R4Xdlops takes it")?;
    grid(padded.0, padded.1, padded.2)
}

/// M, N and each different K of the parts, by `conv_hip_implicit_gemm_bwd_v4r1.cpp:607-794`.
pub(in crate::miopen::solver) fn backward_v4r1_products(p: &Derived) -> (Integer, Integer, Vec<Integer>) {
    let (height, width) = axes(p);
    let depth = Axis::new(p.di(), p.d_o(), p.z(), p.pd(), over(p.sd(), p.d_o()), over(p.dd(), p.z()));
    let flat = p.dim() == 2;
    let n = p.n() * height.span * width.span * if flat { Integer(1) } else { depth.span };
    let of_depth = if flat { [Integer(1); 2] } else { depth.slices() };
    let mut depths = Vec::with_capacity(8);
    for planes in of_depth {
        for rows in height.slices() {
            depths.extend(width.slices().map(|columns| p.fwd_k() * planes * rows * columns));
        }
    }
    (p.fwd_c(), n, depths)
}

/// GemmM and GemmN are multiples of 32, and GemmK of every part of 4.
pub(super) fn backward_v4r1_parts(p: &Derived, _: &Arguments) -> Verdict {
    let (m, n, depths) = backward_v4r1_products(p);
    need(m.is_multiple(32) && n.is_multiple(32), "GemmM or GemmN is no multiple of 32")?;
    need(depths.iter().all(|k| k.is_multiple(4)), "GemmK of a part is no multiple of 4")
}

/// M, N and each different K of the parts of the transform, by `conv_hip_implicit_gemm_bwd_v4r1_xdlops.cpp:733-809`.
/// The depths depend on the sizes of the slices, and each axis has at most two: the full one and the last.
pub(super) fn v4r1_parts(p: &Derived) -> (Integer, Integer, Vec<Integer>) {
    let (height, width) = axes(p);
    let (m, n) = (p.fwd_c() / p.g(), p.n() * height.span * width.span);
    let channels = p.fwd_k() / p.g();
    if height.tilde < 1 || width.tilde < 1 {
        return (m, n, Vec::new());
    }
    let depths =
        height.slices().into_iter().flat_map(|rows| width.slices().map(|columns| channels * rows * columns));
    (m, n, depths.collect())
}

/// `conv_hip_implicit_gemm_bwd_v4r1_xdlops.cpp:812-874`: each part of the transform must fill the grid.
pub(super) fn xdlops_v4r1_parts(p: &Derived, _: &Arguments) -> Verdict {
    let (m, n, depths) = v4r1_parts(p);
    depths.into_iter().try_for_each(|k| grid(m, n, k))
}
