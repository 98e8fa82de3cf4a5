//! Names: who speaks in a line, whose device it names, and what a sentence then means most often.

/// Names that only ROCm's components have.
pub(super) const COMPONENTS: &str = r"(?:\b|_)(rocm(?:-?smi|info|_\w+|[0-9.]*)?|hip(?:cc|rtc|blas|fft|sparse|solver|rand|cub|tensor|dnn|ify|config|amd)\w*|hip_(?:add|api|arch|atomic|bf|bfloat|call|check|clang|common|compiler|complex|cooperative|cxx|db|device|dir|embed|error|ext|flags|force|fp|global|graph|hidden|host|include|kernel|launch|lib|math|module|path|platform|prof|root|runtime|separable|sources|std|stream|texture|trace|use|vector|version|visible)\w*|hip(?:malloc|mem|stream|event|device|get|set|launch|module|error|init|runtime|graph|func|host|ipc|pointer|array|ctx|peek|occupancy|link|free|assert|check|call|success|kernel|lib|info|gpu|compute)\w*|hsa(?:_\w+|kmt|co)?|roc(?:blas|fft|rand|solver|sparse|prim|thrust|wmma|tracer|profiler|alution|shmem|decode|jpeg|mlir|roller)\w*|roc(?:r|al|device|program|virtual|kernel|memory)|rock-dkms|miopen\w*|migraphx\w*|rccl\w*|(?:ef_)?amdgpu\w*|amdhsa\w*|amdgcn\w*|amdkfd|kfd|amdhip\w*|amdsmi\w*|rsmi_\w+|amd[-_ ](?:smi|comgr|metrics)|rocm[- ]smi|e-?smi|comgr|tensile\w*|aotriton|aiter|ck_tile|composable[_ ]?kernels?|amdclang\+*|hiperr\w+|gfx[0-9][0-9a-f]{2,3}|llvm\.amdgcn\S*|libamd\w+|libroc[a-jl-z]\w*|libhip\w+|libhsa\w+|libmiopen\w*|librccl\w*)(?:\b|_)|\bhip\b|openmm\w{0,12}hip\b|/opt/rocm|\+rocm|-rocm\b|(?:torch|c10|ggml|lib\w{1,20}|backend|device)[_-]hip\b|/dev/kfd|\bdevice amd\b|cijk_|placeholderlibrary|hip::|roc::|hsa::|amd::|by (gpu|agent) node-[0-9]|agent handle|queue error state in gpu";
/// Names of AMD's devices, which every program prints: they say whose GPU a text is about, not who speaks.
pub(super) const HARDWARE: &str =
    r"\bradeon\b|\binstinct\b|\bamd [a-z]{2,}\b|\bmi[0-9]{3}[axp]?\b|[rc]dna ?[0-9]";
/// Names of other makers' devices, drivers and libraries.
pub(super) const OTHERS: &str = r"\b(nvidia\S*|geforce|quadro|tesla|jetson|gtx ?[0-9]{3,4}|rtx ?[a-z0-9]{4}|nvcc|nvrtc|nvml|nvlink|ptxas|ptx|cudnn|cublas\w*|cudart\w*|cusolver\w*|cusparse\w*|cufft\w*|curand\w*|libcud\w+|libcub\w+|libnv\w+|tensorrt|tf-trt|ampere|hopper|blackwell|turing|volta|\w*cuda(?:toolkit|compiler|error\w+|driver\w*|architectures?|runtime\w*|_home|_path)?|cudaerror\w*|intel\S*|xpu|oneapi|sycl|level[ _-]?zero|zesinit|ze_result\w*|openvino|i915|igc|habana|gaudi|mps|metal|mtl\w+|apple|vulkan|\w*vulkan[0-9]*|amdvlk|vk_\w+|vk::\w+|opengl|gl_(?:vendor|renderer|version)|libgl|mesa-loader|radeonsi|radv|llvmpipe|glsl|directml|dml|d3d1[12]|dxgi\w*|nouveau|mali|adreno|cl_out_of\w+|iwlwifi|rtl8\w+|qualcomm|ascend|npu|tpu|libtpu)\b|cuda setup|cuda architectures?|select device driver";
/// What software that was ported from CUDA says on every maker's GPU.
pub(super) const PORTED: &str = r"cuda (error|kernel errors|out of memory)|torch\.cuda|torch_cuda\w*|ggml[-_]cuda\S*|cuda_launch_blocking|device[= :]+.?cuda|cuda:[0-9]|cuda graph|cuda_visible\w*|torch_use_cuda\w*|compile with `?torch|nccl\w*|\bcu(da)?[a-z]+ ?\(|backends/cuda|init_cuda|cuda_version|cuda_arch\w*|cudamalloc|no cuda gpus|without cuda|skip-torch-cuda-test";

