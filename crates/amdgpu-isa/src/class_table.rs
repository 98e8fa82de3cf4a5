//! The one table of classes, and which mnemonics belong to them. `build.rs` reads this file, too: it packs
//! the classes of all mnemonics.

/// A class of instructions.
#[derive(Debug, PartialEq, Eq)]
pub struct Class {
    /// Its name, for `--isa-class` and reports.
    pub id: &'static str,
    /// What it stands for.
    pub title: &'static str,
    /// Which mnemonics belong to it.
    pub patterns: &'static [&'static str],
    /// Which of these do not.
    pub except: &'static [&'static str],
}

macro_rules! classes {
    ($($id:literal $title:literal [$($pattern:literal)*] $(, except [$($except:literal)*])?)*) => {
        /// All classes, in the order of reports. The last six divide all instructions: each is in exactly one
        /// of them.
        pub static CLASSES: &[Class] = &[$(Class {
            id: $id,
            title: $title,
            patterns: &[$($pattern),*],
            except: &[$($($except),*)?],
        }),*];
    };
}

classes! {
    "dot" "dot products" ["v_dot*"]
    "dot2" "dot products of 2 elements" ["v_dot2*"]
    "dot4" "dot products of 4 elements" ["v_dot4*"]
    "dot8" "dot products of 8 elements" ["v_dot8*"]
    "mfma" "matrix products (CDNA)" ["v_mfma*"]
    "smfmac" "sparse matrix products (CDNA)" ["v_smfmac*"]
    "wmma" "matrix products (RDNA)" ["v_wmma*"]
    "swmmac" "sparse matrix products (RDNA)" ["v_swmmac*"]
    "fma-mix" "fused multiply-add of mixed precision" ["v_fma_mix*" "v_mad_mix*"]
    "fma" "fused multiply-add" ["v_fma_*" "v_fmaak*" "v_fmamk*" "v_pk_fma_*" "s_fma*" "v_div_fmas*"], except ["s_fmac*"]
    "fmac" "fused multiply-accumulate" ["v_fmac*" "v_pk_fmac*" "s_fmac*"]
    "mad" "multiply-add" ["v_mad_*" "v_madak*" "v_madmk*" "v_pk_mad*"]
    "mac" "multiply-accumulate" ["v_mac_*"]
    "packed" "packed arithmetic" ["v_pk_*"]
    "dual" "dual issue" ["v_dual_*"]
    "convert" "conversions" ["v_cvt_*" "s_cvt_*"]
    "convert-fp8" "conversions from and to 8-bit floats" ["v_cvt_*fp8*" "v_cvt_*bf8*"]
    "convert-fp4" "conversions from and to 4- and 6-bit floats" ["v_cvt_*fp4*" "v_cvt_*fp6*" "v_cvt_*bf6*"]
    "transcendental" "transcendental functions"
        ["v_exp_*" "v_log_*" "v_rcp_*" "v_rsq_*" "v_sqrt_*" "v_sin_*" "v_cos_*" "v_tanh_*" "v_s_exp*" "v_s_log*"
         "v_s_rcp*" "v_s_rsq*" "v_s_sqrt*"]
    "dpp" "data-parallel operands" ["*_dpp"]
    "sdwa" "sub-dword operands" ["*_sdwa"]
    "cross-lane" "data between lanes"
        ["v_readlane*" "v_readfirstlane*" "v_writelane*" "v_permlane*" "ds_permute*" "ds_bpermute*" "ds_swizzle*"]
    "global-load" "loads from global memory" ["global_load*"]
    "global-store" "stores to global memory" ["global_store*"]
    "flat-load" "loads from flat addresses" ["flat_load*"]
    "flat-store" "stores to flat addresses" ["flat_store*"]
    "buffer-load" "loads from buffers" ["buffer_load*" "tbuffer_load*"]
    "buffer-store" "stores to buffers" ["buffer_store*" "tbuffer_store*"]
    "scratch-load" "loads from scratch" ["scratch_load*"]
    "scratch-store" "stores to scratch" ["scratch_store*"]
    "lds-load" "loads from LDS" ["ds_read*" "ds_load*" "ds_consume" "lds_direct_load*" "lds_param_load*" "ds_direct_load*"
         "ds_param_load*"]
    "lds-store" "stores to LDS" ["ds_write*" "ds_store*" "ds_append"]
    "scalar-load" "scalar loads" ["s_load*" "s_buffer_load*" "s_scratch_load*"]
    "image" "images" ["image_*"]
    "atomic" "atomic operations"
        ["*_atomic_*" "ds_add*" "ds_sub*" "ds_rsub*" "ds_inc*" "ds_dec*" "ds_min*" "ds_max*" "ds_and*" "ds_or*"
         "ds_xor*" "ds_mskor*" "ds_cmpst*" "ds_cmpstore*" "ds_wrxchg*" "ds_storexchg*" "ds_pk_add*" "ds_condxchg*"
         "ds_wrap*" "ds_cond_sub*"]
    "barrier" "barriers" ["s_barrier*"]
    "branch" "branches and calls"
        ["s_branch*" "s_cbranch*" "s_setpc*" "s_swappc*" "s_call*" "s_subvector_loop*" "s_rfe*" "s_swap_pc*"
         "s_set_pc*"]
    "wait" "waits" ["s_waitcnt*" "s_wait_*" "s_nop" "s_sleep*" "s_delay_alu"]
    "trap" "traps" ["s_trap*"]
    "end" "ends of a wavefront" ["s_endpgm*"]
    "export" "exports" ["exp" "export*"]
    "valu" "vector arithmetic, all" ["v_*"]
    "smem" "scalar memory, all"
        ["s_load*" "s_buffer_*" "s_store*" "s_scratch_*" "s_atomic*" "s_dcache*" "s_memtime" "s_memrealtime" "s_gl1_*"
         "s_prefetch*" "s_get_waveid*" "s_atc_probe*"]
    "salu" "scalar arithmetic and control, all" ["s_*"]
        , except ["s_load*" "s_buffer_*" "s_store*" "s_scratch_*" "s_atomic*" "s_dcache*" "s_memtime" "s_memrealtime" "s_gl1_*"
           "s_prefetch*" "s_get_waveid*" "s_atc_probe*"]
    "vmem" "vector memory, all"
        ["buffer_*" "tbuffer_*" "image_*" "global_*" "flat_*" "scratch_*" "tensor_*" "cluster_*"]
    "lds" "LDS, all" ["ds_*" "lds_*"]
    "other" "exports and all else" ["exp" "export*"]
}

