//! Makes the report of `verify`.

use super::v1::verify::parts;
use super::v1::{self, LibraryFolder, MiopenFolder, VerifyReport};
use super::{findings, miopen, tensile};
use crate::engines::miopen::check::{CheckFilter, CheckedDatabases};
use crate::engines::tensile::consistency::Consistency;
use crate::engines::tensile::tuning;
use crate::finding::{self, Finding};

/// What the files of libraries cannot show.
const OF_LIBRARIES: [&str; 2] = [
    "That a kernel is there does not say that it is right or fast, or that a program ever asks for it.",
    "Environment variables that point at other folders or override choices were not looked at.",
];

/// What the files of databases cannot show.
const OF_DATABASES: [&str; 4] = [
    "A recorded solver was measured elsewhere: MIOpen may still reject it here, and the record says nothing about this device.",
    "A device's number of compute units is not in any file: name it with --cu, as HIP counts multiprocessors.",
    "Which user databases a build asks for depends on its version, and on MIOPEN_USER_DB_PATH and MIOPEN_SYSTEM_DB_PATH.",
    "Databases inside packages and archives were not looked at.",
];

/// A tuning file that was held against the libraries.
pub fn tuning_file(path: String, checked: &tuning::CheckedTuning) -> v1::TuningFile {
    v1::TuningFile {
        path,
        reader: checked.kind.reader().to_owned(),
        rows: checked.rows,
        in_force: checked.in_force(),
        rejected: checked.rejected.as_ref().map(|stale| stale.why.clone()),
    }
}

/// The report on checked folders; `found` has findings from reading, such as unreadable files.
pub fn verify(
    libraries: &[Consistency],
    databases: &[CheckedDatabases],
    tuning: Vec<v1::TuningFile>,
    asked: &CheckFilter,
    found: &[Finding],
) -> VerifyReport {
    let own = findings::rows(&finding::merged(found.iter().cloned()));
    let mut not_shown = Vec::new();
    if !libraries.is_empty() {
        not_shown.extend(OF_LIBRARIES);
    }
    if !databases.is_empty() {
        not_shown.extend(OF_DATABASES);
    }
    let libraries: Vec<LibraryFolder> = libraries.iter().map(tensile::folder).collect();
    let databases: Vec<MiopenFolder> =
        databases.iter().map(|checked| miopen::folder(checked, asked)).collect();
    VerifyReport {
        header: v1::Header::from_document(v1::document::VERIFY),
        found: v1::Found::with_parts(own, parts(&libraries, &databases)),
        asked: asked.targets.iter().map(ToString::to_string).collect(),
        asked_multiprocessors: asked.compute_units.clone(),
        libraries,
        databases,
        tuning,
        not_shown: not_shown.into_iter().map(str::to_owned).collect(),
    }
}
