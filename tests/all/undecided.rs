//! Screens of packages that decide nothing by themselves: their lines agree, and say what can be done.

#[cfg(feature = "cli")]
use crate::common::program::run;
#[cfg(feature = "cli")]
use crate::common::shared::{Library, file};
use crate::common::{fixture, seen};
#[cfg(feature = "cli")]
use crate::roles::library;
use crate::roles::{code_object, lines, verdict};
use serde_json::Value;

/// What GCC links into programs is no program: it neither contradicts its own line nor speaks of HIP.
#[test]
fn the_libraries_of_gcc_alone_are_not_known() {
    let code = code_object("v4_gfx906");
    let tree = seen::folder(&[("usr/lib/gcc/x86_64-linux-gnu/16/accel/amdgcn-amdhsa/crt0.o", &code)]);
    for (target, has, own) in [("gfx906", "(code for it)", "runs"), ("gfx1030", "(no code for it)", "not")] {
        let found = verdict(tree.path(), target);
        let headline = found["headline"].as_str().unwrap();
        assert_eq!(found["answer"], "unknown", "{headline}");
        assert!(headline.contains(has) && !headline.contains("no GPU code is here"), "{headline}");
        assert_eq!(lines(&found), [("gcc offload", own)]);
        assert_eq!(found["libraries"][0]["then"], Value::Null, "HIP has no part in it");
    }
}

/// A screen without a target says the same as one for a target.
#[cfg(feature = "cli")]
#[test]
fn the_overview_does_not_contradict_the_verdicts() {
    let said = |files: &[(&str, &[u8])]| {
        let tree = seen::folder(files);
        let output = run(&[tree.path().to_str().unwrap()]);
        let text = String::from_utf8(output.stdout).unwrap();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let code = code_object("v4_gfx906");
    let gcc = said(&[("gcc/16/accel/amdgcn-amdhsa/crt0.o", &code)]);
    assert!(gcc.contains("? gfx906 not known: only gcc offload is here"), "{gcc}");
    assert!(!gcc.contains("gcc offload runs"), "{gcc}");
    let miopen =
        file(&Library { soname: "libMIOpen.so.1", needed: &["libamdhip64.so.6"], ..Library::default() });
    let compiles = said(&[("lib/libMIOpen.so.1", &miopen)]);
    assert!(compiles.contains("MIOpen compiles its kernels at run time"), "{compiles}");
    let kernels = library(&["v4_gfx906"]);
    let jax = said(&[("jax_rocm7_plugin/_prng.so", &kernels)]);
    assert!(jax.contains("JAX: not known (why: --arch gfx906)"), "{jax}");
}

/// Who calls hipSPARSELt can do without it, and a new build is not the only way out.
#[cfg(feature = "cli")]
#[test]
fn what_callers_do_without_needs_no_other_build() {
    let code = library(&["v4_gfx906"]);
    for (name, spared) in [("libhipsparselt.so.0", true), ("librccl.so.1", false)] {
        let tree = seen::folder(&[(&format!("lib/{name}"), &code)]);
        let output = run(&["--arch", "gfx1201", tree.path().to_str().unwrap()]);
        let text = String::from_utf8(output.stdout).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("a build for gfx1201"), "{text}");
        assert_eq!(text.contains("nothing, where what calls it does without"), spared, "{text}");
    }
}

/// Firmware is for the driver, and no reason to say that a card does not run anything.
#[test]
fn firmware_alone_is_not_known() {
    let blob = std::fs::read(fixture("rocm/lib/firmware/amdgpu/vega10_mec.bin")).unwrap();
    let tree = seen::folder(&[("lib/firmware/amdgpu/vega10_mec.bin", &blob)]);
    for (target, words) in [("gfx900", "1 file for gfx900"), ("gfx1030", "none for gfx1030")] {
        let found = verdict(tree.path(), target);
        let headline = found["headline"].as_str().unwrap();
        assert!(found["answer"] == "unknown" && headline.contains(words), "{headline}");
    }
}
