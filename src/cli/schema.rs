//! `rocm-audit generate schema [NAME]`: the JSON Schemas of what this program writes.

use super::destination::print;
use super::exit::Status;
use super::global::GlobalArgs;
use super::{meant, similar};
use crate::error::AuditError;
use crate::report::v1::Document;
use crate::report::v1::document::DOCUMENTS;
use std::io::Read as _;

/// The files of docs/schema as `build.rs` packs them: of each its name and its text, each with a zero byte
/// behind it.
const SCHEMAS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schemas.z"));

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
pub(super) struct Args {
    /// The document, as its `schema` field says: report, or rocm-audit/report [default: a list of all]
    name: Option<String>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    global.finds_nothing("generate schema")?;
    global.prints_a_list("generate schema")?;
    let Some(name) = &args.name else {
        let line = |d: &Document| format!("{:<20} {:<7} {}\n", d.name, d.version, d.about);
        print(DOCUMENTS.iter().map(line).collect())?;
        return Ok(Status::Done);
    };
    let own = format!("{}/", env!("CARGO_PKG_NAME"));
    let short = name.strip_prefix(&own).unwrap_or(name);
    let document = DOCUMENTS.iter().find(|document| document.name == short);
    let Some(text) = document.and_then(text) else {
        let known = DOCUMENTS.iter().map(|document| document.name);
        let tip = meant(&similar(short, known));
        return Err(AuditError::Usage(format!(
            "generate schema: there is no document {name:?}{tip}; `rocm-audit generate schema` lists all"
        )));
    };
    print(text)?;
    Ok(Status::Done)
}

/// The schema of a document.
fn text(document: &Document) -> Option<String> {
    let mut all = String::new();
    flate2::read::ZlibDecoder::new(SCHEMAS).read_to_string(&mut all).ok()?;
    let mut names_and_texts = all.split_terminator('\0');
    names_and_texts.find(|name| *name == document.file())?;
    names_and_texts.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_has_its_own_schema() {
        for document in DOCUMENTS {
            let schema: serde_json::Value = serde_json::from_str(&text(document).unwrap()).unwrap();
            assert_eq!(schema["title"], document.schema());
        }
        let unknown = Document { name: "none", version: "1.0.0", about: "" };
        assert_eq!(text(&unknown), None);
    }
}
