//! Decodes the machine code of a code object: its instructions and its kernels.
#![deny(clippy::indexing_slicing)]

pub use super::code_ask::CodeAsk;
pub use super::code_summary::{CodeSummary, KernelCode};
use super::code_walk::DecodedText;
pub use super::decode_options::DecodeOptions;
use super::descriptor;
pub use super::histogram::{Histogram, add, total};
use super::in_order::each_in_order;
pub use super::kernel_names::KernelNames;
use super::kernel_spans::spans;
use super::stretches::{STRETCH, STRETCH_OF_FINGERPRINTS, stretches};
use super::text_section;
use crate::bytes::ByteSource;
use crate::bytes::elf::Elf;
use crate::isa::{Counts, Decoder};
use crate::limits::CODE_OBJECT_HEADERS;
use crate::target::TargetId;
use std::collections::BTreeMap;

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
