//! The version in a processor's name.

use alloc::format;
use alloc::string::String;

/// Version of the graphics core that a name such as `gfx90a` states.
///
/// Source: LLVM's `AMDGPUUsage`, "Processors", and `getIsaVersion` in
/// `llvm/lib/TargetParser/TargetParser.cpp`: the last two digits of a device are minor version and stepping
/// in hexadecimal, those before are the major version in decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GfxVersion {
    /// 9 for gfx90a, 11 for gfx1151 and gfx11-generic.
    pub major: u32,
    /// 0 for gfx90a, 5 for gfx1151; `None` for a generic target of a whole major version.
    pub minor: Option<u32>,
    /// 10 for gfx90a, 1 for gfx1151; `None` for a generic target.
    pub stepping: Option<u32>,
}

impl GfxVersion {
    /// The value of `HSA_OVERRIDE_GFX_VERSION` that claims it, `10.3.0`; `None` for a generic target.
    pub fn override_value(self) -> Option<String> {
        Some(format!("{}.{}.{}", self.major, self.minor?, self.stepping?))
    }

    /// Parses a processor's name or a target ID; `None` for another form, such as `amdgcnspirv`.
    pub fn from_name(name: &str) -> Option<Self> {
        let rest = name.split([':', '+']).next()?.strip_prefix("gfx")?;
        // The same GPU in a revision that compilers distinguish.
        let rest = rest.strip_suffix("-strict").unwrap_or(rest);
        let number = |digits: &str, radix| {
            let plain = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
            plain.then(|| u32::from_str_radix(digits, radix).ok()).flatten()
        };
        if let Some(generic) = rest.strip_suffix("-generic") {
            let (major, minor) = match generic.split_once('-') {
                Some((major, minor)) => (major, Some(number(minor, 10)?)),
                None => (generic, None),
            };
            return Some(GfxVersion { major: number(major, 10)?, minor, stepping: None });
        }
        let (major, minor_stepping) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let (minor, stepping) = minor_stepping.split_at_checked(1)?;
        Some(GfxVersion {
            major: number(major, 10)?,
            minor: Some(number(minor, 16)?),
            stepping: Some(number(stepping, 16)?),
        })
    }

    /// Whether it is a device of the gfx94 series (MI300): rocBLAS gives it four times the workspace of
    /// others (`getDefaultDeviceMemorySize` in `library/src/include/handle.hpp`), and its math mode XF32
    /// works only there. Later releases of rocBLAS ask for gfx94 or above and so give gfx950 the larger
    /// workspace too.
    pub fn is_gfx94x(self) -> bool {
        self.major == 9 && self.minor == Some(4) && self.stepping.is_some()
    }

    /// Whether HIP's multiprocessors are work group processors, of two compute units each: from gfx10 on.
    /// Source: MIOpen's `Handle::GetMaxHardwareComputeUnits` (`src/include/miopen/handle.hpp`), which doubles
    /// their number for names that begin with `gfx1`.
    pub fn counts_work_group_processors(self) -> bool {
        self.major >= 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::{Family, PROCESSORS};

    #[test]
    fn names_are_cut_into_their_parts() {
        let parts = |name| GfxVersion::from_name(name).map(|v| (v.major, v.minor, v.stepping));
        assert_eq!(parts("gfx90a:sramecc+:xnack-"), Some((9, Some(0), Some(10))));
        assert_eq!(parts("gfx906+xnack"), Some((9, Some(0), Some(6))));
        assert_eq!(parts("gfx1151"), Some((11, Some(5), Some(1))));
        assert_eq!(parts("gfx1250-strict"), Some((12, Some(5), Some(0))));
        assert_eq!(parts("gfx12-5-generic"), Some((12, Some(5), None)));
        assert_eq!(parts("gfx9-generic"), Some((9, None, None)));
        for name in [
            "",
            "gfx",
            "gfx9",
            "gfx90",
            "gfx9é",
            "gfx+900",
            "gfxa00",
            "gfx-generic",
            "mach_0x40",
            "amdgcnspirv",
        ] {
            assert_eq!(parts(name), None, "{name}");
        }
    }

    /// The families in the table, which are public product names, agree with the numbers in the names.
    #[test]
    fn versions_fit_the_families_of_the_table() {
        for processor in PROCESSORS {
            let version = GfxVersion::from_name(processor.name).expect(processor.name);
            assert_eq!(version.is_gfx94x(), processor.family == Family::Cdna3, "{}", processor.name);
            let major = match processor.family {
                Family::Gcn1 => 6,
                Family::Gcn2 => 7,
                Family::Gcn3 => 8,
                Family::Gcn5 | Family::Cdna1 | Family::Cdna2 | Family::Cdna3 | Family::Cdna4 => 9,
                Family::Rdna1 | Family::Rdna2 => 10,
                Family::Rdna3 | Family::Rdna35 | Family::Gfx1170 => 11,
                Family::Rdna4 | Family::Gfx125 => 12,
                Family::Gfx13 => 13,
                Family::Generic => version.major,
            };
            assert_eq!(version.major, major, "{}", processor.name);
            let generic = processor.generic.and_then(GfxVersion::from_name);
            assert!(generic.is_none_or(|generic| generic.major == major), "{}", processor.name);
            assert_eq!(version.stepping.is_none(), processor.family == Family::Generic, "{}", processor.name);
        }
    }
}
