//! Logs generated from facts: the components' formats with other targets, versions, paths, prefixes, wraps,
//! orders and noise.
//!
//! The wording does not vary. A generator states what happened on which GPU and writes it as the component
//! prints it; the expectation follows from the statement. The seed is fixed, so every run uses the same
//! texts.

use super::rows::ROWS;
use rocm_audit::messages::recognise::recognise;

/// Number of texts from each generator.
const EACH: u64 = 14;
const SEED: u64 = 36;

/// A generator of numbers: a multiplication and a shift (PCG).
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    pub(super) fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.next(all.len())]
    }

    pub(super) fn target(&mut self) -> &'static str {
        self.of(&[
            "gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx90c", "gfx942", "gfx1010", "gfx1012",
            "gfx1031", "gfx1032", "gfx1034", "gfx1036", "gfx1101", "gfx1102", "gfx1103", "gfx1150",
            "gfx1151", "gfx1152", "gfx1201",
        ])
    }

    /// Other targets than this one.
    pub(super) fn others(&mut self, target: &str) -> Vec<&'static str> {
        let mut others: Vec<&str> = (0..3).map(|_| self.target()).filter(|other| *other != target).collect();
        others.push(if target == "gfx1030" { "gfx1100" } else { "gfx1030" });
        others.sort_unstable();
        others.dedup();
        others
    }

    pub(super) fn root(&mut self) -> &'static str {
        self.of(&[
            "/opt/rocm-6.4.1/lib",
            "/usr/lib/x86_64-linux-gnu",
            "/home/USER/venv/lib/python3.12/site-packages/torch/lib",
            "/opt/conda/envs/x/lib/python3.10/site-packages/_rocm_sdk_libraries/lib",
            "/nix/store/abc123-rocblas-6.3.3/lib",
            "C:\\Users\\USER\\AppData\\Local\\Programs\\lib",
        ])
    }
}

/// What a text is, and what it must be answered with.
pub(super) struct Made {
    text: String,
    class: &'static str,
    target: Option<String>,
    /// One of these causes must come first; empty where no text can tell.
    first: &'static [&'static str],
}

pub(super) fn made(
    text: String,
    class: &'static str,
    target: Option<&str>,
    first: &'static [&'static str],
) -> Made {
    Made { text, class, target: target.map(str::to_owned), first }
}

pub(super) type Maker = fn(&mut Dice) -> Made;

