//! `rocm-audit tables --into FOLDER PATH...`.

use super::destination::print;
use super::exclude::ExcludeArgs;
use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::must_be_there;
use super::progress::Bar;
use crate::comparison::candidates::MANIFEST_END;
use crate::error::AuditError;
use crate::finding::rule::Rule;
use crate::finding::rules;
use crate::input::digest;
use crate::render::style::{plural, printable};
use crate::scan::run::{Progress, Silent, StopSignal};
use crate::tables::folder::{self, FolderRows, RowOptions};
use crate::tables::{Origin, manifests};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// Artifacts to read, each by itself: packages, wheels, libraries, images; manifests and folders of them, whose
    /// rows are made without the artifacts
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The folder of the tables: FOLDER/TABLE/DIGEST.parquet, with the tables of `rocm-audit list tables` and
    /// the SHA-256 of the artifact. What is there is not read again, unless it was made without something
    /// that is wanted, or by another release
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
    #[command(flatten)]
    exclude: ExcludeArgs,
    /// Give up what is left of a file after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout_per_file: Option<u64>,
}

/// The end of `--help`.
const HELP: &str = exit::help!(
    "Examples:
  rocm-audit tables --into fleet dist/*.whl
  duckdb -c \"select processor, sum(kernels) from 'fleet/targets/*.parquet' group by 1\"
"
);

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    global.prints_a_list("tables")?;
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    if args.source.is_some() && args.paths.len() > 1 {
        return Err(AuditError::Usage(
            "tables: --source is that of one artifact, and several are named".into(),
        ));
    }
    let (stated, artifacts) = manifests_of(&args.paths)?;
    artifacts.iter().try_for_each(|path| is_artifact(path))?;
    let wanted = RowOptions {
        instructions: args.isa,
        exclude: args.exclude.patterns.clone(),
        time_per_file: args.timeout_per_file.map(Duration::from_secs),
    };
    // A pattern that is none is said before anything is read.
    wanted.options(&StopSignal::default())?;
    let mut found = Vec::new();
    if !stated.is_empty() {
        of_manifests(&stated, &args.into)?;
    }
    for path in &artifacts {
        found.extend(artifact(path, args, &wanted, global)?);
    }
    Ok(judge.rules(found).status())
}

/// The manifests among the paths, those in folders that have nothing else too, and the other paths.
fn manifests_of(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), AuditError> {
    let is_one = |path: &Path| path.to_string_lossy().ends_with(MANIFEST_END);
    let (mut stated, mut others) = (Vec::new(), Vec::new());
    for path in paths {
        must_be_there(path)?;
        let below = if path.is_dir() { files_in(path)? } else { Vec::new() };
        if !below.is_empty() && below.iter().all(|file| is_one(file)) {
            stated.extend(below);
        } else if is_one(path) {
            stated.push(path.clone());
        } else {
            others.push(path.clone());
        }
    }
    Ok((stated, others))
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, AuditError> {
    let listed = std::fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()
    });
    let mut files = listed.map_err(|error| AuditError::io("read", folder, error))?;
    files.sort_rows();
    Ok(files)
}

/// Adds the rows of manifests: one file of each table for all of them, named by the digest of their digests.
fn of_manifests(paths: &[PathBuf], into: &Path) -> Result<(), AuditError> {
    let mut digests: Vec<String> =
        paths.iter().map(|path| digest::sha256(path).map(|(digest, _)| digest)).collect::<Result<_, _>>()?;
    digests.sort_rows();
    let named = digest::of_bytes(digests.concat().as_bytes());
    let rows = manifests::add(into, paths, &named)?;
    let count = plural(paths.len() as u64, "manifest", "manifests");
    print(format!("{named}  {count}: {}\n", plural(rows, "row", "rows")))
}

fn is_artifact(path: &Path) -> Result<(), AuditError> {
    must_be_there(path)?;
    if path.is_dir() {
        let what = format!(
            "tables: {0} is a folder, which has no digest: name the packages or libraries in it, or pack it (`tar -cf tree.tar -C {0} .`), \
             which is read as the folder is; one table of it is written by `rocm-audit -o kernels.parquet --rows kernels {0}`",
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
    wanted: &RowOptions,
    global: &GlobalArgs,
) -> Result<Vec<&'static Rule>, AuditError> {
    let (digest, _) = digest::sha256(path)?;
    let named = args.source.clone().unwrap_or_else(|| path.to_string_lossy().into_owned());
    let origin = Origin { digest: Some(digest.clone()), ..Origin::named(&named) };
    let known = if args.again { FolderRows::Absent } else { folder::known(&args.into, &digest, wanted)? };
    let again = match known {
        FolderRows::There(found) => {
            let incomplete = if found.iter().any(|rule| rule.is_damage) { ", incomplete" } else { "" };
            print(format!("{digest}  {}: there{incomplete}\n", printable(&named)))?;
            return Ok(found);
        }
        FolderRows::Stale(why) => format!("read again ({}), ", printable(&why.to_string())),
        FolderRows::Absent => String::new(),
    };
    let bar = (!global.no_progress && global::stderr_is_terminal()).then(Bar::new);
    let progress: &dyn Progress = bar.as_ref().map_or(&Silent as &dyn Progress, |bar| bar);
    let report = folder::add(&args.into, path, wanted, &StopSignal::default(), progress, &origin);
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
    print(format!("{digest}  {}: {again}{}{incomplete}\n", printable(&named), parts.join(", ")))?;
    Ok(report.findings.iter().filter_map(|finding| rules::of_id(&finding.id)).collect())
}
