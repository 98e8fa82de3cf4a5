//! Checks manifests against requirements, as `check` does files.

use crate::capability::requirement::{AskedLibrary, Required, Requirement, ignore, of_target};
use crate::error::AuditError;
use crate::report::v1::{Answer, LibraryRole, Manifest, ManifestCards, ManifestCoverage, ManifestLibrary};
use std::borrow::Cow;

/// One row for each target and library of a manifest.
///
/// # Errors
///
/// Where a target has features: a manifest says what each processor can do.
pub(super) fn rows<'a>(
    path: &str,
    manifest: &'a Manifest,
    required: &Required<'a>,
) -> Result<Vec<Requirement<'a>>, AuditError> {
    let mut rows = Vec::new();
    for target in required.targets {
        if target.has_features() {
            return Err(AuditError::NotThere(format!(
                "{path}: a manifest says what processors can do, not what {target} can; require {}, or name the file itself",
                target.processor
            )));
        }
        let processor = &target.processor;
        let own = match manifest.of_processor(processor) {
            Some(cards) => cards.libraries.iter().flat_map(|own| parts(manifest, cards, own)).collect(),
            None => manifest.libraries.iter().map(|own| not_stated(manifest, own, processor)).collect(),
        };
        rows.extend(of_target(processor, own, required));
    }
    ignore(&mut rows, required.ignores);
    Ok(rows)
}

/// A library of a manifest that does not name the processor.
fn not_stated<'a>(manifest: &Manifest, own: &'a ManifestLibrary, processor: &str) -> AskedLibrary<'a> {
    AskedLibrary {
        library: &own.library,
        role: own.role,
        tensile: false,
        place: None,
        coverage: None,
        verdict: Some((Answer::Unknown, Cow::Owned(manifest.why_silent_about(processor)))),
        code: None,
        lacking: Vec::new(),
    }
}

/// What the files and what the catalogs of a library have.
fn parts<'a>(
    manifest: &Manifest,
    cards: &'a ManifestCards,
    own: &'a ManifestCoverage,
) -> impl Iterator<Item = AskedLibrary<'a>> {
    let role = manifest.role(&own.library).unwrap_or(LibraryRole::Loose);
    let several = cards.libraries.iter().filter(|other| other.library == own.library).count() > 1;
    let place = own.place.as_deref().filter(|_| several);
    // Where a part of it has no code, that part says so, and the other is not refused.
    let has_all = [own.kernels, own.catalogs].iter().flatten().all(|coverage| coverage.runs());
    let decides = own.answer != Answer::Not || has_all;
    let parts = [(false, own.kernels), (true, own.catalogs)];
    parts.into_iter().filter(|(_, coverage)| coverage.is_some()).map(move |(tensile, coverage)| {
        AskedLibrary {
            library: &own.library,
            role,
            tensile,
            place,
            coverage,
            verdict: decides.then_some((own.answer, Cow::Borrowed(own.reason.as_str()))),
            code: None,
            lacking: Vec::new(),
        }
    })
}
