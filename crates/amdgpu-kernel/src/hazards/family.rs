//! Processors by what has to be kept apart on them.

use amdgpu_isa::processor::Isa;

/// Processors on which the same instructions have to be kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HazardFamily {
    /// gfx600 to gfx602.
    Gfx6,
    /// gfx700 to gfx705.
    Gfx7,
    /// gfx801 to gfx810.
    Gfx8,
    /// gfx900 to gfx90c without those below.
    Gfx9,
    /// gfx908.
    Gfx908,
    /// gfx90a.
    Gfx90a,
    /// gfx940 to gfx942.
    Gfx940,
    /// gfx950.
    Gfx950,
    /// gfx1010 to gfx1013.
    Gfx10,
    /// gfx1030 to gfx1036.
    Gfx103,
    /// gfx1100 to gfx1103.
    Gfx11,
    /// gfx1150 to gfx1153.
    Gfx115,
    /// gfx1200 and gfx1201.
    Gfx12,
    /// gfx1250 and gfx1251.
    Gfx125,
}

/// Some families, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HazardFamilies(u16);

impl HazardFamily {
    /// All of them.
    pub const ALL: [HazardFamily; 14] = [
        HazardFamily::Gfx6,
        HazardFamily::Gfx7,
        HazardFamily::Gfx8,
        HazardFamily::Gfx9,
        HazardFamily::Gfx908,
        HazardFamily::Gfx90a,
        HazardFamily::Gfx940,
        HazardFamily::Gfx950,
        HazardFamily::Gfx10,
        HazardFamily::Gfx103,
        HazardFamily::Gfx11,
        HazardFamily::Gfx115,
        HazardFamily::Gfx12,
        HazardFamily::Gfx125,
    ];

    /// That of a processor.
    pub fn from_isa(isa: &Isa) -> Option<HazardFamily> {
        const BY_FEATURE: [(&str, HazardFamily); 14] = [
            ("gfx1250-insts", HazardFamily::Gfx125),
            ("gfx12", HazardFamily::Gfx12),
            ("valu-trans-use-hazard", HazardFamily::Gfx11),
            ("gfx11", HazardFamily::Gfx115),
            ("vcmpx-exec-war-hazard", HazardFamily::Gfx10),
            ("gfx10", HazardFamily::Gfx103),
            ("gfx950-insts", HazardFamily::Gfx950),
            ("gfx940-insts", HazardFamily::Gfx940),
            ("gfx90a-insts", HazardFamily::Gfx90a),
            ("mai-insts", HazardFamily::Gfx908),
            ("gfx9", HazardFamily::Gfx9),
            ("volcanic-islands", HazardFamily::Gfx8),
            ("sea-islands", HazardFamily::Gfx7),
            ("southern-islands", HazardFamily::Gfx6),
        ];
        BY_FEATURE.iter().find(|(feature, _)| isa.has(feature)).map(|(_, family)| *family)
    }

    /// Its processors, in words.
    pub fn processors(self) -> &'static str {
        match self {
            HazardFamily::Gfx6 => "gfx6",
            HazardFamily::Gfx7 => "gfx7",
            HazardFamily::Gfx8 => "gfx8",
            HazardFamily::Gfx9 => "gfx900 to gfx90c",
            HazardFamily::Gfx908 => "gfx908",
            HazardFamily::Gfx90a => "gfx90a",
            HazardFamily::Gfx940 => "gfx940 to gfx942",
            HazardFamily::Gfx950 => "gfx950",
            HazardFamily::Gfx10 => "gfx1010 to gfx1013",
            HazardFamily::Gfx103 => "gfx1030 to gfx1036",
            HazardFamily::Gfx11 => "gfx1100 to gfx1103",
            HazardFamily::Gfx115 => "gfx1150 to gfx1153",
            HazardFamily::Gfx12 => "gfx1200 and gfx1201",
            HazardFamily::Gfx125 => "gfx1250 and gfx1251",
        }
    }
}

impl HazardFamilies {
    /// All from one to another, in their order.
    pub(super) const fn from_to(first: HazardFamily, last: HazardFamily) -> HazardFamilies {
        HazardFamilies((u16::MAX >> (15 - last as u16)) & (u16::MAX << first as u16))
    }

    /// One alone.
    pub(super) const fn one(family: HazardFamily) -> HazardFamilies {
        HazardFamilies::from_to(family, family)
    }

    /// Those of both.
    pub(super) const fn and(self, other: HazardFamilies) -> HazardFamilies {
        HazardFamilies(self.0 | other.0)
    }

    /// Whether a family is among them.
    pub fn has(self, family: HazardFamily) -> bool {
        self.0 >> family as u16 & 1 == 1
    }

    /// Each of them.
    pub fn each(self) -> impl Iterator<Item = HazardFamily> {
        HazardFamily::ALL.into_iter().filter(move |family| self.has(*family))
    }
}
