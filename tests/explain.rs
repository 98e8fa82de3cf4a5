//! `explain`: messages in any wrapping, look-alikes, trees that decide, words. The wordings are made up.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use rocm_audit::diagnosis::causes;
use rocm_audit::messages::recognise::{read, recognise};
use rocm_audit::messages::table::{Class, MESSAGES, Weight};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A message, a text in which it decides, and a look-alike in which it is not there (or not claimed for ROCm).
const ROWS: &[(&str, &str, &str)] = &[
    (
        "rocblas-cannot-read",
        "rocBLAS error: Cannot read /srv/x/rocblas/library/TensileLibrary.dat: Bad address for GPU arch : gfx1012",
        "error: cannot read /srv/x/model.dat: Bad address",
    ),
    (
        "tensile-dat-absent",
        "why is there a missing TensileLibrary_lazy_gfx1012.dat in the zip",
        "TensileLibrary_lazy_gfx1012.dat was copied",
    ),
    (
        "rocblas-could-not-load",
        "rocBLAS error: Could not load D:\\sdk\\rocblas\\library\\TensileLibrary_lazy_gfx1012.dat",
        "could not load model.dat",
    ),
    (
        "tensile-host-no-devices",
        "rocBLAS error: Could not initialize Tensile host: No devices found",
        "no devices found on the bus",
    ),
    (
        "tensile-folder-absent",
        "filesystem error: directory iterator cannot open directory: No such file or directory [/srv/x/rocblas/library]",
        "filesystem error: directory iterator cannot open directory: No such file or directory [/srv/x/cache]",
    ),
    (
        "tensile-library-init",
        "rocBLAS error: Could not initialize Tensile library",
        "could not initialize library",
    ),
    (
        "tensile-kernel-not-found",
        "Tensile solution found, but the kernel is nowhere",
        "solution found, but slow",
    ),
    (
        "cannot-find-function",
        "Cannot find the function: Cijk_Ailk_Bljk_SB_MT8 for module: 0x1",
        "Cannot find the function main",
    ),
    (
        "placeholder-segv",
        "#4 Tensile::PlaceholderLibrary<X>::loadPlaceholderLibrary() const",
        "load the placeholder of a library",
    ),
    (
        "hipblaslt-module-absent",
        "hipModuleLoad failed: /srv/x/hipblaslt/library/extop_gfx950.co\nerror: file not found",
        "ModuleLoad of hipblaslt",
    ),
    (
        "hipmoduleload-failed",
        "hipModuleLoad failed: /srv/x/rocblas/library/Kernels.hsaco error: device kernel image is invalid",
        "ModuleLoad failed: x.ko",
    ),
    (
        "program-isa-mismatch",
        "Error: The program ISA amdgcn-amd-amdhsa--gfx908 is not compatible with the device ISA amdgcn-amd-amdhsa--gfx1012",
        "the program is not compatible with the device",
    ),
    (
        "hip-error-code-in-rocblas",
        "rocBLAS error from hip error code: 'hipErrorInvalidDeviceFunction':98",
        "rocBLAS error from hip error code: 'hipErrorInvalidValue':1",
    ),
    (
        "hipblas-status",
        "RuntimeError: HIPBLAS_STATUS_INTERNAL_ERROR when calling hipblasSgemm",
        "CUBLAS_STATUS_INTERNAL_ERROR",
    ),
    (
        "tensile-build",
        "AssertionError: Missing expected code object files: {'a.co'}",
        "missing expected files",
    ),
    (
        "asm-caps",
        "Tensile::FATAL: Cached asm caps differ from derived asm caps for (9, 0, 0)",
        "cached caps differ",
    ),
    (
        "rocblaslt-cannot-read",
        "rocblaslt error: Cannot read /srv/x/hipblaslt/library/TensileLibrary_lazy_gfx1012.dat: No such file",
        "hipblaslt loaded TensileLibrary_lazy_gfx942.dat",
    ),
    (
        "hipblaslt-unsupported",
        "UserWarning: Attempting to use hipBLASLt on an unsupported architecture!",
        "hipBLASLt on a supported architecture",
    ),
    (
        "no-compatible-code-objects",
        "No compatible code objects found for: gfx1012, value of X: 0",
        "no compatible objects found",
    ),
    (
        "cannot-find-co",
        "Cannot find CO in the bundle /srv/libmagma.so for ISA: amdgcn-amd-amdhsa--gfx1012",
        "cannot find a co-worker in the bundle",
    ),
    (
        "kpack-none",
        "Could not find device type specific kpack code objects for any available device from binary: /srv/libx.so",
        "kpack found",
    ),
    ("no-binary-for-gpu", "hipErrorNoBinaryForGpu: nothing for this one", "no binary for this package"),
    (
        "no-kernel-image",
        "HIP error: no kernel image is available for execution on the device",
        "CUDA error: no kernel image is available for execution on the device, NVIDIA GeForce RTX 5090",
    ),
    ("invalid-image", "hipErrorInvalidImage", "PIL: invalid image"),
    ("invalid-kernel-file", "hip error: invalid kernel file", "invalid kernel command line"),
    (
        "invalid-device-function",
        "HIP error: invalid device function",
        "Error invalid device function at line 5 in file /x/csrc/ops.cu",
    ),
    (
        "shared-object-init",
        "HIP error: shared object initialization failed",
        "CUDA error: shared object initialization failed",
    ),
    (
        "segv-add-dev-program",
        "in hip::FatBinaryInfo::AddDevProgram(int) () from libamdhip64.so",
        "in hip::Stream::Create()",
    ),
    (
        "hsa-invalid-isa",
        "Queue 0x1 aborting with error : HSA_STATUS_ERROR_INVALID_ISA: bad",
        "HSA_STATUS_SUCCESS",
    ),
    ("out-of-vgprs", "Queue error state in GPU agent: AMD gfx908\nQueue ID: 1 (Out of VGPRs;)", "VGPRs: 64"),
    (
        "hsa-illegal-instruction",
        "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: oh",
        "Illegal instruction (core dumped)",
    ),
    ("hsa-invalid-code-object", "HSA_STATUS_ERROR_INVALID_CODE_OBJECT", "invalid code page"),
    ("named-symbol", "hipModuleGetFunction(): 500", "error 500"),
    (
        "kfd-open",
        "Unable to open /dev/kfd read-write: Permission denied",
        "crw-rw---- 1 root render /dev/kfd",
    ),
    ("pci-atomics", "kfd: skipped device 1002:1, PCI rejects atomics", "std::atomics are fine"),
    ("no-device", "RuntimeError: No HIP GPUs are available", "No CUDA GPUs are available"),
    (
        "memory-access-fault-nil",
        "Memory access fault by GPU node-1 (Agent handle: 0x1) on address (nil). Reason: Unknown.",
        "Memory access fault by GPU node-1 on address 0x7f. Reason: Page not present or supervisor privilege.",
    ),
    (
        "memory-access-fault",
        "Memory access fault by GPU node-2 on address 0x7f. Reason: Page not present",
        "memory access of GPU 2",
    ),
    ("gpu-hang", "HW Exception by GPU node-1 reason :GPU Hang", "the GPU is idle"),
    ("files-limit", "Fatal error: Too many open files", "many open issues"),
    (
        "out-of-memory",
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2 GiB",
        "memory: 2 GiB free",
    ),
    (
        "tf-ignoring-gpu",
        "Ignoring visible gpu device (device: 0, name: X) with AMDGPU version : gfx1012. The supported AMDGPU versions are gfx900.",
        "visible gpu device 0",
    ),
    (
        "xla-no-device",
        "INTERNAL: no supported devices found for platform ROCM",
        "no supported devices found for platform CUDA",
    ),
    ("app-list", "No ROCm GPUs detected of supported targets: gfx1100", "GPUs detected of supported targets"),
    ("app-survey", "GPU survey was unsuccessful", "GPU survey was successful: 1 found"),
    ("torch-gpu-test", "RuntimeError: Torch is not able to use GPU", "Torch uses the GPU"),
    ("ollama-skips", "msg=\"amdgpu is too old\" gpu=0", "this version is too old"),
    (
        "ollama-folder-empty",
        "msg=\"amdgpu is not supported (supported types:[])\" gpu_type=gfx1012",
        "msg=\"supported types:[gfx900]\"",
    ),
    (
        "ollama-not-supported",
        "amdgpu [0] gfx1012 is not supported by /tmp/ollama1/rocm",
        "this feature is not supported by ollama",
    ),
    (
        "miopen-userdb",
        "what(): boost::filesystem::permissions: filesystem_error: No such file: \"/h/.config/miopen/gfx906_60.ufdb.txt\"",
        "/h/.config/miopen/gfx906_60.ufdb.txt written",
    ),
    (
        "miopen-kdb",
        "MIOpen(HIP): Warning [SQLiteBase] Missing system database file: gfx90a68.kdb",
        "system database file: fine",
    ),
    ("miopen-ck", "CK grouped conv library not found for device gfx1012", "CK grouped conv library loaded"),
    (
        "miopen-unreadable",
        "Warning [FindRecordUnsafe] File is unreadable: /opt/rocm/share/miopen/db/gfx1012_20.HIP.fdb.txt",
        "File is unreadable: /etc/passwd",
    ),
    (
        "miopen-compile",
        "MIOpen Error: hipoc_program.cpp:286: Code object build failed. Source: X.cl",
        "build failed",
    ),
    (
        "miopen-timing",
        "Invalid elapsed time detected in EvaluateInvokers, failed condition: elapsed <= 0",
        "elapsed time: 0",
    ),
    ("miopen-unknown", "RuntimeError: miopenStatusUnknownError", "miopenStatusSuccess"),
    ("hiprtc-missing", "hiprtcCreateProgram is missing from HIPRTC shared library", "hiprtc is here"),
    ("rocfft-compile", "rocFFT: kernel fft_fwd_len7 failed to compile", "FFT compiled"),
    ("triton-target", "error: unsupported target: 'gfx1012'", "unsupported target: wasm32"),
    ("invalid-target-id", "clang: error: invalid target ID 'gfx1012'; format is", "invalid target"),
    (
        "headers",
        "fatal error: hip/hip_runtime.h: No such file or directory",
        "fatal error: stdio.h: No such file or directory",
    ),
    (
        "configured-binary",
        "RuntimeError: Configured ROCm binary not found at /x/libbitsandbytes_rocm70.so",
        "binary not found",
    ),
    (
        "undefined-symbol",
        "libx.so: undefined symbol: rocblas_sgemm_64",
        "mod.so: undefined symbol: PyInit_mod",
    ),
    (
        "needed-missing",
        "ImportError: libamdhip64.so.6: cannot open shared object file: No such file or directory",
        "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
    ),
    (
        "aotriton",
        "UserWarning: 1Torch was not compiled with flash attention.",
        "UserWarning: flash attention is on",
    ),
    (
        "blender-kernel",
        "HIP binary kernel for this graphics card compute capability (10.3) not found.",
        "CUDA binary kernel for this graphics card compute capability (7.5) not found.",
    ),
    (
        "openmp-image",
        "TARGET AMDGPU RTL --> Incompatible: Processor mismatch [Image: gfx90a] : [Env: gfx1012]",
        "Libomptarget --> Image 0x1 is NOT compatible with RTL libomptarget.rtl.cuda.so!",
    ),
    ("cuda-wheel", "AssertionError: Torch not compiled with CUDA enabled", "CUDA enabled: yes"),
    ("cuda-failed", "RuntimeError: CUDA failed", "all failed"),
    ("nvidia-device", "NVRM: GPU 0000:01:00 has fallen off the bus", "an NVIDIA GPU was found"),
    ("vulkan", "what():  vk::Queue::submit: ErrorDeviceLost", "vk::Queue::submit: ok"),
    ("vulkan-radv", "radv/amdgpu: The CS has been cancelled", "radv is in use"),
    (
        "other-gpu",
        "ggml_metal_graph_compute: error: Caused GPU Hang Error (00000003:kIOGPUCommandBufferCallbackErrorHang)",
        "amdgpu 0000:03:00.0: GPU Hang",
    ),
    ("segv", "Segmentation fault (core dumped)", "segmentation of memory"),
    (
        "harmless-ids",
        "/opt/amdgpu/share/libdrm/amdgpu.ids: No such file or directory",
        "/opt/amdgpu/share/libdrm/amdgpu.ids read",
    ),
];

