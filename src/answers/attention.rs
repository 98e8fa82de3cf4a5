//! Attention: which libraries of a tree hold a kernel for a call, and which of these a framework takes.

mod frameworks;

use self::frameworks::{aotriton_release, frameworks, version};
use super::{Answers, RouteQuestion};
use crate::engines::attention::aotriton::AotritonRelease;
use crate::engines::attention::step::{Environment, Step};
use crate::engines::attention::{
    AttentionCall, AttentionKernel, AttentionType, Lack, aiter, aotriton, composable_kernel, serving,
};
use crate::engines::ggml::Query;
use crate::engines::ggml::presence::Presence;
use crate::engines::ggml::query::FlashAttention;
use crate::engines::ggml::types;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::finding::evidence::Evidence;
use crate::finding::rules::read;
use crate::input::install::Install;
use crate::inventory::Inventory;
use crate::inventory::kernel_row::KernelRow;
use crate::inventory::run_time_compiler;
use crate::locator::slashed;
use crate::scan::kernel_sink::KernelSink;
use crate::target::TargetId;
use crate::tree::wanted;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;
use std::io;

/// Whether a file can matter for attention beside its kernels: lists of AITER, and what ggml's answers need.
pub fn is_wanted(path: &str) -> bool {
    aiter::is_list(path) || wanted::is_wanted(path)
}

/// Libraries by the names of the audit.
const AOTRITON: &str = "AOTriton";
const AITER: &str = "AITER";
const CK: &str = "Composable Kernel";

/// Where a kernel was found.
#[derive(Debug, Clone)]
pub struct HeldKernel {
    /// Its symbol.
    pub symbol: String,
    /// The file as reports show it.
    pub shown: String,
    /// Whether what it computes stands in a list of its library, or in the name of its image; else it was read in
    /// its symbol.
    pub is_listed: bool,
}

/// The kernels of attention of a tree, by library and processor, each kind once.
#[derive(Debug, Default)]
pub struct HeldKernels {
    kernels: KeyMap<(&'static str, String), KeyMap<AttentionKernel, HeldKernel>>,
    /// Symbols of AITER's assembly by processor: lists are held against them.
    assembly: BTreeSet<(String, String)>,
    /// Rows of lists whose kernel is not there.
    missing: Vec<(String, String)>,
    kept: usize,
}

impl KernelSink for HeldKernels {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        for row in rows {
            let (shown, symbol) = (&row.place.shown, row.kernel.name());
            let path = row.place.locator.shown();
            let processor = row.place.target.processor.clone();
            let found = if path.contains("aotriton.images") {
                aotriton::of_path(&path).map(|kernel| (AOTRITON, kernel, true))
            } else if let Some(kernel) = aiter::of_symbol(symbol) {
                Some((AITER, kernel, false))
            } else {
                row.demangled.as_deref().and_then(composable_kernel::of_name).map(|kernel| (CK, kernel, true))
            };
            if aiter::processor_of(&path).is_some() && self.assembly.len() < FOUND_KERNELS {
                self.assembly.insert((processor.clone(), symbol.to_owned()));
            }
            if let Some((library, kernel, is_listed)) = found {
                self.add((library, processor), kernel, symbol, shown, is_listed);
            }
        }
        Ok(())
    }
}

