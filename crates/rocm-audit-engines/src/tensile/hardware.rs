//! Predicates on the device.
//!
//! Source: Tensile 6.4, `AMDGPU.hpp`, `AMDGPUPredicates.hpp` and, for the device's own number,
//! `HipHardware.cpp`.
#![deny(clippy::indexing_slicing)]

use super::values::Tagged;
use amdgpu_object::bytes::msgpack::Reader;
use amdgpu_object::target::Processor;
use rocm_audit_files::error::Parsed;

/// Processors that catalogs may name, and whether a device of the name is taken for one: the library's
/// `toProcessorId` lacks some, which then match no row but the last.
const PROCESSORS: &[(&str, bool)] = &[
    ("gfx803", true),
    ("gfx900", true),
    ("gfx906", true),
    ("gfx908", true),
    ("gfx90a", true),
    ("gfx940", true),
    ("gfx941", true),
    ("gfx942", true),
    ("gfx950", true),
    ("gfx1010", true),
    ("gfx1011", false),
    ("gfx1012", false),
    ("gfx1030", true),
    ("gfx1031", false),
    ("gfx1032", false),
    ("gfx1034", false),
    ("gfx1035", false),
    ("gfx1100", true),
    ("gfx1101", true),
    ("gfx1102", true),
    ("gfx1103", true),
    ("gfx1150", true),
    ("gfx1151", true),
    ("gfx1200", true),
    ("gfx1201", true),
];

/// The processors that catalogs may name.
pub fn processors() -> impl Iterator<Item = &'static str> {
    PROCESSORS.iter().map(|(name, _)| *name)
}

/// The processor of a word in a catalog of rocBLAS.
pub(super) fn known(word: &[u8]) -> Option<&'static str> {
    PROCESSORS.iter().find(|(name, _)| name.as_bytes() == word).map(|(name, _)| *name)
}

/// The processor of a word in a catalog of hipBLASLt. Its list grows with each release, so every one of
/// LLVM's is taken.
pub(super) fn known_lite(word: &[u8]) -> Option<&'static str> {
    Processor::by_name(str::from_utf8(word).ok()?).map(|processor| processor.name())
}

/// What a row of a catalog requires of the device.
#[derive(Debug, Clone, PartialEq)]
pub enum HardwarePredicate {
    /// True for every device.
    Always,
    /// True for no device.
    Never,
    /// True where all of these are.
    And(Box<[HardwarePredicate]>),
    /// True where any of these is.
    Or(Box<[HardwarePredicate]>),
    /// True where this one is not.
    Not(Box<HardwarePredicate>),
    /// The device has this processor.
    Processor(&'static str),
    /// The device has this many compute units, as HIP counts multiprocessors.
    CuCount(u64),
    /// The device shares its memory with the host (`directManagedMemAccessFromHost`), or does not.
    IsApu(bool),
    /// The device has this PCI number of a chip, or one that stands for it. Of a device whose number is not
    /// said such a row does not hold.
    PciChipId(u64),
}

/// The device, as predicates know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hardware {
    /// Its processor, where the library knows it.
    processor: Option<&'static str>,
    /// What HIP calls multiprocessors.
    pub cus: u32,
    /// Whether it shares its memory with the host, as HIP's `directManagedMemAccessFromHost` says.
    pub apu: bool,
    /// The PCI number of its chip, where that is said.
    pub chip: Option<u32>,
}

/// Chips whose rows serve others too, where those have none. Source: hipBLASLt #3924 and #7947 (2026).
const STAND_INS: [(u64, u64); 4] = [(0x75a3, 0x75a0), (0x75a2, 0x75a0), (0x75b0, 0x75a0), (0x75b2, 0x75a0)];

/// The order in which rows are looked at: those for exactly the device's chip, then the first for one that
/// stands for it, then those that name no chip, each in the order of the file.
pub(super) fn turns<N>(rows: &[(HardwarePredicate, N)], hardware: &Hardware) -> Vec<usize> {
    let Some(own) = hardware.chip.map(u64::from) else { return (0..rows.len()).collect() };
    let names = |row: &usize, chip: u64| {
        let mut is_named = false;
        let predicate = rows.get(*row).map(|(predicate, _)| predicate);
        predicate.into_iter().for_each(|one| one.chips(&mut |named| is_named |= named == chip));
        is_named
    };
    let holding = |row: &usize| rows.get(*row).is_some_and(|(predicate, _)| predicate.holds(hardware));
    let exact = (0..rows.len()).filter(|row| names(row, own));
    let other = STAND_INS.iter().find(|(chip, _)| *chip == own).map(|(_, other)| *other);
    let standing = other.and_then(|other| (0..rows.len()).find(|row| names(row, other) && holding(row)));
    let plain = (0..rows.len()).filter(|row| {
        let mut named = false;
        let predicate = rows.get(*row).map(|(predicate, _)| predicate);
        predicate.into_iter().for_each(|one| one.chips(&mut |_| named = true));
        !named
    });
    let mut turns: Vec<usize> = exact.collect();
    turns.extend(standing.filter(|row| !turns.contains(row)));
    turns.extend(plain);
    turns
}

