//! What a processor has by LLVM's description: features and mnemonics.
#![deny(clippy::indexing_slicing)]

use super::class::{self, ClassSet};
use super::other_names::is_other_name;
use super::table::{Families, TABLES, rules};
use alloc::collections::{BTreeMap, BTreeSet};

/// The processors, and all features with LLVM's words for them, sorted; as `build.rs` packs them.
mod packed {
    use super::Isa;

    include!(concat!(env!("OUT_DIR"), "/processors.rs"));
}

/// A processor that the tables know.
#[derive(Debug)]
pub struct Isa {
    /// Its name.
    pub name: &'static str,
    family: usize,
    /// `e_flags & 0xff` of its code objects.
    pub mach: u8,
    /// The numbers of its features, sorted.
    features: &'static [u16],
}

/// The vector registers of a SIMD unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorRegisters {
    /// Registers for each lane of a wave.
    pub total: u32,
    /// Registers are given to waves in multiples of that many.
    pub granule: u32,
}

/// All processors that the tables know, in their order.
pub fn all() -> &'static [Isa] {
    &packed::PROCESSORS
}

/// The LLVM that the tables were generated from, such as `LLVM 22.1.8`.
pub fn source() -> &'static str {
    let line = include_str!("tables/processors.tsv").lines().next().unwrap_or_default();
    let version = line.split("LLVM ").nth(1).and_then(|rest| rest.split(' ').next());
    version
        .and_then(|version| line.find(version).and_then(|at| line.get(at - 5..at + version.len())))
        .unwrap_or("LLVM")
}

/// LLVM's own words for a feature.
pub fn description(feature: &str) -> &'static str {
    number_of_feature(feature).and_then(|at| packed::FEATURES.get(at)).map_or("", |(_, text)| text)
}

fn number_of_feature(name: &str) -> Option<usize> {
    packed::FEATURES.binary_search_by_key(&name, |(name, _)| name).ok()
}

