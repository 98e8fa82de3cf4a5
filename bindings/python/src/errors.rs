//! Errors of the library as exceptions.

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rocm_audit::error::AuditError;

/// `OSError` with number and file if the system refused, `ValueError` if the call or an input is wrong.
pub fn native(error: AuditError) -> PyErr {
    match error {
        AuditError::Usage(what) | AuditError::NotThere(what) | AuditError::Unreadable(what) => {
            PyValueError::new_err(what)
        }
        error @ AuditError::Internal(_) => PyRuntimeError::new_err(error.to_string()),
        error @ AuditError::Path { .. } => PyValueError::new_err(error.to_string()),
        AuditError::Stopped => PyKeyboardInterrupt::new_err(()),
        AuditError::Io { path, source, .. } => match source.raw_os_error() {
            Some(number) => {
                PyOSError::new_err((number, source.to_string(), path.to_string_lossy().into_owned()))
            }
            None => PyOSError::new_err(format!("{}: {source}", path.display())),
        },
    }
}
