//! The instructions of one kernel in order: addresses, bytes, text, and branch targets.
#![deny(clippy::indexing_slicing)]

use super::descriptor::Descriptor;
use super::kernel::Kernel;
use crate::isa::{Decoder, Instruction, Step, mnemonic};
use std::ops::Range;

/// Number of kernels to list in one code object, and of lines in one kernel.
pub const LISTED_KERNELS: usize = 64;
const LISTED_LINES: usize = 1 << 18;

answer! {
    /// A line of a listing.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Line {
        /// Virtual address in the code object.
        copy address: u64,
        /// Its bytes; for a run of zeros, the first ones.
        list bytes: u8,
        /// Number of the mnemonic; `None` if the bytes are not an instruction.
        copy mnemonic: Option<u16>,
        /// The instruction with its operands, as LLVM writes it; `None` if the bytes are not an instruction.
        maybe_text text: String,
        /// Address of a branch's target.
        copy target: Option<u64>,
        /// The instruction itself.
        copy instruction: Option<Instruction>,
    }
}

answer! {
    /// The code of one kernel, with its descriptor and metadata.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct KeptCode {
        /// Machine code of the kernel.
        list bytes: u8,
        /// Descriptor of the kernel, if it has one.
        maybe descriptor: Descriptor,
        /// Metadata of the kernel, if it has any.
        maybe_boxed stated: Kernel<'static>,
    }
}

/// Bytes kept for a line: the longest instruction has 20.
const LINE_BYTES: usize = 20;

/// Lists the instructions in `range` of a section that begins at `address`, for a kernel with waves of
/// `lanes` lanes.
pub(super) fn lines(
    decoder: &Decoder,
    text: &[u8],
    range: Range<usize>,
    address: u64,
    lanes: u32,
) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut at = range.start;
    while at < range.end.min(text.len()) && lines.len() < LISTED_LINES {
        let step = decoder.next(text, at, range.end);
        let length = step.length().max(1);
        let bytes = text.get(at..(at + length.min(LINE_BYTES)).min(text.len())).unwrap_or_default();
        let own = address.wrapping_add(at as u64);
        let found = if let Step::Instruction(found) = step { Some(found) } else { None };
        let number = found.map(|found| found.mnemonic);
        let whole = found.and_then(|found| decoder.with_operands(found, bytes));
        let instruction = whole.map(|whole| if lanes == 64 { whole.in_wave(64) } else { whole });
        let words = instruction.map(|whole| whole.to_string());
        let target = number.and_then(|number| target(mnemonic(number), bytes, own));
        lines.push(Line {
            address: own,
            bytes: bytes.to_vec(),
            mnemonic: number,
            text: words,
            target,
            instruction,
        });
        at += length;
    }
    lines
}

/// A branch's target: the lower half of its first word is a number of words, counted from the next
/// instruction (AMD's instruction set references, SOPP and SOPK).
fn target(mnemonic: &str, bytes: &[u8], address: u64) -> Option<u64> {
    let branches = mnemonic.starts_with("s_branch")
        || mnemonic.starts_with("s_cbranch_") && !mnemonic.ends_with("_fork") && !mnemonic.ends_with("_join")
        || matches!(mnemonic, "s_call_b64" | "s_call_i64")
        || mnemonic.starts_with("s_subvector_loop");
    let words = i16::from_le_bytes(*bytes.first_chunk::<2>().filter(|_| branches)?);
    Some(address.wrapping_add(4).wrapping_add_signed(i64::from(words) * 4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Mode;

    #[test]
    fn branches_lead_where_llvm_says() {
        // llvm-mc 22, gfx906: s_nop 0; s_cbranch_scc0 -2; s_branch 1; s_nop 0; s_endpgm.
        let text: Vec<u8> = [0xbf80_0000u32, 0xbf84_fffe, 0xbf82_0001, 0xbf80_0000, 0xbf81_0000]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect();
        let decoder = Decoder::for_processor("gfx906", Mode::Correct).unwrap();
        let lines = lines(decoder, &text, 0..text.len(), 0x100, 64);
        let shown: Vec<_> = lines.iter().map(|l| (l.address, l.text.as_deref().unwrap(), l.target)).collect();
        let expected = [
            (0x100, "s_nop 0", None),
            (0x104, "s_cbranch_scc0 65534", Some(0x100)),
            (0x108, "s_branch 1", Some(0x110)),
            (0x10c, "s_nop 0", None),
            (0x110, "s_endpgm", None),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn calls_of_gfx1250_lead_where_llvm_says() {
        // llvm-mc 22, gfx1250: s_call_i64 s[0:1], 4; s_endpgm.
        let text: Vec<u8> = [0xba00_0004u32, 0xbfb0_0000].iter().flat_map(|w| w.to_le_bytes()).collect();
        let decoder = Decoder::for_processor("gfx1250", Mode::Correct).unwrap();
        let lines = lines(decoder, &text, 0..text.len(), 0x100, 32);
        let shown: Vec<_> = lines.iter().map(|l| (l.text.as_deref().unwrap(), l.target)).collect();
        assert_eq!(shown, [("s_call_i64 s[0:1], 4", Some(0x114)), ("s_endpgm", None)]);
    }
}
