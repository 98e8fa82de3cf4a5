//! The walk over the machine code of a section: counts its instructions, and judges and lists its kernels.
#![deny(clippy::indexing_slicing)]

use super::code_summary::{CodeSummary, KernelCode};
use super::decode_options::DecodeOptions;
use super::descriptor::Descriptor;
use super::fingerprint::FoundInCode;
use super::histogram::{counted, sparse, total};
use super::kernel_spans::{NamedSpan, kernel_at};
use super::listing::{self, KeptCode, LISTED_KERNELS};
use super::patterns;
use super::stretches;
use super::text_section::{Span, TextSection};
use crate::isa::body;
use crate::isa::body::Body;
use crate::isa::class;
use crate::isa::legality::Legality;
use crate::isa::{Counts, Decoder, RangeWalk, Step};
use crate::limits::KERNEL_HISTOGRAMS;
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::slice;
use std::sync::OnceLock;

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

/// The walk over a stretch of one section.
pub(super) struct Walk<'a, 'd> {
    decoder: &'static Decoder,
    text: &'a TextSection<'d>,
    ask: &'a DecodeOptions<'a>,
    /// Descriptors of kernels, by the addresses of their entries.
    described: &'a BTreeMap<u64, Descriptor>,
    /// All kernels of the stretch, and those that were not reached yet.
    kernels: &'a [NamedSpan<'d>],
    coming: Peekable<slice::Iter<'a, NamedSpan<'d>>>,
    /// Parts of the text that were not reached yet.
    parts: &'a [Span<'d>],
    /// The part that is decoded, and how far.
    part: Option<&'a Span<'d>>,
    at: usize,
    /// The kernel that is decoded, and the ends that were counted before it.
    open: Option<(&'a NamedSpan<'d>, u64)>,
    /// Where the last kernel ends that is decoded because of its name.
    named_to: usize,
    legality: Option<Legality<'a>>,
    code: CodeSummary,
    counts: Counts,
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

/// What is decoded, and how.
pub(super) struct DecodedText<'a, 'd> {
    pub(super) decoder: &'static Decoder,
    pub(super) text: &'a TextSection<'d>,
    pub(super) ask: &'a DecodeOptions<'a>,
    /// Descriptors of kernels, by the addresses of their entries.
    pub(super) described: &'a BTreeMap<u64, Descriptor>,
    /// Its kernels.
    pub(super) kernels: &'a [NamedSpan<'d>],
}

impl<'d> DecodedText<'_, 'd> {
    /// Decodes a stretch of it.
    pub(super) fn decode(&self, parts: &[Span<'d>]) -> (CodeSummary, Counts) {
        let only_counts = !self.ask.has_rows() && self.ask.legal_on.is_none();
        let halves = || stretches::halves(parts, self.kernels_of(parts));
        match only_counts.then(halves).flatten() {
            Some([first, second]) => run_two(self.walk(first), self.walk(second)),
            None => {
                let mut walk = self.walk(parts);
                walk.run();
                (walk.code, walk.counts)
            }
        }
    }

    fn walk<'a>(&'a self, parts: &'a [Span<'d>]) -> Walk<'a, 'd> {
        let &DecodedText { decoder, text, ask, described, .. } = self;
        let kernels = self.kernels_of(parts);
        let other = ask.legal_on.and_then(|processor| Decoder::for_processor(processor, ask.mode));
        Walk {
            decoder,
            text,
            ask,
            described,
            kernels,
            coming: kernels.iter().peekable(),
            parts,
            part: None,
            at: 0,
            open: None,
            named_to: 0,
            legality: other.map(|other| Legality::new(decoder, other, text.bytes)),
            code: CodeSummary::default(),
            counts: Counts::default(),
            own: None,
            found: None,
            decoded_to: 0,
            ends: 0,
        }
    }

    /// The kernels in a stretch.
    fn kernels_of(&self, parts: &[Span<'d>]) -> &[NamedSpan<'d>] {
        let (start, end) = (parts.first().map_or(0, |p| p.start), parts.last().map_or(0, |p| p.end));
        let index = |at: usize| self.kernels.partition_point(|span| span.start < at);
        self.kernels.get(index(start)..index(end)).unwrap_or_default()
    }
}

/// Two walks in turns, which takes less time than one after the other. Returns what both found, in their order.
fn run_two(mut first: Walk<'_, '_>, mut second: Walk<'_, '_>) -> (CodeSummary, Counts) {
    while let (Some(mut a), Some(mut b)) = (first.next(), second.next()) {
        let counts = [&mut first.counts, &mut second.counts];
        first.decoder.count_two(first.text.bytes, [&mut a, &mut b], counts);
        (first.at, second.at) = (a.at, b.at);
    }
    first.run();
    second.run();
    let (mut code, mut counts) = (first.code, first.counts);
    code.append(second.code);
    counts.add(&second.counts);
    (code, counts)
}

