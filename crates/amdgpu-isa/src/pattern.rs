//! Patterns of instructions: a class or mnemonic, and words that stand among the operands.
#![deny(clippy::indexing_slicing)]

use super::class::MnemonicSet;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What instructions are looked for: by class or mnemonic (`mfma`, `v_dot4*`), by an operand
/// (`hwreg(HW_REG_MODE)`), or by both (`s_setreg hwreg(HW_REG_MODE)`, `global_load* sc1`). `*` stands for any
/// text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionPattern {
    /// None means every mnemonic.
    mnemonics: Option<MnemonicSet>,
    /// Words that all have to be among the operands.
    operands: Vec<String>,
}

impl InstructionPattern {
    /// The instructions that a text means; nothing where no class and no mnemonic is called so.
    ///
    /// ```
    /// use amdgpu_isa::{Decoder, InstructionPattern, Mode};
    ///
    /// // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
    /// let bytes = [0x01, 0x09, 0x00, 0xba, 3, 0, 0, 0];
    /// let decoder = Decoder::for_processor("gfx906", Mode::Correct).ok_or("the tables do not know gfx906")?;
    /// let one = decoder.instruction(&bytes).ok_or("no instruction")?;
    /// for text in ["s_setreg", "hwreg(HW_REG_MODE)", "s_setreg* hwreg(HW_REG_MODE)"] {
    ///     let pattern = InstructionPattern::from_text(text).ok_or("no such instruction")?;
    ///     assert!(pattern.has_mnemonic(one.mnemonic_number()) && pattern.has_operands(&one.to_string()));
    /// }
    /// assert!(InstructionPattern::from_text("v_banana").is_none());
    /// # Ok::<(), &str>(())
    /// ```
    pub fn from_text(text: &str) -> Option<InstructionPattern> {
        let mut words = text.split_whitespace().peekable();
        let first = *words.peek()?;
        // A character that no mnemonic has shows that an operand was written alone.
        let mnemonics = match first.contains(['(', ':']) {
            true => None,
            false => {
                words.next();
                let family = || MnemonicSet::from_pattern(&format!("{first}_*"));
                Some(MnemonicSet::from_pattern(first).or_else(family)?)
            }
        };
        // More may stand behind the first word in parentheses: `hwreg(HW_REG_MODE, 0, 4)`.
        let operands = words.map(|word| word.strip_suffix(')').unwrap_or(word).to_owned()).collect();
        Some(InstructionPattern { mnemonics, operands })
    }

    /// Whether an instruction with the mnemonic of this number can be meant.
    pub fn has_mnemonic(&self, number: u16) -> bool {
        self.mnemonics.as_ref().is_none_or(|set| set.has(number))
    }

    /// Whether its mnemonic alone does not say whether an instruction is meant.
    pub fn needs_operands(&self) -> bool {
        !self.operands.is_empty()
    }

    /// Whether the operands that are asked for stand in the text of an instruction.
    pub fn has_operands(&self, text: &str) -> bool {
        let operands = text.split_once(' ').map_or("", |(_, operands)| operands);
        self.operands.iter().all(|word| stands_in(word, operands))
    }
}

/// Whether a word stands in a text, not inside of another word.
fn stands_in(word: &str, text: &str) -> bool {
    let starts = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        before.is_none_or(|c| " ,[|-(".contains(c))
    };
    text.char_indices().any(|(at, _)| starts(at) && text.get(at..).is_some_and(|rest| begins(word, rest)))
}

/// Whether a text begins with a word, in which `*` stands for any text without a comma.
fn begins(word: &str, text: &str) -> bool {
    match word.split_once('*') {
        None => text.strip_prefix(word).is_some_and(|rest| {
            rest.chars().next().is_none_or(|c| " ,]|)".contains(c)) || word.ends_with(['(', ':'])
        }),
        Some((head, tail)) => text.strip_prefix(head).is_some_and(|rest| {
            let most = rest.find(',').unwrap_or(rest.len());
            tail.is_empty() || (0..=most).any(|at| rest.get(at..).is_some_and(|rest| begins(tail, rest)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_alone_among_operands() {
        let has =
            |pattern: &str, text: &str| InstructionPattern::from_text(pattern).unwrap().has_operands(text);
        assert!(has("hwreg(HW_REG_MODE)", "s_setreg_b32 hwreg(HW_REG_MODE), s0"));
        assert!(has("hwreg(HW_REG_MODE)", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0"));
        assert!(has("hwreg(*)", "s_getreg_b32 s0, hwreg(HW_REG_HW_ID)"));
        assert!(!has("hwreg(HW_REG_MODE)", "s_setreg_b32 hwreg(HW_REG_MODE2), s0"));
        assert!(has("valu v1", "v_mov_b32_e32 v0, -|v1|") && !has("valu v1", "v_mov_b32_e32 v0, v10"));
        assert!(has("global_load* sc0 sc1", "global_load_dword v0, v[2:3], off sc0 sc1"));
        assert!(!has("global_load* sc0 sc1", "global_load_dword v0, v[2:3], off sc0"));
        assert!(has("vmem scope:SCOPE_*", "global_load_b32 v0, v[2:3], off scope:SCOPE_SYS"));
        assert!(has("valu v[4:*", "v_add_f64 v[4:5], v[2:3], 1.0"));
    }

    #[test]
    fn a_family_is_called_by_its_beginning() {
        let pattern = InstructionPattern::from_text("s_setreg").unwrap();
        let named: Vec<&str> =
            (0..).zip(crate::mnemonics()).filter(|(n, _)| pattern.has_mnemonic(*n)).map(|(_, m)| m).collect();
        assert_eq!(named, ["s_setreg_b32", "s_setreg_imm32_b32"]);
        assert!(!pattern.needs_operands() && InstructionPattern::from_text("v_banana*").is_none());
    }
}
