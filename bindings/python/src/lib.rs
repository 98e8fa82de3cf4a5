//! `rocm_audit` for Python: reports as JSON, tables as Arrow streams, and files of tables.
//!
//! An audit runs on its own thread without the interpreter's lock; the waiting thread checks for Ctrl-C every
//! few milliseconds. The rest of the package `rocm_audit` is Python.

mod arrow;
mod errors;
mod file_object;
mod options;
mod pool;
mod question;
mod run;
mod scan;

use errors::native;
use options::Wanted;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use question::{Asked, json};
use rocm_audit::tables::{self, folder};
use rocm_audit::{AuditQuestion, Card, Question, Trees};
use run::{Source, Task};
use std::path::{Path, PathBuf};

/// Reads a source and returns its report as JSON.
#[pyfunction]
#[pyo3(signature = (source, name, wanted, progress))]
fn audit(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    name: Option<String>,
    wanted: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let source = Source::of(source, name)?;
    let wanted = Wanted::of(wanted)?;
    let mut task = Task::new(source, progress);
    task.run(py, move |roots, mut options, heard| {
        wanted.fill(&mut options)?;
        let cards = wanted.targets.iter().cloned().map(Card::unnamed);
        json(&AuditQuestion::about(cards).ask(&Trees::with(roots, options, heard))?)
    })
}

/// Answers a question about sources: both the question's parameters and the resulting document are JSON.
#[pyfunction]
#[pyo3(signature = (sources, question, wanted, progress))]
fn ask(
    py: Python<'_>,
    sources: &Bound<'_, PyList>,
    question: &str,
    wanted: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let asked = Asked::of(question)?;
    let sources = Source::all(sources)?;
    let wanted = Wanted::of(wanted)?;
    Task::of_all(sources, progress).run(py, move |roots, mut options, heard| {
        wanted.fill(&mut options)?;
        asked.answer(&Trees::with(roots, options, heard))
    })
}

/// The meaning of a word as JSON; `None` if it is unknown.
#[pyfunction]
fn explain_word(word: &str) -> PyResult<Option<String>> {
    rocm_audit::explain_word(word).map(|found| json(&found).map_err(native)).transpose()
}

/// Writes the rows of a source to the tables of a folder; false if they exist already.
#[pyfunction]
#[pyo3(signature = (source, name, into, digest, again, wanted, progress))]
#[expect(clippy::too_many_arguments)]
fn write_tables(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    name: Option<String>,
    into: PathBuf,
    digest: String,
    again: bool,
    wanted: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<bool> {
    let rows = Wanted::of(wanted)?.rows();
    if !again && is_there(py, &into, &digest, &rows)? {
        return Ok(false);
    }
    let source = Source::of(source, name)?;
    let origin = tables::Origin { digest: Some(digest), ..source.origin() };
    let mut task = Task::new(source, progress);
    task.run(py, move |roots, options, heard| {
        for root in roots {
            folder::add(&into, root, &rows, &options.stop, heard, &origin)?;
        }
        Ok(())
    })?;
    Ok(true)
}

/// Whether a folder of tables has an artifact's rows, made with these options.
#[pyfunction]
fn has_tables(py: Python<'_>, into: PathBuf, digest: String, wanted: &Bound<'_, PyDict>) -> PyResult<bool> {
    is_there(py, &into, &digest, &Wanted::of(wanted)?.rows())
}

fn is_there(py: Python<'_>, into: &Path, digest: &str, rows: &folder::RowOptions) -> PyResult<bool> {
    let known = py.detach(|| folder::known(into, digest, rows)).map_err(native)?;
    Ok(matches!(known, folder::FolderRows::There(_)))
}

/// A column: its name, its type and what it holds.
type ColumnText = (&'static str, &'static str, &'static str);

/// Tables with their columns: name, SQL type, description.
#[pyfunction]
fn table_columns() -> Vec<(&'static str, Vec<ColumnText>)> {
    let columns = |table: &tables::Table| {
        table.columns().map(|column| (column.name, column.kind.name(), column.about)).collect()
    };
    tables::TABLES.iter().map(|table| (table.name, columns(table))).collect()
}

/// The native part of `rocm_audit`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    pool::loaded();
    module.add("TABLES_VERSION", tables::VERSION)?;
    module.add("TOOL", tables::tool())?;
    module.add_class::<scan::Scan>()?;
    module.add_function(wrap_pyfunction!(ask, module)?)?;
    module.add_function(wrap_pyfunction!(audit, module)?)?;
    module.add_function(wrap_pyfunction!(explain_word, module)?)?;
    module.add_function(wrap_pyfunction!(write_tables, module)?)?;
    module.add_function(wrap_pyfunction!(has_tables, module)?)?;
    module.add_function(wrap_pyfunction!(table_columns, module)?)?;
    Ok(())
}
