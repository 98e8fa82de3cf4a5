//! `rocm-audit needs PATH...`.

use super::exclude::ExcludeArgs;
use super::exit::{self, FailOn, Judge, Status};
use super::global::GlobalArgs;
use super::roots;
use crate::error::AuditError;
use crate::question::{NeedsQuestion, Question, Trees};
use crate::scan::run::{Options, Silent};
use std::path::PathBuf;

/// What the help says besides.
const HELP: &str = exit::help!(
    "\
Examples:
  rocm-audit needs libggml-hip.so            what it needs, and the least HIP runtime
  rocm-audit needs rocm.whl torch.whl        as if both were installed into one folder
  rocm-audit needs /opt/rocm --exclude 'rocprofiler*' --fail-on needed-not-here
"
);

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Trees, packages or files, which are taken as installed together [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    exclude: ExcludeArgs,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    if !global.arch.is_empty() {
        let what =
            "needs: what libraries need is the same on all cards; --arch and --gpu have no meaning here";
        return Err(AuditError::Usage(what.into()));
    }
    let judge = Judge::new(global, FailOn::Damage, exit::NEEDS)?;
    let roots = roots::resolve(&args.paths)?;
    global.has_no_lines("needs")?;
    let options = Options { exclude: args.exclude.exclusion()?, ..Options::default() };
    let mut report = NeedsQuestion::default().ask(&Trees::with(&roots, options, &Silent))?;
    let judge = judge.report(&report.findings);
    report.failed_because = judge.because();
    global.write_document("needs", &report, None)?;
    Ok(judge.status())
}
