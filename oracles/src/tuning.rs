//! Holds the checker of tuning files against six files that are made from real catalogs: each is in force as
//! it is, and where some of its rows are broken, exactly those rows are not.
//!
//! The rows are calls of recorded vectors with the solution that the library chooses for them.

use anyhow::{Context as _, Result, bail, ensure};
use rocm_audit::engines::tensile::call::{GemmCall, Transpose};
use rocm_audit::engines::tensile::library::Library as RocBlas;
use rocm_audit::engines::tensile::lite::call::MatmulCall;
use rocm_audit::engines::tensile::lite::library::Library as HipBlasLt;
use rocm_audit::engines::tensile::tuning::{Libraries, check};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Rows of a file.
const ROWS: usize = 60;

/// How often a file is broken in other rows and ways.
const ROUNDS: u64 = 200;

/// How a row is broken: its cells, and whether it could be.
type Break = fn(&mut Vec<String>) -> bool;

/// A file, and the ways in which its rows can be broken.
struct TuningFile {
    name: &'static str,
    /// Lines that are no rows of solutions.
    heading: Vec<String>,
    rows: Vec<String>,
    breaks: &'static [Break],
}

pub fn run(arguments: &[String]) -> Result<()> {
    let [rocblas, hipblaslt, gemms, matmuls] = arguments else {
        bail!("tuning ROCBLAS_FOLDER HIPBLASLT_FOLDER ROCBLAS_VECTORS.jsonl HIPBLASLT_VECTORS.jsonl")
    };
    let gemms: Vec<GemmCall> = read(gemms)?;
    let matmuls: Vec<MatmulCall> = read(matmuls)?;
    let gemm = gemms.first().context("no call of rocBLAS")?;
    let matmul = matmuls.first().context("no call of hipBLASLt")?;
    let of_rocblas = Libraries {
        target: gemm.target.clone(),
        multiprocessors: gemm.multiprocessors,
        rocblas: Some(Arc::new(RocBlas::open(Path::new(rocblas), &gemm.target)?)),
        hipblaslt: None,
    };
    let of_hipblaslt = Libraries {
        target: matmul.target.clone(),
        multiprocessors: matmul.multiprocessors,
        rocblas: None,
        hipblaslt: Some(Arc::new(HipBlasLt::open(Path::new(hipblaslt), &matmul.target)?)),
    };
    let (mut files, mut wrong) = (0, 0);
    let of_gemms = rocblas_files(&of_rocblas, &gemms)?;
    let of_matmuls = hipblaslt_files(&of_hipblaslt, &matmuls)?;
    let all = of_gemms.iter().map(|file| (file, &of_rocblas));
    for (file, libraries) in all.chain(of_matmuls.iter().map(|file| (file, &of_hipblaslt))) {
        let found = broken(file, libraries)?;
        println!(
            "{:<16} {} rows, {} files with broken rows, {found} wrong",
            file.name,
            file.rows.len(),
            ROUNDS
        );
        files += ROUNDS;
        wrong += found;
    }
    println!("TOTAL {files} files, {wrong} wrong");
    if wrong > 0 { bail!("{wrong} of {files} files are judged otherwise") } else { Ok(()) }
}

/// Breaks rows of a file at random; gives how many files were judged otherwise.
fn broken(file: &TuningFile, libraries: &Libraries) -> Result<u64> {
    let text = |rows: &[String]| [file.heading.as_slice(), rows].concat().join("\n");
    let whole = check(&text(&file.rows), libraries);
    ensure!(whole.stale.is_empty(), "{}: {:?}", file.name, whole.stale.first());
    ensure!(whole.rows as usize == rows_of(&file.rows).count(), "{}: {} rows", file.name, whole.rows);
    let (mut state, mut wrong) = (1_u64, 0);
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for round in 0..ROUNDS {
        let mut rows = file.rows.clone();
        let mut expected = BTreeSet::new();
        let own: Vec<usize> = rows_of(&file.rows).collect();
        for _ in 0..=next(4) {
            let at = own[next(own.len())];
            let mut cells: Vec<String> = file.rows[at].split(',').map(str::to_owned).collect();
            if file.breaks[next(file.breaks.len())](&mut cells) {
                rows[at] = cells.join(",");
                expected.insert((file.heading.len() + at + 1) as u64);
            }
        }
        let found: BTreeSet<u64> = check(&text(&rows), libraries).stale.iter().map(|row| row.line).collect();
        if found != expected {
            wrong += 1;
            println!("{} {round}: broken {expected:?}, found {found:?}", file.name);
        }
    }
    Ok(wrong)
}

