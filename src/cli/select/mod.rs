//! `rocm-audit select`: what a library chooses for an operation, by its own catalogs, databases and rules.

mod beside;
mod conv;
mod flash_attn;
mod gemm;
mod matmul;
mod mul_mat;
mod problems;
mod route;

use super::claim::ClaimArgs;
use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use crate::asked::override_value::{OverrideValue, value};
use crate::error::AuditError;
use crate::finding::Finding;
use crate::target::TargetId;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// Answer as if HSA_OVERRIDE_GFX_VERSION had this value, such as 10.3.0: the code of the processor that
    /// it names is loaded on the card
    #[arg(long = "override", value_name = "VALUE", value_parser = value, global = true)]
    claimed: Option<OverrideValue>,
    #[command(subcommand)]
    operation: Operation,
}

#[derive(Debug, Clone, clap::Subcommand)]
enum Operation {
    /// A matrix product: the solution that rocBLAS chooses, its code object and its launches. Needs --arch.
    Gemm(Box<gemm::Args>),
    /// A matrix product: the algorithms that hipBLASLt gives, the code object and the launches. Needs --arch.
    Matmul(Box<matmul::Args>),
    /// A convolution: the solver that MIOpen takes, by its databases and rules. Needs --arch.
    Conv(Box<conv::Args>),
    /// A matrix product of llama.cpp: ggml's route, its kernel and whether the library has it. Needs --arch.
    MulMat(Box<mul_mat::Args>),
    /// Attention of llama.cpp, likewise. Needs --arch.
    FlashAttn(Box<flash_attn::Args>),
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    // A call that asks for what is not found here is refused before anything is read.
    Judge::new(global, FailOn::Damage, exit::ANSWER)?;
    let (global, claim) = ClaimArgs::new(args.claimed.clone()).of_options(global, "select")?;
    let global = global.as_ref();
    if let Some(claim) = &claim {
        global::note(&claim.sentences());
    }
    match &args.operation {
        Operation::Gemm(args) => gemm::run(args, global),
        Operation::Matmul(args) => matmul::run(args, global),
        Operation::Conv(args) => conv::run(args, global),
        Operation::MulMat(args) => mul_mat::run(args, global),
        Operation::FlashAttn(args) => flash_attn::run(args, global),
    }
}

/// How an operation ends that found this.
fn status(global: &GlobalArgs, found: &[Finding]) -> Result<Status, AuditError> {
    Ok(Judge::new(global, FailOn::Damage, exit::ANSWER)?.findings(found).status())
}

/// The same of answers to a file of problems, a line each: lines have no place for what could not be read, so
/// that standard error has it.
fn status_of_lines(global: &GlobalArgs, unread: &[Finding]) -> Result<Status, AuditError> {
    unread.iter().for_each(|finding| global::complain(&finding.to_string()));
    status(global, unread)
}

/// The one target that an operation is asked for.
fn target<'a>(global: &'a GlobalArgs, operation: &str) -> Result<&'a TargetId, AuditError> {
    match &global.arch[..] {
        [target] => Ok(target),
        _ => Err(AuditError::Usage(format!("{operation}: name one target with --arch"))),
    }
}
