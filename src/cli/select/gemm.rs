//! `rocm-audit select gemm`: which kernels rocBLAS would launch for a matrix product, by its own catalogs.

use super::beside::{self, BesideArgs};
use super::problems::{self, DeviceOfCall};
use crate::answers::{Answers, Done, InstallChoice, findings};
use crate::cli::exit::{self, Status};
use crate::cli::global::GlobalArgs;
use crate::cli::roots;
use crate::engines::tensile::call::{
    APIS, GemmCall, Transpose, VARIABLES, atomics_are_off, default_workspace,
};
use crate::engines::tensile::data_type::GemmType;
use crate::engines::tensile::lite::call::{MatmulCall, USUAL_WORKSPACE};
use crate::engines::workload;
use crate::error::{AuditError, NotUnderstood};
use crate::finding::Finding;
use crate::render::{self, Draw as _, Format};
use crate::report;
use crate::target::TargetId;
use clap::builder::PossibleValuesParser;
use rocm_audit_files::key_map::KeyMap;
use std::path::{Path, PathBuf};

/// The first line of `--help`.
const USAGE: &str = "rocm-audit select gemm --gpu GPU -m M -n N -k K [OPTIONS] [PATH]\n       rocm-audit select gemm --arch TARGET --cu N -m M -n N -k K [OPTIONS] [PATH]\n       rocm-audit select gemm --problems FILE [OPTIONS] [PATH]";

/// Headings of `--help`.
const PRODUCT: &str = "The product";
const LAYOUT: &str = "Layout of the matrices";
const CALL: &str = "How rocBLAS is called";
const DEVICE: &str = "The device";

