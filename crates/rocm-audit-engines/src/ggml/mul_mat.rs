//! Selects the kernel for a matrix product: `MUL_MAT` and `MUL_MAT_ID`.
//!
//! The order is that of `ggml_cuda_mul_mat` (`ggml-cuda.cu:1815-1869`): vector kernels for floats, matrix
//! kernels for floats, vector kernels for quantized types, their matrix kernels, BLAS. Assumes contiguous
//! weights, an F32 operand and result, and no fusion.

use super::architecture::{Architecture, GpuClass};
use super::kernel::{Argument, Cpp, Kernel};
use super::query::{MulMat, MulMatId};
use super::route::{Answer, BlasFunction, Route};
use super::rules::{Operation, Precision, Question, RouteRules, Rule};
use super::types::{Dequantize, TypeFacts};
use super::version::Version;
use Argument::{Bool, Int};

/// `ggml_prec` of every product that the probe of 0.27.0 recorded on AMD.
const MMQ_PRECISION: u16 = 30;

/// Rows of MMQ's largest tile: products whose rows are not a multiple use the kernel with bounds checks.
const TILE_ROWS: u64 = 128;

/// A problem in the form that the stages use.
struct Product<'r> {
    rules: &'r RouteRules,
    question: Question,
    k: u64,
}

/// The route of a dense product.
pub(super) fn dense<'r>(
    rules: &'r RouteRules,
    architecture: &Architecture,
    problem: &MulMat,
    version: Version,
) -> Answer<'r> {
    let mut question = Question::about(architecture, version, problem.ty, Operation::Dense);
    question.columns = problem.ne11;
    question.rows = problem.n;
    question.precision = problem.precision;
    let product = Product { rules, question, k: problem.k };
    product.refused().unwrap_or_else(|| product.dense())
}

/// The route of a product through experts.
pub(super) fn experts<'r>(
    rules: &'r RouteRules,
    architecture: &Architecture,
    problem: &MulMatId,
    version: Version,
) -> Answer<'r> {
    let mut question = Question::about(architecture, version, problem.ty, Operation::Experts);
    question.columns = problem.tokens;
    question.rows = problem.n;
    question.experts = problem.experts;
    let product = Product { rules, question, k: problem.k };
    product.refused().unwrap_or_else(|| product.experts(problem))
}

impl<'r> Product<'r> {
    /// The rule that decides a stage, if the stage accepts the product.
    fn taken(&self, stage: &'static str) -> Result<&'r Rule, Option<&'r Rule>> {
        match self.rules.stage(stage).find(|rule| rule.is_about(&self.question) && self.concerns(rule)) {
            Some(rule) if rule.takes(self.question.columns) && self.holds(rule) => Ok(rule),
            other => Err(other),
        }
    }

    /// Whether a rule applies to products of this shape.
    fn concerns(&self, rule: &Rule) -> bool {
        rule.function != Some("mmvf_without_mmf") || !self.mmf_shape()
    }

    /// Evaluates the part of a rule that is code.
    fn holds(&self, rule: &Rule) -> bool {
        match rule.function {
            Some("mmvf_shape" | "mmvf_without_mmf") => self.k.is_multiple_of(2),
            Some("mmf_shape") => self.mmf_shape(),
            _ => true,
        }
    }

    /// Rules' `mmf_shape`, `mmf.cu:133`: whole wavefronts along a row, whole tiles of rows.
    fn mmf_shape(&self) -> bool {
        let values = 4 / self.question.ty.block_bytes.clamp(1, 4);
        self.k.is_multiple_of(self.question.class.wavefront() * values)
            && self.question.rows.is_multiple_of(self.mmf_rows())
    }

    fn mmf_rows(&self) -> u64 {
        if self.question.class.is_cdna() { 64 } else { 32 }
    }

    fn answer(&self, route: Route, rule: Option<&'r Rule>, kernel: Option<Kernel>) -> Answer<'r> {
        Answer::new(route, rule, kernel, &self.question)
    }

    /// The answer if the version's backend does not accept the type.
    fn refused(&self) -> Option<Answer<'r>> {
        let rule = self.rules.first("types", &self.question)?;
        rule.never.then(|| self.answer(Route::Unsupported, Some(rule), None))
    }

