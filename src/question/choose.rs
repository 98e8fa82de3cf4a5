//! Asks which of several artifacts runs on a card.

use super::manifest::{digest_of, size_of};
use super::{Question, Trees};
use crate::asked::AskedCard;
use crate::comparison::candidates::{ArtifactCandidate, StatedManifest, candidates};
use crate::comparison::choose::{KnownCandidate, differences, in_order, manifest_differs, row};
use crate::error::AuditError;
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::report::v1::{self, CandidateSource, CandidateSystem, ChooseReport};
use crate::report::{self, findings as rows_of_findings};
use crate::source::given;

/// Asks which of several artifacts runs on a card. The paths are files, folders of packages, manifests, and
/// lists that name artifacts.
#[derive(Debug, Clone)]
pub struct ChooseQuestion {
    /// The card.
    pub card: AskedCard,
    /// The system that the artifact is for; those for others are left out.
    pub system: Option<CandidateSystem>,
}

impl Question for ChooseQuestion {
    type Document = ChooseReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<ChooseReport, AuditError> {
        let processor = self.card.target.processor.clone();
        let mut findings: Vec<Finding> = Vec::new();
        let mut rows = Vec::new();
        for candidate in candidates(trees.roots(), &processor)? {
            let known = self.known(candidate, trees, &mut findings)?;
            let row = row(known, &processor);
            let fits = |own: CandidateSystem| self.system.is_none_or(|wanted| wanted == own);
            if row.system.is_none_or(fits) {
                rows.push(row);
            }
        }
        if rows.is_empty() {
            return Err(AuditError::NotThere(
                "choose: the paths name no artifact; name wheels, packages, libraries, a folder of them, manifests, or a list"
                    .to_owned(),
            ));
        }
        in_order(&mut rows);
        Ok(ChooseReport {
            header: v1::Header::from_document(v1::document::CHOOSE),
            processor,
            products: self.card.products.iter().map(|product| product.name().to_owned()).collect(),
            complete: findings.iter().all(|finding| finding.rule == &read::MANIFEST_DIFFERS),
            failed_because: Vec::new(),
            candidates: rows,
            findings: rows_of_findings::rows(&findings),
        })
    }
}

impl ChooseQuestion {
    /// Reads a candidate: its file where it is here, else its manifest.
    fn known(
        &self,
        mut candidate: ArtifactCandidate,
        trees: &Trees<'_>,
        findings: &mut Vec<Finding>,
    ) -> Result<KnownCandidate, AuditError> {
        let mut remarks = std::mem::take(&mut candidate.remarks);
        let Some(path) = candidate.path.clone() else {
            let Some(stated) = candidate.manifest.take() else {
                return Ok(KnownCandidate {
                    candidate,
                    manifest: None,
                    source: CandidateSource::Nothing,
                    contradiction: None,
                    remarks,
                });
            };
            let StatedManifest { from, manifest, contradiction } = stated;
            let stated = manifest.artifact.sha256.as_ref();
            if let Some((listed, stated)) = candidate.sha256.as_ref().zip(stated).filter(|(a, b)| a != b) {
                remarks.push("the list and the manifest describe different files".to_owned());
                let what = format!("says SHA-256 {stated}, and the list that names the artifact {listed}");
                findings.push(Finding::of_file(&read::MANIFEST_DIFFERS, &from.to_string_lossy(), what));
            }
            if let Some(what) = &contradiction {
                findings.push(Finding::of_file(&read::MANIFEST_DIFFERS, &from.to_string_lossy(), what));
            }
            let source = CandidateSource::Manifest;
            return Ok(KnownCandidate {
                candidate,
                manifest: Some(manifest),
                source,
                contradiction,
                remarks,
            });
        };
        let inventory = trees.at_roots(vec![path.clone()]).inventory()?;
        let stated = candidate.manifest.take();
        let compares = stated.is_some() || candidate.sha256.is_some();
        let source = match given::fetched(&path) {
            Some(_) => CandidateSource::Address,
            None => CandidateSource::File,
        };
        let digest = if compares { digest_of(&path)? } else { None };
        if compares && source == CandidateSource::Address {
            remarks
                .push("its digest was not compared, for which all of it would have to be fetched".to_owned());
        }
        let bytes = digest.as_ref().map(|(_, bytes)| *bytes).or_else(|| size_of(&path));
        let bytes = bytes.unwrap_or(inventory.files.bytes);
        let sha256 = digest.map(|(sha256, _)| sha256);
        let listed = candidate.sha256.as_ref().zip(sha256.as_ref());
        if let Some((listed, own)) = listed.filter(|(listed, own)| listed != own) {
            remarks.push("the list means another file than the one that is here".to_owned());
            let what = format!("the list that names it says SHA-256 {listed}, and the file has {own}");
            findings.push(Finding::of_file(&read::MANIFEST_DIFFERS, &path.to_string_lossy(), what));
        }
        let own = report::manifest(
            &inventory,
            (candidate.name.clone(), bytes, sha256),
            std::slice::from_ref(&self.card.target),
        );
        if let Some(StatedManifest { from, manifest, contradiction }) = &stated {
            let differences =
                differences((manifest, contradiction.as_ref()), &own, &self.card.target.processor);
            let differs = manifest_differs(&from.to_string_lossy(), manifest, &differences);
            if let Some(finding) = differs {
                remarks.push("its manifest says something else; this is what the file says".to_owned());
                findings.push(finding);
            }
        }
        findings.extend(inventory.findings.iter().filter(|finding| finding.is_damage()).cloned());
        let contradiction = own.contradiction();
        Ok(KnownCandidate { candidate, manifest: Some(own), source, contradiction, remarks })
    }
}
