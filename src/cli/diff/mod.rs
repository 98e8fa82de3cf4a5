//! `rocm-audit diff OLD NEW`.

#[cfg(feature = "engines")]
mod selections;

use crate::capability::Capability;
use crate::cli::completions::Completed;
use crate::cli::exit::{self, FailOn, Judge, Status};
use crate::cli::global::{self, GlobalArgs};
use crate::cli::roots;
use crate::comparison::diff::{Chosen, Side, diff};
use crate::comparison::kernel_table::KernelTable;
use crate::comparison::saved;
use crate::comparison::snapshot::Snapshot;
use crate::error::AuditError;
use crate::render::{self, Format};
use crate::report;
use crate::scan::kernel_sink::KernelFilter;
use crate::scan::run::{KernelInventory, Options, Silent, audit};
use crate::target::TargetId;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Args {
    /// What was there before: a tree, a package, a file, or a report that `rocm-audit -o FILE.json` wrote
    old: PathBuf,
    /// What is there now, in any of these forms
    #[arg(required_unless_present = "targets")]
    new: Option<PathBuf>,
    /// Compare what one tree has for two targets, as in gfx900,gfx906; then there is no NEW
    #[arg(long, value_name = "TARGET,TARGET", value_delimiter = ',', num_args = 1, conflicts_with = "new",
          value_parser = Completed::new(global::target, global::targets), hide_possible_values = true)]
    targets: Vec<TargetId>,
    /// Also compare what rocBLAS, hipBLASLt, MIOpen and llama.cpp's library choose for the problems of FILE, in the forms that
    /// `rocm-audit workload` reads, or for `reference`, a list of common ones; on the cards of --gpu or the targets of --arch, which
    /// ask the reference problems where no others are named, else on all that there are catalogs or databases for
    #[cfg(feature = "engines")]
    #[arg(long, value_name = "FILE")]
    problems: Option<PathBuf>,
}

/// The end of `--help`.
const EXAMPLES: &str = exit::help!(
    "Examples:
  rocm-audit diff old.whl new.whl
  rocm-audit diff old.whl new.whl --fail-on lost-target,lost-kernel,new-finding,bigger=5%
  rocm-audit diff --targets gfx900,gfx906 /opt/rocm
  rocm-audit diff last-release.json build/ --fail-on lost-target,lost-file
  rocm-audit diff /opt/rocm-6.3 /opt/rocm-6.4 --gpu \"RX 7900 XTX\" --problems calls.log --fail-on worse-selection

--fail-on also takes lost-target, less-coverage, lost-kernel, more-spills, worse-selection, fewer-records, lost-file, new-finding, and
bigger=PERCENT. Kernels are compared by name and target where neither side is a saved report."
);

