//! The name that MIOpen gives a device's databases: `gfx900_56`, `gfx90878`, `gfx942130`.
//!
//! Sources, MIOpen 3.3.0: `src/include/miopen/handle.hpp:225-236` (compute units),
//! `src/target_properties.cpp` (names, SRAM-ECC, XNACK).

use amdgpu_object::target::{Processor, TargetId};

/// The properties of a device that names of databases depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Processor, and XNACK if it is on. `MIOPEN_DEVICE_ARCH` overrides it.
    pub target: TargetId,
    /// `hipDeviceAttributeMultiprocessorCount`: compute units; from gfx10 on, workgroup processors.
    /// `MIOPEN_DEVICE_CU` overrides it.
    pub compute_units: u32,
}

/// Largest number of compute units written in decimal, after `_`.
const DECIMAL_UNITS: u32 = 64;

/// Processors that MIOpen treats as others (`GetDeviceNameFromMap`).
const TAKEN_FOR: &[(&str, &str)] =
    &[("gfx800", "gfx803"), ("gfx802", "gfx803"), ("gfx804", "gfx803"), ("gfx901", "gfx900")];

/// The processor as which MIOpen treats this one.
pub fn taken_for(processor: &str) -> &str {
    TAKEN_FOR.iter().find(|(from, _)| *from == processor).map_or(processor, |(_, to)| to)
}

impl Device {
    /// The beginning of all its databases' names.
    ///
    /// SRAM-ECC never appears: MIOpen assumes that it is on for gfx906 and gfx908, whatever the device
    /// reports, and unknown for all others; `_nosramecc` and `_sramecc` occur in names that older versions
    /// wrote.
    pub fn database_id(&self) -> String {
        let taken = taken_for(&self.target.processor);
        let xnack = if self.target.xnack == Some(true) { "_xnack" } else { "" };
        format!("{taken}{xnack}")
    }

    /// The name of its databases without endings. Up to 64 compute units are decimal, more are hexadecimal.
    pub fn base_name(&self) -> String {
        let (id, units) = (self.database_id(), self.compute_units);
        if units <= DECIMAL_UNITS { format!("{id}_{units}") } else { format!("{id}{units:x}") }
    }
}

/// The part of a database's file name before the endings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseName {
    /// Processor and features.
    pub target: TargetId,
    /// Compute units; only kernel databases may have none.
    pub compute_units: Option<u32>,
}

impl BaseName {
    /// Splits a base name. Names such as `gfx90878` need the list of processors: it is gfx908 with 120.
    pub fn parse(base: &str) -> Option<BaseName> {
        let (processor, mut rest) = Processor::longest_prefix(base)?;
        let mut target = TargetId::bare(processor.name());
        for (infix, on) in [("_nosramecc", false), ("_sramecc", true), ("_xnack", true)] {
            if let Some(behind) = rest.strip_prefix(infix) {
                rest = behind;
                let feature = if infix == "_xnack" { &mut target.xnack } else { &mut target.sramecc };
                *feature = Some(on);
            }
        }
        let compute_units = match rest.strip_prefix('_') {
            Some(decimal) => Some(decimal.parse().ok()?),
            None if rest.is_empty() => None,
            None => Some(u32::from_str_radix(rest, 16).ok()?),
        };
        Some(BaseName { target, compute_units })
    }

    /// The device whose databases have this name, if MIOpen looks up such a name.
    pub fn device(&self) -> Option<Device> {
        Some(Device { target: self.target.clone(), compute_units: self.compute_units? })
    }

    /// Why no device ever looks up a database with this name; `None` if one does.
    pub fn never_produced(&self, base: &str) -> Option<String> {
        let device = self.device()?;
        let produced = device.base_name();
        let digits = format!("{:x}", device.compute_units);
        // Behind the processor without `_` a number is read as hexadecimal, which 36 for 54 does not look
        // like.
        let is_hexadecimal = base.to_ascii_lowercase().ends_with(&digits) && !base.contains('_');
        let how = if is_hexadecimal { format!(" ({digits} in hexadecimal)") } else { String::new() };
        (produced != base).then(|| {
            format!(
                "a device of {} with {} compute units{how} asks for {produced}",
                self.target, device.compute_units
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(target: &str, compute_units: u32) -> String {
        Device { target: TargetId::parse(target).unwrap(), compute_units }.base_name()
    }

    #[test]
    fn names_are_those_of_the_shipped_files() {
        assert_eq!(base("gfx900", 56), "gfx900_56");
        assert_eq!(base("gfx900", 64), "gfx900_64");
        assert_eq!(base("gfx908:sramecc+:xnack-", 120), "gfx90878");
        assert_eq!(base("gfx90a:sramecc+", 104), "gfx90a68");
        assert_eq!(base("gfx942", 304), "gfx942130");
        assert_eq!(base("gfx1030", 36), "gfx1030_36");
        assert_eq!(base("gfx906:sramecc-", 60), "gfx906_60");
        assert_eq!(base("gfx900:xnack+", 64), "gfx900_xnack_64");
        assert_eq!(base("gfx802", 32), "gfx803_32");
    }

    #[test]
    fn names_that_no_device_asks_for_are_told() {
        let never = |name: &str| BaseName::parse(name).unwrap().never_produced(name);
        for name in
            ["gfx900_56", "gfx90878", "gfx90a6e", "gfx942130", "gfx942e4", "gfx950100", "gfx900_xnack_64"]
        {
            assert_eq!(never(name), None, "{name}");
        }
        for (name, asked) in [
            ("gfx110136", "gfx1101_54"),
            ("gfx115128", "gfx1151_40"),
            ("gfx120020", "gfx1200_32"),
            ("gfx908_120", "gfx90878"),
            ("gfx906_nosramecc_60", "gfx906_60"),
            ("gfx90a6E", "gfx90a6e"),
        ] {
            assert!(never(name).unwrap().ends_with(asked), "{name}: {:?}", never(name));
        }
        let told = "a device of gfx1101 with 54 compute units (36 in hexadecimal) asks for gfx1101_54";
        assert_eq!(never("gfx110136").unwrap(), told);
        assert!(!never("gfx908_120").unwrap().contains("hexadecimal"));
    }
}
