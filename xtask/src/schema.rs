//! JSON Schemas of the outputs, generated from the report types.

use crate::python_types;
use anyhow::{Context as _, Result, bail, ensure};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rocm_audit::report::v1::document::{DOCUMENTS, REPORT, schemas};
use std::io::{Read as _, Write as _};
use std::path::Path;

pub fn run(arguments: &[String]) -> Result<()> {
    let check = arguments.iter().any(|a| a == "--check");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema");
    std::fs::create_dir_all(&folder)?;
    python(check)?;
    let mut all = String::new();
    for (document, schema) in schemas() {
        let path = folder.join(document.file());
        let text = serde_json::to_string_pretty(&schema)? + "\n";
        all.push_str(&text);
        all.push('\0');
        if !check {
            std::fs::write(&path, text)?;
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            bail!("{} differs from the report types: run `cargo xtask schema`", path.display());
        }
    }
    embedded(&all, check)?;
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

/// All schemas in one file, which the program has in itself.
fn embedded(all: &str, check: bool) -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/cli/schemas.z");
    if check {
        let mut found = String::new();
        let file = std::fs::File::open(&path).with_context(|| path.display().to_string())?;
        let read = ZlibDecoder::new(file).read_to_string(&mut found);
        ensure!(read.is_ok() && found == all, "{} differs: run `cargo xtask schema`", path.display());
        return Ok(());
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(all.as_bytes())?;
    Ok(std::fs::write(path, encoder.finish()?)?)
}

/// The types of reports for Python.
fn python(check: bool) -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(python_types::FILE);
    let Some((_, report)) = schemas().into_iter().find(|(document, _)| *document == REPORT) else {
        bail!("reports have no schema");
    };
    let text = python_types::module(&serde_json::to_value(report)?)?;
    if !check {
        std::fs::write(&path, text)?;
    } else if std::fs::read_to_string(&path).ok().as_deref() != Some(&text) {
        bail!("{} differs from the schema of reports: run `cargo xtask schema`", path.display());
    }
    Ok(())
}
