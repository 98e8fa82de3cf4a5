//! `cargo oracle NAME …`: compares the library with real libraries and independent readers.
//!
//! The data lies outside of this repository; every path is an argument. `docs/oracles.md` says what each
//! oracle needs.

mod containers;
mod facts;
mod ggml;
mod ggml_bodies;
mod hipblaslt;
mod kernel;
mod miopen_databases;
mod miopen_library;
mod miopen_rules;
mod model;
mod modern_blas;
mod onnx;
mod question_trees;
mod questions;
mod rocblas;
mod vectors;

use anyhow::{Result, bail};

/// Name, description of parameters and comparison, function.
type Oracle = (&'static str, &'static str, fn(&[String]) -> Result<()>);

const ORACLES: &[Oracle] = &[
    (
        "containers",
        "PACKAGES EXPECTED: what is read in real packages, with what an independent extractor read",
        containers::run,
    ),
    (
        "ggml",
        "LIBRARY ROUTES CASES: routes and kernels of ggml, with the answers of the real library",
        ggml::run,
    ),
    (
        "ggml-bodies",
        "LIBRARY LLVM_OBJDUMP [N]: what N kernels of a ggml library are, with LLVM's disassembly",
        ggml_bodies::run,
    ),
    (
        "hipblaslt",
        "LIBRARY_FOLDER VECTORS_FOLDER: the choices of hipBLASLt, with the answers of the real library",
        hipblaslt::run,
    ),
    (
        "kernel",
        "occupancy CASES [--two-thirds | --third]: what is inside of kernels, with LLVM's libraries and tools",
        kernel::run,
    ),
    (
        "miopen-databases",
        "DATA_FOLDER: the numbers of MIOpen's real databases, with those of an independent reader",
        miopen_databases::run,
    ),
    (
        "miopen-library",
        "[--held] VECTORS DATA_FOLDER [PART_OF_A_NAME…]: the rules of MIOpen's solvers, with the answers of the real library",
        miopen_library::run,
    ),
    (
        "miopen-rules",
        "DATA_FOLDER | --expectations FILE: the rules of MIOpen's solvers, with its find-dbs, or with a file of expectations",
        miopen_rules::run,
    ),
    (
        "model",
        "RUNS HEADERS LIBRARY: products and launches of whole models, with runs of llama.cpp",
        model::run,
    ),
    (
        "modern-blas",
        "hipblaslt|rocblas|overrides FOLDER ORACLE | origami ORACLE [--two-thirds | --third]: matrix products, with the real libraries of ROCm 7.2.4",
        modern_blas::run,
    ),
    (
        "onnx",
        "MODELS PROBLEMS [RECORDS DATA]: convolutions and products of ONNX models, and their records in find-dbs",
        onnx::run,
    ),
    (
        "questions",
        "FILE [--trees PACKAGES [FOLDER]…]: the messages of real problems, with their causes",
        questions::run,
    ),
    (
        "rocblas",
        "LIBRARY_FOLDER VECTORS_FOLDER KERNELS: the solutions of rocBLAS, with the answers of the real library",
        rocblas::run,
    ),
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((name, rest)) = arguments.split_first()
        && let Some((_, _, run)) = ORACLES.iter().find(|(own, ..)| own == name)
    {
        return run(rest);
    }
    for (name, what, _) in ORACLES {
        println!("{name:<16} {what}");
    }
    if arguments.is_empty() { Ok(()) } else { bail!("no such oracle: {}", arguments.join(" ")) }
}