impl HeldKernels {
    fn add(
        &mut self,
        key: (&'static str, String),
        kernel: AttentionKernel,
        symbol: &str,
        shown: &str,
        is_listed: bool,
    ) {
        if self.kept >= FOUND_KERNELS {
            return;
        }
        let kinds = self.kernels.entry(key).or_default();
        let before = kinds.len();
        let held = HeldKernel { symbol: symbol.to_owned(), shown: shown.to_owned(), is_listed };
        let known = kinds.entry(kernel).or_insert_with(|| held.clone());
        if is_listed && !known.is_listed {
            *known = held;
        }
        self.kept += kinds.len() - before;
    }

    /// Reads AITER's lists. A row counts where its symbol is a kernel of the tree; the others are named.
    pub fn read_lists(&mut self, install: &Install) -> Vec<Finding> {
        let mut unread = Vec::new();
        for file in install.files() {
            let (shown, path) = (file.shown.clone(), slashed(&file.path()));
            if !aiter::is_list(&path) {
                continue;
            }
            let Some(processor) = aiter::processor_of(&path).map(str::to_owned) else { continue };
            let source = match file.open() {
                Ok(source) => source,
                Err(error) => {
                    unread.push(Finding::of_file(&read::UNREADABLE_FILE, &shown, error.to_string()));
                    continue;
                }
            };
            let bytes = source.bytes();
            let text = String::from_utf8_lossy(bytes.get(..LIST_BYTES).unwrap_or(bytes));
            for row in aiter::list(&text) {
                if self.assembly.contains(&(processor.clone(), row.symbol.clone())) {
                    self.add((AITER, processor.clone()), row.kernel, &row.symbol, &shown, true);
                } else if self.missing.len() < MISSING {
                    self.missing.push((shown.clone(), row.symbol));
                }
            }
        }
        unread
    }

    fn of(&self, library: &'static str, processor: &str) -> Option<&KeyMap<AttentionKernel, HeldKernel>> {
        self.kernels.get(&(library, processor.to_owned()))
    }

    fn processors(&self, library: &str) -> Vec<String> {
        self.kernels.keys().filter(|(own, _)| *own == library).map(|(_, target)| target.clone()).collect()
    }

    fn has(&self, library: &str) -> bool {
        self.kernels.keys().any(|(own, _)| *own == library)
    }
}

/// Kinds of kernels and symbols that are kept at most.
const FOUND_KERNELS: usize = 1 << 16;
/// Bytes of a list that are read.
const LIST_BYTES: usize = 4 << 20;
/// Rows without their kernel that are named.
const MISSING: usize = 100;

/// Whether a library has a kernel for the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// In these bytes.
    Yes,
    /// Its compiler makes it on the card.
    Compiles,
    /// Not.
    No,
    /// It is here, and which kernels it has is not read.
    Unknown,
}

/// What a library has for the call.
#[derive(Debug, Clone)]
pub struct LibraryHolds {
    /// The library.
    pub library: &'static str,
    /// Whether it has a kernel.
    pub holds: Holds,
    /// Why, or what was found.
    pub because: String,
    /// How that is known.
    pub evidence: Evidence,
    /// The kernel, and where it is.
    pub kernel: Option<HeldKernel>,
    /// All kinds of kernels that it has for the card.
    pub kinds: Vec<AttentionKernel>,
    /// Processors that it has kernels of attention for.
    pub processors: Vec<String>,
}

/// What a framework takes.
#[derive(Debug, Clone)]
pub struct FrameworkTakes {
    /// The framework.
    pub framework: &'static str,
    /// Its release, or that of the library that decides, with where it is from.
    pub release: Option<String>,
    /// What the rules hold for, if the release is not that.
    pub remark: Option<String>,
    /// What it tries, in its order.
    pub steps: Vec<Step>,
    /// Variables of its that the caller set.
    pub variables: Vec<String>,
}

/// The answer.
#[derive(Debug)]
pub struct AttentionAnswer {
    /// What was asked.
    pub call: AttentionCall,
    /// The target of the card.
    pub target: TargetId,
    /// Libraries that are here.
    pub libraries: Vec<LibraryHolds>,
    /// Frameworks that are here.
    pub frameworks: Vec<FrameworkTakes>,
    /// Rows of lists whose kernel is not in the tree: list and symbol.
    pub missing: Vec<(String, String)>,
}

impl AttentionAnswer {
    /// Answers from what a tree holds.
    ///
    /// # Errors
    /// Where the tree has several libraries of ggml, or one whose version is not known.
    pub fn new(
        answers: &Answers,
        inventory: &Inventory,
        held: &HeldKernels,
        call: AttentionCall,
        target: &TargetId,
        environment: &Environment,
    ) -> Result<Self, AuditError> {
        let processor = target.processor.as_str();
        let release = aotriton_release(inventory);
        let mut libraries = Vec::new();
        if held.has(AOTRITON) {
            libraries.push(of_aotriton(held, release, call, processor));
        }
        let is_here = |name: &str| version(inventory, name).is_some();
        let has_aiter = held.has(AITER) || is_here("amd-aiter") || is_here("aiter");
        if held.has(AITER) {
            let same = |one: &AttentionKernel| (one.dim, one.value_dim) == (call.dim, call.value_dim);
            libraries.push(of_kernels(held, AITER, call, processor, same));
        }
        if held.has(CK) {
            let fits = |one: &AttentionKernel| composable_kernel::fits(one, call.dim, call.value_dim);
            libraries.push(of_kernels(held, CK, call, processor, fits));
        }
        libraries.extend(of_compilers(inventory, held));
        libraries.extend(of_hipdnn(inventory));
        libraries.extend(of_ggml(answers, call, target)?);
        let frameworks = frameworks(inventory, held, release, call, processor, has_aiter, environment);
        let missing = held.missing.clone();
        Ok(AttentionAnswer { call, target: target.clone(), libraries, frameworks, missing })
    }
}