#[test]
fn every_message_has_a_row_and_is_recognised() {
    let rows: BTreeSet<&str> = ROWS.iter().map(|(id, ..)| *id).collect();
    let all: BTreeSet<&str> = MESSAGES.iter().map(|message| message.id).collect();
    assert_eq!(rows, all);
    assert_eq!((rows.len(), all.len()), (ROWS.len(), MESSAGES.len()), "an id is there twice");
    for (id, text, look_alike) in ROWS {
        let found = recognise(text.as_bytes());
        let first = found.first().unwrap_or_else(|| panic!("{id}: {text:?} is not recognised"));
        assert_eq!(first.message.id, *id, "{text:?}");
        assert_eq!(first.class, first.message.class, "{text:?}");
        if text.contains("gfx1012") {
            assert_eq!(found.target().unwrap().processor, "gfx1012", "{text:?}");
        }
        let other = recognise(look_alike.as_bytes());
        let claimed = other.hits.iter().any(|hit| hit.message.id == *id && hit.class == hit.message.class);
        assert!(!claimed, "{id} is claimed for {look_alike:?}");
    }
}

#[test]
fn every_cause_of_a_message_is_known() {
    for message in MESSAGES {
        for id in message.causes {
            assert!(causes::of_id(id).is_some(), "{}: no cause {id}", message.id);
        }
        assert!(message.meaning.ends_with('.') && message.bytes.ends_with('.'), "{}", message.id);
    }
}

