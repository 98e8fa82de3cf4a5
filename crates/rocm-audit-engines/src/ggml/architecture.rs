//! How ggml sees a GPU: one number from `gcnArchName`, and classes as ranges of it.
//!
//! Source of the ranges: ggml `src/ggml-cuda/common.cuh:62-108` and `266-342`, of the number
//! `ggml-cuda.cu:169-214`.

use super::version::Version;
use std::fmt;

/// A GPU in the terms of ggml's selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Architecture {
    /// The given name, without features.
    pub name: String,
    /// ggml's compute capability without its AMD offset: `0x90a`, `0x1100`.
    pub cc: u32,
}

/// A class of GPUs in ggml's rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum GpuClass {
    Gcn,
    Cdna1,
    Cdna2,
    Cdna3,
    Cdna4,
    Rdna1,
    Rdna2,
    Rdna30,
    Rdna35,
    Rdna4,
}

/// Every class: its word in rules, its name, and its first `cc`; it extends to the next one's.
pub const CLASSES: [(GpuClass, &str, &str, u32); 10] = [
    (GpuClass::Gcn, "gcn", "GCN", 0),
    (GpuClass::Cdna1, "cdna1", "CDNA1", 0x908),
    (GpuClass::Cdna2, "cdna2", "CDNA2", 0x90a),
    (GpuClass::Cdna3, "cdna3", "CDNA3", 0x942),
    (GpuClass::Cdna4, "cdna4", "CDNA4", 0x950),
    (GpuClass::Rdna1, "rdna1", "RDNA1", 0x1010),
    (GpuClass::Rdna2, "rdna2", "RDNA2", 0x1030),
    (GpuClass::Rdna30, "rdna3.0", "RDNA3.0", 0x1100),
    (GpuClass::Rdna35, "rdna3.5", "RDNA3.5", 0x1150),
    (GpuClass::Rdna4, "rdna4", "RDNA4", 0x1200),
];

/// Words in rules for several classes.
const GROUPS: [(&str, &[GpuClass]); 3] = [
    ("cdna", &[GpuClass::Cdna1, GpuClass::Cdna2, GpuClass::Cdna3, GpuClass::Cdna4]),
    ("rdna3", &[GpuClass::Rdna30, GpuClass::Rdna35]),
    ("rdna", &[GpuClass::Rdna1, GpuClass::Rdna2, GpuClass::Rdna30, GpuClass::Rdna35, GpuClass::Rdna4]),
];

impl GpuClass {
    /// The classes that a word of a rule names.
    pub fn named(word: &str) -> Option<Vec<GpuClass>> {
        let group = GROUPS.iter().find(|(name, _)| *name == word).map(|(_, classes)| classes.to_vec());
        group.or_else(|| CLASSES.iter().find(|row| row.1 == word).map(|row| vec![row.0]))
    }

    /// Name used by ggml's developers.
    pub fn name(self) -> &'static str {
        CLASSES.iter().find(|row| row.0 == self).map_or("", |row| row.2)
    }

    /// Whether this is one of the CDNA classes.
    pub fn is_cdna(self) -> bool {
        (GpuClass::Cdna1..=GpuClass::Cdna4).contains(&self)
    }

    /// Whether this is one of the RDNA classes.
    pub fn is_rdna(self) -> bool {
        self >= GpuClass::Rdna1
    }

    /// `amd_mfma_available`, for a build with matrix instructions (the default).
    pub fn has_mfma(self) -> bool {
        self.is_cdna()
    }

    /// `amd_wmma_available`.
    pub fn has_wmma(self) -> bool {
        self >= GpuClass::Rdna30
    }

    /// `fp16_mma_hardware_available`.
    pub fn has_fp16_mma(self) -> bool {
        self.has_mfma() || self.has_wmma()
    }

    /// `bf16_mma_hardware_available`.
    pub fn has_bf16_mma(self) -> bool {
        self.has_mfma() || self.has_wmma()
    }

    /// Whether the matrix instructions accept F32.
    pub fn has_fp32_mma(self) -> bool {
        self.has_mfma()
    }

    /// Lanes of a wavefront in ggml's build: 64 up to CDNA, 32 from RDNA on.
    pub fn wavefront(self) -> u64 {
        if self.is_rdna() { 32 } else { 64 }
    }

    /// How the device code of `ggml_cuda_dp4a` multiplies four bytes (`common.cuh:705-740`).
    pub fn dp4a(self, cc: u32) -> &'static str {
        match self {
            _ if cc == 0x906 || self.is_cdna() || self == GpuClass::Rdna2 => "sdot4",
            GpuClass::Rdna30 | GpuClass::Rdna35 | GpuClass::Rdna4 => "sudot4",
            GpuClass::Rdna1 => "SDWA multiply",
            _ if cc == 0x900 => "SDWA multiply",
            _ => "scalar products",
        }
    }
}

