//! Checks manifests against requirements, as `check` does files.

use crate::capability::requirement::{COMPILED, Required, is_asked, is_met};
use crate::error::AuditError;
use crate::report::v1::{Answer, LibraryRole, Manifest, ManifestCards, ManifestCoverage, Requirement};
use crate::scan::library_names::Role;
use crate::target::TargetId;

/// One row for each target and library of a manifest.
///
/// # Errors
///
/// Where a target has features: a manifest says what each processor can do.
///
/// `several` says whether rows of other artifacts stand beside them.
pub(super) fn rows(
    path: &str,
    manifest: &Manifest,
    required: &Required<'_>,
    several: bool,
) -> Result<Vec<Requirement>, AuditError> {
    let mut rows = Vec::new();
    for target in required.targets {
        if *target != TargetId::bare(target.processor.clone()) {
            return Err(AuditError::NotThere(format!(
                "{path}: a manifest says what processors can do, not what {target} can; require {}, or name the file itself",
                target.processor
            )));
        }
        rows.extend(of_target(path, manifest, required, &target.processor));
    }
    for row in &mut rows {
        if several {
            row.place = Some(path.to_owned());
        }
        let ignore =
            required.ignores.iter().find(|ignore| ignore.is_of_requirement(&row.library, &row.processor));
        row.ignored = ignore.filter(|_| !row.is_met).map(|ignore| ignore.reason.clone());
    }
    Ok(rows)
}

fn of_target(path: &str, manifest: &Manifest, required: &Required<'_>, processor: &str) -> Vec<Requirement> {
    let missing = |library: &str, why: Option<String>| Requirement {
        places: vec![path.to_owned()],
        processor: processor.to_owned(),
        library: library.to_owned(),
        tensile: false,
        place: None,
        is_met: false,
        coverage: None,
        why,
        before: None,
        ignored: None,
        lacking: Vec::new(),
    };
    let role =
        |name: &str| manifest.libraries.iter().find(|own| own.library == name).map(|own| role(own.role));
    let only_loose = !manifest.libraries.iter().any(|own| self::role(own.role).decides());
    let is_named = |name: &str| match required.libraries {
        [] => role(name).is_some_and(|role| is_asked(role, only_loose)),
        named => named.iter().any(|own| own.eq_ignore_ascii_case(name)),
    };
    let mut rows = Vec::new();
    match manifest.of_processor(processor) {
        Some(cards) => {
            for own in cards.libraries.iter().filter(|own| is_named(&own.library)) {
                let parts = [(false, own.kernels), (true, own.catalogs)];
                let parts = parts.into_iter().filter_map(|(tensile, found)| Some((tensile, found?)));
                // Where a part of it has no code, that part says so, and the other is not refused.
                let has_all = [own.kernels, own.catalogs].iter().flatten().all(|coverage| coverage.runs());
                rows.extend(parts.map(|(tensile, coverage)| {
                    let refused = (own.answer == Answer::Not && has_all).then(|| own.reason.clone());
                    let compiled = own.answer == Answer::Compiles && !coverage.runs();
                    Requirement {
                        tensile,
                        place: several(cards, own).then(|| own.place.clone()).flatten(),
                        is_met: is_met(coverage, required.per_file) && refused.is_none(),
                        coverage: Some(coverage),
                        why: refused.or_else(|| compiled.then(|| COMPILED.to_owned())),
                        ..missing(&own.library, None)
                    }
                }));
            }
        }
        None => {
            let tool = &manifest.header.tool;
            let why = format!(
                "its manifest was written by {} {}, which did not know {processor}",
                tool.name, tool.version
            );
            let names = manifest.libraries.iter().filter(|own| is_named(&own.library));
            rows.extend(names.map(|own| missing(&own.library, Some(why.clone()))));
        }
    }
    let is_here =
        |name: &&String| manifest.libraries.iter().any(|own| name.eq_ignore_ascii_case(&own.library));
    rows.extend(required.libraries.iter().filter(|name| !is_here(name)).map(|name| missing(name, None)));
    rows
}

/// Whether a library lies in several places.
fn several(cards: &ManifestCards, own: &ManifestCoverage) -> bool {
    cards.libraries.iter().filter(|other| other.library == own.library).count() > 1
}

fn role(role: LibraryRole) -> Role {
    match role {
        LibraryRole::Needed => Role::Needed,
        LibraryRole::Optional => Role::Optional,
        LibraryRole::Compiler => Role::Compiler,
        LibraryRole::Wrapper => Role::Wrapper,
        LibraryRole::Runtime => Role::Runtime,
        LibraryRole::Tool => Role::Tool,
        LibraryRole::Firmware => Role::Firmware,
        LibraryRole::Loose => Role::Loose,
    }
}