/// Who is named beside a sentence, and what it then means most often.
pub(super) const SPEAKERS: &[(&str, &str, &str)] = &[
    ("said-no-code", r"hipblaslt|rocblaslt", "LT-ARCH-MISSING"),
    ("said-no-code", r"cijk_|placeholderlibrary|cannot find the function", "RB-DANGLING"),
    ("said-no-code", r"rocblas|tensile", "RB-ARCH-MISSING"),
    ("said-no-code", r"aotriton|attention|flash: no", "AT-IMAGES-MISSING"),
    ("said-no-code", r"kpack", "KP-ARCHIVE-MISSING"),
    ("said-no-code", r"decompress|corrupt|truncat|checksum|unexpected end", "FB-CORRUPT"),
    ("said-no-code", r"getfunction|named symbol|kernel name|no kernel named", "KERNEL-NAME-ABSENT"),
    ("said-no-code", r"blender|cycles", "BL-ARCH-MISSING"),
    ("said-library", r"bitsandbytes", "PKG-VARIANT-MISSING"),
    ("said-library", r"version|release|_rocm_init|rocm_sdk|mismatch", "RT-MIX"),
    ("said-symbol", r"_z[a-z0-9]*(2at|3c10|5torch)|undefined symbol: _?py", "PKG-OTHER-HOST"),
    (
        "said-build",
        r"\bgfx[0-9a-f]+\b[^\n]{0,60}(unknown|unsupported|invalid|not)|(unknown|unsupported|invalid)[^\n]{0,40}\bgfx|_mach_amdgcn",
        "TC-UNKNOWN-TARGET",
    ),
    ("said-build", r"asm caps", "TC-ASMCAPS"),
    ("said-build", r"\.bc\b|device lib", "DEVICE-LIBS-MISSING"),
    (
        "said-build",
        r"\.(h|hpp)\b['\x22>:, ]{1,4}(file )?(not found|no such file)|find_package|findpackage|by not providing|could not find|cannot find|(not set|unset|not found|does not exist)$|hipcc[^\n]{0,20}not found|can't exec",
        "PKG-DEVEL-MISSING",
    ),
    ("said-build", r"dkms|linux-headers", "DKMS-KERNEL"),
    ("said-compile", r"\.bc\b|device lib|bitcode", "DEVICE-LIBS-MISSING"),
    (
        "said-compile",
        r"\bgfx[0-9a-f]+\b[^\n]{0,40}(unknown|unsupported|invalid|not a recogn)|unsupported target",
        "TR-TARGET",
    ),
    ("said-permission", r"miopen|\.u?f?p?db|sqlite|database", "ENV-MIOPEN-USERDB"),
    ("said-permission", r"ipc|shm|shared memory", "ENV-IPC"),
    ("said-driver", r"not supported|unsupported|does not support", "KFD-UNSUPPORTED"),
    ("said-driver", r"atomics", "DEV-ATOMICS"),
    ("said-driver", r"\bras\b|poison|ecc|uncorrectable|hardware error", "HW-FAULT"),
    ("said-no-device", r"wsl|dxg", "RT-WSL-HSA"),
    ("said-no-device", r"/dev/kfd|permission", "DEV-KFD"),
    ("said-no-device", r"hsa_init|hipinit", "RT-MIX"),
    ("said-refusal", r"fp8|fp4|bf16|bfloat16|wmma|mfma|int4|float8", "HW-FEATURE"),
    ("said-refusal", r"unsupported gpu\b|gpu (is )?(not supported|unsupported)", "APP-ARCH-LIST"),
    ("said-refusal", r"torch not compiled|backend|execution ?provider|not built with", "PKG-NO-HIP"),
    (
        "segv",
        r"igpu\b|integrated|on-?board|also (detected|present|enabled)|second gpu|both gpus|two gpus|multi-?gpu",
        "SYS-MULTI-ARCH",
    ),
    ("segv", r"hsa-runtime|libhsa|gpuagent|rocr\b|regression|nightly", "RT-REGRESSION"),
    ("said-fault", r"override_gfx", "OV-CROSS-MAJOR"),
    ("said-fault", r"firmware|\bmes\b|\[(gfx|mm)hub", "FW-VERSION"),
    ("said-fault", r"poison|ecc|uncorrectable", "HW-FAULT"),
    (
        "said-fault",
        r"page fault|illegal (memory|address)|memory (access )?(fault|violation)|out[- ]of[- ]bounds",
        "PROGRAM-FAULT",
    ),
    ("said-call-failed", r"ipc|p2p[ -]|\bpeer\b", "ENV-IPC"),
    ("said-call-failed", r"assertion [^\n]{1,300} failed", "RT-REGRESSION"),
    ("said-call-failed", r"triton|compil|hiprtc|\bjit\b|_rtc_|inductor|mlir", "JIT"),
    ("said-call-failed", r"miopen|rccl|migraphx", "RT-REGRESSION"),
    ("said-by-others", r"vulkan|amdvlk|\bradv\b|\bvk_", "NOT-ROCM"),
    ("said-by-others", r"\bcuda|cudnn|cublas|nvidia driver|libcud|cu(da)?[0-9]{2,3}\b", "PKG-CUDA-ONLY"),
];
