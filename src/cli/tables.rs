//! `rocm-audit tables --into FOLDER PATH...`.

use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs, print};
use super::must_be_there;
use super::progress::Bar;
use crate::error::AuditError;
use crate::finding::rule::Rule;
use crate::finding::rules;
use crate::input::digest;
use crate::input::exclude::Exclusion;
use crate::render::style::{plural, printable};
use crate::scan::run::{Options, Progress, Silent};
use crate::tables::{Origin, folder};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:\n  \
    rocm-audit tables --into fleet dist/*.whl\n  \
    duckdb -c \"select processor, sum(kernels) from 'fleet/targets/*.parquet' group by 1\"\n\n\
    Exit status: 0 done, 1 something was found that --fail-on names, 2 the call, an input or an output is unusable.")]
pub(super) struct Args {
    /// Artifacts to read, each by itself: packages, wheels, libraries, images
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The folder of the tables: FOLDER/TABLE/DIGEST.parquet, with the tables of `rocm-audit list tables` and the SHA-256 of the
    /// artifact. What is there is not read again
    #[arg(long, value_name = "FOLDER")]
    pub into: PathBuf,
    /// Where the artifact came from, for the column `source`, such as its URL [default: its path]
    #[arg(long, value_name = "URL")]
    source: Option<String>,
    /// Read artifacts again that are there
    #[arg(long)]
    again: bool,
    /// Decode all machine code, for the columns of kernels that need it
    #[arg(long)]
    isa: bool,
    /// Leave out members that match; repeatable
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Give up what is left of a file after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout_per_file: Option<u64>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    global.prints_a_list("tables", false)?;
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    if args.source.is_some() && args.paths.len() > 1 {
        return Err(AuditError::Usage(
            "tables: --source is that of one artifact, and several are named".into(),
        ));
    }
    args.paths.iter().try_for_each(|path| is_artifact(path))?;
    let options = Options {
        instructions: args.isa,
        exclude: Exclusion::new(&args.exclude)?,
        time_per_file: args.timeout_per_file.map(Duration::from_secs),
        ..Options::default()
    };
    let mut found = Vec::new();
    for path in &args.paths {
        found.extend(artifact(path, args, &options, global)?);
    }
    Ok(judge.rules(found).status())
}

fn is_artifact(path: &Path) -> Result<(), AuditError> {
    must_be_there(path)?;
    if path.is_dir() {
        let what = format!(
            "tables: {} is a folder, which has no digest: name the packages or libraries in it, or write one table with `rocm-audit -o \
             kernels.parquet {}`",
            path.display(),
            path.display()
        );
        return Err(AuditError::Usage(what));
    }
    Ok(())
}

/// Adds the rows of an artifact, says so in a line, and gives the rules that found something in it.
fn artifact(
    path: &Path,
    args: &Args,
    options: &Options,
    global: &GlobalArgs,
) -> Result<Vec<&'static Rule>, AuditError> {
    let (digest, _) = digest::sha256(path)?;
    let named = args.source.clone().unwrap_or_else(|| path.to_string_lossy().into_owned());
    let origin = Origin { digest: Some(digest.clone()), ..Origin::named(&named) };
    let known = if args.again { None } else { folder::known(&args.into, &digest)? };
    // Rows without machine code lack what was asked for.
    if let Some(known) = known.filter(|known| known.decoded || !args.isa) {
        let incomplete = if known.found.iter().any(|rule| rule.is_damage) { ", incomplete" } else { "" };
        print(format!("{digest}  {}: there{incomplete}\n", printable(&named)))?;
        return Ok(known.found);
    }
    let bar = (!global.no_progress && global::stderr_is_terminal()).then(Bar::new);
    let progress: &dyn Progress = bar.as_ref().map_or(&Silent as &dyn Progress, |bar| bar);
    let report = folder::add(&args.into, path, options, progress, &origin);
    if let Some(bar) = &bar {
        bar.finish();
    }
    let report = report?;
    let sum = &report.summary;
    let parts = [
        plural(sum.code_objects, "code object", "code objects"),
        plural(sum.kernels, "kernel", "kernels"),
        plural(report.findings.len() as u64, "finding", "findings"),
    ];
    let incomplete = if report.complete { "" } else { ", incomplete" };
    print(format!("{digest}  {}: {}{incomplete}\n", printable(&named), parts.join(", ")))?;
    Ok(report.findings.iter().filter_map(|finding| rules::of_id(&finding.id)).collect())
}