/// The end of `--help`.
const EXAMPLES: &str = exit::help!(
    r#"Examples:
  rocm-audit select gemm -m 4096 -n 512 -k 4096 --type HHS --trans TN --gpu "RX 6800 XT" /opt/rocm
  rocm-audit select gemm --problems calls.jsonl -f jsonl /opt/rocm

The number behind --cu is what HIP reports as multiProcessorCount: compute units on GCN and CDNA (MI210: 104), work group
processors, half of that, on RDNA (RX 6800: 30 of 60).
"#
);

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub(in crate::cli) struct Args {
    /// Rows of C
    #[arg(short, required_unless_present = "problems", help_heading = PRODUCT)]
    m: Option<u64>,
    /// Columns of C
    #[arg(short, required_unless_present = "problems", help_heading = PRODUCT)]
    n: Option<u64>,
    /// The dimension that is summed over
    #[arg(short, required_unless_present = "problems", help_heading = PRODUCT)]
    k: Option<u64>,
    /// Types of A and B, C and D, and of the computation: SS, DD, CC, ZZ, HH, HHS, HSS, BBS, BSS, I8I; or as
    /// others write them: f32, f64, f16, bf16, i8
    #[arg(long = "type", value_name = "TYPE", default_value = "SS", value_parser = GemmType::meant, help_heading = PRODUCT)]
    ty: GemmType,
    /// How A and B enter: N, T or C (conjugated) each
    #[arg(long, value_name = "AB", default_value = "NN", help_heading = PRODUCT)]
    trans: String,
    /// Multiprocessors as HIP counts them: compute units, or work group processors on RDNA [default: those of
    /// the card that --gpu names]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = DEVICE)]
    cu: Option<u32>,
    /// Matrices
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = PRODUCT)]
    batch_count: u64,
    /// Leading dimension of A [default: its rows]
    #[arg(long, help_heading = LAYOUT)]
    lda: Option<u64>,
    /// Leading dimension of B [default: its rows]
    #[arg(long, help_heading = LAYOUT)]
    ldb: Option<u64>,
    /// Leading dimension of C [default: m]
    #[arg(long, help_heading = LAYOUT)]
    ldc: Option<u64>,
    /// Leading dimension of D [default: that of C]
    #[arg(long, help_heading = LAYOUT)]
    ldd: Option<u64>,
    /// From one A of a batch to the next, in elements [default: its size]; likewise B, C, D
    #[arg(long, help_heading = LAYOUT)]
    stride_a: Option<u64>,
    #[arg(long, hide = true)]
    stride_b: Option<u64>,
    #[arg(long, hide = true)]
    stride_c: Option<u64>,
    #[arg(long, hide = true)]
    stride_d: Option<u64>,
    /// Scales the product
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true, help_heading = PRODUCT)]
    alpha: f64,
    /// Scales C
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, help_heading = PRODUCT)]
    beta: f64,
    /// The function without `rocblas_` and the letter of the type
    #[arg(long, default_value = "gemm_ex", value_parser = PossibleValuesParser::new(APIS), help_heading = CALL)]
    api: String,
    /// C and D are one matrix, as they always are for functions without `_ex`
    #[arg(long, help_heading = CALL)]
    in_place: bool,
    /// Bytes of workspace [default: 32 MiB, on gfx94x 128 MiB]
    #[arg(long, value_name = "BYTES", help_heading = CALL)]
    workspace: Option<u64>,
    /// Forbid atomics, so that results repeat
    #[arg(long, help_heading = CALL)]
    deterministic: bool,
    /// Allow atomics [default: before release 5.0 they are allowed]
    #[arg(long, conflicts_with = "deterministic", help_heading = CALL)]
    atomics: bool,
    /// What to be good at, as rocblas_set_performance_metric sets it
    #[arg(long, value_name = "METRIC", help_heading = CALL)]
    performance_metric: Option<PerformanceMetric>,
    /// The flag rocblas_gemm_flags_use_cu_efficiency
    #[arg(long, help_heading = CALL)]
    cu_efficiency: bool,
    /// The flag rocblas_gemm_flags_fp16_alt_impl
    #[arg(long, help_heading = CALL)]
    fp16_alt: bool,
    /// The flag rocblas_gemm_flags_fp16_alt_impl_rnz
    #[arg(long, help_heading = CALL)]
    fp16_alt_rnz: bool,
    /// The math mode rocblas_xf32_xdl_math_op
    #[arg(long, help_heading = CALL)]
    xf32: bool,
    /// TENSILE_EXPERIMENTAL_SELECTION: 1 or 2
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2), help_heading = CALL)]
    experimental: Option<u8>,
    /// A variable of the environment: ROCBLAS_USE_HIPBLASLT, ROCBLAS_USE_HIPBLASLT_BATCHED,
    /// TENSILE_EXPERIMENTAL_SELECTION or ROCBLAS_INTERNAL_FORCE_VALU_FOR_DGEMM; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable, conflicts_with = "problems", help_heading = CALL)]
    env: Vec<String>,
    /// The library that is asked; hipblaslt is `select matmul`, which has its epilogues, scales and types
    #[arg(long, value_name = "NAME", default_value = "rocblas", help_heading = CALL)]
    library: Blas,
    /// Also say why the solution of this index is not the one that was chosen
    #[arg(long, value_name = "INDEX", conflicts_with_all = ["problems", "vs", "vs_library"])]
    solution: Option<u32>,
    #[command(flatten)]
    beside: BesideArgs,
    /// Answer the problems of FILE instead, one JSON object a line, or a list as `workload` reads it, a line
    /// each; those of one target are calls of one process
    #[arg(long, value_name = "FILE", conflicts_with_all = ["m", "n", "k"])]
    problems: Option<PathBuf>,
    /// The install, or the folder with the catalogs [default: $ROCM_PATH, else /opt/rocm*]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
}

/// A variable that is modelled, with its value.
fn variable(text: &str) -> Result<String, NotUnderstood> {
    let known = text.split_once('=').filter(|(name, value)| {
        VARIABLES.contains(name) && !value.is_empty() && !value.contains(char::is_whitespace)
    });
    known.map(|_| text.to_owned()).ok_or_else(|| {
        format!("NAME=VALUE is expected, and the names that are modelled are {}", VARIABLES.join(", ")).into()
    })
}

/// A library for products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Blas {
    /// rocBLAS
    Rocblas,
    /// hipBLASLt
    Hipblaslt,
}

