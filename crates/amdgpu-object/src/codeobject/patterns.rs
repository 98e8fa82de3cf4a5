//! Which kernels have an instruction that a pattern fits.

use super::histogram::Histogram;
use crate::isa::{Decoder, InstructionPattern, Text};

/// The patterns that fit an instruction of a kernel, one bit each. Only where operands are asked for is its
/// code read once more.
pub(super) fn used(
    patterns: &[InstructionPattern],
    histogram: &Histogram,
    decoder: &'static Decoder,
    code: &[u8],
) -> u64 {
    let mut text = Text::new();
    let mut has = |pattern: &InstructionPattern| {
        let is_possible = histogram.iter().any(|(number, _)| pattern.has_mnemonic(*number));
        is_possible
            && (!pattern.needs_operands()
                || decoder.instructions(code).any(|(_, one)| {
                    pattern.has_mnemonic(one.mnemonic_number()) && pattern.has_operands(one.text(&mut text))
                }))
    };
    let bits = patterns.iter().take(64).enumerate();
    bits.fold(0, |found, (bit, pattern)| found | u64::from(has(pattern)) << bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codeobject::histogram::sparse;
    use crate::isa::{Counts, Mode};

    #[test]
    fn operands_tell_kernels_apart_where_mnemonics_do_not() {
        // What llvm-mc makes of: s_load_dword s0, s[4:5], 0x0; v_mov_b32 v0, s0; v_dot4_i32_i8 v0, v1, v2,
        // v3; s_endpgm.
        let words = [0xc0020002u32, 0, 0x7e000200, 0xd3a84000, 0x1c0e0501, 0xbf810000];
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let decoder = Decoder::for_processor("gfx906", Mode::Correct).unwrap();
        let mut counts = Counts::default();
        decoder.count(&code, 0..code.len(), &mut counts);
        let is_used = |text: &str| {
            super::used(&[InstructionPattern::from_text(text).unwrap()], &sparse(&counts), decoder, &code)
                == 1
        };
        assert!(["s_load* s[4:5]", "dot4", "valu s0", "dot4 v1 v3"].into_iter().all(is_used));
        assert!(!["s_load* s[6:7]", "valu s1", "dot4 v4", "hwreg(*)"].into_iter().any(is_used));
    }
}
