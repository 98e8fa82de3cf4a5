//! The AMDGPU instruction tables: made from LLVM's target description, and held against LLVM's disassembler.

pub mod llvm;
