//! Finds and reads AMD GPU code: offload bundles and fat binaries, code objects, kernel metadata, machine code.

/// Instructions: what machine code is made of, by LLVM's mnemonics.
pub use amdgpu_isa as isa;

pub mod budget;
pub mod bytes;
pub mod codeobject;
pub mod container;
pub mod error;
pub mod format;
pub mod limits;
pub mod locator;
pub mod source;
pub mod target;
