//! Questions: each says what it is asked with, reads the trees once, and gives the finished document that answers it.
//!
//! The command line, the Python module and the page in the browser ask these and draw what comes back. A product or a
//! convolution is its own question: [`GemmCall`](crate::engines::tensile::call::GemmCall) is asked as it is.

mod audit;
mod check;
pub mod claim;
#[cfg(feature = "engines")]
mod convolution;
mod diff;
#[cfg(feature = "engines")]
mod diff_selections;
mod explain;
#[cfg(feature = "engines")]
mod gemm;
#[cfg(feature = "engines")]
mod graph;
#[cfg(feature = "engines")]
mod matmul;
#[cfg(feature = "engines")]
mod model;
mod needs;
mod overriding;
#[cfg(feature = "engines")]
mod route;
mod slim;
#[cfg(feature = "engines")]
mod survey;
#[cfg(feature = "engines")]
mod verify;
#[cfg(feature = "engines")]
mod workload;

pub use audit::AuditQuestion;
pub use check::CheckQuestion;
pub use diff::{DiffProblems, DiffQuestion};
pub use explain::{LogQuestion, explain_word};
#[cfg(feature = "engines")]
pub use graph::OnnxQuestion;
#[cfg(feature = "engines")]
pub use model::WeightsQuestion;
pub use needs::NeedsQuestion;
pub use overriding::OverrideQuestion;
pub use slim::SlimQuestion;
#[cfg(feature = "engines")]
pub use survey::SurveyQuestion;
#[cfg(feature = "engines")]
pub use verify::{TuningQuestion, VerifyQuestion};
#[cfg(feature = "engines")]
pub use workload::WorkloadQuestion;

#[cfg(feature = "engines")]
use crate::answers::Answers;
use crate::error::AuditError;
use crate::inventory::Inventory;
use crate::scan::run::{self, Options, Progress, Silent};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// What can be asked of trees.
pub trait Question {
    /// The document that answers it.
    type Document: Serialize;

    /// Reads what the answer needs, and answers.
    ///
    /// # Errors
    /// Where the question is off, or a path that it names cannot be read at all. What cannot be read of the rest is a finding
    /// of the document, which then is not complete.
    fn ask(&self, trees: &Trees<'_>) -> Result<Self::Document, AuditError>;
}

/// Trees, packages or files that are asked, and how they are read.
pub struct Trees<'t> {
    roots: Vec<PathBuf>,
    options: Options,
    progress: &'t dyn Progress,
}

impl Trees<'static> {
    /// These, read whole and in silence. With none of them only rules are asked.
    pub fn at(roots: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        let roots = roots.into_iter().map(Into::into).collect();
        Trees { roots, options: Options::default(), progress: &Silent }
    }
}

impl<'t> Trees<'t> {
    /// The same, with compressed bundles inflated to their end and their hashes compared.
    #[must_use]
    pub fn verified(mut self) -> Self {
        self.options.verify = true;
        self
    }

    /// These, read as the options say. Which targets are asked about is a matter of the question.
    pub fn with(roots: &[PathBuf], options: Options, progress: &'t dyn Progress) -> Self {
        Trees { roots: roots.to_vec(), options, progress }
    }

    /// The paths.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// How they are read.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// All facts about what is in them.
    ///
    /// # Errors
    /// Where an option is off, or the run was ended.
    pub fn inventory(&self) -> Result<Inventory, AuditError> {
        self.audited(|options| options)
    }

    /// What is in them. `more` changes the options for one question.
    fn audited(&self, more: impl FnOnce(Options) -> Options) -> Result<Inventory, AuditError> {
        run::audit(&self.roots, &more(self.options.clone()), self.progress, None)
    }

    /// Their files, for questions to libraries.
    #[cfg(feature = "engines")]
    fn listed(&self) -> Result<Answers, AuditError> {
        Answers::open_as(&self.roots, &self.options)
    }

    /// Those that questions about one processor can depend on.
    #[cfg(feature = "engines")]
    fn listed_for(&self, processor: &str) -> Result<Answers, AuditError> {
        Answers::open_for_as(&self.roots, processor, &self.options)
    }
}

impl fmt::Debug for Trees<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trees")
            .field("roots", &self.roots)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
