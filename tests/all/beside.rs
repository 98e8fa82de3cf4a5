//! `select gemm` and `select matmul` with --vs and --vs-library: each side must equal the answer it gives
//! alone.

use crate::common::program::run;
use serde_json::Value;

const ROCBLAS: &str = "fixtures/tensile/library";
const SIZES: [&str; 5] = ["-m512", "-n512", "-k512", "-f", "json"];

fn json(call: &[&str]) -> Value {
    let out = run(&[call, &SIZES[..]].concat());
    serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{call:?}: {out:?}"))
}

#[test]
fn each_side_is_the_answer_of_its_own() {
    let gemm = ["select", "gemm", ROCBLAS, "--trans", "NT"];
    let devices = [("gfx900", "64"), ("gfx90a", "104"), ("gfx1010", "20")];
    let beside =
        ["--arch", "gfx900", "--cu", "64", "--vs", "gfx90a,104", "--vs", "gfx1010,20", "--vs", "gfx1201,32"];
    let both = json(&[&gemm[..], &beside[..]].concat());
    let sides = both["sides"].as_array().unwrap();
    assert_eq!(sides.len(), 4);
    for (side, (target, cus)) in sides.iter().zip(devices) {
        let alone = json(&[&gemm[..], &["--arch", target, "--cu", cus]].concat());
        for field in
            ["target", "multiprocessors", "solution", "kernel", "code_object", "launches", "workspace_bytes"]
        {
            assert_eq!(side[field], alone[field], "{target} {field}");
        }
    }
    assert_eq!((&sides[3]["answered"], &sides[3]["kernel"]), (&Value::Bool(false), &Value::Null));
    assert!(sides[3]["answer"].as_str().unwrap().contains("TensileLibrary_lazy_gfx1201.dat"));
    assert_eq!(both["releases"].as_array().unwrap().len(), 6);
}

#[test]
fn the_same_install_twice_takes_one_kernel() {
    let matmul =
        ["select", "matmul", "fixtures/hipblaslt", "--arch", "gfx1151", "--type", "f16", "--trans", "TN"];
    let both = json(&[&matmul[..], &["--vs-library", "fixtures/hipblaslt"]].concat());
    let sides = both["sides"].as_array().unwrap();
    assert_eq!((sides.len(), &both["kernels"]), (2, &Value::from(1)));
    let alone = json(&matmul);
    assert_eq!(sides[1]["kernel"], alone["algorithms"][0]["kernel"]);
    assert_eq!(sides[1]["launches"], alone["launches"]);
    assert_eq!(both["releases"], Value::Array(Vec::new()), "rocBLAS was not asked");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let call = ["select", "gemm", ROCBLAS, "--arch", "gfx900", "--cu", "64", "--vs"];
    for (word, says) in [("gfx90a,many", "a number of multiprocessors"), ("gfx9999", "gfx9999")] {
        let out = run(&[&call[..], &[word], &SIZES[..]].concat());
        assert_eq!(out.status.code(), Some(2), "{out:?}");
        let said = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
        assert!(said.contains(says), "{word}: {said}");
    }
}
