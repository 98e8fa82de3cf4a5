//! What one library does on a processor, and why.

use super::answer::{Answer, LibraryVerdict};
use super::coverage::{Coverage, CoverageCell, LibraryRow, OutOfReach};
use super::device_package;
use super::gemm::GemmRow;
use super::library_part::is_binary;
use super::package_sets;
use super::run_time;
use super::tensile_verdict::{broken, tuned_types};
use super::variant_choice;
use super::variants::{names, releases};
use crate::finding::Finding;
use crate::finding::amount::{plural, thousands};
use crate::finding::evidence::Evidence;
use crate::finding::rules::kpack::ARCHIVE_MISSING;
use crate::inventory::Inventory;
use crate::inventory::cache_file::HOTSWAP;
use crate::inventory::run_time_compiler::AITER;
use crate::locator::file_name;
use crate::scan::library_names::{self, Compiles, GCC_OFFLOAD, Role};

/// What a library's part does on a processor, by its cell of the matrix.
pub(super) fn judge_library<'a>(
    inventory: &'a Inventory,
    row: &LibraryRow<'a>,
    cell: &CoverageCell<'a>,
    processor: &str,
    gemm: &[GemmRow<'a>],
) -> LibraryVerdict<'a> {
    let library = row.part.library;
    let judging = Judging { inventory, row, cell, processor };
    let (answer, reason, evidence) = judging.by_coverage(tuned_types(library, processor, gemm));
    let refused = refused_by_program(inventory, library, processor);
    let is_refused = refused.is_some();
    let (answer, reason, evidence) = match refused {
        Some(reason) if answer < Answer::Unknown => (Answer::Not, reason, Evidence::Inferred),
        _ => (answer, reason, evidence),
    };
    let then = match answer {
        Answer::Not if cell.out_of_reach.is_some() => Some(ARCHIVE_MISSING.effect),
        // What happens where a link of the chain is broken is said with it.
        _ if cell.broken.is_some() && !is_refused => cell.broken.as_ref().map(|(link, _)| link.then),
        Answer::Not => consequence(library, row.part.tensile, cell.coverage),
        _ => None,
    };
    LibraryVerdict {
        library,
        role: library_names::role(library),
        place: row.part.place,
        answer,
        coverage: cell.coverage,
        reason,
        then,
        needs: Vec::new(),
        evidence,
    }
}

/// An answer, why, and how that is known.
type Judgement = (Answer, String, Evidence);

/// A library's part and a processor, with what was found of both.
struct Judging<'j, 'a> {
    inventory: &'a Inventory,
    row: &'j LibraryRow<'a>,
    cell: &'j CoverageCell<'a>,
    processor: &'j str,
}

