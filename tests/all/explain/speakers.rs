//! Logs made of facts, as `facts.rs` makes them: who speaks, and whose status it is that is passed on.
//!
//! The formats are those of the sources: ToolChains/AMDGPU.cpp of clang, compiler.py of Triton's back end for
//! AMD, amd_windows.go and gpu.go of ollama, CUDABlas.cpp of PyTorch, checks.h of RCCL.

use super::facts::{Dice, Made, Maker, assert_unanswered, made, wrong_answers};
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
    made(text, "runtime", None, &["JIT"])
}

/// A line of HIP's trace for each call: what was asked for in vain, and what ended the program.
fn traced_calls(dice: &mut Dice) -> Made {
    let line = |dice: &mut Dice, call: &str, status: &str| {
        format!(
            ":3:hip_module.cpp           :{} : {} us: [pid:{} tid:0x7f] {call}: Returned hipError{status} : ",
            dice.next(900),
            dice.next(1_000_000),
            dice.next(9000)
        )
    };
    let mut lines: Vec<String> =
        (0..2 + dice.next(5)).map(|_| line(dice, "hipModuleGetFunction", "NotFound")).collect();
    let (call, status, class, first): (&str, &str, &str, &[&str]) = [
        ("hipGraphAddKernelNode", "InvalidConfiguration", "runtime", &["CALL-REFUSED"][..]),
        ("hipMemcpyAsync", "InvalidValue", "runtime", &["CALL-REFUSED"][..]),
        ("hipMalloc", "OutOfMemory", "environment", &["OOM"][..]),
    ][dice.next(3)];
    lines.push(line(dice, call, status));
    made(lines.join("\n"), class, None, first)
}

/// A condition in the source of a kernel, and the exception by which the queue ends.
fn condition_of_kernel(dice: &mut Dice) -> Made {
    let (condition, first): (&str, &[&str]) = [
        ("index < size", &["PROGRAM-FAULT"][..]),
        ("data[index] != 0", &["PROGRAM-FAULT"][..]),
        ("false", &["STUB-REACHED"][..]),
    ][dice.next(3)];
    let mut text = format!(
        "{}/x.hip:{}: void kernel_{}<float>(float const *, int): Device-side assertion `{condition}' failed.",
        dice.of(&["/src", "/app/build", "C:/work"]),
        dice.next(900),
        dice.next(9)
    );
    if dice.next(2) == 0 {
        text += &format!(
            "\n:0:rocdevice.cpp :{}: {} us: Callback: Queue 0x7f2b aborting with error : HSA_STATUS_ERROR_EXCEPTION: An HSAIL operation resulted in a hardware exception. code: 0x1016",
            dice.next(4000),
            dice.next(1_000_000)
        );
    }
    made(text, "runtime", None, first)
}

/// The driver's own source on headers of a kernel, and the log of its build.
fn driver_on_kernel(dice: &mut Dice) -> Made {
    let kernel = format!("6.{}.{}", 5 + dice.next(14), dice.next(120));
    let text = if dice.next(2) == 0 {
        format!(
            "/tmp/amd.{}x/amd/amdgpu/amdgpu_{}.c:{}:13: error: too few arguments to function 'drm_{}'\n/usr/src/linux-headers-{kernel}-common/include/linux/pci.h:1421:18: note: declared here",
            dice.next(9999),
            dice.of(&["device", "ttm", "vm"]),
            dice.next(3000),
            dice.of(&["sched_init", "gem_init"])
        )
    } else {
        format!(
            "Error! Bad return status for module build on kernel: {kernel}-generic (x86_64)\nConsult /var/lib/dkms/amdgpu/6.{}.8-2041575/build/make.log for more information.",
            8 + dice.next(9)
        )
    };
    made(text, "build", None, &["DKMS-KERNEL"])
}

/// A product that hipBLASLt refused and hipBLAS made, beside another error or alone.
fn recovered_product(dice: &mut Dice) -> Made {
    let (m, n) = (8 << dice.next(9), 8 << dice.next(9));
    let warning = format!(
        "UserWarning: {}_internal_cublaslt error: HIPBLAS_STATUS_{} when calling hipblasLtMatmul with transpose_mat1 0 transpose_mat2 0 m {m} n {n} k 64. Will attempt to recover by calling cublas instead. (Triggered internally at /pytorch/aten/src/ATen/hip/HIPBlas.cpp:{}.)",
        dice.of(&["bgemm", "gemm", "gemm_and_bias"]),
        dice.of(&["INTERNAL_ERROR", "NOT_SUPPORTED", "INVALID_VALUE"]),
        dice.next(900)
    );
    match dice.next(3) {
        0 => made(warning, "harmless", None, &["LT-ARCH-MISSING"]),
        1 => made(
            format!("{warning}\ntorch.AcceleratorError: HIP error: invalid device function"),
            "file",
            None,
            &["FB-ARCH-MISSING"],
        ),
        _ => made(
            format!("{warning}\n!!! HIP out of memory. Tried to allocate {m} MiB."),
            "environment",
            None,
            &["OOM"],
        ),
    }
}

