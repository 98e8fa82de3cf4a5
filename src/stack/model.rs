//! A whole model on a device: what each of its phases launches, by which way, and what of that the tree has.

use super::Stack;
use super::route::GgmlLibrary;
use crate::engines::ggml::presence::{Index, Library, Presence};
use crate::engines::ggml::types::Type;
use crate::engines::ggml::{Architecture, Kernel, Route, Version};
use crate::engines::model::launch::{Call, Launched, Launcher, Step};
use crate::engines::model::network::Network;
use crate::engines::model::operation::{Batch, Operation, Product, Settings, operations};
use crate::engines::tensile::answer::GemmAnswer;
use crate::engines::tensile::call::{GemmCall, Transpose};
use crate::error::AuditError;
use crate::target::TargetId;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// Multiprocessors that are assumed where none are named: those of a Radeon VII.
pub use super::route::MULTIPROCESSORS;

/// A model and how it is used.
#[derive(Debug, Clone)]
pub struct ModelQuestion {
    /// The device's target.
    pub target: TargetId,
    /// The version of ggml; without it the library's, else the latest that rules are known of.
    pub version: Option<Version>,
    /// Multiprocessors of the device, for rocBLAS.
    pub multiprocessors: u32,
    /// How it is used.
    pub usage: Usage,
}

/// How a model is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Most tokens that are computed at once.
    pub ubatch: u64,
    /// Sequences of the phase with several.
    pub sequences: u64,
    /// Tokens that the cache holds for each sequence.
    pub context: u64,
    /// Whether attention is one operation; without it, where the device takes it.
    pub flash: Option<bool>,
    /// Type of keys and values in the cache.
    pub cache: Type,
}

/// What a device makes of a model.
#[derive(Debug)]
pub struct ModelAnswer {
    /// What was asked.
    pub question: ModelQuestion,
    /// The device as ggml's rules see it.
    pub architecture: Architecture,
    /// The version whose rules answer.
    pub rules: Version,
    /// ggml's library, where the tree has one.
    pub library: Option<GgmlLibrary>,
    /// Whether that library has code for the target.
    pub has_code: bool,
    /// The folder of rocBLAS, where the tree has one for the target.
    pub rocblas: Option<String>,
    /// Whether attention is one operation.
    pub flash: bool,
    /// Prefill, decode, several sequences.
    pub phases: Vec<Phase>,
    /// What the user can change, each with what it would come to.
    pub advice: Vec<Advice>,
}

/// A part of a model's use.
#[derive(Debug, Clone)]
pub struct Phase {
    /// `prefill`, `decode` or `batch`.
    pub name: &'static str,
    /// What is computed, one after the other.
    pub batches: Vec<Batch>,
    /// Floating-point operations.
    pub flops: u128,
    /// Bytes of weights, keys and values that are read.
    pub bytes: u128,
    /// Launches of products, with what prepares them.
    pub launches: u64,
    /// The ways, the largest share of what bounds the phase first.
    pub ways: Vec<(Way, Share)>,
    /// Equal operations as one, in the model's order.
    pub rows: Vec<Row>,
}

/// What goes a way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Floating-point operations.
    pub flops: u128,
    /// Bytes that are read.
    pub bytes: u128,
    /// Launches.
    pub launches: u64,
    /// Operations.
    pub operations: u64,
}

/// How operations are made, as far as a user cares.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Way {
    /// What kind of way.
    pub kind: WayKind,
    /// ggml's route.
    pub route: Route,
    /// Whether weights become halves or floats first.
    pub dequantizes: bool,
    /// Of BLAS, the types in rocBLAS's letters.
    pub types: String,
}

/// Kinds of ways, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WayKind {
    /// A kernel of ggml's.
    OwnKernel,
    /// A kernel of rocBLAS that was tuned for the target.
    BlasTuned,
    /// rocBLAS; which kernel is not known without an install.
    Blas,
    /// A kernel of rocBLAS for every target.
    BlasFallback,
    /// The host loops over experts.
    ExpertLoop,
    /// rocBLAS has nothing for the call.
    BlasNothing,
    /// The CPU, since the backend refuses.
    Cpu,
    /// The library has the kernel's name, and its body traps.
    TrapStub,
    /// The library has no such kernel.
    Absent,
    /// The library has no code for the target.
    NoCode,
}

