//! Whether kernels that are compiled at run time can be for a GPU at all.

use super::answer::Answer;
use super::coverage::SPIRV_PROCESSOR;
use crate::error::Unanswered;
use crate::finding::amount::plural;
use crate::finding::evidence::Evidence;
use crate::inventory::cache_file::HOTSWAP;
use crate::inventory::library_name::is_called;
use crate::inventory::linkage::Linkage;
use crate::inventory::run_time_compiler::AITER;
use crate::inventory::{Artifact, Inventory};
use crate::locator::file_name;
use crate::target::{Family, Processor};

/// The first LLVM that names the newest processor in the list of ROCm's runtime: the list has nothing that
/// came with a later one. Source: ROCr's `isa.cpp` (ROCm/rocm-systems 4ae93cae), which begins with gfx700 and
/// ends with gfx1201, and its tests of code objects, which add gfx1250.
const LLVM_OF_THE_LIST: u32 = 21;

/// Processors that are older than that list and not in it.
const LEFT_OUT: [&str; 3] = ["gfx703", "gfx704", "gfx705"];

/// Processors that are in that list under another name: gfx1250 in its first revision.
const OTHERWISE_NAMED: [&str; 1] = ["gfx1250-strict"];

/// Whether a release of the runtime that was read drives a processor.
fn is_driven(known: &Processor) -> bool {
    let (name, family) = (known.name(), known.family());
    let is_listed = known.since() <= LLVM_OF_THE_LIST && !LEFT_OUT.contains(&name);
    is_listed || OTHERWISE_NAMED.contains(&name) || family == Family::Generic
}

/// Whether ROCm's runtime, and with it the compilers, know a processor; why not, as a clause.
///
/// # Errors
/// For one that no release of the runtime drives, or that the runtime here does not name.
pub(super) fn knows(inventory: &Inventory, processor: &str) -> Result<(), Unanswered> {
    if processor == SPIRV_PROCESSOR {
        return Ok(());
    }
    let Some(known) = Processor::by_name(processor) else {
        return Err(format!("whether a compiler knows {processor} is not known").into());
    };
    if known.family() == Family::Gcn1 {
        return Err(format!("no release of ROCm's runtime drives {processor}").into());
    }
    let mut runtimes = inventory.linkage.iter().filter(|one| !one.processors.is_empty()).peekable();
    let is_named = runtimes.peek().is_none() || runtimes.any(|one| one.processors.contains(&processor));
    let is_here = inventory.linkage.iter().any(|one| !one.processors.is_empty());
    if !is_here && !is_driven(known) {
        return Err(format!("no release of ROCm's runtime that is known here drives {processor}").into());
    }
    match is_named || known.family() == Family::Generic {
        true => Ok(()),
        false => Err(format!("the HSA runtime here does not name {processor}").into()),
    }
}

/// What is said of a library that has code for a generic target only. The runtime takes it for the processors
/// that its own list puts under that target: gfx1250 came under gfx12-5-generic with ROCm/rocm-systems #7300,
/// and was under gfx12-generic before.
pub(super) fn of_generic(
    inventory: &Inventory,
    processor: &str,
    generic: &str,
) -> (Answer, String, Evidence) {
    let text = format!("through {generic}");
    if let Err(why) = knows(inventory, processor) {
        return (Answer::Unknown, format!("{text}, but {why}"), Evidence::Inferred);
    }
    let mut runtimes = inventory.linkage.iter().filter(|one| !one.processors.is_empty()).peekable();
    if runtimes.peek().is_some() && !runtimes.any(|one| one.processors.contains(&generic)) {
        let text = format!("{text}, which the HSA runtime here does not name");
        return (Answer::Unknown, text, Evidence::Inferred);
    }
    (Answer::Runs, text, Evidence::Code)
}

/// Whether AITER's sources are here, which it compiles for the GPU of the process (`aiter/jit/core.py`).
pub(super) fn has_sources(inventory: &Inventory) -> bool {
    inventory.run_time_compilers.of_binaries().any(|found| found.compiler.name == AITER)
}

