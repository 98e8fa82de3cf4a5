//! Selects the kernel for attention: `FLASH_ATTN_EXT`.
//!
//! `fattn.cu:358-533`: refused, matrix instructions, vectors, tiles. Assumes contiguous tensors, without
//! ALiBi and without soft capping.

use super::architecture::Architecture;
use super::kernel::{Argument, Kernel};
use super::query::FlashAttention;
use super::route::{Answer, Route};
use super::rules::{Operation, Question, RouteRules, Rule};
use super::types::Type;
use super::version::Version;
use Argument::{Bool, Int};

/// Number of keys that kernels process at once, `FATTN_KQ_STRIDE`.
const STRIDE: u64 = 256;

struct Attention<'p, 'r> {
    rules: &'r RouteRules,
    question: Question,
    problem: &'p FlashAttention,
    /// Query heads for each key head.
    grouped: u64,
    /// Whether queries of grouped heads can be packed.
    gqa: bool,
}

/// The route of attention.
pub(super) fn attention<'r>(
    rules: &'r RouteRules,
    architecture: &Architecture,
    problem: &FlashAttention,
    version: Version,
) -> Answer<'r> {
    let mut question = Question::about(architecture, version, problem.ty, Operation::Dense);
    question.heads = (problem.dk, problem.dv);
    question.columns = problem.queries;
    let grouped = problem.heads / problem.kv_heads.max(1);
    let gqa = grouped >= 2 && problem.mask && problem.keys.is_multiple_of(STRIDE);
    Attention { rules, question, problem, grouped, gqa }.route()
}

impl<'r> Attention<'_, 'r> {
    fn route(&self) -> Answer<'r> {
        let refused = |rule| Answer::new(Route::Unsupported, rule, None, &self.question);
        let sizes = self.rules.first("attention-sizes", &self.question);
        // Attention requires that the numbers of heads divide evenly.
        let whole = self.problem.heads.is_multiple_of(self.problem.kv_heads.max(1));
        if !whole || !sizes.is_some_and(|rule| self.fits(rule)) {
            return refused(sizes);
        }
        if self.rules.first("attention-types", &self.question).is_none() {
            return refused(None);
        }
        let mma = self.rules.first("attention-mma", &self.question);
        if let Some(rule) = mma.filter(|rule| self.takes_matrices(rule)) {
            return Answer::new(Route::Mma, Some(rule), Some(self.mma()), &self.question);
        }
        let vec = self.rules.first("attention-vec", &self.question);
        match vec.filter(|rule| self.takes_vectors(rule)) {
            Some(rule) => Answer::new(Route::Vec, Some(rule), Some(self.vec()), &self.question),
            None => {
                let rule = self.rules.stage("attention-vec").last();
                Answer::new(Route::Tile, rule, Some(self.tile()), &self.question)
            }
        }
    }

    fn fits(&self, rule: &Rule) -> bool {
        (!rule.gqa || self.gqa) && rule.heads_multiple.is_none_or(|of| self.grouped.is_multiple_of(of))
    }

    /// Number of packed queries: those of several heads together, a power of two.
    fn packed(&self) -> u64 {
        let most = match self.problem.dk {
            192 | 576 => 16,
            320 => 32,
            _ => 8,
        };
        let twos = 1_u64 << self.grouped.trailing_zeros().min(6);
        self.problem.queries.saturating_mul(twos.min(most))
    }

    fn takes_matrices(&self, rule: &Rule) -> bool {
        !rule.never && (!rule.gqa || self.gqa) && rule.above.is_some_and(|above| self.packed() > above)
    }

    fn takes_vectors(&self, rule: &Rule) -> bool {
        let aligned = rule.function != Some("vec_alignment")
            || self.problem.keys.is_multiple_of(STRIDE) && (self.problem.ty.is_quantized() || !self.gqa);
        rule.takes(self.problem.queries) && aligned
    }

    /// Number of heads packed into a tile, if its size was made for one model only.
    fn of_one_model(&self) -> Option<u64> {
        let sixteen = self.grouped.is_multiple_of(16);
        match self.problem.dk {
            192 => Some(if sixteen { 16 } else { 8 }),
            320 => Some(32),
            576 => Some(if sixteen { 16 } else { 4 }),
            _ => None,
        }
    }

    /// `fattn.cu`, `switch_ncols2` and `switch_ncols1` of the matrix kernels.
    fn mma(&self) -> Kernel {
        let heads = self.of_one_model().unwrap_or(match self.grouped {
            _ if !self.gqa => 1,
            0 | 1 => 1,
            2 => 2,
            3 | 4 => 4,
            // WMMA pads no heads if an even part of them divides evenly (probe of 0.27.0).
            even if self.question.class.has_wmma() && even.is_multiple_of(2) => {
                1 << even.trailing_zeros().min(3)
            }
            _ => 8,
        });
        let queries = self.problem.queries;
        let columns = match () {
            () if heads <= 16 && queries <= 16 / heads => 16,
            () if queries <= 32 / heads || self.problem.dk > 256 => 32,
            () => 64,
        };
        let latent = self.problem.dk == 576;
        let mut arguments = self.sizes(columns / heads, heads);
        arguments.extend([Bool(false), Bool(latent), Bool(false)]);
        Kernel::new("flash_attn_ext_f16", arguments)
    }

    fn vec(&self) -> Kernel {
        let ty = Argument::Type(self.kept());
        let queries = self.problem.queries.min(2);
        Kernel::new("flash_attn_ext_vec", vec![Int(self.problem.dk), Int(queries), ty, ty, Bool(false)])
    }

    /// The type that the vector kernel is compiled for: other types are converted to F16 first.
    fn kept(&self) -> Type {
        let ty = self.problem.ty;
        match ty.name {
            "f32" | "q4_1" | "q5_0" | "q5_1" => super::types::named("f16").unwrap_or(ty),
            _ => ty,
        }
    }

    /// `fattn-tile.cuh`, `launch_fattn_tile_switch_ncols2` and `_ncols1`.
    fn tile(&self) -> Kernel {
        let divides = |heads: &u64| self.gqa && self.grouped.is_multiple_of(*heads);
        let heads = self.of_one_model().or_else(|| [8, 4, 2].into_iter().find(divides)).unwrap_or(1);
        let most: u64 = if self.problem.dk <= 128 { 64 } else { 32 };
        let least = heads.max(2);
        let mut columns = most;
        while columns > least && self.problem.queries <= columns / 2 / heads {
            columns /= 2;
        }
        let mut arguments = self.sizes(columns / heads, heads);
        arguments.push(Bool(false));
        Kernel::new("flash_attn_tile", arguments)
    }

    fn sizes(&self, columns: u64, heads: u64) -> Vec<Argument> {
        vec![Int(self.problem.dk), Int(self.problem.dv), Int(columns), Int(heads)]
    }
}
