//! The launches for an operation: ggml's route, with ggml's fusion.
//!
//! `ggml_cuda_try_fuse` (d99724f2b141 `ggml-cuda.cu:3273-3960`) looks at consecutive operations. It affects
//! products only if a vector kernel computes one column, or a few through experts: gate, up and the gated
//! unit become one launch, and so do a product and the following bias or sum. ggml refuses fusion if a
//! result's buffer overlaps one of its sources, which only its allocator knows.

use super::beside::{Device, Launches};
use super::network::Network;
use super::operation::{Depth, Flash, Operation, Product};
use super::rules::{Adds, QuantizationRules, TensorProperties, rules};
use crate::ggml;
use crate::ggml::kernel::{Argument, Cpp};
use crate::ggml::query::{MulMat, MulMatId};
use crate::ggml::rules::{Precision, Rule};
use crate::ggml::{Answer, Architecture, Kernel, Query, Route, Version};
use std::cell::RefCell;
use std::collections::HashMap;

/// A kernel or call that is launched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchedKernel {
    /// A kernel of ggml's.
    Kernel(Kernel),
    /// A call of hipBLAS.
    Blas(Call),
}

/// A call of hipBLAS: the weights are transposed, the other operand is not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call {
    /// The function: `hipblasGemmEx`.
    pub function: &'static str,
    /// Types of operands, result and computation in rocBLAS's letters: `HSS`; empty without a rule.
    pub ty: String,
    /// Rows of the result.
    pub m: u64,
    /// Columns of the result.
    pub n: u64,
    /// Length of the sums.
    pub k: u64,
    /// Number of products in one call.
    pub products: u64,
}

/// How an operation is fused with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fusion {
    /// It is not fused.
    None,
    /// It is part of the launch of `up`.
    InUp,
    /// Its launch includes gate and gated unit.
    WithGate,
    /// Its launch includes the following sum or bias.
    WithSum,
}

/// How an operation is computed.
#[derive(Debug, Clone)]
pub struct OperationStep {
    /// The route.
    pub route: Route,
    /// The rule of ggml's selector that decided.
    pub rule: Option<&'static Rule>,
    /// Whether that rule was read or observed for the version.
    pub is_documented: bool,
    /// The main launches, each with its count.
    pub launches: Vec<(LaunchedKernel, u64)>,
    /// The kernel that prepares operands for BLAS.
    pub prepares: Option<Kernel>,
    /// The other operation's kernel that also computes this one.
    pub joined: Option<Kernel>,
    /// Auxiliary launches: preparing operands, finishing results.
    pub beside: Launches,
    /// Whether the host loops over experts.
    pub by_host: bool,
    /// How it is fused with others.
    pub fusion: Fusion,
}

/// Turns operations into launches on one GPU.
#[derive(Debug)]
pub struct Launcher<'a> {
    network: &'a Network,
    architecture: &'a Architecture,
    multiprocessors: u32,
    version: Option<Version>,
    rules: &'static QuantizationRules,
    answers: RefCell<HashMap<String, Answer<'static>>>,
}

