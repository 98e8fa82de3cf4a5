//! Logs made of facts, as `facts.rs` makes them: components whose formats are their own.
//!
//! The formats are those of the sources: cextension.py of bitsandbytes, chip_info.py of aiter, setup.py and
//! flash_api.cpp of flash attention, the device operations of Composable Kernel, platforms/__init__.py of
//! vLLM, discover/runner.go of ollama, amdgpu_psp.c and amdgpu_ucode.c of the kernel, rocm_driver.cc and
//! gpu_backend_lib.cc of XLA, nccl.h and init.cc of RCCL, compiler.py of Triton.

use super::facts::{Dice, Made, Maker, made, passed_on, wrong_answers};
use rocm_audit::messages::recognise::recognise;

const SEED: u64 = 3636;

/// A status of XLA's driver.
fn xla_status(dice: &mut Dice) -> Made {
    let (name, class, first): (&str, &str, &[&str]) = [
        ("NoDevice", "environment", &["DEV-NONE"][..]),
        ("NoBinaryForGpu", "file", &["FB-ARCH-MISSING"][..]),
        ("OutOfMemory", "environment", &["OOM"][..]),
        ("InvalidDeviceFunction", "file", &["FB-ARCH-MISSING"][..]),
        ("IllegalAddress", "environment", &["FW-VERSION"][..]),
    ][dice.next(5)];
    let text = format!(
        "E external/xla/xla/stream_executor/rocm/rocm_driver.cc:{}] failed call: HIP_ERROR_{name}",
        100 + dice.next(1500)
    );
    made(text, class, None, first)
}

fn bitsandbytes(dice: &mut Dice) -> Made {
    let (root, release) = (dice.root(), 60 + dice.next(20));
    let library = format!("{root}/bitsandbytes/libbitsandbytes_rocm{release}.so");
    let text = match dice.next(4) {
        0 => format!(
            "Could not find the bitsandbytes ROCm binary at PosixPath('{library}')\nCould not load bitsandbytes native library: {root}/libbitsandbytes_cpu.so: cannot open shared object file: No such file or directory\nROCm Setup failed despite ROCm being available."
        ),
        1 => format!("bitsandbytes library load error: Configured ROCm binary not found at {library}"),
        2 => format!(
            "ROCm VERSION MISMATCH\nRequested ROCm version:          {}.{}\nDetected PyTorch ROCm version:   7.0\nAvailable pre-compiled versions:\n  - 6.2\nlibbitsandbytes_rocm{release}.so is not available",
            release / 10,
            release % 10
        ),
        _ => format!(
            "RuntimeError: Required library version not found: libbitsandbytes_rocm{release}.so. Maybe you need to compile it from source?"
        ),
    };
    made(text, "file", None, &["PKG-VARIANT-MISSING"])
}

fn list_of_aiter(dice: &mut Dice) -> Made {
    let target = dice.target();
    let list = dice.others(target).join("', '");
    let text = match dice.next(5) {
        0 => format!(
            "  File \"aiter/jit/utils/chip_info.py\", line {}, in get_gfx_custom_op_core\n    return gfx_mapping[line.split(\":\")[-1].strip()]\nKeyError: '{target}'",
            50 + dice.next(40)
        ),
        1 => format!(
            "RuntimeError: Get GPU arch from rocminfo failed \"Unknown GPU architecture: {target}. Supported architectures: ['native', '{list}']\""
        ),
        2 => format!("AssertionError: One of GPU archs of ['{target}'] is invalid or not supported"),
        3 => format!("[aiter] {target} is not in ['{list}'], the kernel is skipped"),
        _ => format!("ImportError: aiter: unsupported GPU arch '{target}', expected one of ['{list}']"),
    };
    made(text, "application", Some(target), &["APP-ARCH-LIST"])
}

fn list_of_attention(dice: &mut Dice) -> Made {
    let cards = dice.of(&["MI200", "MI300", "MI100 and RX7000", "gfx90a", "CDNA3", "RDNA3"]);
    let text = match dice.next(4) {
        0 => format!("RuntimeError: FlashAttention only supports AMD {cards} GPUs or newer."),
        1 => format!(
            "Flash Attention failed, using default SDPA: FlashAttention currently only supports {cards} and above"
        ),
        2 => format!("RuntimeError: this backward pass is only supported on {cards}"),
        _ => format!("AssertionError: FP8 attention requires {cards}"),
    };
    made(text, "application", None, &["APP-ARCH-LIST"])
}

