//! Asks a device about operations: how it computes each, and which of the needed code the tree has.

use super::phase::{self, Choice, EqualOperations, Phase, RowKernel};
use super::way::{Way, WayKind};
use super::{ModelQuestion, Usage, malformed};
use crate::answers::Answers;
use crate::answers::gemm::NoCatalog;
use crate::engines::ggml::presence::{Index, Library, Presence};
use crate::engines::ggml::{Architecture, Kernel, Route, Version};
use crate::engines::model::beside::Launches;
use crate::engines::model::between::{Fusions, between};
use crate::engines::model::launch::{Call, LaunchedKernel, Launcher, OperationStep};
use crate::engines::model::network::Network;
use crate::engines::model::operation::{Batch, Operation, Product, Settings, operations};
use crate::engines::tensile::answer::GemmAnswer;
use crate::engines::tensile::call::{GemmCall, Transpose};
use crate::error::AuditError;
use std::collections::HashMap;

/// A device and what is known about it.
pub(super) struct Device<'a> {
    stack: &'a Answers,
    question: &'a ModelQuestion,
    launcher: Launcher<'a>,
    index: Option<&'a Index<'a>>,
    library: Option<&'a Library>,
    presences: HashMap<String, (Option<String>, Presence)>,
    choices: HashMap<Call, Option<Choice>>,
}

impl<'a> Device<'a> {
    /// A device with ggml's library and its index, if the tree has one.
    pub fn new(
        stack: &'a Answers,
        network: &'a Network,
        question: &'a ModelQuestion,
        architecture: &'a Architecture,
        version: Option<Version>,
        (library, index): (Option<&'a Library>, Option<&'a Index<'a>>),
    ) -> Result<Self, AuditError> {
        let launcher =
            Launcher::new(network, architecture, question.multiprocessors, version).map_err(malformed)?;
        let (presences, choices) = (HashMap::new(), HashMap::new());
        Ok(Device { stack, question, launcher, index, library, presences, choices })
    }
}

impl Device<'_> {
    /// How the model is used.
    pub fn usage(&self) -> Usage {
        self.question.usage
    }

    fn settings(&self, usage: &Usage, flash: bool) -> Settings {
        Settings { flash, cache: usage.cache, ubatch: usage.ubatch, context: usage.context }
    }

