//! A run on its own thread, and the thread that waits for it.

use super::errors::native;
use super::file_object::{FileObject, Raised};
use super::pool::pool;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use rocm_audit::error::AuditError;
use rocm_audit::scan::run::{Options, Progress, StopSignal};
use rocm_audit::source::given::{self, Given};
use rocm_audit::tables::Origin;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Interval between checks for Ctrl-C.
pub const LOOK: Duration = Duration::from_millis(40);

/// How long a stopped run may take to notice.
pub const END: Duration = Duration::from_millis(700);

/// What to read.
pub struct Source {
    /// The root of the audit.
    pub root: PathBuf,
    /// Name of the source.
    pub named: String,
    /// Keeps the name of a file object valid.
    _given: Option<Given>,
    /// The exception that a file object raised.
    pub raised: Raised,
    /// Ends the run, and reads from a file object.
    pub stop: StopSignal,
}

impl Source {
    /// A path, or a file object with `seek`, `tell` and `read`. `name` is its name in rows.
    ///
    /// # Errors
    ///
    /// `TypeError` if it is neither, and exceptions of a file object.
    pub fn of(source: &Bound<'_, PyAny>, name: Option<String>) -> PyResult<Self> {
        Source::with(source, name, Raised::default(), StopSignal::default())
    }

    /// Several paths or file objects for one run; an exception of one of them ends it.
    ///
    /// # Errors
    ///
    /// As [`Source::of`].
    pub fn all(sources: &Bound<'_, PyList>) -> PyResult<Vec<Self>> {
        let (raised, stop) = (Raised::default(), StopSignal::default());
        let of = |source: Bound<'_, PyAny>| Source::with(&source, None, Arc::clone(&raised), stop.clone());
        sources.iter().map(of).collect()
    }

    fn with(
        source: &Bound<'_, PyAny>,
        name: Option<String>,
        raised: Raised,
        stop: StopSignal,
    ) -> PyResult<Self> {
        if let Ok(path) = source.extract::<PathBuf>() {
            let named = name.unwrap_or_else(|| path.to_string_lossy().into_owned());
            // Raises the error that any Python function raises for opening such a file.
            std::fs::metadata(&path).map_err(|error| native(AuditError::io("read", &path, error)))?;
            return Ok(Source { root: path, named, _given: None, raised, stop });
        }
        if !(source.hasattr("read")? && source.hasattr("seek")?) {
            let kind = source.get_type().name()?.to_string();
            return Err(PyTypeError::new_err(format!(
                "a path or a binary file object with seek and read is expected, not {kind}"
            )));
        }
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let named = match name {
            Some(name) => name,
            None => named(source)?,
        };
        // A name that no file and no other object has: the number identifies the object, the end is its name.
        let last = Origin::named(&named).artifact;
        let last = if last.is_empty() { "file-object".to_owned() } else { last };
        let root = PathBuf::from(format!("file-object:{}", NEXT.fetch_add(1, Ordering::Relaxed))).join(last);
        let object = FileObject::of(source, &raised, &stop)?;
        let given = given::give(&root, Box::new(object))
            .map_err(|error| native(AuditError::io("read", &root, error)))?;
        Ok(Source { root, named, _given: Some(given), raised, stop })
    }

    /// The origin stated in its rows.
    pub fn origin(&self) -> Origin {
        Origin::named(&self.named)
    }
}

/// The name of a file object: `full_name` in fsspec, `name` in files; either may be missing or not a string.
fn named(object: &Bound<'_, PyAny>) -> PyResult<String> {
    for attribute in ["full_name", "path", "name"] {
        if object.hasattr(attribute)?
            && let Ok(name) = object.getattr(attribute)?.extract::<String>()
        {
            return Ok(name);
        }
    }
    Ok("file-object".to_owned())
}

/// Counts what was examined.
#[derive(Debug, Default)]
pub struct Heard {
    done: AtomicU64,
    all: AtomicU64,
}

