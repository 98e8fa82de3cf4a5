//! The findings in an input, however they were requested.

#[cfg(feature = "cli")]
use super::program::json_with_findings;
use rocm_audit::capability::Capability;
use rocm_audit::finding::Finding;
use rocm_audit::report;
use rocm_audit::report::v1;
use rocm_audit::scan::run::{Options, Silent, audit};
#[cfg(feature = "cli")]
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The properties of a finding that fixtures determine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Id of the rule.
    pub id: String,
    /// Whether it names a target or a place.
    pub placed: bool,
}

impl From<&Finding> for Seen {
    fn from(found: &Finding) -> Seen {
        Seen { id: found.rule.id.to_owned(), placed: found.target.is_some() || !found.locations.is_empty() }
    }
}

impl From<&v1::Finding> for Seen {
    fn from(found: &v1::Finding) -> Seen {
        Seen { id: found.id.clone(), placed: found.target.is_some() || !found.locations.is_empty() }
    }
}

/// The findings of a tree's audit.
pub fn in_tree(root: &Path, options: &Options) -> Vec<Seen> {
    let inventory = audit(&[root.to_owned()], options, &Silent, None).unwrap();
    report::audit(&inventory, &Capability::from_inventory(&inventory, &[]))
        .findings
        .iter()
        .map(Seen::from)
        .collect()
}

/// The findings of an audit of these files.
pub fn in_files(files: &[(&str, &[u8])]) -> Vec<Seen> {
    in_tree(folder(files).path(), &Options::default())
}

/// A folder with these files; paths may contain folders.
pub fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

/// A command's findings: every list of findings in its JSON.
#[cfg(feature = "cli")]
pub fn by_command(words: &[&str]) -> Vec<Seen> {
    let mut all = Vec::new();
    collect(&json_with_findings(words), &mut all);
    all
}

#[cfg(feature = "cli")]
fn collect(value: &Value, all: &mut Vec<Seen>) {
    match value {
        Value::Object(fields) => {
            for finding in fields.get("findings").and_then(Value::as_array).into_iter().flatten() {
                let placed =
                    !finding["target"].is_null() || !finding["locations"].as_array().unwrap().is_empty();
                all.push(Seen { id: finding["id"].as_str().unwrap().to_owned(), placed });
            }
            fields.values().for_each(|value| collect(value, all));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, all)),
        _ => {}
    }
}
