//! Reads AMD ROCm installs, bundles and wheels from their bytes alone: which GPUs they have code for, what
//! that code is, and what rocBLAS, MIOpen and ggml would choose. Nothing that is read is executed or loaded.
//!
//! # Open trees, ask them, draw the answer
//!
//! [`Trees`] are folders, packages or files. A [`Question`] about them reads what it needs, once, and gives the finished document:
//! the one that the command line draws, and that its JSON holds.
//!
//! ```
//! use rocm_audit::{AuditQuestion, Card, Question, Trees};
//!
//! let trees = Trees::at(["fixtures/rocm"]);
//! let report = AuditQuestion::about([Card::from_word("RX 6600")?]).ask(&trees)?;
//! for verdict in &report.verdicts {
//!     println!("{}: {:?}", verdict.processor, verdict.answer);
//! }
//! // What could not be read is a finding: without one the answer is complete.
//! assert!(report.complete || !report.findings.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `cli` a document draws itself:
//!
#![cfg_attr(feature = "cli", doc = "```")]
#![cfg_attr(not(feature = "cli"), doc = "```ignore")]
//! use rocm_audit::{CheckQuestion, Draw, Format, Question, Style, TargetId, Trees};
//!
//! let require = vec![TargetId::bare("gfx1030")];
//! let report = CheckQuestion { require, ..CheckQuestion::default() }.ask(&Trees::at(["fixtures/rocm"]))?;
//! let mut markdown = Vec::new();
//! report.draw(Format::Md, &Style::default())?.write_to(&mut markdown)?;
//! # assert!(String::from_utf8(markdown)?.contains("gfx1030"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a library chooses
//!
//! A call of rocBLAS or hipBLASLt, a convolution and a product of llama.cpp are questions themselves. Who has many of them opens
//! the trees once with [`Answers`].
//!
#![cfg_attr(feature = "engines", doc = "```")]
#![cfg_attr(not(feature = "engines"), doc = "```ignore")]
//! use rocm_audit::{GemmCall, Question, TargetId, Transpose, Trees};
//!
//! // `rocblas_gemm_ex` of half precision, accumulated in single, on a card with 64 compute units.
//! let target = TargetId::bare("gfx900");
//! let call = GemmCall::new(&target, 64, "HHS", [Transpose::N, Transpose::N], [64, 64, 64]);
//! let report = call.ask(&Trees::at(["fixtures/tensile"]))?;
//! println!("{:?} of {}", report.kernel, report.first_catalog);
//! # assert!(report.first_catalog.contains("gfx900"));
//! # Ok::<(), rocm_audit::AuditError>(())
//! ```
//!
//! # The facts themselves
//!
//! [`Trees::inventory`] has all facts with their places, and [`DeviceFile`] finds the bundles and code objects in one file: an ELF,
//! a PE, an archive or a bundle. The crates `amdgpu-object`, `amdgpu-kernel` and `amdgpu-isa` read these alone.
//!
//! ```
//! use rocm_audit::DeviceFile;
//! use std::path::Path;
//!
//! let library = DeviceFile::open(Path::new("fixtures/rocm/lib/librocrand.so.1.1"))?;
//! library.for_each_entry(|bundle, entry, uri| {
//!     println!("{uri}: {:?}", library.target_of(bundle, entry));
//! });
//! # Ok::<(), rocm_audit::AuditError>(())
//! ```
//!
//! A package is read as the tree that it unpacks to, without unpacking it:
//!
#![cfg_attr(feature = "packages", doc = "```")]
#![cfg_attr(not(feature = "packages"), doc = "```ignore")]
//! use rocm_audit::Trees;
//! use std::collections::BTreeSet;
//!
//! let inventory =
//! Trees::at(["fixtures/containers/package/demo-1.0-py3-none-linux_x86_64.whl"]).inventory()?; let code =
//! inventory.artifacts.iter().filter_map(|artifact| artifact.device.as_ref()); let targets: BTreeSet<String>
//! = code.flat_map(|code| code.targets.keys()).map(ToString::to_string).collect();
//! assert!(targets.contains("gfx1100"));
//! # Ok::<(), rocm_audit::AuditError>(())
//! ```
//!
//! # The rooms
//!
//! What is shown here is what stays. The modules behind it stand in one order, and a module uses only those below it;
//! `docs/architecture.md` has the drawing and who imports whom. They can be reached, since the program's own tests, fuzzing and
//! comparisons are crates of their own, but are hidden and change without notice.
//!
//! # Trade-offs
//!
//! - Nothing is a panic and little is fatal: what is malformed becomes a [`Finding`] with an absolute offset, and the rest is
//!   read on. A caller must look at the findings to know that an answer is complete.
//! - Files are mapped, not read, and what is packed is inflated within bounds: memory does not grow with the
//!   input, and there is no asynchronous interface.
//! - Formats, rules and tables are those of known releases. What is newer is reported as not examined, never guessed.
//! - The feature `cli` has the command line and the renderers; without it nothing is drawn. Everything that a command answers
//!   is in the library.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// Instructions: what machine code is made of, by LLVM's mnemonics.
pub use amdgpu_isa as isa;
/// Inside of kernels: occupancy, control flow, registers in use.
pub use amdgpu_kernel as kernel;
#[doc(hidden)]
pub use amdgpu_object::{bytes, codeobject, container, format, locator, source, target};
#[doc(hidden)]
pub use rocm_audit_engines as engines;
#[doc(hidden)]
pub use rocm_audit_files::{budget, error, finding, input, limits};