fn composable_kernel(dice: &mut Dice) -> Made {
    let (a, b) = (64 << dice.next(3), 32 << dice.next(3));
    let text = match dice.next(3) {
        0 => format!(
            "RuntimeError: DeviceGroupedMultiheadAttentionForward_Xdl_CShuffle_V2<{a}, {b}, 128, 32, Default> does not support this problem"
        ),
        1 => {
            "wrong! device_gemm with the specified compilation parameters does not support this GEMM problem"
                .to_owned()
        }
        _ => format!("ck: DeviceGemm_Wmma_CShuffle<{a}, {b}> does not support this problem"),
    };
    made(text, "application", None, &["APP-ARCH-LIST"])
}

fn vllm_platform(dice: &mut Dice) -> Made {
    let why = dice.of(&["No module named 'amdsmi'", "amdsmi_init failed", "no GPU was found"]);
    let text = match dice.next(3) {
        0 => format!(
            "DEBUG [__init__.py:106] Checking if ROCm platform is available.\nDEBUG [__init__.py:120] ROCm platform is not available because: {why}\nINFO [__init__.py:220] No platform detected, vLLM is running on UnspecifiedPlatform"
        ),
        1 => "RuntimeError: Failed to infer device type, please set the environment variable `VLLM_LOGGING_LEVEL=DEBUG`".to_owned(),
        _ => "WARNING [rocm.py:38] Failed to import from amdsmi with ModuleNotFoundError(\"No module named 'amdsmi'\")".to_owned(),
    };
    made(text, "application", None, &["PKG-NO-HIP"])
}

fn ollama_filter(dice: &mut Dice) -> Made {
    let target = dice.target();
    match dice.next(2) {
        0 => made(
            format!(
                "level=DEBUG source=runner.go:140 msg=\"verifying if device is supported\" library=/usr/lib/ollama/rocm compute={target} id={0}\nlevel=DEBUG source=runner.go:153 msg=\"filtering device which didn't fully initialize\" id={0} libdir=/usr/lib/ollama/rocm pci_id=0000:0c:00.0 library=ROCm",
                dice.next(3)
            ),
            "file",
            Some(target),
            &["RB-ARCH-MISSING"],
        ),
        _ => made(
            format!(
                "level=INFO msg=\"dropping integrated GPU; set OLLAMA_IGPU_ENABLE=1 to enable\" id=0 library=ROCm compute={target}"
            ),
            "application",
            Some(target),
            &["APP-ARCH-LIST"],
        ),
    }
}

fn firmware(dice: &mut Dice) -> Made {
    let part = dice.of(&["mes", "sdma", "psp", "smu", "gfx", "rlc", "vcn", "mec", "imu"]);
    let bus = format!("amdgpu 0000:{:02x}:00.0", dice.next(200));
    let file = format!("gc_11_5_{}_{part}.bin", dice.next(4));
    let text = match dice.next(4) {
        0 => format!("[    3.3] {bus}: Direct firmware load for amdgpu/{file} failed with error -2"),
        1 => format!("[    3.3] {bus}: amdgpu: Failed to load {part} firmware!"),
        2 => format!(
            "[drm:psp_hw_init [amdgpu]] *ERROR* PSP firmware loading failed\n[drm:amdgpu_device_init [amdgpu]] *ERROR* hw_init of IP block <psp> failed -22\n{bus}: amdgpu: Fatal error during GPU init"
        ),
        _ => format!("{bus}: {part}: Failed to load firmware \"amdgpu/{file}\""),
    };
    made(text, "environment", None, &["FW-VERSION"])
}

