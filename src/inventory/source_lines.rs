//! Source lines of kernels.

use crate::codeobject::demangle;
use serde::Serialize;

/// Where the code of a kernel is from, by its debug information.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelSource {
    /// Places in the source, each with the functions that are inlined into each other: the innermost first,
    /// the kernel last.
    pub chains: Vec<Vec<SourceFrame>>,
    /// Stretches of the kernel's code in their order; code without lines is left out.
    pub stretches: Vec<SourceStretch>,
    /// What is wrong with the debug information.
    pub problems: Vec<String>,
}

/// A place in a function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceFrame {
    /// Mangled name of the function; `null` if the debug information has none.
    pub function: Option<String>,
    /// Path of the source file as the compiler was given it; `null` if it is not known.
    pub file: Option<String>,
    /// Line, from 1; 0 for code that the compiler made by itself.
    pub line: u32,
    /// Column, from 1; 0 if it is not known.
    pub column: u32,
}

/// A stretch of code that is from one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceStretch {
    /// Offset of its first byte from the begin of the kernel.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Index of its chain in `chains`.
    pub chain: u32,
}

impl KernelSource {
    /// The functions that the code at an offset is from, the innermost first; empty if no line is known.
    pub fn at(&self, offset: u64) -> &[SourceFrame] {
        let last = self.stretches.partition_point(|stretch| stretch.offset <= offset).checked_sub(1);
        let found = last.and_then(|last| self.stretches.get(last));
        let found = found.filter(|stretch| offset - stretch.offset < stretch.bytes);
        found.and_then(|stretch| self.chains.get(stretch.chain as usize)).map_or(&[], Vec::as_slice)
    }
}

impl SourceFrame {
    /// The name of the function as programmers write it, or as it is if that is no C++ name.
    pub fn readable(&self) -> Option<String> {
        let name = self.function.as_ref()?;
        Some(demangle(name).unwrap_or_else(|| name.clone()))
    }

    /// File and line in short: `mmq.cuh:1262`; the name of the file alone for code of the compiler's own.
    pub fn short(&self) -> String {
        let file = self.file.as_deref().unwrap_or("?");
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        if self.line == 0 { name.to_owned() } else { format!("{name}:{}", self.line) }
    }
}