/// One text in a wrapping.
type Wrapping = fn(&str) -> Vec<u8>;

#[test]
fn wrapping_does_not_matter() {
    let wrappings: &[(&str, Wrapping)] = &[
        ("colour", |t| format!("\u{1b}[31m{}\u{1b}[0m", t.replace(' ', " \u{1b}[1m")).into_bytes()),
        ("prefix", |t| format!("Jul 28 15:11:48 host prog[37]: {t}\n").into_bytes()),
        ("wrapped at 20 columns", |t| {
            t.as_bytes().chunks(20).map(|part| [part, b"\n"].concat()).collect::<Vec<_>>().concat()
        }),
        ("wrapped with prefixes", |t| {
            let lines = t.as_bytes().chunks(33);
            lines.map(|part| [b"prog-1  | ", part, b"\r\n"].concat()).collect::<Vec<_>>().concat()
        }),
        ("UTF-16", |t| {
            let units = t.encode_utf16().flat_map(u16::to_le_bytes);
            [0xff, 0xfe].into_iter().chain(units).collect()
        }),
        ("JSON", |t| serde_json::to_vec(&format!("first\n{t}\nlast")).unwrap()),
        ("traceback", |t| {
            format!(
                "Traceback (most recent call last):\n  File \"/x.py\", line 3, in <module>\n    run()\n{t}\n"
            )
            .into_bytes()
        }),
        ("no UTF-8", |t| [b"\xe9t\xe9 ".as_slice(), t.as_bytes(), b"\xff\xff"].concat()),
        ("quoted", |t| format!("&gt; {}", t.replace(' ', "&nbsp;")).into_bytes()),
        ("shouting", |t| t.to_ascii_uppercase().into_bytes()),
    ];
    for (id, text, _) in ROWS {
        // The word of the list decides, and a wrapping can cut what stands between.
        for (how, wrap) in wrappings {
            let wrapped = wrap(text);
            let found = recognise(&wrapped);
            let first = found.first().map(|hit| hit.message.id);
            assert_eq!(first, Some(*id), "{how}: {}", String::from_utf8_lossy(&wrapped));
            let plain = recognise(text.as_bytes()).target().map(|target| target.processor);
            assert_eq!(found.target().map(|target| target.processor), plain, "{how}: {text}");
        }
    }
}

