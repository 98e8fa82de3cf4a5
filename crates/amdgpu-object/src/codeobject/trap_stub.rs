//! Trap stubs: kernels that only trap, counted without decoding the other machine code.
//!
//! Libraries built for many targets contain such bodies where their source has no code for a target (ggml's
//! `NO_DEVICE_CODE`), so the number of names does not show how many kernels run.
#![deny(clippy::indexing_slicing)]

use super::kernel_symbols::{self, SymbolPlace};
use super::symbol::{self, NameBudget, Symbol};
use crate::bytes::ByteSource;
use crate::bytes::elf::{Elf, Section};
use crate::isa::body::{self, Body};
use crate::isa::{Decoder, Mode, Step};
use crate::target::TargetId;
use std::collections::HashSet;
use std::ops::Range;

/// Kernels with more bytes are not stubs: the longest known stub has 22 instructions.
pub const LARGEST: u64 = 512;

/// Number of kernels in a code object that only trap; `None` if its symbols or its machine code are
/// unavailable, or its processor is unknown.
pub fn count<'d, R: ByteSource<'d>>(
    elf: &Elf<'d, R>,
    sections: &[Section<'_>],
    target: &TargetId,
) -> Option<u64> {
    let is_small =
        |s: &Symbol<'_>| s.section != 0 && s.kind == symbol::FUNC && s.size > 0 && s.size <= LARGEST;
    let names = NameBudget::for_sections(sections);
    let mut stubs: HashSet<&[u8]> = HashSet::new();
    for function in kernel_symbols::symbols(elf, sections).ok()?.filter(is_small) {
        let place = SymbolPlace { section: function.section, value: function.value, size: function.size };
        let (text, range) = kernel_symbols::code_range(elf, sections, &place)?;
        if !body::may_trap(text.get(range.clone()).unwrap_or_default()) {
            continue;
        }
        // Making a decoder is slow, and most code objects need none.
        if is_stub(Decoder::for_processor(&target.processor, Mode::default())?, text, range) {
            stubs.extend(names.name(&function));
        }
    }
    // Most code objects have no stubs; then the names of their kernels are not read.
    let kernels = if stubs.is_empty() { None } else { kernel_symbols::names(elf, sections).ok() };
    Some(kernels.into_iter().flatten().filter(|name| stubs.contains(name)).count() as u64)
}

fn is_stub(decoder: &Decoder, text: &[u8], range: Range<usize>) -> bool {
    let ends = || ends(decoder, text, range.clone());
    body::judge_quickly(decoder, text, range.clone(), ends) == Body::TrapStub
}

/// Number of instructions in a body that end a wavefront.
fn ends(decoder: &Decoder, text: &[u8], range: Range<usize>) -> u64 {
    let (mut at, mut ends) = (range.start, 0);
    while at < range.end {
        let step = decoder.next(text, at, range.end);
        if let Step::Instruction(found) = step {
            ends += u64::from(crate::isa::mnemonic(found.mnemonic).starts_with("s_endpgm"));
        }
        at += step.length().max(4);
    }
    ends
}
