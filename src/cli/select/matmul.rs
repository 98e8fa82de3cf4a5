//! `rocm-audit select matmul`: which algorithms hipBLASLt gives for a matrix product, by its own catalogs.

mod stated;

use super::beside::{self, BesideArgs};
use super::problems::{self, DeviceOfCall, Wrong};
use crate::answers::{Answers, Done, InstallChoice, findings, matmul_crashes};
use crate::cli::exit::{self, Status};
use crate::cli::global::GlobalArgs;
use crate::cli::roots;
use crate::engines::tensile::lite::call::MatmulCall;
use crate::engines::tensile::lite::epilogue::Epilogue;
use crate::engines::tensile::lite::types::{ComputeType, MatrixType};
use crate::engines::workload;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::render::style::Style;
use crate::render::{self, Draw as _, Drawn, Format, matmul_coverage};
use crate::report;
use rocm_audit_files::key_map::KeyMap;
use std::path::{Path, PathBuf};

/// The first lines of `--help`.
const USAGE: &str = "rocm-audit select matmul --gpu GPU -m M -n N -k K --type TYPE [OPTIONS] [PATH]\n       rocm-audit select matmul --arch TARGET --cu N -m M -n N -k K --type TYPE [OPTIONS] [PATH]\n       rocm-audit select matmul --gpu GPU --line 'hipblaslt-bench …' [OPTIONS] [PATH]\n       rocm-audit select matmul --problems FILE [OPTIONS] [PATH]";

/// Headings of `--help`.
const PRODUCT: &str = "The product";
const LAYOUT: &str = "Layout of the matrices";
const EPILOGUE: &str = "What is done with the product";
const CALL: &str = "How hipBLASLt is called";
const DEVICE: &str = "The device";