const MAKERS: [(&str, Maker); 19] = [
    ("hip block", |dice| {
        let target = dice.target();
        let bundled: String = dice
            .others(target)
            .iter()
            .map(|o| {
                format!(
                    "    hipv4-amdgcn-amd-amdhsa--{o} - [code object targetID is amdgcn-amd-amdhsa--{o}]\n"
                )
            })
            .collect();
        let text = format!(
            "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!\n  Devices:\n    \
             amdgcn-amd-amdhsa--{target} - [Not Found]\n  Bundled Code Objects:\n    host-x86_64-unknown-linux - \
             [Unsupported]\n{bundled}"
        );
        made(text, "file", Some(target), &["FB-ARCH-MISSING"])
    }),
    ("rocblas", |dice| {
        let (target, root) = (dice.target(), dice.root());
        let files: String = dice
            .others(target)
            .iter()
            .map(|o| format!("\"{root}/rocblas/library/TensileLibrary_lazy_{o}.dat\"\n"))
            .collect();
        let errno = dice.of(&["Illegal seek", "No such file or directory", "Success", "Invalid argument"]);
        let text = format!(
            "rocBLAS error: Cannot read {root}/rocblas/library/TensileLibrary.dat: {errno} for GPU arch : {target}\n List of \
             available TensileLibrary Files : \n{files}Aborted (core dumped)"
        );
        made(text, "file", Some(target), &["RB-ARCH-MISSING"])
    }),
    ("hip number", |dice| {
        let form = dice.of(&["hipError_t(98)", "HIP error 98", "HIP error code: 98", "ROCm error: 98"]);
        made(format!("{form} at kernels.hip:{}", 10 + dice.next(900)), "file", None, &["FB-ARCH-MISSING"])
    }),
    ("ggml device", |dice| {
        let (first, second) = (dice.target(), dice.of(&["gfx1030", "gfx1100"]));
        let current = dice.next(2);
        let text = format!(
            "ggml_cuda_init: found 2 ROCm devices:\n  Device 0: AMD Radeon Graphics, {first} (0x1036), VMM: no, Wave Size: \
             32\n  Device 1: AMD Radeon RX, {second} (0x1030), VMM: no, Wave Size: 32\nROCm error: invalid device function\n  \
             current device: {current}, in function ggml_cuda_compute_forward at ggml-cuda.cu:{}",
            1000 + dice.next(2000)
        );
        let target = if current == 0 { first } else { second };
        made(text, "file", Some(target), &["FB-ARCH-MISSING", "SYS-MULTI-ARCH"])
    }),
    ("list of a program", |dice| {
        let target = dice.target();
        let list = dice.others(target).join(", ");
        let text = match dice.next(4) {
            0 => format!(
                "Ignoring visible gpu device (device: 0, name: AMD Radeon, pci bus id: 0000:03:00.0) with AMDGPU version : {target}. The supported AMDGPU versions are {list}."
            ),
            1 => format!(
                "StreamExecutor ROCM device (0) is of unsupported AMDGPU version '{target}' . The supported AMDGPU versions are '{list}'"
            ),
            2 => {
                format!("KeyError: \"Unknown GPU architecture: {target}. Supported architectures: [{list}]\"")
            }
            _ => {
                format!("RuntimeError: {target} is not supported by this extension, supported archs: {list}")
            }
        };
        made(text, "application", Some(target), &["APP-ARCH-LIST"])
    }),
    ("ollama", |dice| {
        let target = dice.target();
        let list = dice.others(target).join(" ");
        let text = format!(
            "time=2025-03-02T10:00:0{}.000+01:00 level=WARN source=amd_linux.go:378 msg=\"amdgpu is not supported (supported \
             types:[{list}])\" gpu_type={target} gpu=0 library=/usr/lib/ollama/rocm",
            dice.next(10)
        );
        made(text, "file", Some(target), &["RB-ARCH-MISSING"])
    }),
    ("override of another generation", |dice| {
        let (card, value) =
            [("gfx900", "10.3.0"), ("gfx1036", "11.0.0"), ("gfx803", "9.0.6"), ("gfx1201", "11.0.0")]
                [dice.next(4)];
        let text = format!(
            "export HSA_OVERRIDE_GFX_VERSION={value}\n  Name:                    {card}\n  Uuid: GPU-XX\nMemory access fault by GPU node-{} \
             (Agent handle: 0x5{}) on address 0x7f0{}. Reason: Page not present or supervisor privilege.",
            1 + dice.next(4),
            dice.next(9),
            dice.next(9)
        );
        made(text, "environment", Some(card), &["OV-CROSS-MAJOR"])
    }),
    ("override within the generation", |dice| {
        let (card, value, class, first): (&str, &str, &str, &[&str]) = [
            ("gfx1031", "10.3.0", "environment", &["FW-VERSION"][..]),
            ("gfx1103", "11.0.0", "environment", &["FW-VERSION"][..]),
            ("gfx90c", "9.0.0", "environment", &["FW-VERSION"][..]),
            // RDNA 3.5 and RDNA 1 are not what code for RDNA 3 and RDNA 2 was made for.
            ("gfx1151", "11.0.0", "environment", &["OV-UNSAFE"][..]),
            ("gfx1010", "10.3.0", "environment", &["OV-UNSAFE"][..]),
        ][dice.next(5)];
        let text = format!(
            "HSA_OVERRIDE_GFX_VERSION={value}\nmsg=\"inference compute\" library=rocm compute={card}\nMemory access fault by GPU node-1 on \
             address 0x7f{}000. Reason: Page not present or supervisor privilege.",
            dice.next(9)
        );
        made(text, class, Some(card), first)
    }),
    ("variable that is not set", |dice| {
        let text = format!(
            "msg=\"server config\" env=\"map[HIP_VISIBLE_DEVICES: HSA_OVERRIDE_GFX_VERSION: OLLAMA_DEBUG:false]\"\nMemory access fault by \
             GPU node-{} on address 0x7f00. Reason: Page not present",
            1 + dice.next(8)
        );
        made(text, "environment", None, &["FW-VERSION"])
    }),
    ("hsa number", |dice| {
        let (code, class, first): (&str, &str, &[&str]) = [
            ("0x100f", "file", &["ISA-ILLEGAL", "VGPR-BUDGET"][..]),
            ("0x2a", "file", &["ISA-ILLEGAL", "STUB-REACHED"][..]),
            ("0x2b", "environment", &["FW-VERSION"][..]),
            ("0x1016", "runtime", &["PROGRAM-FAULT"][..]),
            ("0x1010", "file", &["CO-ABI-TOO-NEW"][..]),
        ][dice.next(5)];
        let text = format!(
            ":0:rocdevice.cpp            :{}: {}us: Device::callbackQueue aborting with error code: {code}",
            2000 + dice.next(1500),
            dice.next(1_000_000)
        );
        made(text, class, None, first)
    }),
    ("library of the loader", |dice| {
        let library = dice.of(&[
            "libamdhip64.so.7",
            "libhsa-runtime64.so.1",
            "librocblas.so.4",
            "libMIOpen.so.1",
            "libhipsparselt.so.0",
            "libroctx64.so.4",
        ]);
        let text = match dice.next(3) {
            0 => format!("ImportError: {library}: cannot open shared object file: No such file or directory"),
            1 => format!("\t{library} => not found"),
            _ => format!(
                "error while loading shared libraries: {library}: cannot open shared object file: No such file or directory"
            ),
        };
        made(text, "file", None, &["ELF-NEEDED-MISSING"])
    }),
    ("blender", |dice| {
        let target = dice.target();
        made(
            format!("Failed to load HIP kernel from '{}/kernel_{target}.fatbin.zst'", dice.root()),
            "file",
            Some(target),
            &["BL-ARCH-MISSING"],
        )
    }),
    ("firmware", |dice| {
        let file = dice.of(&["gc_11_5_1_mes_2", "navi33_sdma", "psp_13_0_6_ta", "gc_12_0_1_pfp"]);
        let text = format!(
            "[    {}.353884] amdgpu 0000:{:02x}:00.0: Direct firmware load for amdgpu/{file}.bin failed with error -2",
            dice.next(9),
            dice.next(200)
        );
        made(text, "environment", None, &["FW-VERSION"])
    }),
    ("device libraries", |dice| {
        let file = dice.of(&["opencl.bc", "ocml.bc", "oclc_isa_version_1151.bc", "ockl.bc"]);
        made(
            format!(
                "E external/xla/gpu_backend_lib.cc:243] bitcode module is required by this HLO module but was not found at ./{file}"
            ),
            "runtime",
            None,
            &["DEVICE-LIBS-MISSING"],
        )
    }),
    ("miopen database", |dice| {
        let target = dice.target();
        let text = format!(
            "MIOpen(HIP): Warning [SQLiteBase] Missing system database file: {target}_{}.kdb Performance may degrade.",
            8 + dice.next(90)
        );
        made(text, "harmless", Some(target), &["MI-KDB-MISSING"])
    }),
    ("kfd", |dice| {
        let text = dice.of(&[
            "Unable to open /dev/kfd read-write: Permission denied",
            "open /dev/kfd: permission denied",
            "/dev/kfd is missing in this container",
        ]);
        made(text.to_owned(), "environment", None, &["DEV-KFD"])
    }),
    ("build", |dice| {
        let target = dice.target();
        let text = match dice.next(2) {
            0 => format!("clang++: error: invalid target ID '{target}'; format is a processor name"),
            _ => format!("hipcc: error: unsupported HIP gpu architecture: {target}"),
        };
        made(text, "build", Some(target), &["TC-UNKNOWN-TARGET"])
    }),
    ("triton", |dice| {
        let target = dice.target();
        made(
            format!(
                "loc(\"{}/triton_flash_attention.py\":309:0): error: unsupported target: '{target}'",
                dice.root()
            ),
            "runtime",
            Some(target),
            &["TR-TARGET"],
        )
    }),
    ("bitsandbytes", |dice| {
        let release = 60 + dice.next(20);
        let text = format!(
            "Could not find the bitsandbytes ROCm binary at PosixPath('/home/USER/bitsandbytes/libbitsandbytes_rocm{release}.so')"
        );
        made(text, "file", None, &["PKG-VARIANT-MISSING"])
    }),
];

