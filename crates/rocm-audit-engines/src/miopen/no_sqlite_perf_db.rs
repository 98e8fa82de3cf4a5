//! Replaces SQLite perf-dbs in builds without SQLite: none can be opened.

use super::perf_db::{Config, PerfDbRow, Refused, TunedSolver};
use amdgpu_object::source::SourceFile;
use rocm_audit_files::finding::Finding;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::marker::PhantomData;

/// A SQLite perf-db; no value of it exists.
#[derive(Debug)]
pub struct SqlitePerfDb<'f>(Infallible, PhantomData<&'f SourceFile>);

impl<'f> SqlitePerfDb<'f> {
    /// Fails.
    ///
    /// # Errors
    ///
    /// Always, since SQLite is not built in.
    pub fn open(_: &'f SourceFile) -> Result<Self, Refused> {
        Err("a database in SQLite is not read: built without the feature `sqlite`".into())
    }

    /// Cannot be called.
    pub fn missing_columns(&self, _: &str) -> Option<Finding> {
        match self.0 {}
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// Never.
    pub fn lines(&self) -> Result<u64, Refused> {
        match self.0 {}
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// Never.
    pub fn rows(&self) -> Result<u64, Refused> {
        match self.0 {}
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// Never.
    pub fn each_config(&self, _: impl FnMut(i64, String)) -> Result<(), Refused> {
        match self.0 {}
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// Never.
    pub fn each_row(&self, _: impl FnMut(PerfDbRow)) -> Result<(), Refused> {
        match self.0 {}
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// Never.
    pub fn records(&self) -> Result<BTreeMap<String, Vec<TunedSolver<'static>>>, Refused> {
        match self.0 {}
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// Never.
    pub fn find(&self, _: &Config<'_>) -> Result<Vec<TunedSolver<'static>>, Refused> {
        match self.0 {}
    }
}
