//! `rocm-audit generate`: files that others than people read, made of what the program knows of itself.

use super::completions::{self, CompletionArgs, ManArgs};
use super::exit::Status;
use super::global::GlobalArgs;
use super::schema;
use crate::error::AuditError;

#[derive(Debug, Clone, clap::Args)]
#[command(subcommand_required = true)]
pub(super) struct Args {
    #[command(subcommand)]
    what: GenerateSubject,
}

#[derive(Debug, Clone, clap::Subcommand)]
enum GenerateSubject {
    /// Print the JSON Schema of a document that this program writes.
    Schema(schema::Args),
    /// Print completions for a shell.
    Completions(CompletionArgs),
    /// Print a manual page.
    Man(ManArgs),
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    match &args.what {
        GenerateSubject::Schema(args) => schema::run(args, global),
        GenerateSubject::Completions(args) => completions::completions(args, global),
        GenerateSubject::Man(args) => completions::man(args, global),
    }
}
