//! Rows of the kernel inventory: each kernel with its place.

use crate::codeobject::Kernel;
use crate::locator::Locator;
use crate::target::TargetId;
use std::sync::Arc;

/// One kernel of one code object.
#[derive(Debug, Clone)]
pub struct KernelRow {
    /// The code object that it is in; all its kernels share it.
    pub place: Arc<KernelPlace>,
    /// What its metadata states, and what its machine code is, where that was decoded.
    pub kernel: Kernel<'static>,
    /// Its name as programmers write it, where it is a C++ name.
    pub demangled: Option<Arc<str>>,
}

/// The code object that kernels are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelPlace {
    /// The file as reports show it.
    pub shown: String,
    /// Index of the bundle in its file.
    pub bundle: usize,
    /// The entry's id, where it is in a bundle.
    pub id: Option<String>,
    /// The target of the code object.
    pub target: TargetId,
    /// Where the code object is.
    pub locator: Locator,
}
