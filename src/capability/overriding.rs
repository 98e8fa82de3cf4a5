//! Overrides: what `HSA_OVERRIDE_GFX_VERSION` would make of code for other processors, and which files it is
//! needed for.

mod judgement;

pub use judgement::{Decoded, Difference, Judgement, Safety, sentence};

use super::coverage::{self, Coverage, LibraryRow};
use super::gemm::{GemmRow, types};
use super::library_part::{LibraryPart, LibraryParts, is_binary};
use super::tensile_chain;
use crate::engines::tensile::coverage::GemmService;
use crate::inventory::Inventory;
use crate::isa::processor::Isa;
use crate::scan::library_names::{self, Compiles};
use crate::target::{Family, GfxVersion, Processor, TargetId};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What `HSA_OVERRIDE_GFX_VERSION` could make of code for another processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// The processor whose code would be loaded.
    pub processor: String,
    /// The value of the variable: `10.3.0`.
    pub value: String,
    /// How the card differs from that processor.
    pub difference: Difference,
    /// Whether it is safe by the tables; what is in the code is for decoding to say.
    pub judgement: Judgement,
    /// What it brings.
    pub brings: Brings,
    /// Libraries' files that have code for it and none for the card: those that it is needed for.
    pub needed_by: Vec<String>,
    /// Libraries' files that have code for the card and none for it: with it they do not run.
    pub lost_by: Vec<String>,
}

/// What an override brings to the libraries that lack code for the card.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Brings {
    /// Libraries that run with it, and not, or not wholly, without.
    pub libraries: u64,
    /// Files that are helped.
    pub files: u64,
    /// Types of matrix products that the libraries' catalogs are tuned for.
    pub tuned_types: u64,
    /// Kernels that do more than trap.
    pub kernels: u64,
}

impl Override {
    /// Whether what is known speaks for it.
    pub fn is_legal(&self) -> bool {
        self.judgement.safety.is_legal()
    }

    /// Its place among others, the best first: what is legal, by the same features, by what it brings, by how
    /// little it loses.
    pub fn rank(&self) -> impl Ord + use<> {
        let differs = self.difference.starts.len() as u64 + self.difference.lacking;
        (
            self.judgement.safety,
            self.difference.features.len(),
            if self.is_legal() { 0 } else { differs },
            Reverse(self.brings),
            self.lost_by.len(),
        )
    }
}

/// What an override does to the code of a library.
#[derive(Debug)]
pub struct OverrideEffect<'a> {
    /// What the library has for the card.
    pub card: Coverage,
    /// What it has for the processor that is claimed.
    pub claimed: Coverage,
    /// Programs and shared libraries with code for the claimed processor and none for the card.
    pub helped: Vec<&'a str>,
    /// Those with code for both.
    pub with_both: Vec<&'a str>,
    /// Those with code for the card and none for the claimed processor.
    pub lost: Vec<&'a str>,
}

impl OverrideEffect<'_> {
    /// Whether something of the library has code for the claimed processor, and none for the card.
    pub fn is_helped(&self) -> bool {
        has_code(self.claimed) && (!has_code(self.card) || !self.helped.is_empty())
    }

    /// How much is helped, and how much is lost: files, or the library where its files are each for one
    /// target.
    pub fn weight(&self) -> (usize, usize) {
        let is_lost = has_code(self.card) && !has_code(self.claimed);
        (self.helped.len().max(self.is_helped().into()), self.lost.len().max(is_lost.into()))
    }
}

/// Whether there is code that was compiled for the processor.
fn has_code(coverage: Coverage) -> bool {
    coverage.runs() && coverage != Coverage::RunTime
}

/// What an override does to each library that has code for the card or for the claimed processor. Files of
/// Windows are left out, which has no such variable.
pub fn shares<'a>(
    inventory: &'a Inventory,
    card: &TargetId,
    claimed: &TargetId,
) -> KeyMap<LibraryPart<'a>, OverrideEffect<'a>> {
    let asked = [card.clone(), claimed.clone()];
    shares_of(
        inventory,
        &LibraryParts::from_inventory(inventory),
        [&card.processor, &claimed.processor],
        &asked,
    )
}

/// Libraries that programs ask for, with device code here, but none for any processor of a matrix.
pub fn without_code<'a>(inventory: &'a Inventory, matrix: &[LibraryRow<'_>]) -> Vec<LibraryPart<'a>> {
    let parts = LibraryParts::from_inventory(inventory);
    let has_code = |row: &&LibraryRow<'_>| row.cells.iter().any(|cell| cell.coverage != Coverage::Absent);
    let with_code: BTreeSet<&str> = matrix.iter().filter(has_code).map(|row| row.part.library).collect();
    let is_lacking = |library: &str| {
        library_names::role(library).decides()
            && library_names::compiles(library) == Compiles::Nothing
            && !with_code.contains(library)
    };
    let own = inventory.artifacts.iter().filter(|file| file.device.is_some() && is_lacking(&file.library));
    let all: BTreeSet<LibraryPart<'_>> = own.map(|file| parts.part(file)).collect();
    all.into_iter().collect()
}

/// The same, for code that loads on the target IDs that were asked for.
pub(super) fn shares_of<'a>(
    inventory: &'a Inventory,
    parts: &LibraryParts<'a>,
    [card, claimed]: [&str; 2],
    asked: &[TargetId],
) -> KeyMap<LibraryPart<'a>, OverrideEffect<'a>> {
    let processors = [card.to_owned(), claimed.to_owned()];
    let both = processors.iter().map(TargetId::bare).collect::<Vec<_>>();
    let folders = tensile_chain::folders(inventory, parts, &both);
    let rows = coverage::matrix(parts.of_linux(inventory), parts, &folders, &processors, asked);
    let share = |row: LibraryRow<'a>| {
        let [own, its] = &row.cells[..] else { return None };
        let share = OverrideEffect {
            card: own.coverage,
            claimed: its.coverage,
            helped: Vec::new(),
            with_both: Vec::new(),
            lost: Vec::new(),
        };
        Some((row.part, share))
    };
    let mut shares: KeyMap<LibraryPart<'a>, OverrideEffect<'a>> =
        rows.into_iter().filter_map(share).collect();
    for artifact in parts.of_linux(inventory).filter(|artifact| is_binary(artifact)) {
        let Some(share) = shares.get_mut(&parts.part(artifact)) else { continue };
        let has = |processor: &str| coverage::serves(artifact, processor, asked);
        match (has(card), has(claimed)) {
            (false, true) => share.helped.push(&artifact.shown),
            (true, true) => share.with_both.push(&artifact.shown),
            (true, false) => share.lost.push(&artifact.shown),
            (false, false) => {}
        }
    }
    shares
}

