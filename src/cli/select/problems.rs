//! Files of problems: one in a line, answered in their order.

use crate::cli::global::{self, GlobalArgs};
use crate::error::AuditError;
use serde::de::DeserializeOwned;
use std::io::{BufRead, Write};
use std::path::Path;

/// A problem and where it stands: `problems.jsonl, line 3`.
pub(super) struct Problem<T> {
    pub asked: T,
    pub place: String,
}

/// Reads a file of JSON objects, one in a line.
pub(super) fn read<T: DeserializeOwned>(file: &Path) -> Result<Vec<Problem<T>>, AuditError> {
    let reader = std::fs::File::open(file).map_err(|e| AuditError::io("read", file, e))?;
    let mut all = Vec::new();
    for (number, line) in std::io::BufReader::new(reader).lines().enumerate() {
        let line = line.map_err(|e| AuditError::io("read", file, e))?;
        if line.trim().is_empty() {
            continue;
        }
        let place = format!("{}, line {}", file.display(), number + 1);
        let asked = serde_json::from_str(&line)
            .map_err(|error| AuditError::Usage(format!("{place}: not a problem: {error}")))?;
        all.push(Problem { asked, place });
    }
    Ok(all)
}

/// Writes the answers to every output; `each` writes one after the other.
pub(super) fn write(
    global: &GlobalArgs,
    mut each: impl FnMut(&mut dyn FnMut(&str) -> Result<(), AuditError>) -> Result<(), AuditError>,
) -> Result<(), AuditError> {
    for (destination, _) in global.outputs()? {
        let mut out = global::open(&destination)?;
        let failed = |error| AuditError::io("write", destination.path(), error);
        each(&mut |answer| out.write_all(answer.as_bytes()).map_err(failed))?;
        out.flush().map_err(failed)?;
    }
    Ok(())
}
