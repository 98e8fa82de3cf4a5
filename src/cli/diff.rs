//! `rocm-audit diff OLD NEW`.

use crate::cli::completions::Completed;
use crate::cli::exit::{self, FailOn, Judge, Status};
use crate::cli::global::GlobalArgs;
use crate::cli::gpu;
#[cfg(feature = "engines")]
use crate::cli::must_exist;
use crate::cli::roots;
use crate::comparison::saved;
use crate::error::AuditError;
use crate::question::{DiffProblems, DiffQuestion, Question, Trees};
use crate::target::TargetId;
#[cfg(feature = "engines")]
use std::path::Path;
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// What was there before: a tree, a package, a file, or a report that `rocm-audit -o FILE.json` wrote
    old: PathBuf,
    /// What is there now, in any of these forms
    #[arg(required_unless_present = "targets")]
    new: Option<PathBuf>,
    /// Compare what one tree has for two targets, as in gfx900,gfx906; then there is no NEW
    #[arg(long, value_name = "TARGET,TARGET", value_delimiter = ',', num_args = 1, conflicts_with = "new",
          value_parser = Completed::new(gpu::target, gpu::targets), hide_possible_values = true)]
    targets: Vec<TargetId>,
    /// Also compare the machine code of kernels: the same, the same but for addresses, registers, waits
    /// or the order of instructions, or other instructions, with their numbers
    #[arg(long)]
    kernels: bool,
    /// Also compare what instructions the code is made of: their numbers by target, class and mnemonic,
    /// those that changed most first
    #[arg(long, conflicts_with = "kernels")]
    isa: bool,
    /// Also compare what rocBLAS, hipBLASLt, MIOpen and llama.cpp's library choose for the problems of FILE,
    /// in the forms that `rocm-audit workload` reads, or for `reference`, a list of common ones; on the cards
    /// of --gpu or the targets of --arch, which ask the reference problems where no others are named, else on
    /// all that there are catalogs or databases for
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
  rocm-audit diff --isa old/librocblas.so new/librocblas.so
  rocm-audit diff last-release.json build/ --fail-on lost-target,lost-file
  rocm-audit diff /opt/rocm-6.3 /opt/rocm-6.4 --gpu \"RX 7900 XTX\" --problems calls.log --fail-on worse-selection

--fail-on also takes lost-target, less-coverage, lost-kernel, more-spills, lower-occupancy, fewer-waits, worse-selection, fewer-records, lost-file, new-finding, and
bigger=PERCENT. Kernels are compared by name and target where neither side is a saved report."
);

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    refuse_useless(args, global)?;
    global.has_no_lines("diff")?;
    let judge = Judge::new(global, FailOn::Damage, exit::DIFF)?;
    let targets = match (&args.new, &args.targets[..]) {
        (Some(_), _) => None,
        (None, [one, other]) => Some([one.clone(), other.clone()]),
        (None, several) => {
            let what =
                format!("diff: --targets takes two, as in gfx900,gfx906, and {} were named", several.len());
            return Err(AuditError::Usage(what));
        }
    };
    // What cannot be read is said before the first is read.
    let roots = roots::or_documents(&[&args.old].into_iter().chain(&args.new).cloned().collect::<Vec<_>>())?;
    let saved = roots.iter().find(|root| saved::is_named_so(root));
    if let (Some(saved), Some(word)) = (saved, FailOn::of_kernels(&global.fail_on)) {
        return Err(AuditError::Usage(format!(
            "--fail-on {word}: {} is a saved report, which counts kernels and does not name them; name the tree or package itself",
            saved.display()
        )));
    }
    if let Some(saved) = saved.filter(|_| args.kernels || args.isa) {
        let option = if args.isa { "--isa" } else { "--kernels" };
        return Err(AuditError::Usage(format!(
            "diff {option}: {} is a saved report, which has no machine code; name the tree or package itself",
            saved.display()
        )));
    }
    if FailOn::of_code(&global.fail_on) && !args.kernels {
        return Err(AuditError::Usage(
            "--fail-on fewer-waits: no machine code is compared; add --kernels".to_owned(),
        ));
    }
    let question = DiffQuestion {
        targets,
        cards: global.cards(),
        problems: problems(args, global)?,
        code: args.kernels,
        instructions: args.isa,
        bigger: FailOn::bigger(&global.fail_on),
    };
    let mut report = question.ask(&Trees::at(roots))?;
    let judge = judge.report(&report.found.findings).regressions(&report.regressions);
    report.failed_because = judge.because();
    global.write_document("diff", &report, None)?;
    Ok(judge.status())
}

/// Refuses what would be ignored: targets where no choice is compared on them, choices of a side that names
/// none.
#[cfg(feature = "engines")]
fn refuse_useless(args: &Args, global: &GlobalArgs) -> Result<(), AuditError> {
    let asked = are_asked(args, global);
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

/// Whose choices are compared: those that are named, the reference problems where cards are, else none.
#[cfg(feature = "engines")]
fn problems(args: &Args, global: &GlobalArgs) -> Result<Option<DiffProblems>, AuditError> {
    let Some(path) = args.problems.as_deref().filter(|path| *path != Path::new(REFERENCE)) else {
        return Ok(are_asked(args, global).then_some(DiffProblems::Reference));
    };
    must_exist(path)?;
    if path.is_dir() {
        let what = format!("diff: --problems {}: a folder; name the file with the problems", path.display());
        return Err(AuditError::Usage(what));
    }
    Ok(Some(DiffProblems::File(path.to_owned())))
}

#[cfg(not(feature = "engines"))]
fn problems(_: &Args, _: &GlobalArgs) -> Result<Option<DiffProblems>, AuditError> {
    Ok(None)
}

/// The word for the list of problems that this program has.
#[cfg(feature = "engines")]
const REFERENCE: &str = "reference";

/// Whether choices are to be compared: problems are named, or cards to ask the reference problems for.
#[cfg(feature = "engines")]
fn are_asked(args: &Args, global: &GlobalArgs) -> bool {
    args.problems.is_some() || !global.arch.is_empty()
}
