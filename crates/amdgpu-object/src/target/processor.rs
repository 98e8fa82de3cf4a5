//! The processors that AMDGPU code objects name: the single table from which all facts on targets derive.
//!
//! Numbers: `EF_AMDGPU_MACH_AMDGCN_*` of LLVM 22's `llvm/BinaryFormat/ELF.h`, plus processors from newer and
//! older tools, since no single LLVM names all: 0x40 and 0x4b (gfx940, gfx941) were dropped after ROCm
//! 6, and gfx1170 to gfx1172, gfx1154, gfx1310, gfx11-7, gfx12-5 and gfx13 generics came after LLVM 22 (LLVM
//! main, `test/Object/AMDGPU/elf-header-flags-mach.ll`), and gfx1250-strict after LLVM 23 (llvm-project
//! #218543): the same GPU in its first revision, whose name the runtime uses if `HSA_DISABLE_GFX12_STRICT`
//! is set (rocm-systems #10978, #11442). Generic members: LLVM's `AMDGPUUsage`, "Generic processor".
//! Firmware: the names that the Linux kernel's amdgpu driver requests, and for the `gc_` ones the compiler
//! version that `drivers/gpu/drm/amd/amdkfd/kfd_device.c` assigns to each graphics IP version. Devices:
//! examples from `AMDGPUUsage`.

answer! {
    /// One processor.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Processor {
        /// As LLVM and HIP spell it: `gfx900`, `gfx9-4-generic`.
        copy name: &'static str,
        /// `e_flags & 0xff` of its code objects.
        copy mach: u8,
        /// The generic target whose code it also runs, if any.
        copy generic: Option<&'static str>,
        /// The instruction set family by its public name.
        copy family: Family,
        /// A few devices, to recognise it by.
        copy devices: &'static str,
        /// Prefixes of the kernel driver's firmware file names.
        copy firmware: &'static [&'static str],
        /// The first major release of LLVM whose `ELF.h` names it; 19 also stands for earlier ones.
        copy since: u32,
    }
}

/// The value of `since` that stands for this release and all before it.
const OLDEST_LLVM: u32 = 19;

/// Instruction set families.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Family {
    Gcn1,
    Gcn2,
    Gcn3,
    Gcn5,
    Cdna1,
    Cdna2,
    Cdna3,
    Cdna4,
    Rdna1,
    Rdna2,
    Rdna3,
    Rdna35,
    Rdna4,
    Gfx1170,
    Gfx125,
    Gfx13,
    /// Instruction sets that every member of a family runs.
    Generic,
}

impl Family {
    /// The public name.
    pub fn name(self) -> &'static str {
        match self {
            Family::Gcn1 => "GCN 1",
            Family::Gcn2 => "GCN 2",
            Family::Gcn3 => "GCN 3/4",
            Family::Gcn5 => "GCN 5 (Vega)",
            Family::Cdna1 => "CDNA 1",
            Family::Cdna2 => "CDNA 2",
            Family::Cdna3 => "CDNA 3",
            Family::Cdna4 => "CDNA 4",
            Family::Rdna1 => "RDNA 1",
            Family::Rdna2 => "RDNA 2",
            Family::Rdna3 => "RDNA 3",
            Family::Rdna35 => "RDNA 3.5",
            Family::Rdna4 => "RDNA 4",
            Family::Gfx1170 => "gfx11.7",
            Family::Gfx125 => "gfx12.5",
            Family::Gfx13 => "gfx13",
            Family::Generic => "generic",
        }
    }
}

impl Processor {
    /// The processor with a name; `None` if the table lacks it.
    pub fn by_name(name: &str) -> Option<&'static Processor> {
        PROCESSORS.iter().find(|p| p.name == name)
    }

    /// The processor with this `e_flags & 0xff`.
    pub fn by_mach(mach: u8) -> Option<&'static Processor> {
        PROCESSORS.iter().find(|p| p.mach == mach)
    }

    /// Whether XNACK is always on: whether compilers note it then depends on their release and means nothing.
    /// Source: ROCr's registry of ISAs (ROCm/rocm-systems #11737).
    pub fn is_always_xnack(&self) -> bool {
        const GENERIC: &str = "gfx12-5-generic";
        self.name == GENERIC || self.generic == Some(GENERIC)
    }

    /// The processor whose code HotSwap translates for this one, another revision of the same GPU. Source:
    /// ROCm/rocm-systems #7715, which leaves no other pair, and #7210: the first silicon of gfx1250 is given
    /// the code of the later one.
    pub fn translated_from(&self) -> Option<&'static str> {
        (self.name == "gfx1250-strict").then_some("gfx1250")
    }

    /// Position in the table, which is the order in which reports list targets.
    pub fn rank(name: &str) -> usize {
        PROCESSORS.iter().position(|p| p.name == name).unwrap_or(PROCESSORS.len())
    }

    /// The processors that run this generic target's code; empty for a processor that is not generic.
    pub fn members(&self) -> impl Iterator<Item = &'static Processor> {
        PROCESSORS.iter().filter(|p| p.generic == Some(self.name))
    }

    /// The longest processor name at the beginning of `text`, and the rest. Names such as `gfx90878` (gfx908
    /// with 0x78 compute units) can only be split with the list of processors.
    pub fn longest_prefix(text: &str) -> Option<(&'static Processor, &str)> {
        PROCESSORS
            .iter()
            .filter_map(|p| text.strip_prefix(p.name).map(|rest| (p, rest)))
            .max_by_key(|(p, _)| p.name.len())
    }

    /// The processor that the first `gfx` of `text` begins, as in the name of a file for one target.
    pub fn first_in(text: &str) -> Option<&'static Processor> {
        let (processor, _) = Processor::longest_prefix(text.get(text.find("gfx")?..)?)?;
        Some(processor)
    }
}

