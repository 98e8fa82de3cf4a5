//! `rocm-audit schema [NAME]`: the JSON Schemas of what this program writes.

use super::exit::Status;
use super::global::{GlobalArgs, print};
use super::{meant, similar};
use crate::error::AuditError;
use crate::report::v1::document::DOCUMENTS;
use std::io::Read as _;

/// The texts of docs/schema in the order of [`DOCUMENTS`], each with a zero byte behind it, in the form of zlib. `cargo xtask schema` writes
/// it: what makes schemas from types is larger than all of them.
const SCHEMAS: &[u8] = include_bytes!("schemas.z");

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// The document, as its `schema` field says: report, or rocm-audit/report [default: a list of all]
    name: Option<String>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    global.finds_nothing("schema")?;
    global.prints_a_list("schema")?;
    let Some(name) = &args.name else {
        let line = |d: &crate::report::v1::Document| format!("{:<20} {:<7} {}\n", d.name, d.version, d.about);
        print(DOCUMENTS.iter().map(line).collect())?;
        return Ok(Status::Done);
    };
    let own = format!("{}/", env!("CARGO_PKG_NAME"));
    let short = name.strip_prefix(&own).unwrap_or(name);
    let place = DOCUMENTS.iter().position(|document| document.name == short);
    let Some(text) = place.and_then(text) else {
        let known = DOCUMENTS.iter().map(|document| document.name);
        let tip = meant(&similar(short, known));
        return Err(AuditError::Usage(format!(
            "schema: there is no document {name:?}{tip}; `rocm-audit schema` lists all"
        )));
    };
    print(text)?;
    Ok(Status::Done)
}

/// The schema of a document, by its place in [`DOCUMENTS`].
fn text(place: usize) -> Option<String> {
    let mut all = String::new();
    flate2::read::ZlibDecoder::new(SCHEMAS).read_to_string(&mut all).ok()?;
    all.split_terminator('\0').nth(place).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_has_its_own_schema() {
        for (place, document) in DOCUMENTS.iter().enumerate() {
            let schema: serde_json::Value = serde_json::from_str(&text(place).unwrap()).unwrap();
            assert_eq!(schema["title"], document.schema());
        }
        assert_eq!(text(DOCUMENTS.len()), None);
    }
}