#[test]
fn the_decisive_message_comes_first_and_knows_its_line() {
    let log = "loading\n\
        /opt/amdgpu/share/libdrm/amdgpu.ids: No such file or directory\n\
        MIOpen(HIP): Warning [SQLiteBase] Missing system database file: gfx1030_40.kdb Performance may degrade.\n\
        rocblaslt error: Cannot read /x/hipblaslt/library/TensileLibrary_lazy_gfx1030.dat: No such file\n\
        \n\
        RuntimeError: HIP error: invalid device function\n\
        Segmentation fault\n";
    let found = recognise(log.as_bytes());
    let ids: Vec<&str> = found.hits.iter().map(|hit| hit.message.id).collect();
    assert_eq!(
        ids,
        ["invalid-device-function", "segv", "harmless-ids", "miopen-kdb", "rocblaslt-cannot-read"],
        "the crash stands below harmless lines"
    );
    assert_eq!((found.hits[0].line, found.hits[2].line, found.lines), (6, 2, 7));
    assert_eq!(found.target().unwrap().processor, "gfx1030");
    assert!(found.hits.windows(2).all(|pair| pair[0].message.weight <= pair[1].message.weight));
    assert_eq!(found.hits.last().unwrap().message.weight, Weight::Harmless);
}

#[test]
fn words_that_cuda_prints_too_need_a_sign() {
    let image = "no kernel image is available for execution on the device";
    for (text, class) in [
        (format!("HIP error: {image}"), Class::File),
        (format!("RuntimeError: CUDA error: {image}"), Class::Ambiguous),
        (format!("found 1 ROCm devices\nCUDA error: {image}"), Class::File),
        (format!("Device 0: NVIDIA GeForce RTX 3060\nCUDA error: {image}"), Class::NotRocm),
        (format!("CUDA error: {image}\nSearch for `cudaErrorNoKernelImageForDevice' in"), Class::NotRocm),
        (format!("{image} {}gfx906", "x ".repeat(600)), Class::File),
        ("nothing of that kind".to_owned(), Class::Unknown),
    ] {
        assert_eq!(recognise(text.as_bytes()).class(), class, "{text}");
    }
}