/// The end of `--help`.
const EXAMPLES: &str = exit::help!(
    r#"Examples:
  rocm-audit select matmul -m 4096 -n 512 -k 4096 --type f16 --trans TN --epilogue gelu-bias --gpu "RX 9070 XT" /opt/rocm
  rocm-audit select matmul --gpu "RX 7900 XTX" --line 'hipblaslt-bench -m 512 -n 512 -k 512 --a_type f16_r …' /opt/rocm
  rocm-audit select matmul --problems calls.jsonl -f jsonl /opt/rocm

The number behind --cu is what HIP reports as multiProcessorCount: compute units on GCN and CDNA (MI210: 104), work group
processors, half of that, on RDNA (RX 9070 XT: 32 of 64). It is needed only where catalogs ask for it, as those of gfx90a do.
"#
);

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub(in crate::cli) struct Args {
    /// Rows of D
    #[arg(short, required_unless_present_any = ["problems", "line", "coverage", "map"], help_heading = PRODUCT)]
    m: Option<u64>,
    /// Columns of D
    #[arg(short, required_unless_present_any = ["problems", "line", "coverage", "map"], help_heading = PRODUCT)]
    n: Option<u64>,
    /// The dimension that is summed over
    #[arg(short, required_unless_present_any = ["problems", "line", "coverage"], help_heading = PRODUCT)]
    k: Option<u64>,
    /// Type of all matrices: f32, f64, f16, bf16, i8, f8, bf8 (E4M3, E5M2), f8n, bf8n (FNUZ); of i8, C and D
    /// are i32; or one of rocBLAS's, such as HSS
    #[arg(long = "type", value_name = "TYPE", help_heading = PRODUCT, required_unless_present_any = ["problems", "line", "a_type", "coverage"])]
    ty: Option<String>,
    /// Type of A, where it is another; likewise B, C, D [C: that of D]
    #[arg(long, value_name = "TYPE", value_parser = MatrixType::meant, help_heading = PRODUCT)]
    a_type: Option<MatrixType>,
    #[arg(long, hide = true, value_parser = MatrixType::meant)]
    b_type: Option<MatrixType>,
    #[arg(long, hide = true, value_parser = MatrixType::meant)]
    c_type: Option<MatrixType>,
    #[arg(long, hide = true, value_parser = MatrixType::meant)]
    d_type: Option<MatrixType>,
    /// The computation: f32, xf32, f64, i32, fast16f, fast16bf, fast8f [default: f32; f64 of f64, i32 of i8]
    #[arg(long, value_name = "TYPE", value_parser = ComputeType::meant, help_heading = PRODUCT)]
    compute_type: Option<ComputeType>,
    /// Type of alpha and beta; it does not enter the choice
    #[arg(long, value_name = "TYPE", value_parser = MatrixType::meant, help_heading = PRODUCT)]
    scale_type: Option<MatrixType>,
    /// How A and B enter: N or T each
    #[arg(long, value_name = "AB", default_value = "NN", help_heading = PRODUCT)]
    trans: String,
    /// Matrices
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = PRODUCT)]
    batch_count: u64,
    /// Multiprocessors as HIP counts them: compute units, or work group processors on RDNA [default: those of
    /// the card that --gpu names]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = DEVICE)]
    cu: Option<u32>,
    /// Leading dimension of A [default: its rows]
    #[arg(long, help_heading = LAYOUT)]
    lda: Option<u64>,
    /// Leading dimension of B [default: its rows]
    #[arg(long, help_heading = LAYOUT)]
    ldb: Option<u64>,
    /// Leading dimension of C [default: m]
    #[arg(long, help_heading = LAYOUT)]
    ldc: Option<u64>,
    /// Leading dimension of D [default: m]
    #[arg(long, help_heading = LAYOUT)]
    ldd: Option<u64>,
    /// The epilogue: relu, bias, gelu-bias, relu-aux-bias, dgelu-bgrad, bgrada, swish, clamp, …, or its
    /// number
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = Epilogue::meant, help_heading = EPILOGUE)]
    epilogue: Epilogue,
    /// Type of the bias [default: hipBLASLt's, mostly that of D]
    #[arg(long, value_name = "TYPE", value_parser = MatrixType::meant, help_heading = EPILOGUE)]
    bias_type: Option<MatrixType>,
    /// The pointer to the bias is not set yet when the heuristic is asked
    #[arg(long, help_heading = EPILOGUE)]
    no_bias_pointer: bool,
    /// Type of the auxiliary matrix [default: that of D]
    #[arg(long, value_name = "TYPE", value_parser = MatrixType::meant, help_heading = EPILOGUE)]
    aux_type: Option<MatrixType>,
    /// Its leading dimension [default: m]
    #[arg(long, value_name = "N", help_heading = EPILOGUE)]
    aux_ld: Option<u64>,
    /// The pointer to the auxiliary matrix is not set yet when the heuristic is asked
    #[arg(long, help_heading = EPILOGUE)]
    no_aux_pointer: bool,
    /// A is scaled: by one number, by one for each row, or for each block
    #[arg(long, value_name = "HOW", help_heading = EPILOGUE)]
    scale_a: Option<Scale>,
    /// B is scaled: by one number, by one for each column, or for each block
    #[arg(long, value_name = "HOW", help_heading = EPILOGUE)]
    scale_b: Option<Scale>,
    /// C is scaled by a number
    #[arg(long, help_heading = EPILOGUE)]
    scale_c: bool,
    /// D is scaled by a number
    #[arg(long, help_heading = EPILOGUE)]
    scale_d: bool,
    /// The largest absolute value of D is asked for
    #[arg(long, help_heading = EPILOGUE)]
    amax_d: bool,
    /// Where alpha is
    #[arg(long, value_name = "WHERE", default_value = "host", help_heading = CALL)]
    alpha: PointerMode,
    /// Scales C; it does not enter the choice
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, help_heading = CALL)]
    beta: f64,
    /// Bytes of workspace that the preference allows; the library's own default is 0 [default: 33554432]
    #[arg(long, value_name = "BYTES", help_heading = CALL)]
    workspace: Option<u64>,
    /// How many algorithms are asked for; it can change the first
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = CALL)]
    algorithms: usize,
    /// The interface that is called; rocBLAS calls the extension
    #[arg(long, value_name = "WHICH", default_value = "c", help_heading = CALL)]
    interface: Which,
    /// A further product of a group (hipblaslt_ext::GroupedGemm), of packed matrices; repeatable, in order
    #[arg(long, value_name = "M,N,K[,BATCH]", value_parser = stated::member, help_heading = CALL,
        conflicts_with_all = ["lda", "ldb", "ldc", "ldd", "after", "line", "problems", "coverage", "map"])]
    group: Vec<[u64; 4]>,
    /// The matrix with two zeros in every four elements: hipSPARSELt computes the product, asks for ten
    /// algorithms and has bias, relu and gelu
    #[arg(long, value_name = "MATRIX", help_heading = CALL,
        conflicts_with_all = ["group", "after", "line", "problems", "coverage", "map", "workspace", "algorithms", "interface"])]
    sparse: Option<Sparse>,
    /// A call before this one in the same process, as what it differs in: bias-type=f32, epilogue=relu,
    /// algorithms=1, or several with commas; repeatable, in order
    #[arg(long, value_name = "NAME=VALUE", help_heading = CALL, conflicts_with = "problems")]
    after: Vec<String>,
    /// The call as a line of hipblaslt-bench or of hipBLASLt's log (HIPBLASLT_LOG_MASK=32, or a trace)
    #[arg(long, value_name = "LINE", conflicts_with_all = ["m", "n", "k", "problems", "ty", "a_type", "b_type", "c_type", "d_type",
        "compute_type", "scale_type", "trans", "batch_count", "lda", "ldb", "ldc", "ldd", "epilogue", "bias_type", "no_bias_pointer",
        "aux_type", "aux_ld", "no_aux_pointer", "scale_a", "scale_b", "scale_c", "scale_d", "amax_d", "alpha", "beta", "interface"])]
    line: Option<String>,
    #[command(flatten)]
    beside: BesideArgs,
    /// Answer the problems of FILE instead, one JSON object a line, or a list as `workload` reads it, a line
    /// each; each is the first call of a process
    #[arg(long, value_name = "FILE", conflicts_with_all = ["m", "n", "k"])]
    problems: Option<PathBuf>,
    /// Show which sizes each catalog of the target was tuned for, instead of a choice
    #[arg(long, conflicts_with_all = ["m", "n", "k", "ty", "a_type", "line", "problems", "after", "map", "cu"])]
    coverage: bool,
    /// Show how far M and N of 1 to 16384 are from the tuned sizes, for the K and types that are given
    #[arg(long, conflicts_with_all = ["m", "n", "line", "problems", "after", "lda", "ldb", "ldc", "ldd", "aux_ld"])]
    map: bool,
    /// The install, or the folder with the catalogs [default: $ROCM_PATH, else /opt/rocm*]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
}

