//! Whether an assembly GTC solver has a kernel for a problem: FindImplicitGemmGtcDynamicFwdKernel,
//! FindImplicitGemmGtcDynamicBwdKernel and FindImplicitGemmWrwGTCDynamicXdlopsKernel of MIOpen 3.3.0.

use super::gtc_kernels::{BACKWARD, FORWARD, Kernel, WEIGHTS};
use super::implicit_gemm::{Axis, over};
use super::{Arguments, Verdict, need};
use crate::miopen::solver::integer::Integer;
use crate::miopen::solver::variable::Derived;

const NO_KERNEL: &str = "the table has no kernel that divides the GEMM";
/// Most work groups with which backward weights fills a device.
const MOST_GROUPS: i64 = 1200;

/// A row of a table.
struct GtcRow {
    half: bool,
    /// Number of images side by side, and whether more than a plain 1x1 convolution is supported.
    nxb: i64,
    nxe: bool,
    m: i64,
    n: i64,
    k: i64,
    rest: [i64; 4],
}

impl GtcRow {
    fn from_kernel(kernel: &Kernel) -> GtcRow {
        let [half, nxb, nxe, m, n, k, rest @ ..] = kernel.map(i64::from);
        GtcRow { half: half == 1, nxb, nxe: nxe == 1, m, n, k, rest }
    }

    /// Whether the batch fills the images that lie side by side.
    fn takes_batch(&self, p: &Derived) -> bool {
        self.n % self.nxb == 0 && p.n().is_multiple(self.n / self.nxb)
    }

    /// Positions in an image, padded to a multiple if the kernel does so.
    fn image(&self, positions: Integer) -> Integer {
        if self.nxe { positions.round_up(Integer(self.nxb)) } else { positions }
    }
}

fn rows(table: &'static [Kernel], p: &Derived) -> impl Iterator<Item = GtcRow> {
    let half = p.fp16() == 1;
    table.iter().map(GtcRow::from_kernel).filter(move |row| row.half == half)
}

/// 1x1 without padding, stride and dilation.
fn is_plain(p: &Derived, strides: [Integer; 2]) -> bool {
    let dilations = [over(p.dh(), p.y()), over(p.dw(), p.x())];
    let ones = [p.y(), p.x()].into_iter().chain(strides).chain(dilations).all(|size| size == 1);
    ones && p.ph() == 0 && p.pw() == 0
}

/// Forward.
pub(super) fn forward_kernel(p: &Derived, _: &Arguments) -> Verdict {
    let strides = [over(p.sh(), p.h()), over(p.sw(), p.w())];
    let (plain, one) = (is_plain(p, strides), p.y() == 1 && p.x() == 1);
    let (gemm_m, gemm_k) = (p.k(), p.c() * p.y() * p.x());
    let fits = |row: GtcRow| {
        let [a_pieces, b_pieces, ..] = row.rest;
        let whole_k = gemm_k.is_multiple(row.k);
        (row.nxe || plain)
            && (p.n() * row.image(p.oh() * p.ow())).is_multiple(row.n)
            && if row.half { whole_k || a_pieces == 0 } else { whole_k && gemm_m.is_multiple(row.m) }
            && row.takes_batch(p)
            && (b_pieces == 0 || one)
    };
    need(rows(&FORWARD, p).any(fits), NO_KERNEL)
}

