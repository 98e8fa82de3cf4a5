//! Valid AMDGPU code objects, offload bundles, kpack archives, catalogs and packages of them, made from a
//! seed.
//!
//! - [`Sample`]: a file of a [`SampleForm`], and what is in it.
//! - [`CodeObject`]: one of [`Kernel`]s that the caller names, for a [`Processor`].
//! - [`bundle`] and [`package`]: what holds them.
//! - [`catalog`]: what rocBLAS chooses kernels by.
//! - [`Random`]: numbers that are the same for the same seed.
//!
//! Forms follow LLVM's AMDGPUUsage ("Code Object V5"), clang's "ClangOffloadBundler" and
//! `llvm/Object/OffloadBinary.h`.

// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod bundle;
pub mod catalog;
mod code_object;
mod message_pack;
pub mod package;
mod processor;
mod random;
mod sample;

pub use code_object::{CodeObject, Kernel};
pub use processor::{PROCESSORS, Processor};
pub use random::Random;
pub use sample::{Sample, SampleForm};
