//! `rocm-audit workload FILE --gpu GPU [PATH...]`: what becomes of a list of products, convolutions and
//! attentions on a card.

use super::exit::{self, FailOn, Judge, Status};
use super::global::GlobalArgs;
use super::gpu::Gpu;
use super::miopen_environment::environment;
use super::{must_exist, roots};
use crate::engines::ggml::Version;
use crate::error::{AuditError, NotUnderstood};
use crate::question::{Question, Trees, WorkloadQuestion};
use crate::render;
use crate::source::SourceFile;
use std::path::PathBuf;

/// The end of `--help`.
const EXAMPLES: &str = exit::help!(
    "Examples:
  ROCBLAS_LAYER=4 ROCBLAS_LOG_PROFILE_PATH=calls.log ./program
  rocm-audit workload calls.log --gpu MI210 /opt/rocm
  MIOPEN_ENABLE_LOGGING_CMD=1 ./program 2>&1 | rocm-audit workload - --gpu \"RX 6800\" /opt/rocm

FILE has one problem per line, in any mix of these forms; other lines are skipped:
  {\"weight\": 12, \"gemm\": {\"ty\": \"HHS\", \"ta\": \"T\", \"m\": 4096, \"n\": 512, \"k\": 4096}}
  {\"conv\": \"fwd:fp16:n32:c256:h56:w56:k64:y3x3:p1\"}, or the convolution alone, or a key of a find-db
  {\"ggml\": \"fa f16 D128 DV128 nq=1 nh=32 nkv=8 kv=1024 mask=1\"}
  lines of rocBLAS's logs (ROCBLAS_LAYER 1, 2, 4), MIOpenDriver, hipblaslt-bench
"
);

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The problems: lines of JSON, or a log; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Trees or packages with rocBLAS, MIOpen's databases, ggml's library [default: rules alone]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Multiprocessors as HIP counts them: compute units, or work group processors on RDNA [default: the
    /// card's, else 60]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    cu: Option<u32>,
    /// The version of ggml whose rules are asked [default: as the library says, else the latest]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    ggml: Option<Version>,
    /// A variable that MIOpen would see, such as MIOPEN_FIND_MODE=NORMAL; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
}

fn version(text: &str) -> Result<Version, NotUnderstood> {
    text.parse()
}

/// Most bytes that are read of standard input.
const LARGEST: u64 = 1 << 30;

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let [target] = &global.arch[..] else {
        let what = "workload: name the one card that it is for, with --gpu \"RX 6600\" or --arch gfx1032";
        return Err(AuditError::Usage(what.into()));
    };
    let judge = Judge::new(global, FailOn::Damage, exit::ANSWER)?;
    let file = read(args)?;
    let card = global.gpu.first().cloned().unwrap_or_else(|| Gpu::unnamed(target.clone()));
    args.paths.iter().try_for_each(|path| must_exist(path))?;
    let trees = if args.paths.is_empty() { Vec::new() } else { roots::resolve(&args.paths)? };
    let environment = environment(&args.env)?;
    let question = WorkloadQuestion { file, card, multiprocessors: args.cu, ggml: args.ggml, environment };
    let report = question.ask(&Trees::at(trees))?;
    global.write_document("workload", &report, Some(&|| render::workload::lines(&report)))?;
    Ok(judge.report(&report.found.findings).status())
}

/// The file, or standard input.
fn read(args: &Args) -> Result<SourceFile, AuditError> {
    use std::io::Read as _;
    let failed = |error| AuditError::io("read", &args.file, error);
    if args.file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().take(LARGEST).read_to_end(&mut bytes).map_err(failed)?;
        return Ok(SourceFile::in_memory(crate::locator::Locator::file("standard input"), bytes));
    }
    must_exist(&args.file)?;
    if args.file.is_dir() {
        let what =
            format!("workload: {} is a folder; name the file with the problems first", args.file.display());
        return Err(AuditError::Usage(what));
    }
    SourceFile::open(&args.file).map_err(failed)
}
