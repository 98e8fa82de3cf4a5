//! Where the tables differ, by our own hand, from what LLVM's description gives.

/// Processors that LLVM no longer has: name, the processor whose table it shares, its EF_AMDGPU_MACH value.
///
/// gfx940 and gfx941 were the engineering samples of gfx942 and were removed in LLVM 20; objects for them
/// exist.
pub const DROPPED: &[(&str, &str, &str)] = &[("gfx940", "gfx942", "040"), ("gfx941", "gfx942", "04b")];

/// Tables that LLVM tries for a processor to which they do not belong: the table, the feature of those where
/// it does.
///
/// LLVM 22 looks for `FeatureFmaMixInsts` alone before it tries the gfx9 table of `v_fma_mix*`, and so takes
/// the words 0xD3A0 to 0xD3A2 for them on gfx10 and later: unknown words there, on gfx12 VIMAGE words with an
/// illegal operand. Such rules are marked `L`.
pub const STRAY_TABLES: &[(&str, &str)] = &[("GFX9_DL64", "GFX9")];

/// Widths of an immediate that LLVM can take for a source where its list of operands is out of step.
///
/// In `v_fma_mixlo/mixhi_*_e64_dpp` and `v_cvt_pk_fp8/bf8_f32_e64_dpp` (gfx11 and later) `dpp_ctrl` lands at
/// a source's place, and its value 255 (`quad_perm:[3,3,3,3]`) for a literal; the next dword is then lost.
/// Such rules come twice: `L` with that field, `C` without it.
pub const MISREAD_WIDTHS: std::ops::RangeInclusive<u32> = 8..=12;

/// The feature of processors whose 16-bit instructions address halves of registers, and the one that makes
/// LLVM decode them so.
///
/// LLVM 22 sets the second for gfx11 alone; compilers from LLVM 23 on write halves for gfx12 and gfx1250 too,
/// where LLVM 22 then finds unknown words. Every processor with the first is read as LLVM 23 reads it, and
/// LLVM is asked with the second.
pub const TRUE16: &str = "FeatureTrue16BitInsts";
/// See [`TRUE16`].
pub const REAL_TRUE16: &str = "FeatureRealTrue16Insts";

/// The options that LLVM is asked with about a processor, so that it reads halves of registers on every
/// processor that has them.
pub fn options(processor: &str) -> &'static str {
    if processor.starts_with("gfx11") || processor.starts_with("gfx12") { "+real-true16" } else { "" }
}