#[test]
fn a_folder_that_is_absent_or_empty_is_the_first_cause() {
    let message = "rocBLAS error: Cannot read /x/rocblas/library/TensileLibrary.dat: No such file for GPU arch : gfx900\n\
                   List of available TensileLibrary Files : \n";
    let first = |text: String| recognise(text.as_bytes()).first().unwrap().causes[0];
    let packaged = message.replace("/x/", "/opt/rocm-6.4.0/lib/");
    assert_eq!(first(packaged), "RB-ARCH-MISSING", "a paste that ends there says nothing");
    assert_eq!(first(message.to_owned()), "RB-EMPTY", "a program's own folder can be empty");
    assert_eq!(first(format!("{message}./run.sh: line 3: 12 Aborted (core dumped)")), "RB-EMPTY");
    assert_eq!(
        first(format!("{message}\"/x/rocblas/library/TensileLibrary_lazy_gfx906.dat\"\nAborted")),
        "RB-ARCH-MISSING"
    );
    let absent =
        "filesystem error: directory iterator cannot open directory: No such file [/x/rocblas/library]";
    assert_eq!(first(format!("{message}{absent}")), "RB-PATH-WRONG");
}

/// A log of some megabytes: a message far inside, and one across each place where windows meet.
#[test]
fn a_long_log_is_read_to_its_end() {
    let mut log = Vec::new();
    let filler = b"step 17 of 1000: loss 0.25, all is well and nothing is to be said about it\n";
    while log.len() < 3 << 20 {
        log.extend_from_slice(filler);
    }
    let lines = log.iter().filter(|byte| **byte == b'\n').count() as u64;
    log.extend_from_slice(b"No compatible code objects found for: gfx1012, value\n");
    let found = read(&log[..]).unwrap();
    assert_eq!(found.first().unwrap().line, lines + 1);
    assert_eq!(found.hits[0].quote, "No compatible code objects found for: gfx1012, value");
    // At every place of a window's end.
    for shift in (0..4200).step_by(97) {
        let mut text = vec![b'a'; (1 << 16) - 100 + shift];
        text.extend_from_slice(b"\nNo compatible code objects found for: gfx1012\n");
        text.extend(vec![b'b'; 9000]);
        let found = recognise(&text);
        assert_eq!(found.hits.len(), 1, "{shift}");
        assert_eq!((found.hits[0].line, found.hits[0].count), (2, 1), "{shift}");
        assert_eq!(found.target().unwrap().processor, "gfx1012", "{shift}");
    }
}