/// A set of classes, one bit each.
pub type ClassSet = u64;

impl Class {
    fn has(&self, mnemonic: &str, base: &str) -> bool {
        let is_base = base.len() == mnemonic.len();
        let any =
            |patterns: &[&str]| patterns.iter().any(|p| matches(p, mnemonic) || !is_base && matches(p, base));
        any(self.patterns) && !any(self.except)
    }
}

/// The classes of a mnemonic.
pub fn classes_of(mnemonic: &str) -> ClassSet {
    let mut set = 0;
    for half in mnemonic.split(" :: ") {
        // v_dual_fmac_f32 is a fused multiply-accumulate too.
        let single = half.strip_prefix("v_dual_").map(|rest| alloc::format!("v_{rest}"));
        for name in [Some(half), single.as_deref()].into_iter().flatten() {
            let base = base(name);
            for (number, class) in CLASSES.iter().enumerate() {
                set |= u64::from(class.has(name, base)) << number;
            }
        }
    }
    set
}

/// A mnemonic without the suffix that names its encoding.
pub fn base(mnemonic: &str) -> &str {
    let mut base = mnemonic;
    for suffix in ["_dpp", "_sdwa", "_e64", "_e32"] {
        base = base.strip_suffix(suffix).unwrap_or(base);
    }
    base
}

/// Whether a pattern, in which `*` stands for any text, fits all of a text.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    // All mnemonics are asked about all patterns before anything is decoded: most differ in their first
    // bytes.
    let mut head = pattern.bytes().zip(text.bytes()).take_while(|(wanted, _)| *wanted != b'*');
    if head.any(|(wanted, own)| wanted != own) {
        return false;
    }
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|text| {
            rest.is_empty()
                || (0..=text.len()).any(|at| text.get(at..).is_some_and(|text| matches(rest, text)))
        }),
    }
}