/// Writes a text as a terminal, a logger or a container passes it on.
pub(super) fn passed_on(text: &str, dice: &mut Dice) -> String {
    let wrap = [0, 0, 80, 57][dice.next(4)];
    let prefix = dice.of(&[
        "",
        "",
        "Jul 28 15:11:48 host ollama[307422]: ",
        "ollama-1  | ",
        "(EngineCore pid=2651) ",
        "[rank0]: ",
        "E           ",
        "2025-05-04T09:45:04.334Z ",
    ]);
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while wrap > 0 && rest.len() > wrap && rest.is_ascii() {
            let (part, behind) = rest.split_at(wrap);
            lines.push(part.to_owned());
            rest = behind;
        }
        lines.push(rest.to_owned());
    }
    let noise = [
        "loading weights: 100%|##########| 12/12 [00:01<00:00,  8.11it/s]",
        "INFO: Uvicorn running on http://127.0.0.1:8000",
        "kv cache size = 4096 MiB, layers = 32",
        "warning: the option is deprecated and will go away",
    ];
    for _ in 0..dice.next(3) {
        lines.insert(0, noise[dice.next(noise.len())].to_owned());
    }
    if dice.next(2) == 0 {
        lines.push("kv cache size = 4096 MiB, layers = 32".to_owned());
    }
    lines.iter().map(|line| format!("{prefix}{line}\n")).collect()
}

