//! Tiles of the HIP implicit GEMMs with matrix instructions: a solver accepts a problem if its heuristic
//! finds one.
//!
//! Sources, MIOpen 3.3.0: `src/include/miopen/solver/implicitgemm_util.hpp` (IsValidBlockwiseGemmXdlops), and
//! under `src/solver/conv/` the functions HeuristicInit, IsReallyValid, IsFastToBeUsedForTuning and
//! CalculateGemm* of `conv_hip_implicit_gemm_fwd_v4r4_xdlops.cpp`,
//! `conv_hip_implicit_gemm_fwd_v4r4_xdlops_padded_gemm.cpp`, `conv_hip_implicit_gemm_fwd_v4r5_xdlops.cpp`,
//! `conv_hip_implicit_gemm_wrw_v4r4_xdlops.cpp`,
//! `conv_hip_implicit_gemm_wrw_v4r4_xdlops_padded_gemm.cpp`, `conv_hip_implicit_gemm_bwd_v4r1_xdlops.cpp`.

use super::implicit_gemm::{over, v4r1_parts};
use super::{Arguments, Verdict, need};
use crate::miopen::solver::integer::Integer;
use crate::miopen::solver::variable::Derived;

/// Most elements that a thread reads from memory at once, for every type (SWDEV-413051).
const MOST_READ: i64 = 4;
/// Local memory of a work group, in bytes.
const LOCAL_MEMORY: i64 = 65536;

/// M, N and smallest K of a wave for the instructions; sorted by descending M, then descending N.
const WAVES: [(i64, i64, i64); 10] = [
    (128, 64, 1),
    (64, 128, 1),
    (64, 64, 1),
    (64, 32, 1),
    (64, 16, 1),
    (32, 64, 1),
    (32, 32, 2),
    (16, 64, 1),
    (16, 16, 4),
    (8, 64, 1),
];
/// The last of them, the only one with 4 rows.
const FLAT_WAVE: (i64, i64, i64) = (4, 64, 1);

const NO_TILE: &str = "no tile divides GemmM, GemmN and GemmK";

/// A configuration of a kernel.
#[derive(Clone, Copy)]
struct Tile {
    /// M, N and K of a work group, K in packs.
    block: [i64; 3],
    /// M and N of a wave.
    wave: [i64; 2],
    /// Elements of K that are packed.
    pack: i64,
}

impl Tile {
    fn threads(&self) -> i64 {
        let [m, n, _] = self.block;
        let [wave_m, wave_n] = self.wave;
        m * n / (wave_m * wave_n) * 64
    }

    /// IsFastToBeUsedForTuning: the heuristic prefers such a tile. It takes no shallow one where the product is a
    /// multiple of this depth.
    fn is_fast(&self, p: &Derived, gemm @ [m, n]: [i64; 2], is_deep: impl Fn(i64) -> bool) -> bool {
        let ([block_m, block_n, block_k], [wave_m, wave_n]) = (self.block, self.wave);
        let skinny_block = (block_m > 2 * block_n && n % (2 * block_n) == 0)
            || (block_n > 2 * block_m && m % (2 * block_m) == 0);
        let skinny_wave = (wave_m > 2 * wave_n && block_n % (2 * wave_n) == 0)
            || (wave_n > 2 * wave_m && block_m % (2 * wave_m) == 0);
        let least = if p.fp32() == 1 { 8 } else { 16 };
        self.is_moderate(p, gemm)
            && !skinny_block
            && !skinny_wave
            && (block_k * self.pack >= least || !is_deep(least))
    }

    /// The part of IsFastToBeUsedForTuning that all solvers share: not many more blocks than the fewest, two to
    /// four waves in each, and not much data for a thread.
    #[expect(clippy::cast_precision_loss, reason = "as the library reckons, in single precision")]
    fn is_moderate(&self, p: &Derived, [m, n]: [i64; 2]) -> bool {
        let ([block_m, block_n, block_k], [wave_m, wave_n]) = (self.block, self.wave);
        let largest = (gcd(256, m) * gcd(128, n)).max(gcd(128, m) * gcd(256, n));
        let fewest = m * n / largest.max(1);
        let ratio = (m * n / (block_m * block_n)) as f32 / fewest as f32;
        let limits = [(5, 2.81), (4, 3.61), (3, 4.41), (2, 6.41), (1, 12.41)];
        let limit = limits.into_iter().find(|(times, _)| fewest > times * p.units().0);
        let waves = (block_m / wave_m) * (block_n / wave_n);
        let each = |side: i64| block_k * side * self.pack / self.threads();
        let most = if p.fp32() == 1 { 16 } else { 32 };
        limit.is_none_or(|(_, limit)| ratio <= limit)
            && (2..=4).contains(&waves)
            && each(block_m) <= most
            && each(block_n) <= most
    }

