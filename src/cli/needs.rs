//! `rocm-audit needs PATH...`.

use super::exclude::ExcludeArgs;
use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::roots;
use crate::error::AuditError;
use crate::render::{Format, needs};
use crate::report;
use crate::scan::run::{Options, Silent, audit};
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
    let outputs = global.outputs()?;
    if outputs.iter().any(|(_, format)| *format == Format::Jsonl) {
        return Err(AuditError::Usage("needs: there is no kernel inventory of it; use -f json".into()));
    }
    let options = Options { exclude: args.exclude.exclusion()?, ..Options::default() };
    let inventory = audit(&roots, &options, &Silent, None)?;
    let mut report = report::needs(&inventory);
    let judge = judge.report(&report.findings);
    report.failed_because = judge.because();
    for (destination, format) in &outputs {
        global::write(destination, &needs::draw(&report, *format, &global.style(destination))?)?;
    }
    Ok(judge.status())
}