fn hipblas_status(dice: &mut Dice) -> Made {
    let status = dice.of(&[
        "INTERNAL_ERROR",
        "NOT_INITIALIZED",
        "EXECUTION_FAILED",
        "ARCH_MISMATCH",
        "INVALID_VALUE",
        "NOT_SUPPORTED",
        "UNKNOWN",
        "MAPPING_ERROR",
        "ALLOC_FAILED",
    ]);
    let call = dice.of(&["hipblasSgemm", "hipblasCreate(handle)", "hipblasLtMatmul", "hipblasGemmEx"]);
    // A word that says why says what kind of thing it is; the others leave that open.
    let (class, first): (_, &[&str]) = match status {
        "INVALID_VALUE" | "MAPPING_ERROR" => ("runtime", &["CALL-REFUSED"]),
        "NOT_SUPPORTED" => ("runtime", &["BLAS-NO-SOLUTION"]),
        "ALLOC_FAILED" => ("environment", &["OOM"]),
        "ARCH_MISMATCH" => ("file", &["RB-ARCH-MISSING", "LT-ARCH-MISSING"]),
        _ => ("ambiguous", &[]),
    };
    made(
        format!("RuntimeError: CUDA error: HIPBLAS_STATUS_{status} when calling `{call}`"),
        class,
        None,
        first,
    )
}

fn rccl(dice: &mut Dice) -> Made {
    let words = dice.of(&[
        "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        "unhandled system error (run with NCCL_DEBUG=INFO for details)",
        "internal error - please report this issue to the NCCL developers",
        "remote process exited or there was a network error",
    ]);
    let (card, line) = (dice.of(&["AMD Instinct MI210", "AMD Instinct MI300X"]), dice.next(2000));
    let case = dice.next(3);
    let text = match case {
        0 => format!(
            "#   Rank  0 Pid 1 on host device  0 [0000:63:00.0] {card}\nhost: Test NCCL failure common.cu:{line} '{words}'"
        ),
        1 => format!("RCCL version 2.21.5+hip6.3\nRuntimeError: NCCL error: {words}"),
        _ => format!(
            "host:1:1 [0] NCCL INFO NET/Plugin : Plugin load (librccl-net.so) returned 2 : librccl-net.so: cannot open shared object file: No such file or directory\nhost:1:1 [0] /build/rccl/hipify/src/transport/p2p.cc:{line} NCCL WARN hipIpcGetMemHandle failed : invalid argument"
        ),
    };
    // Memory that cannot be shared between processes is a matter of the system.
    made(text, if case == 2 { "environment" } else { "runtime" }, None, &[])
}

fn triton(dice: &mut Dice) -> Made {
    let target = dice.target();
    let (text, first): (String, &[&str]) = match dice.next(3) {
        0 => (
            format!("LLVM ERROR: Failed to translate TritonGPU to LLVM IR.\ncompiling for {target}"),
            &["JIT", "TR-TARGET"],
        ),
        1 => (
            format!(
                "ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e5',)\n{target}"
            ),
            &["TR-TARGET"],
        ),
        _ => (
            format!(
                "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: {}, Hardware limit: 65536. {target}",
                65_536 + 1024 * dice.next(64)
            ),
            &["LDS-BUDGET"],
        ),
    };
    made(text, "runtime", Some(target), first)
}

/// What the system answered when /dev/kfd was opened.
fn kfd_answer(dice: &mut Dice) -> Made {
    let (answer, first): (&str, &[&str]) = [
        ("Permission denied", &["DEV-KFD"][..]),
        ("No such file or directory", &["DEV-KFD"][..]),
        ("Operation not permitted", &["DEV-KFD"][..]),
        ("Cannot allocate memory", &["DEV-ATOMICS"][..]),
    ][dice.next(4)];
    let text = format!(
        "ROCk module is loaded\nUnable to open /dev/kfd read-write: {answer}\nUSER is member of render group\nhsa api call failure at: /src/rocminfo/rocminfo.cc:{}\nCall returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate the necessary resources.",
        900 + dice.next(400)
    );
    made(text, "environment", None, first)
}

fn memory(dice: &mut Dice) -> Made {
    let mib = 4096 + dice.next(40_000);
    let text = match dice.next(4) {
        0 => format!(
            "found 1 ROCm devices:\nggml_backend_cuda_buffer_type_alloc_buffer: allocating {mib}.97 MiB on device 0: cudaMalloc failed: out of memory\nllama_model_load: error loading model: unable to allocate backend buffer"
        ),
        1 => format!("torch.OutOfMemoryError: HIP out of memory. Tried to allocate {mib}.00 MiB."),
        2 => format!("E rocm_driver.cc:{}] failed to alloc {mib}000000 bytes on device", dice.next(900)),
        _ => {
            "found 1 ROCm devices:\nggml_gallocr_reserve_n: failed to allocate ROCm0 buffer of size 12345678"
                .to_owned()
        }
    };
    made(text, "environment", None, &["OOM"])
}