/// The error for a name that is not an AMD GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownArchitecture(pub String);

impl fmt::Display for UnknownArchitecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no AMD GPU; expected a name like gfx906, gfx90a, gfx1100 or gfx11-generic", self.0)
    }
}

impl std::error::Error for UnknownArchitecture {}

impl Architecture {
    /// Parses `gcnArchName`; ggml ignores features after a colon.
    ///
    /// # Errors
    ///
    /// If it does not begin with `gfx` and a number.
    pub fn parse(name: &str) -> Result<Self, UnknownArchitecture> {
        let bare = name.split(':').next().unwrap_or_default();
        let cc = bare.strip_prefix("gfx").and_then(number);
        let cc = cc.ok_or_else(|| UnknownArchitecture(name.to_owned()))?;
        Ok(Architecture { name: bare.to_owned(), cc })
    }

    /// The class by the rules of a version.
    ///
    /// By the ranges `gfx90c`, a small GCN part, would be CDNA2, but the binary of 0.27.0 treats it as GCN.
    /// Up to 0.9.11 CDNA2 began at 0x910, so `gfx90a` was CDNA1, and there was no CDNA4: `gfx950` was CDNA3
    /// (v0.9.11 and v0.10.0, `common.cuh`).
    pub fn class(&self, version: Version) -> GpuClass {
        if version < Version::new(0, 10, 0) {
            match self.cc {
                0x90a..0x910 => return GpuClass::Cdna1,
                0x950..0x1010 => return GpuClass::Cdna3,
                _ => {}
            }
        }
        if self.cc == 0x90c && version > Version::new(0, 21, 0) {
            return GpuClass::Gcn;
        }
        let within = CLASSES.iter().rev().find(|row| row.3 <= self.cc);
        within.map_or(GpuClass::Gcn, |row| row.0)
    }
}

/// `9-4-generic` is 0x940, `90a` 0x90a, `1100` 0x1100: the last two digits are minor version and stepping.
fn number(rest: &str) -> Option<u32> {
    let hex = |text: &str| u32::from_str_radix(text, 16).ok().filter(|_| !text.starts_with('+'));
    // A revision that compilers distinguish; ggml reads only the digits.
    let rest = rest.strip_suffix("-strict").unwrap_or(rest);
    let Some(generic) = rest.strip_suffix("-generic") else {
        return hex(rest).filter(|_| (3..=4).contains(&rest.len()));
    };
    let (major, minor) = generic.split_once('-').unwrap_or((generic, "0"));
    let (major, minor) = (hex(major)?, hex(minor)?);
    (major <= 0xff && minor <= 0xf).then_some(major << 8 | minor << 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATEST: Version = Version::new(0, 27, 0);

    fn number_and_class(name: &str) -> (u32, GpuClass) {
        let architecture = Architecture::parse(name).unwrap();
        (architecture.cc, architecture.class(LATEST))
    }

    #[test]
    fn numbers_and_classes() {
        assert_eq!(number_and_class("gfx803"), (0x803, GpuClass::Gcn));
        assert_eq!(number_and_class("gfx90a:sramecc+:xnack-"), (0x90a, GpuClass::Cdna2));
        assert_eq!(number_and_class("gfx942"), (0x942, GpuClass::Cdna3));
        assert_eq!(number_and_class("gfx9-4-generic"), (0x940, GpuClass::Cdna2));
        assert_eq!(number_and_class("gfx9-generic"), (0x900, GpuClass::Gcn));
        assert_eq!(number_and_class("gfx10-3-generic"), (0x1030, GpuClass::Rdna2));
        assert_eq!(number_and_class("gfx11-generic"), (0x1100, GpuClass::Rdna30));
        assert_eq!(number_and_class("gfx1013"), (0x1013, GpuClass::Rdna1));
        assert_eq!(number_and_class("gfx1250"), (0x1250, GpuClass::Rdna4));
        assert_eq!(number_and_class("gfx1250-strict"), (0x1250, GpuClass::Rdna4));
        assert_eq!(number_and_class("gfx90c").1, GpuClass::Gcn);
        let apu = Architecture::parse("gfx90c").unwrap();
        assert_eq!(apu.class(Version::new(0, 21, 0)), GpuClass::Cdna2);
    }

    #[test]
    fn refuses_what_is_no_gpu() {
        for name in ["", "gfx", "sm_90", "gfx9", "gfx+90", "gfxzzz", "gfx-generic", "gfx99999"] {
            assert!(Architecture::parse(name).is_err(), "{name}");
        }
    }
}
