//! `rocm-audit select gemm`: which kernels rocBLAS would launch for a matrix product, by its own catalogs.

use super::global::{self, GlobalArgs};
use super::{roots, select_ggml};
use crate::engines::tensile::call::{DEFAULT_WORKSPACE, GemmCall};
use crate::engines::tensile::consistency::Owner;
use crate::engines::tensile::library::{Answer, Library};
use crate::engines::tensile::name::{Name, Role};
use crate::error::AuditError;
use crate::render::{self, Format, select};
use crate::report::{self, v1::GemmAnswer};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
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
    /// A convolution: the solver that MIOpen takes, by its databases and rules. Needs --arch.
    Conv(Box<super::select_conv::Args>),
    /// A matrix product of llama.cpp: ggml's route, its kernel and whether the library has it. Needs --arch.
    MulMat(Box<select_ggml::MulMatArgs>),
    /// Attention of llama.cpp, likewise. Needs --arch.
    FlashAttn(Box<select_ggml::FlashAttentionArgs>),
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
    /// From one A of a batch to the next, in elements [default: its size]; likewise B, C, D
    #[arg(long)]
    stride_a: Option<u64>,
    #[arg(long, hide = true)]
    stride_b: Option<u64>,
    #[arg(long, hide = true)]
    stride_c: Option<u64>,
    #[arg(long, hide = true)]
    stride_d: Option<u64>,
    /// Scales the product
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    alpha: f64,
    /// Scales C
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    beta: f64,
    /// The function without `rocblas_` and the letter of the type
    #[arg(long, default_value = "gemm_ex")]
    api: String,
    /// C and D are one matrix, as they always are for functions without `_ex`
    #[arg(long)]
    in_place: bool,
    /// Bytes of workspace [default: 32 MiB, on gfx94x 128 MiB]
    #[arg(long, value_name = "BYTES")]
    workspace: Option<u64>,
    /// Forbid atomics, so that results repeat
    #[arg(long)]
    deterministic: bool,
    /// What to be good at, as rocblas_set_performance_metric sets it
    #[arg(long, value_name = "METRIC")]
    performance_metric: Option<PerformanceMetric>,
    /// The flag rocblas_gemm_flags_use_cu_efficiency
    #[arg(long)]
    cu_efficiency: bool,
    /// The flag rocblas_gemm_flags_fp16_alt_impl
    #[arg(long)]
    fp16_alt: bool,
    /// The flag rocblas_gemm_flags_fp16_alt_impl_rnz
    #[arg(long)]
    fp16_alt_rnz: bool,
    /// The math mode rocblas_xf32_xdl_math_op
    #[arg(long)]
    xf32: bool,
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

/// What to be good at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PerformanceMetric {
    /// The device as a whole
    DeviceEfficiency,
    /// Each compute unit
    CuEfficiency,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<(), AuditError> {
    let args = match &args.operation {
        Operation::Gemm(args) => args,
        Operation::Conv(args) => return super::select_conv::run(args, global),
        Operation::MulMat(args) => return select_ggml::mul_mat(args, global),
        Operation::FlashAttn(args) => return select_ggml::flash_attention(args, global),
    };
    let roots = roots::resolve(args.root.as_slice())?;
    let folders = folders(&roots);
    match &args.problems {
        Some(file) => problems(file, &folders, global),
        None => one(args, &folders, global),
    }
}

/// The folders below roots that hold rocBLAS's catalogs. hipBLASLt's are of another kind, and its choice is not reproduced.
pub(super) fn folders(roots: &[PathBuf]) -> Vec<PathBuf> {
    let all = super::tensile::folders(roots).into_iter();
    all.filter(|(_, owner)| *owner == Owner::RocBlas).map(|(folder, _)| folder).collect()
}

/// Opens the catalogs for a target: the first folder that has them.
fn open(folders: &[PathBuf], arch: &str) -> Result<Library, AuditError> {
    let mut first = None;
    for folder in folders {
        match Library::open(folder, arch) {
            Ok(library) => return Ok(library),
            Err(error) => {
                first.get_or_insert((folder, error));
            }
        }
    }
    Err(AuditError::Usage(match first {
        Some((folder, error)) => format!(
            "{error}. rocBLAS aborts there, and where the catalog is missing says \"Cannot read …/TensileLibrary.dat … for \
             GPU arch : {}\" whatever file it is. First catalogs in {}: {}",
            arch.split(':').next().unwrap_or(arch),
            folder.display(),
            masters(folder)
        ),
        None => "no Tensile catalog of rocBLAS was found; name the install with --root".to_owned(),
    }))
}

