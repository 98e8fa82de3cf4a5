//! Machine code: compares every file in `fixtures/instructions` with `fixtures/instructions.json`, and every
//! word in `vectors.tsv` with its line; LLVM wrote both.

mod bad_input;
mod command;
mod inside;
mod listing;
mod words;

use rocm_audit::codeobject::disassembly::CodeAsk;
use rocm_audit::codeobject::disassembly::{CodeSummary, DecodeOptions, Histogram, KernelNames};
use rocm_audit::codeobject::{self, CodeObject};
use rocm_audit::isa::{self, Mode};
use rocm_audit::target::TargetId;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(fixtures().join("instructions").join(name)).unwrap()
}

/// LLVM's results for each file.
fn expected() -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(fixtures().join("instructions.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    serde_json::from_value(all["files"].clone()).unwrap()
}

fn read(bytes: &[u8], ask: &DecodeOptions<'_>) -> CodeObject {
    codeobject::read_decoded(bytes, bytes.len() as u64, 0, CodeAsk::Decoded(ask), &mut |_, _| {}).unwrap()
}

fn named(histogram: &Histogram) -> BTreeMap<String, u64> {
    histogram.iter().map(|(number, count)| (isa::mnemonic(*number).to_owned(), *count)).collect()
}

fn counts(of: &Value) -> BTreeMap<String, u64> {
    serde_json::from_value(of.clone()).unwrap()
}

/// Compares a decoded code object with all expectations for it.
fn assert_agrees(name: &str, code: &CodeSummary, truth: &Value) {
    assert_eq!(named(code.histogram()), counts(&truth["histogram"]), "{name}");
    let seen = [code.unknown(), code.zero_blocks(), code.zero_bytes(), code.data_bytes(), code.text_bytes()];
    let told = ["unknown", "zero_blocks", "zero_bytes", "data_bytes", "text_bytes"];
    let told = told.map(|key| truth[key].as_u64().unwrap());
    assert_eq!(seen, told, "{name}: unknown words, runs of zeros, their bytes, bytes of data, of all");
    let told = truth["kernels"].as_object().unwrap();
    let mut names: Vec<&str> = code.kernels().iter().map(|kernel| kernel.name()).collect();
    names.sort_unstable();
    assert_eq!(names, told.keys().collect::<Vec<_>>(), "{name}");
    for kernel in code.kernels() {
        let truth = &told[kernel.name()];
        let own = named(kernel.histogram().unwrap());
        assert_eq!(kernel.body().name(), truth["body"], "{name}: {}", kernel.name());
        assert_eq!(own, counts(&truth["histogram"]), "{name}: {}", kernel.name());
        assert_eq!(kernel.bytes(), truth["bytes"], "{name}: {}", kernel.name());
        assert_eq!(kernel.instructions(), own.values().sum::<u64>(), "{name}: {}", kernel.name());
    }
}

#[test]
fn every_file_is_what_llvm_says() {
    let expected = expected();
    for (name, truth) in &expected {
        let bytes = bytes(name);
        // No fixture contains an instruction that LLVM decodes wrongly.
        for mode in [Mode::LikeLlvm, Mode::Correct] {
            let object = read(
                &bytes,
                &DecodeOptions {
                    mode,
                    kernels: true,
                    histograms: Some(KernelNames::new(&|_| true)),
                    ..DecodeOptions::default()
                },
            );
            assert_eq!(object.target().processor, truth["processor"], "{name}");
            assert_agrees(name, object.code().unwrap(), truth);
            let told: Vec<_> = object.problems().iter().map(ToString::to_string).collect();
            assert!(told.is_empty(), "{name}: {told:?}");
        }
    }
    assert!(expected.len() >= 29, "{}", expected.len());
}

#[test]
fn kernels_that_are_not_counted_on_their_own_have_the_same_bodies() {
    for (name, truth) in expected() {
        let code = read(&bytes(&name), &DecodeOptions::default()).take_code().unwrap();
        let mut bodies: BTreeMap<&str, u64> = BTreeMap::new();
        for kernel in truth["kernels"].as_object().unwrap().values() {
            *bodies.entry(kernel["body"].as_str().unwrap()).or_default() += 1;
        }
        let seen =
            code.bodies().iter().map(|(body, count)| (body.name(), *count)).collect::<BTreeMap<_, _>>();
        assert_eq!(seen, bodies, "{name}");
        assert_eq!(named(code.histogram()), counts(&truth["histogram"]), "{name}");
        assert!(code.kernels().is_empty(), "{name}");
    }
}

/// Each kernel of the fixtures by itself, as LLVM counts it: nothing else is decoded, and an object without it
/// is known from its symbols.
#[test]
fn a_kernel_that_is_decoded_alone_is_what_llvm_says() {
    let mut alone = 0;
    for (name, truth) in expected() {
        let bytes = bytes(&name);
        for (kernel, truth) in truth["kernels"].as_object().unwrap() {
            let test = |name: &str| name == kernel;
            for part in [None, Some(kernel.as_str())] {
                let names = KernelNames::new(&test).containing(part);
                assert!(codeobject::may_have(&bytes, names), "{name}: {kernel}");
                let ask =
                    DecodeOptions { histograms: Some(names), only_named: true, ..DecodeOptions::default() };
                let code = read(&bytes, &ask).take_code().unwrap();
                let [found] = code.kernels() else { panic!("{name}: {kernel}: {}", code.kernels().len()) };
                assert_eq!(found.name(), kernel, "{name}");
                assert_eq!(
                    named(found.histogram().unwrap()),
                    counts(&truth["histogram"]),
                    "{name}: {kernel}"
                );
                let bodies: u64 = code.bodies().values().sum();
                assert_eq!(bodies, 1, "{name}: {kernel}");
                alone += 1;
            }
        }
    }
    assert!(alone > 60, "{alone}");
}

#[test]
fn what_another_processor_lacks_is_what_llvm_lacks_there() {
    let mut with = 0;
    for (name, truth) in expected() {
        for (processor, rows) in truth["absent"].as_object().into_iter().flatten() {
            let ask =
                DecodeOptions { legal_on: Some(processor), mode: Mode::LikeLlvm, ..DecodeOptions::default() };
            let code = read(&bytes(&name), &ask).take_code().unwrap();
            let mut seen = BTreeMap::new();
            for (number, reason, occurrence) in code.absent().rows() {
                let there = match reason {
                    isa::legality::Reason::Missing => None,
                    isa::legality::Reason::Other(other) => Some(isa::mnemonic(other)),
                    // LLVM's disassembler accepts what its assembler refuses, and mnemonics are compared.
                    isa::legality::Reason::OddRegisters
                    | isa::legality::Reason::OtherOperands
                    | isa::legality::Reason::UnknownBits => continue,
                };
                seen.insert((isa::mnemonic(number), there), occurrence.count);
            }
            let row = |row: &'static Value| {
                ((row["mnemonic"].as_str().unwrap(), row["there"].as_str()), row["count"].as_u64().unwrap())
            };
            let rows: &'static Value = Box::leak(Box::new(rows.clone()));
            let told: BTreeMap<_, _> = rows.as_array().unwrap().iter().map(row).collect();
            with += told.len();
            assert_eq!(seen, told, "{name} on {processor}");
        }
    }
    for processor in
        ["gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036", "gfx10-3-generic"]
    {
        for name in ["kernels_gfx1030.co", "gfx1030_nsa.co"] {
            let ask = DecodeOptions { legal_on: Some(processor), ..DecodeOptions::default() };
            assert!(
                read(&bytes(name), &ask).take_code().unwrap().absent().rows().next().is_none(),
                "{name} on {processor}"
            );
        }
    }
    assert!(with > 80, "{with}");
}

