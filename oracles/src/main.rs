//! `cargo oracle NAME …`: everything that needs data from outside of this repository. Most compare what the
//! library says with the answers of real libraries and of independent readers; some write the project's
//! tables from the sources of others, and some measure or break real packages.
//!
//! Every path is an argument. `docs/oracles.md` says what each needs.

mod agree;
mod aotriton;
mod build_targets;
mod citations;
mod containers;
mod digest;
mod facts;
mod files;
mod ggml;
mod ggml_bodies;
mod hipblaslt;
mod hipsparselt;
mod history;
mod isa;
mod kernel;
mod measure;
mod miopen_databases;
mod miopen_library;
mod miopen_models;
mod miopen_rules;
mod model;
mod modern_blas;
mod onnx;
mod products;
mod question_trees;
mod questions;
mod rocblas;
mod scaling;
mod torture;
mod tuning;
mod vectors;

use anyhow::{Result, bail};

/// Name, description of parameters and comparison, function.
type Oracle = (&'static str, &'static str, fn(&[String]) -> Result<()>);

const ORACLES: &[Oracle] = &[
    (
        "agree",
        "PATH... [--damage N] [--seed S]: what the program claims of packages in each way, also of damaged copies",
        agree::run,
    ),
    (
        "aotriton",
        "FOLDER: which image of AOTriton a call of attention takes, with AOTriton's own dispatch",
        aotriton::run,
    ),
    (
        "build-targets",
        "SOURCES: write for which targets releases of libraries are built by default, from git repositories",
        build_targets::run,
    ),
    (
        "check-citations",
        "SOURCES: what the rules cite, looked up in git repositories: the file at its commit, and its lines",
        citations::run,
    ),
    (
        "check-isa",
        "LLVM [LLVM_SOURCE] [VECTORS]: the instruction tables, with LLVM on random words, its own tests, vectors",
        isa::check::run,
    ),
    (
        "containers",
        "PACKAGES EXPECTED: what is read in real packages, with what an independent extractor read",
        containers::run,
    ),
    (
        "gen-isa",
        "LLVM LLVM_SOURCE [--check]: write the instruction tables from LLVM's target description, or compare them",
        isa::run,
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
        "hipsparselt",
        "LIBRARY_FOLDER VECTORS: products with a sparse matrix, with the real library on a stand-in for the HIP runtime",
        hipsparselt::run,
    ),
    (
        "history",
        "SOURCES: write when libraries first and last named each processor, from git repositories",
        history::run,
    ),
    (
        "isa-fuzz",
        "LLVM [WORDS] [--seed S]: the decoder, with LLVM's disassembler on random words",
        isa::fuzz::run,
    ),
    (
        "isa-oracle",
        "LLVM CORPUS [ORACLE] [--sample N]: the decoder, with llvm-objdump on real packages and with vectors",
        isa::oracle::run,
    ),
    (
        "kernel",
        "occupancy CASES [--two-thirds | --third]: what is inside of kernels, with LLVM's libraries and tools",
        kernel::run,
    ),
    (
        "measure",
        "DEST: speed and memory on those packages, as ratios to cat and to other tools",
        measure::run,
    ),
    (
        "measure-isa",
        "DEST: speed of the instruction decoder, as ratios to llvm-objdump and cat",
        isa::measure::run,
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
        "miopen-models",
        "MODELS_FOLDER [DATA_FOLDER…]: the models of MIOpen, with the vectors in their files and the recorded fastest solvers",
        miopen_models::run,
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
        "products",
        "SOURCES: write the table of products from ROCm's, libhsakmt's, libdrm's and TheRock's lists",
        products::run,
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
    (
        "scaling",
        "TREE... SVG: time and memory of the audit by size, from 1 MB to 100 GB, and by threads; writes a plot",
        scaling::run,
    ),
    (
        "torture",
        "DEST [--runs N] [--seed S] [--program FILE] [--show CASE | --again]: break real files and run everything on them",
        torture::run,
    ),
    (
        "tuning",
        "ROCBLAS HIPBLASLT ROCBLAS_VECTORS HIPBLASLT_VECTORS: six tuning files made from real catalogs, broken row by row",
        tuning::run,
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
