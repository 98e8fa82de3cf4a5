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
