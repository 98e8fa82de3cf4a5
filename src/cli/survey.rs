//! `rocm-audit survey GPU [PATH]...`

use super::claim::ClaimArgs;
use super::exit::{self, FailOn, Judge, Status};
use super::global::GlobalArgs;
use super::gpu::{self, Gpu};
use super::roots;
use crate::error::AuditError;
use crate::question::{Question, SurveyQuestion, Trees};
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The card by its name (`RX 6600`, 780m, MI250X), a PCI id (0x73ff) or its processor (gfx1032)
    #[arg(value_name = "GPU", value_parser = gpu::gpu)]
    card: Gpu,
    /// Trees, packages or files [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
    /// Beside this card or processor
    #[arg(long, value_name = "GPU", value_parser = gpu::gpu)]
    vs: Option<Gpu>,
    /// Multiprocessors of the card as HIP counts them: compute units, or work group processors on RDNA
    /// [default: those of the card]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    cu: Option<u32>,
    #[command(flatten)]
    claim: ClaimArgs,
}

/// The end of `--help`.
const EXAMPLES: &str = exit::help!(
    "Examples:
  rocm-audit survey 'vega 56' /opt/rocm
  rocm-audit survey gfx900 --vs gfx1030 /opt/rocm /usr/lib/x86_64-linux-gnu/ggml
"
);

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    if !global.arch.is_empty() {
        let what = "survey: the card stands behind the command, another behind --vs; --arch and --gpu have no meaning here";
        return Err(AuditError::Usage(what.into()));
    }
    let (card, claim) = args.claim.claimed_card(&args.card)?;
    global.has_no_lines("survey")?;
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    let trees = Trees::at(roots::resolve(&args.paths)?);
    let question = SurveyQuestion { card, vs: args.vs.clone(), multiprocessors: args.cu, claim };
    let report = question.ask(&trees)?;
    global.write_document("survey", &report, None)?;
    Ok(judge.report(&report.findings).status())
}
