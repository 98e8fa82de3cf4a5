//! Mnemonics that are the same instruction under another name.

use alloc::string::String;

/// The name of a matrix product without what LLVM writes in it from gfx942 on; `None` for other instructions.
///
/// LLVM takes the old names as well: `v_mfma_f32_32x32x4bf16_1k` is `v_mfma_f32_32x32x4_2b_bf16`
/// (VOP3PInstructions.td).
pub fn plain_name(mnemonic: u16) -> Option<String> {
    let name = super::mnemonic(mnemonic).strip_prefix("v_mfma_")?;
    let rest = name.strip_suffix("_1k").unwrap_or(name);
    let is_blocks = |word: &&str| {
        word.strip_suffix('b')
            .is_some_and(|count| !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit()))
    };
    Some(rest.split('_').filter(|word| !is_blocks(word)).collect())
}

/// Whether two mnemonics name the same instruction.
pub fn is_other_name(one: u16, other: u16) -> bool {
    one == other || plain_name(one).is_some_and(|own| plain_name(other) == Some(own))
}
