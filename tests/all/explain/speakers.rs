//! Logs made of facts, as `facts.rs` makes them: who speaks, and whose status it is that is passed on.
//!
//! The formats are those of the sources: ToolChains/AMDGPU.cpp of clang, compiler.py of Triton's back end for
//! AMD, amd_windows.go and gpu.go of ollama, CUDABlas.cpp of PyTorch, checks.h of RCCL.

use super::facts::{Dice, Made, Maker, made, wrong_answers};
use rocm_audit::messages::recognise::recognise;

const SEED: u64 = 3637;

/// The driver of a compiler, which prints its own name, or a library that compiles while a program runs.
fn compiler_without_libraries(dice: &mut Dice) -> Made {
    let what = dice.of(&["ROCm device library", "ROCm installation"]);
    let ask = dice.of(&["; provide its path via '--rocm-path'", ".  Provide its path via --rocm-path"]);
    let number = 11 + dice.next(12);
    let (speaker, class) = match dice.next(4) {
        0 => (format!("clang-{number}: error: "), "build"),
        1 => ("/opt/rocm/llvm/bin/clang++: error: ".to_owned(), "build"),
        2 => ("    amdclang++: error: ".to_owned(), "build"),
        _ => (format!("hiprtc log {number}: "), "runtime"),
    };
    made(
        format!("{speaker}cannot find {what}{ask}, or pass -nogpulib."),
        class,
        None,
        &["DEVICE-LIBS-MISSING"],
    )
}

/// Triton's compiler, which runs in the program, and an assembler that a build calls.
fn unknown_processor(dice: &mut Dice) -> Made {
    let (root, target, line) = (dice.root(), dice.target(), dice.next(900));
    let said =
        format!("error: '{target}' is not a recognized processor for this target (ignoring processor)");
    let fatal = "LLVM ERROR: Cannot select: intrinsic %llvm.amdgcn.wmma";
    if dice.next(2) == 0 {
        let frame = format!("File \"{root}/triton/backends/amd/compiler.py\", line {line} in make_amdgcn");
        made(format!("{said}\n{fatal}\n{frame}"), "runtime", Some(target), &["TR-TARGET"])
    } else {
        let first = format!("[{line}/999] clang++ --offload-arch={target} -c x.hip");
        made(format!("{first}\n{said}\n{fatal}"), "build", Some(target), &["TC-UNKNOWN-TARGET"])
    }
}

/// ollama's search for GPUs through HIP, which found none.
fn search_of_ollama(dice: &mut Dice) -> Made {
    let (system, call) =
        (dice.of(&["windows", "linux"]), dice.of(&["hipMemGetInfo", "hipGetDeviceProperties"]));
    let (line, status) = (dice.next(900), dice.next(2000));
    let text = format!(
        "level=WARN source=amd_{system}.go:{line} msg=\"get mem info\" id=0 error=\"failed call to {call}: {status}\"\nlevel=INFO source=gpu.go:{line} msg=\"no compatible GPUs were discovered\""
    );
    made(text, "environment", None, &["DEV-NONE"])
}

/// A call that only asks which kernel there is, and one that has more arguments.
fn asked_for_an_algorithm(dice: &mut Dice) -> Made {
    let (call, first): (&str, &[&str]) = [
        ("hipblasLtMatmulAlgoGetHeuristic( ltHandle, computeDesc.descriptor()", &["BLAS-NO-SOLUTION"][..]),
        ("hipblasGemmEx( handle, opa, opb", &["CALL-REFUSED"][..]),
    ][dice.next(2)];
    let text = format!(
        "torch.version.hip 6.{}\nRuntimeError: CUDA error: HIPBLAS_STATUS_INVALID_VALUE when calling `{call}, m, n, k)`",
        dice.next(5)
    );
    made(text, "runtime", None, first)
}

/// Memory that RCCL could not share between processes.
fn handle_of_memory(dice: &mut Dice) -> Made {
    let call = dice.of(&["hipIpcGetMemHandle", "hipIpcOpenMemHandle"]);
    let words = dice.of(&["invalid argument", "not supported", "invalid device pointer"]);
    let line = dice.next(900);
    let text = format!(
        "host:{line}:{line} [1] /src/x/hipify/src/transport/p2p.cc:{line} NCCL WARN {call} failed : {words}"
    );
    made(text, "environment", None, &["ENV-IPC"])
}

/// A status by the name that HIP has for it, with the page for CUDA's that PyTorch names beside it.
fn page_of_statuses(dice: &mut Dice) -> Made {
    let (words, name, first): (&str, &str, &[&str]) = [
        ("device kernel image is invalid", "InvalidImage", &["KP-ARCHIVE-MISSING", "FB-ARCH-MISSING"][..]),
        (
            "no kernel image is available for execution on the device",
            "NoBinaryForGpu",
            &["FB-ARCH-MISSING"][..],
        ),
        ("invalid device function", "InvalidDeviceFunction", &["FB-ARCH-MISSING"][..]),
    ][dice.next(3)];
    let page = dice.of(&["group__CUDART__TYPES.html", "group__HIPRT__TYPES.html"]);
    let text = format!(
        "CUDA error: {words}\nSearch for `hipError{name}' in https://docs.nvidia.com/cuda/cuda-runtime-api/{page} for more information."
    );
    made(text, "file", None, first)
}

/// What the libraries of BLAS say of an architecture that they have no code for.
fn mismatch(dice: &mut Dice) -> Made {
    let status = dice.of(&["rocblas_status_arch_mismatch", "HIPBLAS_STATUS_ARCH_MISMATCH"]);
    let line = dice.next(9000);
    made(
        format!("CUBLAS error 8 at ggml-cuda.cu:{line}: {status}\ncurrent device: 0"),
        "file",
        None,
        &["RB-ARCH-MISSING"],
    )
}

/// Modules that aiter compiles on the machine, and the linker that Triton looks for.
fn compiled_here(dice: &mut Dice) -> Made {
    let (root, module) = (dice.root(), dice.of(&["module_aiter_enum", "module_moe", "module_norm"]));
    let text = match dice.next(3) {
        0 => format!("[aiter] failed jit build [{module}]"),
        1 => format!("[aiter] build [{module}] under {root}/aiter/jit/build/{module}/build failed !!!!!!"),
        _ => "Exception: ROCm ld.lld not found. Set 'TRITON_HIP_LLD_PATH' to its path.".to_owned(),
    };
    made(text, "runtime", None, &["JIT-FAILED"])
}

const MAKERS: [(&str, Maker); 8] = [
    ("a page of statuses", page_of_statuses),
    ("a mismatch", mismatch),
    ("compiled here", compiled_here),
    ("a compiler without libraries", compiler_without_libraries),
    ("an unknown processor", unknown_processor),
    ("ollama's search", search_of_ollama),
    ("a question for an algorithm", asked_for_an_algorithm),
    ("a handle of memory", handle_of_memory),
];

/// Every text has the class, the target and a first cause that follow from what was stated in it.
#[test]
fn who_speaks_decides() {
    let (all, wrong) = wrong_answers(&MAKERS, SEED);
    assert!(all >= 40, "{all}");
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What ollama prints of another maker's GPUs, or of a machine without any, says nothing of ROCm.
#[test]
fn a_search_without_rocm_stays_unanswered() {
    let text = "level=INFO source=gpu.go:217 msg=\"looking for compatible GPUs\"\nlevel=INFO source=gpu.go:377 msg=\"no compatible GPUs were discovered\"";
    assert_eq!(recognise(text.as_bytes()).class().name(), "unknown");
}
