//! What to take for right where LLVM and the manuals differ.

/// How to decode words on which LLVM 22's disassembler is known to be wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// As the ISA manuals define them.
    #[default]
    Correct,
    /// As LLVM 22 does, for comparison with it: where instructions end, and in texts where its list of
    /// operands is out of step (lanes of `dpp8`, `dpp_ctrl`, constants of `v_fmaak*` and of
    /// `v_fmac_*_e64_dpp`), where it writes a condition between bars (`v_cndmask_b32_dpp` of gfx12), and
    /// where it has no scalar registers of a width.
    LikeLlvm,
}
