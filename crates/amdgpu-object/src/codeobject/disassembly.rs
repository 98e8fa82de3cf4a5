//! Decodes the machine code of a code object: its instructions and its kernels.
#![deny(clippy::indexing_slicing)]

pub use super::code_ask::CodeAsk;
use super::descriptor::{self, Descriptor};
use super::fingerprint::{CodeFingerprint, FingerprintCache, FoundInCode};
pub use super::histogram::{Histogram, add, total};
use super::histogram::{counted, sparse};
use super::in_order::each_in_order;
use super::kernel::{BodyCode, Kernel};
pub use super::kernel_names::KernelNames;
use super::listing::{self, KeptCode, LISTED_KERNELS, Line};
use super::patterns;
use super::stretches::{STRETCH, STRETCH_OF_FINGERPRINTS, stretches};
use super::text_section;
use super::text_section::{KernelEntry, Span, TextSection};
use crate::bytes::ByteSource;
use crate::bytes::elf::Elf;
use crate::error::ParseErrors;
use crate::isa::body;
use crate::isa::body::Body;
use crate::isa::class;
use crate::isa::class::ClassSet;
use crate::isa::legality::{Absent, Legality};
use crate::isa::{Counts, InstructionPattern, Step};
use crate::isa::{Decoder, Mode};
use crate::limits::{CODE_OBJECT_HEADERS, KERNEL_HISTOGRAMS};
use crate::target::TargetId;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

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
                let walked = each_in_order(stretches, |parts| {
                    let (mut code, mut counts) = (CodeSummary::default(), Counts::default());
                    let spans = within(&spans, parts);
                    let described = &described;
                    let mut walk = Walk {
                        decoder,
                        text,
                        ask,
                        described,
                        code: &mut code,
                        own: None,
                        found: None,
                        decoded_to: 0,
                        ends: 0,
                    };
                    walk.run(parts, spans, &mut counts);
                    (code, counts)
                });
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

