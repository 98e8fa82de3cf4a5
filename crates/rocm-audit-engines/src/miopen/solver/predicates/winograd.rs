//! Limits of the Winograd shaders. Sources: MIOpen 3.3.0, files under `src/solver/conv/`.

use super::{Arguments, Verdict, need};
use crate::miopen::solver::integer::Integer;
use crate::miopen::solver::variable::Derived;

/// The problem as the RxS shader sees it: for backward weights the image is its filter and the filter its
/// output.
pub(super) const RXS_ARGUMENTS: [&str; 12] =
    ["R", "S", "stride of R", "stride of S", "C", "K", "H", "W", "OH", "OW", "N", "filter tile"];

/// `conv_bin_winoRxS.cpp:74-211`.
pub(super) fn rxs_shader(p: &Derived, a: &Arguments) -> Verdict {
    let &[r, s, r_stride, s_stride, c, k, h, w, oh, ow, n, tile] = a;
    let (fp16, double) = (p.fp16() == 1, tile * 2);
    let padded_s = if s_stride == 1 && s <= tile { tile } else { s.round_up(double) };
    let padded_r = r.round_up(if r_stride == 1 || r % double == 1 { tile } else { double });
    need(!fp16 || c.is_multiple(2), "FP16 with an odd C")?;
    let single = s_stride == 1 && s <= tile;
    need(!single || c.is_multiple(if fp16 { 4 } else { 2 }), "C is no multiple of 2, or of 4 for FP16")?;
    let dilated = p.backward_data() == 1 && s_stride != 1;
    if fp16 {
        if dilated {
            let rows = r.ceil_div(double) + (r + tile + 1) / double;
            need(c.is_multiple(4), "FP16, backward, stride 2: C is no multiple of 4")?;
            need(c * rows * s.ceil_div(double) >= 36, "too few filter tiles")?;
        }
        need(padded_r * padded_s * c >= tile * tile * 36, "too few filter tiles")?;
    } else {
        need(!dilated || r > 1, "backward, stride 2: R is 1")?;
        need(!dilated || c.is_multiple(2), "backward, stride 2: C is odd")?;
        let columns = padded_s / if dilated { double } else { tile };
        need(padded_r / tile * columns * c >= 18, "fewer than 18 filter tiles")?;
    }
    let sixteen = |value: Integer| value < 1 << 16;
    if p.forward() == 0 {
        need(p.bph() >= 0 && p.bpw() >= 0, "the padding of the backward convolution is negative")?;
        need(sixteen(p.bph()) && sixteen(p.bpw()), "the padding of the backward convolution leaves 16 bits")?;
    }
    let sizes = [n, c, k, h, w, oh, ow, p.pw(), p.ph(), s, r];
    need(sizes.into_iter().all(sixteen), "a size leaves 16 bits")?;
    need(oh * ow <= 1 << 23, "an output image beyond 2^23")?;
    let products = [c * h * w, k * oh * ow, k * r * s, c * r * s];
    need(products.into_iter().all(|product| product <= 1 << 28), "a tensor slice beyond 2^28")
}

/// Arguments of the limit checks.
pub(super) const LIMIT_ARGUMENTS: [&str; 9] = ["R", "S", "C", "K", "H", "W", "OH", "OW", "N"];

fn common(p: &Derived, a: &Arguments) -> Verdict {
    let &[r, s, c, k, h, w, oh, ow, n, ..] = a;
    let sizes = [n, c, h, w, k, s, r, oh, ow, p.pw(), p.ph()];
    need(sizes.into_iter().all(|size| size < 1 << 16), "a size leaves 16 bits")?;
    need(k * r * s < 1 << 28, "K*R*S beyond 2^28")
}

/// `conv_winoRxS.cpp`, IsShaderConstraintsMetV21.
pub(super) fn v21_limits(p: &Derived, a: &Arguments) -> Verdict {
    common(p, a)?;
    let &[r, s, c, k, h, w, oh, ow, n, ..] = a;
    need(c * r * s < 1 << 22, "C*R*S beyond 2^22")?;
    let (out_k, in_c) = (oh * ow, h * w);
    let (out_n, in_n) = (out_k * k, in_c * c);
    let tiles = oh.ceil_div(Integer(2)) * ow.ceil_div(Integer(2));
    let plain = [p.sh(), p.sw(), p.dh(), p.dw()].into_iter().all(|steps| steps == 1);
    let small = out_n + out_k < 1 << 29 && in_n + in_c < 1 << 29;
    let blocked = plain && out_n < 1 << 30 && in_n < 1 << 30 && (n == 1 || tiles.is_multiple(16));
    need(small || blocked, "an image beyond 2^29, or beyond 2^30 in whole tiles")
}

/// `conv_winoRxS.cpp`, IsShaderConstraintsMetV30.
pub(super) fn v30_limits(p: &Derived, a: &Arguments) -> Verdict {
    common(p, a)?;
    let &[r, s, c, k, h, w, oh, ow, ..] = a;
    need(h * w < 1 << 29, "H*W beyond 2^29")?;
    need((c + 1) * h * w < 1 << 30, "(C+1)*H*W beyond 2^30")?;
    need((c + 1) * r * s < 1 << 22, "(C+1)*R*S beyond 2^22")?;
    need((k + 1) * oh * ow < 1 << 30, "(K+1)*OH*OW beyond 2^30")
}