impl WayKind {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            WayKind::OwnKernel => "own-kernel",
            WayKind::BlasTuned => "rocblas-tuned",
            WayKind::Blas => "rocblas",
            WayKind::BlasFallback => "rocblas-fallback",
            WayKind::ExpertLoop => "expert-loop",
            WayKind::BlasNothing => "rocblas-nothing",
            WayKind::Cpu => "cpu",
            WayKind::TrapStub => "trap-stub",
            WayKind::Absent => "absent",
            WayKind::NoCode => "no-code-object",
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.kind {
            WayKind::Cpu => return f.write_str("the CPU"),
            WayKind::ExpertLoop => {
                return write!(f, "a loop over experts on the host ({} each)", self.route.name());
            }
            WayKind::OwnKernel | WayKind::Blas => "",
            WayKind::BlasTuned => " (tuned)",
            WayKind::BlasFallback => " (fallback)",
            WayKind::BlasNothing => " (no kernel)",
            WayKind::TrapStub => " (kernel only traps)",
            WayKind::Absent => " (kernel absent)",
            WayKind::NoCode => " (no code for the target)",
        };
        match self.route {
            Route::Blas(_) => {
                let after = if self.dequantizes { " after dequantising" } else { "" };
                write!(f, "rocBLAS {}{after}{state}", self.types)
            }
            route => write!(f, "{}{state}", route.name()),
        }
    }
}

/// Equal operations.
#[derive(Debug, Clone)]
pub struct Row {
    /// The first of them.
    pub operation: Operation,
    /// How many there are in all batches.
    pub count: u64,
    /// The blocks that have them, the first of each batch only.
    pub blocks: Vec<u64>,
    /// How each is made.
    pub step: Step,
    /// The way.
    pub way: Way,
    /// The kernels that are launched, and what the library has of them.
    pub kernels: Vec<RowKernel>,
    /// The calls of BLAS, and what rocBLAS chooses.
    pub calls: Vec<(Call, Option<Choice>)>,
}

/// A kernel of a row.
#[derive(Debug, Clone)]
pub struct RowKernel {
    /// The kernel.
    pub kernel: Kernel,
    /// Its mangled name, where the library has it.
    pub symbol: Option<String>,
    /// Whether the library has it; nothing without a library.
    pub presence: Option<Presence>,
}

/// What rocBLAS chooses for a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The kernel; none where no solution takes the call.
    pub kernel: Option<String>,
    /// Whether it is one for every target.
    pub fallback: bool,
    /// Distance from the tuned size, where a table was asked.
    pub distance: Option<f64>,
}

/// Something that the user can change.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// What: `-ub 128`, `-fa off`.
    pub change: String,
    /// The phase that it is about.
    pub phase: &'static str,
    /// The share of its floating-point operations that ggml's own kernels make: now, and then.
    pub own: (f64, f64),
    /// Launches of the phase: now, and then.
    pub launches: (u64, u64),
    /// Whether a loop over experts goes away.
    pub ends_loop: bool,
}

impl Phase {
    /// The share of the floating-point operations that ggml's own kernels make, 0 to 1.
    pub fn own_share(&self) -> f64 {
        let own = self.ways.iter().filter(|(way, _)| way.kind == WayKind::OwnKernel);
        ratio(own.map(|(_, share)| share.flops).sum(), self.flops)
    }

    /// Whether the host loops over experts.
    pub fn has_loop(&self) -> bool {
        self.ways.iter().any(|(way, _)| way.kind == WayKind::ExpertLoop)
    }
}