fn stub_of_ggml(dice: &mut Dice) -> Made {
    let kernel = dice.of(&["flash_attn_ext_f16", "mul_mat_q", "gdn_single"]);
    let text = format!(
        "fattn-mma-f16.cuh:{}: ERROR: HIP kernel {kernel} has no device code compatible with HIP arch 1300.",
        dice.next(3000)
    );
    made(text, "file", None, &["STUB-REACHED"])
}

/// A code object that a newer compiler made than the runtime reads.
fn two_releases(dice: &mut Dice) -> Made {
    let (old, new) = (5 + dice.next(2), 3 + dice.next(2));
    let text = format!(
        "torch 2.3.1+rocm{old}.1\n-- ROCM_PATH=/opt/rocm-6.{new}.0\nRuntimeError: HIP Function Failed (csrc/x.hpp,{}) shared object initialization failed",
        dice.next(100)
    );
    made(text, "file", None, &["CO-ABI-TOO-NEW"])
}

/// A crash whose frames say in whose code.
fn back_trace(dice: &mut Dice) -> Made {
    let (library, first): (&str, &[&str]) = [
        ("librocblas.so.4", &["RB-DANGLING"][..]),
        ("libhsa-runtime64.so.1", &["RT-REGRESSION"][..]),
        ("libamdhip64.so.6", &["FB-ARCH-MISSING"][..]),
        ("libamd_comgr.so.2", &["RT-MIX"][..]),
    ][dice.next(4)];
    let root = dice.of(&["/opt/rocm-6.4.1/lib", "/usr/lib/x86_64-linux-gnu", "/home/USER/venv/torch/lib"]);
    let address = 0x7f00_0000 + dice.next(1 << 20);
    let text = match dice.next(2) {
        0 => format!(
            "Thread 1 \"python3\" received signal SIGSEGV, Segmentation fault.\n#0  0x{address:x} in ?? () from {root}/{library}\n#1  0x{address:x} in start () from /lib64/libc.so.6"
        ),
        _ => format!(
            "*** SIGSEGV\n{root}/{library}(+0x{:x}) [0x{address:x}]\n/lib64/libc.so.6(+0x1) [0x7f]",
            dice.next(1 << 20)
        ),
    };
    made(text, "ambiguous", None, first)
}

/// A library that a plug-in for ROCm asks for.
fn asked_by_plugin(dice: &mut Dice) -> Made {
    let library = dice.of(&["libdw.so.1", "librocm_smi64.so.7", "libnuma.so.1", "libhipblas.so.3"]);
    let text = match dice.next(2) {
        0 => format!(
            "[E:onnxruntime] Failed to load library libonnxruntime_providers_rocm.so with error: {library}: cannot open shared object file: No such file or directory"
        ),
        _ => format!(
            "INTERNAL: Failed to open /x/jax_plugins/xla_rocm7/xla_rocm_plugin.so: {library}: cannot open shared object file: No such file or directory\nJax plugin configuration error: Exception when calling jax_plugins.xla_rocm7.initialize()"
        ),
    };
    made(text, "file", None, &["ELF-NEEDED-MISSING"])
}

fn assembly(dice: &mut Dice) -> Made {
    let target = dice.target();
    let words = dice.of(&["invalid operand for instruction", "operands are not valid for this GPU or mode"]);
    made(
        format!(
            "hipcc --offload-arch={target} -c x.cpp\n<inline asm>:{}:14: error: {words}",
            1 + dice.next(30)
        ),
        "build",
        Some(target),
        &["TC-UNKNOWN-TARGET"],
    )
}

/// A status of HIP in RCCL's own sentence: what the status means is what failed.
fn passed_on_by_rccl(dice: &mut Dice) -> Made {
    let (words, class, first): (&str, &str, &[&str]) = [
        ("invalid argument", "runtime", &["CALL-REFUSED"][..]),
        ("invalid device function", "file", &["FB-ARCH-MISSING"][..]),
        ("out of memory", "environment", &["OOM"][..]),
    ][dice.next(3)];
    let (file, line) = (dice.of(&["transport/p2p.cc", "init.cc", "enqueue.cc"]), dice.next(2000));
    // What is refused where memory is shared between GPUs is a matter of the system.
    let (class, first) = match (file, words) {
        ("transport/p2p.cc", "invalid argument") => ("environment", &["ENV-IPC"][..]),
        _ => (class, first),
    };
    let text = format!(
        "host:{line}:7 [0] /build/rccl/hipify/src/{file}:{line} NCCL WARN {} failure '{words}'\nhost:{line}:7 [0] NCCL INFO /build/rccl/hipify/src/group.cc:{line} -> 1",
        dice.of(&["Cuda", "HIP"])
    );
    made(text, class, None, first)
}

