//! Options of a call, which the Python side checks by their names.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rocm_audit::input::exclude::Exclusion;
use rocm_audit::scan::run::Options;
use rocm_audit::target::TargetId;
use rocm_audit::target::product::{Meant, Product};
use std::time::Duration;

/// What is wanted of an audit.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Targets that are asked for.
    pub targets: Vec<TargetId>,
    isa: bool,
    verify: bool,
    exclude: Exclusion,
    only: Vec<String>,
    skip: Vec<String>,
    time_per_file: Option<Duration>,
}

impl Wanted {
    /// Those of keyword arguments.
    ///
    /// # Errors
    /// `ValueError` where one is off.
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
            exclude: Exclusion::new(&list("exclude")?).map_err(super::errors::native)?,
            only: list("only")?,
            skip: list("skip")?,
            time_per_file,
        };
        let mut options = Options::default();
        wanted.fill(&mut options);
        options.check().map_err(super::errors::native)?;
        Ok(wanted)
    }

    /// Puts them into the options of a run.
    pub fn fill(&self, options: &mut Options) {
        options.targets.clone_from(&self.targets);
        options.instructions = self.isa;
        options.verify = self.verify;
        options.exclude = self.exclude.clone();
        options.only.clone_from(&self.only);
        options.skip.clone_from(&self.skip);
        options.time_per_file = self.time_per_file;
    }
}

/// A target ID, a processor, or a card by its name.
fn target(word: &str) -> PyResult<TargetId> {
    let lower = word.trim().to_ascii_lowercase();
    if let Some(target) = TargetId::parse(&lower).filter(|target| target.known().is_some()) {
        return Ok(target);
    }
    match Product::meant(word) {
        Meant::Products(products) => {
            Ok(TargetId::bare(products.first().map_or("", |product| product.processor)))
        }
        Meant::Several(products) => {
            let names: Vec<&str> = products.iter().map(|product| product.name).collect();
            Err(PyValueError::new_err(format!(
                "arch {word}: several cards have this in their names: {}",
                names.join(", ")
            )))
        }
        Meant::Nothing(_) => Err(PyValueError::new_err(format!(
            "arch {word}: no such target or card; `rocm-audit list arches` and `list gpus` have them"
        ))),
    }
}
