//! What lies at a place of device code.

use super::source_lines::SourceFrame;
use serde::Serialize;

/// What lies at a place that was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodePlace {
    /// The file that was looked into.
    pub file: String,
    /// The place as it was asked for.
    pub asked: String,
    /// What is there, in words.
    pub what: String,
    /// The target ID of the code object; `null` if the place is in none.
    pub target_id: Option<String>,
    /// Where the code object is.
    pub uri: Option<String>,
    /// Mangled name of the kernel or function; `null` if it is in none.
    pub function: Option<String>,
    /// Its demangled name, if it is a C++ name.
    pub demangled: Option<String>,
    /// Offset from the begin of the kernel or function in bytes.
    pub offset: Option<u64>,
    /// Virtual address in the code object.
    pub address: Option<u64>,
    /// The instruction and those around it.
    pub instructions: Vec<PlaceInstruction>,
    /// The functions that the instruction is from: the innermost first, the kernel last. Empty without debug
    /// information.
    pub source: Vec<SourceFrame>,
}

/// An instruction near a place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlaceInstruction {
    /// Offset from the begin of the kernel or function in bytes.
    pub offset: u64,
    /// Its bytes in hexadecimal, in the order of the file.
    pub bytes: String,
    /// The instruction with its operands, as LLVM writes it; `null` if the bytes are none.
    pub text: Option<String>,
    /// Whether it is the one at the place.
    pub is_here: bool,
    /// File and line of the innermost function; `null` without debug information.
    pub line: Option<String>,
}