/// A script that builds and refuses a target by its own list: no compiler was asked.
fn list_of_script(dice: &mut Dice) -> Made {
    let target = dice.target();
    let raised = match dice.next(3) {
        0 => format!(
            "AssertionError: One of GPU archs of ['{target}'] is invalid or not supported by this package"
        ),
        1 => format!("ValueError: unsupported architecture: {target}"),
        _ => format!("KeyError: '{target}'"),
    };
    let text = format!(
        "Traceback (most recent call last):\n  File \"/src/x/setup.py\", line {}, in archs\n    check(arch)\n{raised}",
        dice.next(900)
    );
    made(text, "application", Some(target), &["APP-ARCH-LIST"])
}

/// Parts of the firmware that the driver can do without, and commands that the card's own processor refused.
fn firmware_commands(dice: &mut Dice) -> Made {
    let (chip, at) = (dice.of(&["vega20", "navi10", "arcturus", "renoir"]), dice.next(90));
    match dice.next(3) {
        0 => made(
            format!(
                "[ {at}.3] amdgpu 0000:03:00.0: Direct firmware load for amdgpu/{chip}_ta.bin failed with error -2\n[ {at}.4] amdgpu 0000:03:00.0: psp v11.0: Failed to load firmware \"amdgpu/{chip}_ta.bin\""
            ),
            "harmless",
            None,
            &[],
        ),
        1 => made(
            format!(
                "[ {at}.3] amdgpu 0000:03:00.0: amdgpu: failed to load ucode SMC(0x{at}) \n[ {at}.4] amdgpu 0000:03:00.0: amdgpu: psp gfx command LOAD_IP_FW(0x6) failed and response status is (0x{at})"
            ),
            "environment",
            None,
            &["FW-VERSION"],
        ),
        _ => made(
            format!(
                "[ {at}.6] [drm] failed to load ucode id ({at}) \n[ {at}.6] [drm] psp command failed and response status is (-53{at})"
            ),
            "environment",
            None,
            &["FW-VERSION"],
        ),
    }
}

/// A missing catalog of hipBLASLt: harmless alone, the cause where its call failed or nothing stands in.
fn catalog_of_lt(dice: &mut Dice) -> Made {
    let (root, target) = (dice.root(), dice.target());
    let missing = |target: &str| {
        format!(
            "rocblaslt error: Cannot read \"{root}/hipblaslt/library/TensileLibrary_lazy_{target}.dat\": No such file or directory"
        )
    };
    match dice.next(3) {
        0 => made(missing(target), "harmless", Some(target), &[]),
        1 => {
            let call = dice.of(&["cublasLtMatmulAlgoGetHeuristic", "hipblasLtMatmul"]);
            let status = dice.of(&["CUBLAS_STATUS_INVALID_VALUE", "HIPBLAS_STATUS_NOT_SUPPORTED"]);
            let text = format!(
                "{}\nRuntimeError: CUDA error: {status} when calling `{call}( handle, desc)`",
                missing(target)
            );
            made(text, "file", Some(target), &["LT-ARCH-MISSING"])
        }
        // The words of releases that read streams.
        _ => {
            let text = missing("gfx1250").replace("\": No", "\" (or .zlib variant): No");
            made(text, "file", Some("gfx1250"), &["LT-ARCH-MISSING"])
        }
    }
}

/// A build's script that looks for ROCm's headers.
fn configure_script(dice: &mut Dice) -> Made {
    let of = dice.of(&["ROCm", "rocBLAS", "MIOpen", "hipSPARSE", "rocRAND"]);
    let lower = of.to_lowercase();
    let text = format!(
        "Error in fail: Repository command failed\nERROR: {of} version file not found in ['include/{lower}/{lower}-version.h', 'include/{lower}_version.h']"
    );
    made(text, "build", None, &["PKG-DEVEL-MISSING"])
}

