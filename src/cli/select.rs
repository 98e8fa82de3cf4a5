//! `rocm-audit select gemm`: which kernels rocBLAS would launch for a matrix product, by its own catalogs.

use super::global::{self, GlobalArgs};
use super::roots;
use crate::error::AuditError;
use crate::render::{Format, select};
use crate::tensile::library::{Answer, Library};
use crate::tensile::problem::Problem;
use crate::tensile::walk::Walk;
use crate::walk::{self, Kind};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    operation: Operation,
}

#[derive(Debug, Clone, clap::Subcommand)]
enum Operation {
    /// A matrix product: the solution that rocBLAS chooses, its code object and its launches. Needs --arch.
    Gemm(Box<GemmArgs>),
}

#[derive(Debug, Clone, clap::Args)]
struct GemmArgs {
    /// Rows of C
    #[arg(short, required_unless_present = "problems")]
    m: Option<u64>,
    /// Columns of C
    #[arg(short, required_unless_present = "problems")]
    n: Option<u64>,
    /// The dimension that is summed over
    #[arg(short, required_unless_present = "problems")]
    k: Option<u64>,
    /// Types of A and B, C and D, and of the computation: SS, DD, CC, ZZ, HH, HHS, HSS, BBS, BSS, I8II
    #[arg(long = "type", value_name = "TYPE", default_value = "SS")]
    ty: String,
    /// How A and B enter: N, T or C (conjugated) each
    #[arg(long, value_name = "AB", default_value = "NN")]
    trans: String,
    /// Multiprocessors as HIP counts them: compute units, or work group processors on RDNA
    #[arg(long, value_name = "N", required_unless_present = "problems")]
    cu: Option<u32>,
    /// Matrices
    #[arg(long, value_name = "N", default_value_t = 1)]
    batch_count: u64,
    /// Leading dimension of A [default: its rows]
    #[arg(long)]
    lda: Option<u64>,
    /// Leading dimension of B [default: its rows]
    #[arg(long)]
    ldb: Option<u64>,
    /// Leading dimension of C [default: m]
    #[arg(long)]
    ldc: Option<u64>,
    /// Leading dimension of D [default: that of C]
    #[arg(long)]
    ldd: Option<u64>,
    /// Scales the product
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    alpha: f64,
    /// Scales C
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    beta: f64,
    /// The function without `rocblas_` and the letter of the type
    #[arg(long, default_value = "gemm_ex")]
    api: String,
    /// Bytes of workspace
    #[arg(long, value_name = "BYTES", default_value_t = crate::tensile::problem::DEFAULT_WORKSPACE)]
    workspace: u64,
    /// Forbid atomics, so that results repeat
    #[arg(long)]
    deterministic: bool,
    /// The performance metric CU efficiency
    #[arg(long)]
    cu_efficiency: bool,
    /// TENSILE_EXPERIMENTAL_SELECTION: 1 or 2
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2))]
    experimental: Option<u8>,
    /// Answer the problems of FILE instead, one JSON object a line, a line each; those of one target are calls of one process
    #[arg(long, value_name = "FILE", conflicts_with_all = ["m", "n", "k", "cu"])]
    problems: Option<PathBuf>,
    /// The install, or the folder with the catalogs [default: $ROCM_PATH, else /opt/rocm*]
    #[arg(long, value_name = "PATH")]
    root: Option<PathBuf>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<(), AuditError> {
    let Operation::Gemm(args) = &args.operation;
    let roots = roots::resolve(args.root.as_slice())?;
    let folders = folders(&roots);
    match &args.problems {
        Some(file) => problems(file, &folders, global),
        None => one(args, &folders, global),
    }
}

/// The folders below roots that hold rocBLAS's catalogs.
fn folders(roots: &[PathBuf]) -> Vec<PathBuf> {
    let entries = walk::walk(roots, &walk::Options::default()).entries;
    let is_catalog = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("TensileLibrary") && name.ends_with(".dat")
    };
    let files = entries.into_iter().filter(|e| matches!(e.kind, Kind::File(_)) && is_catalog(&e.path));
    let mut folders: Vec<PathBuf> = files.filter_map(|e| e.path.parent().map(Path::to_owned)).collect();
    folders.dedup();
    // hipBLASLt's are of another kind, and its choice is not reproduced.
    folders.retain(|folder| !folder.components().any(|part| part.as_os_str() == "hipblaslt"));
    folders
}

