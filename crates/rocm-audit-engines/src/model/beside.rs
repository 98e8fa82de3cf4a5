//! Counts the launches around products: preparing operands, adding up parts, converting results.
//!
//! They are counted by template name, as far as names matter (`dequantize_block` stands for those of all
//! types). Sources are the launches in runs of ggml 0.27.0 and, for numbers that depend on the device's size,
//! ggml d99724f2b141: `launch_fattn` in `src/ggml-cuda/fattn-common.cuh`, `launch_mul_mat_q` in
//! `src/ggml-cuda/mmq.cuh`.

use super::operation::{Depth, Flash};
use crate::ggml::kernel::Argument;
use crate::ggml::query::{MulMat, MulMatId};
use crate::ggml::{Answer, BlasFunction, GpuClass, Kernel, Route};
use std::collections::BTreeMap;

/// Number of launches by template name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Launches(BTreeMap<&'static str, u64>);

impl Launches {
    /// Adds launches, unless `count` is 0.
    pub fn add(&mut self, kernel: &'static str, count: u64) {
        if count > 0 {
            let known = self.0.entry(kernel).or_default();
            *known = known.saturating_add(count);
        }
    }

    /// Adds all launches of another, multiplied by `times`.
    pub fn add_all(&mut self, other: &Launches, times: u64) {
        for (kernel, count) in &other.0 {
            self.add(kernel, count.saturating_mul(times));
        }
    }

    /// Subtracts launches, but not below 0.
    pub fn remove(&mut self, kernel: &'static str, count: u64) {
        if let Some(known) = self.0.get_mut(kernel) {
            *known = known.saturating_sub(count);
        }
    }

    /// Total number of launches.
    pub fn count(&self) -> u64 {
        self.0.values().fold(0, |sum: u64, count| sum.saturating_add(*count))
    }

    /// Launches by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().filter(|(_, count)| **count > 0).map(|(kernel, count)| (*kernel, *count))
    }
}

/// The properties of a device that launches depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Device {
    pub class: GpuClass,
    /// Multiprocessors, as HIP counts them.
    pub multiprocessors: u64,
}

/// Blocks of an attention kernel that a multiprocessor runs at once: an assumption, also made in the runs
/// that the rules were compared with. HIP derives it from a kernel's registers.
const OCCUPANCY: u64 = 2;

/// Keys that a block of attention's kernels processes at once, according to most of ggml's tables.
const KEYS_AT_ONCE: u64 = 64;

/// Keys for each scan of the mask, and the number of queries from which on it is scanned (`launch_fattn`).
const MASK_STRIDE: u64 = 256;
const MASK_QUERIES: u64 = 1024;

impl Device {
    /// Launches around a product.
    pub fn of_product(self, answer: &Answer<'static>, problem: &MulMat, depth: Depth) -> Launches {
        let mut all = Launches::default();
        let ty = problem.ty;
        let gemm = answer.operands.and_then(|rule| rule.gemm).unwrap_or_default();
        let to_floats = if ty.is_quantized() { "dequantize_block" } else { "convert_unary" };
        let converts_back = u64::from(matches!(gemm, "HH" | "BBS"));
        match answer.route {
            Route::Mmvq | Route::MmvqMoe => all.add("quantize_q8_1", 1),
            Route::Mmq => {
                all.add("quantize_mmq_q8_1", 1);
                let tiles = depth.products();
                all.add("mul_mat_q_stream_k_fixup", self.fixup(answer, problem.n, problem.ne11, tiles));
            }
            Route::Blas(BlasFunction::Sgemm) if depth.ne12 == 1 && depth.ne13 == 1 => {
                all.add(to_floats, u64::from(ty.name != "f32"));
            }
            Route::Blas(function) => {
                let is_spread = depth.ne02 != depth.ne12 || depth.ne03 != depth.ne13;
                all.add("k_compute_batched_ptrs", u64::from(is_spread));
                if function == BlasFunction::Sgemm {
                    all.add(to_floats, 1);
                } else {
                    all.add("dequantize_block", u64::from(ty.is_quantized()));
                    all.add("convert_unary", 1 + converts_back);
                }
            }
            _ => {}
        }
        all
    }