/// What a library would do with products that it has no kernel for, where it was built to generate kernels and
/// is not asked to: hipBLASLt after 1.5 (ROCm/rocm-libraries, `projects/hipblaslt/JIT.md`).
pub(super) fn with_jit(inventory: &Inventory, library: &str) -> Option<String> {
    let can = |one: &Linkage| one.probing.as_ref().is_some_and(|probing| probing.jit);
    let is_it = library == "hipBLASLt" && here(inventory, "libhipblaslt").any(can);
    is_it.then(|| {
        let comgr = here(inventory, "libamd_comgr").next().is_some();
        let whose = if comgr { "comgr" } else { "comgr, which is not here" };
        format!(
            "with HIPBLASLT_JIT=1, which is off otherwise, this build generates kernels on the card, by {whose}"
        )
    })
}

/// The copies of a library of ROCm that are here.
fn here<'i>(inventory: &'i Inventory, library: &'static str) -> impl Iterator<Item = &'i Linkage> {
    inventory
        .linkage
        .iter()
        .filter(move |one| is_called(library, one.name()) || is_called(library, file_name(&one.shown)))
}

/// What is said of a library that has SPIR-V and nothing nearer for a processor. HIP gives it to comgr, which
/// compiles it for the GPU of the process (`hip_fatbin.cpp`).
pub(super) fn of_spirv(inventory: &Inventory, processor: &str) -> (Answer, String, Evidence) {
    if let Err(why) = knows(inventory, processor) {
        return (Answer::Unknown, format!("SPIR-V, but {why}"), Evidence::Inferred);
    }
    let mut runtimes = here(inventory, "libamdhip64").peekable();
    let is_here = runtimes.peek().is_some();
    if is_here && !runtimes.any(|one| one.loading.spirv) {
        let text = "SPIR-V only, and the HIP runtime here does not name its target";
        return (Answer::Unknown, text.to_owned(), Evidence::Inferred);
    }
    let needs = match (is_here, here(inventory, "libamd_comgr").next().is_some()) {
        (_, true) => "",
        (true, false) => " by comgr, which is not here",
        (false, false) => " by the HIP runtime and comgr, which are not here",
    };
    (Answer::Compiles, format!("SPIR-V, compiled on the card{needs}"), Evidence::Observed)
}

/// What is said of a library whose code is for another revision of the GPU. HotSwap translates it at load
/// where the runtime has it (ROCm/rocm-systems #7921), and where the GPU goes by the other name (#11442).
/// Kernels that it cannot move fail to load (rocm-libraries #11484).
pub(super) fn translated(inventory: &Inventory, from: &str, kernels: &str) -> (Answer, String, Evidence) {
    let is_kept = |one: &&Artifact| one.cache().is_some_and(|(of, _)| of == HOTSWAP);
    let kept = match inventory.artifacts.iter().filter(is_kept).count() {
        0 => String::new(),
        n => format!(" ({} in its cache)", plural(n as u64, "translation", "translations")),
    };
    let code = format!("{kernels} for {from}, which HotSwap of the HSA runtime translates at load{kept}");
    let mut runtimes = here(inventory, "libhsa-runtime64").peekable();
    if runtimes.peek().is_none() {
        let text = format!("{code}; the runtime is not here");
        return (Answer::Unknown, text, Evidence::Code);
    }
    if runtimes.any(|one| one.loading.hot_swap) {
        let comgr = here(inventory, "libamd_comgr").next().is_some()
            || here(inventory, "libhsa_hotswap_rocjitsu").next().is_some();
        let needs =
            if comgr { "" } else { "; comgr or libhsa_hotswap_rocjitsu.so has to be there and is not here" };
        let text =
            format!("{code}, with HSA_DISABLE_GFX12_STRICT=1; kernels that it cannot move fail{needs}");
        return (if comgr { Answer::Limits } else { Answer::Unknown }, text, Evidence::Code);
    }
    let text = format!("{kernels} for {from} only, and the HSA runtime here has no HotSwap to translate it");
    (Answer::Not, text, Evidence::Code)
}
