//! The processors that objects are made for.

/// A processor. Its numbers are those of LLVM's `ELF.h` (`EF_AMDGPU_MACH_AMDGCN_…`,
/// `EF_AMDGPU_FEATURE_…_V4`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor {
    /// Its name, as in `-mcpu=gfx906`.
    pub name: &'static str,
    /// `e_flags`: its number, and each feature that it has in any mode.
    pub flags: u32,
    /// Lanes of a wave.
    pub lanes: u32,
    /// Vector registers that are given out at once.
    pub granule: u32,
    /// `s_endpgm`.
    end: u32,
}

/// XNACK and SRAMECC in any mode.
const XNACK: u32 = 0x100;
const SRAMECC: u32 = 0x400;

/// Every processor that objects are made for.
pub const PROCESSORS: &[Processor] = &[
    Processor { name: "gfx900", flags: 0x2c | XNACK, lanes: 64, granule: 4, end: 0xbf81_0000 },
    Processor { name: "gfx906", flags: 0x2f | XNACK | SRAMECC, lanes: 64, granule: 4, end: 0xbf81_0000 },
    Processor { name: "gfx908", flags: 0x30 | XNACK | SRAMECC, lanes: 64, granule: 4, end: 0xbf81_0000 },
    Processor { name: "gfx90a", flags: 0x3f | XNACK | SRAMECC, lanes: 64, granule: 8, end: 0xbf81_0000 },
    Processor { name: "gfx942", flags: 0x4c | XNACK | SRAMECC, lanes: 64, granule: 8, end: 0xbf81_0000 },
    Processor { name: "gfx1030", flags: 0x36, lanes: 32, granule: 8, end: 0xbf81_0000 },
    Processor { name: "gfx1100", flags: 0x41, lanes: 32, granule: 8, end: 0xbfb0_0000 },
    Processor { name: "gfx1200", flags: 0x48, lanes: 32, granule: 8, end: 0xbfb0_0000 },
];

impl Processor {
    /// The one of a name; `None` for one that is not listed.
    pub fn by_name(name: &str) -> Option<&'static Processor> {
        PROCESSORS.iter().find(|processor| processor.name == name)
    }

    /// The instruction that ends a wave.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }
}
