//! Messages in our own wordings, look-alikes, and the neighbouring words that decide between a message's
//! causes.

use crate::common::fixture;
use rocm_audit::messages::recognise::{read, recognise};
use rocm_audit::messages::sign::SIGNS;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufReader, Read};

/// Each line of the fixture states the class, the target and the first cause; look-alikes that are not
/// ROCm's, or not a known message, are never called a problem of files.
#[test]
fn wordings_are_answered_and_look_alikes_are_not_claimed() {
    let text = std::fs::read_to_string(fixture("explain/wordings.jsonl")).unwrap();
    let mut wrong = Vec::new();
    let mut look_alikes = 0;
    for line in text.lines() {
        let problem: Value = serde_json::from_str(line).unwrap();
        let error = &problem["errors"][0];
        let (text, expect) = (error["text"].as_str().unwrap(), &error["expect"]);
        let found = recognise(text.as_bytes());
        let class = found.class().name();
        let first = found.first().and_then(|hit| hit.causes.first().copied()).unwrap_or("none");
        let rules: Vec<&str> =
            problem["rules"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        look_alikes += u32::from(rules.is_empty() || rules == [""]);
        let target = found.target().map(|target| target.processor);
        let is_right = class == expect["class"]
            && (rules.is_empty() || rules.contains(&first))
            && expect["target"].as_str().is_none_or(|expected| target.as_deref() == Some(expected));
        if !is_right {
            wrong.push(format!("{class}, {first}, {target:?} for {expect} {rules:?}: {text}"));
        }
    }
    assert!(look_alikes >= 30, "{look_alikes}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A message with neighbouring words, and the cause that they put first; without them another cause is first.
#[test]
fn words_beside_a_message_decide() {
    let first = |text: &str| recognise(text.as_bytes()).first().unwrap().causes[0];
    for (plain, beside, cause) in [
        ("HIP error: invalid device function", "it came when I added a second GPU", "SYS-MULTI-ARCH"),
        ("hipErrorNoBinaryForGpu", "since I replaced the CPU", "SYS-MULTI-ARCH"),
        (
            "HIP error: no kernel image is available for execution on the device",
            "a space in the path",
            "PATH-SPACE",
        ),
        (
            "HIP error: shared object initialization failed",
            "HSA_OVERRIDE_GFX_VERSION=10.3.0",
            "OV-NOTHING-TO-LOAD",
        ),
        ("HSA_STATUS_ERROR_INVALID_ISA", "HSA_OVERRIDE_GFX_VERSION=11.0.0", "OV-UNSAFE"),
        ("RuntimeError: No HIP GPUs are available", "uname: 5.15-microsoft-standard", "RT-WSL-HSA"),
        (
            "AssertionError: FAILED: x TENSILE_LIBRARY_TARGET",
            "Missing expected code object files: {a}",
            "RB-DANGLING",
        ),
        ("miopenStatusUnknownError", "on a gfx90c laptop", "XN-NEUTRAL-APU"),
        (
            "Memory access fault by GPU node-1 on address 0x7f",
            "HSA_OVERRIDE_GFX_VERSION=10.3.0",
            "OV-CROSS-MAJOR",
        ),
    ] {
        assert_ne!(first(plain), cause, "{plain}: the words decide nothing");
        assert_eq!(first(&format!("{plain}\n{beside}")), cause, "{plain}");
        assert_eq!(first(&format!("{beside}\n{plain}")), cause, "{plain}: words before it");
    }
    let all: BTreeSet<&str> = SIGNS.iter().map(|sign| sign.first).collect();
    assert!(all.len() > 15, "{all:?}");
}

/// Words that decide for a whole log are found far from the message.
#[test]
fn words_far_away_count_where_they_are_about_the_log() {
    let filler = "all is well\n".repeat(20_000);
    let log =
        format!("HSA_OVERRIDE_GFX_VERSION=10.3.0\n{filler}HIP error: shared object initialization failed\n");
    assert_eq!(recognise(log.as_bytes()).first().unwrap().causes[0], "OV-NOTHING-TO-LOAD");
    // A second GPU mentioned elsewhere is unrelated to this message.
    let log = format!("the second GPU is idle\n{filler}HIP error: invalid device function\n");
    assert_eq!(recognise(log.as_bytes()).first().unwrap().causes[0], "FB-ARCH-MISSING");
}

/// A PowerShell log in UTF-16, read at once and in small pieces.
#[test]
fn logs_of_powershell_are_read() {
    struct Slow<R>(R);
    impl<R: Read> Read for Slow<R> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let most = to.len().min(3);
            self.0.read(&mut to[..most])
        }
    }
    let text = "Ausführung läuft — „gut“\r\nrocBLAS error: Cannot read C:\\x\\rocblas\\library\\TensileLibrary.dat: \
                No such file or directory for GPU arch : gfx1035\r\n";
    for mark in ["\u{feff}", ""] {
        let log: Vec<u8> = format!("{mark}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        for found in [recognise(&log), read(BufReader::with_capacity(512, Slow(&log[..]))).unwrap()] {
            assert_eq!(found.target().unwrap().processor, "gfx1035");
            assert_eq!((found.hits[0].message.id, found.hits[0].line), ("rocblas-cannot-read", 2));
        }
    }
}