/// The targets that a folder has a first catalog for.
fn masters(folder: &Path) -> String {
    let names = std::fs::read_dir(folder).into_iter().flatten();
    let names = names.filter_map(|entry| Name::parse(entry.ok()?.file_name().to_str()?));
    let targets: BTreeSet<_> =
        names.filter(|n| n.role == Role::LazyCatalog).filter_map(|n| n.target).collect();
    if targets.is_empty() {
        return "none".to_owned();
    }
    targets.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn one(args: &GemmArgs, folders: &[PathBuf], global: &GlobalArgs) -> Result<(), AuditError> {
    let [arch] = &global.arch[..] else {
        return Err(AuditError::Usage("select gemm: name one target with --arch".into()));
    };
    let problem = problem(args, &arch.to_string())?;
    let library = open(folders, &problem.arch)?;
    let report = report::gemm(&library, &problem)?;
    for (destination, format) in global.outputs()? {
        let text = match format {
            Format::Jsonl => {
                let answer = library.select(&problem, None).map_err(|e| AuditError::Usage(e.to_string()))?;
                render::json_line(&stated(&problem.id, &answer))
            }
            _ => select::gemm(&report, format, &global.style(&destination)),
        };
        global::write(&destination, &text)?;
    }
    Ok(())
}

fn problem(args: &GemmArgs, arch: &str) -> Result<GemmCall, AuditError> {
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
    let [mut stride, asked] = [
        if args.batch_count > 1 { stride } else { [1; 4] },
        [args.stride_a, args.stride_b, args.stride_c, args.stride_d].map(Option::unwrap_or_default),
    ];
    for (own, asked) in stride.iter_mut().zip(asked) {
        *own = if asked > 0 { asked } else { *own };
    }
    // Only the functions of the `_ex` kind have a D of its own.
    let in_place = args.in_place || !args.api.ends_with("_ex");
    let efficient = args.cu_efficiency || args.performance_metric == Some(PerformanceMetric::CuEfficiency);
    // rocBLAS's own default: 128 MiB on gfx94x, 32 MiB elsewhere.
    let usual = if arch.starts_with("gfx94") { 4 * DEFAULT_WORKSPACE } else { DEFAULT_WORKSPACE };
    let workspace = args.workspace.unwrap_or(usual);
    let value = json!({
        "id": "", "arch": arch, "cus": args.cu, "api": args.api, "ty": args.ty,
        "ta": a.to_string(), "tb": b.to_string(), "m": m, "n": n, "k": k, "batch": args.batch_count,
        "ld": [lda, ldb, ldc, ldd], "stride": stride, "alpha": args.alpha, "beta": args.beta,
        "det": args.deterministic, "cu_eff": efficient, "ws": workspace, "c_eq_d": in_place,
        "strided": !args.api.ends_with("batched") && !args.api.ends_with("batched_ex") || args.api.contains("strided"),
        "fp16alt": args.fp16_alt, "fp16alt_rnz": args.fp16_alt_rnz, "xf32": args.xf32,
        "env": args.experimental.map(|n| format!("TENSILE_EXPERIMENTAL_SELECTION={n}")),
    });
    serde_json::from_value(value).map_err(|error| AuditError::Usage(format!("select gemm: {error}")))
}

/// An answer as `--problems` gives it.
fn stated<'a>(id: &'a str, answer: &'a Answer<'_>) -> GemmAnswer<'a> {
    GemmAnswer {
        id,
        solution: answer.solution.map(|s| s.index),
        kernel: answer.kernel,
        co: answer.co.as_deref(),
        loaded_from: answer.loaded_from.as_deref(),
        launches: report::launches(answer),
        status: answer.status,
        ws_req: answer.ws_req,
        fallback: answer.fallback,
        distance: answer.distance,
    }
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
        let problem: GemmCall = serde_json::from_str(&line).map_err(|error| {
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
            let line = render::json_line(&stated(&problem.id, &answer));
            out.write_all(line.as_bytes()).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
    }
    Ok(())
}