/// Backward data. The groups are those of FP16 kernels.
pub(super) fn backward_kernel(p: &Derived, _: &Arguments) -> Verdict {
    let half = p.fp16() == 1;
    let groups = if half { p.g() } else { Integer(1) };
    let (k, gemm_m) = (p.fwd_k() / groups, p.fwd_c() / groups);
    let (sh, sw) = (over(p.sh(), p.hi()), over(p.sw(), p.wi()));
    let (dh, dw) = (over(p.dh(), p.y()), over(p.dw(), p.x()));
    let height = Axis::new(p.hi(), p.ho(), p.y(), p.ph(), sh, dh);
    let width = Axis::new(p.wi(), p.wo(), p.x(), p.pw(), sw, dw);
    let (plain, one) = (is_plain(p, [sh, sw]), p.y() == 1 && p.x() == 1);
    let positions = height.span * width.span;
    let parts_fit = |of: i64| {
        let columns = width.slices();
        height
            .slices()
            .into_iter()
            .all(|row| columns.iter().all(|column| (k * row * *column).is_multiple(of)))
    };
    // Kernels with fewer columns are skipped if the GEMM is much wider than high.
    #[expect(clippy::cast_precision_loss, reason = "as the library reckons, in single precision")]
    let wide = (p.n() * positions).0 as f32 / gemm_m.0 as f32 >= 5.0;
    let fits = |row: GtcRow| {
        let [k_pieces, b_last, a_last, _] = row.rest;
        // FP32 tries the unpadded image first, then the padded one.
        let images = [if half { row.image(positions) } else { positions }, row.image(positions)];
        (row.nxe || plain)
            && images.into_iter().any(|b| (p.n() * b).is_multiple(row.n) && b.is_multiple(row.nxb))
            && gemm_m.is_multiple(row.m)
            && row.takes_batch(p)
            && (k_pieces == 0 || k.is_multiple(row.k))
            && parts_fit(row.k)
            && (!half
                || ((row.nxe || b_last <= 1 || (p.ho() * p.wo()).is_multiple(b_last))
                    && (!row.nxe || a_last == 0 || one)
                    && !(!one && wide && row.m >= row.n && row.n >= 32)))
    };
    need(rows(&BACKWARD, p).any(fits), NO_KERNEL)
}

/// Whether K is split among work groups.
fn is_split(p: &Derived, row: &GtcRow, image: Integer) -> bool {
    let (gemm_m, gemm_n) = (p.fwd_k(), p.fwd_c() * p.y() * p.x());
    let groups = (gemm_m / row.m) * (gemm_n / row.n);
    p.n().is_multiple(2) && groups * 2 < MOST_GROUPS && (p.n() / 2 * image).is_multiple(row.k)
}

/// Backward weights.
pub(super) fn weights_kernel(p: &Derived, _: &Arguments) -> Verdict {
    let (gemm_m, c, positions) = (p.fwd_k(), p.fwd_c(), p.ho() * p.wo());
    let plain = is_plain(p, [Integer(1); 2]);
    let strided = p.sh() != 1 || p.sw() != 1;
    let padded = p.ph() != 0 || p.pw() != 0;
    let reads = |length: i64| p.wo().is_multiple(length) && (length <= 1 || !padded);
    let mut seen = Vec::new();
    for row in rows(&WEIGHTS, p) {
        let [split, b_length, n_pieces, m_pieces] = row.rest;
        let image = row.image(positions);
        if !(p.n() * image).is_multiple(row.k) || is_split(p, &row, image) != (split == 1) {
            continue;
        }
        // Of several kernels with the same sizes, only the first is tried.
        let sizes = (row.m, row.n, row.k, split, row.nxb, row.nxe);
        let first = !seen.contains(&sizes);
        seen.push(sizes);
        let divides = gemm_m.is_multiple(row.m) && c.is_multiple(row.n);
        let reachable = (256..=1 << 15).contains(&(row.m * row.n));
        let image_fits = if row.nxe {
            reads(b_length)
        } else if strided {
            plain && row.nxb == 1
        } else {
            plain && positions.is_multiple(row.nxb)
        };
        if first && reachable && divides && image_fits {
            return Ok(());
        }
        // FP16 kernels pad M and N.
        let pads = if n_pieces == 1 { divides } else { m_pieces == 0 || gemm_m.is_multiple(row.m) };
        if row.half && row.nxe && pads && reads(b_length) {
            return Ok(());
        }
    }
    Err(NO_KERNEL)
}