/// The kernels in a stretch.
fn within<'a, 'd>(spans: &'a [NamedSpan<'d>], parts: &[Span<'d>]) -> &'a [NamedSpan<'d>] {
    let (start, end) = (parts.first().map_or(0, |p| p.start), parts.last().map_or(0, |p| p.end));
    let index = |at: usize| spans.partition_point(|span| span.start < at);
    spans.get(index(start)..index(end)).unwrap_or_default()
}

impl CodeSummary {
    /// Adds the findings of a later stretch, without its counts.
    fn append(&mut self, more: CodeSummary) {
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

/// Number of counted instructions that end a wavefront.
fn ends(counts: &Counts) -> u64 {
    static NUMBERS: OnceLock<Vec<u16>> = OnceLock::new();
    let numbers = NUMBERS.get_or_init(|| {
        let bit = class::Class::by_id("end").map_or(0, |(bit, _)| bit);
        let ends = class::classes().iter().enumerate().filter(|(_, set)| *set >> bit & 1 == 1);
        ends.map(|(number, _)| number as u16).collect()
    });
    numbers.iter().filter_map(|n| counts.mnemonics.get(usize::from(*n))).map(|count| u64::from(*count)).sum()
}

/// Bodies up to this size are followed instruction by instruction even if they contain an end, which may be
/// unreachable.
const SMALL_BODY: usize = 512;

/// The walk over one section.
struct Walk<'a, 'd> {
    decoder: &'static Decoder,
    text: &'a TextSection<'d>,
    ask: &'a DecodeOptions<'a>,
    /// Descriptors of kernels, by the addresses of their entries.
    described: &'a BTreeMap<u64, Descriptor>,
    code: &'a mut CodeSummary,
    /// Counts for the current kernel, if kernels are counted separately.
    own: Option<KernelCounts>,
    /// What its fingerprint was made of, if kernels have one.
    found: Option<FoundInCode>,
    /// Where what was decoded of the current kernel for it ends, and the ends in that, which are in no counts.
    decoded_to: usize,
    ends: u64,
}

/// Counts for one kernel. A table for all mnemonics is larger than most kernels.
enum KernelCounts {
    /// The mnemonic number of each instruction.
    Small(Vec<u16>),
    Large(Box<Counts>),
}

/// Kernels of at least this size are counted in a table.
const LARGE_KERNEL: usize = 16 << 10;

/// A kernel with its bytes in its section.
struct NamedSpan<'d> {
    entry: KernelEntry<'d>,
    start: usize,
    end: usize,
}

impl<'d> Walk<'_, 'd> {
    fn run(&mut self, parts: &[Span<'d>], all: &[NamedSpan<'d>], counts: &mut Counts) {
        let mut spans = all.iter().peekable();
        let other = self.ask.legal_on.and_then(|processor| Decoder::for_processor(processor, self.ask.mode));
        let mut legality = other.map(|other| Legality::new(self.decoder, other, self.text.bytes));
        let mut open: Option<(&NamedSpan<'d>, u64)> = None;
        let mut decoded_to = 0;
        for (number, part) in parts.iter().enumerate() {
            if self.ask.only_named {
                if let Some(span) = spans.peek().filter(|span| span.start == part.start) {
                    let is_meant = self.ask.histograms.is_some_and(|names| names.mean_bytes(span.entry.name));
                    if is_meant {
                        decoded_to = span.end;
                    } else {
                        spans.next();
                    }
                }
                if part.start >= decoded_to {
                    continue;
                }
            }
            if let Some((span, before)) = open.take_if(|(span, _)| span.end <= part.start) {
                self.close(span, before, counts);
            }
            if let Some(span) = spans.next_if(|span| span.start == part.start) {
                if let Some((last, before)) = open.take() {
                    self.close(last, before, counts);
                }
                open = Some((span, ends(counts)));
                self.take_fingerprint(span, parts.get(number..).unwrap_or_default());
                if let (Some(legality), Some(kernel)) = (&mut legality, self.described_at(span)) {
                    legality.begin_kernel(span.start, span.entry.name, (kernel.lds(), kernel.lanes()));
                }
                self.own = (self.ask.kernels || self.ask.histograms.is_some()).then(|| {
                    match span.end - span.start {
                        LARGE_KERNEL.. => KernelCounts::Large(Box::default()),
                        _ => KernelCounts::Small(Vec::new()),
                    }
                });
            }
            if part.is_data {
                self.code.data_bytes += (part.end - part.start) as u64;
                continue;
            }
            let mut at = part.start;
            if let Some((span, _)) = &open {
                let stop = span.end.min(part.end);
                at = self.count(part, at.max(self.decoded_to.min(stop)), stop, counts);
                let is_over = span.end <= at || span.end < part.end;
                if let Some((span, before)) = open.take_if(|_| is_over) {
                    self.close(span, before, counts);
                }
            }
            if !self.ask.only_named {
                self.count(part, at, part.end, counts);
            }
            if let Some(legality) = &mut legality {
                legality.add(part.start..part.end, &|at| kernel_at(all, at));
            }
        }
        if let Some(legality) = legality {
            self.code.absent.merge(&legality.into_absent());
        }
        if let Some((span, before)) = open {
            self.close(span, before, counts);
        }
    }

    /// Counts from `at` to the first instruction at or after `stop`.
    fn count(&mut self, part: &Span<'d>, mut at: usize, stop: usize, counts: &mut Counts) -> usize {
        let bytes = self.text.bytes;
        let numbers = match &mut self.own {
            None => return self.decoder.count_until(bytes, at, stop, part.end, counts),
            Some(KernelCounts::Large(own)) => {
                return self.decoder.count_until(bytes, at, stop, part.end, own);
            }
            Some(KernelCounts::Small(numbers)) => numbers,
        };
        while at < stop {
            let step = self.decoder.next(bytes, at, part.end);
            if let Step::Instruction(instruction) = step {
                numbers.push(instruction.mnemonic);
            }
            counts.note(step);
            at += step.length();
        }
        at
    }

    /// Makes the fingerprint of a kernel, if kernels have one. `parts` begin with its first.
    fn take_fingerprint(&mut self, span: &NamedSpan<'d>, parts: &[Span<'d>]) {
        self.decoded_to = 0;
        let Some(cache) = self.ask.fingerprints else { return };
        let parts = parts.get(..parts.partition_point(|part| part.start < span.end)).unwrap_or_default();
        // Where it has symbols inside, decoding begins anew at each of them.
        let inside: Vec<usize> = parts.iter().skip(1).map(|part| part.start - span.start).collect();
        let lanes = self.described_at(span).map_or(32, Descriptor::lanes);
        let found = cache.of_code(self.decoder, self.text.bytes, span.start..span.end, lanes, &inside);
        // What is known of it already is not counted.
        if !self.ask.kernels && self.ask.histograms.is_none() && parts.iter().all(|part| !part.is_data) {
            self.decoded_to = span.start + found.decoded;
            self.ends = found.ends;
        }
        self.found = Some(found);
    }

    fn described_at(&self, span: &NamedSpan<'d>) -> Option<&'_ Descriptor> {
        self.described.get(&self.text.address.wrapping_add(span.start as u64))
    }

    /// Judges a kernel whose last part was counted. `before` is the number of ends counted before it.
    fn close(&mut self, span: &NamedSpan<'d>, before: u64, counts: &mut Counts) {
        let histogram = self.own.take().map(|own| match own {
            KernelCounts::Large(own) => {
                counts.add(&own);
                sparse(&own)
            }
            KernelCounts::Small(numbers) => counted(numbers),
        });
        let found = self.found.take();
        let ends = ends(counts) - before + std::mem::take(&mut self.ends);
        let range = span.start..span.end;
        let body = match ends {
            1.. if range.len() > SMALL_BODY => Body::Real,
            _ => body::judge(self.decoder, self.text.bytes, range.clone(), ends),
        };
        *self.code.bodies.entry(body).or_default() += 1;
        let histogram = histogram.unwrap_or_default();
        let name = String::from_utf8_lossy(span.entry.name).into_owned();
        let wanted = self.ask.histograms.is_some_and(|names| names.mean(&name));
        if !wanted && !self.ask.kernels && self.ask.fingerprints.is_none() {
            return;
        }
        if self.code.kernels.len() >= KERNEL_HISTOGRAMS {
            self.code.kernels_more += 1;
            return;
        }
        let listed = || self.code.kernels.iter().filter(|kernel| kernel.is_listed()).count();
        let is_listed = wanted && listed() < LISTED_KERNELS;
        let described = self.described_at(span);
        let lanes = described.map_or(32, Descriptor::lanes);
        let lines = (is_listed && self.ask.listing)
            .then(|| listing::lines(self.decoder, self.text.bytes, range.clone(), self.text.address, lanes));
        let kept = (is_listed && self.ask.code).then(|| {
            let bytes = self.text.bytes.get(range.clone()).unwrap_or_default().to_vec();
            Box::new(KeptCode { bytes, descriptor: described.cloned(), stated: None })
        });
        self.code.kernels.push(KernelCode {
            name,
            body,
            address: is_listed.then_some(self.text.address.wrapping_add(range.start as u64)),
            bytes: range.len() as u64,
            instructions: total(&histogram),
            classes: histogram.iter().fold(0, |set, (number, _)| set | class::classes_of_number(*number)),
            uses: patterns::used(
                self.ask.uses,
                &histogram,
                self.decoder,
                self.text.bytes.get(range.clone()).unwrap_or_default(),
            ),
            fingerprint: found.map(|found| found.fingerprint),
            histogram: wanted.then_some(histogram),
            lines,
            kept,
        });
    }
}

/// Where the kernel at an offset begins, and its name.
fn kernel_at<'d>(kernels: &[NamedSpan<'d>], at: usize) -> Option<(usize, &'d [u8])> {
    let last = kernels.partition_point(|span| span.start <= at).checked_sub(1)?;
    kernels.get(last).filter(|span| at < span.end).map(|span| (span.start, span.entry.name))
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