    fn fits_local_memory(&self, p: &Derived) -> bool {
        let [m, n, k] = self.block;
        let element = if p.fp32() == 1 { 4 } else { 2 };
        k * (m + n) * self.pack * element <= LOCAL_MEMORY
    }
}

/// Every configuration that the heuristics try and the instructions allow, in their order: by descending
/// block, then wave, pack and K.
fn tiles(p: &Derived) -> impl Iterator<Item = Tile> {
    let packs: &'static [i64] = match (p.fp32() == 1, p.fp16() == 1) {
        (true, _) => &[4, 2, 1],
        (_, true) => &[8, 4],
        _ => &[8, 4, 2],
    };
    let sides = || (2..=8).rev().map(|power| 1i64 << power);
    let blocks = sides().flat_map(move |m| sides().map(move |n| (m, n)));
    blocks.flat_map(move |(m, n)| {
        let waves = WAVES.iter().chain([&FLAT_WAVE]).filter(move |(wave_m, wave_n, _)| {
            m % wave_m == 0 && n % wave_n == 0 && (1..=4).contains(&(m * n / (wave_m * wave_n)))
        });
        waves.flat_map(move |&(wave_m, wave_n, least_k)| {
            let ks = move || [8, 4, 2, 1].into_iter().filter(move |k| k % least_k == 0);
            packs.iter().flat_map(move |&pack| {
                ks().map(move |k| Tile { block: [m, n, k], wave: [wave_m, wave_n], pack })
            })
        })
    })
}

fn gcd(a: i64, b: i64) -> i64 {
    Integer(a).gcd(Integer(b)).0
}

fn lcm(a: i64, b: i64) -> i64 {
    a / gcd(a, b).max(1) * b
}

/// Padding behind the image that is read, in height and width.
fn right_pads(p: &Derived) -> [Integer; 2] {
    let right = |sizes: [Integer; 4], stride: Integer, dilation: Integer| {
        let [input, filter, output, pad] = sizes;
        let span = Integer(1) + (filter - 1) * dilation + (output - 1) * stride;
        (span - (pad + input)).max(Integer(0))
    };
    [
        right([p.hi(), p.y(), p.ho(), p.ph()], over(p.sh(), p.ho()), over(p.dh(), p.y())),
        right([p.wi(), p.x(), p.wo(), p.pw()], over(p.sw(), p.wo()), over(p.dw(), p.x())),
    ]
}

/// Whether no padding is read on any side.
fn is_unpadded(p: &Derived) -> bool {
    [p.ph(), p.pw()].into_iter().chain(right_pads(p)).all(|pad| pad == 0)
}

/// Image elements that are adjacent along the width of the output.
fn adjacent(p: &Derived) -> i64 {
    let (stride_h, stride_w) = (over(p.sh(), p.ho()), over(p.sw(), p.wo()));
    let dilation_w = over(p.dw(), p.x());
    let [_, right_w] = right_pads(p);
    let unpadded = p.pw() == 0 && right_w == 0;
    if stride_w != 1 {
        return 1;
    }
    if p.y() == 1 && p.x() == 1 && stride_h == 1 && is_unpadded(p) {
        return gcd(MOST_READ, (p.ho() * p.wo()).0);
    }
    if unpadded {
        return gcd(MOST_READ, p.wo().0);
    }
    [p.wo(), p.pw(), right_w, dilation_w].into_iter().fold(MOST_READ, |all, of| gcd(all, of.0))
}

/// Whether the threads of a work group can copy a tile: the pieces fit, and no more threads are needed than
/// exist.
fn copies(lengths: [i64; 3], pieces: [i64; 3], threads: i64, all: bool) -> bool {
    let divides = lengths.iter().zip(pieces).all(|(length, piece)| piece > 0 && length % piece == 0);
    let used: i64 =
        lengths.iter().zip(pieces).map(|(length, piece)| length.checked_div(piece).unwrap_or(0)).product();
    divides && if all { used == threads } else { used <= threads }
}

