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

/// Other names that gfx12 has for instructions of gfx11, and gfx1250 for those of gfx1201, with the same bits and the
/// same operands in waves of 32 lanes.
///
/// LLVM's assembler takes the older ones for it as well (SOPInstructions.td, DSInstructions.td, FLATInstructions.td).
const RENAMED: [(&str, &str); 30] = [
    ("ds_max_f32", "ds_max_num_f32"),
    ("ds_max_f64", "ds_max_num_f64"),
    ("ds_max_rtn_f32", "ds_max_num_rtn_f32"),
    ("ds_max_rtn_f64", "ds_max_num_rtn_f64"),
    ("ds_min_f32", "ds_min_num_f32"),
    ("ds_min_f64", "ds_min_num_f64"),
    ("ds_min_rtn_f32", "ds_min_num_rtn_f32"),
    ("ds_min_rtn_f64", "ds_min_num_rtn_f64"),
    ("exp", "export"),
    ("s_add_i32", "s_add_co_i32"),
    ("s_add_u32", "s_add_co_u32"),
    ("s_addc_u32", "s_add_co_ci_u32"),
    ("s_addk_i32", "s_addk_co_i32"),
    ("s_max_f16", "s_max_num_f16"),
    ("s_max_f32", "s_max_num_f32"),
    ("s_min_f16", "s_min_num_f16"),
    ("s_min_f32", "s_min_num_f32"),
    ("s_sub_i32", "s_sub_co_i32"),
    ("s_sub_u32", "s_sub_co_u32"),
    ("s_subb_u32", "s_sub_co_ci_u32"),
    ("s_waitcnt_depctr", "s_wait_alu"),
    ("v_mad_i64_i32", "v_mad_co_i64_i32"),
    ("v_mad_u64_u32", "v_mad_co_u64_u32"),
    ("s_getpc_b64", "s_get_pc_i64"),
    ("s_setpc_b64", "s_set_pc_i64"),
    ("s_swappc_b64", "s_swap_pc_i64"),
    ("s_rfe_b64", "s_rfe_i64"),
    ("s_call_b64", "s_call_i64"),
    ("global_load_tr_b128", "global_load_tr16_b128"),
    ("global_load_tr_b64", "global_load_tr8_b64"),
];

/// Whether two mnemonics name the same instruction.
pub fn is_other_name(one: u16, other: u16) -> bool {
    let is_renamed = || {
        let (one, other) = (super::mnemonic(one), super::mnemonic(other));
        RENAMED.iter().any(|pair| *pair == (one, other) || *pair == (other, one))
    };
    one == other || is_renamed() || plain_name(one).is_some_and(|own| plain_name(other) == Some(own))
}

#[cfg(test)]
mod tests {
    use super::super::legality::Legality;
    use super::super::{Decoder, Mode};
    use alloc::vec::Vec;

    /// Whether the words of an instruction are the same one on both processors, each way.
    fn assert_same(words: &[u32], processors: [&str; 2]) {
        let text: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let decoder = |name: &str| Decoder::for_processor(name, Mode::Correct).unwrap();
        let [one, two] = processors;
        for (own, other) in [(one, two), (two, one)] {
            let mut legality = Legality::new(decoder(own), decoder(other), &text);
            legality.add(0..text.len(), &|_| None);
            let absent = legality.into_absent();
            assert_eq!(absent.rows().count(), 0, "{words:08x?} of {own} on {other}: {absent:?}");
        }
    }

    /// LLVM 22's llvm-mc makes these bytes of the older names for both.
    #[test]
    fn gfx12_has_other_names_for_sums() {
        // s_add_u32, s_addc_u32, s_sub_u32, s_subb_u32, s_add_i32 and s_sub_i32 s0, s1, s2; s_addk_i32 s0, 0x64.
        for word in
            [0x8000_0201u32, 0x8200_0201, 0x8080_0201, 0x8280_0201, 0x8100_0201, 0x8180_0201, 0xb780_0064]
        {
            assert_same(&[word], ["gfx1100", "gfx1201"]);
        }
        // v_mad_u64_u32 and v_mad_i64_i32 v[4:5], s2, v1, v2, v[6:7]; ds_max_f32 v1, v2.
        assert_same(&[0xd6fe_0204, 0x041a_0501], ["gfx1100", "gfx1201"]);
        assert_same(&[0xd6ff_0204, 0x041a_0501], ["gfx1100", "gfx1201"]);
        assert_same(&[0xd84c_0000, 0x0000_0201], ["gfx1100", "gfx1201"]);
    }

    /// LLVM 22's llvm-mc makes the same bytes of the older names for gfx1250; its llvm-objdump writes the newer
    /// ones.
    #[test]
    fn gfx1250_has_other_names_for_the_program_counter() {
        let words: [&[u32]; 6] = [
            // s_getpc_b64 s[0:1], s_setpc_b64 s[0:1], s_swappc_b64 s[0:1], s[2:3], s_call_b64 s[0:1], 4
            &[0xbe80_4700],
            &[0xbe80_4800],
            &[0xbe80_4902],
            &[0xba00_0004],
            // global_load_tr_b128 v[0:3], v[4:5], off, global_load_tr_b64 v[0:1], v[4:5], off
            &[0xee15_c07c, 0, 4],
            &[0xee16_007c, 0, 4],
        ];
        for words in words {
            assert_same(words, ["gfx1201", "gfx1250"]);
        }
    }
}