/// Places of rows that name a solution.
fn rows_of(rows: &[String]) -> impl Iterator<Item = usize> + '_ {
    rows.iter().enumerate().filter(|(_, row)| !row.contains("transA")).map(|(at, _)| at)
}

fn read<C: serde::de::DeserializeOwned>(path: &str) -> Result<Vec<C>> {
    let text = std::fs::read_to_string(path).with_context(|| path.to_owned())?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn letter(of: Transpose) -> &'static str {
    match of {
        Transpose::N => "N",
        Transpose::T => "T",
        Transpose::C => "C",
    }
}

fn last(cells: &mut [String], text: &str) -> bool {
    cells.last_mut().into_iter().for_each(|cell| *cell = text.to_owned());
    true
}

const OF_ROCBLAS: &[Break] = &[
    |cells| last(cells, "99999999"),
    |cells| last(cells, "-20"),
    |cells| last(cells, "0"),
    |cells| {
        cells[2] = "many".to_owned();
        true
    },
    |cells| cells.pop().is_some(),
    |cells| {
        cells.push("1".to_owned());
        true
    },
    |cells| {
        let at = cells.len() - 2;
        cells[at] = format!(" {}", cells[at]);
        true
    },
];

const OF_CELLS: &[Break] = &[
    |cells| last(cells, "4294967"),
    |cells| last(cells, "0"),
    |cells| last(cells, "-5"),
    |cells| {
        cells.push("1".to_owned());
        true
    },
    |cells| {
        cells[0] = if cells[0] == "N" { "T" } else { "N" }.to_owned();
        true
    },
];

const OF_NAMED: &[Break] = &[
    |cells| last(cells, "Cijk_of_another_build"),
    |cells| cells.pop().is_some(),
    |cells| {
        cells[11] = "4294967".to_owned();
        true
    },
];

const OF_TUNABLE_OP: &[Break] = &[
    |cells| {
        cells[2] = "Gemm_Rocblas_-4294967".to_owned();
        true
    },
    |cells| {
        cells[2] = "Gemm_CkTile_1".to_owned();
        true
    },
    |cells| {
        cells[1] = "nn_of_nothing".to_owned();
        true
    },
];

const OF_VARIABLES: &[Break] = &[
    |cells| last(cells, "export TENSILE_SOLUTION_INDEX=99999999"),
    |cells| last(cells, "export TENSILE_SOLUTION_INDEX=-1"),
];

/// The types of a row, by rocBLAS's name.
const TYPES: &[(&str, [&str; 3], &str)] = &[
    ("HHS", ["f16_r", "f16_r", "f32_r"], "Half"),
    ("BBS", ["bf16_r", "bf16_r", "f32_r"], "BFloat16"),
    ("SS", ["f32_r", "f32_r", "f32_r"], "float"),
    ("DD", ["f64_r", "f64_r", "f64_r"], "double"),
];