pub(in crate::cli) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    refuse_useless(args, global)?;
    let judge = Judge::new(global, FailOn::Damage, exit::DIFF)?;
    let shown: [String; 2];
    let (old, new) = match &args.new {
        Some(new) => {
            shown = [&args.old, new].map(|path| path.to_string_lossy().into_owned());
            // Two reports are ready at once; a tree that cannot be read is reported before the other is read.
            roots::resolve(&[args.old.clone(), new.clone()])?;
            (side(&args.old, &shown[0], &[])?, side(new, &shown[1], &[])?)
        }
        None => {
            let [one, other] = &args.targets[..] else {
                let what = format!(
                    "diff: --targets takes two, as in gfx900,gfx906, and {} were named",
                    args.targets.len()
                );
                return Err(AuditError::Usage(what));
            };
            roots::resolve(std::slice::from_ref(&args.old))?;
            let path = args.old.to_string_lossy();
            shown = [one, other].map(|target| format!("{path}: {target}"));
            // Both go by one name, so that what belongs together is compared.
            let name = format!("{one} → {other}");
            let [one, other] = [(one, &shown[0]), (other, &shown[1])].map(|(target, shown)| {
                let read = side(&args.old, shown, std::slice::from_ref(target))?;
                let (snapshot, kernels) = (read.snapshot, read.kernels);
                let processor = &target.processor;
                Ok::<_, AuditError>(Side {
                    snapshot: snapshot.of_processor(processor, &name),
                    kernels: kernels.map(|kernels| kernels.of_processor(processor, &name)),
                    ..read
                })
            });
            (one?, other?)
        }
    };
    let saved = [&old, &new].into_iter().find(|side| side.kernels.is_none()).map(|side| side.path);
    if let (Some(saved), Some(word)) = (saved, FailOn::of_kernels(&global.fail_on)) {
        return Err(AuditError::Usage(format!(
            "--fail-on {word}: {saved} is a saved report, which counts kernels and does not name them; name the tree or package itself"
        )));
    }
    #[cfg(feature = "engines")]
    let chosen = match selections::are_asked(args, global) {
        true => selections::compare(args, global, &args.old, args.new.as_ref().unwrap_or(&args.old))?,
        false => Chosen::default(),
    };
    #[cfg(not(feature = "engines"))]
    let chosen = Chosen::default();
    let mut report = diff(old, new, chosen, FailOn::bigger(&global.fail_on), &global.arch);
    let judge = judge.report(&report.found.findings).regressions(&report.regressions);
    report.failed_because = judge.because();
    for (destination, format) in global.outputs()? {
        if format == Format::Jsonl {
            return Err(AuditError::Usage("diff: there is no kernel inventory of it; use -f json".into()));
        }
        global::write(&destination, &render::diff::draw(&report, format, &global.style(&destination))?)?;
    }
    Ok(judge.status())
}

/// Refuses what would be ignored: targets where no choice is compared on them, choices of a side that names none.
#[cfg(feature = "engines")]
fn refuse_useless(args: &Args, global: &GlobalArgs) -> Result<(), AuditError> {
    let asked = selections::are_asked(args, global);
    if !args.targets.is_empty() && !global.arch.is_empty() {
        let what = "diff: --targets names the two targets that are compared; --arch and --gpu have no meaning beside it";
        return Err(AuditError::Usage(what.into()));
    }
    if FailOn::of_selections(&global.fail_on) && !asked {
        let what = "--fail-on worse-selection: no choices are compared; name problems with --problems, or a card with --gpu for the \
                    reference problems";
        return Err(AuditError::Usage(what.into()));
    }
    let sides = [Some(&args.old), args.new.as_ref()];
    match sides.into_iter().flatten().find(|path| asked && saved::is_named_so(path)) {
        Some(saved) => Err(AuditError::Usage(format!(
            "diff: {} is a saved report, which has no catalogs and databases to choose with: leave out --problems, --gpu and --arch, or \
             name the tree or package itself",
            saved.display()
        ))),
        None => Ok(()),
    }
}

/// Without the engines no choice is compared.
#[cfg(not(feature = "engines"))]
fn refuse_useless(_: &Args, _: &GlobalArgs) -> Result<(), AuditError> {
    Ok(())
}

/// Reads a saved report, or audits a path.
fn side<'a>(path: &Path, shown: &'a str, targets: &[TargetId]) -> Result<Side<'a>, AuditError> {
    if saved::is_named_so(path) {
        let snapshot = Snapshot::of(&saved::read(path, "")?);
        return Ok(Side { path: shown, saved: true, snapshot, kernels: None, findings: Vec::new() });
    }
    let mut kernels = KernelTable::default();
    let rows = KernelInventory {
        filter: KernelFilter { targets, as_it_stands: true, ..KernelFilter::default() },
        sink: &mut kernels,
    };
    let inventory = audit(&[path.to_path_buf()], &Options::default(), &Silent, Some(rows))?;
    let report = report::audit(&inventory, &Capability::of(&inventory, &[]));
    let written = serde_json::to_value(&report).map_err(|error| {
        AuditError::Usage(format!("{shown}: the report of it cannot be written: {error}"))
    })?;
    let findings = report
        .findings
        .into_iter()
        .filter(|finding| crate::finding::rules::of_id(&finding.id).is_some_and(|rule| rule.is_damage));
    let (snapshot, findings) = (Snapshot::of(&written), findings.collect());
    Ok(Side { path: shown, saved: false, snapshot, kernels: Some(kernels), findings })
}
