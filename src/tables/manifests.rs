//! Tables from manifests alone: no artifact is opened. All manifests of a call are the rows of one file of each
//! table, so that thousands of them are one file to ask.

use super::artifact::Origin;
use super::batch::Batch;
use super::column::{Column, ColumnType, Table};
use super::folder::{UnfinishedFile, file_of};
use super::rows::{table, word};
use crate::comparison::saved::read_manifest;
use crate::error::AuditError;
use crate::report::v1::{Manifest, ManifestCards, ManifestCoverage, ManifestTarget};
use std::path::{Path, PathBuf};

/// The tables that are made from manifests.
pub static MANIFEST_TABLES: &[&Table] = &[&MANIFEST_TARGETS, &MANIFEST_VERDICTS];

/// Rows at which a batch is written.
const ROWS: usize = 1 << 15;

table! {
    /// Target IDs of artifacts, by their manifests.
    MANIFEST_TARGETS, manifest_target, "manifest_targets", "a target ID of an artifact, by its manifest", row: (&Manifest, &ManifestTarget);
    "identity" Text "name and version of the package, as it states them" row.0.artifact.identity.as_deref();
    "complete" Truth "false where something could not be read when the manifest was written" row.0.complete;
    "target_id" Text "the target ID" row.1.target_id.as_str();
    "processor" Text "its processor" row.1.target_id.split(':').next();
    "code_objects" Number "code objects" row.1.code_objects;
    "kernels" Number "kernels" row.1.kernels;
}

table! {
    /// What libraries of artifacts do on processors, by their manifests.
    MANIFEST_VERDICTS, manifest_verdict, "manifest_verdicts", "a library of an artifact on a processor, by its manifest", row: (&Manifest, &str, &ManifestCards, &ManifestCoverage);
    "identity" Text "name and version of the package, as it states them" row.0.artifact.identity.as_deref();
    "complete" Truth "false where something could not be read when the manifest was written" row.0.complete;
    "processor" Text "the processor" row.1;
    "answer" Text "of the whole artifact: runs, compiles, limits, unknown or not" word(&row.2.answer);
    "library" Text "the library" row.3.library.as_str();
    "library_answer" Text "of the library, likewise" word(&row.3.answer);
    "reason" Text "why, in a clause" row.3.reason.as_str();
    "tuned" Text "types of matrix products that its catalogs are tuned for, with spaces" row.3.tuned.join(" ");
    "fallback" Text "types that fallback kernels serve, with spaces" row.3.fallback.join(" ");
    "override" Text "the best value of HSA_OVERRIDE_GFX_VERSION, if there is one" row.2.override_value.as_ref().map(|own| own.value.as_str());
}

/// Reads manifests into a file of each table, which has the name `named`; gives the rows of both.
///
/// # Errors
/// If a manifest is none, or cannot be read, or a file cannot be written.
pub fn add(folder: &Path, manifests: &[PathBuf], named: &str) -> Result<u64, AuditError> {
    let mut files = Vec::new();
    for table in MANIFEST_TABLES {
        let to = file_of(folder, table, named);
        let file = UnfinishedFile::begin(&to, table).map_err(|error| AuditError::io("write", &to, error))?;
        files.push((to, file, Batch::new(table)));
    }
    for path in manifests {
        let manifest = read_manifest(path)?;
        let origin = origin(path, &manifest);
        for (to, file, batch) in &mut files {
            if *batch.table == MANIFEST_TARGETS {
                manifest
                    .targets
                    .iter()
                    .for_each(|target| manifest_target(batch, &origin, &(&manifest, target)));
            } else {
                verdicts(batch, &origin, &manifest);
            }
            if batch.rows() >= ROWS {
                let full = std::mem::replace(batch, Batch::new(batch.table));
                file.write(full).map_err(|error| AuditError::io("write", &*to, error))?;
            }
        }
    }
    let mut rows = 0;
    for (to, mut file, batch) in files {
        let written = if batch.rows() > 0 { file.write(batch) } else { Ok(()) };
        rows += written.and_then(|()| file.finish()).map_err(|error| AuditError::io("write", to, error))?;
    }
    Ok(rows)
}

fn verdicts(batch: &mut Batch, origin: &Origin, manifest: &Manifest) {
    for cards in &manifest.cards {
        for processor in &cards.processors {
            for library in &cards.libraries {
                manifest_verdict(batch, origin, &(manifest, processor.as_str(), cards, library));
            }
        }
    }
}

/// The artifact that a manifest is of; its `source` is the manifest.
fn origin(path: &Path, manifest: &Manifest) -> Origin {
    let tool = &manifest.header.tool;
    Origin {
        digest: manifest.artifact.sha256.clone(),
        source: path.to_string_lossy().into_owned(),
        tool: format!("{} {}", tool.name, tool.version),
        ..Origin::named(&manifest.artifact.name)
    }
}