fn of_aotriton(
    held: &HeldKernels,
    release: Option<AotritonRelease>,
    call: AttentionCall,
    processor: &str,
) -> LibraryHolds {
    let refused = |because| LibraryHolds {
        processors: held.processors(AOTRITON),
        ..here(AOTRITON, Holds::No, because, Evidence::Code)
    };
    if let Some(release) = release.filter(|release| !aotriton::knows(processor, *release)) {
        let (major, minor) = release.minor;
        return refused(format!(
            "AOTriton {major}.{minor} does not know {processor} and takes no image for it"
        ));
    }
    let sizes = held.kernels.iter().filter(|((own, _), _)| *own == AOTRITON);
    let sizes: BTreeSet<u32> = sizes.flat_map(|(_, kinds)| kinds.keys().map(|kind| kind.dim)).collect();
    let has_16 = held.of(AOTRITON, processor).is_some_and(|kinds| kinds.keys().any(|kind| kind.dim == 16));
    let release = release.map(|release| release.minor);
    match aotriton::block(&call, processor, release, has_16, sizes) {
        Some(block) if release.is_some_and(|own| aotriton::fails(&call, processor, own, block)) => {
            refused(format!(
                "AOTriton 0.12 gives {} without a mask on {processor} to assembly that it does not have for it",
                call.ty
            ))
        }
        Some(block) => of_kernels(held, AOTRITON, call, processor, |one| aotriton::fits(one, &call, block)),
        None => of_kernels(held, AOTRITON, call, processor, |_| false),
    }
}

/// What a library with kernels in files has.
fn of_kernels(
    held: &HeldKernels,
    library: &'static str,
    call: AttentionCall,
    processor: &str,
    fits: impl Fn(&AttentionKernel) -> bool,
) -> LibraryHolds {
    let own = held.of(library, processor);
    let kinds: Vec<AttentionKernel> = own.into_iter().flat_map(KeyMap::keys).copied().collect();
    let processors = held.processors(library);
    let (holds, because, kernel) = match serving(&call, &kinds, fits) {
        Ok(kind) => {
            let kernel = own.and_then(|own| own.get(&kind)).cloned();
            (Holds::Yes, found(&kind, &call), kernel)
        }
        Err(lack) => (Holds::No, lacking(&lack, &call, processor, &processors), None),
    };
    let is_listed = kernel.as_ref().is_none_or(|kernel| kernel.is_listed);
    let evidence = if is_listed { Evidence::Observed } else { Evidence::Inferred };
    LibraryHolds { library, holds, because, evidence, kernel, kinds, processors }
}

fn found(kind: &AttentionKernel, call: &AttentionCall) -> String {
    let mask = if kind.causal { "causal" } else { "without a mask" };
    let made = format!("{} {mask}, heads of {}", kind.ty, heads(kind.dim, kind.value_dim));
    match (kind.dim, kind.value_dim) == (call.dim, call.value_dim) {
        true => made,
        false => format!("{made}, padded from {}", heads(call.dim, call.value_dim)),
    }
}

/// A head size in words.
pub fn heads(dim: u32, value_dim: u32) -> String {
    if dim == value_dim { dim.to_string() } else { format!("{dim} with values of {value_dim}") }
}

fn lacking(lack: &Lack, call: &AttentionCall, processor: &str, processors: &[String]) -> String {
    match lack {
        Lack::Card => format!("no kernel for {processor}; it has some for {}", processors.join(" ")),
        Lack::Type => format!("no kernel in {} for {processor}", call.ty),
        Lack::HeadSize(sizes) => {
            let sizes: Vec<String> = sizes.iter().map(|(dim, value_dim)| heads(*dim, *value_dim)).collect();
            let wanted = heads(call.dim, call.value_dim);
            format!("no kernel for heads of {wanted} in {}; it has {}", call.ty, sizes.join(", "))
        }
        Lack::Mask if call.causal => "its kernel of this size and type has no causal mask".to_owned(),
        Lack::Mask => "its kernel of this size and type is for causal masks only".to_owned(),
    }
}