impl<'a> Judging<'_, 'a> {
    fn library(&self) -> &'a str {
        self.row.part.library
    }

    /// What the cell alone says; `tuned` is what its catalogs are tuned for.
    fn by_coverage(&self, tuned: Option<String>) -> Judgement {
        let (inventory, cell, library) = (self.inventory, self.cell, self.library());
        let observed = |answer, text: &str| (answer, text.to_owned(), Evidence::Observed);
        // XLA's runtime decides by a list of its own and compiles what the plugin lacks: without it neither a
        // kernel that is here nor one that is not says anything.
        if library == "JAX" && !has_pjrt(inventory) {
            return (Answer::Unknown, self.plugin_of_jax(), Evidence::Code);
        }
        match cell.coverage {
            // What a library compiles it compiles whatever it ships, for a GPU that its compiler and the
            // runtime know.
            coverage if compiled(coverage, library_names::compiles(library)) => self.compiling(),
            Coverage::Native => self.native(tuned),
            Coverage::SomeFiles => self.in_some_files(),
            Coverage::Partial => {
                let [with, of] = cell.bundles.unwrap_or_default();
                (Answer::Limits, format!("in {with} of {of} bundles only"), Evidence::Observed)
            }
            Coverage::FallbackOnly => {
                observed(Answer::Limits, "fallback kernels only: nothing is tuned for it")
            }
            Coverage::Generic => {
                run_time::of_generic(inventory, self.processor, cell.generic.unwrap_or_default())
            }
            Coverage::RunTime => run_time::of_spirv(inventory, self.processor),
            Coverage::Translated => {
                let (from, kernels) = cell.translated.unwrap_or_default();
                run_time::translated(inventory, from, &plural(kernels, "kernel", "kernels"))
            }
            Coverage::Broken => broken(cell, tuned),
            Coverage::NotKnown => {
                let kernels = self.kernels();
                let what =
                    format!("{kernels}, and no catalog that leads to them: this is a part of a package");
                (Answer::Unknown, what, Evidence::Observed)
            }
            Coverage::NoKernels if cell.kernels > 0 => {
                let all = plural(cell.kernels, "kernel", "kernels");
                (Answer::Not, format!("all of its {all} only trap"), Evidence::Observed)
            }
            Coverage::NoKernels if launches_nothing(inventory, library) => observed(
                Answer::Runs,
                "code objects without kernels, whose variables the program registers: it launches none",
            ),
            Coverage::NoKernels => observed(Answer::Not, "code objects without kernels"),
            Coverage::Absent if library == AITER && run_time::has_sources(inventory) => {
                let text = "no code for it; kernels that it has as HIP or Triton sources can be compiled at run time, with hipcc, if the sources support the GPU";
                (Answer::Unknown, text.to_owned(), Evidence::Inferred)
            }
            Coverage::Absent => self.absent(),
        }
    }

    /// The kernels of the cell in words, with those that only trap.
    fn kernels(&self) -> String {
        let counted = |n: u64| plural(n, "kernel", "kernels");
        match self.cell.trap_stubs {
            0 => counted(self.cell.kernels),
            stubs => {
                let runs = thousands(self.cell.kernels.saturating_sub(stubs));
                // ggml compiles its templates for every target, and routes around what has no body there: the
                // rule `trap-stub`.
                let met = if self.library() == "ggml" { ", which llama.cpp is not known to use" } else { "" };
                let all = counted(self.cell.kernels);
                format!("{runs} of {all} run; {} are empty stubs{met}", thousands(stubs))
            }
        }
    }

    /// JAX's plugin where XLA's runtime is not beside it.
    fn plugin_of_jax(&self) -> String {
        let has = match self.cell.coverage {
            Coverage::Absent => "the plugin has no code for it".to_owned(),
            _ => format!("{} of JAX's plugin", self.kernels()),
        };
        format!(
            "{has}; XLA's runtime (jax-rocm…-pjrt), which has a list of GPUs, is not here: name it as well"
        )
    }

    /// A library that compiles its kernels at run time.
    fn compiling(&self) -> Judgement {
        if !is_here(self.inventory, self.library()) {
            let text = "nothing for it in its caches, and the library is not here";
            return (Answer::Unknown, text.to_owned(), Evidence::Observed);
        }
        match run_time::knows(self.inventory, self.processor) {
            Ok(()) => {
                let (text, lacks_some) = compiling(self.inventory, self.row, self.cell, self.processor);
                // What calls the parts without code fails, whatever the rest compiles.
                let answer = if lacks_some { Answer::Limits } else { Answer::Compiles };
                (answer, text, Evidence::Code)
            }
            Err(why) => {
                let text = format!("compiles its kernels at run time, but {why}");
                (Answer::Unknown, text, Evidence::Inferred)
            }
        }
    }

    /// A library with code for the processor.
    fn native(&self, tuned: Option<String>) -> Judgement {
        let kernels = self.kernels();
        let library = self.library();
        if self.row.archives_alone && !has_host(self.inventory, library) {
            let text = format!("{kernels} in kpack archives; the library that loads them is not here");
            return (Answer::Limits, text, Evidence::Observed);
        }
        let text = if library == HOTSWAP {
            format!("{kernels}, translated by HotSwap and kept")
        } else if library_names::role(library) == Role::Loose {
            format!("{kernels}; what loads them is not known")
        } else {
            tuned.filter(|_| self.row.part.tensile).unwrap_or(kernels)
        };
        (Answer::Runs, text, Evidence::Observed)
    }

    /// A library of several files, some of them without code for the processor.
    fn in_some_files(&self) -> Judgement {
        let share = self.cell.files.as_ref();
        let (with, without) = share.map_or((&[][..], &[][..]), |s| (&s.with[..], &s.without[..]));
        let share = share.filter(|_| is_one_loaded(self.library()));
        if let Some((answer, text)) =
            share.and_then(|share| variant_choice::variant_answer(self.inventory, share))
        {
            return (answer, text, Evidence::Code);
        }
        let releases = releases(with).zip(releases(without));
        let mut text = match &releases {
            Some((with, without)) => {
                format!("its variants for ROCm {with} have code for it; those for ROCm {without} have none")
            }
            None => {
                format!("in {} of {} files only: {}", with.len(), with.len() + without.len(), names(with))
            }
        };
        if is_one_loaded(self.library()) {
            text.push_str("; the one of PyTorch's ROCm release is loaded");
            if let Some((with, _)) = &releases {
                text.push_str(&format!(": take a PyTorch of ROCm {}", with.replace(", ", " or ")));
            }
        }
        (Answer::Limits, text, Evidence::Observed)
    }

    /// A library without code for the processor that it could launch.
    fn absent(&self) -> Judgement {
        let cell = self.cell;
        let none = if self.row.part.tensile { "no matrix kernels for it" } else { "no code for it" };
        let what = cell
            .out_of_reach
            .map_or(none.to_owned(), |why| out_of_reach(self.inventory, why, cell.kernels, self.processor));
        let what = match run_time::with_jit(self.inventory, self.library()) {
            Some(jit) => format!("{what}; {jit}"),
            None => what,
        };
        let what = match &cell.broken {
            Some((link, _)) if cell.kernels > 0 => {
                format!("its {} are not found: {}", self.kernels(), link.what)
            }
            Some((link, _)) => link.what.clone(),
            None => what,
        };
        (Answer::Not, what, Evidence::Observed)
    }
}

