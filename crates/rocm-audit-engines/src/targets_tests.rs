//! Every table that lists targets is joined with the one of [`amdgpu_object::target`]. A target that one of
//! them lacks fails here, unless it is newer than that table, or is listed below with the reason.

use super::ggml::architecture::{Architecture, GpuClass};
use super::ggml::version::Version;
use super::library_claims;
use super::tensile::hardware;
use amdgpu_isa::processor::{self, Isa};
use amdgpu_object::target::{Family, PROCESSORS, Processor};
use std::collections::BTreeSet;

/// A table of targets from another project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    /// `crates/amdgpu-isa/src/tables/processors.tsv`, generated from LLVM.
    Isa,
    /// `src/tensile/hardware.rs`: `Processor` of Tensile 6.4's `AMDGPU.hpp`.
    Tensile,
    /// `src/library_claims.yaml`: lists of Composable Kernel and of Tensile's assembler capabilities.
    LibraryClaims,
}

/// Targets that a table lacks though it is not older than they are: table, targets, reason.
const ABSENT: &[(Table, &[&str], &str)] = &[
    (
        Table::Tensile,
        &[
            "gfx600", "gfx601", "gfx602", "gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "gfx705",
            "gfx801", "gfx802", "gfx805", "gfx810", "gfx902", "gfx904", "gfx909", "gfx90c", "gfx1013",
            "gfx1033", "gfx1036", "gfx1152",
        ],
        "rocBLAS was never tuned for it, and Tensile's enum has no value for it",
    ),
    (
        Table::Tensile,
        &["gfx9-generic", "gfx10-1-generic", "gfx10-3-generic", "gfx11-generic", "gfx12-generic"],
        "Tensile's enum lists devices, and a generic target is none",
    ),
    (
        Table::LibraryClaims,
        &[
            "gfx600", "gfx601", "gfx602", "gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "gfx705",
            "gfx801", "gfx802", "gfx805", "gfx810", "gfx904",
        ],
        "neither Composable Kernel nor Tensile's cached capabilities name it",
    ),
    (
        Table::LibraryClaims,
        &["gfx940", "gfx941"],
        "the lists that are cited dropped the first silicon of MI300",
    ),
    (
        Table::LibraryClaims,
        &[
            "gfx9-generic",
            "gfx9-4-generic",
            "gfx10-1-generic",
            "gfx10-3-generic",
            "gfx11-generic",
            "gfx12-generic",
        ],
        "the lists that are cited have devices only",
    ),
];

/// Targets that ggml puts in another class than their family: target, class, reason. Classes are ranges of
/// the number in the name (ggml's `src/ggml-cuda/common.cuh:62-108`).
const OTHER_CLASS: &[(&str, GpuClass, &str)] = &[
    ("gfx909", GpuClass::Cdna1, "0x909 lies between those of gfx908 and gfx90a"),
    ("gfx940", GpuClass::Cdna2, "CDNA3 begins at 0x942"),
    ("gfx941", GpuClass::Cdna2, "CDNA3 begins at 0x942"),
    ("gfx9-4-generic", GpuClass::Cdna2, "it is read as 0x940, and CDNA3 begins at 0x942"),
];

/// The LLVM that the ISA tables are generated from, which they state themselves.
fn llvm_of_the_isa_tables() -> u32 {
    let version = processor::source().strip_prefix("LLVM ").expect("a version");
    version.split('.').next().and_then(|major| major.parse().ok()).expect("a number")
}

/// The targets of a table, and the LLVM release of its time: a target that came with a later one cannot be in
/// it.
fn table(table: Table) -> (BTreeSet<&'static str>, u32) {
    match table {
        Table::Isa => (processor::all().iter().map(|isa| isa.name).collect(), llvm_of_the_isa_tables()),
        // ROCm 6.4 is built with an LLVM 19.
        Table::Tensile => (hardware::processors().collect(), 19),
        // The newer of Composable Kernel's sources names gfx1250, which came with LLVM 21.
        Table::LibraryClaims => (library_claims::targets().into_iter().collect(), 21),
    }
}

#[test]
fn every_target_is_in_every_table_that_is_not_older() {
    for which in [Table::Isa, Table::Tensile, Table::LibraryClaims] {
        let (names, llvm) = table(which);
        let mut absent = BTreeSet::new();
        for (_, targets, _) in ABSENT.iter().filter(|(of, ..)| *of == which) {
            absent.extend(targets.iter().copied());
        }
        for name in &names {
            assert!(
                Processor::by_name(name).is_some(),
                "{which:?} has {name}, crates/amdgpu-object/src/target/processor.rs has not"
            );
        }
        for processor in PROCESSORS.iter().filter(|processor| processor.since() <= llvm) {
            let name = processor.name();
            let (is, may_not) = (names.contains(name), absent.remove(name));
            assert!(
                is || may_not,
                "{name} is missing in {which:?}: add it, or say in ABSENT why it is not there"
            );
            assert!(!(is && may_not), "{name} is in {which:?}: take it from ABSENT");
        }
        assert!(absent.is_empty(), "{which:?}: no exception is needed for {absent:?}");
    }
}

#[test]
fn numbers_of_e_flags_are_those_of_llvm() {
    for isa in processor::all() {
        assert_eq!(Processor::by_name(isa.name).map(|known| known.mach()), Some(isa.mach), "{}", isa.name);
    }
}

/// A generic target's code runs on its members: they have every instruction that it has, in the same
/// encoding, or LLVM could not compile for it.
#[test]
fn members_have_the_instructions_of_their_generic_target() {
    for processor in PROCESSORS {
        let (Some(isa), Some(generic)) =
            (Isa::by_name(processor.name()), processor.generic().and_then(Isa::by_name))
        else {
            continue;
        };
        let lacking: Vec<u16> = generic.mnemonics().difference(&isa.mnemonics()).copied().collect();
        assert!(lacking.is_empty(), "{} lacks {lacking:?} of {}", processor.name(), generic.name);
    }
}

#[test]
fn ggml_has_a_class_for_every_target() {
    for processor in PROCESSORS {
        let architecture = Architecture::parse(processor.name()).unwrap();
        let class = architecture.class(Version::new(0, 27, 0));
        let family = match processor.family() {
            Family::Gcn1 | Family::Gcn2 | Family::Gcn3 | Family::Gcn5 => GpuClass::Gcn,
            Family::Cdna1 => GpuClass::Cdna1,
            Family::Cdna2 => GpuClass::Cdna2,
            Family::Cdna3 => GpuClass::Cdna3,
            Family::Cdna4 => GpuClass::Cdna4,
            Family::Rdna1 => GpuClass::Rdna1,
            Family::Rdna2 => GpuClass::Rdna2,
            Family::Rdna3 => GpuClass::Rdna30,
            // ggml 0.27 has no class for what came after: the range before reaches over it.
            Family::Rdna35 | Family::Gfx1170 => GpuClass::Rdna35,
            Family::Rdna4 | Family::Gfx125 | Family::Gfx13 => GpuClass::Rdna4,
            // A generic target has the class of its first member.
            Family::Generic => {
                let member = processor.members().next().unwrap();
                Architecture::parse(member.name()).unwrap().class(Version::new(0, 27, 0))
            }
            family => panic!("what ggml makes of {family:?} is to be said here"),
        };
        let other = OTHER_CLASS.iter().find(|(name, ..)| *name == processor.name());
        let expected = other.map_or(family, |(_, class, _)| *class);
        assert_eq!(class, expected, "{}", processor.name());
        assert!(
            other.is_none_or(|(_, class, _)| *class != family),
            "no exception is needed for {}",
            processor.name()
        );
    }
}
