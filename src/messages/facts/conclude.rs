//! From facts to causes: what a message means beside what else the log says.

use super::LogFacts;
use super::compiling::is_of_linker;
use super::said::GOES_ON;
use super::trace::{self, FIRST_OF_VERSION_6, FrameOwner};
use crate::messages::recognised::Hit;
use crate::messages::sign::{ARCH_MISMATCH, SIGNS};
use crate::messages::table::{MessageOrigin, MessageSubject, Weight, of_id};
use crate::target::GfxVersion;

/// Messages of faults on the device, for which an override matters.
const FAULTS: [&str; 6] = [
    "memory-access-fault",
    "memory-access-fault-nil",
    "gpu-hang",
    "hsa-invalid-isa",
    "hsa-illegal-instruction",
    "hsa-exception",
];

/// Messages that no code was loaded.
const NO_CODE: [&str; 6] = [
    "no-binary-for-gpu",
    "no-kernel-image",
    "invalid-device-function",
    "shared-object-init",
    "no-compatible-code-objects",
    "invalid-image",
];

/// Puts the causes of a message in the order that the facts give them.
pub(in crate::messages) fn conclude(hit: &mut Hit, facts: &LogFacts) {
    if hit.class == MessageSubject::NotRocm {
        return;
    }
    by_releases(hit, facts);
    by_frames(hit, facts);
    by_status(hit);
    by_speaker(hit);
    by_compile_time(hit, facts);
    if is_of_graphics(hit, facts) {
        hit.class = MessageSubject::NotRocm;
        hit.causes = vec!["NOT-ROCM"];
        return;
    }
    by_override(hit, facts);
    // A fault is the program's where something says so.
    let faults = ["memory-access-fault", "said-fault"];
    if faults.contains(&hit.message.id) && hit.causes.first() == Some(&"PROGRAM-FAULT") {
        hit.class = MessageSubject::Runtime;
    }
}

/// What an override says, by the processor that it names and that of the card; and a list of what a file has.
fn by_override(hit: &mut Hit, facts: &LogFacts) {
    let id = hit.message.id;
    let card = facts.device().or_else(|| facts.named_card()).map(str::to_owned);
    let overridden = facts.overridden();
    let major = |name: &str| GfxVersion::from_name(name).map(|version| version.major);
    let minor = |name: &str| GfxVersion::from_name(name).map(|version| version.minor);
    // The runtime looks for code of the target that the override names, and has found none.
    if NO_CODE.contains(&id)
        && !facts.in_force.is_empty()
        && card.as_ref().is_none_or(|card| !overridden.contains(card))
    {
        hit.put_first("OV-NOTHING-TO-LOAD");
    }
    if let (Some(card), Some(other)) = (&card, overridden.iter().next()) {
        let (is_same, is_generation) = (card == other, major(card) == major(other));
        if is_same {
            // The runtime itself says the name of the override, or the override is not needed.
            return;
        }
        if FAULTS.contains(&id) && !is_generation {
            hit.put_first("OV-CROSS-MAJOR");
        } else if FAULTS.contains(&id) {
            // The override stays within the generation. With the same minor version, as all of RDNA 2 have, it loads
            // code for what the card has; with another one, as of RDNA 1, it may not.
            hit.causes.retain(|cause| *cause != "OV-CROSS-MAJOR");
            let is_part = minor(card) == minor(other);
            if matches!(id, "hsa-invalid-isa" | "hsa-illegal-instruction") || !is_part {
                hit.put_first("OV-UNSAFE");
            }
        }
    }
    // A list of what is in the file, without the card: nothing else has to be supposed.
    if NO_CODE.contains(&id)
        && let Some(card) = &card
        && !facts.listed.is_empty()
        && !facts.listed.contains(card)
        && overridden.is_empty()
        && facts.devices.len() == 1
    {
        hit.put_first("FB-ARCH-MISSING");
    }
}