/// Asserts that no component of ROCm is taken to speak in a text.
pub(super) fn assert_unanswered(text: &str) {
    let class = recognise(text.as_bytes()).class().name();
    assert!(matches!(class, "unknown" | "not-rocm"), "{class}: {text}");
}

/// Asks about the texts of these makers: how many there were, and what was answered wrongly.
pub(super) fn wrong_answers(makers: &[(&str, Maker)], seed: u64) -> (u64, Vec<String>) {
    let mut dice = Dice(seed);
    let (mut wrong, mut all) = (Vec::new(), 0);
    for (name, maker) in makers {
        for _ in 0..EACH {
            let made = maker(&mut dice);
            let text = passed_on(&made.text, &mut dice);
            let found = recognise(text.as_bytes());
            let first = found.first().and_then(|hit| hit.causes.first().copied()).unwrap_or("none");
            let target = found.target().map(|target| target.processor);
            let is_right = found.class().name() == made.class
                && (made.first.is_empty() || made.first.contains(&first))
                && made.target.as_ref().is_none_or(|expected| target.as_ref() == Some(expected));
            all += 1;
            if !is_right {
                wrong.push(format!(
                    "{name}: {} {first} {target:?} for {} {:?} {:?}:\n{text}",
                    found.class().name(),
                    made.class,
                    made.first,
                    made.target
                ));
            }
        }
    }
    (all, wrong)
}

