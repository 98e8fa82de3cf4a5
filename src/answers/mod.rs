//! The one room that answers questions: what the libraries of an install choose, based on what its scan
//! found.
//!
//! Engines answer from the facts that this room passes to them. Each tree is listed once. Its facts
//! ([`facts::InstallFacts`]: libraries and their versions, folders of catalogs and databases, targets) decide
//! which rules, catalogs and databases a question uses, and each answer states what came from the tree and
//! what was assumed.
//!
//! ```
//! use rocm_audit::engines::tensile::call::{GemmCall, Transpose};
//! use rocm_audit::answers::Answers;
//! use rocm_audit::target::TargetId;
//!
//! let stack = Answers::open(&["fixtures/tensile".into()]);
//! let target = TargetId::bare("gfx900");
//! let call = GemmCall::new(&target, 64, "HHS", [Transpose::N, Transpose::N], [64, 64, 64]);
//! let answer = stack.gemm(&call)?;
//! assert!(answer.first_catalog.contains("gfx900"));
//! # Ok::<(), rocm_audit::error::AuditError>(())
//! ```

pub mod agreement;
pub mod attention;
mod beside;
mod convolution;
pub mod explain;
pub mod facts;
mod find_db_files;
pub mod findings;
mod gemm;
mod matmul;
mod miopen_build;
pub mod model;
pub mod model_files;
pub mod onnx;
pub mod reference;
mod route;
mod tunanet_files;
pub mod workload;

pub use beside::{Done, InstallChoice};
pub use convolution::{
    ConvolutionAnswer, ConvolutionQuestion, NotModelled, Parameters, ParametersFrom, SolverKernel,
    ValueSource, check_environment,
};
pub use find_db_files::FindDbFiles;
pub use gemm::rocblas_near;
pub use matmul::matmul_crashes;
pub use route::{BlasAnswer, GgmlLibrary, NamedRoutes, RouteAnswer, RouteQuestion, TableColumn, open_ggml};

use crate::engines::miopen::folder::DatabaseFolder;
use crate::engines::tensile::library::Library;
use crate::engines::tensile::lite;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::input::install::{Install, ReadOptions, Wants};
use crate::input::walk;
use crate::scan::run::Options;
use crate::tree::wanted;
use facts::InstallFacts;
use rocm_audit_files::key_map::KeyMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

/// Answers questions about one install.
#[derive(Debug)]
pub struct Answers {
    install: Install,
    facts: InstallFacts,
    /// rocBLAS's catalogs by device, loaded on demand.
    rocblas: Mutex<KeyMap<String, Arc<Library>>>,
    /// hipBLASLt's catalogs by device, loaded on demand.
    hipblaslt: Mutex<KeyMap<String, Arc<lite::library::Library>>>,
    /// hipSPARSELt's likewise.
    hipsparselt: Mutex<KeyMap<String, Arc<lite::library::Library>>>,
    /// MIOpen's databases, opened on demand.
    databases: OnceLock<Option<DatabaseFolder>>,
    /// Catalogs that could not be read when a question went to them.
    unread: Mutex<Vec<Finding>>,
}

impl Answers {
    /// Lists roots (folders, files, packages) and derives the facts from their contents. Unreadable parts are
    /// in [`Install::faults`].
    pub fn open(roots: &[PathBuf]) -> Self {
        Answers::from_install(Install::open(roots, &wanted::is_wanted, &|_| true))
    }

    /// Like [`Answers::open`], with the exclusions and time limits of a run's options.
    ///
    /// # Errors
    /// If [`Options::stop`] ended it.
    pub fn open_as(roots: &[PathBuf], options: &Options) -> Result<Self, AuditError> {
        Answers::open_some(roots, options, &|_| true)
    }

    /// Like [`Answers::open_as`], for questions about one processor as in [`Answers::open_for`].
    ///
    /// # Errors
    /// As [`Answers::open_as`].
    pub fn open_for_as(roots: &[PathBuf], processor: &str, options: &Options) -> Result<Self, AuditError> {
        Answers::open_some(roots, options, &|path| wanted::is_of(path, processor))
    }

    fn open_some(roots: &[PathBuf], options: &Options, keeps: &Wants<'_>) -> Result<Self, AuditError> {
        let is_stopped = || options.stop.is_stopped();
        let how = ReadOptions {
            walk: walk::Options { follow_links: options.follow_links, exclude: options.exclude.clone() },
            time_per_file: options.time_per_file,
            is_stopped: Some(&is_stopped),
        };
        let install = Install::open_as(roots, &wanted::is_wanted, keeps, &how);
        if is_stopped() { Err(AuditError::Stopped) } else { Ok(Answers::from_install(install)) }
    }

    /// Like [`Answers::open`], for questions about one processor: skips code and catalogs of other targets in
    /// packages.
    pub fn open_for(roots: &[PathBuf], processor: &str) -> Self {
        Answers::from_install(Install::open(roots, &wanted::is_wanted, &|path| {
            wanted::is_of(path, processor)
        }))
    }

    /// The stack of an install that was listed already. Members of packages must have been kept by
    /// [`wanted::is_wanted`].
    pub fn from_install(install: Install) -> Self {
        Answers {
            facts: InstallFacts::from_install(&install),
            install,
            rocblas: Mutex::default(),
            hipblaslt: Mutex::default(),
            hipsparselt: Mutex::default(),
            databases: OnceLock::new(),
            unread: Mutex::default(),
        }
    }

    /// The install that answers.
    pub fn install(&self) -> &Install {
        &self.install
    }

    /// The facts derived from the install.
    pub fn facts(&self) -> &InstallFacts {
        &self.facts
    }
}
