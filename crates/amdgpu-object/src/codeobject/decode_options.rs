//! What is asked of machine code.

use super::fingerprint::FingerprintCache;
use super::kernel_names::KernelNames;
use crate::isa::{InstructionPattern, Mode};
use crate::target::TargetId;

/// Options for decoding machine code.
#[derive(Debug, Clone, Copy, Default)]
pub struct DecodeOptions<'a> {
    /// How to decode.
    pub mode: Mode,
    /// Whether to count each kernel separately.
    pub kernels: bool,
    /// The kernels to make separate histograms for.
    pub histograms: Option<KernelNames<'a>>,
    /// Whether to decode these kernels only, and nothing else of the machine code.
    pub only_named: bool,
    /// Whether to list the instructions of those kernels, for the first
    /// [`LISTED_KERNELS`](super::listing::LISTED_KERNELS) in a code object.
    pub listing: bool,
    /// Whether to keep the bytes of those kernels, up to the same number.
    pub code: bool,
    /// If given, to make a fingerprint of each kernel's code. What has one is decoded once: where kernels are not
    /// counted separately, their instructions up to the last end or branch are in no counts, unless there is
    /// something else among them.
    pub fingerprints: Option<&'a FingerprintCache>,
    /// Targets whose kernels have fingerprints; `None` for all.
    pub fingerprints_of: Option<&'a [TargetId]>,
    /// Patterns of instructions; for each kernel the result says which of them it uses. At most 64.
    pub uses: &'a [InstructionPattern],
    /// Targets to decode, including code that loads on them; empty for all.
    pub targets: &'a [TargetId],
    /// A processor; instructions that it lacks are counted.
    pub legal_on: Option<&'a str>,
}

impl DecodeOptions<'_> {
    /// Whether to decode the code of a target.
    pub fn wants(&self, target: &TargetId) -> bool {
        target.is_wanted_by(self.targets)
    }

    /// Whether the result can have rows for kernels.
    pub(super) fn has_rows(&self) -> bool {
        self.kernels || self.histograms.is_some() || self.fingerprints.is_some()
    }

    /// The same without fingerprints, if none are wanted of a target.
    pub(super) fn of_target(&self, target: &TargetId) -> Self {
        let wanted = self.fingerprints_of.is_none_or(|targets| targets.contains(target));
        DecodeOptions { fingerprints: self.fingerprints.filter(|_| wanted), ..*self }
    }
}