/// A part of a whole, 0 where the whole is nothing.
pub fn ratio(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Smaller batches that are tried, from the largest.
const UBATCHES: [u64; 4] = [512, 256, 128, 64];

/// Types that are tried for weights which ggml's own kernels do not take.
const TYPES: [&str; 3] = ["q4_0", "q4_K", "q8_0"];

/// Shares of a phase that are as good as each other.
const NEAR: f64 = 0.01;

/// How much more of a phase own kernels must make for a change to be named.
const WORTH: f64 = 0.05;

impl Stack {
    /// What a device makes of a model with what is in this tree.
    ///
    /// # Errors
    /// Where the target is no AMD GPU, several libraries of ggml are in the tree, or its version is not known and not named.
    pub fn model(&self, network: &Network, question: ModelQuestion) -> Result<ModelAnswer, AuditError> {
        let file = self.ggml()?;
        self.model_with(network, question, file.as_ref())
    }

    /// The same with a library that was opened before.
    ///
    /// # Errors
    /// As [`Stack::model`].
    pub fn model_with(
        &self,
        network: &Network,
        question: ModelQuestion,
        library: Option<&Library>,
    ) -> Result<ModelAnswer, AuditError> {
        let known = library.map(|library| GgmlLibrary::of(library, question.version)).transpose()?;
        let version = known.as_ref().map(|known| known.version).or(question.version);
        let architecture =
            Architecture::parse(&question.target.processor).map_err(|e| AuditError::Usage(e.to_string()))?;
        let index = library.and_then(|library| library.index(&question.target));
        let launcher = Launcher::new(network, &architecture, version).map_err(malformed)?;
        let mut device = Device {
            stack: self,
            question: &question,
            launcher,
            index: index.as_ref(),
            library,
            presences: HashMap::new(),
            choices: HashMap::new(),
        };
        let usage = question.usage;
        let flash = match usage.flash {
            Some(flash) => flash,
            None => device.takes_flash(network)?,
        };
        let phases = device.phases(network, &usage, flash)?;
        let advice = device.advice(network, flash, &phases)?;
        let rocblas = self.find_rocblas(&question.target.to_string()).ok();
        let rules = crate::engines::ggml::rules::rules().map_err(malformed)?;
        Ok(ModelAnswer {
            rules: version.map_or_else(|| rules.latest(), |version| rules.nearest(version)),
            library: known,
            has_code: index.is_some(),
            rocblas: rocblas.map(|library| library.folder().path().display().to_string()),
            flash,
            phases,
            advice,
            architecture: architecture.clone(),
            question: question.clone(),
        })
    }
}

impl Stack {
    /// The way of each of several products, and the names of what is launched.
    ///
    /// # Errors
    /// As [`Stack::model`].
    pub(super) fn products(
        &self,
        products: &[Product],
        question: ModelQuestion,
        library: Option<&Library>,
    ) -> Result<Vec<(Way, Vec<String>)>, AuditError> {
        let known = library.map(|library| GgmlLibrary::of(library, question.version)).transpose()?;
        let version = known.as_ref().map(|known| known.version).or(question.version);
        let architecture =
            Architecture::parse(&question.target.processor).map_err(|e| AuditError::Usage(e.to_string()))?;
        let index = library.and_then(|library| library.index(&question.target));
        let network = Network::default();
        let launcher = Launcher::new(&network, &architecture, version).map_err(malformed)?;
        let mut device = Device {
            stack: self,
            question: &question,
            launcher,
            index: index.as_ref(),
            library,
            presences: HashMap::new(),
            choices: HashMap::new(),
        };
        let mut rows = Vec::new();
        for product in products {
            let operation =
                Operation { block: None, role: String::new(), weight: None, product: *product, rule: None };
            let step = device.launcher.step(&operation).map_err(malformed)?;
            let row = device.row(operation, step);
            let calls = row.calls.iter().map(|(call, choice)| {
                let kernel = choice.as_ref().and_then(|choice| choice.kernel.clone());
                kernel.unwrap_or_else(|| {
                    format!("{} {} {}x{}x{}", call.function, call.ty, call.m, call.n, call.k)
                })
            });
            let own = row.kernels.iter().filter(|_| row.calls.is_empty()).map(|kernel| kernel.kernel.name());
            rows.push((row.way.clone(), calls.chain(own).collect()));
        }
        Ok(rows)
    }
}

fn malformed(what: &str) -> AuditError {
    AuditError::Usage(format!("the rules of models: {what}"))
}

/// The phases of a use.
fn batches(usage: &Usage, encoder: bool) -> Vec<(&'static str, Vec<Batch>)> {
    let (prompt, ubatch) = (usage.prompt.max(1), usage.ubatch.max(1));
    let mut prefill = Vec::new();
    let mut done = 0;
    while done < prompt && prefill.len() < UBATCHES_OF_A_PROMPT {
        let tokens = ubatch.min(prompt - done);
        done += tokens;
        prefill.push(Batch { tokens, sequences: 1, outputs: u64::from(done == prompt), position: done });
    }
    let mut all = vec![("prefill", prefill)];
    if !encoder {
        let next = |sequences| Batch {
            tokens: 1,
            sequences,
            outputs: sequences,
            position: prompt.saturating_add(1),
        };
        all.push(("decode", vec![next(1)]));
        if usage.sequences > 1 {
            all.push(("batch", vec![next(usage.sequences)]));
        }
    }
    all
}

/// Batches of a prompt that are looked at; the command line allows no more.
pub const UBATCHES_OF_A_PROMPT: usize = 1024;

struct Device<'a> {
    stack: &'a Stack,
    question: &'a ModelQuestion,
    launcher: Launcher<'a>,
    index: Option<&'a Index<'a>>,
    library: Option<&'a Library>,
    presences: HashMap<String, (Option<String>, Presence)>,
    choices: HashMap<Call, Option<Choice>>,
}

