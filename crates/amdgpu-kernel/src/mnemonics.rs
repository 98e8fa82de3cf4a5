//! What a mnemonic alone says, looked up by its number: one table, made once.

use crate::mask::MaskKind;
use std::sync::OnceLock;

/// What an instruction does to the flow of control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FlowKind {
    /// The next follows.
    Next,
    /// To its target.
    Jump,
    /// To its target or to the next.
    Branch,
    /// To the address in a register.
    Away,
    /// Elsewhere; not followed.
    Leave,
    /// To the address in a register, and back.
    Call,
    /// To its target, and back.
    CallTo,
    /// The wave ends.
    End,
}

/// Properties that are kept of each instruction.
pub(crate) mod flag {
    /// It writes EXEC, VCC or scalar registers.
    pub(crate) const WRITES_SCALAR: u8 = 1;
    /// It writes EXEC.
    pub(crate) const WRITES_EXEC: u8 = 2;
    /// It can save or restore EXEC.
    pub(crate) const IS_MASK_STEP: u8 = 4;
    /// It keeps part of a vector register that it writes.
    pub(crate) const IS_PARTIAL: u8 = 8;
    /// It writes a lane whatever EXEC says.
    pub(crate) const IGNORES_EXEC: u8 = 16;
    /// It may mean other registers than it names.
    pub(crate) const IS_INDEXED: u8 = 32;
}

/// What a mnemonic says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MnemonicTraits {
    pub(crate) kind: FlowKind,
    pub(crate) mask: Option<MaskKind>,
    pub(crate) flags: u8,
}

const NOTHING: MnemonicTraits = MnemonicTraits { kind: FlowKind::Next, mask: None, flags: 0 };

/// The traits of all mnemonics, by their numbers.
pub(crate) fn traits() -> &'static [MnemonicTraits] {
    static ALL: OnceLock<Vec<MnemonicTraits>> = OnceLock::new();
    ALL.get_or_init(|| amdgpu_isa::mnemonics().map(of_name).collect())
}

/// Those of a mnemonic.
#[inline]
pub(crate) fn trait_of(traits: &[MnemonicTraits], number: u16) -> MnemonicTraits {
    traits.get(usize::from(number)).copied().unwrap_or(NOTHING)
}

fn of_name(name: &str) -> MnemonicTraits {
    let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    let loads_half = name.contains("_d16") && name.contains("load");
    let mut flags = 0;
    if loads_half {
        flags |= flag::IS_PARTIAL;
    }
    if name == "v_writelane_b32" {
        flags |= flag::IGNORES_EXEC;
    }
    if starts(&["s_set_gpr_idx", "v_movrel", "s_movrel", "s_set_vgpr_msb"]) {
        flags |= flag::IS_INDEXED;
    }
    MnemonicTraits { kind: kind(name), mask: MaskKind::from_mnemonic(name), flags }
}

fn kind(name: &str) -> FlowKind {
    match name {
        "s_branch" => FlowKind::Jump,
        "s_setpc_b64" | "s_set_pc_i64" => FlowKind::Away,
        "s_swappc_b64" | "s_swap_pc_i64" => FlowKind::Call,
        "s_call_b64" | "s_call_i64" => FlowKind::CallTo,
        "s_code_end" => FlowKind::End,
        _ if name.starts_with("s_endpgm") => FlowKind::End,
        _ if name.starts_with("s_rfe") => FlowKind::Leave,
        _ if name.starts_with("s_cbranch") && (name.contains("fork") || name.contains("join")) => {
            FlowKind::Leave
        }
        _ if name.starts_with("s_cbranch") || name.starts_with("s_subvector_loop") => FlowKind::Branch,
        _ => FlowKind::Next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The crate that knows the instructions says the same of each that it can branch with.
    #[test]
    fn every_branch_of_the_tables_is_known() {
        let of = |wanted: FlowKind| amdgpu_isa::mnemonics().filter(move |name| kind(name) == wanted).count();
        assert_eq!(of(FlowKind::Jump), 1);
        assert!(
            of(FlowKind::Branch) > 8
                && of(FlowKind::End) > 3
                && of(FlowKind::Away) > 0
                && of(FlowKind::Call) > 0
        );
        let (bit, _) = amdgpu_isa::class::Class::by_id("branch").unwrap();
        for (name, set) in amdgpu_isa::mnemonics().zip(amdgpu_isa::class::classes()) {
            let branches = !matches!(kind(name), FlowKind::Next | FlowKind::End);
            assert_eq!(branches, set >> bit & 1 == 1, "{name}");
        }
    }
}
