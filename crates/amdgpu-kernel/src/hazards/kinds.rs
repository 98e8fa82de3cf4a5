//! What an instruction is for hazards, by its mnemonic: one bit for each kind.

use amdgpu_isa::class::{Class, base, classes_of};
use std::sync::OnceLock;

/// Some kinds, one bit each.
pub(super) type Kinds = u64;

pub(super) const VALU: Kinds = 1;
pub(super) const SALU: Kinds = 1 << 1;
pub(super) const SMEM: Kinds = 1 << 2;
/// Vector memory, FLAT among it.
pub(super) const VMEM: Kinds = 1 << 3;
/// Memory of the work-group.
pub(super) const DS: Kinds = 1 << 4;
pub(super) const EXPORT: Kinds = 1 << 5;
pub(super) const DPP: Kinds = 1 << 6;
pub(super) const DIV_FMAS: Kinds = 1 << 7;
/// `v_readlane`, `v_writelane`: a lane that a scalar register names.
pub(super) const LANE: Kinds = 1 << 8;
/// `v_readlane`, `v_readfirstlane`.
pub(super) const READ_LANE: Kinds = 1 << 9;
pub(super) const SETREG: Kinds = 1 << 10;
pub(super) const GETREG: Kinds = 1 << 11;
/// Transcendental functions.
pub(super) const TRANS: Kinds = 1 << 12;
pub(super) const DOT: Kinds = 1 << 13;
/// Matrix products of CDNA.
pub(super) const MFMA: Kinds = 1 << 14;
pub(super) const ACC_READ: Kinds = 1 << 15;
pub(super) const ACC_WRITE: Kinds = 1 << 16;
/// Stores of more than 64 bits for each lane.
pub(super) const WIDE_STORE: Kinds = 1 << 17;
/// Messages and memory that all work-groups share.
pub(super) const MESSAGE: Kinds = 1 << 18;
/// What else can read M0: `s_movrel*`, interpolation, LDS by the number of the lane, loads to LDS.
pub(super) const READS_M0: Kinds = 1 << 19;
pub(super) const LANE_SWAP: Kinds = 1 << 20;
pub(super) const PERMLANE: Kinds = 1 << 21;
pub(super) const CMPX: Kinds = 1 << 22;
pub(super) const FMA64: Kinds = 1 << 23;
/// Can write a part of its result and shift it there.
pub(super) const PART: Kinds = 1 << 24;
pub(super) const NOP: Kinds = 1 << 25;
/// Matrix products of RDNA.
pub(super) const WMMA: Kinds = 1 << 27;
/// `s_waitcnt`, as one number.
pub(super) const WAITCNT: Kinds = 1 << 28;
/// `s_waitcnt_depctr`, `s_wait_alu`.
pub(super) const DEPCTR: Kinds = 1 << 29;
/// Scalar instructions that are no arithmetic: waits, branches, messages.
pub(super) const CONTROL: Kinds = 1 << 30;
/// Buffers alone.
pub(super) const BUFFER: Kinds = 1 << 31;
/// Scalar instructions that are no control.
pub(super) const SCALAR_WORK: Kinds = 1 << 32;
/// Vector instructions but `v_nop`.
pub(super) const VECTOR_WORK: Kinds = 1 << 33;
/// Images whose addresses are in registers anywhere.
pub(super) const IMAGE: Kinds = 1 << 34;
/// Atomic operations on floating-point numbers.
pub(super) const FLOAT_ATOMIC: Kinds = 1 << 35;
pub(super) const DENORM_MODE: Kinds = 1 << 36;

/// The kinds of all mnemonics, by their numbers.
pub(super) fn kinds() -> &'static [Kinds] {
    static ALL: OnceLock<Vec<Kinds>> = OnceLock::new();
    ALL.get_or_init(|| {
        let all = amdgpu_isa::mnemonics();
        all.map(|name| name.split(" :: ").fold(0, |kinds, half| kinds | of_name(half))).collect()
    })
}

fn of_name(name: &str) -> Kinds {
    let plain = base(name);
    let starts = |words: &[&str]| words.iter().any(|word| plain.starts_with(word));
    let is_memory =
        |class: &str| Class::by_id(class).is_some_and(|(bit, _)| classes_of(name) >> bit & 1 == 1);
    match () {
        () if starts(&["v_interp"]) => READS_M0,
        () if starts(&["v_"]) => vector(name, plain),
        () if is_memory("smem") => SMEM,
        () if starts(&["s_"]) => scalar(plain),
        () if starts(&["ds_"]) => match () {
            () if starts(&["ds_gws", "ds_ordered"]) => DS | MESSAGE,
            () if plain.contains("addtid") => DS | READS_M0,
            () => DS,
        },
        () if starts(&["exp"]) => EXPORT,
        () if starts(&["buffer_", "tbuffer_", "image_", "global_", "flat_", "scratch_"]) => memory(plain),
        () => 0,
    }
}