/// Elements of a tile that a thread copies, as whole reads.
fn per_thread(tile: &Tile, other: i64, read: i64) -> i64 {
    let each = (tile.block[2] * other * tile.pack / tile.threads().max(1)).max(1);
    lcm(each, read)
}

/// The weights of forward v4r4: K first. At most so many elements are adjacent along K.
fn forward_weights(tile: &Tile, most: i64) -> bool {
    let [m, _, k] = tile.block;
    let read = gcd(most, tile.pack);
    let reads = per_thread(tile, m, read) / read;
    let of_m = gcd(m, reads);
    copies([k, m, tile.pack], [reads / of_m, of_m, read], tile.threads(), false)
}

/// The image of forward v4r4.
fn forward_image(tile: &Tile, adjacent: i64) -> bool {
    let [_, n, k] = tile.block;
    let read = gcd(adjacent, n);
    let reads = per_thread(tile, n, read) / read;
    let of_pack = gcd(tile.pack, reads);
    copies([k, n, tile.pack], [reads / of_pack, read, of_pack], tile.threads(), false)
}

/// Forward v4r5: each wave reads its own images, and every thread must copy.
fn forward_v4r5(p: &Derived, tile: &Tile, adjacent: i64) -> bool {
    let ([m, n, k], threads) = (tile.block, tile.threads());
    let waves = n / tile.wave[1];
    if !p.n().is_multiple(waves) {
        return false;
    }
    let read = gcd(MOST_READ, tile.pack);
    let reads = (k * m * tile.pack / threads).max(1) / read;
    if reads == 0 {
        return false;
    }
    let of_m = gcd(m, reads);
    let weights = copies([k, m, tile.pack], [reads / of_m, of_m, read], threads, true);
    let width = n / waves;
    let read = gcd(adjacent, width);
    let each = per_thread(tile, n, read);
    if each % (read * waves) != 0 {
        return false;
    }
    let reads = each / (read * waves);
    let of_pack = gcd(tile.pack, reads);
    weights && copies([k, width, tile.pack], [reads / of_pack, read, of_pack], threads, true)
}

/// The output gradient and the image for backward weights v4r4; a thread's reads of the image along K must
/// divide `shared`.
fn weights_copies(p: &Derived, tile: &Tile, adjacent: i64, shared: i64) -> bool {
    let ([m, n, k], threads) = (tile.block, tile.threads());
    let read = gcd(gcd(MOST_READ, tile.pack), (p.ho() * p.wo()).0);
    let reads = per_thread(tile, m, read) / read;
    let of_m = gcd(m, reads);
    let gradient = copies([k, m, tile.pack], [reads / of_m, of_m, read], threads, false);
    let read = gcd(adjacent, tile.pack);
    let reads = per_thread(tile, n, read) / read;
    let of_k = gcd(shared, reads);
    gradient && copies([k, n, tile.pack], [of_k, reads / of_k, read], threads, false)
}

/// M, N and K of one group, for the forward direction.
fn forward_gemm(p: &Derived) -> [i64; 3] {
    [p.fwd_k() / p.g(), p.n() * p.ho() * p.wo(), p.fwd_c() / p.g() * p.y() * p.x()].map(|size| size.0)
}

fn divides([m, n, k]: [i64; 3], tile: &Tile) -> bool {
    m % tile.block[0] == 0 && n % tile.block[1] == 0 && k % (tile.pack * tile.block[2]) == 0
}

/// The tiles that forward v4r4 or v4r5 can use for a problem.
fn forward_tiles(p: &Derived, is_v4r5: bool) -> impl Iterator<Item = Tile> {
    let (gemm, adjacent) = (forward_gemm(p), adjacent(p));
    let copies = move |tile: &Tile| match is_v4r5 {
        true => forward_v4r5(p, tile, adjacent),
        false => forward_weights(tile, MOST_READ) && forward_image(tile, adjacent),
    };
    tiles(p).filter(move |tile| divides(gemm, tile) && copies(tile) && tile.fits_local_memory(p))
}