/// Bytes of the transformed input, output and filter: `conv_multipass_wino3x3WrW.cpp`.
fn multipass_buffers(p: &Derived, a: &Arguments) -> [Integer; 3] {
    let &[data_h, filter_h, data_w, filter_w, ..] = a;
    // A data tile of 7 is composed of strided ones.
    let side = |data: Integer, filter: Integer, stride: Integer| {
        data + (filter - 1) * if data == 7 { Integer(2) } else { stride }
    };
    let (high, wide) = (side(data_h, filter_h, p.sh()), side(data_w, filter_w, p.sw()));
    let tiles = p.h().ceil_div(filter_h) * high * p.w().ceil_div(filter_w) * wide;
    [p.n() * p.k() * tiles, p.k() * p.c() * high * wide, p.n() * p.c() * tiles]
        .map(|elements| elements * p.elem())
}

/// `conv_multipass_wino3x3WrW.cpp:374-561`.
pub(super) fn multipass_workspace(p: &Derived, a: &Arguments) -> Verdict {
    let [input, output, filter] = multipass_buffers(p, a);
    need(input + output + filter <= a[4], "the workspace is larger")
}

/// `conv_multipass_wino3x3WrW.cpp:374-561`.
pub(super) fn multipass_offsets(p: &Derived, a: &Arguments) -> Verdict {
    let [input, output, _] = multipass_buffers(p, a);
    need((input + output) / p.elem() < 1 << 31, "offsets leave 31 bits")
}

/// `conv_MP_bidirectional_winograd.cpp:319-371`.
pub(super) fn bidirectional_buffers(p: &Derived, &[tile, limit, ..]: &Arguments) -> Verdict {
    let (k, c) = (p.k() / p.g(), p.c() / p.g());
    let transform = p.g() * (tile + 2) * (tile + 2) * 4;
    let tiles = p.oh().ceil_div(tile) * p.ow().ceil_div(tile);
    let (input, output) = (p.n() * c * tiles * transform, p.n() * k * tiles * transform);
    let weights = k * c * transform;
    need((input + output) / 4 < 1 << 31, "offsets leave 31 bits")?;
    need(input + output + weights <= limit, "the workspace is too large")?;
    let largest = [p.in_bytes(), p.out_bytes(), p.weight_bytes(), input, output, weights];
    need(largest.into_iter().all(|bytes| bytes <= 1 << 31), "a buffer beyond 2 GiB")
}

/// `conv_wino_fury_RxS.cpp:81-100`, with the transformation of ungrouped problems in
/// `winograd_kernel_interface.cpp:64-155`.
pub(super) fn fury_limits(p: &Derived, &[units, ..]: &Arguments) -> Verdict {
    let weights = p.backward_weights() == 1;
    let (n, c, k) = if weights { (p.k(), p.n(), p.c()) } else { (p.n(), p.c(), p.k()) };
    let (h, w, oh, ow) =
        if weights { (p.oh(), p.ow(), p.y(), p.x()) } else { (p.h(), p.w(), p.oh(), p.ow()) };
    let (pad_h, pad_w) = if p.backward_data() == 1 { (p.bph(), p.bpw()) } else { (p.ph(), p.pw()) };
    need([n, c, h, w, oh, ow + 3].into_iter().all(|size| size < 1 << 16), "a size leaves 16 bits")?;
    let padding = i64::from(i16::MIN)..=i64::from(i16::MAX);
    need(padding.contains(&pad_h.0) && padding.contains(&pad_w.0), "the padding leaves 16 bits")?;
    need(((n - 1) * c + 1) * h * w < 1 << 31, "the input leaves 31 bits")?;
    need(((n - 1) * k + 1) * oh * ow < 1 << 31, "the output leaves 31 bits")?;
    need(
        k.ceil_div(Integer(16)) <= units.min(Integer(255)),
        "16 output channels for each compute unit are too few",
    )
}

/// ROCm/rocm-libraries 217eefbe2a4f `conv_wino_fury_RxS.cpp`, `ShaderModelV4::IsShaderConstraintsMet`.
pub(super) fn fury_gfx12_limits(p: &Derived, &[units, ..]: &Arguments) -> Verdict {
    let (weights, g) = (p.backward_weights() == 1, p.g());
    let (of_c, of_k) = (p.c() / g, p.k() / g);
    let (n, c, k) = if weights { (of_k, p.n(), of_c) } else { (p.n(), of_c, of_k) };
    let (h, w, r, s, oh, ow) = match weights {
        true => (p.oh(), p.ow(), p.h(), p.w(), p.y(), p.x()),
        false => (p.h(), p.w(), p.y(), p.x(), p.oh(), p.ow()),
    };
    let (pad_h, pad_w) = if p.backward_data() == 1 { (p.bph(), p.bpw()) } else { (p.ph(), p.pw()) };
    let sizes = [n, g, c, k, h, w, oh, ow + 3, g * k, g * c];
    need(sizes.into_iter().all(|size| size < 1 << 16), "a size leaves 16 bits")?;
    need(((g * k - 1) * c + 1) * r * s < 1 << 28, "the filters leave 28 bits")?;
    need(((n - 1) * g * c + 1) * h * w < 1 << 31, "the input leaves 31 bits")?;
    need(((n - 1) * g * k + 1) * oh * ow < 1 << 31, "the output leaves 31 bits")?;
    let rows = [pad_h + h, Integer(pad_h.0.saturating_abs()) + oh + r];
    let columns = [pad_w + w, Integer(pad_w.0.saturating_abs()) + ow + s];
    need(rows.into_iter().chain(columns).all(|size| size <= 1 << 16), "a padded size leaves 16 bits")?;
    need(
        k.ceil_div(Integer(16)) <= units.min(Integer(255)),
        "16 output channels for each compute unit are too few",
    )
}
