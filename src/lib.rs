//! Reads AMD ROCm installs, bundles and wheels from their bytes alone: which GPUs they have code for, what
//! that code is, and what rocBLAS, MIOpen and ggml would choose. Nothing that is read is executed or loaded.
//!
//! # Start here
//!
//! - A tree, an install or a package: [`scan::run::audit`] gives an [`inventory::Inventory`] of facts, and
//!   [`capability::Capability`] says what they mean for each target and library.
//! - One file: [`input::device_file::DeviceFile`] finds the bundles and code objects in an ELF, a PE, an archive or a
//!   bundle; [`codeobject`] reads one of them, and [`isa`] decodes its instructions.
//! - A choice of a library: [`answers::Answers`] opens a tree once and answers for matrix products, convolutions and llama.cpp's
//!   routes; its documentation has an example.
//!
//! ```
//! use rocm_audit::input::device_file::DeviceFile;
//! use rocm_audit::scan::run::{Options, Silent, audit};
//! use std::path::{Path, PathBuf};
//!
//! // What a tree has code for.
//! let roots = [PathBuf::from("fixtures/rocm")];
//! let inventory = audit(&roots, &Options::default(), &Silent, None)?;
//! let code = inventory.artifacts.iter().filter_map(|artifact| artifact.device.as_ref());
//! let mut targets = code.flat_map(|code| code.targets.keys());
//! assert!(targets.any(|target| target.processor == "gfx900"));
//!
//! // Which code objects one library holds, and where.
//! let library = DeviceFile::open(Path::new("fixtures/rocm/lib/librocrand.so.1.1"))?;
//! library.for_each_entry(|bundle, entry, uri| {
//!     println!("{uri}: {:?}", library.target_of(bundle, entry));
//! });
//! # Ok::<(), rocm_audit::error::AuditError>(())
//! ```
//!
//! # The targets of a wheel
//!
//! A package is read as the tree that it unpacks to, without unpacking it:
//!
#![cfg_attr(feature = "packages", doc = "```")]
#![cfg_attr(not(feature = "packages"), doc = "```ignore")]
//! use rocm_audit::scan::run::{Options, Silent, audit};
//! use std::collections::BTreeSet;
//!
//! let wheel = "fixtures/containers/package/demo-1.0-py3-none-linux_x86_64.whl";
//! let inventory = audit(&[wheel.into()], &Options::default(), &Silent, None)?;
//! // What could not be read is a finding: without one the list is complete.
//! inventory.findings.iter().for_each(|finding| eprintln!("{}: {}", finding.rule.id, finding.detail));
//! let code = inventory.artifacts.iter().filter_map(|artifact| artifact.device.as_ref());
//! let targets: BTreeSet<String> = code.flat_map(|code| code.targets.keys()).map(ToString::to_string).collect();
//! assert!(targets.contains("gfx1100"));
//! # Ok::<(), rocm_audit::error::AuditError>(())
//! ```
//!
//! # What rocBLAS would choose
//!
#![cfg_attr(feature = "engines", doc = "```")]
#![cfg_attr(not(feature = "engines"), doc = "```ignore")]
//! use rocm_audit::engines::tensile::call::{GemmCall, Transpose};
//! use rocm_audit::answers::Answers;
//! use rocm_audit::target::TargetId;
//!
//! let stack = Answers::open(&["fixtures/tensile".into()]);
//! // `rocblas_gemm_ex` of half precision, accumulated in single, on a card with 64 compute units.
//! let target = TargetId::bare("gfx900");
//! let call = GemmCall::new(&target, 64, "HHS", [Transpose::N, Transpose::N], [64, 64, 64]);
//! let answer = stack.gemm(&call)?;
//! println!("{:?} of {}", answer.kernel, answer.first_catalog);
//! # assert!(answer.first_catalog.contains("gfx900"));
//! # Ok::<(), rocm_audit::error::AuditError>(())
//! ```
//!
//! # The map
//!
//! Modules stand in one order, and a module uses only those below it; `docs/architecture.md` has the drawing
//! and who imports whom. From the bottom: [`limits`], [`error`], [`locator`], [`source`], [`bytes`],
//! [`mod@format`] and [`budget`] are about bytes and their bounds. [`isa`] and [`target`] are tables of
//! instructions and processors. [`codeobject`] and [`container`] read the formats of device code, [`asked`] the words for targets and cards, [`input`]
//! opens trees and packages. [`engines`] choose as libraries do, [`workload`] reads lists of what they are asked. [`inventory`], [`scan`], [`answers`] and
//! [`capability`] make answers of all that; [`messages`] knows what ROCm prints, [`diagnosis`] what is behind it; [`report`] is the frozen output, [`comparison`] says what changed between two of them, and [`tables`] are
//! its rows in typed columns.
//!
//! # Trade-offs
//!
//! - Nothing is a panic and little is fatal: what is malformed becomes a [`finding`] with an absolute offset, and the rest is
//!   read on. A caller must look at the findings to know that an answer is complete.
//! - Files are mapped, not read, and what is packed is inflated within the bounds of [`limits`]: memory does not grow with the
//!   input, and there is no asynchronous interface.
//! - Formats, rules and tables are those of known releases. What is newer is reported as not examined, never guessed.
//! - The feature `cli` has the command line and the renderers; without it nothing is drawn. Everything that a command answers
//!   is in the library.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// Instructions: what machine code is made of, by LLVM's mnemonics.
pub use amdgpu_isa as isa;
pub use amdgpu_object::{bytes, codeobject, container, format, locator, source, target};

#[cfg(feature = "engines")]
pub mod answers;
pub mod asked;
pub mod budget;
pub mod capability;
#[cfg(feature = "cli")]
pub mod cli;
pub mod comparison;
pub mod diagnosis;
pub mod engines;
pub mod error;
pub mod finding;
pub mod input;
pub mod inventory;
pub mod limits;
pub mod messages;
#[cfg(feature = "cli")]
pub mod render;
pub mod report;
pub mod scan;
pub mod tables;
#[cfg(feature = "engines")]
pub mod tree;
#[cfg(feature = "engines")]
pub mod workload;