const MAKERS: [(&str, Maker); 23] = [
    ("RCCL passes on", passed_on_by_rccl),
    ("a script's list", list_of_script),
    ("firmware's commands", firmware_commands),
    ("hipBLASLt's catalogs", catalog_of_lt),
    ("a script that configures", configure_script),
    ("XLA's statuses", xla_status),
    ("bitsandbytes", bitsandbytes),
    ("aiter's list", list_of_aiter),
    ("flash attention's list", list_of_attention),
    ("Composable Kernel", composable_kernel),
    ("vLLM's platforms", vllm_platform),
    ("ollama's filter", ollama_filter),
    ("firmware", firmware),
    ("hipBLAS's statuses", hipblas_status),
    ("RCCL", rccl),
    ("Triton", triton),
    ("/dev/kfd", kfd_answer),
    ("memory", memory),
    ("a stub of ggml", stub_of_ggml),
    ("two releases", two_releases),
    ("a back trace", back_trace),
    ("a plug-in's library", asked_by_plugin),
    ("assembly", assembly),
];

/// Every text has the class, the target and a first cause that follow from what was stated in it.
#[test]
fn components_formats_are_answered_alike() {
    let (all, wrong) = wrong_answers(&MAKERS, SEED);
    assert!(all >= 240, "{all}");
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The same programs on another maker's GPU, and the same sentences of other drivers: nothing of ROCm is
/// claimed.
#[test]
fn other_makers_gpus_stay_unanswered() {
    let mut dice = Dice(SEED);
    let mut wrong = Vec::new();
    for _ in 0..6 {
        let line = dice.next(3000);
        for text in [
            format!("NVIDIA RTX A6000\nTest NCCL failure common.cu:{line} 'unhandled system error'"),
            format!("RuntimeError: NCCL error: unhandled cuda error, NCCL version 2.{line}"),
            "RuntimeError: 0 active drivers ([]). There should only be one.".to_owned(),
            format!("LLVM ERROR: Failed to translate TritonGPU to LLVM IR. {line}"),
            format!("CUDA error: an illegal memory access was encountered\nGPU: NVIDIA A100\nline {line}"),
            format!("CUDA error: named symbol not found at kernels.cu:{line}"),
            format!("RuntimeError: CUDA error: device kernel image is invalid\nDevice: Quadro RTX {line}"),
            format!("llama_model_load: error loading model: unable to allocate backend buffer {line}"),
            format!("ggml_cuda_init: found 1 CUDA devices:\n  Device 0: Tesla P40\nallocating {line}.5 MiB on device 0: cudaMalloc failed: out of memory"),
            format!("nouveau 0000:01:00.0: Direct firmware load for nouveau/nv138.bin failed with error -{line}"),
            format!("iwlwifi 0000:04:00.0: Direct firmware load for iwlwifi-{line}.ucode failed with error -2"),
            "terminate called after throwing an instance of 'sycl::_V1::exception'\n  what():  The current device architecture is not supported by sycl_ext_oneapi_device_architecture.".to_owned(),
            "bfloat16 is only supported on Intel Data Center GPU, Intel Arc GPU is not supported yet.".to_owned(),
            "RuntimeError: Internal: libdevice not found at ./libdevice.10.bc".to_owned(),
            format!("flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so: undefined symbol: _ZN3c105ErrorC2E{line}"),
            "level=DEBUG msg=\"filtering device which didn't fully initialize\" id=0 libdir=/usr/lib/ollama/cuda_v13 library=CUDA".to_owned(),
            format!("x.s:{line}: error: invalid operand for instruction"),
            "OSError: libc10_cuda.so: cannot open shared object file: No such file or directory".to_owned(),
            "AMD Radeon(TM) 880M Graphics: Unsupported\nmacOS compatibility check failed".to_owned(),
            format!("RuntimeError: NPU function error: aclrtSetDevice, error code is {line}"),
        ] {
            let text = passed_on(&text, &mut dice);
            let class = recognise(text.as_bytes()).class().name();
            if !["not-rocm", "ambiguous", "unknown"].contains(&class) {
                wrong.push(format!("{class}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of 120:\n{}", wrong.len(), wrong.join("\n"));
}