/// Triton, and AITER's modules of Composable Kernel: their kernels are made on the card.
fn of_compilers(inventory: &Inventory, held: &HeldKernels) -> Vec<LibraryHolds> {
    let mut all = Vec::new();
    for found in inventory.run_time_compilers.of_binaries() {
        let library = match found.compiler.name {
            "Triton" => "Triton",
            run_time_compiler::AITER if !held.has(CK) => CK,
            _ => continue,
        };
        if all.iter().all(|known: &LibraryHolds| known.library != library) {
            let because = format!(
                "{} compiles kernels of attention on the card ({})",
                found.compiler.name, found.first
            );
            all.push(here(library, Holds::Compiles, because, Evidence::Inferred));
        }
    }
    all
}

/// hipDNN: its engines are seen, and what their kernels are for is not read.
fn of_hipdnn(inventory: &Inventory) -> Option<LibraryHolds> {
    let paths = inventory.artifacts.iter().map(|artifact| &artifact.shown);
    let others = inventory.libraries_without_code.iter().map(|(_, shown)| shown);
    let first = paths.chain(others).find(|shown| shown.contains("hipdnn"))?;
    let because = format!("its engines are here ({first}); which problems they solve is not read");
    Some(here("hipDNN", Holds::Unknown, because, Evidence::Observed))
}

fn here(library: &'static str, holds: Holds, because: String, evidence: Evidence) -> LibraryHolds {
    LibraryHolds {
        library,
        holds,
        because,
        evidence,
        kernel: None,
        kinds: Vec::new(),
        processors: Vec::new(),
    }
}

/// Queries of a prompt, and heads that are assumed, as in `select flash-attn`.
const PROMPT: u64 = 512;

fn of_ggml(
    answers: &Answers,
    call: AttentionCall,
    target: &TargetId,
) -> Result<Option<LibraryHolds>, AuditError> {
    let Some(library) = answers.ggml()? else { return Ok(None) };
    let ty = match call.ty {
        AttentionType::Fp16 => types::named("f16").ok(),
        AttentionType::Bf16 => types::named("bf16").ok(),
        AttentionType::Fp32 => types::named("f32").ok(),
        AttentionType::Fp8 | AttentionType::Mxfp8 => None,
    };
    let Some(ty) = ty else {
        let because = format!("llama.cpp's cache has no {}", call.ty);
        return Ok(Some(here("ggml", Holds::No, because, Evidence::Code)));
    };
    let query = Query::FlashAttention(FlashAttention {
        ty,
        dk: u64::from(call.dim),
        dv: u64::from(call.value_dim),
        queries: PROMPT,
        heads: 32,
        kv_heads: 8,
        keys: 1024,
        mask: call.causal,
    });
    let question = RouteQuestion { target: target.clone(), query, version: None, multiprocessors: None };
    let answer = answers.route(&library, question)?;
    let by =
        format!("for a prompt of {PROMPT} with 32 heads of queries and 8 of keys, {}", answer.answer.route);
    let (holds, because) = match &answer.presence {
        _ if !answer.has_code => (Holds::No, format!("no code for {}", target.processor)),
        Some(Presence::Real(_)) => (Holds::Yes, by),
        Some(Presence::Stub(_)) => (Holds::No, format!("{by}, whose kernel only traps")),
        Some(Presence::Absent | Presence::NoTarget) => {
            (Holds::No, format!("{by}, whose kernel is not there"))
        }
        Some(Presence::Unknown) => {
            (Holds::Unknown, format!("{by}; whether its kernel is there is not known"))
        }
        None => (Holds::No, format!("{by}: it has no kernel of flash attention for this")),
    };
    let kernel = answer.presence.as_ref().and_then(Presence::found).map(|found| HeldKernel {
        symbol: found.symbol.clone(),
        shown: answer.library.path.clone(),
        is_listed: true,
    });
    let evidence = if holds == Holds::Yes || !answer.has_code { Evidence::Observed } else { Evidence::Code };
    let processors = answer.library.targets.iter().map(|target| target.processor.clone()).collect();
    Ok(Some(LibraryHolds { kernel, processors, ..here("ggml", holds, because, evidence) }))
}