macro_rules! processors {
    ($($name:literal $mach:literal $generic:tt $family:ident $devices:literal [$($firmware:literal)*] $(since $since:literal)?)*) => {
        /// All processors, in the order of reports.
        pub static PROCESSORS: &[Processor] = &[$(Processor {
            name: $name,
            mach: $mach,
            generic: processors!(@generic $generic),
            family: Family::$family,
            devices: $devices,
            firmware: &[$($firmware),*],
            since: processors!(@since $($since)?),
        }),*];
    };
    (@generic -) => { None };
    (@generic $generic:literal) => { Some($generic) };
    (@since) => { OLDEST_LLVM };
    (@since $release:literal) => { $release };
}

processors! {
    "gfx600" 0x20 - Gcn1 "Radeon HD 7970 (Tahiti)" ["tahiti"]
    "gfx601" 0x21 - Gcn1 "Radeon HD 7870 (Pitcairn)" ["pitcairn" "verde"]
    "gfx602" 0x3a - Gcn1 "Radeon R7 240 (Oland)" ["oland" "hainan" "banks_k" "si58"]
    "gfx700" 0x22 - Gcn2 "A10-7850K (Kaveri)" ["kaveri"]
    "gfx701" 0x23 - Gcn2 "FirePro W9100 (Hawaii)" ["hawaii"]
    "gfx702" 0x24 - Gcn2 "Radeon R9 290" []
    "gfx703" 0x25 - Gcn2 "E1-2100 (Kabini)" ["kabini" "mullins"]
    "gfx704" 0x26 - Gcn2 "Radeon HD 7790 (Bonaire)" ["bonaire"]
    "gfx705" 0x3b - Gcn2 "" []
    "gfx801" 0x28 - Gcn3 "A10-9600P (Carrizo)" ["carrizo"]
    "gfx802" 0x29 - Gcn3 "Radeon R9 285 (Tonga)" ["tonga" "topaz"]
    "gfx803" 0x2a - Gcn3 "Radeon RX 480, R9 Nano, MI6, MI8" ["fiji" "polaris10" "polaris11" "polaris12" "vegam"]
    "gfx805" 0x3c - Gcn3 "FirePro S7150" []
    "gfx810" 0x2b - Gcn3 "A6-9220 (Stoney)" ["stoney"]
    "gfx900" 0x2c "gfx9-generic" Gcn5 "Radeon RX Vega 56/64, MI25" ["vega10"]
    "gfx902" 0x2d "gfx9-generic" Gcn5 "Ryzen 5 2400G (Raven)" ["raven" "picasso"]
    "gfx904" 0x2e "gfx9-generic" Gcn5 "Radeon Pro Vega 20 (Vega 12)" ["vega12"]
    "gfx906" 0x2f "gfx9-generic" Gcn5 "Radeon VII, MI50, MI60" ["vega20"]
    "gfx908" 0x30 - Cdna1 "MI100" ["arcturus"]
    "gfx909" 0x31 "gfx9-generic" Gcn5 "Ryzen 3 3200U (Raven 2)" ["raven2"]
    "gfx90a" 0x3f - Cdna2 "MI210, MI250, MI250X" ["aldebaran"]
    "gfx90c" 0x32 "gfx9-generic" Gcn5 "Ryzen 7 4700G (Renoir)" ["renoir" "green_sardine"]
    "gfx940" 0x40 - Cdna3 "MI300 (first silicon)" []
    "gfx941" 0x4b - Cdna3 "MI300 (first silicon)" []
    "gfx942" 0x4c "gfx9-4-generic" Cdna3 "MI300A, MI300X, MI325X" ["gc_9_4_3" "gc_9_4_4"]
    "gfx950" 0x4f "gfx9-4-generic" Cdna4 "MI350X, MI355X" ["gc_9_5_0"] since 20
    "gfx1010" 0x33 "gfx10-1-generic" Rdna1 "Radeon RX 5700" ["navi10"]
    "gfx1011" 0x34 "gfx10-1-generic" Rdna1 "Radeon Pro V520" ["navi12"]
    "gfx1012" 0x35 "gfx10-1-generic" Rdna1 "Radeon RX 5500" ["navi14"]
    "gfx1013" 0x42 "gfx10-1-generic" Rdna1 "BC-250" ["cyan_skillfish"]
    "gfx1030" 0x36 "gfx10-3-generic" Rdna2 "Radeon RX 6800, 6900 XT" ["sienna_cichlid"]
    "gfx1031" 0x37 "gfx10-3-generic" Rdna2 "Radeon RX 6700 XT" ["navy_flounder"]
    "gfx1032" 0x38 "gfx10-3-generic" Rdna2 "Radeon RX 6600" ["dimgrey_cavefish"]
    "gfx1033" 0x39 "gfx10-3-generic" Rdna2 "Steam Deck (Van Gogh)" ["vangogh"]
    "gfx1034" 0x3e "gfx10-3-generic" Rdna2 "Radeon RX 6500 XT" ["beige_goby"]
    "gfx1035" 0x3d "gfx10-3-generic" Rdna2 "Radeon 680M (Rembrandt)" ["yellow_carp"]
    "gfx1036" 0x45 "gfx10-3-generic" Rdna2 "Ryzen 7000 desktop graphics" ["gc_10_3_6" "gc_10_3_7"]
    "gfx1100" 0x41 "gfx11-generic" Rdna3 "Radeon RX 7900 XT, XTX" ["gc_11_0_0"]
    "gfx1101" 0x46 "gfx11-generic" Rdna3 "Radeon RX 7700 XT, 7800 XT" ["gc_11_0_3"]
    "gfx1102" 0x47 "gfx11-generic" Rdna3 "Radeon RX 7600" ["gc_11_0_2"]
    "gfx1103" 0x44 "gfx11-generic" Rdna3 "Radeon 780M (Phoenix)" ["gc_11_0_1" "gc_11_0_4"]
    "gfx1150" 0x43 "gfx11-generic" Rdna35 "Radeon 890M (Strix Point)" ["gc_11_5_0"]
    "gfx1151" 0x4a "gfx11-generic" Rdna35 "Radeon 8060S (Strix Halo)" ["gc_11_5_1"]
    "gfx1152" 0x55 "gfx11-generic" Rdna35 "Radeon 840M (Krackan)" ["gc_11_5_2"]
    "gfx1153" 0x58 "gfx11-generic" Rdna35 "" ["gc_11_5_3"] since 20
    "gfx1154" 0x57 "gfx11-generic" Rdna35 "" [] since 23
    "gfx1170" 0x5d "gfx11-7-generic" Gfx1170 "" [] since 23
    "gfx1171" 0x5e "gfx11-7-generic" Gfx1170 "" [] since 23
    "gfx1172" 0x5c "gfx11-7-generic" Gfx1170 "" [] since 23
    "gfx1200" 0x48 "gfx12-generic" Rdna4 "Radeon RX 9060 XT" ["gc_12_0_0"]
    "gfx1201" 0x4e "gfx12-generic" Rdna4 "Radeon RX 9070, 9070 XT" ["gc_12_0_1"]
    "gfx1250" 0x49 "gfx12-5-generic" Gfx125 "" ["gc_12_1_0"] since 21
    "gfx1250-strict" 0xeb "gfx12-5-generic" Gfx125 "MI450, first silicon (A0)" [] since 24
    "gfx1251" 0x5a "gfx12-5-generic" Gfx125 "" [] since 22
    "gfx1310" 0x50 "gfx13-generic" Gfx13 "" [] since 23
    "gfx9-generic" 0x51 - Generic "" []
    "gfx9-4-generic" 0x5f - Generic "" [] since 20
    "gfx10-1-generic" 0x52 - Generic "" []
    "gfx10-3-generic" 0x53 - Generic "" []
    "gfx11-generic" 0x54 - Generic "" []
    "gfx11-7-generic" 0x62 - Generic "" [] since 23
    "gfx12-generic" 0x59 - Generic "" []
    "gfx12-5-generic" 0x5b - Generic "" [] since 23
    "gfx13-generic" 0x63 - Generic "" [] since 23
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_numbers_are_unique_and_generics_exist() {
        let names: HashSet<_> = PROCESSORS.iter().map(|p| p.name).collect();
        let machs: HashSet<_> = PROCESSORS.iter().map(|p| p.mach).collect();
        assert_eq!(names.len(), PROCESSORS.len());
        assert_eq!(machs.len(), PROCESSORS.len());
        for processor in PROCESSORS {
            if let Some(generic) = processor.generic {
                assert_eq!(Processor::by_name(generic).map(|g| g.family), Some(Family::Generic), "{generic}");
            }
        }
    }

    #[test]
    fn ambiguous_names_are_cut_at_the_longest_processor() {
        let cut = |text| Processor::longest_prefix(text).map(|(p, rest)| (p.name, rest));
        assert_eq!(cut("gfx90878"), Some(("gfx908", "78")));
        assert_eq!(cut("gfx90a6e"), Some(("gfx90a", "6e")));
        assert_eq!(cut("gfx942130"), Some(("gfx942", "130")));
        assert_eq!(cut("gfx1030_36"), Some(("gfx1030", "_36")));
        assert_eq!(cut("gfx9-4-generic.co"), Some(("gfx9-4-generic", ".co")));
        assert_eq!(cut("navi"), None);
    }
}
