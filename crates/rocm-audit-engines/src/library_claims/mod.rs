//! What libraries claim of a target in their own sources: Composable Kernel's branches, Tensile's
//! capabilities.
//!
//! These are facts of sources, in one table with its citations (`library_claims.yaml`). LLVM's description stands
//! beside them, since a library's probe can be wrong: a capability that it calls false proves nothing about
//! the hardware.

mod written;

use crate::rule_file::List;
use amdgpu_isa::processor::Isa;
use amdgpu_isa::{mnemonic, processor};
use written::{ClaimFacts, ClaimSymbols, ComposableKernel, Note, Tensile};

/// A library whose sources say what a target has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ClaimingLibrary"))]
#[serde(rename_all = "kebab-case")]
pub enum Library {
    /// Composable Kernel: the branch of its inner product.
    ComposableKernel,
    /// Tensile: its table of assembler capabilities.
    Tensile,
}

/// What a library says of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// Which library.
    pub library: Library,
    /// The capability: `int8x4`, `HasWMMA`.
    pub what: &'static str,
    /// What the library says.
    pub says: &'static str,
    /// What a later version says, where that is something else.
    pub newer: Option<&'static str>,
    /// Whether the target has such an instruction by LLVM's description, where that can be asked.
    pub llvm: Option<bool>,
    /// Whether the claim contradicts LLVM.
    pub misleads: bool,
    /// A remark on the claim.
    pub note: Option<&'static str>,
    /// Where it is read.
    pub source: String,
}

static FACTS: ClaimFacts = made!("library_claims");

/// What is cited, each with who cites it, in the grammar of `citations`.
#[cfg(feature = "engines")]
pub(super) fn sources() -> Vec<(String, String)> {
    let ClaimFacts { composable_kernel: kernel, tensile } = &FACTS;
    let mut all = vec![
        ("Composable Kernel".to_owned(), kernel.source.to_owned()),
        ("Composable Kernel, newer".to_owned(), kernel.newer_source.to_owned()),
        ("Tensile".to_owned(), tensile.source.to_owned()),
    ];
    // A row of the table begins with the three numbers of its processor: gfx90a is (9, 0, 10).
    let place = tensile.source.split(" (").next().unwrap_or_default();
    all.extend(tensile.rows.iter().map(|row| {
        let digits = row.target.trim_start_matches("gfx");
        let (major, rest) = digits.split_at(digits.len().saturating_sub(2));
        let hex = |c: char| c.to_digit(16).map(|digit| digit.to_string()).unwrap_or_default();
        let rest: Vec<String> = rest.chars().map(hex).collect();
        let text = format!("{place}:{} ({major}, {})", row.line, rest.join(", "));
        (format!("Tensile, {}", row.target), text)
    }));
    all
}

/// The claims about a processor; empty where no library lists it.
pub fn library_capabilities(isa: &Isa) -> Vec<Capability> {
    let numbers = isa.mnemonics();
    let mnemonics: Vec<&str> = numbers.iter().map(|number| mnemonic(*number)).collect();
    let has = |prefix: &str| mnemonics.iter().any(|name| name.starts_with(prefix));
    let mut all = composable_kernel(&FACTS.composable_kernel, isa.name, &has);
    all.extend(tensile(&FACTS.tensile, isa.name, &has));
    all
}

fn composable_kernel(
    facts: &'static ComposableKernel,
    target: &str,
    has: &dyn Fn(&str) -> bool,
) -> Vec<Capability> {
    let Some(row) = facts.rows.iter().find(|row| row.targets.has(target)) else { return Vec::new() };
    let (dot4, dot2) = (has("v_dot4_i32_i8") || has("v_dot4_i32_iu8"), has("v_dot2_f32_f16"));
    let asked = [
        ("int8x4 (dot4)", row.int8x4, dot4),
        ("half2 (dot2)", row.half2, dot2),
        ("float (v_fmac_f32)", row.float, has("v_fmac_f32")),
    ];
    let capability = |(what, branches, llvm): (&'static str, List<&'static str>, bool)| {
        let says = branches.first().copied().unwrap_or_default();
        let newer = branches.get(1).copied();
        let latest = newer.unwrap_or(says);
        Some(Capability {
            library: Library::ComposableKernel,
            what,
            says,
            newer,
            llvm: Some(llvm),
            misleads: llvm != ["sdot4", "sudot4", "fdot2", "v_fmac_f32"].contains(&latest),
            note: row.note,
            source: match newer {
                Some(_) => format!("{}; {}", facts.source, facts.newer_source),
                None => facts.source.to_owned(),
            },
        })
    };
    asked.into_iter().filter_map(capability).collect()
}