/// Triton's back end for AMD, on both kinds of paths, and a module of it that the runtime refuses.
fn triton_on_any_system(dice: &mut Dice) -> Made {
    let (line, stage) = (dice.next(900), dice.of(&["make_ttgir", "make_llir", "make_amdgcn"]));
    let text = match dice.next(3) {
        0 => format!(
            "  File \"C:\\x\\venv\\Lib\\site-packages\\triton\\backends\\amd\\compiler.py\", line {line}, in {stage}\n    pm.run(mod, '{stage}')\nRuntimeError: PassManager::run failed"
        ),
        1 => format!(
            "  File \"/v/site-packages/triton/backends/amd/compiler.py\", line {line}, in {stage}\n    pm.run(mod)\nRuntimeError: PassManager::run failed"
        ),
        _ => "RuntimeError: Triton Error [HIP]:  Code: 200, Messsage: device kernel image is invalid"
            .to_owned(),
    };
    made(text, "runtime", None, &["TR-TARGET", "JIT"])
}

/// WSL's layer below the HSA runtime, which stops with an assertion.
fn assertion_in_wsl(dice: &mut Dice) -> Made {
    let layer = dice.of(&["libhsakmt", "librocdxg"]);
    let text = format!(
        "WSL environment detected.\nrocminfo: ./sources/wsl/{layer}/src/proxy/x.cpp:{}: void x(D3DKMT_HANDLE): Assertion `ret == STATUS_SUCCESS' failed.\nAborted (core dumped)",
        dice.next(900)
    );
    made(text, "environment", None, &["RT-WSL-HSA"])
}

/// A package manager that was asked for ROCm, and lacks packages of other names.
fn asked_for_rocm(dice: &mut Dice) -> Made {
    let (ask, package) =
        (dice.of(&["apt install", "apt-get install -y"]), dice.of(&["libfoo-dev", "libzstd-dev"]));
    let text = format!(
        "$ sudo {ask} rocm\nReading package lists... Done\nThe following packages have unmet dependencies:\n {package} : Depends: libbar ({}.1) but {}.2 is to be installed\nE: Unable to correct problems, you have held broken packages.",
        dice.next(9),
        dice.next(9)
    );
    made(text, "environment", None, &["PKG-INSTALL"])
}

const MAKERS: [(&str, Maker); 15] = [
    ("traced calls", traced_calls),
    ("a condition of a kernel", condition_of_kernel),
    ("the driver on a kernel", driver_on_kernel),
    ("a product that was recovered", recovered_product),
    ("Triton on any system", triton_on_any_system),
    ("an assertion in WSL", assertion_in_wsl),
    ("asked for ROCm", asked_for_rocm),
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

/// The same sentences about other makers' libraries, devices and parts of the machine.
#[test]
fn the_same_sentences_of_others_stay_unanswered() {
    for text in [
        "msg=\"failure during GPU discovery\" OLLAMA_LIBRARY_PATH=\"[/usr/lib/ollama /usr/lib/ollama/cuda_v13]\" error=\"failed to finish discovery before timeout\"",
        "amdgpu 0000:0b:00.0: [drm] REG_WAIT timeout 1us * 100 tries - dcn32_program_compbuf_size line:139",
        "File \"/v/triton/backends/intel/compiler.py\", line 304, in make_ttgir\nRuntimeError: PassManager::run failed",
        "$ sudo apt install libreoffice\nThe following packages have unmet dependencies:\n libfoo : Depends: libbar (= 1) but 2 is to be installed",
        "/usr/src/linux-headers-6.12/x.h:4:1: error: unknown type name 'u8'\nmake: rtl8814au.o: Error 1",
    ] {
        assert_unanswered(text);
    }
}

/// What ollama prints of another maker's GPUs, or of a machine without any, says nothing of ROCm.
#[test]
fn a_search_without_rocm_stays_unanswered() {
    let text = "level=INFO source=gpu.go:217 msg=\"looking for compatible GPUs\"\nlevel=INFO source=gpu.go:377 msg=\"no compatible GPUs were discovered\"";
    assert_eq!(recognise(text.as_bytes()).class().name(), "unknown");
}

/// A joint of a robot is no component of ROCm, whatever stands around its name.
#[test]
fn joints_are_no_components() {
    for joint in ["left_hip_pitch", "hip_joint_1", "right_hip_roll_link", "hip_abduction"] {
        let text =
            format!("ValueError: actuator '{joint}' is not supported by this device: invalid configuration");
        assert_eq!(recognise(text.as_bytes()).class().name(), "unknown", "{text}");
    }
}