fn run(words: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rocm-audit"))
        .args(words)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .env("COLUMNS", "80")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A call that does not read its input ends before it is written.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn json(words: &[&str], input: &[u8]) -> Value {
    let output = run(&[&["explain", "-f", "json"], words].concat(), input);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_answer_fits_fifteen_lines_of_a_terminal() {
    for (id, text, _) in ROWS {
        let output = run(&["explain", "--error", text], b"");
        let shown = String::from_utf8(output.stdout).unwrap();
        let answer: Vec<&str> = shown.lines().take_while(|line| !line.is_empty()).collect();
        assert!(answer.len() <= 15, "{id}: {} lines\n{shown}", answer.len());
        let long =
            shown.lines().find(|line| line.chars().count() > 80 && line.split_whitespace().count() > 1);
        assert_eq!(long, None, "{id}");
        assert!(answer[0].starts_with(id), "{shown}");
        assert!(answer.iter().any(|line| line.starts_with("  do")), "{shown}");
    }
}

#[test]
fn a_tree_decides() {
    let missing = "rocBLAS error: Cannot read /x/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1012";
    let answer = json(&["--error", missing, "fixtures/tensile"], b"");
    assert_eq!(answer["tree"]["verdict"], "confirmed");
    assert_eq!(answer["rules"][0], "RB-ARCH-MISSING");
    assert_eq!(answer["target"], "gfx1012");
    assert_eq!(answer["library"], "rocBLAS");
    assert_eq!(answer["path"], "/x/rocblas/library/TensileLibrary.dat");
    // The folder has TensileLibrary_lazy_gfx900.dat.
    let there = missing.replace("gfx1012", "gfx900");
    let answer = json(&["--error", &there, "fixtures/tensile"], b"");
    assert_eq!(answer["tree"]["verdict"], "not-the-files");
    let rules: Vec<&str> =
        answer["rules"].as_array().unwrap().iter().map(|rule| rule.as_str().unwrap()).collect();
    assert!(rules[0] == "RB-PATH-WRONG" && !rules.contains(&"RB-ARCH-MISSING"), "{rules:?}");
    let path = answer["tree"]["serving"][0]["path"].as_str().unwrap();
    assert!(path.ends_with("TensileLibrary_lazy_gfx900.dat"), "{path}");
    // One library, with code for gfx900 and not for gfx1201.
    let library = "fixtures/ggml/plain/libggml-hip.so";
    for (arch, verdict) in [("gfx900", "not-the-files"), ("gfx1201", "confirmed")] {
        let answer = json(&["--arch", arch, "--error", "HIP error: invalid device function", library], b"");
        assert_eq!(answer["tree"]["verdict"], verdict, "{arch}: {answer}");
        assert_eq!(answer["target"], arch);
    }
    let answer = json(&["--error", "HIP error: invalid device function", library], b"");
    assert_eq!(answer["tree"]["verdict"], "not-decided", "no target is known");
    let answer = json(
        &["--error", "Unable to open /dev/kfd read-write: Permission denied", "--arch", "gfx900", library],
        b"",
    );
    assert_eq!(
        (&answer["tree"]["verdict"], &answer["class"]),
        (&"not-the-files".into(), &"environment".into())
    );
    let answer = json(&["--error", "Torch not compiled with CUDA enabled", "docs"], b"");
    assert_eq!(answer["tree"]["verdict"], "confirmed", "a tree without any device code");
}

/// A file of which the end is missing may have in that part what is looked for.
#[test]
fn what_could_not_be_read_whole_decides_nothing() {
    let whole = std::fs::read("fixtures/ggml/plain/libggml-hip.so").unwrap();
    let cut = &whole[..whole.len() * 6 / 10];
    let error = "HIP error: invalid device function";
    let ask = |tree: &Path, error: &str, arch: &str| {
        let output =
            run(&["explain", "--arch", arch, "--error", error, "-f", "json", tree.to_str().unwrap()], b"");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        (answer, output.status.code())
    };
    // Alone, under its own name: its bundles lie behind what is left.
    let tree = tempfile::tempdir().unwrap();
    std::fs::write(tree.path().join("libggml-hip.so"), cut).unwrap();
    // gfx900 is in the whole file, gfx1201 is not: what is left shows neither.
    for arch in ["gfx900", "gfx1201"] {
        let (answer, status) = ask(tree.path(), error, arch);
        assert_eq!(answer["tree"]["verdict"], "not-decided", "{arch}: {answer}");
        let because = answer["tree"]["because"].as_str().unwrap();
        assert!(because.contains("libggml-hip.so could not be read whole"), "{because}");
        assert_eq!((&answer["complete"], status), (&false.into(), Some(1)), "{arch}");
        assert_eq!(answer["findings"][0]["locations"][0]["path"], "libggml-hip.so");
    }
    // Beside a whole one that serves the target the cut one still may not.
    std::fs::create_dir(tree.path().join("other")).unwrap();
    std::fs::write(tree.path().join("other/libggml-hip.so"), &whole).unwrap();
    let (answer, status) = ask(tree.path(), error, "gfx900");
    assert_eq!((answer["tree"]["verdict"].as_str(), status), (Some("not-decided"), Some(1)), "{answer}");
    // A permission has nothing to do with them.
    let kfd = "Unable to open /dev/kfd read-write: Permission denied";
    let (answer, status) = ask(tree.path(), kfd, "gfx900");
    assert_eq!((answer["class"].as_str(), status), (Some("environment"), Some(1)), "{answer}");
    // A tree whose only file is cut is not one without device code.
    let tree = tempfile::tempdir().unwrap();
    let object = std::fs::read("fixtures/rocm/lib/codeobject/v4_gfx906.hsaco").unwrap();
    std::fs::write(tree.path().join("x.hsaco"), &object[..object.len() / 3]).unwrap();
    for error in [error, "Torch not compiled with CUDA enabled"] {
        let (answer, status) = ask(tree.path(), error, "gfx906");
        assert_eq!((answer["tree"]["verdict"].as_str(), status), (Some("not-decided"), Some(1)), "{answer}");
        assert!(answer["tree"]["because"].as_str().unwrap().contains("x.hsaco could not be read whole"));
    }
    // A whole tree is complete, and ends with 0.
    let (answer, status) = ask(Path::new("fixtures/ggml/plain"), error, "gfx900");
    assert_eq!((&answer["complete"], status), (&true.into(), Some(0)));
    assert_eq!(answer["tree"]["verdict"], "not-the-files");
}

/// A program opens the file of its GPU. Each compressed file is a place of its own.
#[test]
fn files_of_other_targets_lack_nothing() {
    let tree = tempfile::tempdir().unwrap();
    for arch in ["gfx906", "gfx1030"] {
        let version = if arch == "gfx906" { "v4" } else { "v5" };
        let object = std::fs::read(format!("fixtures/rocm/lib/codeobject/{version}_{arch}.hsaco")).unwrap();
        let path = tree.path().join(format!("kernel_{arch}.fatbin.zst"));
        std::fs::write(path, zstd::encode_all(&object[..], 1).unwrap()).unwrap();
    }
    let root = tree.path().to_str().unwrap();
    let ask = |arch: &str| json(&["--arch", arch, "--error", "hipErrorNoBinaryForGpu", root], b"");
    let answer = ask("gfx906");
    assert_eq!(answer["tree"]["verdict"], "not-the-files", "{answer}");
    let path = answer["tree"]["serving"][0]["path"].as_str().unwrap();
    assert!(path.contains("kernel_gfx906"), "{path}");
    let answer = ask("gfx1201");
    assert_eq!(answer["tree"]["verdict"], "confirmed", "{answer}");
    let lacking = answer["tree"]["lacking"].as_array().unwrap();
    let paths: BTreeSet<&str> = lacking.iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(paths.len(), lacking.len(), "each file by its own name: {answer}");
}

#[test]
fn a_tree_says_what_to_do_for_the_gpu_that_is_refused() {
    let library = "fixtures/ggml/plain/libggml-hip.so";
    let error = "HIP error: invalid device function";
    let advice = |gpus: &str, tree: &str, error: &str| {
        let answer = json(&["--arch", gpus, "--error", error, tree], b"");
        let refused = gpus.split(',').next_back().unwrap();
        assert_eq!(answer["target"], refused);
        (answer["rules"][0].as_str().unwrap().to_owned(), answer["advice"].as_str().unwrap().to_owned())
    };
    // gfx90c decodes all of gfx900, whose code is here.
    let (cause, alone) = advice("gfx90c", library, error);
    assert_eq!(cause, "FB-ARCH-MISSING");
    assert!(alone.contains("HSA_OVERRIDE_GFX_VERSION=9.0.0") && alone.contains("hide it"), "{alone}");
    // Beside a card that is served it is hidden, and not overridden: an override changes every GPU.
    let (cause, beside) = advice("gfx900,gfx90c", library, error);
    assert_eq!(cause, "SYS-MULTI-ARCH");
    assert!(beside.contains("Hide gfx90c") && beside.contains("HIP_VISIBLE_DEVICES"), "{beside}");
    assert!(!beside.contains("OVERRIDE"), "{beside}");
    // A card is no APU, and nothing of its generation is here.
    let (_, card) = advice("gfx1201", library, error);
    assert!(!card.contains("OVERRIDE") && !card.contains("hide"), "{card}");
    // What serves it is not refused.
    let (_, served) = advice("gfx900", library, error);
    assert!(!served.contains("OVERRIDE"), "{served}");
}

#[test]
fn no_other_library_is_named_in_place_of_the_one_of_the_message() {
    let error =
        "Cannot find CO in the bundle /opt/rocm/lib/librocsparse.so.1 for ISA: amdgcn-amd-amdhsa--gfx1201";
    let answer = json(&["--error", error, "fixtures/ggml/plain/libggml-hip.so"], b"");
    assert_eq!(answer["tree"]["verdict"], "not-decided", "{answer}");
    assert_eq!(answer["tree"]["lacking"].as_array().unwrap().len(), 0);
    // ggml's own line is about ggml: code of another library in the same tree, for gfx906 only, does not matter.
    let tree = tempfile::tempdir().unwrap();
    std::fs::copy("fixtures/ggml/plain/libggml-hip.so", tree.path().join("libggml-hip.so")).unwrap();
    let other = "fixtures/rocm/lib/codeobject/v4_gfx906.hsaco";
    std::fs::create_dir_all(tree.path().join("rocsparse")).unwrap();
    std::fs::copy(other, tree.path().join("rocsparse/x.hsaco")).unwrap();
    let root = tree.path().to_str().unwrap();
    let verdict =
        |error: &str| json(&["--arch", "gfx900", "--error", error, root], b"")["tree"]["verdict"].clone();
    assert_eq!(verdict("ROCm error: invalid device function"), "not-the-files");
    assert_eq!(verdict("RuntimeError: HIP error: invalid device function"), "confirmed");
    // A library folder is named by its path: its files are of other targets.
    let error = "rocBLAS error: Cannot read /x/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1012";
    let answer = json(&["--error", error, "fixtures/tensile"], b"");
    let path = answer["tree"]["lacking"][0]["path"].as_str().unwrap();
    assert!(path.ends_with("library") && !path.contains("gfx"), "{path}");
}

#[test]
fn standard_input_and_unknown_text() {
    let answer = json(&["--error", "-"], b"x\nhipErrorNoBinaryForGpu\n");
    assert_eq!((&answer["class"], &answer["messages"][0]["line"]), (&"file".into(), &2.into()));
    let answer = json(&["--error", "-"], b"");
    assert_eq!(answer["class"], "unknown");
    assert_eq!(answer["rules"].as_array().unwrap().len(), 0);
    let answer = json(&["--log", "fixtures/explain/ollama.log"], b"");
    assert_eq!(answer["message"], "rocblas-cannot-read");
    assert_eq!(answer["path"], "/usr/lib/ollama/rocblas/library/TensileLibrary.dat", "its line is broken");
    assert_eq!((&answer["target"], &answer["messages"][0]["line"]), (&"gfx1103".into(), &3.into()));
    assert_eq!(answer["messages"][0]["count"], 1);
    assert_eq!(json(&["--error", "--- a text that begins so"], b"")["class"], "unknown");
}

#[test]
fn words_are_explained_and_near_ones_suggested() {
    let text = |word: &str| String::from_utf8(run(&["explain", word], b"").stdout).unwrap();
    assert!(text("kernel-absent").contains("no kernel of this name"));
    assert!(text("fb-arch-missing").contains("no-binary-for-gpu"));
    // A fact about files that no message has as its cause leads to its rule.
    assert!(text("LT-TRANSFORM-TARGETS").contains("transform-missing"));
    assert!(text("vgpr-budget").contains("registers-beyond-work-group"), "the rules that show a cause");
    assert!(text("fb-ccob-collision").contains("magic-in-compressed-bytes"));
    assert!(text("GFX1032").contains("gfx10-3-generic"));
    assert!(text("no-device").contains("DEV-NONE"));
    let solver = text("ConvAsm1x1U");
    assert!(solver.contains("no padding") && solver.contains("conv_asm_1x1u.cpp:521-622"), "{solver}");
    for (words, expected) in [
        (&["explain", "gfx103"][..], "is gfx1030, gfx1031"),
        (&["explain", "kernel-absnt"], "is kernel-absent meant?"),
        (&["explain", "ConvAsm1x1"], "is ConvAsm1x1U or ConvAsm1x1UV2 meant?"),
        (&["explain", "docs"], "a path is read without a word before it"),
        (&["explain", "HIP", "error"], "in quotes"),
        (&["explain"], "name a rule"),
        (&["explain", "--error", ""], "is empty"),
        (&["explain", "--error", "README.md"], "is a file"),
        (&["explain", "--error", "x", "nowhere"], "nowhere: no such file or directory"),
        (&["explain", "gfx900", "--arch", "gfx906"], "--arch has no meaning"),
        (&["explain", "-f", "jsonl", "gfx900"], "use -f json"),
        (&["explain", "gfx900", "--fail-on", "error"], "finds nothing"),
    ] {
        let output = run(words, b"");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(expected), "{words:?}: {said}");
    }
}