/// What to be good at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PerformanceMetric {
    /// The device as a whole
    DeviceEfficiency,
    /// Each compute unit
    CuEfficiency,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let roots = roots::resolve(args.path.as_slice())?;
    if args.library == Blas::Hipblaslt {
        return of_hipblaslt(args, &roots, global);
    }
    if let Some(file) = &args.problems {
        let stack = Answers::open(&roots);
        let unread = answer_all(file, &stack, global, args.cu)?;
        return super::status_of_lines(global, &stack.found(unread));
    }
    let target = super::target(global, "select gemm")?;
    let mut call = call(args, target, global.multiprocessors(args.cu, "select gemm")?)?;
    if args.beside.is_asked() {
        return side_by_side(args, &roots, &call, global);
    }
    let stack = Answers::open_for(&roots, &target.processor);
    let version = stack.rocblas(&call.target)?.version();
    call.det |= !args.atomics && atomics_are_off(version);
    let answer = match args.solution {
        Some(index) => stack.gemm_with(&call, index)?,
        None => stack.gemm(&call)?,
    };
    let found = stack.found(findings::of_gemm(&answer));
    let report = report::gemm(&answer, &found);
    global.write_each(&|format, style| match format {
        Format::Jsonl => Ok(render::json_line(&report::gemm_line_of(&answer)).into()),
        _ => report.draw(format, style),
    })?;
    super::status(global, &found)
}

/// The same product on other devices and by other installs.
fn side_by_side(
    args: &Args,
    roots: &[PathBuf],
    own: &GemmCall,
    global: &GlobalArgs,
) -> Result<Status, AuditError> {
    let first = (own.target.clone(), own.multiprocessors);
    let devices = args.beside.devices(first, true, "select gemm")?;
    let ask = |stack: &Answers, root: PathBuf, target: &str, multiprocessors: u32| {
        // What is usual for the device where it was not said.
        let usual = default_workspace(&beside::parsed(target).processor);
        let workspace = args.workspace.unwrap_or(usual);
        let call = GemmCall { target: target.to_owned(), multiprocessors, workspace, ..own.clone() };
        stack.gemm_side(root, call, args.atomics)
    };
    let found = |stack: &Answers, sides: &[InstallChoice]| {
        let of_side = |side: &InstallChoice| match &side.done {
            Ok(Done::Gemm(answer)) => findings::of_gemm(answer),
            _ => Vec::new(),
        };
        stack.found(sides.iter().flat_map(of_side).collect())
    };
    let (sides, found) = args.beside.ask(roots, &devices, &ask, &found)?;
    beside::write(&report::gemm_beside(own, &sides, &found), &found, global)
}

/// The same product for hipBLASLt.
fn of_hipblaslt(args: &Args, roots: &[PathBuf], global: &GlobalArgs) -> Result<Status, AuditError> {
    let of_rocblas = [
        (args.api != "gemm_ex", "--api"),
        (args.deterministic, "--deterministic"),
        (args.atomics, "--atomics"),
        (args.performance_metric.is_some(), "--performance-metric"),
        (args.cu_efficiency, "--cu-efficiency"),
        (args.fp16_alt, "--fp16-alt"),
        (args.fp16_alt_rnz, "--fp16-alt-rnz"),
        (args.experimental.is_some(), "--experimental"),
        (!args.env.is_empty(), "--env"),
        (args.problems.is_some(), "--problems"),
        (args.solution.is_some(), "--solution"),
        (args.alpha != 1.0, "--alpha"),
        (args.beside.is_asked(), "--vs and --vs-library here"),
        (
            [args.stride_a, args.stride_b, args.stride_c, args.stride_d].iter().any(Option::is_some),
            "--stride-a",
        ),
    ];
    if let Some((_, name)) = of_rocblas.iter().find(|(said, _)| *said) {
        let what = format!(
            "select gemm --library hipblaslt: {name} is of rocBLAS; see rocm-audit select matmul --help"
        );
        return Err(AuditError::Usage(what));
    }
    let target = super::target(global, "select gemm")?;
    let own = call(args, target, global.multiprocessors(args.cu, "select gemm")?)?;
    let mut other = MatmulCall::of_gemm(&own)?;
    other.workspace = args.workspace.unwrap_or(USUAL_WORKSPACE);
    other.check()?;
    super::matmul::answer(&Answers::open_for(roots, &target.processor), &other, &[], global)
}