impl Device<'_> {
    fn settings(&self, usage: &Usage, flash: bool) -> Settings {
        Settings { flash, cache: usage.cache, ubatch: usage.ubatch, context: usage.context }
    }

    /// Whether the device takes attention of every block as one operation.
    fn takes_flash(&self, network: &Network) -> Result<bool, AuditError> {
        let usage = self.question.usage;
        let batch = Batch { tokens: 1, sequences: 1, outputs: 1, position: usage.prompt };
        let all = operations(network, &batch, &self.settings(&usage, true)).map_err(malformed)?;
        for operation in all.iter().filter(|operation| matches!(operation.product, Product::Attention(_))) {
            if self.launcher.step(operation).map_err(malformed)?.route == Route::Unsupported {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn phases(&mut self, network: &Network, usage: &Usage, flash: bool) -> Result<Vec<Phase>, AuditError> {
        let settings = self.settings(usage, flash);
        let all = batches(usage, network.is_encoder());
        all.into_iter().map(|(name, batches)| self.phase(network, name, batches, &settings)).collect()
    }

    fn phase(
        &mut self,
        network: &Network,
        name: &'static str,
        batches: Vec<Batch>,
        settings: &Settings,
    ) -> Result<Phase, AuditError> {
        let mut rows: Vec<Row> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        // Batches of a prompt that see as many keys have the same operations.
        let mut known: HashMap<(u64, u64, u64), Vec<usize>> = HashMap::new();
        for batch in &batches {
            let slots = batch.position.next_multiple_of(256);
            let key = (batch.tokens, batch.outputs, slots);
            if let Some(places) = known.get(&key) {
                for place in places {
                    if let Some(row) = rows.get_mut(*place) {
                        row.count += 1;
                    }
                }
                continue;
            }
            let mut own = Vec::new();
            for operation in operations(network, batch, settings).map_err(malformed)? {
                let step = self.launcher.step(&operation).map_err(malformed)?;
                let key = format!("{} {:?} {:?}", operation.role, operation.product, step.fusion);
                let place = match places.get(&key) {
                    Some(place) => *place,
                    None => {
                        places.insert(key, rows.len());
                        rows.push(self.row(operation.clone(), step));
                        rows.len() - 1
                    }
                };
                own.push(place);
                if let Some(row) = rows.get_mut(place) {
                    row.count += 1;
                    row.blocks.extend(operation.block.filter(|block| !row.blocks.contains(block)));
                }
            }
            known.insert(key, own);
        }
        Ok(summed(name, batches, rows))
    }

    fn row(&mut self, operation: Operation, step: Step) -> Row {
        let mut kernels: Vec<Kernel> = Vec::new();
        let mut calls = Vec::new();
        for (launched, _) in &step.launches {
            match launched {
                Launched::Kernel(kernel) => kernels.push(kernel.clone()),
                Launched::Blas(call) => calls.push((call.clone(), self.choice(call))),
            }
        }
        kernels.extend(step.prepares.clone());
        let kernels: Vec<RowKernel> = kernels.into_iter().map(|kernel| self.kernel(kernel)).collect();
        let joined: Vec<RowKernel> =
            step.joined.clone().map(|kernel| self.kernel(kernel)).into_iter().collect();
        let judged = if joined.is_empty() { &kernels } else { &joined };
        let way = self.way(&operation, &step, judged, &calls);
        Row { operation, count: 0, blocks: Vec::new(), step, way, kernels, calls }
    }

    fn kernel(&mut self, kernel: Kernel) -> RowKernel {
        let Some(library) = self.library else { return RowKernel { kernel, symbol: None, presence: None } };
        let index = self.index;
        let (symbol, presence) = self
            .presences
            .entry(kernel.prefix())
            .or_insert_with(|| {
                let presence = index.map_or(Presence::NoTarget, |index| index.presence(&kernel));
                let found = presence.found().map(|found| found.symbol.clone());
                // The host names it for all targets.
                let other = || library.index(library.targets().first()?)?.symbol(&kernel).map(str::to_owned);
                (found.or_else(other), presence)
            })
            .clone();
        RowKernel { kernel, symbol, presence: Some(presence) }
    }

    /// What rocBLAS of the tree chooses; `None` where it has nothing for the target, or the call's types are not known.
    fn choice(&mut self, call: &Call) -> Option<Choice> {
        if let Some(known) = self.choices.get(call) {
            return known.clone();
        }
        let choice = self.asked(call);
        self.choices.insert(call.clone(), choice.clone());
        choice
    }

    fn asked(&self, call: &Call) -> Option<Choice> {
        if call.ty.is_empty() {
            return None;
        }
        let transposes = [Transpose::T, Transpose::N];
        let (target, units) = (&self.question.target, self.question.multiprocessors);
        let mut asked = GemmCall::new(target, units, &call.ty, transposes, [call.m, call.n, call.k]);
        asked.c_eq_d = true;
        match call.function {
            "hipblasSgemm" => asked.api = "gemm".to_owned(),
            "hipblasGemmStridedBatchedEx" => {
                asked.api = "gemm_strided_batched_ex".to_owned();
                asked.batch = call.products;
                let of = |rows: u64, columns: u64| rows.saturating_mul(columns);
                let result = of(call.m, call.n);
                asked.stride = [of(call.m, call.k), of(call.k, call.n), result, result];
            }
            "hipblasGemmBatchedEx" => {
                asked.api = "gemm_batched_ex".to_owned();
                asked.batch = call.products;
                asked.strided = false;
            }
            _ => {}
        }
        let library = self.stack.find_rocblas(&asked.target).ok()?;
        let answer: GemmAnswer = library.answer(&asked).ok()?;
        Some(Choice { kernel: answer.kernel, fallback: answer.fallback, distance: answer.distance })
    }

    fn way(
        &self,
        operation: &Operation,
        step: &Step,
        kernels: &[RowKernel],
        calls: &[(Call, Option<Choice>)],
    ) -> Way {
        let presence = |wanted: fn(&Presence) -> bool| {
            kernels.iter().any(|kernel| kernel.presence.as_ref().is_some_and(wanted))
        };
        let quantized = match &operation.product {
            Product::MulMat(problem, _) => problem.ty.is_quantized(),
            Product::Experts(problem, _) => problem.ty.is_quantized(),
            Product::Attention(_) | Product::Hadamard(..) => false,
        };
        let chosen: Vec<Option<&Choice>> = calls.iter().map(|(_, choice)| choice.as_ref()).collect();
        let is_blas = matches!(step.route, Route::Blas(_));
        let kind = match () {
            () if step.route == Route::Unsupported => WayKind::Cpu,
            () if self.library.is_some() && self.index.is_none() => WayKind::NoCode,
            () if presence(|presence| *presence == Presence::Absent) => WayKind::Absent,
            () if presence(|presence| matches!(presence, Presence::Stub(_))) => WayKind::TrapStub,
            () if step.by_host => WayKind::ExpertLoop,
            () if !is_blas => WayKind::OwnKernel,
            () if chosen.iter().any(|choice| choice.is_some_and(|choice| choice.kernel.is_none())) => {
                WayKind::BlasNothing
            }
            () if chosen.iter().any(Option::is_none) => WayKind::Blas,
            () if chosen.iter().flatten().any(|choice| choice.fallback) => WayKind::BlasFallback,
            () => WayKind::BlasTuned,
        };
        let types = calls.first().map(|(call, _)| call.ty.clone()).unwrap_or_default();
        Way { kind, route: step.route, dequantizes: is_blas && quantized, types }
    }

    fn advice(&mut self, network: &Network, flash: bool, now: &[Phase]) -> Result<Vec<Advice>, AuditError> {
        let usage = self.question.usage;
        let mut all = Vec::new();
        let Some(prefill) = now.iter().find(|phase| phase.name == "prefill") else { return Ok(all) };
        let mut smaller: Vec<Advice> = Vec::new();
        for ubatch in UBATCHES.into_iter().filter(|ubatch| *ubatch < usage.ubatch.min(usage.prompt)) {
            let then = self.prefill(network, &Usage { ubatch, ..usage }, flash)?;
            smaller.extend(compared(format!("-ub {ubatch}"), prefill, &then));
        }
        // The largest batch that brings what smaller ones bring.
        let best = smaller.iter().map(|advice| advice.own.1).fold(0.0, f64::max);
        all.extend(smaller.into_iter().find(|advice| advice.own.1 + NEAR >= best));
        if usage.flash.is_none() || usage.flash == Some(false) {
            let other = self.phases(network, &usage, !flash)?;
            let option = if flash { "-fa off" } else { "-fa on" };
            let refused = |phase: &Phase| phase.ways.iter().any(|(way, _)| way.kind == WayKind::Cpu);
            for (now, then) in now.iter().zip(&other).filter(|(_, then)| !refused(then)) {
                all.extend(compared(option.to_owned(), now, then));
            }
        }
        for name in TYPES {
            let Ok(ty) = crate::engines::ggml::types::named(name) else { continue };
            let Some(other) = network.requantized(ty, &off_own_kernels(prefill)) else { continue };
            let changed = self.with_network(&other, |device| device.prefill(&other, &usage, flash))?;
            if let Some(advice) =
                compared(format!("weights that go to rocBLAS as {}", ty.name), prefill, &changed)
            {
                all.push(advice);
                break;
            }
        }
        Ok(all)
    }

    fn prefill(&mut self, network: &Network, usage: &Usage, flash: bool) -> Result<Phase, AuditError> {
        let settings = self.settings(usage, flash);
        let (name, batches) = batches(usage, network.is_encoder()).swap_remove(0);
        self.phase(network, name, batches, &settings)
    }

    /// Asks about another model on the same device.
    fn with_network<T>(
        &mut self,
        network: &Network,
        ask: impl FnOnce(&mut Device<'_>) -> Result<T, AuditError>,
    ) -> Result<T, AuditError> {
        let architecture = self.launcher.architecture();
        let launcher = Launcher::new(network, architecture, self.launcher.version()).map_err(malformed)?;
        let mut other = Device {
            launcher,
            presences: std::mem::take(&mut self.presences),
            choices: std::mem::take(&mut self.choices),
            ..*self
        };
        let found = ask(&mut other);
        (self.presences, self.choices) = (other.presences, other.choices);
        found
    }
}

/// Weights that ggml's own kernels do not take, by their places.
fn off_own_kernels(phase: &Phase) -> Vec<(String, Type)> {
    let rows = phase.rows.iter().filter(|row| row.way.dequantizes || row.way.kind == WayKind::ExpertLoop);
    rows.filter_map(|row| match &row.operation.product {
        Product::MulMat(problem, _) => Some((row.operation.role.clone(), problem.ty)),
        Product::Experts(problem, _) => Some((row.operation.role.clone(), problem.ty)),
        Product::Attention(_) | Product::Hadamard(..) => None,
    })
    .collect()
}

/// A change, where it is worth naming.
fn compared(change: String, now: &Phase, then: &Phase) -> Option<Advice> {
    let own = (now.own_share(), then.own_share());
    let ends_loop = now.has_loop() && !then.has_loop();
    let launches = (now.launches, then.launches);
    let worth = own.1 >= own.0 + WORTH || ends_loop;
    worth.then_some(Advice { change, phase: now.name, own, launches, ends_loop })
}

fn summed(name: &'static str, batches: Vec<Batch>, rows: Vec<Row>) -> Phase {
    let mut ways: BTreeMap<Way, Share> = BTreeMap::new();
    let (mut flops, mut bytes, mut launches) = (0_u128, 0_u128, 0_u64);
    for row in &rows {
        let share = ways.entry(row.way.clone()).or_default();
        let times = u128::from(row.count);
        let row_flops = row.operation.product.flops().saturating_mul(times);
        let row_bytes = row.operation.product.bytes().saturating_mul(times);
        let row_launches = (row.step.count().saturating_add(row.step.helpers)).saturating_mul(row.count);
        share.flops = share.flops.saturating_add(row_flops);
        share.bytes = share.bytes.saturating_add(row_bytes);
        share.launches = share.launches.saturating_add(row_launches);
        share.operations += row.count;
        flops = flops.saturating_add(row_flops);
        bytes = bytes.saturating_add(row_bytes);
        launches = launches.saturating_add(row_launches);
    }
    let mut ways: Vec<(Way, Share)> = ways.into_iter().collect();
    let by_bytes = name != "prefill";
    ways.sort_by_key(|(_, share)| std::cmp::Reverse(if by_bytes { share.bytes } else { share.flops }));
    Phase { name, batches, flops, bytes, launches, ways, rows }
}
