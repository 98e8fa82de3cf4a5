//! A table as an Arrow stream: batches come while the source is read, at most two ahead of the consumer.

use super::arrow::{record_batch, schema};
use super::options::Wanted;
use super::pool::beside_pool;
use super::run::{END, LOOK, Source, Watch};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use rocm_audit::scan::run::Options;
use rocm_audit::tables::{self, Batch, BatchSink, Table};
use std::io;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};

/// Batches that wait for the consumer.
const AHEAD: usize = 2;

/// A table of a source. Each of its streams reads the source again.
#[pyclass(frozen)]
pub struct Scan {
    source: Py<PyAny>,
    name: Option<String>,
    digest: Option<String>,
    table: &'static Table,
    wanted: Wanted,
    progress: Option<Py<PyAny>>,
}

#[pymethods]
impl Scan {
    #[new]
    #[pyo3(signature = (source, name, digest, table, wanted, progress))]
    fn new(
        source: &Bound<'_, PyAny>,
        name: Option<String>,
        digest: Option<String>,
        table: &str,
        wanted: &Bound<'_, PyDict>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        // Reports errors in the source at once, not in the first stream.
        Source::of(source, name.clone())?;
        Ok(Scan {
            source: source.clone().unbind(),
            name,
            digest,
            table: tables::by_name(table).map_err(|what| PyValueError::new_err(what.to_string()))?,
            wanted: Wanted::of(wanted)?,
            progress,
        })
    }

    /// The stream, by the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A producer may ignore a requested schema it cannot provide; the consumer casts then.
        let _ = requested_schema;
        let stream = FFI_ArrowArrayStream::new(Box::new(self.begin(py)?));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The schema, by the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*schema(self.table))
            .map_err(|e| PyValueError::new_err(e.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The name of the table.
    #[getter]
    fn table(&self) -> &str {
        self.table.name
    }

    fn __repr__(&self) -> String {
        format!("<rocm_audit.Scan of {}>", self.table.name)
    }
}

impl Scan {
    /// Starts reading.
    fn begin(&self, py: Python<'_>) -> PyResult<Stream> {
        let source = Source::of(self.source.bind(py), self.name.clone())?;
        let raised = source.raised.clone();
        let origin = tables::Origin { digest: self.digest.clone(), ..source.origin() };
        let watch = Watch::of(&source, self.progress.as_ref().map(|progress| progress.clone_ref(py)));
        let (send, batches) = sync_channel(AHEAD);
        let (alive, ended) = channel();
        let (wanted, table, heard) = (self.wanted.clone(), self.table, watch.clone());
        let begun = std::thread::Builder::new().name("rocm-audit".to_owned()).spawn(move || {
            // Dropped at the end, which the other side notices.
            let _alive: Sender<()> = alive;
            let mut options = Options { stop: heard.stop.clone(), ..Options::default() };
            let mut sink = Sink(send);
            let read = wanted.fill(&mut options).and_then(|()| {
                beside_pool(|| {
                    tables::scan(&source.root, &options, &*heard.heard, &origin, &[table], &mut sink)
                })
            });
            drop(source);
            let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
            let what = match (raised, read) {
                (Some(raised), _) => raised.to_string(),
                (None, Err(error)) => error.to_string(),
                (None, Ok(_)) => return,
            };
            // The receiver may be gone.
            let _ = sink.0.send(Err(what));
        });
        begun.map_err(|error| PyValueError::new_err(format!("no thread: {error}")))?;
        Ok(Stream { schema: schema(self.table), batches: Some(batches), ended, watch })
    }
}

/// Sends batches to the consumer.
struct Sink(SyncSender<Result<Batch, String>>);

impl BatchSink for Sink {
    fn take(&mut self, batch: Batch) -> io::Result<()> {
        // If the consumer is gone, the scan ends.
        self.0.send(Ok(batch)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Batches in the order they come.
struct Stream {
    schema: SchemaRef,
    /// `None` after the last batch and after an error.
    batches: Option<Receiver<Result<Batch, String>>>,
    /// Closed when the reading thread has ended.
    ended: Receiver<()>,
    watch: Watch,
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let batches = self.batches.as_mut()?;
            // The consumer may hold the interpreter's lock, which the scan of a file object needs.
            let next = Python::attach(|py| {
                let next = py.detach(move || batches.recv_timeout(LOOK));
                self.watch.look(py).map_err(|raised| interrupt(py, &raised)).map(|()| next)
            });
            match next {
                Ok(Ok(Ok(batch))) => return Some(record_batch(self.schema.clone(), batch)),
                Ok(Err(RecvTimeoutError::Timeout)) => {}
                Ok(Err(RecvTimeoutError::Disconnected)) => {
                    self.batches = None;
                    return None;
                }
                Ok(Ok(Err(what))) | Err(what) => {
                    self.batches = None;
                    return Some(Err(ArrowError::ExternalError(what.into())));
                }
            }
        }
    }
}

/// A stream cannot carry an exception, so one from the user is raised again when the interpreter continues.
fn interrupt(py: Python<'_>, raised: &PyErr) -> String {
    if !raised.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
        return raised.to_string();
    }
    let again = py.import("_thread").and_then(|module| module.call_method0("interrupt_main"));
    // If that fails, only the error of the stream is raised.
    drop(again);
    "the user has ended it".to_owned()
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.watch.stop.stop();
        self.batches = None;
        // A thread left behind would ask an interpreter for bytes while it shuts down.
        let ended = &mut self.ended;
        let _ = Python::try_attach(|py| py.detach(move || ended.recv_timeout(END)));
    }
}