    fn dense(&self) -> Answer<'r> {
        if let Ok(rule) = self.taken("mmvf") {
            return self.answer(Route::Mmvf, Some(rule), Some(self.mmvf(self.question.columns, false)));
        }
        if let Some(rule) = self.swapped() {
            return self.answer(Route::Mmvf, Some(rule), Some(self.mmvf(1, false)));
        }
        if let Ok(rule) = self.taken("mmf") {
            return self.answer(Route::Mmf, Some(rule), Some(self.mmf()));
        }
        if let Ok(rule) = self.taken("mmvq") {
            return self.answer(Route::Mmvq, Some(rule), Some(self.mmvq()));
        }
        match self.taken("mmq") {
            Ok(rule) => self.mmq(rule, self.question.columns),
            Err(refused) => self.blas(refused),
        }
    }

    /// The rule that swaps a single row of F32 with the other operand, which makes it a product with one
    /// column.
    fn swapped(&self) -> Option<&'r Rule> {
        let rule = self.rules.first("swap", &self.question)?;
        (self.question.rows == 1 && self.k.is_multiple_of(2)).then_some(rule)
    }

    fn experts(self, problem: &MulMatId) -> Answer<'r> {
        let tokens = problem.tokens;
        let quantized = problem.ty.is_quantized();
        if let Ok(rule) = self.taken("experts") {
            return match (quantized, tokens) {
                (false, _) => self.answer(Route::Mmvf, Some(rule), Some(self.mmvf(1, tokens > 1))),
                (true, 1) => self.answer(Route::Mmvq, Some(rule), Some(self.mmvq())),
                (true, _) => self.answer(Route::MmvqMoe, Some(rule), Some(self.mmvq_moe())),
            };
        }
        if let Ok(rule) = self.taken("mmq") {
            // RDNA3 and RDNA4 choose tiles by the average number of columns for each expert (`mmq.cu`,
            // `ncols_opt`).
            let columns = match self.question.class {
                GpuClass::Rdna30 | GpuClass::Rdna35 | GpuClass::Rdna4 => {
                    (tokens * problem.used).div_ceil(problem.experts.max(1))
                }
                _ => tokens,
            };
            return self.mmq(rule, columns);
        }
        if let Ok(rule) = self.taken("mmf") {
            return self.answer(Route::Mmf, Some(rule), Some(self.mmf()));
        }
        self.slices(problem)
    }

    /// The host's loop over experts, which sorts the columns and passes each expert's to the dense selector.
    /// The router decides how many an expert gets; this answer is for an expert that gets all tokens.
    fn slices(mut self, problem: &MulMatId) -> Answer<'r> {
        let rows = problem.tokens * problem.used;
        self.question.operation = Operation::Dense;
        self.question.experts = 0;
        let mut answer = self.dense();
        if matches!(answer.route, Route::Blas(_)) {
            answer.kernel = Some(self.get_rows(rows));
        }
        answer.sliced = true;
        answer
    }

    /// `getrows.cu`: four values at once, if there are enough blocks.
    fn get_rows(&self, rows: u64) -> Kernel {
        let to = match self.question.ty.name {
            "f16" => Cpp::Half,
            "bf16" => Cpp::Bfloat16,
            _ => Cpp::Float,
        };
        let blocks = (self.k / 4).div_ceil(256).saturating_mul(rows);
        let float = Argument::Cpp(Cpp::Float);
        if to == Cpp::Float && self.k.is_multiple_of(4) && blocks >= 128 {
            return Kernel::new("k_get_rows_float_vec", vec![float]);
        }
        Kernel::new("k_get_rows_float", vec![float, Argument::Cpp(to)])
    }

    /// `mmvf.cu`: the smallest work group that needs the fewest steps along a row.
    fn mmvf(&self, columns: u64, ids: bool) -> Kernel {
        let (ty, sum) = match (self.question.ty.name, self.question.precision) {
            ("f16", Precision::Default) => (Cpp::Half, Cpp::Half),
            ("f16", Precision::F32) => (Cpp::Half, Cpp::Float),
            ("bf16", _) => (Cpp::Bfloat16, Cpp::Float),
            _ => (Cpp::Float, Cpp::Float),
        };
        let wavefront = self.question.class.wavefront();
        let most = if self.question.class.is_rdna() { 256 } else { 128 };
        let steps = |size: &u64| self.k.div_ceil(2 * size);
        let sizes = (1..=most / wavefront).map(|count| count * wavefront);
        // Of equals, the first is the smallest.
        let size = sizes.min_by_key(steps).unwrap_or(wavefront);
        let arguments =
            vec![Argument::Cpp(ty), Argument::Cpp(sum), Int(columns), Int(size), Bool(false), Bool(ids)];
        Kernel::new("mul_mat_vec_f", arguments)
    }

    /// `mmf.cu`, `mmf.cuh`: 16 columns at a time; for more, experts use the kernel that sorts by expert.
    fn mmf(&self) -> Kernel {
        let question = &self.question;
        let (ty, values) = match question.ty.name {
            "f16" => (Cpp::Half2, 2),
            "bf16" => (Cpp::Bfloat162, 2),
            _ => (Cpp::Float, 1),
        };
        let row = self.k / values;
        let steps = |waves: &u64| row.div_ceil(waves * question.class.wavefront() * 2);
        let waves = (1..=8).min_by_key(steps).unwrap_or(1);
        let columns = question.columns;
        let mut arguments = vec![Argument::Cpp(ty), Int(self.mmf_rows()), Int(columns.min(16)), Int(waves)];
        let experts = question.operation == Operation::Experts;
        if experts && columns > 16 {
            return Kernel::new("mul_mat_f_ids", arguments);
        }
        arguments.push(Bool(experts));
        Kernel::new("mul_mat_f", arguments)
    }

    fn mmvq(&self) -> Kernel {
        let question = &self.question;
        let small = question.columns == 1 && self.is_small_k(question.ty);
        let arguments =
            vec![Argument::Type(question.ty), Int(question.columns), Bool(false), Bool(small), Bool(false)];
        self.of_version(Kernel::new("mul_mat_vec_q", arguments))
    }

    /// `mmvq.cu`, `should_use_small_k`: if two wavefronts cover a row at once, each takes its own rows. Not
    /// for types with slow products, and not on RDNA.
    fn is_small_k(&self, ty: &TypeFacts) -> bool {
        let slow =
            ["iq1_s", "iq1_m", "iq2_xxs", "iq2_xs", "iq2_s", "iq3_xxs", "iq3_s", "iq4_xs"].contains(&ty.name);
        let class = self.question.class;
        let at_once = 2 * ty.vdr * class.wavefront() / ty.qi.max(1);
        !slow && !class.is_rdna() && self.k / ty.qk < at_once
    }

    fn mmvq_moe(&self) -> Kernel {
        // Two rows per work group, not fused.
        Kernel::new("mul_mat_vec_q_moe", vec![Argument::Type(self.question.ty), Int(2), Bool(false)])
    }

    fn mmq(&self, rule: &'r Rule, columns: u64) -> Answer<'r> {
        let mut question = self.question;
        question.fallback = !question.rows.is_multiple_of(TILE_ROWS);
        let tiles = self.rules.first("tiles", &question).map_or(&[][..], |rule| &rule.tiles);
        let tile = tiles.iter().copied().filter(|tile| *tile > 0).min_by_key(|tile| columns.div_ceil(*tile));
        let kernel = tile.map(|tile| {
            let precision = Argument::Precision(MMQ_PRECISION);
            let arguments = vec![Argument::Type(question.ty), Int(tile), Bool(question.fallback), precision];
            self.of_version(Kernel::new("mul_mat_q", arguments))
        });
        self.answer(Route::Mmq, Some(rule), kernel)
    }

    /// The kernel with the number of template arguments it has in the version in question.
    fn of_version(&self, kernel: Kernel) -> Kernel {
        let mut symbols = self.rules.stage("symbols").filter(|rule| rule.is_about(&self.question));
        let arguments =
            symbols.find(|rule| rule.kernel == Some(kernel.template)).and_then(|rule| rule.arguments);
        match arguments {
            Some(count) => kernel.truncated(count),
            None => kernel,
        }
    }

    /// BLAS: `refused` is the rule by which the last stage rejected the product.
    fn blas(&self, refused: Option<&'r Rule>) -> Answer<'r> {
        let rule = self.rules.first("blas", &self.question);
        let function = match rule.and_then(|rule| rule.blas) {
            Some("hipblasSgemm") => BlasFunction::Sgemm,
            _ => BlasFunction::GemmEx,
        };
        let deciding = refused.filter(|_| self.question.ty.is_quantized()).or(rule);
        let called = |rule: &&Rule| rule.blas == Some(function.name()) && rule.is_about(&self.question);
        let operands = self.rules.stage("blas-types").find(called);
        Answer { operands, ..self.answer(Route::Blas(function), deciding, self.before_blas(function)) }
    }

    /// The kernel that prepares operands for BLAS.
    fn before_blas(&self, function: BlasFunction) -> Option<Kernel> {
        let ty = self.question.ty;
        let to = Argument::Cpp(if function == BlasFunction::Sgemm { Cpp::Float } else { Cpp::Half });
        let convert = |from: Cpp, to: Cpp| {
            Some(Kernel::new("convert_unary_cont_vec4", vec![Argument::Cpp(from), Argument::Cpp(to)]))
        };
        match (ty.name, function) {
            ("f32", _) => None,
            ("f16", BlasFunction::GemmEx) => convert(Cpp::Float, Cpp::Half),
            ("f16", BlasFunction::Sgemm) => convert(Cpp::Half, Cpp::Float),
            ("bf16", BlasFunction::GemmEx) => convert(Cpp::Float, Cpp::Bfloat16),
            ("bf16", BlasFunction::Sgemm) => convert(Cpp::Bfloat16, Cpp::Float),
            _ => match ty.dequantize {
                Dequantize::None => None,
                Dequantize::Own => own_template(ty).map(|template| Kernel::new(template, vec![to])),
                Dequantize::Block(values) => {
                    let arguments = vec![Int(ty.qk), Int(values), Argument::Dequantize(ty), to];
                    Some(Kernel::new("dequantize_block", arguments))
                }
                Dequantize::Q80 if function == BlasFunction::Sgemm => {
                    let arguments = vec![Int(ty.qk), Int(1), Argument::Dequantize(ty), to];
                    Some(Kernel::new("dequantize_block", arguments))
                }
                Dequantize::Q80 => {
                    // With bounds checks if the number of values is not a multiple of 2,048.
                    let whole = self.k.saturating_mul(self.question.rows).is_multiple_of(2048);
                    Some(Kernel::new("dequantize_block_q8_0_f16", vec![Bool(!whole)]))
                }
            },
        }
    }
}

/// The template that unpacks blocks of a type.
fn own_template(ty: &TypeFacts) -> Option<&'static str> {
    const TEMPLATES: [&str; 18] = [
        "dequantize_block_q4_0",
        "dequantize_block_q4_1",
        "dequantize_block_q2_K",
        "dequantize_block_q3_K",
        "dequantize_block_q4_K",
        "dequantize_block_q5_K",
        "dequantize_block_q6_K",
        "dequantize_block_iq2_xxs",
        "dequantize_block_iq2_xs",
        "dequantize_block_iq2_s",
        "dequantize_block_iq3_xxs",
        "dequantize_block_iq3_s",
        "dequantize_block_iq1_s",
        "dequantize_block_iq1_m",
        "dequantize_block_iq4_nl",
        "dequantize_block_iq4_xs",
        "dequantize_block_mxfp4",
        "dequantize_block_nvfp4",
    ];
    TEMPLATES.into_iter().find(|template| template.strip_prefix("dequantize_block_") == Some(ty.name))
}