impl<'a> Launcher<'a> {
    /// A launcher for a model on a GPU with this many multiprocessors, by the rules nearest to a version of
    /// ggml.
    ///
    /// # Errors
    ///
    /// If the crate's own rules are malformed.
    pub fn new(
        network: &'a Network,
        architecture: &'a Architecture,
        multiprocessors: u32,
        version: Option<Version>,
    ) -> Result<Self, &'static str> {
        let answers = RefCell::default();
        Ok(Launcher { network, architecture, multiprocessors, version, rules: rules(), answers })
    }

    /// The GPU.
    pub fn architecture(&self) -> &'a Architecture {
        self.architecture
    }

    /// Number of multiprocessors, as HIP counts them.
    pub fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// The version of ggml in question.
    pub fn version(&self) -> Option<Version> {
        self.version
    }

    fn ask(&self, query: &Query) -> Result<Answer<'static>, &'static str> {
        let key = query.to_string();
        if let Some(answer) = self.answers.borrow().get(&key) {
            return Ok(answer.clone());
        }
        let answer = ggml::route(self.architecture, query, self.version)?;
        self.answers.borrow_mut().insert(key, answer.clone());
        Ok(answer)
    }

    /// How an operation is computed.
    ///
    /// # Errors
    ///
    /// If the crate's own rules are malformed.
    pub fn step(&self, operation: &Operation) -> Result<OperationStep, &'static str> {
        let mut step = match &operation.product {
            Product::MulMat(problem, depth) => self.product(problem, *depth)?,
            Product::Experts(problem, _) => self.experts(problem)?,
            Product::Attention(flash) => self.attention(flash)?,
            Product::Hadamard(size, _) => {
                let kernel = hadamard(*size);
                OperationStep::from_route(Route::Mmvf, None, false, vec![(LaunchedKernel::Kernel(kernel), 1)])
            }
        };
        self.fuse(operation, &mut step)?;
        Ok(step)
    }

    fn product(&self, problem: &MulMat, depth: Depth) -> Result<OperationStep, &'static str> {
        let answer = self.ask(&Query::MulMat(*problem))?;
        let launched = match (answer.route, &answer.kernel) {
            (Route::Unsupported, _) => None,
            (Route::Blas(_), _) => Some(LaunchedKernel::Blas(call(&answer, problem, depth))),
            (_, kernel) => kernel.clone().map(LaunchedKernel::Kernel),
        };
        let mut step = OperationStep::of_answer(&answer, launched.map(|one| (one, 1)).into_iter().collect());
        if matches!(answer.route, Route::Blas(_)) {
            step.prepares = answer.kernel.clone();
        }
        step.beside = self.device(&answer).of_product(&answer, problem, depth);
        Ok(step)
    }

    fn experts(&self, problem: &MulMatId) -> Result<OperationStep, &'static str> {
        let answer = self.ask(&Query::MulMatId(*problem))?;
        if !answer.sliced {
            let kernel = answer.kernel.clone().map(|kernel| (LaunchedKernel::Kernel(kernel), 1));
            let mut step = OperationStep::of_answer(&answer, kernel.into_iter().collect());
            step.beside = self.device(&answer).of_experts(&answer, problem);
            return Ok(step);
        }
        // The host passes each expert its tokens: equally many to each, the first get the remainder. In
        // reality the router decides.
        let columns = problem.tokens.saturating_mul(problem.used);
        let experts = problem.experts.max(1);
        let (each, rest) = (columns / experts, columns % experts);
        let mut step = OperationStep::of_answer(&answer, Vec::new());
        step.by_host = true;
        // Columns are gathered by expert, and results scattered back.
        step.beside.add("k_get_rows", 2);
        for (count, ne11) in [(rest, each + 1), (experts - rest, each)] {
            if count == 0 || ne11 == 0 {
                continue;
            }
            let slice =
                MulMat { ty: problem.ty, k: problem.k, n: problem.n, ne11, precision: Precision::Default };
            // Data gathered for an expert with half weights is not F32, which vector kernels require
            // (ggml-cuda.cu:1950).
            let asked = if matches!(problem.ty.name, "f16" | "bf16") {
                MulMat { ne11: BEYOND, ..slice }
            } else {
                slice
            };
            let answer = self.ask(&Query::MulMat(asked))?;
            let launched = match (answer.route, &answer.kernel) {
                (Route::Blas(_), _) => Some(LaunchedKernel::Blas(call(&answer, &slice, Depth::FLAT))),
                (_, kernel) => kernel.clone().map(LaunchedKernel::Kernel),
            };
            step.launches.extend(launched.map(|one| (one, count)));
            let mut beside = self.device(&answer).of_product(&answer, &slice, Depth::FLAT);
            // Gathered data already has the weights' type, if they are halves.
            let halves = asked.ne11 == BEYOND && matches!(answer.route, Route::Blas(_));
            beside.remove("convert_unary", u64::from(halves));
            step.beside.add_all(&beside, count);
            if matches!(answer.route, Route::Blas(_)) {
                step.prepares = answer.kernel;
            }
            step.route = answer.route;
        }
        Ok(step)
    }

    fn attention(&self, flash: &Flash) -> Result<OperationStep, &'static str> {
        let answer = self.ask(&Query::FlashAttention(flash.query))?;
        let mut kernel = answer.kernel.clone();
        if flash.capped
            && let Some(Argument::Bool(cap)) = kernel.as_mut().and_then(|kernel| kernel.arguments.get_mut(4))
        {
            *cap = true;
        }
        let launches = kernel.map(|kernel| (LaunchedKernel::Kernel(kernel), 1)).into_iter().collect();
        let mut step = OperationStep::of_answer(&answer, launches);
        step.beside = self.device(&answer).of_attention(&answer, flash);
        Ok(step)
    }

    /// The device as seen by the rules that answered.
    fn device(&self, answer: &Answer<'static>) -> Device {
        let class = self.architecture.class(answer.version);
        Device { class, multiprocessors: u64::from(self.multiprocessors.max(1)) }
    }

    /// Fuses an operation with its neighbours.
    fn fuse(&self, operation: &Operation, step: &mut OperationStep) -> Result<(), &'static str> {
        let one_column = match &operation.product {
            Product::MulMat(problem, depth) => problem.ne11 == 1 && depth.ne12 == 1 && depth.ne13 == 1,
            Product::Experts(problem, _) => problem.tokens == 1,
            Product::Attention(_) | Product::Hadamard(..) => false,
        };
        let is_vector = matches!(step.route, Route::Mmvq | Route::Mmvf) && one_column;
        if step.by_host || operation.weight.is_none() || !(is_vector || step.route == Route::MmvqMoe) {
            return Ok(());
        }
        step.fusion = self.fusion(operation);
        match step.fusion {
            Fusion::None => {}
            Fusion::InUp => {
                // Up has the same type and shape, so its kernel is the one that gate would have used.
                step.joined = step.launches.pop().and_then(|(launched, _)| match launched {
                    LaunchedKernel::Kernel(mut kernel) => {
                        set_fused(&mut kernel, true);
                        Some(kernel)
                    }
                    LaunchedKernel::Blas(_) => None,
                });
                step.launches.clear();
                step.beside = Launches::default();
            }
            fusion => step.launches.iter_mut().for_each(|(launched, _)| {
                if let LaunchedKernel::Kernel(kernel) = launched {
                    set_fused(kernel, fusion == Fusion::WithGate);
                }
            }),
        }
        Ok(())
    }

    fn fusion(&self, operation: &Operation) -> Fusion {
        let (network, block, role) = (self.network, operation.block, operation.role.as_str());
        let beside = |role: &str| network.has(block, role);
        let is_last_block = block.is_some_and(|block| block + 1 == network.blocks);
        let asked = TensorProperties {
            architecture: &network.architecture,
            role,
            dimensions: 2,
            is_last_block,
            beside: &beside,
        };
        if is_last_block || self.rules.first("overlap", &asked).is_none() {
            if self.partner(operation, "gate", "up") {
                return Fusion::InUp;
            }
            if self.partner(operation, "up", "gate") {
                return Fusion::WithGate;
            }
        }
        if network.has_bias(block, role) {
            return Fusion::WithSum;
        }
        match self.rules.first("fusion", &asked).and_then(|rule| rule.adds) {
            Some(Adds::All) => Fusion::WithSum,
            Some(Adds::ExceptLast) if !is_last_block => Fusion::WithSum,
            _ => Fusion::None,
        }
    }

    /// Whether a weight and another (such as gate and up, in either order) have the same type and shape.
    fn partner(&self, operation: &Operation, own: &str, other: &str) -> bool {
        let Some(rest) = operation.role.strip_prefix(&format!("ffn_{own}")) else { return false };
        if rest.starts_with("_inp") {
            return false;
        }
        let (block, role) = (operation.block, format!("ffn_{other}{rest}"));
        let weights = &self.network.weights;
        let Some(this) = operation.weight.and_then(|place| weights.get(place)) else { return false };
        let partner = self.network.weight(block, &role);
        partner.is_some_and(|other| other.ty == this.ty && other.shape == this.shape)
    }
}