/// Kernels and tuned types that libraries of these names have for the one processor of a matrix.
pub(super) fn brings(libraries: &BTreeSet<&str>, matrix: &[LibraryRow<'_>], gemm: &[GemmRow<'_>]) -> Brings {
    let rows = matrix.iter().filter(|row| libraries.contains(row.part.library));
    let cells = rows.filter_map(|row| row.cells.first());
    let tuned = |row: &&GemmRow<'_>| libraries.contains(row.library);
    let types = gemm.iter().filter(tuned).map(|row| {
        types(&row.coverage).into_iter().filter(|ty| ty.count(GemmService::Tuned) > 0).count() as u64
    });
    Brings {
        kernels: cells.map(|cell| cell.kernels.saturating_sub(cell.trap_stubs)).sum(),
        tuned_types: types.sum(),
        ..Brings::default()
    }
}

/// Libraries that are here and compile kernels at run time, for the processor that is claimed then.
pub fn libraries_that_compile(inventory: &Inventory) -> BTreeSet<&str> {
    let shipped = inventory.artifacts.iter().map(|artifact| artifact.library.as_str());
    let all = shipped.chain(inventory.libraries_without_code.iter().map(|(library, _)| library.as_str()));
    all.filter(|library| library_names::compiles(library) != Compiles::Nothing).collect()
}

/// What the code of neighbours, of the same major version, would find on a processor; the most similar first.
pub fn overrides(processor: &str, here: &[&str]) -> Vec<Override> {
    let (Some(own), Some(version), Some(family)) = (
        Isa::by_name(processor),
        GfxVersion::from_name(processor),
        Processor::by_name(processor).map(|p| p.family()),
    ) else {
        return Vec::new();
    };
    // The variable is of a GPU, which a generic target is not.
    if family == Family::Generic {
        return Vec::new();
    }
    // Accelerators and graphics chips of one major version have little in common.
    let is_cdna =
        |family: Family| matches!(family, Family::Cdna1 | Family::Cdna2 | Family::Cdna3 | Family::Cdna4);
    let neighbour = |other: &&&str| {
        let known = Processor::by_name(other).filter(|p| p.family() != Family::Generic);
        **other != processor
            && known.is_some_and(|p| is_cdna(p.family()) == is_cdna(family))
            && GfxVersion::from_name(other).is_some_and(|v| v.major == version.major)
    };
    let compared = |other: &&str| {
        let v = GfxVersion::from_name(other)?;
        let difference = Difference::between(own, Isa::by_name(other)?);
        Some(Override {
            processor: (*other).to_owned(),
            value: v.override_value()?,
            judgement: Judgement::judge(processor, other, &difference, None),
            difference,
            brings: Brings::default(),
            needed_by: Vec::new(),
            lost_by: Vec::new(),
        })
    };
    let mut all: Vec<Override> = here.iter().filter(neighbour).filter_map(compared).collect();
    let distance = |other: &str| Processor::rank(other).abs_diff(Processor::rank(processor));
    all.sort_rows_by_key(|one| (one.rank(), distance(&one.processor)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_override_is_the_neighbour_whose_code_is_most_alike() {
        let best = |processor: &str, here: &[&str]| {
            let all = overrides(processor, here);
            all.first().map(|o| (o.value.clone(), o.is_legal(), o.difference.features.is_empty()))
        };
        let legal = |value: &str| Some((value.to_owned(), true, true));
        // By LLVM's tables: gfx1030 and gfx1032 have the same instructions; so have gfx1102 and gfx1103, and
        // gfx1100 allocates registers otherwise.
        assert_eq!(best("gfx1032", &["gfx900", "gfx1030", "gfx1100"]), legal("10.3.0"));
        assert_eq!(best("gfx1103", &["gfx1100", "gfx1101", "gfx1102"]), legal("11.0.2"));
        assert_eq!(best("gfx1201", &["gfx1200", "gfx1100"]), legal("12.0.0"));
        let crosses = overrides("gfx1010", &["gfx1030"]);
        assert!(!crosses[0].is_legal() && crosses[0].difference.lacking > 0, "{crosses:?}");
        assert!(overrides("gfx1201", &["gfx1100"]).is_empty(), "another major version");
        assert!(overrides("gfx906", &["gfx90a"]).is_empty(), "an accelerator");
        // gfx1151 has registers as gfx1100 has; gfx1102 has fewer.
        assert_eq!(best("gfx1151", &["gfx1100", "gfx1102"]), legal("11.0.0"));
        // gfx90a refuses odd registers that gfx908 takes, and reads another descriptor.
        assert!(!overrides("gfx90a", &["gfx908"])[0].is_legal());
        assert!(overrides("gfx11-generic", &["gfx1100"]).is_empty(), "a generic target is no GPU");
    }
}