/// Processors for which no release of rocBLAS has kernels, so that nothing stands in for hipBLASLt. Source:
/// the targets of rocBLAS in TheRock's `therock_amdgpu_targets.cmake`.
const WITHOUT_ROCBLAS: [&str; 2] = ["gfx1250", "gfx1251"];

/// What a missing catalog of hipBLASLt means beside what else the log says: harmless where rocBLAS stands in,
/// and the cause where a call of hipBLASLt failed or where rocBLAS has nothing for the GPU either.
pub(in crate::messages) fn by_stand_in(hits: &mut [Hit]) {
    let has_failed =
        hits.iter().any(|hit| hit.message.id == LT_FAILED && hit.class != MessageSubject::NotRocm);
    let missing = hits.iter().find(|hit| hit.message.id == LT_MISSING);
    let Some(target) = missing.map(|hit| hit.target.clone()) else { return };
    let has_none = target.as_ref().is_some_and(|own| WITHOUT_ROCBLAS.contains(&own.processor.as_str()));
    for hit in hits {
        if hit.message.id == LT_FAILED && hit.class != MessageSubject::NotRocm {
            hit.class = MessageSubject::File;
            hit.target = hit.target.take().or_else(|| target.clone());
            hit.put_first("LT-ARCH-MISSING");
        } else if hit.message.id == LT_MISSING && (has_failed || has_none) {
            hit.class = MessageSubject::File;
            hit.put_first("LT-ARCH-MISSING");
        }
    }
}

/// A crash where hipBLASLt did not load the catalog of all GPUs follows from that: nothing stands in for it.
pub(in crate::messages) fn crash_without_catalog(hits: &mut Vec<Hit>) {
    let is_crash = |hit: &Hit| matches!(hit.message.id, "segv" | "trace-in-rocm" | "heap-damaged");
    let is_of_all = |hit: &&mut Hit| {
        let ends = |path: &String| path.to_ascii_lowercase().ends_with("tensilelibrary.dat");
        hit.message.id == LT_MISSING && hit.path.as_ref().is_some_and(ends)
    };
    if !hits.iter().any(is_crash) {
        return;
    }
    let Some(missing) = hits.iter_mut().find(is_of_all) else { return };
    missing.class = MessageSubject::File;
    missing.put_first("LT-ARCH-MISSING");
    hits.retain(|hit| !is_crash(hit));
}

/// hipBLASLt has no catalog for the GPU.
const LT_MISSING: &str = "rocblaslt-cannot-read";
/// A call of hipBLASLt failed.
const LT_FAILED: &str = "lt-call-failed";

/// What HIP's trace writes behind a call that failed.
pub(in crate::messages) const RETURNED: &str = ": Returned hipError";
/// A kernel or symbol that a module does not have.
const PROBED: &str = "named-symbol";
/// A line of MIOpen's log that is of a harmless level.
const LEVEL: &str = "miopen-warning";

/// Libraries of ROCm that print messages in their own name.
const LIBRARIES: [&str; 7] =
    ["rocBLAS", "hipBLASLt", "Tensile", "MIOpen", "HIP runtime", "HSA runtime", "RCCL"];