/// More columns than any vector kernel accepts.
const BEYOND: u64 = 1 << 20;

fn call(answer: &Answer<'static>, problem: &MulMat, depth: Depth) -> Call {
    let function = match answer.route {
        Route::Blas(function) if depth.ne12 == 1 && depth.ne13 == 1 => function.name(),
        _ if depth.ne02 == depth.ne12 && depth.ne03 == depth.ne13 => "hipblasGemmStridedBatchedEx",
        _ => "hipblasGemmBatchedEx",
    };
    let ty = answer.operands.and_then(|rule| rule.gemm).unwrap_or_default().to_owned();
    Call { function, ty, m: problem.n, n: problem.ne11, k: problem.k, products: depth.products() }
}

/// Sets the fusion arguments of a vector kernel's template. With a gate, halves are summed in F32.
fn set_fused(kernel: &mut Kernel, with_gate: bool) {
    let place = match kernel.template {
        "mul_mat_vec_q" | "mul_mat_vec_q_moe" => 2,
        "mul_mat_vec_f" => 4,
        _ => return,
    };
    if let Some(Argument::Bool(fused)) = kernel.arguments.get_mut(place) {
        *fused = true;
    }
    if with_gate
        && kernel.template == "mul_mat_vec_f"
        && let Some(sum) = kernel.arguments.get_mut(1)
    {
        *sum = Argument::Cpp(Cpp::Float);
    }
}

impl OperationStep {
    fn from_route(
        route: Route,
        rule: Option<&'static Rule>,
        is_documented: bool,
        launches: Vec<(LaunchedKernel, u64)>,
    ) -> Self {
        let fusion = Fusion::None;
        OperationStep {
            route,
            rule,
            is_documented,
            launches,
            prepares: None,
            joined: None,
            beside: Launches::default(),
            by_host: false,
            fusion,
        }
    }

    fn of_answer(answer: &Answer<'static>, launches: Vec<(LaunchedKernel, u64)>) -> Self {
        OperationStep::from_route(answer.route, answer.rule, answer.is_documented, launches)
    }

    /// Number of main launches.
    pub fn count(&self) -> u64 {
        self.launches.iter().fold(0, |sum: u64, (_, count)| sum.saturating_add(*count))
    }
}

/// The kernel for a Hadamard transform of this many values: up to 512 a wave computes a row, above that a
/// block of 256 threads. Source: ggml 0.27's `fwht.cu`, and the instances in its library.
fn hadamard(size: u64) -> Kernel {
    match size {
        ..=512 => Kernel::new("fwht_cuda", vec![Argument::Int(size), Argument::Cpp(Cpp::Float)]),
        _ => Kernel::new(
            "fwht_cuda_block",
            vec![Argument::Int(size), Argument::Int(256), Argument::Cpp(Cpp::Float)],
        ),
    }
}
