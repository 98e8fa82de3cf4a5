//! Shapes of messages as people paste them, in words of our own: what each is about, and what is behind it. The answer
//! follows from facts, so each stands in two or more dresses.

use super::facts::assert_unanswered;
use rocm_audit::messages::recognise::recognise;

/// Texts of one shape, the class, and the causes that may come first.
struct Shape(&'static [&'static str], &'static str, &'static [&'static str]);

const SHAPES: &[Shape] = &[
    // Errors of Windows' loader are known by their numbers, whatever the language.
    Shape(
        &[
            "torch 2.9.0+rocm7.1\nOSError: [WinError 126] The specified module could not be found. Error loading \
             \"D:\\venv\\torch\\lib\\shm.dll\" or one of its dependencies.",
            "torch 2.9.0+rocm7.1\nOSError: [WinError 126] No se puede encontrar el módulo especificado. Error loading \
             \"D:\\venv\\torch\\lib\\fbgemm.dll\"",
            "Failed to load engine: D:\\x\\win-engine-rocm-1.2\\engine_rocm.node. The specified module could not be found.",
        ],
        "file",
        &["ELF-NEEDED-MISSING"],
    ),
    Shape(
        &[
            "torch 2.9.0+rocm7.1\nOSError: [WinError 1114] Error loading \"D:\\venv\\torch\\lib\\torch_cpu.dll\"",
            "torch 2.9.0+rocm7.1\nImportError: [WinError 127] Die angegebene Prozedur wurde nicht gefunden. x.pyd",
        ],
        "file",
        &["RT-MIX"],
    ),
    // The loader of Linux names the library, and says in any language that it is not there.
    Shape(
        &[
            "ImportError: libamdhip64.so.7: cannot open shared object file: No such file or directory",
            "ImportError: libamdhip64.so.7: Kann die Shared-Object-Datei nicht öffnen: Datei oder Verzeichnis nicht gefunden",
            "./main: error while loading shared libraries: librocblas.so.5: 无法打开共享目标文件: 没有那个文件或目录",
        ],
        "file",
        &["ELF-NEEDED-MISSING"],
    ),
    // CMake looks for HIP, in three sentences of its own.
    Shape(
        &[
            "CMake Error: Could not find a package configuration file provided by \"hip\" with any of the following names:",
            "this project has asked CMake to find a package configuration file provided by \"hip\", but CMake did not find one.",
            "The ROCm root directory: /usr does not contain the HIP runtime CMake package, expected at one of: /usr/lib/cmake",
        ],
        "build",
        &["PKG-DEVEL-MISSING"],
    ),
    Shape(
        &[
            "-- Check for working HIP compiler: /opt/rocm/lib/llvm/bin/clang++ - broken",
            "-- The HIP compiler identification is unknown\n-- Detecting HIP compiler ABI info - failed",
        ],
        "build",
        &["DEVICE-LIBS-MISSING"],
    ),
    // Bitcode of another LLVM than the one that reads it: the file is there.
    Shape(
        &[
            "llvm-link: /opt/rocm/x/ocml.amdgcn.bc: error: Unknown attribute kind (61) (Producer: 'LLVM14' Reader: 'LLVM 13')",
            "error: /opt/rocm/amdgcn/bitcode/hip.bc: Unknown attribute kind (90)",
        ],
        "runtime",
        &["RT-MIX"],
    ),
    // ggml's own code objects: nothing in its library is for this GPU.
    Shape(
        &[
            "ggml_cuda_compute_forward: ADD failed\nROCm error: device kernel image is invalid",
            "Available devices:\n  ROCm0: AMD Radeon Pro\nE ROCm error: device kernel image is invalid\nllama-server exits",
        ],
        "file",
        &["FB-ARCH-MISSING"],
    ),
    Shape(
        &["Unsupported GPU architecture detected gfx1012. Expected 'gfx942' or 'gfx950'."],
        "application",
        &["APP-ARCH-LIST"],
    ),
    // The vector of a kernel's functions for each device, which HIP 5.x overran where there was no code.
    Shape(
        &[
            "std::vector<hip::DeviceFunc*>::operator[](size_type): Assertion '__n < this->size()' failed.\nAborted",
        ],
        "file",
        &["FB-ARCH-MISSING"],
    ),
    Shape(&["No device code available for function: _Z4axpyPf"], "file", &["FB-ARCH-MISSING"]),
    // A build for ROCm that sees no GPU: the driver, or WSL.
    Shape(
        &[
            "INFO Torch 2.3.0+rocm6.0\nWARNING Torch reports GPU not available",
            "2.6.0+rocm6.2\nGPU available: False",
        ],
        "environment",
        &["DEV-NONE"],
    ),
    Shape(
        &[
            "INFO Torch 2.3.0+rocm6.0\nWARNING Torch reports GPU not available\nLinux 5.15-microsoft-standard-WSL2",
        ],
        "environment",
        &["RT-WSL-HSA"],
    ),
    // A back trace says whose code it was even where no line says what happened.
    Shape(
        &[
            "#0 0x01 in ?? ()\n#1 rocr::X() () from /opt/therock/lib/libhsa-runtime64.so.1",
            "/opt/therock/lib/libhsa-runtime64.so.1(+0x8e961) [0x7f0260cd]\n/lib64/libc.so.6(+0x1) [0x7f]",
        ],
        "ambiguous",
        &["RT-REGRESSION"],
    ),
    // The words of CUDA in a program that the text says is ROCm's.
    Shape(
        &[
            "on Linux with ROCm:\nCUDA error: invalid device function\n  current device: 0, in function ggml_cuda_x",
            "running it via ROCm\nCUDA error: invalid device function\n  current device: 0, in function ggml_cuda_x",
        ],
        "file",
        &["FB-ARCH-MISSING"],
    ),
    // JAX tries the platforms of all makers; another failure of ROCm's is one.
    Shape(
        &[
            "INFO:jax._src.xla_bridge:889: Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'",
            "RuntimeError: Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with name: \"rocm\". Available platform names are: Interpreter CUDA Host",
        ],
        "not-rocm",
        &["PKG-NO-HIP", "PKG-CUDA-ONLY"],
    ),
    Shape(
        &["INFO:jax._src.xla_bridge:889: Unable to initialize backend 'rocm': INTERNAL: no device"],
        "application",
        &["PKG-NO-HIP"],
    ),
    // Numbers of CUDA's statuses where ROCm is in use.
    Shape(
        &[
            "CUDA error 98 ... ROCm 5.7, 2x MI100 and 2x W6800",
            "CUDA error: 98: the program runs on ROCm 6.2",
        ],
        "file",
        &["FB-ARCH-MISSING"],
    ),
    // The runtime looks for code of the processor that an override names.
    Shape(
        &[
            "HSA_OVERRIDE_GFX_VERSION=11.0.2\nmsg=\"inference compute\" library=rocm compute=gfx1103\nHIP error: invalid device function",
            "export HSA_OVERRIDE_GFX_VERSION=10.3.0\nRuntimeError: HIP error: invalid device function",
        ],
        "file",
        &["OV-NOTHING-TO-LOAD"],
    ),
    // A fault is the program's where the text says so, as one of another compiler's kernel.
    Shape(
        &[
            "AMDGPU fatal error 1: Memory access fault by GPU 1 (agent 0x1280) at virtual address 0x7f08. Reasons: Page not present",
            "my SYCL program ends with\nMemory access fault by GPU node-1 on address 0x7f21c000. Reason: Page not present",
        ],
        "runtime",
        &["PROGRAM-FAULT"],
    ),
    Shape(
        &[
            "Memory access fault by GPU node-2 (Agent handle: 0x55d0) on address 0x7f21c000. Reason: Page not present or supervisor privilege.",
            "amd RX 6600 XT, HSA_OVERRIDE_GFX_VERSION=10.3.0\nMemory access fault by GPU node-1 on address 0x7f00. Reason: Page not present",
        ],
        "environment",
        &["FW-VERSION"],
    ),
    Shape(
        &[
            "Memory access fault by GPU node-1 on address (nil). Reason: Page not present or supervisor privilege.",
            "amdgpu 0000:c5:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:8)\nMES failed to respond to msg=REMOVE_QUEUE",
        ],
        "environment",
        &["FW-VERSION"],
    ),
    Shape(
        &[
            "Radeon RX 5700 XT\nHSA_OVERRIDE_GFX_VERSION=10.3.0\nMemory access fault by GPU node-1 on address 0x7f00. Reason: Page not present",
        ],
        "environment",
        &["OV-UNSAFE"],
    ),
    // A status names what is wrong by its own word, whatever the library.
    Shape(
        &[
            "rocfft_status_invalid_dimensions",
            "RuntimeError: HIPFFT_INVALID_PLAN",
            "hipsparse returned HIPSPARSE_STATUS_INVALID_VALUE",
            "miopenStatusBadParm at conv.cpp:12",
            "MIOpen Error: convolutionocl.cpp:500: No invoker was registered for convolution backward. Was find executed?\nmiopenStatusUnknownError",
        ],
        "runtime",
        &["CALL-REFUSED"],
    ),
    Shape(
        &["HIPSPARSE_STATUS_NOT_SUPPORTED", "rocsparse_status_not_implemented", "miopenStatusNotImplemented"],
        "runtime",
        &["BLAS-NO-SOLUTION"],
    ),
    Shape(&["HIPFFT_ALLOC_FAILED", "HIPSOLVER_STATUS_ALLOC_FAILED"], "environment", &["OOM"]),
    // Compilers: of a build, and of a library that compiles while a program runs.
    Shape(
        &[
            "make[2]: *** [CMakeFiles/amd_comgr.dir/build.make:76: CMakeFiles/amd_comgr.dir/src/comgr.cpp.o] Error 1",
            "Execute chpl for gfx90a\ndebug intrinsic incompatible with Debug Info Version\n  call void @llvm.dbg.declare(metadata ptr %1)",
            "ld.lld: error: undefined reference due to --no-allow-shlib-undefined: void own<64>(x&)\n>>> referenced by libown-rocm.so",
            "==> x: Executing phase: 'cmake'\n==> Error: ProcessError: Command exited with status 1:\n'-DHIP_PATH=/opt/rocm/hip'",
            "make[3]: *** [Makefile.compile:11: x] Error 1\nzstd: can't stat /b/aotriton/flash/x.hsaco : No such file or directory -- ignored",
        ],
        "build",
        &["SRC-BUILD"],
    ),
    Shape(
        &[
            "running the MIGraphX execution provider:\nerror: unknown warning option '-Wfoo' [-Werror,-Wunknown-warning-option]",
            "/src/AMDMIGraphX/src/targets/gpu/mlir.cpp:700: run_high_level_pipeline: Invalid MLIR created: Error: no layout",
            "MIOpen(HIP): Warning [BuildHip] hip runtime failed to load.\nMIOpen(HIP): Error [BuildHip] HIPRTC status = HIPRTC_ERROR_COMPILATION (6)",
        ],
        "runtime",
        &["JIT"],
    ),
    Shape(
        &[
            "The imported target \"hip::amdhip64\" references the file \"/opt/rocm/lib/libamdhip64.so.5\" but this file does not exist.",
            "target_link_libraries: Target \"x\" links to: roc::rocblas but the target was not found.",
            "could not find /opt/rocm/lib/cmake/rocsparse/rocsparse-targets.cmake",
            "/usr/bin/ld: cannot find -lroc::rocsolver: No such file or directory",
            "sh: /opt/rocm/lib/llvm/bin/clang++: not found",
        ],
        "build",
        &["PKG-DEVEL-MISSING"],
    ),
    Shape(
        &[
            "==> cmake\nCMakeFiles/x.dir/a.cpp.o\nerror: local memory (70000) exceeds limit (65536) in function 'k'",
            "lld: error: local memory (70000) exceeds limit (65536) in function 'k'",
        ],
        "build",
        &["LDS-BUDGET"],
    ),
    // No device: hidden, not allotted, or not there. The status in the first text is a name that its source does not know.
    Shape(
        &[
            "HIP_VISIBLE_DEVICES=-1\nERROR: UndefVarError: `hipErrorInvalidResourceHandle` not defined",
            "0/3 nodes are available: 3 Insufficient amd.com/gpu.",
            "Error -1 executing clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 0, NULL, &n) (device not found)",
            "terminate called after throwing\nThere is no device can be used to do the computation",
        ],
        "environment",
        &["DEV-NONE"],
    ),
    // Libraries of ROCm whose names begin as other things do.
    Shape(
        &["amdhip64_7.dll needs rocm_kpack.dll <-- missing", "the release is missing hipblas.dll"],
        "file",
        &["ELF-NEEDED-MISSING"],
    ),
    Shape(
        &[
            "rocblaslt error: Could not load /opt/rocm/lib/hipblaslt/library/TensileLibrary.dat\nSegmentation fault",
        ],
        "file",
        &["LT-ARCH-MISSING"],
    ),
    // A linker asks for the name without a version.
    Shape(
        &[
            "/usr/bin/ld: cannot find -lhipblas: No such file or directory\ncollect2: error: ld returned 1 exit status",
            "ld.lld: error: x\n/usr/bin/ld: cannot find -lrccl",
        ],
        "build",
        &["LINK-UNVERSIONED-MISSING"],
    ),
    // A symbol that is not there says more than what fails because of it.
    Shape(
        &[
            "/opt/comm/lib/libcomm_rocm_ipc.so.1: undefined symbol: pin_memory_region\ncomm: rocm_ipc: no transport, failed",
            "The procedure entry point hipStreamGetDevice could not be found in the dynamic link library D:\\x\\engine.dll",
        ],
        "file",
        &["ELF-SYMBOL-UNRESOLVED"],
    ),
    Shape(&["Version mismatch between HSA runtime and libhsa-runtime-tools64.so.1"], "file", &["RT-MIX"]),
    // Python's answer stands on a line of its own.
    Shape(
        &[
            "PyTorch: 2.8.0+rocm6.4\n>>> torch.cuda.is_available()\nFalse",
            "PyTorch: 2.8.0+rocm6.4\n$ python3 -c \"import torch; print(torch.cuda.is_available())\"\nFalse",
        ],
        "environment",
        &["DEV-NONE"],
    ),
    Shape(
        &["plugin.go:136] Found 0 AMDGPUs", "device plugin: no amdgpus were found"],
        "environment",
        &["DEV-NONE", "DEV-KFD"],
    ),
    Shape(
        &["src/fft/plan.h:7:10: fatal error: 'rocfft.h' file not found", "hipcc cannot find 'omp.h'"],
        "build",
        &["PKG-DEVEL-MISSING"],
    ),
    Shape(
        &[
            "csrc/ops.hip:15:10: fatal error: hip/hip_runtime_api.h: Datei oder Verzeichnis nicht gefunden",
            "x.hip:1:10: fatal error: hip/hip_fp16.h: 没有那个文件或目录",
        ],
        "build",
        &["PKG-DEVEL-MISSING"],
    ),
    Shape(
        &["Trying to compile for the card: Unknown GPU architecture 'gfx1034'"],
        "build",
        &["TC-UNKNOWN-TARGET"],
    ),
    Shape(
        &["Error: couldn't find any HIP devices", "cannot find a ROCm device"],
        "environment",
        &["DEV-NONE", "DEV-KFD"],
    ),
    Shape(
        &["app.service: Main process exited, code=dumped, status=11/SEGV"],
        "ambiguous",
        &["FB-ARCH-MISSING"],
    ),
    Shape(
        &[
            "clang-14: error: cannot find device library for gfx1034. Provide path to different ROCm installation via --rocm-path",
            "clang-14: error: Unsupported CUDA gpu architecture: gfx908:xnack-",
        ],
        "build",
        &["TC-UNKNOWN-TARGET"],
    ),
    // The error came without the override.
    Shape(
        &[
            "RuntimeError: HIP error: invalid device function. If I try to set HSA_OVERRIDE_GFX_VERSION=10.3.0 it hangs, gfx1034",
        ],
        "file",
        &["FB-ARCH-MISSING"],
    ),
    Shape(
        &["HSA_OVERRIDE_GFX_VERSION=10.3.0, gfx1034: RuntimeError: HIP error: invalid device function"],
        "file",
        &["OV-NOTHING-TO-LOAD"],
    ),
    // What a crash says of its place, in words of people.
    Shape(
        &[
            "the runner segfaults on the RX 9070 if the onboard GPU (gfx1036) is also detected by ROCm",
            "hip: SIGSEGV in the second step, igpu and dGPU both GPUs visible",
            "kernel: srv[42]: segfault at 28 ip 00007f3a sp 00007ffd error 4 in libamdhip64.so.6.4[7f3a00000000+1a0000]\nllama.cpp segfaults on the card if the onboard GPU gfx1036 is also detected",
        ],
        "ambiguous",
        &["SYS-MULTI-ARCH"],
    ),
    Shape(
        &[
            "after the upgrade rocminfo segfaults in libhsa-runtime64.so.1, GpuAgent::InitDma",
            "with HSA_OVERRIDE_GFX_VERSION 9.0.0: SIGSEGV at the first prompt; without it falls back to CPU",
        ],
        "ambiguous",
        &["RT-REGRESSION", "FB-ARCH-MISSING", "OV-CROSS-MAJOR"],
    ),
    Shape(
        &[
            "Warning: The specified HIP target: gfx909 is unknown. Correct compilation is not guaranteed.",
            "'gfx1153' is not a recognized processor for this target (ignoring processor)",
            "CMake Error at cmake/Arch.cmake:12 (message):\n  Unsupported GPU target: gfx1034",
        ],
        "build",
        &["TC-UNKNOWN-TARGET"],
    ),
    Shape(
        &[
            "terminate called after throwing an instance of 'Kalmar::runtime_exception'\n  what():  The number of VGPRs (148) needed by this launch (int, float*) exceeds HW limit due to big work group size (640) workitems!",
        ],
        "file",
        &["VGPR-BUDGET"],
    ),
    Shape(
        &["0: AMD Radeon Graphics gcnArchName=gfx900:xnack- backend=unsupported status=unsupported"],
        "application",
        &["APP-ARCH-LIST"],
    ),
    Shape(&["MIOpen(HIP): Warning [ReadFile] File is unreadable."], "file", &["MI-FDB-MISSING"]),
    Shape(
        &[
            "rocBLAS error: Cannot read /srv/app/lib/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx906\n List of available TensileLibrary Files : \n...\nnext line of the log is here",
        ],
        "file",
        &["RB-ARCH-MISSING"],
    ),
    Shape(
        &["TensileLibrary_lazy_gfx902.dat fails to load for the APU"],
        "file",
        &["RB-ARCH-MISSING", "RB-VERSION-MIX"],
    ),
    Shape(
        &[
            "ld: warning: libhsa-runtime64.so.1, needed by /opt/rocm/lib/libamdhip64.so, not found (try using -rpath or -rpath-link)\n/opt/rocm/lib/libamdhip64.so: undefined reference to `hsa_memory_free@ROCR_1'",
        ],
        "build",
        &["ELF-NEEDED-MISSING"],
    ),
    Shape(
        &[
            "ggml_vulkan: 0 = Radeon 8060S Graphics (AMD open-source driver)\nfailed to allocate Vulkan0 buffer of size 4342230552",
        ],
        "not-rocm",
        &["NOT-ROCM"],
    ),
];

/// Texts of others, which are no problem of ROCm's: each must stay without a cause of ROCm.
const OTHERS: &[&str] = &[
    "RTX 3090: _scaled_mm is only supported on CUDA devices with compute capability >= 9.0 or 8.9, or ROCm MI300+",
    "_scaled_mm is only supported on CUDA devices with compute capability >= 9.0 or 8.9, or ROCm MI300+",
    "OSError: [WinError 126] The specified module could not be found. Error loading \"D:\\venv\\cv2\\x.dll\"",
    "OSError: [WinError 126] Error loading \"D:\\venv\\torch\\lib\\cudnn64_9.dll\" or one of its dependencies.",
    "Torch 2.3.0+cu121\nTorch reports GPU not available",
    "Device 1: Intel(R) UHD Graphics 630\n0: OpenCL CL_OUT_OF_RESOURCES (-5) error in x_plug.c:40\nSegmentation fault",
    "-- The CUDA compiler identification is unknown",
    "RTX 4070\nAssertionError: Torch not compiled with CUDA enabled",
    "start.sh: FATAL: Module amdgpu is in use",
    "A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.1 as it may crash.\nDevice: cuda:0 AMD Radeon RX 7600 : native\nROCm version: (6, 4)",
    "nvcc -c src/kokkos/core/View.cu\nsrc/kokkos/core/View.hpp:13:3: error: implicit instantiation of undefined template",
    "hipify: error: Unsupported CUDA gpu architecture: sm_75",
    "'sm_75' is not a recognized processor for this target (ignoring processor)\nLLVM ERROR: fatal error",
    "Error: no kernel image is available for execution on the device\nI tried CUDA 9.1 and CUDA 10.0",
    "CUDA error: device kernel image is invalid\nflash_attn-2.6.1+cu12torch2.4-cp311-linux_x86_64.whl",
    "Image registry.example/app-rocm:main: error from registry: denied\nFailed to download torch-2.9+rocm6.3 (HTTP_TIMEOUT is 30s)",
    "src/run/process.h:7:10: fatal error: 'process.h' file not found",
    "solve.mexa64: libamd.so.2: cannot open shared object file: No such file or directory",
    "solver.cu:88: Check failed: (e) == (cudaSuccess) invalid device function",
    "cudaCheckError() failed : invalid device function",
    "ggml_vulkan: 0 = AMD Unknown (RADV GFX1150) (radv) | uma: 1\nllama_model_load: error loading model: read error: Bad address",
    "GL_RENDERER: AMD Radeon RX 580 (radeonsi, polaris10, ACO, DRM 3.64)\namdgpu: The CS has cancelled because the context is lost.",
    "amd: LLVM doesn't support gfx1153, bailing out...\n'gfx1153' is not a recognized processor for this target (ignoring processor)",
    "ModuleNotFoundError: No module named 'torch.utils.hipify'",
    "ImportError: cannot import name 'hip' from 'torch' (/srv/venv/torch/__init__.py)",
    "kernel: traps: relay[13] general protection fault ip:5f1 sp:708 error:0 in relay[57a,5f1+643]",
    "radeon: Failed to allocate a buffer:\nradeon:    size      : 65536 bytes",
    "CHIP error [TID 17] [169.4] : hipErrorLaunchFailure (Failed to find kernel via kernel name: Scale) in /srv/chipStar/src/CHIPBackend.cc:265",
    "Unable to load cudart library /usr/lib/x/libcudart.so.12.4.127: cudart init failure: 802\namdgpu driver not detected /sys/module/amdgpu",
    "ERROR: [Loader Message] Code 0 : /usr/lib/amdvlk64.so: wrong ELF class\namdgpu_device_initialize: DRM version is 2.50.0\nCannot create Vulkan instance.",
    "[drm:i915_reset_and_wakeup] resetting chip\nERROR gpu hanging too fast, banning!\nintel_gpu_reset() at intel_gpu_reset+0x1e",
    "runner process has terminated: signal: illegal instruction\nenv=\"map[HIP_VISIBLE_DEVICES: HSA_OVERRIDE_GFX_VERSION: OLLAMA_DEBUG:false]\"",
    "#2 cv::imread() () from /usr/lib/libopencv_core.so.4",
];

#[test]
fn shapes_of_pasted_messages_are_answered() {
    let mut wrong = Vec::new();
    for Shape(texts, class, causes) in SHAPES {
        for text in *texts {
            let found = recognise(text.as_bytes());
            let first = found.first().and_then(|hit| hit.causes.first().copied()).unwrap_or("none");
            if found.class().name() != *class || !causes.contains(&first) {
                wrong.push(format!("{}, {first} for {class} {causes:?}: {text}", found.class().name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn texts_of_other_makers_stay_without_a_cause() {
    for text in OTHERS {
        assert_unanswered(text);
    }
}