/// Opens the catalogs for a target: the first folder that has them.
fn open(folders: &[PathBuf], arch: &str) -> Result<Library, AuditError> {
    let mut first = None;
    for folder in folders {
        match Library::open(folder, arch) {
            Ok(library) => return Ok(library),
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    Err(AuditError::Usage(match first {
        Some(error) => error.to_string(),
        None => "no Tensile catalog of rocBLAS was found; name the install with --root".to_owned(),
    }))
}

fn one(args: &GemmArgs, folders: &[PathBuf], global: &GlobalArgs) -> Result<(), AuditError> {
    let [arch] = &global.arch[..] else {
        return Err(AuditError::Usage("select gemm: name one target with --arch".into()));
    };
    let problem = problem(args, &arch.to_string())?;
    let library = open(folders, &problem.arch)?;
    let mut walk = Walk::default();
    let answer =
        library.select(&problem, Some(&mut walk)).map_err(|error| AuditError::Usage(error.to_string()))?;
    for (destination, format) in global.outputs()? {
        let text = match format {
            Format::Json => format!("{:#}\n", stated(&problem.id, &answer)),
            Format::Jsonl => format!("{}\n", stated(&problem.id, &answer)),
            _ => select::gemm(&library, &problem, &answer, &walk, format, &global.style(&destination)),
        };
        global::write(&destination, &text)?;
    }
    Ok(())
}

fn problem(args: &GemmArgs, arch: &str) -> Result<Problem, AuditError> {
    let mut letters = args.trans.chars();
    let (Some(a), Some(b), None) = (letters.next(), letters.next(), letters.next()) else {
        return Err(AuditError::Usage(format!(
            "--trans {}: two letters of N, T and C are expected",
            args.trans
        )));
    };
    let (m, n, k) = (args.m.unwrap_or(0), args.n.unwrap_or(0), args.k.unwrap_or(0));
    let lda = args.lda.unwrap_or(if a == 'N' { m } else { k });
    let ldb = args.ldb.unwrap_or(if b == 'N' { k } else { n });
    let ldc = args.ldc.unwrap_or(m);
    let ldd = args.ldd.unwrap_or(ldc);
    let (columns_a, columns_b) = (if a == 'N' { k } else { m }, if b == 'N' { n } else { k });
    let stride = [
        lda.saturating_mul(columns_a),
        ldb.saturating_mul(columns_b),
        ldc.saturating_mul(n),
        ldd.saturating_mul(n),
    ];
    let stride = if args.batch_count > 1 { stride } else { [1; 4] };
    let value = json!({
        "id": "", "arch": arch, "cus": args.cu, "api": args.api, "ty": args.ty,
        "ta": a.to_string(), "tb": b.to_string(), "m": m, "n": n, "k": k, "batch": args.batch_count,
        "ld": [lda, ldb, ldc, ldd], "stride": stride, "alpha": args.alpha, "beta": args.beta,
        "det": args.deterministic, "cu_eff": args.cu_efficiency, "ws": args.workspace,
        "env": args.experimental.map(|n| format!("TENSILE_EXPERIMENTAL_SELECTION={n}")),
    });
    serde_json::from_value(value).map_err(|error| AuditError::Usage(format!("select gemm: {error}")))
}

/// An answer as `--problems` and JSON give it.
fn stated(id: &str, answer: &Answer<'_>) -> serde_json::Value {
    let launches: Vec<_> =
        answer.launches.iter().map(|l| json!([l.kernel, l.grid, l.work_group, l.file.as_deref()])).collect();
    json!({
        "id": id,
        "solution": answer.solution.map(|s| s.index),
        "kernel": answer.kernel,
        "co": answer.co,
        "loaded_from": answer.loaded_from.as_deref(),
        "launches": launches,
        "status": answer.status,
        "ws_req": answer.ws_req,
        "fallback": answer.fallback,
        "distance": answer.distance,
    })
}

/// Answers the problems of a file in their order.
fn problems(file: &Path, folders: &[PathBuf], global: &GlobalArgs) -> Result<(), AuditError> {
    let reader = std::fs::File::open(file).map_err(|e| AuditError::io("read", file, e))?;
    let mut lines = Vec::new();
    for (number, line) in std::io::BufReader::new(reader).lines().enumerate() {
        let line = line.map_err(|e| AuditError::io("read", file, e))?;
        if line.trim().is_empty() {
            continue;
        }
        let problem: Problem = serde_json::from_str(&line).map_err(|error| {
            AuditError::Usage(format!("{}, line {}: not a problem: {error}", file.display(), number + 1))
        })?;
        lines.push(problem);
    }
    let mut libraries = BTreeMap::new();
    for problem in &lines {
        if !libraries.contains_key(problem.arch.as_str()) {
            libraries.insert(problem.arch.as_str(), open(folders, &problem.arch)?);
        }
    }
    let mut processes: BTreeMap<_, _> =
        libraries.iter().map(|(arch, library)| (*arch, library.process())).collect();
    for (destination, _) in global.outputs()? {
        let mut out = global::open(&destination)?;
        let failed = |error| AuditError::io("write", destination.path(), error);
        for problem in &lines {
            let Some(process) = processes.get_mut(problem.arch.as_str()) else { continue };
            let answer = process.call(problem, None).map_err(|error| AuditError::Usage(error.to_string()))?;
            writeln!(out, "{}", stated(&problem.id, &answer)).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
    }
    Ok(())
}
