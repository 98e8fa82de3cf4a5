//! Packages whose kernels are text: the verdict says who compiles them, and promises nothing.
#![cfg(feature = "cli")]

use crate::common::fixture;
use crate::common::packages::{borrowed, gzip, member, tar_header, zip};
use crate::common::program::json_with_findings;
use crate::common::seen::folder;
use serde_json::Value;
use std::fs;

type Files<'f> = [(&'f str, &'f str)];

const HIP: &str = "#include <hip/hip_runtime.h>\n__global__ void scale(float *x) { x[threadIdx.x] *= 2; }\n";
const CUDA: &str = "#include <cuda_runtime.h>\n__global__ void scale(float *x) { x[threadIdx.x] *= 2; }\n";
const BUILD: &str = "import subprocess\nsubprocess.run(['hipcc', '-shared', 'scale.hip'])\n";
const LOAD: &str = "from torch.utils.cpp_extension import load\nload(name='a', sources=['scale.cu'])\n";

fn verdict(files: &[(&str, &[u8])]) -> (String, String, Value) {
    let tree = folder(files);
    let report = json_with_findings(&["--arch", "gfx1030", tree.path().to_str().unwrap()]);
    let own = &report["verdicts"][0];
    let text = |name: &str| own[name].as_str().unwrap().to_owned();
    (text("answer"), text("headline"), report["run_time_compilers"].clone())
}

fn tar_gz(files: &Files<'_>) -> Vec<u8> {
    let mut all = Vec::new();
    for (name, text) in files {
        all.extend(tar_header(&format!("a-1.0/{name}"), text.len() as u64, b'0'));
        all.extend(text.as_bytes());
        all.resize(all.len().next_multiple_of(512), 0);
    }
    all.resize(all.len() + 1024, 0);
    gzip(&all)
}

/// What is said of files in a folder, in a wheel and in a source package: the answer, which must be the same,
/// and the headline of the folder.
fn said(files: &Files<'_>) -> (String, String) {
    let wheel =
        zip(&files.iter().map(|(name, text)| member(name, text.as_bytes().to_vec())).collect::<Vec<_>>());
    let loose: Vec<(String, Vec<u8>)> =
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    let (answer, headline, _) = verdict(&borrowed(&loose));
    for packed in [("a-1.0-py3-none-any.whl", wheel), ("a-1.0.tar.gz", tar_gz(files))] {
        let (other, text, _) = verdict(&[(packed.0, &packed.1)]);
        assert_eq!(other, answer, "{}: {text}", packed.0);
    }
    (answer, headline)
}

#[test]
fn sources_that_are_compiled_at_run_time_decide_nothing() {
    for (files, expected) in [
        (&[("a/k.hip", HIP), ("a/build.py", BUILD)][..], "compiled at run time, by hipcc"),
        (&[("a/k.hip", HIP)], "to be compiled by hipcc before they can run"),
        (&[("include/a/k.hpp", HIP)], "compiled with the programs that include them"),
        (&[("a/k.hip", HIP), ("a/b.py", LOAD)], "by PyTorch's cpp_extension"),
        (&[("a/k.cu", CUDA), ("a/b.py", LOAD)], "which translates them to HIP"),
        (
            &[("a/k.py", "import triton\n@triton.jit\ndef k(x):\n    pass\n")],
            "compiled at run time, by Triton",
        ),
        (
            &[("a/k.py", "S = '''__global__ void k() {}'''\nlib.hiprtcCompileProgram(p, 0, None)\n")],
            "compiled at run time, by hiprtc",
        ),
        // What C++ is for, a header beside it says.
        (
            &[
                ("a/k.cpp", "#include \"c.h\"\n__global__ void k() {}\n"),
                ("a/c.h", "#include <hip/hip_fp16.h>\n"),
            ],
            "to be compiled by hipcc",
        ),
        (&[("a/h.py", "import ctypes\nh = ctypes.CDLL('libamdhip64.so')\n")], "opens libamdhip64.so"),
        (
            &[("a/h.py", "import ctypes\nh = ctypes.CDLL('liba_rocm.so')\n")],
            "liba_rocm.so, which is not here",
        ),
        (
            &[("a/h.cpp", "#include <hip/hip_runtime.h>\nint f();\n")],
            "calls HIP's runtime and has no kernels",
        ),
    ] {
        let (answer, headline) = said(files);
        assert_eq!(answer, "unknown", "{headline}");
        assert!(headline.contains(expected), "{headline}");
    }
}

#[test]
fn words_about_kernels_say_nothing() {
    for files in [
        // Documentation, tests and comments.
        &[("a/README.md", HIP), ("a/guide.txt", BUILD)][..],
        &[("tests/k.hip", HIP), ("tests/build.py", BUILD), ("a/test_k.py", BUILD)],
        &[("a/k.cpp", "// #include <hip/hip_runtime.h>\n/* __global__ void k() {} */\n")],
        &[("a/b.py", "'''subprocess hipcc'''\n# 'hipcc'\nimport subprocess\n"), ("a/k.h", CUDA)],
        &[("a/doc.py", "'''\n__global__ void k() {}\n'''\nx = 'libamdhip64.so'\n")],
        // CUDA's alone.
        &[("a/k.cu", CUDA)],
        &[("a/k.cu", CUDA), ("a/b.py", "import subprocess\nsubprocess.run(['nvcc', 'k.cu'])\n")],
        &[("a/k.py", "import cupy\nk = cupy.RawKernel('__global__ void k() {}', 'k')\n")],
        &[("a/l.py", "import ctypes\nh = ctypes.CDLL('libcudart.so')\n")],
    ] {
        let (answer, headline) = said(files);
        assert_eq!((answer.as_str(), headline.as_str()), ("not", "no GPU code is here"), "{files:?}");
    }
}

#[test]
fn libraries_beside_sources_do_not_decide_alone() {
    let code = fs::read(fixture("rocm/lib/codeobject/v4_gfx906.hsaco")).unwrap();
    let [build, kernel] = [("a/build.py", BUILD.as_bytes()), ("a/k.hip", HIP.as_bytes())];
    let object = ("a/kernels.hsaco", &code[..]);
    assert_eq!(verdict(&[object]).0, "not");
    assert_eq!(verdict(&[object, kernel]).0, "not");
    let (answer, headline, compilers) = verdict(&[object, kernel, build]);
    assert_eq!(answer, "unknown");
    assert!(headline.contains("compiled at run time, by hipcc"), "{headline}");
    let of = |name: &str| compilers[0][name].as_str().unwrap().to_owned();
    assert_eq!(
        (of("name"), of("sign"), of("first")),
        ("hipcc".into(), "calls-it".into(), "a/build.py".into())
    );
    // Another package of the same environment says nothing of this one's libraries.
    let place = "lib/python3.12/site-packages";
    let names = ["b/kernels.hsaco", "a/k.hip", "a/build.py"].map(|name| format!("{place}/{name}"));
    let apart = [(names[0].as_str(), object.1), (names[1].as_str(), kernel.1), (names[2].as_str(), build.1)];
    assert_eq!(verdict(&apart).0, "not");
}
