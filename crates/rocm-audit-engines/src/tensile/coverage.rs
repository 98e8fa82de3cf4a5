//! Which operations a library folder has tuned kernels for, per target.
//!
//! The names of the catalogs that a master catalog leads to say type and operation; whether a catalog leads
//! to any solution is read in it.
#![deny(clippy::indexing_slicing)]

use super::library::is_fallback;
use std::collections::BTreeMap;

/// How a target is served for one type and operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GemmService {
    /// Neither tuned kernels nor a fallback: the call returns `rocblas_status_not_implemented`.
    None,
    /// Kernels for every target, compiled from HIP source.
    Fallback,
    /// The same, and kernels for this target that only batches by arrays of pointers take.
    TunedForArrays,
    /// Kernels for this target.
    Tuned,
    /// Some of the kernels that catalogs lead to are not here: calls that choose one fail.
    SomeFail,
    /// The kernels that calls choose are not here: `rocblas_status_internal_error`.
    Fails,
    /// A catalog for it is named and missing or unreadable: calls end in a crash, whatever other catalogs
    /// exist.
    Missing,
}

impl GemmService {
    /// All, the best first.
    pub const ALL: [GemmService; 7] = [
        GemmService::Tuned,
        GemmService::TunedForArrays,
        GemmService::Fallback,
        GemmService::SomeFail,
        GemmService::None,
        GemmService::Fails,
        GemmService::Missing,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            GemmService::None => "none",
            GemmService::Fallback => "fallback",
            GemmService::TunedForArrays => "fallback; tuned for arrays of pointers only",
            GemmService::Tuned => "tuned",
            GemmService::SomeFail => "some sizes fail: kernels are missing",
            GemmService::Fails => "calls fail: kernels are missing",
            GemmService::Missing => "catalog missing",
        }
    }

    /// Whether calls that catalogs promise fail, or end the process.
    pub fn is_broken(self) -> bool {
        matches!(self, GemmService::SomeFail | GemmService::Fails | GemmService::Missing)
    }

    /// Whether every ordinary call gets a kernel.
    pub fn runs(self) -> bool {
        matches!(self, GemmService::Tuned | GemmService::TunedForArrays | GemmService::Fallback)
    }
}

/// Solutions that tables and trees lead to, and those of them whose kernel a code object has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KernelShare {
    /// Solutions.
    pub reached: u64,
    /// Those with a kernel.
    pub held: u64,
}

/// What a catalog leads to, for one device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chain {
    /// Solutions for matrices at a distance from each other: one product, or strided batches.
    pub plain: KernelShare,
    /// Solutions for batches by arrays of pointers.
    pub arrays: KernelShare,
}

impl Chain {
    /// Counts a solution that is reached.
    pub fn add(&mut self, plain: bool, arrays: bool, held: bool) {
        for (share, takes) in [(&mut self.plain, plain), (&mut self.arrays, arrays)] {
            share.reached += u64::from(takes);
            share.held += u64::from(takes && held);
        }
    }

    /// The worse of two devices of one processor.
    pub fn worse(self, other: Chain) -> Chain {
        let worse = |a: KernelShare, b: KernelShare| if b.held < a.held { b } else { a };
        Chain { plain: worse(self.plain, other.plain), arrays: worse(self.arrays, other.arrays) }
    }
}

/// What all catalogs of one operation lead to.
#[derive(Debug, Clone, Copy, Default)]
struct Links {
    is_missing: bool,
    own: Chain,
    fallback: Chain,
}

