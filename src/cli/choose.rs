//! `rocm-audit choose --gpu GPU PATH...`, and `choose attention` for kernels.

#[cfg(feature = "engines")]
mod attention;

use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::must_be_there;
use crate::asked::AskedCard;
use crate::error::AuditError;
use crate::question::{ChooseQuestion, Question as _, Trees};
use crate::report::v1::CandidateSystem;
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HELP, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Args {
    #[cfg(feature = "engines")]
    #[command(subcommand)]
    of: Option<Of>,
    /// What to choose from: wheels, packages, libraries, folders of them, manifests, addresses of such files,
    /// and lists that name artifacts (a report of `pip install --dry-run --report`, lock files, lists of conda,
    /// a release's files as GitHub lists them)
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Only artifacts for this system, as far as their names say
    #[arg(long, value_enum, value_name = "SYSTEM")]
    os: Option<System>,
}

// What is chosen where that is no artifact. No doc comment, which would become the help of `choose`.
#[cfg(feature = "engines")]
#[derive(Debug, Clone, clap::Subcommand)]
enum Of {
    /// Say which library holds a kernel of attention for a card, and which one PyTorch, vLLM and AITER take.
    /// Needs --gpu or --arch
    Attention(attention::Args),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum System {
    Linux,
    Windows,
}

/// The end of `--help`.
const HELP: &str = exit::help!(
    "Only what an address of the call means is fetched, and of that the parts that matter. An artifact that a list names is looked for beside the list and among the paths, or answered by its manifest (`rocm-audit manifest`). Exit status 1 too where nothing runs.

Examples:
  rocm-audit choose --gpu \"RX 6600\" dist/*.whl
  pip install --dry-run --report report.json torch && rocm-audit choose --gpu gfx1100 report.json manifests
"
);

/// The one card that is asked about.
fn one_card(global: &GlobalArgs) -> Result<AskedCard, AuditError> {
    let cards = global.cards();
    let [card] = &cards[..] else {
        let named = if cards.is_empty() { "none is named" } else { "several are named" };
        return Err(AuditError::Usage(format!(
            "choose: it is for one card, and {named}: rocm-audit choose --gpu GPU PATH..."
        )));
    };
    if card.target.has_features() {
        return Err(AuditError::Usage(format!(
            "choose: it answers for a processor, not for {}: name {} or a card",
            card.target, card.target.processor
        )));
    }
    Ok(card.clone())
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    #[cfg(feature = "engines")]
    if let Some(Of::Attention(args)) = &args.of {
        return attention::run(args, global);
    }
    let card = one_card(global)?;
    global.has_no_lines("choose")?;
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    args.paths.iter().try_for_each(|path| must_be_there(path))?;
    let system = args.os.map(|system| match system {
        System::Linux => CandidateSystem::Linux,
        System::Windows => CandidateSystem::Windows,
    });
    let question = ChooseQuestion { card, system };
    let mut report = question.ask(&Trees::at(args.paths.clone()))?;
    let judge = judge.report(&report.findings);
    report.failed_because = judge.because();
    let runs = report.candidates.iter().any(|candidate| candidate.runs());
    if !runs {
        report.failed_because.push("nothing-runs".to_owned());
    }
    global.write_document("choose", &report, None)?;
    if runs {
        return Ok(judge.status());
    }
    if judge.status() == Status::Done {
        global::note("exit status 1, because nothing runs");
    }
    Ok(Status::Found)
}
