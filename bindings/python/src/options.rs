//! Options of a call; the Python side checks their names.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rocm_audit::asked::AskedCard;
use rocm_audit::error::AuditError;
use rocm_audit::input::exclude::Exclusion;
use rocm_audit::scan::run::Options;
use rocm_audit::tables::folder;
use rocm_audit::target::TargetId;
use std::time::Duration;

/// Options of an audit.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Targets that the caller asks about.
    pub targets: Vec<TargetId>,
    isa: bool,
    verify: bool,
    exclude: Vec<String>,
    only: Vec<String>,
    skip: Vec<String>,
    time_per_file: Option<Duration>,
}

impl Wanted {
    /// Reads keyword arguments.
    ///
    /// # Errors
    ///
    /// `ValueError` if one is invalid.
    pub fn of(words: &Bound<'_, PyDict>) -> PyResult<Self> {
        let list = |name: &str| -> PyResult<Vec<String>> {
            words.get_item(name)?.map_or(Ok(Vec::new()), |value| value.extract())
        };
        let flag = |name: &str| -> PyResult<bool> {
            words.get_item(name)?.map_or(Ok(false), |value| value.extract())
        };
        let seconds: Option<f64> = match words.get_item("timeout_per_file")? {
            Some(value) => value.extract()?,
            None => None,
        };
        let time_per_file = match seconds.map(Duration::try_from_secs_f64) {
            Some(Err(error)) => return Err(PyValueError::new_err(format!("timeout_per_file: {error}"))),
            Some(Ok(time)) => Some(time),
            None => None,
        };
        let targets: PyResult<Vec<TargetId>> = list("arch")?.iter().map(|word| target(word)).collect();
        let wanted = Wanted {
            targets: targets?,
            isa: flag("isa")?,
            verify: flag("verify")?,
            exclude: list("exclude")?,
            only: list("only")?,
            skip: list("skip")?,
            time_per_file,
        };
        let mut options = Options::default();
        wanted.fill(&mut options).map_err(super::errors::native)?;
        options.check().map_err(super::errors::native)?;
        Ok(wanted)
    }

    /// Adds them to the options of a run.
    ///
    /// # Errors
    ///
    /// If a pattern is not a glob.
    pub fn fill(&self, options: &mut Options) -> Result<(), AuditError> {
        options.targets.clone_from(&self.targets);
        options.instructions = self.isa;
        options.verify = self.verify;
        options.exclude = Exclusion::new(&self.exclude)?;
        options.only.clone_from(&self.only);
        options.skip.clone_from(&self.skip);
        options.time_per_file = self.time_per_file;
        Ok(())
    }

    /// The options that apply to rows in a folder of tables.
    pub fn rows(&self) -> folder::RowOptions {
        let (exclude, time_per_file) = (self.exclude.clone(), self.time_per_file);
        folder::RowOptions { instructions: self.isa, exclude, time_per_file }
    }
}

/// Parses a target ID, a processor, or a card's name.
fn target(word: &str) -> PyResult<TargetId> {
    let asked =
        AskedCard::from_word(word).map_err(|what| PyValueError::new_err(format!("arch {word}: {what}")))?;
    Ok(asked.target)
}
