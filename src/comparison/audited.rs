//! What comparisons take of the report of an audit: of one that was just made, or of one that was saved.

use crate::report::findings::file_names;
use crate::report::v1::{self, Report};
use rocm_audit_files::key_map::KeyMap;
use serde::Deserialize;
use std::collections::BTreeSet;

/// A report as far as it is compared. What a saved one lacks, as one of an earlier release may, counts as
/// empty.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct AuditedReport {
    pub(super) roots: Vec<String>,
    pub(super) tool: AuditedTool,
    pub(super) complete: bool,
    pub(super) summary: AuditedSums,
    pub(super) matrix: Vec<AuditedLibrary>,
    pub(super) tensile: Vec<AuditedSolutions>,
    pub(super) miopen: Vec<AuditedDatabase>,
    pub(super) artifacts: Vec<AuditedFile>,
    pub(super) findings: Vec<AuditedFinding>,
    pub(super) device_bytes: Vec<AuditedBytes>,
    pub(super) versions: Vec<AuditedVersion>,
    pub(super) linked_with: Vec<AuditedLink>,
}

/// The program that wrote it.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct AuditedTool {
    pub(super) version: String,
}

/// Sums over everything that was read.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct AuditedSums {
    pub(super) code_objects: u64,
    pub(super) kernels: u64,
    pub(super) artifact_bytes: u64,
}

/// A row of the matrix.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct AuditedLibrary {
    pub(super) library: String,
    #[serde(default)]
    pub(super) tensile: bool,
    #[serde(default)]
    pub(super) cells: Vec<AuditedCell>,
}

/// What a library has for a processor.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct AuditedCell {
    pub(super) processor: String,
    /// A word that this release may not know.
    pub(super) coverage: String,
    #[serde(default)]
    pub(super) code_objects: u64,
    #[serde(default)]
    pub(super) kernels: u64,
}

/// Solutions of a library folder for a processor.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct AuditedSolutions {
    pub(super) library: String,
    pub(super) processor: Option<String>,
    #[serde(default)]
    pub(super) solutions: u64,
}

/// Records of a database.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct AuditedDatabase {
    pub(super) path: String,
    pub(super) processor: Option<String>,
    pub(super) records: Option<u64>,
}

/// A file with something to report.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct AuditedFile {
    pub(super) path: String,
    #[serde(default)]
    pub(super) library: String,
    #[serde(default)]
    pub(super) bytes: u64,
}

/// A finding.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct AuditedFinding {
    pub(super) id: String,
    #[serde(default)]
    pub(super) severity: String,
    pub(super) target: Option<String>,
    #[serde(default)]
    pub(super) what: String,
    #[serde(default)]
    pub(super) count: u64,
    #[serde(default)]
    pub(super) locations: Vec<AuditedLocation>,
}

impl AuditedFinding {
    /// The names of its files, each once; an empty one for what is not about files.
    pub(super) fn files(&self) -> BTreeSet<&str> {
        file_names(&self.id, self.locations.iter().map(|at| at.path.as_str()))
    }
}

/// Where a finding shows.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct AuditedLocation {
    #[serde(default)]
    pub(super) path: String,
}

/// Bytes of device code of a class, by its title.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct AuditedBytes {
    pub(super) title: String,
    #[serde(default)]
    pub(super) bytes: u64,
}

/// A version of a component.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct AuditedVersion {
    pub(super) component: String,
    pub(super) version: String,
}

/// A release of a library of ROCm that files are linked with.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct AuditedLink {
    pub(super) library: String,
    #[serde(default)]
    pub(super) release: String,
}

impl From<&Report> for AuditedReport {
    fn from(report: &Report) -> Self {
        let library = |row: &v1::LibraryRow| AuditedLibrary {
            library: row.library.clone(),
            tensile: row.tensile,
            cells: row.cells.iter().map(AuditedCell::from).collect(),
        };
        let solutions = |row: &v1::TensileRow| AuditedSolutions {
            library: row.library.clone(),
            processor: row.processor.clone(),
            solutions: row.solutions,
        };
        let database = |row: &v1::MiopenRow| AuditedDatabase {
            path: row.path.clone(),
            processor: Some(row.processor.clone()),
            records: row.records,
        };
        let file = |row: &v1::Artifact| AuditedFile {
            path: row.path.clone(),
            library: row.library.clone(),
            bytes: row.bytes,
        };
        let bytes = |row: &v1::ByteClass| AuditedBytes { title: row.title.clone(), bytes: row.bytes };
        let version = |row: &v1::Version| AuditedVersion {
            component: row.component.clone(),
            version: row.version.clone(),
        };
        let link = |row: &v1::LinkedRelease| AuditedLink {
            library: row.library.clone(),
            release: row.release.clone(),
        };
        AuditedReport {
            roots: report.roots.clone(),
            tool: AuditedTool { version: report.header.tool.version.to_owned() },
            complete: report.complete,
            summary: AuditedSums {
                code_objects: report.summary.code_objects,
                kernels: report.summary.kernels,
                artifact_bytes: report.summary.artifact_bytes,
            },
            matrix: report.matrix.iter().map(library).collect(),
            tensile: report.tensile.iter().map(solutions).collect(),
            miopen: report.miopen.iter().map(database).collect(),
            artifacts: report.artifacts.iter().map(file).collect(),
            findings: report.findings.iter().map(AuditedFinding::from).collect(),
            device_bytes: report.device_bytes.iter().map(bytes).collect(),
            versions: report.versions.iter().map(version).collect(),
            linked_with: report.linked_with.iter().map(link).collect(),
        }
    }
}

