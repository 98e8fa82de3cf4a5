//! Which operations a library folder has tuned kernels for, per target.
//!
//! The names of the catalogs that a master catalog leads to say type and operation; whether a catalog leads to any solution
//! is read in it.
#![deny(clippy::indexing_slicing)]

use super::library::is_fallback;
use std::collections::BTreeMap;

/// How a target is served for one type and operation. The order is from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Served {
    /// Neither tuned kernels nor a fallback: the call returns `rocblas_status_not_implemented`.
    None,
    /// Kernels for every target, compiled from HIP source.
    Fallback,
    /// Kernels for this target.
    Tuned,
    /// A catalog for it is named and missing or unreadable: calls end in a crash, whatever other catalogs exist.
    Missing,
}

impl Served {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Served::None => "none",
            Served::Fallback => "fallback",
            Served::Tuned => "tuned",
            Served::Missing => "catalog missing",
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
    pub served: BTreeMap<Operation, Served>,
    /// Catalogs of a variant that is only asked for by flag: `CUEfficiency`, `Fp16Alt`, `ExperimentalGrid`, … with their number.
    pub variants: BTreeMap<String, u64>,
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
    /// Notes a catalog that the target's master catalog leads to; `leads` says whether it leads to any solution, and is
    /// none where it is not there or cannot be read.
    pub fn add(&mut self, name: &str, leads: Option<bool>) {
        let fallback = is_fallback(name);
        let Some(name) = CatalogName::parse(name) else { return };
        if let Some(variant) = name.variant {
            *self.variants.entry(variant.to_owned()).or_default() += 1;
            return;
        }
        let served = match (leads, fallback) {
            (None, _) => Served::Missing,
            (Some(false), _) => Served::None,
            (Some(true), true) => Served::Fallback,
            (Some(true), false) => Served::Tuned,
        };
        let known = self.served.entry(name.operation).or_insert(Served::None);
        *known = (*known).max(served);
    }

    /// Number of operations of a type that are tuned, and of all.
    pub fn tuned(&self, type_name: &str) -> (u64, u64) {
        let of_type = self.served.iter().filter(|(operation, _)| operation.type_name == type_name);
        of_type
            .fold((0, 0), |(tuned, all), (_, served)| (tuned + u64::from(*served == Served::Tuned), all + 1))
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

    #[test]
    fn a_catalog_that_leads_nowhere_does_not_count_as_tuned() {
        let mut coverage = Coverage::default();
        let name =
            |target: &str| format!("TensileLibrary_Type_DD_Contraction_l_Ailk_Bljk_Cijk_Dijk_{target}");
        coverage.add(&name("gfx803"), Some(false));
        coverage.add(&name("fallback"), Some(true));
        assert_eq!(coverage.served.values().collect::<Vec<_>>(), [&Served::Fallback]);
        assert_eq!(coverage.tuned("DD"), (0, 1));
    }
}
