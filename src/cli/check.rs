//! `rocm-audit check PATH... --require TARGET`.

use super::check_file::{CheckFile, NAME};
use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::gpu;
use super::roots;
use crate::comparison::check::INCOMPLETE;
use crate::comparison::size_budget::SizeBudget;
use crate::error::{AuditError, NotUnderstood};
use crate::finding::rules::waste::SIZE_OVER_BUDGET;
use crate::question::{CheckQuestion, Question, Trees};
use crate::target::TargetId;
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Trees, packages or files to check [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
    /// Targets, or cards by their names, that every library must have kernels for; repeatable, or with commas
    #[arg(long, value_name = "TARGET", value_delimiter = ',', value_parser = gpu::target)]
    require: Vec<TargetId>,
    /// Ask only these libraries, by their names in the report (rocBLAS, ggml); each must be here. Repeatable,
    /// or with commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = gpu::trimmed)]
    library: Vec<String>,
    /// Ask every file and every bundle of a library, not only one of them
    #[arg(long)]
    per_file: bool,
    /// A report that `rocm-audit -o FILE.json` wrote: no library may have less for a target than there, and
    /// only findings that it has not count
    #[arg(long, value_name = "REPORT.json")]
    baseline: Option<PathBuf>,
    /// The most bytes of each path as it is published, as 500MiB, or of the code objects for a target in it,
    /// as gfx906=120MB; repeatable
    #[arg(long, value_name = "[TARGET=]SIZE", value_parser = size_budget)]
    max_size: Vec<SizeBudget>,
    /// Inflate compressed bundles to their end and compare their hashes, too
    #[arg(long)]
    pub verify: bool,
    /// Also read every root that is a file whole, and put its SHA-256 into the report
    #[arg(long)]
    digest: bool,
    /// What is required and ignored, in TOML [default: rocm-audit.toml in the current folder, where it is]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

fn size_budget(text: &str) -> Result<SizeBudget, NotUnderstood> {
    SizeBudget::parse(text, gpu::target)
}

/// The end of `--help`.
const EXAMPLES: &str = exit::help!(
    "Example:
  rocm-audit check dist/*.whl --require gfx90a,gfx1030,gfx1100 --per-file
  rocm-audit -o old.json v1.whl && rocm-audit check v2.whl --baseline old.json

rocm-audit.toml: require = [\"gfx1030\"], library, per-file, max-size, fail-on, baseline, and any number of
  [[ignore]]
  rule = \"several-targets\"   # or target and library of a requirement
  reason = \"why\"

A requirement that is not met is found, too."
);

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    if !global.arch.is_empty() {
        return Err(AuditError::Usage(
            "check: targets stand behind --require; --arch and --gpu have no meaning here".into(),
        ));
    }
    let (file, config) = CheckFile::find(args.config.as_deref())?;
    let mut global = global.clone();
    if global.fail_on.is_empty() {
        global.fail_on.clone_from(&config.fail_on);
    }
    let global = &global;
    // The call adds to the file.
    let require: Vec<TargetId> = args.require.iter().chain(&config.require).cloned().collect();
    let libraries: Vec<String> = args.library.iter().chain(&config.library).cloned().collect();
    let baseline = args.baseline.as_ref().or(config.baseline.as_ref());
    let budgets: Vec<SizeBudget> = args.max_size.iter().chain(&config.max_size).cloned().collect();
    if require.is_empty() && baseline.is_none() && budgets.is_empty() {
        return Err(AuditError::Usage(format!(
            "check: nothing is required: name targets with --require, a report with --baseline, a size with --max-size, or \
             any of these in {NAME}"
        )));
    }
    if let Some(file) = &file {
        global::note(&format!("{} says what is required", file.display()));
    }
    global.has_no_lines("check")?;
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    let roots = roots::or_documents(&args.paths)?;
    let question = CheckQuestion {
        require,
        libraries,
        per_file: args.per_file || config.per_file,
        baseline: baseline.cloned(),
        ignores: config.ignores,
        digest: args.digest,
        budgets,
    };
    let trees = Trees::at(roots);
    let trees = if args.verify { trees.verified() } else { trees };
    let mut report = question.ask(&trees)?;
    let counted = report.findings.iter().filter(|finding| !report.not_counted.contains(&finding.id));
    let judge = judge.report(counted);
    report.fail(judge.because());
    global.write_document("check", &report, None)?;
    let is_incomplete = report.failed_because.iter().any(|why| why == INCOMPLETE);
    let is_over = report.failed_because.iter().any(|why| why == SIZE_OVER_BUDGET.id);
    let mut status = judge.status();
    if is_over && status == Status::Done {
        global::note(&format!("exit status 1, because of {}", SIZE_OVER_BUDGET.id));
        status = Status::Found;
    }
    if is_incomplete && status == Status::Done {
        global::note(&format!("exit status 1, because of {INCOMPLETE}"));
    }
    if !report.is_unmet() {
        return Ok(if is_incomplete { Status::Found } else { status });
    }
    // What findings add stands beside it.
    if status == Status::Done {
        global::note("exit status 1, because of requirement-not-met");
    }
    Ok(Status::Found)
}
