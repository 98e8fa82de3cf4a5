//! Decodes the machine code of a code object: its instructions and its kernels.
#![deny(clippy::indexing_slicing)]

pub use super::code_ask::CodeAsk;
use super::code_walk::{DecodedText, NamedSpan};
use super::descriptor;
use super::fingerprint::{CodeFingerprint, FingerprintCache};
use super::histogram::sparse;
pub use super::histogram::{Histogram, add, total};
use super::in_order::each_in_order;
use super::kernel::{BodyCode, Kernel};
pub use super::kernel_names::KernelNames;
use super::listing::{KeptCode, Line};
use super::stretches::{STRETCH, STRETCH_OF_FINGERPRINTS, stretches};
use super::text_section;
use super::text_section::TextSection;
use crate::bytes::ByteSource;
use crate::bytes::elf::Elf;
use crate::error::ParseErrors;
use crate::isa::body::Body;
use crate::isa::class::ClassSet;
use crate::isa::legality::Absent;
use crate::isa::{Counts, InstructionPattern};
use crate::isa::{Decoder, Mode};
use crate::limits::{CODE_OBJECT_HEADERS, KERNEL_HISTOGRAMS};
use crate::target::TargetId;
use std::collections::{BTreeMap, HashMap};

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
    /// Whether to list the instructions of those kernels, for the first [`LISTED_KERNELS`] in a code object.
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

    /// The same without fingerprints, if none are wanted of a target.
    fn of_target(&self, target: &TargetId) -> Self {
        let wanted = self.fingerprints_of.is_none_or(|targets| targets.contains(target));
        DecodeOptions { fingerprints: self.fingerprints.filter(|_| wanted), ..*self }
    }
}

answer! {
    /// The result of decoding a code object.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct CodeSummary {
        /// How often each mnemonic occurs; see [`DecodeOptions::fingerprints`].
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
        /// The patterns in [`DecodeOptions::uses`] that it uses, one bit each.
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

/// Decodes a code object by its own headers and symbols. `None` if the instructions of its processor are
/// unknown, or the options do not request its target.
pub fn read<'d, R: ByteSource<'d>>(
    elf: &Elf<'d, R>,
    target: &TargetId,
    ask: &DecodeOptions<'_>,
) -> Option<CodeSummary> {
    if !ask.wants(target) {
        return None;
    }
    let decoder = Decoder::for_processor(&target.processor, ask.mode)?;
    let ask = &ask.of_target(target);
    let mut code = CodeSummary::default();
    let described = if ask.listing || ask.code || ask.legal_on.is_some() {
        descriptor::by_entry(elf)
    } else {
        BTreeMap::new()
    };
    match text_section::sections(elf, CODE_OBJECT_HEADERS) {
        Ok((texts, problems)) => {
            problems.into_iter().for_each(|problem| code.problems.push(problem));
            let mut counts = Counts::default();
            for text in &texts {
                code.text_bytes += text.bytes.len() as u64;
                let spans = spans(text);
                let least = if ask.fingerprints.is_some() { STRETCH_OF_FINGERPRINTS } else { STRETCH };
                let stretches = stretches(text, spans.iter().map(|span| span.start..span.end), least);
                let read = DecodedText { decoder, text, ask, described: &described, kernels: &spans };
                let walked = each_in_order(stretches, |parts| read.decode(parts));
                for (more, stretch) in walked {
                    code.append(more);
                    counts.add(&stretch);
                }
            }
            code.add_counts(&counts);
        }
        Err(error) => code.problems.push(error),
    }
    Some(code)
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

    fn add_counts(&mut self, counts: &Counts) {
        add(&mut self.histogram, &sparse(counts));
        self.unknown += counts.unknown;
        self.zero_bytes += counts.zero_bytes;
        self.zero_blocks += counts.zero_blocks;
    }
}

/// The kernels of a section with their bytes, in order and without overlap.
fn spans<'d>(text: &TextSection<'d>) -> Vec<NamedSpan<'d>> {
    let mut spans: Vec<NamedSpan<'d>> = Vec::new();
    for part in &text.parts {
        let Some(entry) = part.kernel else { continue };
        if let Some(last) = spans.last_mut() {
            last.end = last.end.min(part.start);
        }
        let end = match usize::try_from(entry.size) {
            Ok(size) if size > 0 => part.start.saturating_add(size).min(text.bytes.len()),
            _ => text.bytes.len(),
        };
        spans.push(NamedSpan { entry, start: part.start, end });
    }
    spans
}
