//! Families of kernels: the templates behind ggml's matrix products and attention.

use super::presence::{Index, Library};
use amdgpu_isa::body::Body;
use amdgpu_object::target::TargetId;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A family of kernels.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// Name of its template.
    pub template: &'static str,
    /// The route that launches it, or its purpose.
    pub purpose: &'static str,
    /// Whether it computes the product itself; otherwise it is a helper.
    pub is_main: bool,
}

const fn main(template: &'static str, purpose: &'static str) -> Family {
    Family { template, purpose, is_main: true }
}

const fn helper(template: &'static str, purpose: &'static str) -> Family {
    Family { template, purpose, is_main: false }
}

/// All families, in the order of reports.
pub static FAMILIES: [Family; 16] = [
    main("mul_mat_vec_q", "MMVQ"),
    main("mul_mat_vec_q_moe", "MMVQ-moe"),
    main("mul_mat_q", "MMQ"),
    main("mul_mat_f", "MMF"),
    main("mul_mat_f_ids", "MMF"),
    main("mul_mat_vec_f", "MMVF"),
    main("flash_attn_tile", "TILE"),
    main("flash_attn_ext_vec", "VEC"),
    main("flash_attn_ext_f16", "MMA"),
    helper("quantize_q8_1", "before MMVQ"),
    helper("quantize_mmq_q8_1", "before MMQ"),
    helper("mul_mat_q_stream_k_fixup", "after MMQ"),
    helper("rope_norm", "rotary positions"),
    helper("rope_neox", "rotary positions"),
    helper("rope_multi", "rotary positions"),
    helper("rope_vision", "rotary positions"),
];

/// The family of a kernel, given its name, mangled or not.
pub fn kernel_family(name: &str) -> Option<&'static Family> {
    let template = template(name)?;
    FAMILIES.iter().find(|family| family.template == template)
}

/// The name of a function without its arguments.
fn template(name: &str) -> Option<&str> {
    let Some(mangled) = name.strip_prefix("_Z") else {
        let name = name.strip_prefix("void ").unwrap_or(name);
        return name.split(['<', '(']).next();
    };
    let mangled = mangled.strip_prefix('L').unwrap_or(mangled);
    let digits = mangled.len() - mangled.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (length, rest) = mangled.split_at_checked(digits)?;
    rest.get(..length.parse().ok()?)
}

/// Kernels of a family by the kind of their bodies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FamilyTally {
    /// Number of all kernels.
    pub all: u64,
    /// Number of kernels that can run.
    pub real: u64,
    /// Number of kernels that only trap.
    pub stubs: u64,
}

/// The kernels of a target by family; those outside of families are under `None`.
pub type Tallies = BTreeMap<Option<&'static str>, FamilyTally>;

/// Counts the kernels of a library's targets that `wants` selects.
pub fn count_all(library: &Library, wants: &dyn Fn(&TargetId) -> bool) -> Vec<(TargetId, Tallies)> {
    let count_of = |target: TargetId| {
        let tallies = library.index(&target).map(|index| count(&index)).unwrap_or_default();
        (target, tallies)
    };
    let targets: Vec<TargetId> = library.targets().into_iter().filter(wants).collect();
    targets.into_par_iter().map(count_of).collect()
}

/// One family of a library, with the counts for each target.
#[derive(Debug, Clone)]
pub struct FamilyRow {
    /// The family; `None` for all other kernels.
    pub family: Option<&'static Family>,
    /// One tally for each target.
    pub tallies: Vec<FamilyTally>,
}

/// The kernels of a library by family and target.
#[derive(Debug, Clone)]
pub struct FamilyTable {
    /// The targets, in the order of tallies.
    pub targets: Vec<TargetId>,
    /// All families, then all other kernels.
    pub rows: Vec<FamilyRow>,
    /// All kernels of each target.
    pub total: Vec<FamilyTally>,
}

/// Judges every kernel of a library's targets that `wants` selects.
pub fn table(library: &Library, wants: &dyn Fn(&TargetId) -> bool) -> FamilyTable {
    let counts = count_all(library, wants);
    let row = |family: Option<&'static Family>| {
        let family_tally = |tallies: &Tallies| {
            tallies.get(&family.map(|family| family.template)).copied().unwrap_or_default()
        };
        FamilyRow { family, tallies: counts.iter().map(|(_, tallies)| family_tally(tallies)).collect() }
    };
    let sum = |tallies: &Tallies| {
        tallies.values().fold(FamilyTally::default(), |sum, tally| FamilyTally {
            all: sum.all + tally.all,
            real: sum.real + tally.real,
            stubs: sum.stubs + tally.stubs,
        })
    };
    FamilyTable {
        targets: counts.iter().map(|(target, _)| target.clone()).collect(),
        rows: FAMILIES.iter().map(Some).chain([None]).map(row).collect(),
        total: counts.iter().map(|(_, tallies)| sum(tallies)).collect(),
    }
}

/// Counts the kernels of a target by family; those outside of families are under `None`. Every body is
/// followed until its kind is clear.
pub fn count(index: &Index<'_>) -> Tallies {
    let kernels: Vec<_> = index.kernels().collect();
    let judged: Vec<(Option<&'static str>, Body)> = kernels
        .par_iter()
        .map(|symbol| {
            let family = symbol.name().and_then(kernel_family).map(|family| family.template);
            (family, index.body(symbol))
        })
        .collect();
    let mut tallies = Tallies::new();
    for (family, body) in judged {
        let tally = tallies.entry(family).or_default();
        tally.all += 1;
        match body {
            Body::TrapStub => tally.stubs += 1,
            _ => tally.real += 1,
        }
    }
    tallies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_by_mangled_and_written_names() {
        let purpose = |name: &str| kernel_family(name).map(|family| family.purpose);
        assert_eq!(purpose("_ZL13mul_mat_vec_qIL9ggml_type12ELi1ELb0ELb0ELb0EEvPKvS2_"), Some("MMVQ"));
        assert_eq!(purpose("_ZL17mul_mat_vec_q_moeIL9ggml_type12ELi2ELb0EEvPKvS2_"), Some("MMVQ-moe"));
        assert_eq!(
            purpose("void mul_mat_q<(ggml_type)12, 64, false, (ggml_prec)30>(char const*)"),
            Some("MMQ")
        );
        assert_eq!(purpose("rope_neox<float>(float const*)"), Some("rotary positions"));
        for other in ["_ZL7acc_f32PKfS0_Pflllllllll", "_Z", "_ZL99x", "_ZL13mül_mat_vec_q", "", "Cijk_Ailk"]
        {
            assert_eq!(kernel_family(other), None, "{other}");
        }
    }
}
