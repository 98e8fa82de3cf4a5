//! Kernels that a compiler made at run time, by what it wrote beside each.

use crate::target::TargetId;

/// What Triton wrote beside a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledKernel {
    /// The metadata's path as reports show it.
    pub shown: String,
    /// The kernel.
    pub name: String,
    /// What it was compiled for.
    pub target: TargetId,
    /// The compiler's version, where it wrote that down.
    pub version: Option<String>,
    /// Waves of a work group.
    pub warps: Option<u64>,
    /// Waves that a SIMD should hold, as was asked of the compiler; 0 where nothing was.
    pub waves_per_eu: Option<u64>,
}

impl CompiledKernel {
    /// Where its code object is, if it is there.
    pub fn code_object(&self) -> String {
        let folder = self.shown.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder.is_empty() {
            format!("{}.hsaco", self.name)
        } else {
            format!("{folder}/{}.hsaco", self.name)
        }
    }
}
