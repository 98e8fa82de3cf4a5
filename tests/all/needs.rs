//! `needs` on libraries made with given needs, and where the loader finds these.

use crate::common::packages::{self, member};
use crate::common::program::{run, run_in, said};
use crate::common::seen::folder;
use crate::common::shared::{Library, asked, file};
use serde_json::Value;
use std::path::Path;

fn library(soname: &'static str, needed: &'static [&'static str], runpath: &'static str) -> Vec<u8> {
    file(&Library { soname, needed, runpath, ..Library::default() })
}

fn report(paths: &[&Path]) -> Value {
    let mut words = vec!["needs", "-f", "json"];
    words.extend(paths.iter().map(|path| path.to_str().unwrap()));
    let output = run(&words);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

/// The places of a file's needs, as `name place path`.
fn places(report: &Value, of: &str) -> Vec<String> {
    let files = report["files"].as_array().unwrap();
    let file = files.iter().find(|file| file["path"].as_str().unwrap().ends_with(of)).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let needed = file["needed"].as_array().unwrap().iter();
    needed
        .map(|one| format!("{} {} {}", text(&one["name"]), text(&one["place"]), text(&one["path"])))
        .collect()
}

/// rocBLAS's wheel and one that needs it through `$ORIGIN`, installed next to each other by pip; ld.so(8).
#[test]
fn packages_that_are_named_together_are_searched_as_one_folder() {
    let needed = &["librocblas.so.4", "libamdhip64.so.6", "libsomething.so.1", "libc.so.6"];
    let app = library("libapp.so", needed, "$ORIGIN/../../rocm_sdk/lib");
    let one = packages::zip(&[member("torch/lib/libapp.so", app)]);
    let rocblas = library("librocblas.so.4", &[], "");
    let other = packages::zip(&[member("rocm_sdk/lib/librocblas.so.4", rocblas)]);
    let tree = folder(&[("app.whl", &one), ("sdk.whl", &other)]);
    let (app, sdk) = (tree.path().join("app.whl"), tree.path().join("sdk.whl"));
    let rest = ["libamdhip64.so.6 rocm -", "libsomething.so.1 other -", "libc.so.6 system -"];
    let with = |first: &str| [&[first.to_owned()][..], &rest.map(str::to_owned)].concat();
    let both = places(&report(&[&app, &sdk]), "libapp.so");
    assert_eq!(both, with("librocblas.so.4 here rocm_sdk/lib/librocblas.so.4"));
    assert_eq!(places(&report(&[&app]), "libapp.so"), with("librocblas.so.4 rocm -"));
}

/// What dlopen is given stands among the constants: whole names, of ROCm's libraries, and none that is linked anyway.
#[test]
fn libraries_that_are_opened_by_name_are_named() {
    let constants =
        b"\0libamd_comgr.so.3\0libGL.so.1\0/x/librccl.so.1\0libhsa-runtime64.so.1\0libroctx64.so\0".to_vec();
    let of = |opener: &'static str| {
        let sections = vec![(".rodata", constants.clone())];
        let needed = &["libhsa-runtime64.so.1"];
        let symbols = vec![asked(opener, None)];
        let app =
            file(&Library { soname: "libamdhip64.so.6", needed, symbols, sections, ..Library::default() });
        let tree = folder(&[
            ("lib/libamdhip64.so.6", &app),
            ("lib/libroctx64.so", &library("libroctx64.so", &[], "")),
        ]);
        report(&[tree.path()])
    };
    let found = of("dlopen");
    let opens = |report: &Value| {
        let files = report["files"].as_array().unwrap();
        let file = files.iter().find(|file| file["soname"] == "libamdhip64.so.6").unwrap();
        let all = file["opens"].as_array().unwrap().iter();
        all.map(|one| format!("{} {}", one["name"].as_str().unwrap(), one["place"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(opens(&found), ["libamd_comgr.so.3 rocm", "libroctx64.so here"]);
    assert!(opens(&of("dlclose")).is_empty(), "nothing is opened without dlopen");
}

#[test]
fn what_is_here_and_no_path_leads_to_is_said_apart() {
    let lib = |runpath| library("libhipblas.so.2", &["librocblas.so.4"], runpath);
    for (runpath, expected) in [
        ("", "unreachable a/librocblas.so.4"),
        ("$ORIGIN/../a", "here a/librocblas.so.4"),
        ("${ORIGIN}/../b:$ORIGIN/../a/.", "here a/librocblas.so.4"),
        ("$ORIGIN/../../../a", "unreachable a/librocblas.so.4"),
    ] {
        let tree = folder(&[
            ("b/libhipblas.so.2", &lib(runpath)),
            ("a/librocblas.so.4", &library("librocblas.so.4", &[], "")),
        ]);
        let found = places(&report(&[tree.path()]), "libhipblas.so.2");
        assert_eq!(found, [format!("librocblas.so.4 {expected}")], "{runpath}");
    }
    // The loader's default folders in a whole system.
    let tree = folder(&[
        ("opt/libhipblas.so.2", &lib("")),
        ("usr/lib/x86_64-linux-gnu/librocblas.so.4", &library("librocblas.so.4", &[], "")),
    ]);
    let found = places(&report(&[tree.path()]), "libhipblas.so.2");
    assert_eq!(found, ["librocblas.so.4 here usr/lib/x86_64-linux-gnu/librocblas.so.4"]);
}

#[test]
fn a_fixed_path_may_lead_into_the_root_itself() {
    let tree = folder(&[("lib/librocblas.so.4", &library("librocblas.so.4", &[], ""))]);
    let fixed = format!("{}/lib", tree.path().display()).leak();
    let hipblas = library("libhipblas.so.2", &["librocblas.so.4"], fixed);
    std::fs::create_dir(tree.path().join("bin")).unwrap();
    std::fs::write(tree.path().join("bin/libhipblas.so.2"), hipblas).unwrap();
    let found = report(&[tree.path()]);
    assert_eq!(places(&found, "libhipblas.so.2"), ["librocblas.so.4 here lib/librocblas.so.4"]);
    assert_eq!(found["findings"].as_array().unwrap().len(), 0);
}

#[test]
fn the_highest_version_of_each_kind_is_asked() {
    let symbols = vec![
        asked("hipMalloc", Some(("hip_4.2", "libamdhip64.so.6"))),
        asked("hipInit", Some(("hip_6.10", "libamdhip64.so.6"))),
        asked("hipFree", Some(("hip_6.9", "libamdhip64.so.6"))),
    ];
    let needed = &["libamdhip64.so.6"];
    let app = file(&Library { soname: "libapp.so", needed, symbols, ..Library::default() });
    let tree = folder(&[("libapp.so", &app)]);
    let found = report(&[tree.path()]);
    assert_eq!(found["versions"][0]["version"], "hip_6.10");
    assert_eq!(found["least_runtime"]["release"], "6.10");
    let tree = folder(&[("libapp.so", &library("libapp.so", &["libamdhip64.so.7"], ""))]);
    assert_eq!(report(&[tree.path()])["least_runtime"]["release"], "7.0");
}

#[test]
fn search_paths_are_as_bounded_as_everything_else() {
    let long = format!("$ORIGIN/{}", "../a:".repeat(20_000)).leak();
    let tree = folder(&[("libapp.so", &library("libapp.so", &["libamdhip64.so.7"], long))]);
    assert!(places(&report(&[tree.path()]), "libapp.so").len() == 1);
}

#[test]
fn what_is_missing_can_fail_a_build() {
    let tree = folder(&[("libapp.so", &library("libapp.so", &["librocblas.so.4"], ""))]);
    let path = tree.path().to_str().unwrap();
    let status = |words: &[&str]| run(words).status.code();
    assert_eq!(status(&["needs", path]), Some(0));
    assert_eq!(status(&["needs", path, "--fail-on", "needed-not-here"]), Some(1));
    std::fs::write(tree.path().join("librocblas.so.4"), library("librocblas.so.4", &[], "")).unwrap();
    assert_eq!(status(&["needs", path, "--fail-on", "needed-not-here"]), Some(0));
    assert_eq!(status(&["needs", path, "--exclude", "librocblas*", "--fail-on", "needed-not-here"]), Some(1));
    // An audit reports it only if the HIP runtime is here.
    let tree = folder(&[("libapp.so", &library("libapp.so", &["librocblas.so.4"], "/opt/rocm-7.1/lib"))]);
    let path = tree.path().to_str().unwrap();
    assert_eq!(status(&[path, "--fail-on", "needed-not-here"]), Some(0));
    assert_eq!(status(&[path, "--fail-on", "runpath-absolute"]), Some(1));
}

/// Nothing is claimed about unreadable files, and naming a further rule does not make it pass.
#[test]
fn what_could_not_be_read_is_not_said_to_need_nothing() {
    let whole = packages::zip(&[member("lib/libapp.so", library("libapp.so", &["librocblas.so.4"], ""))]);
    let tree = folder(&[("cut.whl", &whole[..whole.len() / 2])]);
    let path = tree.path().join("cut.whl");
    let output = run(&["needs", path.to_str().unwrap(), "--fail-on", "runpath-absolute"]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(output.status.code() == Some(1) && text.contains("is not known"), "{}", said(&output));
}

/// A colon at the end of `DT_RUNPATH`, as in onnxruntime-migraphx 1.27: glibc then searches the working
/// folder.
#[test]
fn an_empty_search_path_is_the_working_folder() {
    for (runpath, said) in [("$ORIGIN:", true), ("lib", true), ("$ORIGIN", false)] {
        let tree = folder(&[("libapp.so", &library("libapp.so", &["librocblas.so.4"], runpath))]);
        let found = report(&[tree.path()]);
        let absolute = found["files"][0]["absolute_paths"].as_array().unwrap();
        assert_eq!(!absolute.is_empty(), said, "{runpath}: {absolute:?}");
    }
}

/// bitsandbytes for ROCm calls the HIP runtime without naming its library: hipBLAS, which it names, or
/// PyTorch loads it.
#[test]
fn symbols_of_an_unnamed_runtime_are_said() {
    let symbols = || {
        vec![asked("__hipRegisterFatBinary", None), asked("hipLaunchKernel", None), asked("hipster", None)]
    };
    let count = |needed| {
        let app = file(&Library { soname: "libapp.so", needed, symbols: symbols(), ..Library::default() });
        let tree = folder(&[("libapp.so", &app)]);
        report(&[tree.path()])["files"][0]["unnamed_runtime_symbols"].as_u64()
    };
    assert_eq!(count(&["librocblas.so.4"]), Some(2));
    // The runtime may come from another library that the file names.
    let app = file(&Library {
        soname: "libapp.so",
        needed: &["librocblas.so.4"],
        symbols: symbols(),
        ..Library::default()
    });
    let tree = folder(&[("libapp.so", &app)]);
    let said = run(&["needs", tree.path().to_str().unwrap()]).stdout;
    let said = String::from_utf8(said).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("do not name its library") || said.contains("does not name its library"), "{said}");
    assert!(said.contains("the files do not say which [inferred]") && !said.contains("has to"), "{said}");
    assert_eq!(count(&["librocblas.so.4", "libamdhip64.so.7"]), Some(0));
}

/// A fixed path into the tree itself, however the user spells the tree's path.
#[test]
fn answers_do_not_depend_on_how_the_root_is_spelled() {
    let tree = folder(&[("rocm/lib/librocblas.so.4", &library("librocblas.so.4", &[], ""))]);
    let lib = tree.path().join("rocm/lib");
    let runpath: &'static str = Box::leak(lib.to_str().unwrap().to_owned().into_boxed_str());
    let app = library("libhipblas.so.2", &["librocblas.so.4"], runpath);
    std::fs::create_dir(tree.path().join("rocm/other")).unwrap();
    std::fs::write(tree.path().join("rocm/other/libhipblas.so.2"), app).unwrap();
    let whole = tree.path().join("rocm");
    for root in ["rocm", "./rocm", "rocm/lib/..", whole.to_str().unwrap()] {
        let output = run_in(tree.path(), &["needs", "-f", "json", root]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            places(&report, "libhipblas.so.2"),
            ["librocblas.so.4 here lib/librocblas.so.4"],
            "{root}"
        );
    }
}

/// A text of 60,000 colons takes 60 KB in a file and must not take gigabytes in a report.
#[test]
fn search_paths_without_end_are_bounded() {
    let runpath: &'static str = Box::leak(":".repeat(60_000).into_boxed_str());
    let tree = folder(&[("libhipblas.so.2", &library("libhipblas.so.2", &["librocblas.so.4"], runpath))]);
    let output = run(&["needs", "-f", "json", tree.path().to_str().unwrap()]);
    assert!(output.stdout.len() < 100_000, "{}", output.stdout.len());
}