impl Links {
    /// What an ordinary call gets. A call asks the target's own catalog first, and where none of its
    /// solutions can do it, the fallback; a solution that was chosen and has no kernel fails the call,
    /// whatever else there is.
    fn served(&self) -> GemmService {
        #[derive(Clone, Copy)]
        enum HeldLevel {
            Nothing,
            All,
            Some,
            Lost,
        }
        let held = |share: KernelShare| match share {
            KernelShare { reached: 0, .. } => HeldLevel::Nothing,
            KernelShare { held: 0, .. } => HeldLevel::Lost,
            KernelShare { reached, held } if reached == held => HeldLevel::All,
            _ => HeldLevel::Some,
        };
        match (held(self.own.plain), held(self.fallback.plain)) {
            _ if self.is_missing => GemmService::Missing,
            (HeldLevel::Lost, _) | (HeldLevel::Nothing, HeldLevel::Lost) => GemmService::Fails,
            (HeldLevel::Some, _)
            | (HeldLevel::All, HeldLevel::Some | HeldLevel::Lost)
            | (HeldLevel::Nothing, HeldLevel::Some) => GemmService::SomeFail,
            (HeldLevel::All, HeldLevel::Nothing | HeldLevel::All) => GemmService::Tuned,
            (HeldLevel::Nothing, HeldLevel::All) if self.own.arrays.held > 0 => GemmService::TunedForArrays,
            (HeldLevel::Nothing, HeldLevel::All) => GemmService::Fallback,
            (HeldLevel::Nothing, HeldLevel::Nothing) => GemmService::None,
        }
    }
}

/// A type, as catalogs' names have it, and how the matrices enter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Operation {
    /// `SS`, `HH_HPA`, …
    pub type_name: String,
    /// `NN`, `NT`, `TC`, …
    pub transposes: String,
}

/// What one target gets.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    /// Per operation.
    pub served: BTreeMap<Operation, GemmService>,
    /// Catalogs of a variant that is only asked for by flag: `CUEfficiency`, `Fp16Alt`, `ExperimentalGrid`, …
    /// with their number.
    pub variants: BTreeMap<String, u64>,
    links: BTreeMap<Operation, Links>,
}

/// What follows the type where a catalog is only asked with a flag.
const VARIANTS: &[&str] = &["Fp16AltRnz", "Fp16Alt", "CUEfficiency", "ExperimentalGrid", "ExperimentalDTree"];

/// A catalog's name taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogName {
    /// What it is for.
    pub operation: Operation,
    /// The flag of the call that selects it.
    pub variant: Option<&'static str>,
}

impl CatalogName {
    /// Takes `TensileLibrary_…Type_<type>[_<variant>]_Contraction_l_<A>_<B>_Cijk_Dijk…` apart.
    pub fn parse(name: &str) -> Option<CatalogName> {
        let (_, rest) = name.split_once("_Type_")?;
        let (type_name, rest) = rest.split_once("_Contraction_l_")?;
        let mut indices = rest.split('_');
        let letter = |indices: &str, plain: &str| match indices {
            indices if indices == plain => Some('N'),
            indices if indices.ends_with('C') => Some('C'),
            indices if indices.len() == plain.len() => Some('T'),
            _ => None,
        };
        let a = letter(indices.next()?, "Ailk")?;
        let b = letter(indices.next()?, "Bljk")?;
        let variant = VARIANTS.iter().find(|variant| type_name.contains(*variant)).copied();
        let type_name = match variant {
            Some(variant) => type_name.replace(&format!("_{variant}"), ""),
            None => type_name.to_owned(),
        };
        Some(CatalogName { operation: Operation { type_name, transposes: format!("{a}{b}") }, variant })
    }
}

impl Coverage {
    /// Notes a catalog that the target's master catalog leads to, and what it leads to in turn; `None` where
    /// it is not there or cannot be read.
    pub fn add(&mut self, name: &str, chain: Option<Chain>) {
        let fallback = is_fallback(name);
        let Some(name) = CatalogName::parse(name) else { return };
        if let Some(variant) = name.variant {
            *self.variants.entry(variant.to_owned()).or_default() += 1;
            return;
        }
        let links = self.links.entry(name.operation.clone()).or_default();
        match (chain, fallback) {
            (None, _) => links.is_missing = true,
            (Some(chain), true) => links.fallback = chain,
            // Several catalogs of one operation differ in what else a call asks for.
            (Some(chain), false) => {
                let add = |a: KernelShare, b: KernelShare| KernelShare {
                    reached: a.reached + b.reached,
                    held: a.held + b.held,
                };
                links.own.plain = add(links.own.plain, chain.plain);
                links.own.arrays = add(links.own.arrays, chain.arrays);
            }
        }
        let served = links.served();
        self.served.insert(name.operation, served);
    }

