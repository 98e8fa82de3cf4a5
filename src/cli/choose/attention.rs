//! `rocm-audit choose attention --gpu GPU --head-dim D --type T PATH...`.

use super::one_card;
use crate::cli::exit::{self, FailOn, Judge, Status};
use crate::cli::global::{self, GlobalArgs};
use crate::cli::must_be_there;
use crate::engines::attention::step::{Environment, VARIABLES};
use crate::engines::attention::{AttentionCall, AttentionType};
use crate::error::AuditError;
use crate::question::{AttentionQuestion, Question as _, Trees};
use crate::report::v1::AttentionHeld;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// What holds the kernels: an environment, wheels, folders, libraries
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Elements of a head's query and key
    #[arg(long, value_name = "D", value_parser = size())]
    head_dim: u32,
    /// Elements of a head's value [default: as of queries]
    #[arg(long, value_name = "D", value_parser = size())]
    value_dim: Option<u32>,
    /// Type of queries, keys and values
    #[arg(long = "type", value_name = "TYPE", value_parser = types())]
    ty: AttentionType,
    /// A query sees only the keys before it
    #[arg(long)]
    causal: bool,
    /// A variable of the environment that frameworks read; may be repeated
    #[arg(long = "env", value_name = "NAME=VALUE")]
    variables: Vec<String>,
}

/// The end of `--help`.
const HELP: &str = exit::help!(
    "A forward pass without bias, dropout and window. What is in files is marked [observed], a rule of a framework [code]; -v names sources and kernels. Exit status 1 too where no library here has a kernel.

Examples:
  rocm-audit choose attention --gpu MI300X --head-dim 128 --type bf16 --causal ~/venv
  rocm-audit choose attention --gpu gfx1151 --head-dim 64 --type fp16 \\
    --env TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL=1 torch-*.whl
"
);

/// Head sizes that are asked about.
fn size() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=4096)
}

fn types() -> impl TypedValueParser<Value = AttentionType> {
    PossibleValuesParser::new(AttentionType::ALL.map(AttentionType::name))
        .map(|name| AttentionType::of_name(&name).unwrap_or(AttentionType::Fp16))
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let card = one_card(global)?;
    global.has_no_lines("choose attention")?;
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    args.paths.iter().try_for_each(|path| must_be_there(path))?;
    let call = AttentionCall {
        ty: args.ty,
        dim: args.head_dim,
        value_dim: args.value_dim.unwrap_or(args.head_dim),
        causal: args.causal,
    };
    let question = AttentionQuestion { card, call, environment: environment(&args.variables)? };
    let mut report = question.ask(&Trees::at(args.paths.clone()))?;
    let judge = judge.report(&report.findings);
    report.failed_because = judge.because();
    let is_there = |answer| matches!(answer, AttentionHeld::Holds | AttentionHeld::Compiles);
    let has_kernel = report.libraries.iter().any(|library| is_there(library.answer));
    if !has_kernel {
        report.failed_because.push("no-kernel".to_owned());
    }
    global.write_document("choose attention", &report, None)?;
    if has_kernel {
        return Ok(judge.status());
    }
    if judge.status() == Status::Done {
        global::note("exit status 1, because no library here has a kernel");
    }
    Ok(Status::Found)
}

/// The variables that are set.
fn environment(variables: &[String]) -> Result<Environment, AuditError> {
    let mut environment = Environment::default();
    for variable in variables {
        let (name, value) = variable
            .split_once('=')
            .ok_or_else(|| AuditError::Usage(format!("--env {variable}: NAME=VALUE is expected")))?;
        if !environment.set(name, value) {
            let known: Vec<&str> = VARIABLES.iter().map(|(name, _)| *name).collect();
            let what = format!("--env {name}: no rule here reads it; these are read: {}", known.join(", "));
            return Err(AuditError::Usage(what));
        }
    }
    Ok(environment)
}
