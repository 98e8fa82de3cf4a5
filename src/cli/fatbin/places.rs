//! `fatbin --at`: what lies at places of device code.

use super::files::open_all;
use crate::cli::destination::{self, Destination};
use crate::cli::exit::Status;
use crate::cli::global::GlobalArgs;
use crate::error::AuditError;
use crate::finding::{self, Finding};
use crate::input::device_file::DeviceFile;
use crate::render::{Draw as _, Format};
use crate::report;
use crate::report::v1::CodePlace;
use std::path::PathBuf;

/// Writes what lies at places of the files, as `look_up` finds it; the status says whether something was
/// found.
pub(super) fn write(
    files: &[PathBuf],
    global: &GlobalArgs,
    unread: &mut Vec<Finding>,
    outputs: &[(Destination, Format)],
    look_up: &dyn Fn(&DeviceFile) -> Vec<CodePlace>,
) -> Result<Status, AuditError> {
    let mut places = Vec::new();
    open_all(files, unread, |file, _| {
        places.extend(look_up(&file));
        Ok(())
    })
    .map_err(|error| AuditError::io("read", PathBuf::new(), error))?;
    // As grep does where nothing matches.
    let status =
        if places.iter().any(|place| place.function.is_some()) { Status::Done } else { Status::Found };
    let report = report::code_places(places, &finding::merged(unread.iter().cloned()));
    for (destination, format) in outputs {
        destination::write(destination, &report.draw(*format, &global.style(destination))?)?;
    }
    Ok(status)
}
