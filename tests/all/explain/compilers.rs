//! Logs made of facts, as `facts.rs` makes them: a compiler or a linker in a build, and one that a program calls.
//!
//! The formats are those of GNU's, LLVM's and Microsoft's linkers and of mold, of Cycles' and OpenMM's HIP back
//! ends, of clr's OpenCL compiler, and of CMake, Ninja and Spack.

use super::facts::{Dice, Made, Maker, assert_unanswered, made, wrong_answers};
use rocm_audit::messages::recognise::recognise;

const SEED: u64 = 88;

/// A function of ROCm's libraries.
fn function(dice: &mut Dice) -> &'static str {
    dice.of(&["hipMalloc", "hipStreamCreate", "rocblas_sgemm", "rocfft_plan_create", "hipblasCreate"])
}

/// A linker that does not find a function.
fn linker(dice: &mut Dice) -> Made {
    let (function, number) = (function(dice), dice.next(900));
    let text = match dice.next(6) {
        0 => format!("ld.lld: error: undefined symbol: {function}\n>>> referenced by a{number}.cpp"),
        1 => format!(
            "/usr/bin/ld: a{number}.o: in function `main':\na.cpp:(.text+0x1d): undefined reference to `{function}'"
        ),
        2 => format!(
            "main.obj : error LNK2019: unresolved external symbol {function} referenced in function main"
        ),
        3 => format!("mold: error: undefined symbol: {function}"),
        4 => format!("lld-link: error: undefined symbol: __declspec(dllimport) {function}"),
        _ => format!("libown.so.{number}: undefined reference to `{function}'"),
    };
    made(text, "build", None, &["SRC-BUILD"])
}

/// The loader, which has other words.
fn loader(dice: &mut Dice) -> Made {
    let function = function(dice);
    let text = match dice.next(2) {
        0 => format!("./own: symbol lookup error: ./own: undefined symbol: {function}"),
        _ => format!("ImportError: /v/x{}.so: undefined symbol: {function}", dice.next(900)),
    };
    made(text, "file", None, &["ELF-SYMBOL-UNRESOLVED"])
}

/// A program that has a kernel compiled while it runs.
fn compiled_by_program(dice: &mut Dice) -> Made {
    let (target, line) = (dice.target(), dice.next(900));
    let what = dice.of(&["error: unhandled SGPR spill to memory", "error: use of undeclared identifier 'x'"]);
    let text = match dice.next(3) {
        0 => format!(
            "Compiling HIP kernel ...\nhipcc -O3 --amdgpu-target={target} --genco kernel.cpp\n{what}\n4 errors generated when compiling for {target}.\nFailed to execute compilation command, see console for details."
        ),
        1 => format!(
            "OpenCL kernel build output:\n/tmp/AMD_{line}_19/t_{line}_21.cl:{line}:12: {what}\nError: Failed to compile opencl source (from CL to LLVM IR)."
        ),
        _ => format!(
            "x.OpenMMException: Error compiling kernel: /tmp/comgr-f4{line}/input/CompileSource:{line}:50: {what}"
        ),
    };
    made(text, "runtime", None, &["JIT"])
}

/// The same compiler in a build, with bitcode of another release.
fn bitcode_in_build(dice: &mut Dice) -> Made {
    let said = format!(
        "fatal error: cannot open file '/opt/rocm/amdgcn/bitcode/ocml.bc': Unknown attribute kind (9{}) (Producer: 'LLVM19.0.0git' Reader: 'LLVM 18.0.0git')",
        dice.next(9)
    );
    let around = dice.of(&[
        "3 errors found in build log:",
        "ninja: build stopped: subcommand failed.",
        "make[2]: *** [all] Error 1",
    ]);
    made(format!("{said}\n{around}"), "build", None, &["RT-MIX", "DEVICE-LIBS-MISSING"])
}

/// Files of RCCL that share memory, and a status that they pass on.
fn shared_memory_of_rccl(dice: &mut Dice) -> Made {
    let file = dice.of(&["p2p", "shm"]);
    let text = format!(
        "host:1:2 [0] /src/rccl/hipify/src/transport/{file}.cc:{} NCCL WARN Cuda failure 'invalid argument'",
        dice.next(900)
    );
    made(text, "environment", None, &["ENV-IPC"])
}

const MAKERS: [(&str, Maker); 5] = [
    ("a linker", linker),
    ("the loader", loader),
    ("a program that compiles", compiled_by_program),
    ("bitcode in a build", bitcode_in_build),
    ("RCCL's shared memory", shared_memory_of_rccl),
];

/// Every text has the class and a first cause that follow from what was stated in it.
#[test]
fn who_calls_a_compiler_decides() {
    let (all, wrong) = wrong_answers(&MAKERS, SEED);
    assert!(all >= 20, "{all}");
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The same sentences of other programs, and of another maker's.
#[test]
fn compilers_of_others_stay_unanswered() {
    for text in [
        "ld.lld: error: undefined symbol: foo_bar",
        "/usr/bin/ld: main.o: undefined reference to `cudaMalloc'",
        "main.obj : error LNK2019: unresolved external symbol foo referenced in function main",
        "double free or corruption (out)\nAborted (core dumped)",
        "Error loading library C:/x/plugins/OpenMMCUDA.dll: 126",
        "host:1:2 [0] transport/p2p.cc:237 NCCL WARN Cuda failure 'invalid argument'\nNCCL version 2.18.3+cuda12.1",
    ] {
        assert_unanswered(text);
        let log = recognise(text.as_bytes());
        let first = log.first().and_then(|hit| hit.causes.first());
        assert!(
            first.is_none_or(|cause| matches!(*cause, "NOT-ROCM" | "PKG-CUDA-ONLY")),
            "{first:?}: {text}"
        );
    }
}
