//! Mnemonics that are the same instruction under another name.

/// Whether two mnemonics name the same instruction. LLVM calls matrix products otherwise from gfx942 on, and takes
/// the old names as well: `v_mfma_f32_32x32x4bf16_1k` is `v_mfma_f32_32x32x4_2b_bf16` (VOP3PInstructions.td).
pub fn is_other_name(one: u16, other: u16) -> bool {
    let plain = |number: u16| -> Option<String> {
        let name = super::mnemonic(number);
        let rest = name.strip_prefix("v_mfma_")?.strip_suffix("_1k").unwrap_or(name.strip_prefix("v_mfma_")?);
        let is_blocks = |word: &&str| {
            word.strip_suffix('b')
                .is_some_and(|count| !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit()))
        };
        Some(rest.split('_').filter(|word| !is_blocks(word)).collect())
    };
    one == other || plain(one).is_some_and(|own| plain(other) == Some(own))
}
