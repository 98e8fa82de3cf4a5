//! `rocm-audit [PATH]...` and `rocm-audit audit [PATH]...`.

use super::claim::ClaimArgs;
use super::completions::Completed;
use super::destination::{self, Destination};
use super::exclude::ExcludeArgs;
use super::exit::{self, FailOn, Judge, Status};
use super::explain;
use super::global::{self, GlobalArgs};
use super::progress::Bar;
use super::roots;
#[cfg(feature = "parquet")]
use super::table_file::TableFile;
use super::user_caches;
use crate::error::AuditError;
use crate::inventory::UserPlace;
use crate::question::{AuditQuestion, Trees};
use crate::render::kernels::{KernelList, Several};
use crate::render::{self, Format};
use crate::report::v1::{Found, Report};
use crate::scan::SCANNERS;
use crate::scan::kernel_sink::{KernelFilter, KernelSink};
use crate::scan::run::{self, KernelInventory, Options, Progress, Silent};
#[cfg(feature = "parquet")]
use crate::tables::{Gather, files_for};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// Trees or files to read [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
    /// Inflate compressed bundles to their end and check their hashes, and those of the layers of images
    #[arg(long)]
    verify: bool,
    /// Decode all machine code: which instructions each library uses on each target, and which kernels only
    /// trap
    #[arg(long)]
    isa: bool,
    /// Follow symbolic links inside of the trees
    #[arg(long)]
    follow_links: bool,
    /// Read the caches of the user as well: what Triton, torchinductor, comgr, MIOpen, rocFFT, JAX and CuPy
    /// compiled or measured. Without paths, these alone
    #[arg(long)]
    caches: bool,
    #[command(flatten)]
    exclude: ExcludeArgs,
    #[command(flatten)]
    claim: ClaimArgs,
    /// Give up what is left of a file after so many seconds; the rest of the tree is read. Work is bounded in
    /// proportion to the size of a file in any case
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout_per_file: Option<u64>,
    /// Also read every root that is a file whole, and put its SHA-256 into the report
    #[arg(long)]
    digest: bool,
    /// Use only this scanner (`rocm-audit list scanners`); repeatable
    #[arg(long, value_name = "SCANNER", value_delimiter = ',', value_parser = scanner(), hide_possible_values = true)]
    only: Vec<String>,
    /// Do not use this scanner; repeatable
    #[arg(long, value_name = "SCANNER", value_delimiter = ',', value_parser = scanner(), hide_possible_values = true)]
    skip: Vec<String>,
}

/// Any word; shells complete scanners. Which are known is said where they are used.
fn scanner() -> Completed<String> {
    Completed::new(|text| Ok(text.to_owned()), || SCANNERS.iter().map(|scanner| scanner.id).collect())
}

impl Args {
    /// What is read: the paths that are named or found, and the caches that are there.
    fn roots(&self, user_places: &[UserPlace]) -> Result<Vec<PathBuf>, AuditError> {
        if self.caches && user_places.is_empty() {
            let what = "--caches: neither HOME nor a variable that names a cache is set, so that no place of the user is known";
            return Err(AuditError::Usage(what.into()));
        }
        let mut roots = match self.caches && self.paths.is_empty() {
            true => Vec::new(),
            false => roots::resolve(&self.paths)?,
        };
        let caches = user_places.iter().filter(|place| place.is_there);
        roots.extend(caches.map(|place| PathBuf::from(&place.path)));
        Ok(roots)
    }

    /// Whether it compares the hashes of compressed bundles with their contents.
    pub fn hashes_bundles(&self) -> bool {
        self.verify || self.isa
    }

