//! Classes of instructions: the one table that says which mnemonics belong together.
//!
//! A class is a list of patterns over mnemonics without their encoding suffix (`_e32`, `_e64`, `_dpp`,
//! `_sdwa`), in which `*` stands for any text. An instruction can be in several: `global_atomic_add_f32` is a
//! global access, an atomic and a vector memory instruction. Of a dual-issue pair both halves count.

mod packed {
    include!(concat!(env!("OUT_DIR"), "/classes.rs"));
}

#[path = "class_table.rs"]
mod class_table;

use alloc::vec::Vec;
use class_table::matches;
pub use class_table::{CLASSES, Class, ClassSet, base};

/// How many of the last classes divide all instructions.
pub const TOTALS: usize = 6;

/// The classes of a mnemonic, also of one that no instruction has.
pub fn classes_of(mnemonic: &str) -> ClassSet {
    match super::mnemonic_number(mnemonic) {
        Some(number) => classes_of_number(number),
        None => class_table::classes_of(mnemonic),
    }
}

/// The classes of all mnemonics, by their number: by the patterns of each class, which `build.rs` asked.
pub fn classes() -> &'static [ClassSet] {
    &packed::CLASSES_OF_MNEMONICS
}

/// The classes of the mnemonic of a number.
pub fn classes_of_number(number: u16) -> ClassSet {
    classes().get(usize::from(number)).copied().unwrap_or(0)
}

/// Mnemonics by their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MnemonicSet(Vec<bool>);

impl MnemonicSet {
    /// The mnemonics of a class (`mfma`), or those that a pattern fits (`v_dot4*`, `s_sleep`), with or
    /// without the suffix that names their encoding; nothing if there are none.
    pub fn from_pattern(class_or_pattern: &str) -> Option<Self> {
        let fits = |mnemonic: &&str| {
            mnemonic
                .split(" :: ")
                .any(|half| matches(class_or_pattern, half) || matches(class_or_pattern, base(half)))
        };
        let set: Vec<bool> = match Class::by_id(class_or_pattern) {
            Some((bit, _)) => classes().iter().map(|set| set >> bit & 1 == 1).collect(),
            None => super::mnemonics().map(|mnemonic| fits(&mnemonic)).collect(),
        };
        set.contains(&true).then_some(MnemonicSet(set))
    }

    /// Whether the mnemonic of a number is in it.
    pub fn has(&self, number: u16) -> bool {
        self.0.get(usize::from(number)).copied().unwrap_or(false)
    }
}

/// The ids of the classes of a set, in the order of the table.
pub fn ids(set: ClassSet) -> impl Iterator<Item = &'static str> {
    CLASSES.iter().enumerate().filter(move |(bit, _)| set >> bit & 1 == 1).map(|(_, class)| class.id)
}

impl Class {
    /// The class of a name.
    pub fn by_id(id: &str) -> Option<(usize, &'static Class)> {
        CLASSES.iter().enumerate().find(|(_, class)| class.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(mnemonic: &str) -> Vec<&'static str> {
        ids(class_table::classes_of(mnemonic)).collect()
    }

    #[test]
    fn the_packed_classes_are_those_of_the_patterns() {
        let all = super::super::mnemonics();
        assert_eq!(classes().len(), all.len());
        for (mnemonic, set) in all.zip(classes()) {
            assert_eq!(*set, class_table::classes_of(mnemonic), "{mnemonic}");
        }
    }

    #[test]
    fn sets_are_of_classes_and_patterns() {
        let numbers = |set: &MnemonicSet| {
            let all = super::super::mnemonics().enumerate();
            all.filter(|(number, _)| set.has(*number as u16)).map(|(_, name)| name).collect::<Vec<_>>()
        };
        let dot4 = numbers(&MnemonicSet::from_pattern("v_dot4*").unwrap());
        assert!(
            dot4.contains(&"v_dot4_i32_i8") && dot4.iter().all(|name| name.contains("v_dot4")),
            "{dot4:?}"
        );
        assert_eq!(dot4, numbers(&MnemonicSet::from_pattern("dot4").unwrap()));
        assert_eq!(numbers(&MnemonicSet::from_pattern("s_sleep").unwrap()), ["s_sleep"]);
        assert_eq!(MnemonicSet::from_pattern("v_banana*"), None);
    }

    #[test]
    fn mnemonics_are_in_the_classes_that_people_mean() {
        for (mnemonic, classes) in [
            ("v_dot4_i32_i8", &["dot", "dot4", "valu"][..]),
            ("v_dot2c_f32_f16_dpp", &["dot", "dot2", "dpp", "valu"]),
            ("v_mfma_f32_32x32x1f32", &["mfma", "valu"]),
            ("v_fma_mix_f32", &["fma-mix", "fma", "valu"]),
            ("v_fmac_f32_e32", &["fmac", "valu"]),
            ("v_pk_fma_f16", &["fma", "packed", "valu"]),
            ("v_dual_fmac_f32 :: v_dual_mov_b32", &["fmac", "dual", "valu"]),
            ("v_cvt_pk_fp8_f32", &["convert", "convert-fp8", "valu"]),
            ("v_rcp_f32_e32", &["transcendental", "valu"]),
            ("global_atomic_add_f32", &["atomic", "vmem"]),
            ("global_load_dwordx4", &["global-load", "vmem"]),
            ("ds_read_b128", &["lds-load", "lds"]),
            ("ds_add_rtn_u32", &["atomic", "lds"]),
            ("ds_bpermute_b32", &["cross-lane", "lds"]),
            ("s_load_dwordx2", &["scalar-load", "smem"]),
            ("s_endpgm", &["end", "salu"]),
            ("s_waitcnt", &["wait", "salu"]),
            ("exp", &["export", "other"]),
            ("s_fmac_f32", &["fmac", "salu"]),
        ] {
            assert_eq!(named(mnemonic), classes, "{mnemonic}");
        }
    }

    #[test]
    fn the_totals_divide_all_mnemonics() {
        assert!(CLASSES.len() <= 64);
        let totals = ((1u64 << TOTALS) - 1) << (CLASSES.len() - TOTALS);
        for (mnemonic, set) in super::super::mnemonics().zip(classes()) {
            assert_eq!((set & totals).count_ones(), 1, "{mnemonic}");
        }
    }

    #[test]
    fn every_class_has_members_and_every_pattern_fits_something() {
        for class in CLASSES {
            for pattern in class.patterns.iter().chain(class.except) {
                let fits =
                    |m: &&str| m.split(" :: ").any(|m| matches(pattern, m) || matches(pattern, base(m)));
                let found = super::super::mnemonics().find(fits);
                assert!(found.is_some(), "{}: {pattern}", class.id);
            }
        }
    }
}