fn memory(name: &str) -> Kinds {
    let is_wide = |tail: &&str| name.ends_with(tail);
    let stores_wide = name.contains("store")
        && !name.starts_with("image_")
        && !name.contains("d16")
        && ["x3", "x4", "_xyz", "_xyzw", "_b96", "_b128"].iter().any(is_wide);
    let swaps_wide = name.contains("cmpswap_x2") && !name.starts_with("image_");
    let wide = if stores_wide || swaps_wide { WIDE_STORE } else { 0 };
    let to_lds = name.contains("load") && (name.contains("_lds_") || name.starts_with("buffer_load"));
    let is_buffer = name.starts_with("buffer_") || name.starts_with("tbuffer_");
    let floats = ["fmin", "fmax", "fcmpswap", "add_f", "min_f", "max_f"];
    let is_float = name.contains("atomic") && floats.iter().any(|word| name.contains(word));
    let sets = [
        (READS_M0, to_lds),
        (BUFFER, is_buffer),
        (IMAGE, name.starts_with("image_")),
        (FLOAT_ATOMIC, is_float),
    ];
    sets.iter().filter(|(_, is_so)| *is_so).fold(VMEM | wide, |all, (kind, _)| all | kind)
}

fn scalar(name: &str) -> Kinds {
    const CONTROLS: &[&str] = &[
        "s_nop",
        "s_wait",
        "s_branch",
        "s_cbranch",
        "s_barrier",
        "s_end",
        "s_sleep",
        "s_setprio",
        "s_sendmsg",
        "s_trap",
        "s_set_",
        "s_delay",
        "s_clause",
        "s_inst_pref",
        "s_icache",
        "s_dcache",
        "s_ttrace",
        "s_round",
        "s_denorm",
        "s_version",
        "s_code_end",
        "s_sethalt",
        "s_incperf",
        "s_decperf",
        "s_singleuse",
        "s_monitor",
    ];
    let is_control = CONTROLS.iter().any(|head| name.starts_with(head));
    let control = if is_control { CONTROL } else { SCALAR_WORK };
    let more = match name {
        "s_nop" => NOP,
        "s_waitcnt" => WAITCNT,
        "s_waitcnt_depctr" | "s_wait_alu" => DEPCTR,
        "s_sendmsg" | "s_sendmsghalt" | "s_ttracedata" => MESSAGE,
        "s_denorm_mode" => DENORM_MODE,
        "s_getreg_b32" => GETREG,
        _ if name.starts_with("s_setreg") => SETREG,
        _ if name.starts_with("s_movrel") => READS_M0,
        _ => 0,
    };
    SALU | control | more
}

fn vector(name: &str, plain: &str) -> Kinds {
    let starts = |words: &[&str]| words.iter().any(|word| plain.starts_with(word));
    let is_trans = Class::by_id("transcendental")
        .is_some_and(|(bit, _)| classes_of(name) >> bit & 1 == 1 && !plain.starts_with("v_s_"));
    let mut kinds = VALU;
    let mut set = |kind: Kinds, is_so: bool| kinds |= if is_so { kind } else { 0 };
    set(DPP, name.ends_with("_dpp"));
    set(PART, name.ends_with("_sdwa") || plain.contains("16") || plain.contains("8"));
    set(TRANS, is_trans);
    set(DIV_FMAS, starts(&["v_div_fmas"]));
    set(LANE, starts(&["v_readlane", "v_writelane"]));
    set(READ_LANE, starts(&["v_readlane", "v_readfirstlane"]));
    set(DOT, starts(&["v_dot"]));
    set(MFMA, starts(&["v_mfma", "v_smfmac"]) && !plain.contains("ld_scale"));
    set(WMMA, starts(&["v_wmma", "v_swmmac"]));
    set(ACC_READ, starts(&["v_accvgpr_read"]));
    set(ACC_WRITE, starts(&["v_accvgpr_write"]));
    set(LANE_SWAP, matches!(plain, "v_permlane16_swap_b32" | "v_permlane32_swap_b32"));
    set(PERMLANE, starts(&["v_permlane16_b32", "v_permlanex16", "v_permlane64", "v_permlane16_var"]));
    set(CMPX, starts(&["v_cmpx"]));
    set(FMA64, matches!(plain, "v_fma_f64" | "v_fmac_f64"));
    set(VECTOR_WORK, plain != "v_nop");
    kinds
}
