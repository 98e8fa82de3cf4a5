//! Messages that are recognised in a text.

use super::rows::ROWS;
use rocm_audit::diagnosis::causes;
use rocm_audit::messages::recognise::{read, recognise};
use rocm_audit::messages::table::{MessageSubject, Weight, all_messages};
use std::collections::BTreeSet;

#[test]
fn every_message_has_a_row_and_is_recognised() {
    let rows: BTreeSet<&str> = ROWS.iter().map(|(id, ..)| *id).collect();
    let all: BTreeSet<&str> = all_messages().map(|message| message.id).collect();
    assert_eq!(rows, all);
    assert_eq!((rows.len(), all.len()), (ROWS.len(), all_messages().count()), "an id is there twice");
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
    for message in all_messages() {
        for id in message.causes {
            assert!(causes::of_id(id).is_some(), "{}: no cause {id}", message.id);
        }
        assert!(message.meaning.ends_with('.') && message.bytes.ends_with('.'), "{}", message.id);
    }
}

/// Puts one text into a wrapping.
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
        // The word in the list decides, and a wrapping can break the text between.
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
        (format!("HIP error: {image}"), MessageSubject::File),
        (format!("RuntimeError: CUDA error: {image}"), MessageSubject::Ambiguous),
        (format!("found 1 ROCm devices\nCUDA error: {image}"), MessageSubject::File),
        (format!("Device 0: NVIDIA GeForce RTX 3060\nCUDA error: {image}"), MessageSubject::NotRocm),
        (
            format!("CUDA error: {image}\nSearch for `cudaErrorNoKernelImageForDevice' in"),
            MessageSubject::NotRocm,
        ),
        (format!("{image} {}gfx906", "x ".repeat(600)), MessageSubject::File),
        ("nothing of that kind".to_owned(), MessageSubject::Unknown),
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

#[test]
fn a_program_that_was_built_for_no_gpu_is_not_one_for_cuda() {
    for (text, first) in [
        ("AssertionError: Torch not compiled with CUDA enabled", "PKG-NO-HIP"),
        ("ValueError: This CTranslate2 package was not compiled with CUDA support", "PKG-NO-HIP"),
        ("RuntimeError: Found no NVIDIA driver on your system.", "PKG-CUDA-ONLY"),
        ("CUDA Setup failed despite GPU being available.", "PKG-CUDA-ONLY"),
    ] {
        assert_eq!(recognise(text.as_bytes()).first().unwrap().causes[0], first, "{text}");
    }
}

/// A log of some megabytes: a message far inside, and one across each boundary between windows.
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
    // At each position relative to a window's end.
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

#[test]
fn words_of_other_software_are_not_claimed() {
    for text in [
        "nginx: accept4() failed (24: Too many open files)",
        "db-1 exited with code 137",
        "systemd: app.service: A process of this unit has been killed by the OOM killer (oom-kill)",
        "ValueError: Unknown GPU architecture: sm_121a",
        "NET/Plugin: Could not find: librccl-net.so. Using internal network plugin.",
        "TUNER/Plugin: Could not find: librccl-tuner.so",
    ] {
        let found = recognise(text.as_bytes());
        let claims: Vec<_> = found
            .hits
            .iter()
            .filter(|hit| hit.class == hit.message.class && hit.message.weight != Weight::Harmless)
            .map(|hit| hit.message.id)
            .collect();
        assert!(claims.is_empty(), "{text:?}: {claims:?}");
    }
}
