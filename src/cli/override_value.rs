//! `rocm-audit override VALUE --gpu GPU PATH...`

use super::exit::{self, FailOn, Judge, Status};
use super::global::GlobalArgs;
use super::roots;
use crate::asked::override_value::{OverrideValue, value};
use crate::error::AuditError;
use crate::question::{OverrideQuestion, Question, Trees};
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// The value of HSA_OVERRIDE_GFX_VERSION, such as 10.3.0; or the processor that it names
    #[arg(value_parser = value)]
    value: OverrideValue,
    /// Trees, packages or files whose code would be loaded [default: $ROCM_PATH, else /opt/rocm*]
    paths: Vec<PathBuf>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let [card] = &global.arch[..] else {
        let what = "override: name the one card that it is for, with --gpu \"RX 6600\" or --arch gfx1032";
        return Err(AuditError::Usage(what.into()));
    };
    global.has_no_lines("override")?;
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    let roots = roots::resolve(&args.paths)?;
    let question = OverrideQuestion { value: args.value.clone(), card: card.clone() };
    let report = question.ask(&Trees::at(roots))?;
    global.write_document("override", &report, None)?;
    Ok(judge.report(&report.findings).overriding(report.answer.is_unsafe()).status())
}
