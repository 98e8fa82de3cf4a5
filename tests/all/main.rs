//! Integration tests of the library's output and of the program. They form one executable, so that the crate
//! is linked once; `cargo test --test all forms::` runs those of one file.
//!
//! They run concurrently in one process, so none may change its working folder or environment: set what the
//! program needs on the `Command` that runs it (`common::program`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

// The library alone.
#[cfg(feature = "engines")]
mod agreement;
mod bad_input;
#[cfg(feature = "cli")]
mod bombs;
mod carried;
mod containers;
mod coverage;
mod first_catalogs;
mod fixtures;
mod forms;
mod images;
mod kernel_sources;
mod library_folder;
mod linking;
mod miopen;
mod ownership;
mod packages;
#[cfg(feature = "engines")]
mod packed_catalogs;
mod ranges;
mod roles;
mod samples;
mod second_reader;
mod slim;
#[cfg(feature = "cli")]
mod terminals;
mod undecided;
mod wordings;

// The program.
#[cfg(feature = "cli")]
mod action;
#[cfg(all(feature = "addresses", feature = "engines"))]
mod addresses;
mod attention;
#[cfg(all(feature = "cli", feature = "engines"))]
mod beside;
#[cfg(feature = "cli")]
mod caches;
mod catalog_forms;
#[cfg(feature = "cli")]
mod check;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod convolution;
#[cfg(feature = "cli")]
mod diff;
#[cfg(feature = "cli")]
mod docs;
#[cfg(all(feature = "cli", feature = "engines"))]
mod documents;
#[cfg(feature = "cli")]
mod edited_kernels;
#[cfg(feature = "cli")]
mod exit_status;
#[cfg(all(feature = "cli", feature = "engines"))]
mod explain;
#[cfg(feature = "cli")]
mod findings;
#[cfg(feature = "cli")]
mod formats;
#[cfg(all(feature = "cli", feature = "engines"))]
mod front;
#[cfg(feature = "cli")]
mod ggml;
#[cfg(feature = "cli")]
mod hostile;
#[cfg(all(feature = "cli", feature = "lines"))]
mod inside;
#[cfg(feature = "cli")]
mod install;
#[cfg(feature = "cli")]
mod instructions;
#[cfg(feature = "cli")]
mod kept_answers;
#[cfg(all(feature = "cli", feature = "engines"))]
mod links;
mod load_time;
#[cfg(feature = "cli")]
mod manifest;
#[cfg(feature = "cli")]
mod mcp;
#[cfg(feature = "cli")]
mod miopen_command;
#[cfg(all(feature = "cli", feature = "engines"))]
mod model;
#[cfg(feature = "cli")]
mod needs;
#[cfg(all(feature = "cli", feature = "engines", feature = "packages", feature = "parquet"))]
mod one_reading;
#[cfg(feature = "cli")]
mod outputs;
#[cfg(all(feature = "cli", feature = "engines"))]
mod overrides;
#[cfg(feature = "cli")]
mod pager;
#[cfg(all(feature = "cli", feature = "packages"))]
mod processors;
#[cfg(all(feature = "cli", feature = "packages"))]
mod promises;
#[cfg(all(feature = "cli", feature = "engines"))]
mod published_runs;
#[cfg(feature = "cli")]
mod sandbox_probe;
#[cfg(feature = "cli")]
mod schema;
#[cfg(all(feature = "cli", feature = "engines"))]
mod selections;
#[cfg(feature = "cli")]
mod shells;
#[cfg(feature = "cli")]
mod size_budget;
#[cfg(all(feature = "cli", feature = "engines"))]
mod sparse;
#[cfg(all(feature = "cli", feature = "engines", feature = "sqlite"))]
mod survey;
#[cfg(all(feature = "cli", feature = "engines", feature = "packages", feature = "parquet"))]
mod tables;
#[cfg(feature = "cli")]
mod tensile;
#[cfg(all(feature = "cli", feature = "engines"))]
mod tuning;
#[cfg(all(feature = "cli", feature = "engines", feature = "packages"))]
mod wild;
#[cfg(all(feature = "cli", feature = "engines"))]
mod workload;