    /// How it is read, for these outputs.
    fn options(
        &self,
        outputs: &[(Destination, Format)],
        user_places: Vec<UserPlace>,
    ) -> Result<Options, AuditError> {
        Ok(Options {
            follow_links: self.follow_links,
            verify: self.verify,
            instructions: self.isa,
            exclude: self.exclude.exclusion()?,
            only: self.only.clone(),
            skip: self.skip.clone(),
            keep_code_objects: outputs.iter().any(|(_, format)| format.is_of_tables()),
            user_places,
            time_per_file: self.timeout_per_file.map(Duration::from_secs),
            ..Options::default()
        })
    }
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let (global, claim) = args.claim.of_options(global, "audit")?;
    let global = global.as_ref();
    let user_places = if args.caches { user_caches::places() } else { Vec::new() };
    let roots = args.roots(&user_places)?;
    let outputs = global.outputs()?;
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    let question = AuditQuestion { cards: global.cards(), claim, digest: args.digest };
    let options = question.options(args.options(&outputs, user_places)?);
    let bar = (!global.no_progress && global::stderr_is_terminal()).then(Bar::new);
    let progress: &dyn Progress = bar.as_ref().map_or(&Silent as &dyn Progress, |bar| bar);
    let trees = Trees::with(&roots, options.clone(), progress);
    // The kernel inventory is written while scanning, so that its length does not matter.
    let lists = outputs.iter().filter(|(_, format)| *format == Format::Jsonl);
    let mut opened = Vec::new();
    for (destination, _) in lists {
        opened.push((destination::open(destination)?, global.style(destination)));
    }
    let mut lists = Vec::new();
    for (out, style) in &mut opened {
        lists.push(KernelList::begin(out, Format::Jsonl, false, style).map_err(not_written)?);
    }
    let mut sinks = Several(lists.iter_mut().map(|list| list as &mut dyn KernelSink).collect());
    #[cfg(feature = "parquet")]
    let (mut table, one) = (
        TableFile::among_outputs(&outputs, global, &roots, args.digest)?,
        <[PathBuf; 1]>::try_from(roots.clone()),
    );
    #[cfg(feature = "parquet")]
    let wants = table.as_ref().and_then(|table| files_for(&table.table));
    #[cfg(not(feature = "parquet"))]
    let wants = None;
    #[cfg(feature = "parquet")]
    let mut rows = table.as_mut().zip(one.as_ref().ok()).map(|(table, root)| {
        let (origin, tables, sink) = table.parts();
        Gather::new(root, origin, tables, sink)
    });
    #[cfg(feature = "parquet")]
    sinks.0.extend(rows.as_mut().filter(|rows| rows.wants_kernels()).map(|rows| rows as &mut dyn KernelSink));
    let filter = KernelFilter { targets: &global.arch, ..KernelFilter::default() };
    let kernels = (!sinks.0.is_empty()).then_some(KernelInventory { filter, sink: &mut sinks });
    let read = run::read(&roots, &options, progress, kernels, wants);
    if let Some(bar) = &bar {
        bar.finish();
    }
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables))]
    let (inventory, install) = read?;
    for list in lists {
        // Lines have no place for what was found.
        list.end(&Found::nothing()).map_err(not_written)?;
    }
    opened.into_iter().try_for_each(|(out, _)| out.finish().map_err(not_written))?;
    let mut report = question.document(&inventory, &trees)?;
    #[cfg(feature = "parquet")]
    if let Some(rows) = rows {
        rows.finish(&options, &inventory, install, &report)?;
    }
    #[cfg(feature = "parquet")]
    if let Some(table) = table {
        table.end().map_err(|error| AuditError::io("write", "the rows of a table", error))?;
    }
    if explained_as_log(&roots, &outputs, &report, global)? {
        return Ok(Status::Done);
    }
    let judge = judge.report(&report.findings);
    report.failed_because = judge.because();
    write_reports(&report, &outputs, args.isa, global)?;
    // A list of kernels has no place for what could not be read.
    if outputs.iter().all(|(_, format)| *format == Format::Jsonl || format.is_of_tables()) {
        let damage = inventory.findings.iter().filter(|finding| finding.is_damage());
        damage.take(DAMAGE_TOLD).for_each(|finding| global::complain(&finding.to_string()));
    }
    Ok(judge.status())
}

/// Explains a file without anything of a GPU, which may be what a program printed; whether it is that.
fn explained_as_log(
    roots: &[PathBuf],
    outputs: &[(Destination, Format)],
    report: &Report,
    global: &GlobalArgs,
) -> Result<bool, AuditError> {
    match (roots, outputs) {
        ([path], [(Destination::Stdout | Destination::Pager(_), Format::Table)])
            if report.targets.is_empty() && report.matrix.is_empty() && path.is_file() =>
        {
            explain::given_as_tree(path, global)
        }
        _ => Ok(false),
    }
}

/// Writes the report to each output that takes one. With `tables` its tables are drawn in full.
fn write_reports(
    report: &Report,
    outputs: &[(Destination, Format)],
    tables: bool,
    global: &GlobalArgs,
) -> Result<(), AuditError> {
    let reports = outputs.iter().filter(|(_, format)| *format != Format::Jsonl && !format.is_of_tables());
    for (destination, format) in reports {
        let mut style = global.style(destination);
        style.full |= tables;
        destination::write(destination, &render::report(report, *format, &style)?)?;
    }
    Ok(())
}

/// Findings of damage that are said beside a list; further ones are in the report.
const DAMAGE_TOLD: usize = 20;

fn not_written(error: std::io::Error) -> AuditError {
    AuditError::io("write", "the kernel inventory", error)
}