/// Takes out what a level of MIOpen's log says where another message of MIOpen says more, and what names CUDA
/// alone where ROCm's own libraries speak in the same log: a program that is ported, or run under a
/// translation, writes CUDA's names.
pub(in crate::messages) fn without_lesser(hits: &mut Vec<Hit>) {
    if hits.iter().any(|hit| hit.message.library == "MIOpen" && hit.message.id != LEVEL) {
        hits.retain(|hit| hit.message.id != LEVEL);
    }
    // HIP's trace prints what every call returned: a kernel that a program asked for and did without stands
    // before what ended it.
    let is_other_status = |hit: &Hit| {
        hit.message.library == "HIP runtime"
            && hit.message.id != PROBED
            && hit.message.weight <= Weight::Result
    };
    if hits.iter().any(is_other_status) {
        hits.retain(|hit| hit.message.id != PROBED || !hit.quote.contains(RETURNED));
    }
    // It goes on with its platform for ROCm, so what it lacks for asking the driver stopped nothing.
    if hits.iter().any(|hit| hit.message.id == "amdsmi-done-without") {
        hits.retain(|hit| hit.message.id != "vllm-platform");
    }
    let is_of_rocm = |hit: &Hit| {
        hit.words == MessageOrigin::Own
            && hit.class != MessageSubject::NotRocm
            && LIBRARIES.contains(&hit.message.library)
    };
    if hits.iter().any(is_of_rocm) {
        hits.retain(|hit| hit.message.id != "cuda-failed");
    }
    // ROCm's runtime says that it failed, so that a text which names another maker's software is not of that.
    if hits.iter().any(|hit| is_of_rocm(hit) && hit.message.weight <= Weight::Result) {
        hits.retain(|hit| hit.message.id != "other-gpu");
    }
    // Sources that are said to be compiled for ROCm.
    if hits.iter().any(|hit| hit.message.id == "source-refused") {
        hits.retain(|hit| hit.message.id != "gpu-source-refused");
    }
}

/// Where an override was set and no code was found all the same, the target that it names has none.
pub(in crate::messages) fn no_code_under_override(hit: &mut Hit) {
    if NO_CODE.contains(&hit.message.id) && hit.class != MessageSubject::NotRocm {
        hit.put_first("OV-NOTHING-TO-LOAD");
    }
}

/// What two releases of ROCm in one log say.
fn by_releases(hit: &mut Hit, facts: &LogFacts) {
    let (Some(oldest), Some(newest)) = (facts.releases.first(), facts.releases.last()) else { return };
    if oldest == newest {
        return;
    }
    match hit.message.id {
        // Compiled by one that makes version 6, given to one that does not read it.
        "shared-object-init" | "hsa-invalid-code-object"
            if *oldest < FIRST_OF_VERSION_6 && *newest >= FIRST_OF_VERSION_6 =>
        {
            hit.put_first("CO-ABI-TOO-NEW");
        }
        "hip-call-refused" | "hsa-invalid-code-object" => hit.put_first("RT-MIX"),
        _ => {}
    }
}

/// What a status of hipBLAS, rocBLAS or hipBLASLt says by its own word: that a call was refused, that there is
/// no kernel for the problem, that memory is missing, or that there is no code for the GPU. Others, as
/// INTERNAL_ERROR, leave open what kind of thing it is.
fn by_status(hit: &mut Hit) {
    // Of other libraries, too, where the status says more than that the call failed.
    if hit.message.id == "library-status" && hit.sign.is_some() {
        match hit.causes.first() {
            Some(&"OOM") => hit.class = MessageSubject::Environment,
            Some(&"FB-ARCH-MISSING") => hit.class = MessageSubject::File,
            _ => {}
        }
    }
    if !matches!(hit.message.id, "hipblas-status" | LT_FAILED) || hit.class != MessageSubject::Ambiguous {
        return;
    }
    match hit.causes.first() {
        Some(&"CALL-REFUSED" | &"BLAS-NO-SOLUTION") => hit.class = MessageSubject::Runtime,
        Some(&"OOM") => hit.class = MessageSubject::Environment,
        // The library names what is wrong: its code and the GPU.
        Some(_) if names_mismatch(hit) => hit.class = MessageSubject::File,
        _ => {}
    }
}

/// Whether the sign beside a status is that of a status that names the architecture.
fn names_mismatch(hit: &Hit) -> bool {
    hit.sign.and_then(|place| SIGNS.get(place)).is_some_and(|sign| sign.words == ARCH_MISMATCH)
}