impl Hardware {
    /// The device of this processor.
    pub fn new(processor: &str, cus: u32) -> Self {
        let known = PROCESSORS.iter().find(|(name, taken)| *name == processor && *taken);
        Hardware { processor: known.map(|(name, _)| *name), cus, apu: is_apu(processor, cus), chip: None }
    }

    /// The processor, where the library knows it.
    pub fn processor(&self) -> Option<&'static str> {
        self.processor
    }

    /// The device as hipBLASLt knows it, which has a number for every processor that it has catalogs for.
    pub fn lite(processor: &str, cus: u32) -> Self {
        let processor_known = known_lite(processor.as_bytes());
        Hardware { processor: processor_known, cus, apu: is_apu(processor, cus), chip: None }
    }

    /// The same device, with the PCI number of its chip where that is said.
    pub fn with_chip(self, chip: Option<u32>) -> Self {
        Hardware { chip, ..self }
    }
}

/// Whether a device shares its memory with the host, as far as its size tells: of gfx942, which alone has
/// rows for it, an MI300A has 228 compute units and an MI300X 304.
fn is_apu(processor: &str, cus: u32) -> bool {
    processor == "gfx942" && cus == 228
}

impl HardwarePredicate {
    /// Reads a predicate.
    ///
    /// # Errors
    /// Where its kind is unknown, or it is cut off.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        depth: usize,
        known: fn(&[u8]) -> Option<&'static str>,
    ) -> Parsed<Self> {
        let t = Tagged::read(reader, "hardware predicate")?;
        t.deeper(depth)?;
        let list = || t.parts(depth, |reader, depth| Self::read(reader, depth, known));
        Ok(match t.kind {
            b"TruePred" => HardwarePredicate::Always,
            b"FalsePred" => HardwarePredicate::Never,
            b"And" => HardwarePredicate::And(list()?),
            b"Or" => HardwarePredicate::Or(list()?),
            b"Not" => HardwarePredicate::Not(Box::new(Self::read(&mut t.value()?, depth + 1, known)?)),
            b"AMDGPU" => Self::read(&mut t.value()?, depth + 1, known)?,
            b"Processor" => HardwarePredicate::Processor(t.word(known)?),
            b"CUCount" => HardwarePredicate::CuCount(t.number()?),
            b"IsAPU" => HardwarePredicate::IsApu(t.number()? != 0),
            b"PciChipId" | b"PciChipID" => HardwarePredicate::PciChipId(t.number()?),
            _ => return Err(t.unknown()),
        })
    }

    /// Whether the device meets it.
    pub fn holds(&self, hardware: &Hardware) -> bool {
        match self {
            HardwarePredicate::Always => true,
            HardwarePredicate::Never => false,
            HardwarePredicate::PciChipId(chip) => hardware.chip.map(u64::from).is_some_and(|own| {
                own == *chip || STAND_INS.iter().any(|(of, other)| (*of, *other) == (own, *chip))
            }),
            HardwarePredicate::And(all) => all.iter().all(|p| p.holds(hardware)),
            HardwarePredicate::Or(any) => any.iter().any(|p| p.holds(hardware)),
            HardwarePredicate::Not(inner) => !inner.holds(hardware),
            HardwarePredicate::Processor(name) => hardware.processor == Some(*name),
            HardwarePredicate::CuCount(count) => u64::from(hardware.cus) == *count,
            HardwarePredicate::IsApu(is) => hardware.apu == *is,
        }
    }

    /// Hands over each PCI number of a chip that it names.
    pub fn chips(&self, found: &mut dyn FnMut(u64)) {
        match self {
            HardwarePredicate::PciChipId(chip) => found(*chip),
            HardwarePredicate::And(all) | HardwarePredicate::Or(all) => {
                all.iter().for_each(|part| part.chips(found));
            }
            HardwarePredicate::Not(inner) => inner.chips(found),
            _ => {}
        }
    }

    /// Whether it asks for the number of compute units.
    pub fn asks_for_compute_units(&self) -> bool {
        match self {
            HardwarePredicate::CuCount(_) | HardwarePredicate::IsApu(_) => true,
            HardwarePredicate::And(all) | HardwarePredicate::Or(all) => {
                all.iter().any(Self::asks_for_compute_units)
            }
            HardwarePredicate::Not(inner) => inner.asks_for_compute_units(),
            _ => false,
        }
    }

    /// As Tensile writes it.
    pub fn shown(&self) -> String {
        let list = |all: &[HardwarePredicate]| all.iter().map(Self::shown).collect::<Vec<_>>().join(", ");
        match self {
            HardwarePredicate::Always => "TruePred".to_owned(),
            HardwarePredicate::Never => "FalsePred".to_owned(),
            HardwarePredicate::And(all) => format!("And({})", list(all)),
            HardwarePredicate::Or(any) => format!("Or({})", list(any)),
            HardwarePredicate::Not(inner) => format!("Not({})", inner.shown()),
            HardwarePredicate::Processor(name) => format!("Processor {name}"),
            HardwarePredicate::CuCount(count) => format!("CUCount {count}"),
            HardwarePredicate::IsApu(is) => format!("IsAPU {}", u8::from(*is)),
            HardwarePredicate::PciChipId(chip) => {
                format!("PciChipId {chip:#x}")
            }
        }
    }
}
