//! JSON Schemas of the outputs, generated from the report types.

use crate::python_types;
use anyhow::{Result, bail};
use rocm_audit::report::v1::document::{DOCUMENTS, schemas};
use std::path::Path;

pub fn run(arguments: &[String]) -> Result<()> {
    let check = arguments.iter().any(|a| a == "--check");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema");
    std::fs::create_dir_all(&folder)?;
    python(check)?;
    for (document, schema) in schemas() {
        let path = folder.join(document.file());
        let text = serde_json::to_string_pretty(&schema)? + "\n";
        if !check {
            std::fs::write(&path, text)?;
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            bail!("{} differs from the report types: run `cargo xtask schema`", path.display());
        }
    }
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if DOCUMENTS.iter().any(|document| document.file() == name) {
            continue;
        }
        if check {
            bail!("{} is the schema of no document: run `cargo xtask schema`", path.display());
        }
        std::fs::remove_file(&path)?;
    }
    Ok(())
}

/// The types of reports for Python.
fn python(check: bool) -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(python_types::FILE);
    let all: Result<Vec<_>> = schemas()
        .into_iter()
        .map(|(document, schema)| Ok((document, serde_json::to_value(schema)?)))
        .collect();
    let text = python_types::module(&all?)?;
    if !check {
        std::fs::write(&path, text)?;
    } else if std::fs::read_to_string(&path).ok().as_deref() != Some(&text) {
        bail!("{} differs from the schemas of documents: run `cargo xtask schema`", path.display());
    }
    Ok(())
}