fn call(args: &Args, target: &TargetId, multiprocessors: u32) -> Result<GemmCall, AuditError> {
    let letters: Option<Vec<Transpose>> = args.trans.chars().map(Transpose::of_letter).collect();
    let Some([a, b]) = letters.as_deref() else {
        return Err(AuditError::Usage(format!(
            "--trans {}: two letters of N, T and C are expected",
            args.trans
        )));
    };
    let sizes = [args.m, args.n, args.k].map(Option::unwrap_or_default);
    let mut call = GemmCall::new(target, multiprocessors, args.ty.name, [*a, *b], sizes);
    let [lda, ldb, ldc, _] = call.ld;
    let ldc = args.ldc.unwrap_or(ldc);
    call.ld = [args.lda.unwrap_or(lda), args.ldb.unwrap_or(ldb), ldc, args.ldd.unwrap_or(ldc)];
    call.batch = args.batch_count;
    call.pack_batch();
    let asked = [args.stride_a, args.stride_b, args.stride_c, args.stride_d];
    for (own, asked) in call.stride.iter_mut().zip(asked) {
        *own = asked.filter(|stride| *stride > 0).unwrap_or(*own);
    }
    call.set_api(&args.api);
    call.c_eq_d |= args.in_place;
    (call.alpha, call.beta) = (args.alpha, args.beta);
    call.det = args.deterministic;
    call.cu_eff = args.cu_efficiency || args.performance_metric == Some(PerformanceMetric::CuEfficiency);
    (call.fp16alt, call.fp16alt_rnz, call.xf32) = (args.fp16_alt, args.fp16_alt_rnz, args.xf32);
    call.workspace = args.workspace.unwrap_or(call.workspace);
    let experimental = args.experimental.map(|n| format!("TENSILE_EXPERIMENTAL_SELECTION={n}"));
    let variables: Vec<String> = experimental.into_iter().chain(args.env.iter().cloned()).collect();
    call.env = (!variables.is_empty()).then(|| variables.join(" "));
    call.check()?;
    Ok(call)
}

/// Answers the problems of a file; those of one target are calls of one process. Gives what could not be
/// read.
fn answer_all(
    file: &Path,
    stack: &Answers,
    global: &GlobalArgs,
    units: Option<u32>,
) -> Result<Vec<Finding>, AuditError> {
    let device = DeviceOfCall::new(global, units);
    let listed = |problem, id| {
        let workload::Problem::Gemm(call) = problem else { return Err(problems::other_library()) };
        let (target, multiprocessors) = device.get()?;
        let workspace = default_workspace(&target.processor);
        Ok(GemmCall { id, target: target.to_string(), multiprocessors, workspace, ..*call })
    };
    let calls = problems::read(file, |mut call: GemmCall| call.check().map(|()| call), listed)?;
    device.check_used("select gemm")?;
    let mut libraries = KeyMap::new();
    for call in calls.iter().filter_map(|problem| problem.asked.as_ref().ok()) {
        let target = call.target.as_str();
        if !libraries.contains_key(target) {
            libraries.insert(target, stack.rocblas(target)?);
        }
    }
    problems::write(global, |out| {
        let mut processes: KeyMap<_, _> =
            libraries.iter().map(|(target, library)| (*target, library.process())).collect();
        for problem in &calls {
            let call = match &problem.asked {
                Ok(call) => call,
                Err(wrong) => {
                    out(&wrong.answer())?;
                    continue;
                }
            };
            let Some(process) = processes.get_mut(call.target.as_str()) else { continue };
            let answer = process.call(call, None).map_err(|error| AuditError::Usage(error.to_string()))?;
            out(&render::json_line(&report::gemm_line(&call.id, &answer)))?;
        }
        Ok(())
    })?;
    Ok(problems::unread(&calls))
}
