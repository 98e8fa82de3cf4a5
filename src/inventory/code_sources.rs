//! Bytes of device code by where they are from.

use serde::Serialize;

/// Bytes of a file's device code by source file, by template and by kernel. Each of the three adds up to
/// `code_bytes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodeSources {
    /// All bytes of code.
    pub code_bytes: u64,
    /// By source file, largest first: inlined code belongs to the file that it was written in.
    pub files: Vec<NamedBytes>,
    /// By template or function, largest first: all copies of it, for all targets.
    pub families: Vec<NamedBytes>,
    /// By kernel or function, for all targets, largest first.
    pub kernels: Vec<NamedBytes>,
    /// Code of functions without a line table.
    pub without_lines: u64,
    /// Code outside of functions: padding between them.
    pub outside_functions: u64,
    /// Code objects that were read.
    pub objects: u64,
    /// How many of them have no line tables.
    pub objects_without_lines: u64,
    /// What is wrong with debug information.
    pub problems: Vec<String>,
}

/// Bytes of something with a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedBytes {
    /// The path, or the name.
    pub name: String,
    /// Bytes of code.
    pub bytes: u64,
    /// In how many functions.
    pub functions: u64,
}