#[cfg(feature = "engines")]
#[doc(hidden)]
pub mod answers;
#[doc(hidden)]
pub mod asked;
#[doc(hidden)]
pub mod capability;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod comparison;
#[doc(hidden)]
pub mod diagnosis;
#[doc(hidden)]
pub mod inventory;
#[doc(hidden)]
pub mod messages;
#[doc(hidden)]
pub mod question;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod render;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod scan;
pub mod tables;
#[cfg(feature = "engines")]
#[doc(hidden)]
pub mod tree;

// What is asked about, and what trees are.
pub use asked::AskedCard as Card;
pub use asked::override_value::OverrideValue;
pub use capability::requirement::Ignore;
pub use error::AuditError;
pub use finding::Finding;
pub use finding::evidence::Evidence;
pub use finding::rule::Rule;
pub use finding::rules::RULES;
pub use finding::severity::Severity;
pub use input::device_file::DeviceFile;
pub use input::exclude::Exclusion;
pub use inventory::Inventory;
pub use scan::run::{Options, Progress, Silent, StopSignal};
pub use target::product::{Product, products};
pub use target::{PROCESSORS, Processor, TargetId};

// Questions.
#[cfg(feature = "engines")]
pub use answers::model::Usage as ModelUsage;
#[cfg(feature = "engines")]
pub use answers::{Answers, ConvolutionQuestion, RouteQuestion};
#[cfg(feature = "engines")]
pub use engines::ggml::Query as GgmlQuery;
#[cfg(feature = "engines")]
pub use engines::miopen::device::Device;
#[cfg(feature = "engines")]
pub use engines::tensile::call::{GemmCall, Transpose};
#[cfg(feature = "engines")]
pub use engines::tensile::lite::call::MatmulCall;
pub use question::claim::claimed;
pub use question::{
    AuditQuestion, CheckQuestion, ChooseQuestion, DiffProblems, DiffQuestion, LogQuestion, ManifestQuestion,
    NeedsQuestion, OverrideQuestion, Question, SlimQuestion, Trees, explain_word,
};
#[cfg(feature = "engines")]
pub use question::{OnnxQuestion, SurveyQuestion, WeightsQuestion, WorkloadQuestion};

// Documents, and how they are drawn.
#[cfg(feature = "cli")]
pub use render::style::Style;
#[cfg(feature = "cli")]
pub use render::{Draw, Drawing, Format};
pub use report::v1::{
    CheckReport, DiffReport, ExplainReport, ExplainWordReport, NeedsReport, OverrideReport, Report,
    SlimReport, VerdictsReport,
};
#[cfg(feature = "engines")]
pub use report::v1::{
    ConvReport, GemmReport, MatmulReport, ModelGraphReport, ModelReport, RouteReport, SurveyReport,
    WorkloadReport,
};
pub use report::verdicts;