/// The tile that the heuristic of backward data v4r1 finds, by the sizes of its parts: M, N, and each K.
fn backward_v4r1(p: &Derived) -> Option<Tile> {
    let (m, n, depths) = v4r1_parts(p);
    let (m, n) = (m.0, n.0);
    let is_1x1 = p.y() == 1 && p.x() == 1;
    let along_n = if is_1x1 && is_unpadded(p) { gcd(MOST_READ, (p.ho() * p.wo()).0) } else { 1 };
    let fits = |tile: &Tile| {
        let ([block_m, block_n, block_k], threads) = (tile.block, tile.threads());
        // A holds the weights: a thread takes more along K. B holds the gradient: a thread takes more packs.
        let read_m = if is_1x1 { gcd(MOST_READ, block_m) } else { 1 };
        let reads = per_thread(tile, block_m, read_m) / read_m;
        let of_k = gcd(block_k, reads);
        let weights = [of_k, read_m, reads / of_k];
        let read_n = gcd(along_n, block_n);
        let reads = per_thread(tile, block_n, read_n) / read_n;
        let of_pack = gcd(tile.pack, reads);
        let gradient = [reads / of_pack, read_n, of_pack];
        let is_spread = threads <= block_n || tile.pack <= threads / block_n;
        depths.iter().all(|depth| divides([m, n, depth.0], tile))
            && copies([block_k, block_m, tile.pack], weights, threads, false)
            && copies([block_k, block_n, tile.pack], gradient, threads, false)
            && is_spread
            && tile.fits_local_memory(p)
    };
    let fast = tiles(p).find(|tile| fits(tile) && tile.is_moderate(p, [m, n]));
    fast.or_else(|| tiles(p).find(fits))
}

/// Multiples to which forward v4r4 with a padded GEMM pads M, N and K.
const PADDED: [i64; 3] = [16, 64, 16];

/// The tile that the heuristic of forward v4r4 with a padded GEMM finds: the first that is valid and fast, else
/// the first valid one.
fn padded_forward(p: &Derived) -> Option<Tile> {
    let plain @ [_, _, depth] = forward_gemm(p);
    let [of_m, of_n, of_k] = PADDED;
    let [m, n, k] = plain.map(Integer);
    let padded @ [m, n, k] =
        [m.round_up(Integer(of_m)), n.round_up(Integer(of_n)), k.round_up(Integer(of_k))].map(|size| size.0);
    let (adjacent, along_k) = (adjacent(p), if k == depth { MOST_READ } else { gcd(MOST_READ, depth) });
    let fits = |tile: &Tile| {
        divides(padded, tile)
            && forward_weights(tile, along_k)
            && forward_image(tile, adjacent)
            && tile.fits_local_memory(p)
    };
    let fast = tiles(p).find(|tile| fits(tile) && tile.is_fast(p, [m, n], |_| true));
    fast.or_else(|| tiles(p).find(fits))
}

/// `ConvHipImplicitGemmForwardV4R4Xdlops::IsApplicable`.
pub(super) fn forward_v4r4_tile(p: &Derived, _: &Arguments) -> Verdict {
    need(forward_tiles(p, false).next().is_some(), NO_TILE)
}

/// `ConvHipImplicitGemmForwardV4R5Xdlops::IsApplicable`.
pub(super) fn forward_v4r5_tile(p: &Derived, _: &Arguments) -> Verdict {
    need(forward_tiles(p, true).next().is_some(), NO_TILE)
}

/// The configuration that a solver's heuristic begins with, without the fields that are the same for every
/// problem: M, N and K of a work group, M and N of a wave, pack. `None` for other solvers, and where no tile
/// fits.
pub(in crate::miopen::solver) fn first_tile(solver: &str, p: &Derived) -> Option<[i64; 6]> {
    let forward = |is_v4r5| {
        let [m, n, k] = forward_gemm(p);
        let fast = |tile: &Tile| tile.is_fast(p, [m, n], |least| is_v4r5 || k % least == 0);
        forward_tiles(p, is_v4r5).find(fast).or_else(|| forward_tiles(p, is_v4r5).next())
    };
    let tile = match solver {
        "ConvHipImplicitGemmForwardV4R4Xdlops" => forward(false),
        "ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm" => padded_forward(p),
        "ConvHipImplicitGemmBwdDataV4R1Xdlops" => backward_v4r1(p),
        "ConvHipImplicitGemmForwardV4R5Xdlops" => forward(true),
        "ConvHipImplicitGemmWrwV4R4Xdlops" => Weights::from_factors(p, [1; 3]).tile(p),
        "ConvHipImplicitGemmWrwV4R4Xdlops_Padded_Gemm" => Weights::from_factors(p, [16, 64, 16]).tile(p),
        _ => None,
    };
    let Tile { block: [m, n, k], wave: [wave_m, wave_n], pack } = tile?;
    Some([m, n, k, wave_m, wave_n, pack])
}