    /// Number of operations of a type that are tuned, and of all.
    pub fn tuned(&self, type_name: &str) -> (u64, u64) {
        let of_type = self.served.iter().filter(|(operation, _)| operation.type_name == type_name);
        of_type.fold((0, 0), |(tuned, all), (_, served)| {
            (tuned + u64::from(*served == GemmService::Tuned), all + 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_real_catalogs_say_what_they_are_for() {
        let read = |name: &str| {
            let name = CatalogName::parse(name)?;
            Some((name.operation.type_name, name.operation.transposes, name.variant))
        };
        let some = |ty: &str, trans: &str, variant| Some((ty.to_owned(), trans.to_owned(), variant));
        let stem = "TensileLibrary_Type";
        assert_eq!(
            read(&format!("{stem}_SS_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx900")),
            some("SS", "NN", None)
        );
        assert_eq!(
            read(&format!("{stem}_ZZ_Contraction_l_AlikC_BjlkC_Cijk_Dijk_fallback")),
            some("ZZ", "CC", None)
        );
        assert_eq!(
            read(&format!("{stem}_HH_HPA_ExperimentalGrid_Contraction_l_Alik_Bjlk_Cijk_Dijk_gfx90a")),
            some("HH_HPA", "TT", Some("ExperimentalGrid"))
        );
        assert_eq!(
            read("TensileLibrary_HH_SH_HA_Bias_SAV_UA_Type_HS_HPA_Contraction_l_Alik_Bljk_Cijk_Dijk_gfx1201"),
            some("HS_HPA", "TN", None)
        );
        assert_eq!(read("TensileLibrary_lazy_gfx900"), None);
    }

    fn name(target: &str) -> String {
        format!("TensileLibrary_Type_DD_Contraction_l_Ailk_Bljk_Cijk_Dijk_{target}")
    }

    /// What a folder with these own and fallback catalogs serves: how many solutions each reaches and holds.
    fn served(own: Option<Chain>, fallback: Option<Chain>) -> GemmService {
        let mut coverage = Coverage::default();
        coverage.add(&name("gfx900"), own);
        coverage.add(&name("fallback"), fallback);
        *coverage.served.values().next().unwrap()
    }

    fn chain(plain: (u64, u64), arrays: (u64, u64)) -> Option<Chain> {
        let share = |(reached, held)| KernelShare { reached, held };
        Some(Chain { plain: share(plain), arrays: share(arrays) })
    }

    #[test]
    fn a_catalog_that_leads_nowhere_does_not_count_as_tuned() {
        assert_eq!(served(chain((0, 0), (0, 0)), chain((3, 3), (3, 3))), GemmService::Fallback);
        assert_eq!(served(chain((2, 2), (2, 2)), chain((3, 3), (3, 3))), GemmService::Tuned);
        assert_eq!(served(chain((0, 0), (0, 0)), chain((0, 0), (0, 0))), GemmService::None);
    }

    #[test]
    fn solutions_for_arrays_of_pointers_are_not_for_ordinary_calls() {
        assert_eq!(served(chain((0, 0), (15, 15)), chain((3, 3), (3, 3))), GemmService::TunedForArrays);
    }

    #[test]
    fn a_kernel_that_is_chosen_and_not_there_fails_the_call_whatever_else_there_is() {
        let all = chain((3, 3), (3, 3));
        assert_eq!(served(chain((2, 0), (2, 0)), all), GemmService::Fails);
        assert_eq!(served(chain((2, 1), (2, 1)), all), GemmService::SomeFail);
        assert_eq!(served(all, chain((3, 0), (3, 0))), GemmService::SomeFail);
        assert_eq!(served(chain((0, 0), (0, 0)), chain((3, 0), (3, 0))), GemmService::Fails);
        assert_eq!(served(None, all), GemmService::Missing);
        assert_eq!(served(all, None), GemmService::Missing);
    }
}