/// Whether of the variants of a library the one for PyTorch's ROCm is loaded. Source: bitsandbytes'
/// `cextension.py`, huggingface/kernels.
fn is_one_loaded(library: &str) -> bool {
    library == "bitsandbytes" || library.starts_with("kernel ")
}

/// Whether XLA's runtime is here: `xla_rocm_plugin.so` of the packages `jax-rocm…-pjrt`, or
/// `xla_extension.so` of older ones. Source: ROCm/rocm-jax, `jax_rocm_plugin`.
fn has_pjrt(inventory: &Inventory) -> bool {
    let is_it = |path: &str| {
        file_name(path).starts_with("xla_rocm_plugin.") || file_name(path).starts_with("xla_extension.")
    };
    inventory.artifacts.iter().any(|one| is_it(&one.shown))
        || inventory.shared_libraries.keys().any(|name| is_it(name))
}

/// Whether the answer to what is shipped is that the rest is compiled.
fn compiled(coverage: Coverage, compiles: Compiles) -> bool {
    let is_whole = matches!(coverage, Coverage::Native | Coverage::FallbackOnly | Coverage::Generic);
    match compiles {
        Compiles::Nothing => false,
        Compiles::Most => !is_whole && coverage != Coverage::RunTime,
        Compiles::WhatIsLacking => !is_whole,
    }
}

/// Whether a library that loads kernels from archives without a marker of its own is here: hipDNN's plugins
/// have descriptors instead.
fn has_host(inventory: &Inventory, library: &str) -> bool {
    library_names::is_shared_library(library) && is_here(inventory, library)
}

/// Whether a library itself is here, and not only its databases; of one that is no shared library, its files
/// say so.
fn is_here(inventory: &Inventory, library: &str) -> bool {
    let is_it = |path: &str| library_names::of_shared_library(&path.replace('\\', "/")) == Some(library);
    !library_names::is_shared_library(library)
        || inventory.linkage.iter().any(|one| is_it(&one.shown))
        || inventory.libraries_without_code.iter().any(|(name, _)| name == library)
        || inventory.artifacts.iter().any(|one| one.library == library && is_binary(one))
}

/// What a library compiles and what it ships, and whether parts of it are neither for the processor nor compiled.
fn compiling(
    inventory: &Inventory,
    row: &LibraryRow<'_>,
    cell: &CoverageCell<'_>,
    processor: &str,
) -> (String, bool) {
    if library_names::compiles(row.part.library) == Compiles::WhatIsLacking {
        let rest = "the rest it compiles on the card";
        let text = match (&cell.files, cell.bundles) {
            (Some(files), _) => {
                let of = files.with.len() + files.without.len();
                format!("in {} of {of} files; {rest}", files.with.len())
            }
            (None, Some([with, of])) => format!("in {with} of {of} bundles; {rest}"),
            (None, None) => "compiles its kernels at run time".to_owned(),
        };
        return (text, false);
    }
    let lacking: Vec<&str> = inventory
        .artifacts
        .iter()
        .filter(|artifact| artifact.library == row.part.library && is_binary(artifact))
        .filter(|artifact| !super::coverage::serves(artifact, processor, &[]))
        .map(|artifact| module_name(&artifact.shown))
        .collect();
    let have = if lacking.len() == 1 { "has" } else { "have" };
    let text = match lacking.len() {
        0 => "compiles most of its kernels on the card; what it ships is not for it".to_owned(),
        _ => format!("compiles most of its kernels on the card; {} {have} no code for it", names(&lacking)),
    };
    (text, !lacking.is_empty())
}

