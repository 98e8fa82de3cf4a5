//! Files of problems: one in a line, answered in their order. A line that is none is answered with what is
//! wrong with it. Lines have the fields of the library's own calls, or the form of lists for several
//! libraries, which `workload` reads.

use crate::cli::destination;
use crate::cli::global::GlobalArgs;
use crate::engines::workload;
use crate::error::{AuditError, NotUnderstood};
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::read;
use crate::render;
use crate::report::v1::ProblemError;
use crate::target::TargetId;
use serde::de::DeserializeOwned;
use std::cell::Cell;
use std::io::{BufRead, Write};
use std::path::Path;

/// A line of a file of problems.
pub(super) struct Problem<T> {
    /// What it asks, or why that is not understood.
    pub asked: Result<T, Wrong>,
}

/// A line that is no problem.
#[derive(Debug, Clone)]
pub(super) struct Wrong {
    path: String,
    line: u64,
    what: String,
}

impl Wrong {
    pub fn new(file: &Path, line: u64, what: impl Into<String>) -> Self {
        Wrong { path: file.to_string_lossy().into_owned(), line, what: what.into() }
    }

    /// What is wrong, in a sentence.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// The answer to it, as a line of JSON.
    pub fn answer(&self) -> String {
        render::json_line(&ProblemError { path: &self.path, line: self.line, error: &self.what })
    }

    /// The same as a finding: a line of the input that could not be read.
    pub fn finding(&self) -> Finding {
        let place = Location {
            path: self.path.clone(),
            line: Some(self.line),
            what: self.what.clone(),
            ..Location::default()
        };
        Finding::at(&read::MALFORMED_BYTES, place)
    }
}

/// The target of a line that names none: that of the call.
pub(super) fn target_of_call(global: &GlobalArgs) -> Result<TargetId, NotUnderstood> {
    match &global.arch[..] {
        [target] => Ok(target.clone()),
        _ => Err("it has no arch, and neither --arch nor --gpu names one target".into()),
    }
}

/// The device of lines that name none: that of the call.
pub(super) struct DeviceOfCall<'g> {
    global: &'g GlobalArgs,
    /// Its multiprocessors, where the call names them.
    units: Option<u32>,
    is_used: Cell<bool>,
}

impl<'g> DeviceOfCall<'g> {
    pub fn new(global: &'g GlobalArgs, units: Option<u32>) -> Self {
        DeviceOfCall { global, units, is_used: Cell::new(false) }
    }

    /// Its target and its multiprocessors.
    pub fn get(&self) -> Result<(TargetId, u32), NotUnderstood> {
        self.is_used.set(true);
        let target = target_of_call(self.global)?;
        let units = self.units.or_else(|| self.global.card_multiprocessors());
        Ok((target, units.ok_or("it has no number of compute units, and the call names none with --cu")?))
    }

    /// Refuses a number of multiprocessors that no line has asked for.
    pub fn check_used(&self, command: &str) -> Result<(), AuditError> {
        match self.units.is_some() && !self.is_used.get() {
            true => Err(AuditError::Usage(format!(
                "{command}: every line names its device, so --cu has no meaning"
            ))),
            false => Ok(()),
        }
    }
}

/// What a line of a list says that another library is asked for.
pub(super) fn other_library() -> NotUnderstood {
    "a problem of another library; `rocm-audit workload` answers lists for several".into()
}

/// Reads a file of JSON objects, one in a line. `understand` makes of each what is asked, or says what is
/// wrong with it; `listed` does so of a line that names its library, with the line's number as the name of
/// the problem.
pub(super) fn read<L: DeserializeOwned, T>(
    file: &Path,
    mut understand: impl FnMut(L) -> Result<T, NotUnderstood>,
    mut listed: impl FnMut(workload::Problem, String) -> Result<T, NotUnderstood>,
) -> Result<Vec<Problem<T>>, AuditError> {
    let reader = std::fs::File::open(file).map_err(|e| AuditError::io("read", file, e))?;
    let mut all = Vec::new();
    for (number, line) in std::io::BufReader::new(reader).lines().enumerate() {
        let line = line.map_err(|e| AuditError::io("read", file, e))?;
        if line.trim().is_empty() {
            continue;
        }
        let asked = match workload::named(&line) {
            Some(problem) => problem.and_then(|problem| listed(problem, (number + 1).to_string())),
            None => serde_json::from_str(&line)
                .map_err(|error| format!("not a problem: {error}").into())
                .and_then(&mut understand),
        };
        let asked = asked.map_err(|what| Wrong::new(file, number as u64 + 1, what));
        all.push(Problem { asked });
    }
    if !all.is_empty() && all.iter().all(|problem| problem.asked.is_err()) {
        let first = all.into_iter().find_map(|problem| problem.asked.err());
        let what = first.map_or_else(String::new, |wrong| wrong.finding().to_string());
        return Err(AuditError::Usage(format!("no line is a problem; the first: {what}")));
    }
    Ok(all)
}

/// The lines that are no problems, as findings.
pub(super) fn unread<T>(problems: &[Problem<T>]) -> Vec<Finding> {
    problems.iter().filter_map(|problem| problem.asked.as_ref().err()).map(Wrong::finding).collect()
}

/// Writes the answers to every output; `each` writes one after the other.
pub(super) fn write(
    global: &GlobalArgs,
    mut each: impl FnMut(&mut dyn FnMut(&str) -> Result<(), AuditError>) -> Result<(), AuditError>,
) -> Result<(), AuditError> {
    for (destination, _) in global.outputs()? {
        let mut out = destination::open(&destination)?;
        let failed = |error| AuditError::io("write", destination.path(), error);
        each(&mut |answer| out.write_all(answer.as_bytes()).map_err(failed))?;
        out.finish().map_err(failed)?;
    }
    Ok(())
}