impl From<&v1::Manifest> for AuditedReport {
    /// What a manifest says of it: coverage by processor, not how many kernels each library has.
    fn from(manifest: &v1::Manifest) -> Self {
        let mut rows: KeyMap<(&str, bool, Option<&str>), Vec<AuditedCell>> = KeyMap::new();
        for cards in &manifest.cards {
            for own in &cards.libraries {
                for (tensile, coverage) in [(false, own.kernels), (true, own.catalogs)] {
                    let Some(coverage) = coverage else { continue };
                    let cells = cards.processors.iter().map(|processor| AuditedCell {
                        processor: processor.clone(),
                        coverage: coverage.name().to_owned(),
                        code_objects: 0,
                        kernels: 0,
                    });
                    rows.entry((&own.library, tensile, own.place.as_deref())).or_default().extend(cells);
                }
            }
        }
        let library = |((library, tensile, _), cells): ((&str, bool, Option<&str>), Vec<AuditedCell>)| {
            AuditedLibrary { library: library.to_owned(), tensile, cells }
        };
        let finding = |found: &v1::ManifestFinding, target: Option<String>| AuditedFinding {
            id: found.id.clone(),
            severity: String::new(),
            target,
            what: String::new(),
            count: found.count,
            locations: vec![AuditedLocation { path: String::new() }],
        };
        let findings = |found: &v1::ManifestFinding| -> Vec<AuditedFinding> {
            let of_targets = found.targets.iter().map(|target| finding(found, Some(target.clone())));
            match found.targets.is_empty() {
                true => vec![finding(found, None)],
                false => of_targets.collect(),
            }
        };
        let file = |own: &v1::ManifestFile| AuditedFile {
            path: own.path.clone(),
            library: own.library.clone(),
            bytes: own.bytes,
        };
        let releases = |linked: bool| manifest.releases.iter().filter(move |own| own.linked == linked);
        AuditedReport {
            roots: vec![manifest.artifact.name.clone()],
            tool: AuditedTool { version: manifest.header.tool.version.clone() },
            complete: manifest.complete,
            summary: AuditedSums {
                code_objects: manifest.targets.iter().map(|target| target.code_objects).sum(),
                kernels: manifest.targets.iter().map(|target| target.kernels).sum(),
                artifact_bytes: manifest.artifact.reported_bytes,
            },
            matrix: rows.into_iter().map(library).collect(),
            artifacts: manifest.files.iter().map(file).collect(),
            findings: manifest.findings.iter().flat_map(findings).collect(),
            versions: releases(false)
                .map(|own| AuditedVersion { component: own.component.clone(), version: own.version.clone() })
                .collect(),
            linked_with: releases(true)
                .map(|own| AuditedLink { library: own.component.clone(), release: own.version.clone() })
                .collect(),
            ..AuditedReport::default()
        }
    }
}

impl From<&v1::Cell> for AuditedCell {
    fn from(cell: &v1::Cell) -> Self {
        AuditedCell {
            processor: cell.processor.clone(),
            coverage: cell.coverage.name().to_owned(),
            code_objects: cell.code_objects,
            kernels: cell.kernels,
        }
    }
}

impl From<&v1::Finding> for AuditedFinding {
    fn from(found: &v1::Finding) -> Self {
        AuditedFinding {
            id: found.id.clone(),
            severity: found.severity.name().to_owned(),
            target: found.target.clone(),
            what: found.what.clone(),
            count: found.count,
            locations: found.locations.iter().map(|at| AuditedLocation { path: at.path.clone() }).collect(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::capability::Capability;
    use crate::report;
    use crate::scan::run::{self, Options, Silent};

    #[test]
    fn a_report_says_the_same_before_and_after_it_is_saved() {
        let roots = [std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rocm")];
        let inventory = run::audit(&roots, &Options::default(), &Silent, None).unwrap();
        let report = report::audit(&inventory, &Capability::from_inventory(&inventory, &[]));
        let saved: AuditedReport = serde_json::from_value(serde_json::to_value(&report).unwrap()).unwrap();
        assert!(!saved.matrix.is_empty() && !saved.findings.is_empty() && !saved.artifacts.is_empty());
        assert_eq!(saved, AuditedReport::from(&report));
    }
}