/// The name of a module of Python or of a shared library, without what follows it: `cub` of
/// `cub.cpython-38-x86_64-linux-gnu.so`; of a private module that of the package that it is a part of: `random` of
/// `random/_generator_api.cpython-38-x86_64-linux-gnu.so`.
fn module_name(path: &str) -> &str {
    let file = file_name(path);
    let Some((name, _)) = file.split_once(".cpython-") else { return file };
    let folder = path.trim_end_matches(file).trim_end_matches('/').rsplit(['/', '!']).next();
    folder.filter(|folder| name.starts_with('_') && !folder.is_empty()).unwrap_or(name)
}

/// Whether the programs of a library register variables of their device code only, so that none of its
/// kernels is launched.
fn launches_nothing(inventory: &Inventory, library: &str) -> bool {
    let mut own =
        inventory.artifacts.iter().filter(|one| one.library == library && is_binary(one)).peekable();
    own.peek().is_some()
        && own.all(|artifact| {
            let linkage = inventory.linkage.iter().find(|linkage| linkage.shown == artifact.shown);
            linkage.is_some_and(|linkage| linkage.registers.variables && !linkage.registers.kernels)
        })
}

/// Why a library does not reach its kernels for a processor, as a clause.
fn out_of_reach(inventory: &Inventory, why: OutOfReach<'_>, kernels: u64, processor: &str) -> String {
    match why {
        OutOfReach::StrayArchive(at) => {
            format!(
                "it has {} in {}, where it does not look",
                plural(kernels, "kernel", "kernels"),
                at.shown()
            )
        }
        OutOfReach::NoArchive { reference, library } => {
            let paths = reference.paths_for(processor).join(" or ");
            let brings = match device_package::device_package_name(library, processor) {
                Some(package) => match package_sets::list_with(inventory, &package) {
                    Some(list) => {
                        format!("the package {package} brings that, which {} names", file_name(list))
                    }
                    None => format!("the package {package} brings that"),
                },
                None => "its device package brings that".to_owned(),
            };
            format!("it looks for its code in {paths}, and there is none for {processor}: {brings}")
        }
    }
}

/// What a library does at run time where it has nothing for the device. Source: rocBLAS's `tensile_host.cpp`,
/// hipBLASLt's `rocblaslt`, HIP's `hip_fatbin.cpp`.
fn consequence(library: &str, tensile: bool, coverage: Coverage) -> Option<&'static str> {
    match (library, tensile, coverage) {
        ("rocBLAS", true, _) => Some("rocBLAS aborts: it cannot read its catalog for the GPU"),
        ("Blender Cycles", _, Coverage::Absent) => {
            Some("Blender says \"HIP binary kernel for this graphics card compute capability (…) not found\"")
        }
        ("hipBLASLt", true, _) => Some("hipBLASLt fails, and rocBLAS or the caller goes on without it"),
        // GCC links it into programs, and HIP never sees it.
        (GCC_OFFLOAD, _, _) => None,
        (_, _, Coverage::NoKernels) => Some("a kernel that is launched ends the process"),
        (_, false, Coverage::Absent) => {
            Some("HIP finds no code object: hipErrorNoBinaryForGpu, or \"invalid device function\"")
        }
        _ => None,
    }
}

/// Why a program refuses a GPU that it has kernels for, where it says so in its own list.
fn refused_by_program(inventory: &Inventory, library: &str, processor: &str) -> Option<String> {
    let fused = |finding: &&Finding| {
        finding.rule.id == "fused-target-names" && finding.target.as_deref() == Some(processor)
    };
    if library == "TensorFlow"
        && let Some(place) = inventory.findings.iter().find(fused).and_then(|found| found.locations.first())
    {
        return Some(format!("the program's own list of GPUs lacks it: {}", place.what));
    }
    let (_, names) = super::agreement::own_lists_without(inventory, library, processor).next()?;
    Some(format!("the program's own list of GPUs lacks it; it has {}", names.join(", ")))
}
