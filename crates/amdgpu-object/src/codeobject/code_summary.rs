//! What was found in machine code.
#![deny(clippy::indexing_slicing)]

use super::fingerprint::CodeFingerprint;
use super::histogram::{Histogram, add, sparse, total};
use super::kernel::{BodyCode, Kernel};
use super::listing::{KeptCode, Line};
use crate::error::ParseErrors;
use crate::isa::Counts;
use crate::isa::body::Body;
use crate::isa::class::ClassSet;
use crate::isa::legality::Absent;
use crate::limits::KERNEL_HISTOGRAMS;
use std::collections::{BTreeMap, HashMap};

answer! {
    /// The result of decoding a code object.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct CodeSummary {
        /// How often each mnemonic occurs; see [`fingerprints`](super::disassembly::DecodeOptions::fingerprints).
        part histogram: Histogram,
        /// Bytes of its executable sections.
        copy text_bytes: u64,
        /// Words that are not instructions of its processor.
        copy unknown: u64,
        /// Zero bytes skipped, in runs of eight or more.
        copy zero_bytes: u64,
        /// Number of such runs.
        copy zero_blocks: u64,
        /// Bytes in the code that symbols mark as data.
        copy data_bytes: u64,
        /// Kernels by what their bodies do.
        part bodies: BTreeMap<Body, u64>,
        /// Its kernels in the order of addresses, if they are counted separately or have fingerprints.
        list kernels: KernelCode,
        /// Requested kernels whose histograms were not kept because there are too many.
        copy kernels_more: u64,
        /// Instructions that another processor lacks, if one was named.
        part absent: Absent,
        /// What was malformed.
        part problems: ParseErrors,
    }
}

answer! {
    /// The result of decoding one kernel.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct KernelCode {
        /// Mangled name.
        text name: String,
        /// What the body does.
        copy body: Body,
        /// Its address, if its instructions were listed or its bytes kept.
        copy address: Option<u64>,
        /// Size of the code in bytes.
        copy bytes: u64,
        /// Number of instructions; 0 if kernels are not counted separately.
        copy instructions: u64,
        /// The classes of its instructions, one bit each; likewise.
        copy classes: ClassSet,
        /// The patterns in [`uses`](super::disassembly::DecodeOptions::uses) that it uses, one bit each.
        copy uses: u64,
        /// Its fingerprint, if requested.
        copy fingerprint: Option<CodeFingerprint>,
        /// How often each mnemonic occurs, if requested.
        maybe histogram: Histogram,
        /// Its instructions in order, if requested.
        maybe_list lines: Line,
        /// Its bytes and its descriptor, if requested.
        maybe_boxed kept: KeptCode,
    }
}

impl KernelCode {
    /// Drops its instructions and bytes, which take most of the memory.
    pub fn drop_lines(&mut self) {
        (self.lines, self.kept) = (None, None);
    }

    /// Its body, size, instruction count and class sets only.
    pub fn in_words(&self) -> BodyCode {
        let KernelCode { body, bytes, instructions, classes, uses, fingerprint, .. } = *self;
        BodyCode { body, bytes, instructions, classes, uses, fingerprint }
    }

    /// Whether its instructions were listed.
    pub fn is_listed(&self) -> bool {
        self.lines.is_some() || self.kept.is_some()
    }
}

impl CodeSummary {
    /// Its kernels only.
    pub fn into_kernels(self) -> Vec<KernelCode> {
        self.kernels
    }

    /// Adds the metadata of kernels whose code is kept, matching them by name.
    pub(super) fn keep_stated(&mut self, mut stated: HashMap<String, Box<Kernel<'static>>>) {
        for kernel in &mut self.kernels {
            if let Some(kept) = &mut kernel.kept {
                kept.stated = stated.remove(&kernel.name);
            }
        }
    }

    /// All instructions.
    pub fn instructions(&self) -> u64 {
        total(&self.histogram)
    }

    /// Its kernels by name.
    pub fn by_name(&self) -> HashMap<&str, &KernelCode> {
        self.kernels.iter().map(|kernel| (kernel.name.as_str(), kernel)).collect()
    }
}

impl CodeSummary {
    /// Adds the findings of a later stretch, without its counts.
    pub(super) fn append(&mut self, more: CodeSummary) {
        self.data_bytes += more.data_bytes;
        for (body, count) in more.bodies {
            *self.bodies.entry(body).or_default() += count;
        }
        let room = KERNEL_HISTOGRAMS.saturating_sub(self.kernels.len());
        self.kernels_more += more.kernels_more + more.kernels.len().saturating_sub(room) as u64;
        self.kernels.extend(more.kernels.into_iter().take(room));
        self.absent.merge(&more.absent);
    }

    pub(super) fn add_counts(&mut self, counts: &Counts) {
        add(&mut self.histogram, &sparse(counts));
        self.unknown += counts.unknown;
        self.zero_bytes += counts.zero_bytes;
        self.zero_blocks += counts.zero_blocks;
    }
}
