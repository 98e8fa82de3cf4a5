//! Logs made of facts, as `facts.rs` makes them: what stands beside a line decides what it is about.
//!
//! The formats are those of the sources: errors.h of hipBLASLt and tensile_host.cpp of rocBLAS, the traces of
//! Julia's signal handler, logger.cpp of MIOpen, the terminal of pytest and GoogleTest, apt and dkms.

use super::facts::{Dice, Made, Maker, made, wrong_answers};
use rocm_audit::messages::recognise::recognise;

const SEED: u64 = 82;

/// A status of HIP in a library's words, and the library above it that says only that it has not begun.
fn status_before_what_follows(dice: &mut Dice) -> Made {
    let (words, number) = match dice.next(3) {
        0 => ("operation would make the legacy stream depend on a capturing blocking stream", 906),
        1 => ("operation not permitted when stream is capturing", 900),
        _ => ("invalid resource handle", 400),
    };
    let what = dice.of(&["host", "library"]);
    let text = format!(
        "Hip error: '{words}'({number}) at /src/hipBLASLt/library/src/hipblaslt.cpp:{}\n\nrocBLAS error: Could not initialize Tensile {what}\n\nAborted (core dumped)",
        dice.next(900)
    );
    made(text, "runtime", None, &["CALL-REFUSED"])
}

/// Julia's trace of a process that a signal ended in one of ROCm's libraries.
fn trace_of_julia(dice: &mut Dice) -> Made {
    let call = dice.of(&["hipStreamSynchronize", "_ZN4rocr3HSA8hsa_initEv", "hipFree"]);
    let library = dice.of(&["libamdhip64.so", "libhsa-runtime64.so.1", "libamd_comgr.so.2"]);
    let folder = dice.of(&["/opt/rocm/lib", "/home/USER/.julia/artifacts/b5a35fe5/lib"]);
    let text = format!(
        "[{}] signal (6.-6): Aborted\nin expression starting at REPL[3]:1\nabort at /usr/lib/libc.so.6 (unknown line)\n{call} at {folder}/{library} (unknown line)",
        1000 + dice.next(9000)
    );
    made(text, "ambiguous", None, &[])
}

/// What MIOpen reports from those of its sources that call a compiler or an assembler.
fn compilers_of_miopen(dice: &mut Dice) -> Made {
    let source = dice.of(&["gcn_asm_utils", "hip_build_utils", "exec_utils", "tmp_dir"]);
    let what = dice.of(&["X-AMDGCN-ASM: popen()", "it did not end well", "no output"]);
    let text = format!("MIOpen Error: /MIOpen/src/{source}.cpp:{}: {what}", 1 + dice.next(400));
    made(text, "runtime", None, &["JIT"])
}

/// The driver's module is not built, in a line that has no driver as its speaker.
fn module_not_built(dice: &mut Dice) -> Made {
    let text = match dice.next(2) {
        0 => "unable to install - amdgpu dkms failed for running kernel".to_owned(),
        _ => format!("dkms autoinstall on 6.8.0-{}-generic/x86_64 failed for amdgpu(10)", dice.next(90)),
    };
    made(text, "build", None, &["DKMS-KERNEL"])
}

/// A program that did not find one of ROCm's libraries, and names it alone.
fn library_not_available(dice: &mut Dice) -> Made {
    let library = dice.of(&["rocBLAS", "rocFFT", "MIOpen", "rocSOLVER", "hipBLASLt"]);
    let how = dice.of(&["is not available", "is unavailable", "was not found", "is not installed"]);
    made(
        format!("ERROR: ArgumentError: {library} {how}\nStacktrace:\n [1] lib_state()"),
        "file",
        None,
        &["ELF-NEEDED-MISSING"],
    )
}

/// apt refuses a package of ROCm in the language of its user; its mark of an error is the same in all.
fn apt_in_any_language(dice: &mut Dice) -> Made {
    let package = dice.of(&["rocm-hip-sdk", "rocm-dev", "hipblaslt-dev"]);
    let text = match dice.next(3) {
        0 => format!("E: Balík „{package}“ nemá kandidáta pro instalaci"),
        1 => format!("E: Nie można zlokalizować pakietu {package}"),
        _ => format!("E: {package} paketi bulunamadı"),
    };
    let text = format!("{text}\n$ sudo apt install rocm\n$");
    made(text, "environment", None, &["PKG-INSTALL"])
}

/// LLVM does not find registers for inline assembly of a kernel that Triton compiles.
fn no_register_for_assembly(dice: &mut Dice) -> Made {
    let (way, letter) = (dice.of(&["input", "output"]), dice.of(&["l", "v", "h"]));
    let text = format!(
        "pytorch-triton-rocm 2.0.{}\nerror: couldn't allocate {way} reg for constraint '{letter}'",
        dice.next(3)
    );
    made(text, "runtime", None, &["JIT"])
}

const MAKERS: [(&str, Maker); 7] = [
    ("a status before what follows", status_before_what_follows),
    ("a trace of Julia", trace_of_julia),
    ("compilers of MIOpen", compilers_of_miopen),
    ("a module that is not built", module_not_built),
    ("a library that is not available", library_not_available),
    ("apt in any language", apt_in_any_language),
    ("no register for assembly", no_register_for_assembly),
];

/// The texts have the class and a first cause that follow from what was stated in them. One does not: two of its
/// lines have nearly one length, and are taken for one that a terminal broke.
#[test]
fn what_stands_beside_decides() {
    let (all, wrong) = wrong_answers(&MAKERS, SEED);
    assert!(all >= 90, "{all}");
    assert!(wrong.len() <= 1, "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A line of MIOpen in a test that passed stopped nothing; in one that failed it may have.
#[test]
fn verdicts_of_tests_decide() {
    let said = "MIOpen(HIP): Error [x.hpp:62] Unable to load file: gfx908_metadata.tn.model";
    let class = |text: &str| recognise(text.as_bytes()).class().name();
    for verdict in
        ["PASSED [0.02s]", "[       OK ] conv.f16 (12 ms)", "1/1 Test #1: conv ...   Passed    0.31 sec"]
    {
        assert_eq!(class(&format!("t.py::test_a {said}\n{verdict}")), "harmless", "{verdict}");
    }
    for verdict in ["FAILED [0.02s]", "t.py::test_b PASSED [ 1%]\nRuntimeError: it failed", ""] {
        assert_eq!(class(&format!("t.py::test_a {said}\n{verdict}")), "runtime", "{verdict}");
    }
}
