//! Extracts the verdicts from a report.

use super::v1::{Found, Report, VerdictsReport};
use super::v1::{Header, document};

/// Number of locations to keep in each finding.
const PLACES: usize = 3;

/// The verdicts of a report, with all findings.
pub fn verdicts(report: &Report) -> VerdictsReport<'_> {
    let mut findings = report.findings.clone();
    findings.iter_mut().for_each(|finding| finding.locations.truncate(PLACES));
    VerdictsReport {
        header: Header::from_document(document::VERDICT),
        found: Found { complete: report.complete, findings },
        failed_because: &report.failed_because,
        roots: &report.roots,
        asked: &report.asked,
        verdicts: &report.verdicts,
        mixed_host: &report.mixed_host,
    }
}
