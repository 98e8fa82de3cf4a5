//! Kernels that a compiler made at run time, known from the metadata it wrote next to each.

use crate::target::TargetId;

/// What Triton wrote next to a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledKernel {
    /// The metadata's path as reports show it.
    pub shown: String,
    /// Name of the kernel.
    pub name: String,
    /// The target it was compiled for.
    pub target: TargetId,
    /// The compiler's version, if the metadata states it.
    pub version: Option<String>,
    /// Waves in a work group.
    pub warps: Option<u64>,
    /// Waves for each SIMD that the compiler was asked to allow; 0 if it was not asked.
    pub waves_per_eu: Option<u64>,
}

impl CompiledKernel {
    /// Path where its code object should be.
    pub fn code_object(&self) -> String {
        let folder = self.shown.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder.is_empty() {
            format!("{}.hsaco", self.name)
        } else {
            format!("{folder}/{}.hsaco", self.name)
        }
    }
}