fn tensile(facts: &'static Tensile, target: &str, has: &dyn Fn(&str) -> bool) -> Vec<Capability> {
    let Some(row) = facts.rows.iter().find(|row| row.target == target) else { return Vec::new() };
    let capability = |asked: &'static ClaimSymbols| {
        let says = row.has.has(asked.id);
        let llvm = asked.mnemonics.iter().any(|prefix| has(prefix));
        let special = |note: &&Note| note.capability == asked.id && note.targets.has(target);
        let special = facts.notes.iter().find(special).map(|note| note.note);
        Capability {
            library: Library::Tensile,
            what: asked.name,
            says: if says { "True" } else { "False" },
            newer: None,
            llvm: Some(llvm),
            misleads: says != llvm,
            note: special.or(asked.note).filter(|_| says != llvm),
            source: format!("{}, line {}", facts.source, row.line),
        }
    };
    facts.capabilities.iter().map(capability).collect()
}

/// The processors that some library of the table makes a claim about.
pub fn targets() -> Vec<&'static str> {
    let known = processor::all().iter();
    known.filter(|isa| !library_capabilities(isa).is_empty()).map(|isa| isa.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(target: &str, what: &str) -> Capability {
        let all = library_capabilities(Isa::by_name(target).unwrap());
        all.into_iter().find(|capability| capability.what == what).unwrap()
    }

    #[test]
    fn every_target_of_the_table_is_a_processor() {
        let ClaimFacts { composable_kernel, tensile } = &FACTS;
        let branches = composable_kernel.rows.iter().flat_map(|row| row.targets);
        let rows = tensile.rows.iter().map(|row| &row.target);
        for target in branches.chain(rows) {
            assert!(targets().contains(target), "{target}");
        }
        let ids = |id: &&str| tensile.capabilities.iter().any(|asked| asked.id == *id);
        assert!(tensile.rows.iter().flat_map(|row| row.has).all(ids));
    }

    #[test]
    fn probes_mislead_where_they_are_known_to() {
        assert_eq!((said("gfx1201", "HasWMMA").says, said("gfx1201", "HasWMMA").misleads), ("False", true));
        assert!(said("gfx1201", "HasWMMA").note.unwrap().contains("operand widths"));
        assert!(!said("gfx1100", "HasWMMA").misleads);
        assert!(said("gfx906", "v_dot4_i32_i8").misleads && !said("gfx900", "v_dot4_i32_i8").misleads);
        assert!(said("gfx1100", "VOP3v_dot4_i32_i8").misleads);
    }

    /// Beside those, the cached table is what LLVM says.
    #[test]
    fn nothing_else_disagrees_with_llvm() {
        for target in targets() {
            for capability in library_capabilities(Isa::by_name(target).unwrap())
                .iter()
                .filter(|c| c.library == Library::Tensile)
            {
                assert_eq!(capability.misleads, capability.note.is_some(), "{target}: {capability:?}");
            }
        }
    }

    #[test]
    fn branches_of_composable_kernel() {
        assert_eq!(said("gfx900", "int8x4 (dot4)").says, "four scalar products");
        assert_eq!(said("gfx906", "int8x4 (dot4)").says, "sdot4");
        let later = said("gfx950", "half2 (dot2)");
        assert_eq!(
            (later.says, later.newer, later.misleads),
            ("two converted products", Some("fdot2"), false)
        );
        assert!(said("gfx1250", "int8x4 (dot4)").misleads);
    }
}
