//! Python file objects, read in place: `seek` and `read` fetch only the parts that are needed.

use pyo3::exceptions::{PyEOFError, PyInterruptedError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rocm_audit::scan::run::StopSignal;
use rocm_audit::source::ranges::ReadAt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The exception that a file object raised.
pub type Raised = Arc<Mutex<Option<PyErr>>>;

/// A file object. Only one thread at a time seeks and reads.
pub struct FileObject {
    object: Mutex<Py<PyAny>>,
    len: u64,
    raised: Raised,
    stop: StopSignal,
}

impl FileObject {
    /// Wraps an object with `seek`, `tell` and `read`.
    ///
    /// # Errors
    ///
    /// What the object raised.
    pub fn of(object: &Bound<'_, PyAny>, raised: &Raised, stop: &StopSignal) -> PyResult<Self> {
        let before: u64 = object.call_method0("tell")?.extract()?;
        object.call_method1("seek", (0, 2))?;
        let len = object.call_method0("tell")?.extract()?;
        object.call_method1("seek", (before,))?;
        Ok(FileObject {
            object: Mutex::new(object.clone().unbind()),
            len,
            raised: Arc::clone(raised),
            stop: stop.clone(),
        })
    }
}

fn fill(object: &Bound<'_, PyAny>, offset: u64, into: &mut [u8], stop: &StopSignal) -> PyResult<()> {
    object.call_method1("seek", (offset,))?;
    let mut filled = 0;
    while let Some(rest) = into.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        if stop.is_stopped() {
            return Err(PyInterruptedError::new_err("the run was ended"));
        }
        let read = object.call_method1("read", (rest.len(),))?;
        let read = read.cast::<PyBytes>()?.as_bytes();
        let count = read.len().min(rest.len());
        if count == 0 {
            return Err(PyEOFError::new_err(format!(
                "the file object ended at offset {}, and said that it is longer",
                offset + filled as u64
            )));
        }
        rest.get_mut(..count)
            .into_iter()
            .zip(read.get(..count))
            .for_each(|(to, from)| to.copy_from_slice(from));
        filled += count;
    }
    Ok(())
}

impl ReadAt for FileObject {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        // Takes this lock before the interpreter's, which a read releases while it waits.
        let object = self.object.lock().unwrap_or_else(PoisonError::into_inner);
        // If the interpreter is shutting down, no caller waits for the bytes.
        let filled = Python::try_attach(|py| {
            fill(object.bind(py), offset, into, &self.stop).map_err(|error| {
                let said = error.to_string();
                self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                io::Error::other(said)
            })
        });
        filled.unwrap_or_else(|| Err(io::ErrorKind::Interrupted.into()))
    }
}
