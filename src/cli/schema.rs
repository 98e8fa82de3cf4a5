//! `rocm-audit schema [NAME]`: the JSON Schemas of what this program writes.

use super::exit::Status;
use super::global::{GlobalArgs, print};
use super::{meant, similar};
use crate::error::AuditError;
use crate::report::v1::document::{DOCUMENTS, schemas};

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// The document, as its `schema` field says: report, or rocm-audit/report [default: a list of all]
    name: Option<String>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    global.finds_nothing("schema")?;
    global.prints_a_list("schema", false)?;
    let Some(name) = &args.name else {
        let line = |d: &crate::report::v1::document::Document| {
            format!("{:<20} {:<7} {}\n", d.name, d.version, d.about)
        };
        print(DOCUMENTS.iter().map(line).collect())?;
        return Ok(Status::Done);
    };
    let own = format!("{}/", env!("CARGO_PKG_NAME"));
    let short = name.strip_prefix(&own).unwrap_or(name);
    let Some((_, schema)) = schemas().into_iter().find(|(document, _)| document.name == short) else {
        let known = DOCUMENTS.iter().map(|document| document.name);
        let tip = meant(&similar(short, known));
        return Err(AuditError::Usage(format!(
            "schema: there is no document {name:?}{tip}; `rocm-audit schema` lists all"
        )));
    };
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
    print(text)?;
    Ok(Status::Done)
}
