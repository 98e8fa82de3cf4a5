//! `rocm-audit verify [PATH]...`

use super::exit::{self, FailOn, Judge, Status};
use super::global::GlobalArgs;
use super::roots;
use crate::error::AuditError;
use crate::finding::severity::Severity;
use crate::question::{Question, Trees, TuningQuestion, VerifyQuestion};
use crate::source::SourceFile;
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// Installs, or folders with catalogs or databases [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
    /// Check the rows of a tuning file against the catalogs instead: an override file of rocBLAS, one of
    /// hipBLASLt, or the results of PyTorch's TunableOp; repeatable. A row that no longer fits is a warning:
    /// add --fail-on stale-tuning to end with 1
    #[arg(long, value_name = "FILE")]
    tuning: Vec<PathBuf>,
    /// Multiprocessors of the devices whose databases are looked up, or of the one that --tuning is for, as
    /// HIP counts them: compute units, or work group processors on RDNA; repeatable, or with commas [default:
    /// those of the card that --gpu names]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    cu: Vec<u32>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    if !args.cu.is_empty() && global.arch.is_empty() {
        return Err(AuditError::Usage("verify: --cu is of a device; name its target with --arch".into()));
    }
    let judge = Judge::new(global, FailOn::Severity(Severity::Error), exit::VERIFY)?;
    let trees = Trees::at(roots::resolve(&args.paths)?);
    let report = if args.tuning.is_empty() {
        let card = || global.card_multiprocessors().into_iter().collect();
        let multiprocessors = if args.cu.is_empty() { card() } else { args.cu.clone() };
        VerifyQuestion { targets: global.arch.clone(), multiprocessors }.ask(&trees)?
    } else {
        tuning(args, global)?.ask(&trees)?
    };
    global.write_verification("verify", &report)?;
    Ok(judge.report(&report.found.findings).status())
}

fn tuning(args: &Args, global: &GlobalArgs) -> Result<TuningQuestion, AuditError> {
    let ([target], [] | [_]) = (&global.arch[..], &args.cu[..]) else {
        let what = "verify --tuning: name the one device that the file is for, with --gpu \"MI210\" or with --arch gfx90a and --cu";
        return Err(AuditError::Usage(what.into()));
    };
    let multiprocessors = global.multiprocessors(args.cu.first().copied(), "verify --tuning")?;
    let opened = |path: &PathBuf| SourceFile::open(path).map_err(|error| AuditError::io("read", path, error));
    let files = args.tuning.iter().map(opened).collect::<Result<_, _>>()?;
    Ok(TuningQuestion { target: target.clone(), multiprocessors, files })
}