#[test]
fn what_is_absent_names_the_first_kernel_that_has_it() {
    let ask = DecodeOptions { legal_on: Some("gfx900"), ..DecodeOptions::default() };
    let code = read(&bytes("gfx906_sections.co"), &ask).take_code().unwrap();
    let first = |mnemonic: &str| {
        let mut found = code.absent().rows().filter(|(number, ..)| isa::mnemonic(*number) == mnemonic);
        found.next().unwrap().2.first_kernel.clone()
    };
    assert_eq!(first("v_dot4_i32_i8"), "real_first");
    assert_eq!(first("v_dot8_u32_u4"), "real_second");
}

#[test]
fn only_what_loads_on_a_target_that_is_asked_for_is_decoded() {
    for (name, target, decoded) in [
        ("kernels_gfx906.co", "gfx906", true),
        ("kernels_gfx906.co", "gfx900", false),
        ("kernels_gfx9-generic.co", "gfx906", true),
        ("kernels_gfx9-generic.co", "gfx90a", false),
        ("kernels_gfx11-generic.co", "gfx1103", true),
    ] {
        let targets = [TargetId::parse(target).unwrap()];
        let ask = DecodeOptions { targets: &targets, ..DecodeOptions::default() };
        assert_eq!(read(&bytes(name), &ask).code().is_some(), decoded, "{name} for {target}");
    }
}