/// Whose fault the words of a status are: whether the caller asked for what no GPU does, and whether a compiler
/// speaks for a build or for what a program compiles while it runs: the driver of a compiler
/// prints its own name, the libraries that compile do not, and Triton's frames stand beside its compiler's.
fn by_speaker(hit: &mut Hit) {
    match hit.message.id {
        "launch-too-large" | "tensile-kernel-not-found" if hit.causes.first() == Some(&"CALL-REFUSED") => {
            hit.class = MessageSubject::Runtime;
        }
        "rccl-status" if hit.causes.first() == Some(&"ENV-IPC") => hit.class = MessageSubject::Environment,
        // JAX tries every maker's platform in turn, and says which it was not built for.
        "jax-no-rocm" if tries_all(&hit.quote) => {
            hit.class = MessageSubject::NotRocm;
            hit.causes = vec!["PKG-NO-HIP"];
        }
        "jax-no-rocm" if is_built_for_cuda(&hit.quote) => {
            hit.class = MessageSubject::NotRocm;
            hit.causes = vec!["PKG-CUDA-ONLY"];
        }
        // Triton has compiled the module here, for this GPU.
        "invalid-image" if hit.quote.contains("Triton Error") => {
            hit.class = MessageSubject::Runtime;
            hit.put_first("JIT");
        }
        // An exception of Python passes on what a compiler said that a program called.
        "source-refused" if is_raised(&hit.quote) => {
            hit.class = MessageSubject::Runtime;
            hit.put_first("JIT");
        }
        // What a library compiles for itself at run time has no file of sources that the line could name.
        "source-refused" if hit.causes.first() == Some(&"JIT") && !names_source(&hit.quote) => {
            hit.class = MessageSubject::Runtime;
        }
        "named-symbol" if hit.causes.first() == Some(&"JIT") => hit.class = MessageSubject::Runtime,
        "device-libs-absent" if is_of_driver(&hit.quote) => hit.class = MessageSubject::Build,
        "invalid-target-id" if hit.causes.first() == Some(&"TR-TARGET") => {
            hit.class = MessageSubject::Runtime;
        }
        _ => {}
    }
}

/// Whether a line is what JAX logs, below the level of a warning, of a platform that it tries and was not built for.
fn tries_all(line: &str) -> bool {
    line.contains("xla_bridge")
        && ["INFO", "DEBUG"].iter().any(|level| line.contains(level))
        && ["has no attribute", "registered platform"].iter().any(|reason| line.contains(reason))
}

/// Whether a line lists the platforms that JAX was built for, with CUDA among them.
fn is_built_for_cuda(line: &str) -> bool {
    line.split_once("vailable platform names are").is_some_and(|(_, names)| names.contains("CUDA"))
}

/// Whether a line is an exception of Python that a compiler's error stands in, and no build's.
fn is_raised(line: &str) -> bool {
    let Some((name, said)) = line.split_once(": ") else { return false };
    let is_name = name.ends_with("Error") && !name.contains([' ', '/', '[']);
    is_name
        && !["extension", "ommand", "uilding", "wheel", "ninja", "hipify"]
            .iter()
            .any(|word| said.contains(word))
}