impl Isa {
    /// Its features, by LLVM's names, sorted.
    pub fn features(&self) -> impl Iterator<Item = &'static str> + Clone {
        let named = self.features.iter().filter_map(|number| packed::FEATURES.get(usize::from(*number)));
        named.map(|(name, _)| *name)
    }

    /// Whether it has a feature, by LLVM's name.
    pub fn has(&self, feature: &str) -> bool {
        let number = number_of_feature(feature).and_then(|number| u16::try_from(number).ok());
        number.is_some_and(|number| self.features.binary_search(&number).is_ok())
    }

    /// Its vector registers for waves of 32 or 64 lanes; `None` if it has no waves of that width.
    ///
    /// Source: LLVM 22.1.8, `AMDGPUBaseInfo.cpp` (`getTotalNumVGPRs`, `getVGPRAllocGranule`).
    pub fn vector_registers(&self, lanes: u32) -> Option<VectorRegisters> {
        let has = |feature: &str| self.has(feature);
        let gfx10 = has("gfx10-insts");
        let is_there = match lanes {
            32 => gfx10,
            64 => !has("gfx1250-insts"),
            _ => false,
        };
        let halved = |number: u32| if lanes == 64 { number / 2 } else { number };
        let (total, granule) = match () {
            () if has("gfx90a-insts") => (512, 8),
            () if !gfx10 => (256, 4),
            () if has("allocate1_5xvgprs") => (halved(1536), halved(24)),
            () if has("gfx10-3-insts") => (halved(1024), halved(16)),
            () => (halved(1024), halved(8)),
        };
        is_there.then_some(VectorRegisters { total, granule })
    }

    /// Bytes of LDS that one work-group can have, from the feature of LLVM that names them.
    pub fn addressable_lds(&self) -> Option<u32> {
        self.features().find_map(|feature| feature.strip_prefix("addressablelocalmemorysize")?.parse().ok())
    }

    /// The processor of a name.
    pub fn by_name(name: &str) -> Option<&'static Isa> {
        all().iter().find(|isa| isa.name == name)
    }

    /// The processors whose instructions are the same in every bit, this one among them.
    pub fn family(&self) -> &'static [&'static str] {
        TABLES.families.get(self.family).map_or(&[], |family| family.processors)
    }

    /// Whether vector registers in a row, as for a number of 64 bits, have to begin with an even one.
    pub fn wants_even_tuples(&self) -> bool {
        self.has(super::tuples::EVEN)
    }

    fn bit(&self) -> Families {
        1 << self.family
    }

    /// The numbers of its mnemonics, sorted.
    pub fn mnemonics(&self) -> BTreeSet<u16> {
        rules(self.bit()).map(|rule| rule.mnemonic).collect()
    }

    /// The classes that have an instruction on this processor.
    pub fn classes(&self) -> ClassSet {
        rules(self.bit()).fold(0, |all, rule| all | class::classes_of_number(rule.mnemonic))
    }

    /// Encodings that are one instruction for this processor and another for `other`: pairs of mnemonics,
    /// each pair once. One that only has another name there is the same.
    pub fn renamed(&self, other: &Isa) -> BTreeSet<(u16, u16)> {
        let theirs: BTreeMap<(u8, u128, u128), BTreeSet<u16>> =
            rules(other.bit()).fold(BTreeMap::new(), |mut all, rule| {
                all.entry((rule.bytes, rule.mask, rule.value)).or_default().insert(rule.mnemonic);
                all
            });
        let mut pairs = BTreeSet::new();
        for rule in rules(self.bit()) {
            let there = theirs.get(&(rule.bytes, rule.mask, rule.value));
            let is_other = |name: &&u16| !is_other_name(**name, rule.mnemonic);
            for name in there.into_iter().flatten().filter(is_other) {
                pairs.insert((rule.mnemonic, *name));
            }
        }
        pairs
    }

    /// Mnemonics that both have, but with no encoding in common.
    pub fn moved(&self, other: &Isa) -> BTreeSet<u16> {
        let both = self.bit() | other.bit();
        let mut names: BTreeMap<u16, (Families, bool)> = BTreeMap::new();
        for rule in rules(both) {
            let (seen, shared) = names.entry(rule.mnemonic).or_default();
            *seen |= rule.families & both;
            *shared |= rule.families & both == both;
        }
        let moved = names.into_iter().filter(|(_, (seen, shared))| *seen == both && !shared);
        moved.map(|(name, _)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn documented_instructions_are_on_the_right_processors() {
        let has = |processor: &str, mnemonic: &str| {
            let numbers = Isa::by_name(processor).unwrap().mnemonics();
            numbers.iter().any(|n| super::super::mnemonic(*n) == mnemonic)
        };
        assert!(!has("gfx900", "v_dot4_i32_i8") && has("gfx906", "v_dot4_i32_i8"));
        assert!(!has("gfx906", "v_mfma_f32_32x32x1f32") && has("gfx908", "v_mfma_f32_32x32x1f32"));
        assert!(has("gfx900", "v_mad_mix_f32") && has("gfx906", "v_fma_mix_f32"));
        assert!(has("gfx1100", "v_wmma_f32_16x16x16_f16") && !has("gfx1030", "v_wmma_f32_16x16x16_f16"));
    }

    #[test]
    fn encodings_with_another_meaning_are_found() {
        let (a, b) = (Isa::by_name("gfx900").unwrap(), Isa::by_name("gfx906").unwrap());
        let names: Vec<_> = a
            .renamed(b)
            .into_iter()
            .map(|(x, y)| (super::super::mnemonic(x), super::super::mnemonic(y)))
            .collect();
        assert_eq!(
            names,
            [
                ("v_mad_mix_f32", "v_fma_mix_f32"),
                ("v_mad_mixhi_f16", "v_fma_mixhi_f16"),
                ("v_mad_mixlo_f16", "v_fma_mixlo_f16")
            ]
        );
        assert!(a.moved(b).is_empty());
        assert!(source().starts_with("LLVM 2"), "{}", source());
    }
}
