//! Questions: each holds its parameters, reads the trees once, and returns the finished document that answers
//! it.
//!
//! The command line, the Python module and the page in the browser ask these and draw the documents. A
//! product or a convolution is a question itself: [`GemmCall`](crate::engines::tensile::call::GemmCall) needs
//! no wrapper.

#[cfg(feature = "engines")]
mod attention;
mod audit;
mod check;
mod choose;
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
mod manifest;
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

#[cfg(feature = "engines")]
pub use attention::AttentionQuestion;
pub use audit::AuditQuestion;
pub use check::CheckQuestion;
pub use choose::ChooseQuestion;
pub use diff::{DiffProblems, DiffQuestion};
pub use explain::{LogQuestion, explain_word};
#[cfg(feature = "engines")]
pub use graph::OnnxQuestion;
pub use manifest::ManifestQuestion;
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
use crate::comparison::saved::refuse_documents;
use crate::error::AuditError;
#[cfg(feature = "engines")]
use crate::input::install::{Install, Wants};
use crate::inventory::Inventory;
#[cfg(feature = "engines")]
use crate::scan::run::KernelInventory;
use crate::scan::run::{self, Options, Progress, Silent};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// A question about trees.
pub trait Question {
    /// The document that answers the question.
    type Document: Serialize;

    /// Reads what the answer needs, and answers.
    ///
    /// # Errors
    ///
    /// If the question is malformed, or a path that it names cannot be read at all. Anything else that cannot
    /// be read becomes a finding of the document, which is then incomplete.
    fn ask(&self, trees: &Trees<'_>) -> Result<Self::Document, AuditError>;
}

/// The trees, packages or files to ask, and how to read them.
pub struct Trees<'t> {
    roots: Vec<PathBuf>,
    options: Options,
    progress: &'t dyn Progress,
}

impl Trees<'static> {
    /// Reads these paths whole and without showing progress. Without paths, only rules can be asked.
    pub fn at(roots: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        let roots = roots.into_iter().map(Into::into).collect();
        Trees { roots, options: Options::default(), progress: &Silent }
    }
}

impl<'t> Trees<'t> {
    /// Also inflates compressed bundles to their end and checks their hashes.
    #[must_use]
    pub fn verified(mut self) -> Self {
        self.options.verify = true;
        self
    }

    /// Reads these paths by the given options. The question decides which targets matter.
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

    /// The same way of reading, of other paths.
    fn at_roots(&self, roots: Vec<PathBuf>) -> Trees<'t> {
        Trees { roots, options: self.options.clone(), progress: self.progress }
    }

    /// All facts about the trees' contents.
    ///
    /// # Errors
    ///
    /// If an option is invalid, or the run was stopped.
    pub fn inventory(&self) -> Result<Inventory, AuditError> {
        self.audited(|options| options)
    }

    /// The trees' contents. `more` changes the options for one question.
    fn audited(&self, more: impl FnOnce(Options) -> Options) -> Result<Inventory, AuditError> {
        refuse_documents(&self.roots)?;
        run::audit(&self.roots, &more(self.options.clone()), self.progress, None)
    }

    /// The trees' contents and their files in one reading: kernels go to a sink, and the members of packages that
    /// `wants` takes are kept.
    #[cfg(feature = "engines")]
    fn kept(
        &self,
        kernels: KernelInventory<'_>,
        wants: &Wants<'_>,
    ) -> Result<(Inventory, Install), AuditError> {
        refuse_documents(&self.roots)?;
        run::read(&self.roots, &self.options, self.progress, Some(kernels), Some(wants))
    }

    /// The trees' files, for questions to libraries.
    #[cfg(feature = "engines")]
    fn listed(&self) -> Result<Answers, AuditError> {
        refuse_documents(&self.roots)?;
        Answers::open_as(&self.roots, &self.options)
    }

    /// The files that can affect answers about one processor.
    #[cfg(feature = "engines")]
    fn listed_for(&self, processor: &str) -> Result<Answers, AuditError> {
        refuse_documents(&self.roots)?;
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
