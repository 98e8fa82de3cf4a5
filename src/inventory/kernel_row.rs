//! Rows of the kernel inventory: each kernel with its location.

use crate::codeobject::Kernel;
use crate::isa::body::Body;
use crate::kernel::occupancy::Occupancy;
use crate::locator::Locator;
use crate::target::TargetId;
use std::sync::Arc;

/// One kernel of one code object.
#[derive(Debug, Clone)]
pub struct KernelRow {
    /// The code object that contains it, shared by all its kernels.
    pub place: Arc<KernelPlace>,
    /// Its metadata, and its machine code if that was decoded.
    pub kernel: Kernel<'static>,
    /// Its demangled name, if it is a C++ name.
    pub demangled: Option<Arc<str>>,
}

/// A code object that contains kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelPlace {
    /// The file as reports show it.
    pub shown: String,
    /// Index of the bundle in its file.
    pub bundle: usize,
    /// Id of the bundle entry, if it is in a bundle.
    pub id: Option<String>,
    /// The target of the code object.
    pub target: TargetId,
    /// Where the code object is.
    pub locator: Locator,
}

/// The occupancy of a kernel by its metadata; `None` if it was seen to do nothing but trap: how many of it
/// there is room for says nothing.
pub fn occupancy(kernel: &Kernel<'_>, target: &TargetId) -> Option<Occupancy> {
    let only_traps = kernel.code().is_some_and(|code| code.body() == Body::TrapStub);
    if only_traps { None } else { Occupancy::of_metadata(&target.processor, kernel) }
}