/// Whether a compiler's line names a place in a file of sources: `x.cpp:7:3: error`.
fn names_source(line: &str) -> bool {
    let before = line.split("error:").next().unwrap_or_default();
    before.split(':').any(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a line begins, behind what a terminal or a tool put before it, with the name of a compiler's driver.
fn is_of_driver(line: &str) -> bool {
    let Some((name, _)) = line.split_once(": error:") else { return false };
    let name = name.rsplit(['/', '\\', ' ', '>', '\t']).next().unwrap_or_default();
    ["clang", "hipcc", "amdclang"].iter().any(|driver| name.starts_with(driver))
}

/// What a compiler or a linker says is of a build or of what a program compiles while it runs, by who speaks
/// around it.
fn by_compile_time(hit: &mut Hit, facts: &LogFacts) {
    let at_run = facts.compiles_at_run && !facts.builds;
    match hit.message.id {
        "source-refused" | "device-build" if at_run => {
            hit.class = MessageSubject::Runtime;
            hit.put_first("JIT");
        }
        "headers" | "invalid-target-id" | "device-libs-absent" | "said-build" if at_run => {
            hit.class = MessageSubject::Runtime
        }
        // A build of the very library that compiles at run time.
        "source-refused" if facts.builds && hit.causes.first() == Some(&"JIT") => {
            hit.class = MessageSubject::Build;
            hit.put_first("SRC-BUILD");
        }
        // A program that runs asks for the tool, too.
        "headers" if hit.quote.contains("rocminfo") && !facts.builds => {
            hit.class = MessageSubject::Environment;
            hit.put_first("PKG-INSTALL");
        }
        "said-compile" if facts.builds && !facts.compiles_at_run => {
            hit.class = MessageSubject::Build;
            hit.put_first("SRC-BUILD");
        }
        // The linker works ahead of time.
        "kernel-limit" if hit.quote.contains("lld: error") && !at_run => hit.class = MessageSubject::Build,
        // CMake tells which compiler it takes.
        "said-call-failed"
            if facts.builds && !facts.compiles_at_run && hit.causes.first() == Some(&"JIT") =>
        {
            hit.class = MessageSubject::Build;
            hit.put_first("SRC-BUILD");
        }
        // The compiler's own command line, and not a library that compiles.
        "device-libs-absent" if !facts.compiles_at_run && hit.quote.contains("--rocm-device-lib-path") => {
            hit.class = MessageSubject::Build;
        }
        // What is looked for is made by this build.
        "aotriton" if facts.builds && !facts.compiles_at_run && !hit.quote.contains("ttention") => {
            hit.class = MessageSubject::Build;
            hit.put_first("SRC-BUILD");
        }
        "device-libs-absent" | "bitcode-of-another-release" | "kernel-limit"
            if facts.builds && !facts.compiles_at_run =>
        {
            hit.class = MessageSubject::Build;
        }
        "undefined-symbol" | "module-symbol" if is_of_linker(&hit.quote) && !at_run => {
            hit.class = MessageSubject::Build;
            // That a kernel was left out, or a library not found, says more than that the program does not link.
            if !matches!(hit.causes.first(), Some(&("SYM-UNDEFINED-STUB" | "ELF-NEEDED-MISSING"))) {
                hit.put_first("SRC-BUILD");
            }
        }
        _ => {}
    }
}

/// Whether what hung is work of a program that draws, and nothing in the log computes.
fn is_of_graphics(hit: &Hit, facts: &LogFacts) -> bool {
    matches!(hit.message.id, "gpu-hang" | "driver-fault") && facts.graphics_hung && !facts.computes
}

/// In whose code a program ended that says nothing else.
fn by_frames(hit: &mut Hit, facts: &LogFacts) {
    if !matches!(hit.message.id, "segv" | "segv-logged" | "trace-in-rocm") {
        return;
    }
    match facts.frames.iter().find_map(|stem| trace::owner(stem)) {
        Some(FrameOwner::Blas) => hit.put_first("RB-DANGLING"),
        Some(FrameOwner::Hsa) => hit.put_first("RT-REGRESSION"),
        Some(FrameOwner::Compiler) => hit.put_first("RT-MIX"),
        Some(FrameOwner::Hip) | None => {}
    }
}

/// What becomes of the messages where the one that would decide is harmless and something else in the log has
/// ended the program.
pub(in crate::messages) fn fallen(hits: &mut [Hit], has_other_error: bool) {
    let is_harmless = |hit: &Hit| hit.message.weight == Weight::Harmless && hit.class == hit.message.class;
    if has_other_error && hits.iter().all(is_harmless) {
        for hit in hits {
            hit.class = MessageSubject::Unknown;
            hit.causes.clear();
        }
    }
}

/// What a component only reports is harmless where the test in which it did has passed.
pub(in crate::messages) fn passed(hits: &mut [Hit]) {
    let only_reports = |hit: &Hit| matches!(hit.message.weight, Weight::Follow | Weight::Harmless);
    let Some(goes_on) = of_id(GOES_ON).filter(|_| hits.iter().all(only_reports)) else { return };
    for hit in hits.iter_mut().filter(|hit| hit.message.weight == Weight::Follow) {
        hit.message = goes_on;
        hit.class = goes_on.class;
        hit.causes = goes_on.causes.to_vec();
    }
}