    /// Launches around a product with experts in one launch.
    pub fn of_experts(self, answer: &Answer<'static>, problem: &MulMatId) -> Launches {
        let mut all = Launches::default();
        let by_ids = answer.kernel.as_ref().is_some_and(|kernel| kernel.template == "mul_mat_f_ids");
        // First counts the columns of each expert.
        all.add("mm_ids_helper", u64::from(answer.route == Route::Mmq || by_ids));
        match answer.route {
            Route::Mmvq | Route::MmvqMoe => all.add("quantize_q8_1", 1),
            Route::Mmq => {
                all.add("quantize_mmq_q8_1", 1);
                let fixup = self.fixup(answer, problem.n, problem.tokens, problem.experts);
                all.add("mul_mat_q_stream_k_fixup", fixup);
            }
            _ => {}
        }
        all
    }

    /// CDNA's MMQ distributes the tiles over all multiprocessors, and adds up parts that do not divide
    /// evenly.
    fn fixup(self, answer: &Answer<'static>, rows: u64, columns: u64, products: u64) -> u64 {
        const ROWS: u64 = 128;
        let Some(width) = answer.kernel.as_ref().and_then(|kernel| number(kernel, 1)) else { return 0 };
        let tiles = rows.div_ceil(ROWS).saturating_mul(columns.div_ceil(width)).saturating_mul(products);
        u64::from(self.class.is_cdna() && !tiles.is_multiple_of(self.multiprocessors))
    }

    /// Launches around attention as one operation.
    pub fn of_attention(self, answer: &Answer<'static>, flash: &Flash) -> Launches {
        let mut all = Launches::default();
        let problem = &flash.query;
        let is_vector = answer.route == Route::Vec;
        if answer.route == Route::Unsupported {
            return all;
        }
        let is_long = problem.queries >= MASK_QUERIES || flash.streams > 1;
        let is_masked = problem.mask && problem.keys.is_multiple_of(MASK_STRIDE) && is_long;
        all.add("flash_attn_mask_to_KV_max", u64::from(is_masked));
        // Keys and values are converted to halves, except for the vector kernels. Values that are part of the
        // keys are converted with them.
        let halves = if flash.absorbed { 1 } else { 2 };
        all.add("dequantize_block", if problem.ty.is_quantized() && !is_vector { halves } else { 0 });
        if answer.route == Route::Mma {
            let fixup = answer.kernel.as_ref().is_some_and(|kernel| self.shares_tiles(kernel, flash));
            all.add("flash_attn_stream_k_fixup", u64::from(fixup));
        } else {
            let at_once = if is_vector { problem.dk } else { KEYS_AT_ONCE };
            all.add("flash_attn_combine_results", u64::from(problem.keys > at_once));
        }
        all
    }

    /// Whether blocks share tiles of attention, so that their parts are added up afterwards.
    fn shares_tiles(self, kernel: &Kernel, flash: &Flash) -> bool {
        const GOOD_PERCENT: u64 = 75;
        const LOSS_PERCENT: u64 = 5;
        let problem = &flash.query;
        let (Some(queries), Some(heads)) = (number(kernel, 2), number(kernel, 3)) else { return true };
        let group = problem.heads / problem.kv_heads.max(1);
        let tiles =
            [problem.queries.div_ceil(queries), group.div_ceil(heads), problem.kv_heads, flash.streams]
                .into_iter()
                .fold(1, u64::saturating_mul)
                .max(1);
        let most = OCCUPANCY.saturating_mul(self.multiprocessors).max(1);
        let waves = tiles.div_ceil(most);
        let is_even = tiles.saturating_mul(100) / most.saturating_mul(waves) >= GOOD_PERCENT;
        // On RDNA, heads of 64 values always share. Source: `should_use_stream_k` in ggml's
        // `fattn-common.cuh`.
        let shares_always = !self.class.is_cdna() && problem.dk == 64;
        if is_even && !shares_always {
            return false;
        }
        let parts = problem.keys.div_ceil(KEYS_AT_ONCE).max(1);
        let raw = most.min(parts.saturating_mul(tiles));
        let rounded = raw / tiles * tiles;
        let loss = if rounded > 0 { (raw - rounded).saturating_mul(100) / raw } else { 100 };
        let blocks = if loss <= LOSS_PERCENT { rounded } else { raw };
        (blocks.is_multiple_of(tiles) && blocks > tiles) || !tiles.is_multiple_of(blocks)
    }
}

/// A numeric argument of a kernel.
fn number(kernel: &Kernel, place: usize) -> Option<u64> {
    match kernel.arguments.get(place) {
        Some(Argument::Int(number)) if *number > 0 => Some(*number),
        _ => None,
    }
}