impl Progress for Heard {
    fn begin(&self, _files: u64, bytes: u64) {
        self.all.store(bytes, Ordering::Relaxed);
    }

    fn advance(&self, _shown: &str, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A run, and its progress.
pub struct Task {
    /// The sources, until the run takes them.
    sources: Option<Vec<Source>>,
    raised: Raised,
    watch: Watch,
}

/// Checks for Ctrl-C and reports progress.
#[derive(Clone)]
pub struct Watch {
    /// Ends the run.
    pub stop: StopSignal,
    /// What was examined.
    pub heard: Arc<Heard>,
    progress: Option<Arc<Py<PyAny>>>,
}

impl Watch {
    /// The state before anything of a source was examined.
    pub fn of(source: &Source, progress: Option<Py<PyAny>>) -> Self {
        Watch { stop: source.stop.clone(), heard: Arc::default(), progress: progress.map(Arc::new) }
    }

    /// Reports progress, and raises exceptions from the user's Ctrl-C or the progress function; these end the
    /// run.
    ///
    /// # Errors
    ///
    /// That exception.
    pub fn look(&self, py: Python<'_>) -> PyResult<()> {
        let told = py.check_signals().and_then(|()| match &self.progress {
            Some(progress) => {
                let (done, all) = (&self.heard.done, &self.heard.all);
                progress.call1(py, (done.load(Ordering::Relaxed), all.load(Ordering::Relaxed))).map(drop)
            }
            None => Ok(()),
        });
        told.inspect_err(|_| self.stop.stop())
    }
}

impl Task {
    /// A run that has not started.
    pub fn new(source: Source, progress: Option<Py<PyAny>>) -> Self {
        Task::of_all(vec![source], progress)
    }

    /// A run over [`Source::all`], or without sources.
    pub fn of_all(sources: Vec<Source>, progress: Option<Py<PyAny>>) -> Self {
        let first = sources.first();
        let (raised, stop) = match first {
            Some(source) => (Arc::clone(&source.raised), source.stop.clone()),
            None => (Raised::default(), StopSignal::default()),
        };
        let watch = Watch { stop, heard: Arc::default(), progress: progress.map(Arc::new) };
        Task { raised, sources: Some(sources), watch }
    }

    /// Runs the task to its end.
    ///
    /// # Errors
    ///
    /// Errors of the run, exceptions of a file object, of Ctrl-C, or of the progress function.
    pub fn run<T: Send + 'static>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&[PathBuf], Options, &Heard) -> Result<T, AuditError> + Send + 'static,
    ) -> PyResult<T> {
        let sources =
            self.sources.take().ok_or_else(|| PyRuntimeError::new_err("the run was begun already"))?;
        let (send, mut ended) = channel();
        let watch = self.watch.clone();
        std::thread::Builder::new()
            .name("rocm-audit".to_owned())
            .spawn(move || {
                let options = Options { stop: watch.stop.clone(), ..Options::default() };
                let roots: Vec<PathBuf> = sources.iter().map(|source| source.root.clone()).collect();
                let done = in_pool(|| work(&roots, options, &watch.heard));
                // Dropped before the waiting thread continues, so that the name of a file object and its
                // temporary file are gone by then.
                drop(sources);
                // The receiver may be gone.
                let _ = send.send(done);
            })
            .map_err(|error| PyRuntimeError::new_err(format!("no thread: {error}")))?;
        loop {
            let waiting = &mut ended;
            match py.detach(move || waiting.recv_timeout(LOOK)) {
                Ok(done) => {
                    if let Some(raised) = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
                        return Err(raised);
                    }
                    self.watch.look(py)?;
                    return done.map_err(native);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(raised) = self.watch.look(py) {
                        // The run ends by itself, a little later if it is in the middle of something.
                        let waiting = &mut ended;
                        let _ = py.detach(move || waiting.recv_timeout(END));
                        return Err(raised);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the audit ended without an answer: this is a bug"));
                }
            }
        }
    }
}

/// Runs work on the pool or, without a pool, on this thread.
pub fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match pool() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