/// How a matrix is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Scale {
    /// By one number
    Scalar,
    /// By one for each row or column
    Vector,
    /// By one for each block of 32 elements, as MX has it
    Blocks,
}

/// The sparse matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Sparse {
    /// A
    A,
    /// B
    B,
}

/// Which of hipBLASLt's interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// The C interface, hipblasLtMatmulAlgoGetHeuristic
    C,
    /// The C++ extension, hipblaslt_ext::Gemm
    Ext,
}

/// Where alpha is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PointerMode {
    /// On the host
    Host,
    /// On the device
    Device,
    /// A vector on the device, one for each row of D
    Vector,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let roots = roots::resolve(args.path.as_slice())?;
    if let Some(file) = &args.problems {
        let stack = Answers::open(&roots);
        let unread = answer_all(file, &stack, global, args.cu)?;
        return super::status_of_lines(global, &stack.found(unread));
    }
    if args.beside.is_asked() && (args.coverage || args.map || !args.after.is_empty()) {
        let what = "select matmul: --vs and --vs-library compare answers, not --coverage, --map and --after";
        return Err(AuditError::Usage(what.to_owned()));
    }
    let target = super::target(global, "select matmul")?;
    let stack = Answers::open_for(&roots, &target.processor);
    let library = match args.sparse {
        None => stack.hipblaslt(&target.to_string())?,
        Some(_) => stack.hipsparselt(&target.to_string())?,
    };
    if args.coverage {
        let covered = library.coverage().map_err(matmul_crashes)?;
        let found = stack.found(Vec::new());
        let report = report::matmul_coverage(&library, &covered, &found);
        return shown(global, &found, "--coverage", &|format, style| {
            matmul_coverage::matmul_coverage(&report, format, style)
        });
    }
    // Most catalogs ask nothing of their number.
    let multiprocessors = match args.cu.or_else(|| global.card_multiprocessors()) {
        None if !library.asks_for_compute_units() => 1,
        known => global.multiprocessors(known, "select matmul")?,
    };
    let call = stated::call(args, target, multiprocessors)?;
    if args.map {
        let map = library.map(&call).map_err(matmul_crashes)?;
        let found = stack.found(Vec::new());
        let report = report::matmul_map(&library, &call, &map, &found);
        return shown(global, &found, "--map", &|format, style| {
            matmul_coverage::matmul_map(&report, format, style)
        });
    }
    if args.beside.is_asked() {
        return side_by_side(args, &roots, &call, library.asks_for_compute_units(), global);
    }
    let before = args.after.iter().map(|text| stated::earlier(&call, text)).collect::<Result<Vec<_>, _>>();
    answer(&stack, &call, &before?, global)
}