    /// Whether the device can compute attention as one operation in every block.
    pub fn takes_flash(&self, network: &Network) -> Result<bool, AuditError> {
        let usage = self.question.usage;
        let batch = Batch { tokens: 1, sequences: 1, outputs: 1, position: usage.prompt, begins: false };
        let all = operations(network, &batch, &self.settings(&usage, true)).map_err(malformed)?;
        for operation in all.iter().filter(|operation| matches!(operation.product, Product::Attention(_))) {
            if self.launcher.step(operation).map_err(malformed)?.route == Route::Unsupported {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub fn phases(
        &mut self,
        network: &Network,
        usage: &Usage,
        flash: bool,
    ) -> Result<Vec<Phase>, AuditError> {
        let settings = self.settings(usage, flash);
        let all = phase::batches(usage, network.is_encoder());
        all.into_iter().map(|(name, batches)| self.phase(network, name, batches, &settings)).collect()
    }

    fn phase(
        &mut self,
        network: &Network,
        name: &'static str,
        batches: Vec<Batch>,
        settings: &Settings,
    ) -> Result<Phase, AuditError> {
        let mut rows: Vec<EqualOperations> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut around = Launches::default();
        let mut per_ubatch: Vec<u64> = Vec::new();
        // Batches of a prompt with the same number of keys have the same operations.
        let mut known: HashMap<_, (Vec<usize>, Launches)> = HashMap::new();
        for batch in &batches {
            let slots = batch.position.next_multiple_of(256);
            let key = (batch.tokens, batch.outputs, slots, batch.begins);
            if let Some((places, between)) = known.get(&key) {
                for place in places {
                    if let Some(row) = rows.get_mut(*place) {
                        row.count += 1;
                    }
                }
                around.add_all(between, 1);
                per_ubatch.push(launches(&rows, places, between));
                continue;
            }
            let mut own = Vec::new();
            let all = operations(network, batch, settings).map_err(malformed)?;
            let mut fusions = Fusions::new();
            for operation in &all {
                let step = self.launcher.step(operation).map_err(malformed)?;
                if operation.weight.is_some() {
                    fusions.insert((operation.block, &operation.role), step.fusion);
                }
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
            let between = between(network, batch, settings, &fusions).map_err(malformed)?;
            around.add_all(&between, 1);
            per_ubatch.push(launches(&rows, &own, &between));
            known.insert(key, (own, between));
        }
        Ok(phase::summed(name, batches, rows, (around, per_ubatch)))
    }

    /// How the device computes one operation, asked on its own.
    pub fn row_of(&mut self, operation: Operation) -> Result<EqualOperations, AuditError> {
        let step = self.launcher.step(&operation).map_err(malformed)?;
        Ok(self.row(operation, step))
    }

    fn row(&mut self, operation: Operation, step: OperationStep) -> EqualOperations {
        let mut kernels: Vec<Kernel> = Vec::new();
        let mut calls = Vec::new();
        for (launched, _) in &step.launches {
            match launched {
                LaunchedKernel::Kernel(kernel) => kernels.push(kernel.clone()),
                LaunchedKernel::Blas(call) => calls.push((call.clone(), self.choice(call))),
            }
        }
        kernels.extend(step.prepares.clone());
        let kernels: Vec<RowKernel> = kernels.into_iter().map(|kernel| self.kernel(kernel)).collect();
        let joined: Vec<RowKernel> =
            step.joined.clone().map(|kernel| self.kernel(kernel)).into_iter().collect();
        let judged = if joined.is_empty() { &kernels } else { &joined };
        let way = self.way(&operation, &step, judged, &calls);
        EqualOperations { operation, count: 0, blocks: Vec::new(), step, way, kernels, calls }
    }

    fn kernel(&mut self, kernel: Kernel) -> RowKernel {
        let Some(library) = self.library else { return RowKernel { kernel, symbol: None, presence: None } };
        let index = self.index;
        let (symbol, presence) = self
            .presences
            .entry(kernel.prefix())
            .or_insert_with(|| {
                let presence = library.presence_in(index, &kernel);
                let found = presence.found().map(|found| found.symbol.clone());
                // The host part names the kernel once for all targets.
                let other = || library.index(library.targets().first()?)?.symbol(&kernel).map(str::to_owned);
                (found.or_else(other), presence)
            })
            .clone();
        RowKernel { kernel, symbol, presence: Some(presence) }
    }

    /// What the tree's rocBLAS chooses; `None` if it has nothing for the target or the call's types are
    /// unknown.
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
        let library = match self.stack.find_rocblas(&asked.target) {
            Ok(library) => library,
            Err(NoCatalog::NoFolder) => return None,
            // rocBLAS finds no master catalog it can load for the device: its first call ends the process.
            Err(NoCatalog::NoTarget(_)) => return Some(Choice::NOTHING),
        };
        let Some(answer): Option<GemmAnswer> = self.stack.heard(library.answer(&asked)) else {
            // The call reaches a missing or damaged catalog, which also ends the process.
            return Some(Choice::NOTHING);
        };
        Some(Choice { kernel: answer.kernel, fallback: answer.fallback, distance: answer.distance })
    }

    fn way(
        &self,
        operation: &Operation,
        step: &OperationStep,
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
            () if self.library.is_some_and(|library| self.index.is_none() && library.is_whole()) => {
                WayKind::NoCode
            }
            () if presence(|presence| *presence == Presence::Unknown) => WayKind::NotKnown,
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

    pub fn prefill(&mut self, network: &Network, usage: &Usage, flash: bool) -> Result<Phase, AuditError> {
        let settings = self.settings(usage, flash);
        let (name, batches) = phase::batches(usage, network.is_encoder()).swap_remove(0);
        self.phase(network, name, batches, &settings)
    }

    /// Asks about another model on the same device.
    pub fn with_network<T>(
        &mut self,
        network: &Network,
        ask: impl FnOnce(&mut Device<'_>) -> Result<T, AuditError>,
    ) -> Result<T, AuditError> {
        let architecture = self.launcher.architecture();
        let launcher =
            Launcher::new(network, architecture, self.launcher.multiprocessors(), self.launcher.version())
                .map_err(malformed)?;
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

/// Launches of a batch: those of its rows (given by their places), plus those between them.
fn launches(rows: &[EqualOperations], places: &[usize], between: &Launches) -> u64 {
    let of_rows = places.iter().filter_map(|place| rows.get(*place)).map(EqualOperations::launches);
    of_rows.fold(between.count(), u64::saturating_add)
}