fn rocblas_files(libraries: &Libraries, calls: &[GemmCall]) -> Result<Vec<TuningFile>> {
    let library = libraries.rocblas.as_deref().context("rocBLAS")?;
    let is_new = library.version().is_some_and(|version| version.major >= 5);
    let (mut short, mut long, mut tunable) = (Vec::new(), Vec::new(), Vec::new());
    let mut variables = Vec::new();
    for call in calls {
        let Some((_, types, torch)) = TYPES.iter().find(|(name, ..)| *name == call.ty) else { continue };
        // A file has no words for these, nor for matrices behind pointers.
        let behind_pointers = call.api.starts_with("gemm_batched");
        if behind_pointers
            || call.batch != 1
            || call.xf32
            || !call.c_eq_d
            || call.ld[2] != call.ld[3]
            || short.len() == ROWS
        {
            continue;
        }
        let Ok(answer) = library.process().call(call, None) else { continue };
        let Some(solution) = answer.solution.filter(|_| answer.status == 0 && !answer.gemv) else { continue };
        let [m, n, k] = [call.m, call.n, call.k];
        let [lda, ldb, ldc, _] = call.ld;
        let (a, b) = (letter(call.ta), letter(call.tb));
        let [input, output, compute] = types;
        let front = format!("{a},{b},{m},{n},1,{k},1,{},{lda},{ldb},{ldc}", call.beta);
        let index = solution.index + 1;
        short.push(format!("{front},{input},{output},{compute},{index}"));
        long.push(format!("{front},1,1,1,{input},{output},{compute},{index}"));
        let number = if is_new { -(i64::from(solution.index) + 11) } else { i64::from(index) };
        let letters = format!("{a}{b}");
        let sizes = format!("{}_{m}_{n}_{k}_ld_{lda}_{ldb}_{ldc}", letters.to_lowercase());
        tunable.push(format!("GemmTunableOp_{torch}_{letters},{sizes},Gemm_Rocblas_{number},0.01"));
        variables.push(format!("export TENSILE_SOLUTION_INDEX={}", solution.index));
    }
    let heading = "transA,transB,M,N,batch_count,K,alpha,beta,lda,ldb,ldc,…".to_owned();
    let validator = format!("Validator,GCN_ARCH_NAME,{}", libraries.target);
    let file = |name, heading, rows, breaks| TuningFile { name, heading, rows, breaks };
    Ok(vec![
        file("rocBLAS, 15", vec![heading.clone()], short, OF_ROCBLAS),
        file("rocBLAS, 18", vec![heading], long, OF_ROCBLAS),
        file("TunableOp", vec![validator], tunable, OF_TUNABLE_OP),
        file("variables", vec![], variables, OF_VARIABLES),
    ])
}

fn hipblaslt_files(libraries: &Libraries, calls: &[MatmulCall]) -> Result<Vec<TuningFile>> {
    let library = libraries.hipblaslt.as_deref().context("hipBLASLt")?;
    let (mut cells, mut named) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for call in calls {
        let Ok(choice) = library.choose(call, None) else { continue };
        let Some(first) = choice.fixed.first().filter(|_| cells.len() < ROWS) else { continue };
        let (a, b, index) = (letter(call.ta), letter(call.tb), first.solution.index);
        let sizes = format!("{},{},{},{}", call.batch, call.m, call.n, call.k);
        if a == "C" || index == 0 || !seen.insert(format!("{a}{b}{sizes}{}{}", call.a, call.d)) {
            continue;
        }
        let types = format!("{},{},{},{}", call.a.bench, call.b.bench, call.c.bench, call.d.bench);
        cells.push(format!("{a},{b},x,{sizes},{}{types},x,{index}", "x,".repeat(24)));
        named.push("transA,transB,batch_count,m,n,k,a_type,b_type,c_type,d_type,compute_type,solution_index,kernel_name".to_owned());
        let kernel = first.catalog.text(first.solution.kernel);
        named.push(format!("{a},{b},{sizes},{types},{},{index},{kernel}", call.comp.bench));
    }
    let stamp = "Git Version: of these catalogs".to_owned();
    let file = |name, rows, breaks| TuningFile { name, heading: vec![stamp.clone()], rows, breaks };
    Ok(vec![file("hipBLASLt, 37", cells, OF_CELLS), file("hipBLASLt, named", named, OF_NAMED)])
}