/// The same product on other devices and by other installs.
fn side_by_side(
    args: &Args,
    roots: &[PathBuf],
    own: &MatmulCall,
    asks: bool,
    global: &GlobalArgs,
) -> Result<Status, AuditError> {
    let first = (own.target.clone(), own.multiprocessors);
    let devices = args.beside.devices(first, asks, "select matmul")?;
    let ask = |stack: &Answers, root: PathBuf, target: &str, multiprocessors: u32| {
        stack.matmul_side(root, &MatmulCall { target: target.to_owned(), multiprocessors, ..own.clone() })
    };
    let found = |stack: &Answers, sides: &[InstallChoice]| {
        let of_side = |side: &InstallChoice| match &side.done {
            Ok(Done::Matmul(answer)) => findings::of_matmul(answer),
            _ => Vec::new(),
        };
        stack.found(sides.iter().flat_map(of_side).collect())
    };
    let (sides, found) = args.beside.ask(roots, &devices, &ask, &found)?;
    beside::write(&report::matmul_beside(own, &sides, &found), &found, global)
}

/// Writes a report that has no lines.
fn shown<'r>(
    global: &GlobalArgs,
    found: &[Finding],
    what: &str,
    draw: &dyn Fn(Format, &Style) -> Drawn<'r>,
) -> Result<Status, AuditError> {
    global.write_each(&|format, style| match format {
        Format::Jsonl => {
            Err(AuditError::Usage(format!("select matmul {what}: there is no line for it; use -f json")))
        }
        _ => draw(format, style),
    })?;
    super::status(global, found)
}

/// Answers one call of a process that made others before.
pub(super) fn answer(
    stack: &Answers,
    call: &MatmulCall,
    before: &[MatmulCall],
    global: &GlobalArgs,
) -> Result<Status, AuditError> {
    let library = stack.library_of(call)?;
    let answer = match before {
        [] => library.answer(call),
        before => library.answer_after(before, call),
    };
    let answer = answer.map_err(matmul_crashes)?;
    let found = stack.found(findings::of_matmul(&answer));
    let report = report::matmul(&answer, &found);
    global.write_each(&|format, style| match format {
        Format::Jsonl => {
            let choice = library.choose(call, None).map_err(matmul_crashes)?;
            Ok(render::json_line(&report::matmul_line(&library, call, &choice)).into())
        }
        _ => report.draw(format, style),
    })?;
    super::status(global, &found)
}

/// Answers the problems of a file, each as the first call of a process. Gives what could not be read.
fn answer_all(
    file: &Path,
    stack: &Answers,
    global: &GlobalArgs,
    units: Option<u32>,
) -> Result<Vec<Finding>, AuditError> {
    let device = DeviceOfCall::new(global, units);
    let listed = |problem, id| {
        let workload::Problem::HipBlasLt(call) = problem else { return Err(problems::other_library()) };
        let (target, multiprocessors) = device.get()?;
        Ok(MatmulCall { id, target: target.to_string(), multiprocessors, ..*call })
    };
    let calls = problems::read(file, |call: MatmulCall| call.check().map(|()| call), listed)?;
    device.check_used("select matmul")?;
    let mut libraries = KeyMap::new();
    for call in calls.iter().filter_map(|problem| problem.asked.as_ref().ok()) {
        let key = (call.target.as_str(), call.sparse.is_some());
        if !libraries.contains_key(&key) {
            libraries.insert(key, stack.library_of(call)?);
        }
    }
    problems::write(global, |out| {
        for problem in &calls {
            let call = match &problem.asked {
                Ok(call) => call,
                Err(wrong) => {
                    out(&Wrong::answer(wrong))?;
                    continue;
                }
            };
            let Some(library) = libraries.get(&(call.target.as_str(), call.sparse.is_some())) else {
                continue;
            };
            let choice = library.choose(call, None).map_err(matmul_crashes)?;
            out(&render::json_line(&report::matmul_line(library, call, &choice)))?;
        }
        Ok(())
    })?;
    Ok(problems::unread(&calls))
}