/// Every text has the class, the target and a first cause that follow from what was stated in it.
#[test]
fn facts_in_any_dress_are_answered_alike() {
    let (all, wrong) = wrong_answers(&MAKERS, SEED);
    assert!(all >= 240, "{all}");
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Other programs' messages with the same sentences about other devices and files: no ROCm file is blamed.
#[test]
fn other_programs_stay_unanswered() {
    let mut dice = Dice(SEED);
    let mut wrong = Vec::new();
    for _ in 0..8 {
        let (sm, line) = (50 + dice.next(60), dice.next(3000));
        for text in [
            format!(
                "CUDA error: no kernel image is available for execution on the device\nNVIDIA GeForce RTX 3090 with CUDA capability sm_{sm}"
            ),
            format!(
                "ggml_cuda_init: found 1 CUDA devices:\n  Device 0: NVIDIA GeForce GTX 1080, compute capability 6.1\nCUDA error: invalid device function\n  at ggml-cuda.cu:{line}"
            ),
            format!("vk::Queue::submit: ErrorDeviceLost at ggml-vulkan.cpp:{line}"),
            format!("clBuildProgram failed: CL_BUILD_PROGRAM_FAILURE (-11) in kernel {line}"),
            format!("clCreateContext: CL_DEVICE_NOT_AVAILABLE, platform Intel(R) OpenCL {line}"),
            format!("segfault at {line:x} ip 00007f00 sp 00007ffc error 4 in libQt6Core.so.6.5.0"),
            format!(
                "error while loading shared libraries: libssl.so.{}: cannot open shared object file",
                dice.next(4)
            ),
            format!(
                "OSError: libcublas.so.{}: cannot open shared object file: No such file or directory",
                10 + dice.next(3)
            ),
            format!("nvcc fatal   : Unsupported gpu architecture 'compute_{sm}'"),
            format!("ValueError: unsupported architecture 'riscv{line}' for this wheel"),
            "FlashAttention only supports Ampere GPUs or newer.".to_owned(),
            format!("sqlite3.OperationalError: unable to open database file app{line}.db"),
            format!("FileNotFoundError: [Errno 2] No such file or directory: 'model{line}.dat'"),
            "KeyError: 'gfx'".to_owned(),
        ] {
            let text = passed_on(&text, &mut dice);
            let class = recognise(text.as_bytes()).class().name();
            if !["not-rocm", "ambiguous", "unknown"].contains(&class) {
                wrong.push(format!("{class}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of 112:\n{}", wrong.len(), wrong.join("\n"));
}

/// A harmless line must not hide its neighbours: a known message decides, and an unknown one leaves the log
/// open.
#[test]
fn harmless_lines_do_not_win() {
    let harmless = "MIOpen(HIP): Warning [SQLiteBase] Missing system database file: gfx1030_40.kdb Performance may degrade.";
    for (beside, class) in [
        ("RuntimeError: HIP error: invalid device function", "file"),
        ("Segmentation fault (core dumped)", "ambiguous"),
        ("ValueError: the frobnicator could not be set up", "unknown"),
        ("terminate called after throwing an instance of 'std::out_of_range'", "unknown"),
        ("done in 3 s", "harmless"),
    ] {
        for text in [format!("{harmless}\n{beside}"), format!("{beside}\n{harmless}")] {
            assert_eq!(recognise(text.as_bytes()).class().name(), class, "{text}");
        }
    }
}

/// In a log of megabytes each message is found at its line, wherever read blocks end, and lines unrelated to
/// GPUs are skipped.
#[test]
fn messages_deep_in_a_long_log_are_found_at_their_lines() {
    let filler =
        "2025-07-28 15:04:05,123 INFO uvicorn.access 127.0.0.1 - \"POST /v1/chat HTTP/1.1\" 200 OK\n";
    let message = "rocBLAS error: Cannot read /x/rocblas/library/TensileLibrary.dat: Illegal\n seek for GPU arch : gfx1032\n";
    for lines in [5_000, 20_000, 20_713, 20_714, 20_715, 31_111] {
        let log = filler.repeat(lines) + message + &filler.repeat(9_000);
        let found = recognise(log.as_bytes());
        let first = found.first().unwrap();
        assert_eq!((first.message.id, first.line), ("rocblas-cannot-read", lines as u64 + 1));
        assert_eq!(found.target().unwrap().processor, "gfx1032");
        assert_eq!(found.lines, lines as u64 + 9_002);
        assert_eq!(found.bytes, log.len() as u64);
    }
    // A single line without an end, as some loggers write.
    let found = recognise(format!("{}{}", "x ".repeat(900_000), message.replace('\n', " ")).as_bytes());
    assert_eq!(found.first().unwrap().message.id, "rocblas-cannot-read");
}

/// A log of megabytes that repeats one message: another one in its middle is found at its line, and so is a
/// status in its last lines that differs by its number alone.
#[test]
fn what_a_log_repeats_hides_nothing() {
    let repeated = "2025-07-28 15:04:05,123 ERROR HIP error 1 in kernels.hip\n".repeat(60_000);
    let log = format!(
        "{repeated}amdgpu: [gfxhub] page fault\nNo compatible code objects found for: gfx1032\n{repeated}HIP error 209\n"
    );
    let found = recognise(log.as_bytes());
    let line = |id: &str| found.hits.iter().find(|hit| hit.message.id == id).map(|hit| hit.line);
    assert_eq!(line("no-compatible-code-objects"), Some(60_002));
    assert_eq!(line("no-binary-for-gpu"), Some(120_003));
    assert_eq!((found.lines, found.bytes), (120_003, log.len() as u64));
    assert_eq!(found.target().unwrap().processor, "gfx1032");
}

/// Every message of the table is found far behind the beginning of a log, too.
#[test]
fn no_message_is_passed_over_in_a_long_log() {
    let filler =
        "2025-07-28 15:04:05,123 INFO uvicorn.access 127.0.0.1 - \"POST /v1/chat HTTP/1.1\" 200 OK\n"
            .repeat(5_000);
    for (id, text, _) in ROWS {
        let found = recognise(format!("{filler}{text}\n").as_bytes());
        assert_eq!(found.first().map(|hit| hit.message.id), Some(*id), "{text}");
    }
}