/// Largest number of parts that the batch is split into to fill the device; one if a tile is larger than the
/// GEMM.
fn most_parts(p: &Derived, gemm: [i64; 2], tile: &Tile) -> i64 {
    let grid = p.g().0 * (gemm[0] / tile.block[0]) * (gemm[1] / tile.block[1]);
    (20 * p.units().0).checked_div(grid).unwrap_or(1).max(1).min(p.n().0)
}

/// The GEMM of backward weights: M and N; K depends on the tile.
struct Weights {
    gemm: [i64; 2],
    /// K is padded to a multiple of this; 1 for no padding.
    deep: i64,
    image: i64,
    batch: i64,
    adjacent: i64,
}

impl Weights {
    fn from_factors(p: &Derived, factors: [i64; 3]) -> Weights {
        let [high, wide, deep] = factors;
        let [m, n] = weights_gemm(p);
        Weights {
            gemm: [m.round_up(Integer(high)).0, n.round_up(Integer(wide)).0],
            deep,
            image: (p.ho() * p.wo()).0,
            batch: p.n().0,
            adjacent: adjacent(p),
        }
    }

    /// The tile that the heuristic finds: the first that is valid and fast, else the first valid one.
    fn tile(&self, p: &Derived) -> Option<Tile> {
        let fast = tiles(p).find(|tile| self.fits(p, tile) && tile.is_fast(p, self.gemm, |_| true));
        fast.or_else(|| tiles(p).find(|tile| self.fits(p, tile)))
    }

    /// K of one part, and whether it was padded.
    fn depth(&self, p: &Derived, tile: &Tile) -> (i64, bool) {
        let part = |parts: i64| Integer(self.batch / parts) * Integer(self.image);
        let whole = |parts: i64| part(parts).round_up(Integer(self.deep)).0;
        let once = tile.block[2] * tile.pack;
        let splits = |parts: &i64| self.batch % parts == 0 && whole(*parts) % once == 0;
        let parts = (2..=most_parts(p, self.gemm, tile)).rev().find(splits).unwrap_or(1);
        (whole(parts), whole(parts) != part(parts).0)
    }

    fn fits(&self, p: &Derived, tile: &Tile) -> bool {
        let [m, n] = self.gemm;
        let once = tile.block[2] * tile.pack;
        // The source of the padded GEMM uses N here where the other uses K.
        let shared = if self.deep > 1 { tile.block[1] } else { tile.block[2] };
        m % tile.block[0] == 0
            && n % tile.block[1] == 0
            && (self.deep > 1 || (Integer(self.batch) * Integer(self.image)).0 % once == 0)
            && self.depth(p, tile).0 % once == 0
            && weights_copies(p, tile, self.adjacent, shared)
            && tile.fits_local_memory(p)
    }
}

/// M and N of one group, for backward weights.
fn weights_gemm(p: &Derived) -> [Integer; 2] {
    [p.fwd_k() / p.g(), p.fwd_c() / p.g() * p.y() * p.x()]
}

/// `ConvHipImplicitGemmWrwV4R4Xdlops::IsApplicable`.
pub(super) fn weights_v4r4_tile(p: &Derived, _: &Arguments) -> Verdict {
    let weights = Weights::from_factors(p, [1; 3]);
    let tile = weights.tile(p).ok_or(NO_TILE)?;
    let [m, n] = weights.gemm.map(Integer);
    super::implicit_gemm::grid(m, n, Integer(weights.depth(p, &tile).0))
}

/// `ConvHipImplicitGemmWrwV4R4Xdlops_Padded_Gemm::IsApplicable`.
pub(super) fn weights_v4r4_padded_tile(p: &Derived, _: &Arguments) -> Verdict {
    let weights = Weights::from_factors(p, [16, 64, 16]);
    let tile = weights.tile(p).ok_or(NO_TILE)?;
    let ([m, n], (depth, deeper)) = (weights.gemm.map(Integer), weights.depth(p, &tile));
    need([m, n] != weights_gemm(p) || deeper, "nothing to pad: ConvHipImplicitGemmWrwV4R4Xdlops takes it")?;
    super::implicit_gemm::grid(m, n, Integer(depth))
}