impl<'a, 'd> Walk<'a, 'd> {
    fn run(&mut self) {
        while let Some(next) = self.next() {
            self.at = self.count(next);
        }
    }

    /// What is to be counted next, from where the walk is: up to the end of a kernel or of a part. `None` when
    /// all was counted, and what was found is complete.
    fn next(&mut self) -> Option<RangeWalk> {
        loop {
            let Some(part) = self.part else {
                if !self.begin_part() {
                    return None;
                }
                continue;
            };
            if let Some((span, _)) = self.open {
                let stop = span.end.min(part.end);
                if self.at < stop {
                    return Some(RangeWalk { at: self.at, stop, end: part.end });
                }
                if span.end <= self.at || span.end < part.end {
                    self.close_open();
                }
            }
            if self.at < part.end && !self.ask.only_named {
                return Some(RangeWalk { at: self.at, stop: part.end, end: part.end });
            }
            if let Some(legality) = &mut self.legality {
                legality.add(part.start..part.end, &|at| kernel_at(self.kernels, at));
            }
            self.part = None;
        }
    }

    /// Goes to the next part, and to its kernel if one begins there. Returns whether there is a part.
    fn begin_part(&mut self) -> bool {
        let Some((part, rest)) = self.parts.split_first() else {
            self.close_open();
            if let Some(legality) = self.legality.take() {
                self.code.absent.merge(&legality.into_absent());
            }
            return false;
        };
        let from_here = std::mem::replace(&mut self.parts, rest);
        if self.ask.only_named {
            if let Some(span) = self.coming.peek().filter(|span| span.start == part.start) {
                let is_meant = self.ask.histograms.is_some_and(|names| names.mean_bytes(span.entry.name));
                if is_meant {
                    self.named_to = span.end;
                } else {
                    self.coming.next();
                }
            }
            if part.start >= self.named_to {
                return true;
            }
        }
        if self.open.is_some_and(|(span, _)| span.end <= part.start) {
            self.close_open();
        }
        if let Some(span) = self.coming.next_if(|span| span.start == part.start) {
            self.close_open();
            self.begin_kernel(span, from_here);
        }
        if part.is_data {
            self.code.data_bytes += (part.end - part.start) as u64;
            return true;
        }
        self.at = part.start;
        if let Some((span, _)) = self.open {
            let stop = span.end.min(part.end);
            self.at = part.start.max(self.decoded_to.min(stop));
        }
        self.part = Some(part);
        true
    }

    /// Begins a kernel, which begins with the first of the parts that come.
    fn begin_kernel(&mut self, span: &'a NamedSpan<'d>, parts: &[Span<'d>]) {
        self.open = Some((span, ends(&self.counts)));
        self.take_fingerprint(span, parts);
        let described = self.described_at(span).map(|kernel| (kernel.lds(), kernel.lanes()));
        if let (Some(legality), Some(kernel)) = (&mut self.legality, described) {
            legality.begin_kernel(span.start, span.entry.name, kernel);
        }
        self.own = (self.ask.kernels || self.ask.histograms.is_some()).then(|| match span.end - span.start {
            LARGE_KERNEL.. => KernelCounts::Large(Box::default()),
            _ => KernelCounts::Small(Vec::new()),
        });
    }

    fn close_open(&mut self) {
        if let Some((span, before)) = self.open.take() {
            self.close(span, before);
        }
    }

    /// Counts up to the first instruction at or after the stop, and returns its offset.
    fn count(&mut self, RangeWalk { mut at, stop, end }: RangeWalk) -> usize {
        let bytes = self.text.bytes;
        let numbers = match &mut self.own {
            None => return self.decoder.count_until(bytes, at, stop, end, &mut self.counts),
            Some(KernelCounts::Large(own)) => return self.decoder.count_until(bytes, at, stop, end, own),
            Some(KernelCounts::Small(numbers)) => numbers,
        };
        while at < stop {
            let step = self.decoder.next(bytes, at, end);
            if let Step::Instruction(instruction) = step {
                numbers.push(instruction.mnemonic);
            }
            self.counts.note(step);
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
    fn close(&mut self, span: &NamedSpan<'d>, before: u64) {
        let histogram = self.own.take().map(|own| match own {
            KernelCounts::Large(own) => {
                self.counts.add(&own);
                sparse(&own)
            }
            KernelCounts::Small(numbers) => counted(numbers),
        });
        let found = self.found.take();
        let ends = ends(&self.counts) - before + std::mem::take(&mut self.ends);
        let range = span.start..span.end;
        let body = match ends {
            1.. if range.len() > SMALL_BODY => Body::Real,
            _ => body::judge(self.decoder, self.text.bytes, range.clone(), ends),
        };
        *self.code.bodies.entry(body).or_default() += 1;
        if !self.ask.has_rows() {
            return;
        }
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
        let histogram = histogram.unwrap_or_default();
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
