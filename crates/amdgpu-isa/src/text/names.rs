//! Names of hardware registers, messages, formats and dimensions: the tables of LLVM's `AMDGPUAsmUtils.cpp`
//! (LLVM 22.1.8, Apache-2.0 WITH LLVM-exception).

use crate::generation::Generation;

/// Where a name holds.
#[derive(Debug, Clone, Copy)]
enum On {
    All,
    /// Major versions, the first and the last.
    Majors(u8, u8),
    Gfx940,
    Gfx10_1,
    Gfx10_3To11,
    Gfx1250,
}

impl On {
    fn holds(self, generation: Generation) -> bool {
        let (major, gfx10_3) = (generation.major(), generation.gfx10_3());
        match self {
            On::All => true,
            On::Majors(first, last) => (first..=last).contains(&major),
            On::Gfx940 => generation.gfx940(),
            On::Gfx10_1 => major == 10 && !gfx10_3,
            On::Gfx10_3To11 => gfx10_3 || major == 11,
            On::Gfx1250 => generation.gfx1250(),
        }
    }
}

/// A number, its name, and where it holds.
type Named = (u64, &'static str, On);

fn name(all: &[Named], number: u64, generation: Generation) -> Option<&'static str> {
    all.iter().find(|(one, _, on)| *one == number && on.holds(generation)).map(|(_, name, _)| *name)
}

/// The name of a hardware register, without `HW_REG_`.
pub(super) fn hardware_register(number: u64, generation: Generation) -> Option<&'static str> {
    name(HARDWARE_REGISTERS, number, generation)
}

/// The name of a message, without `MSG_`.
pub(super) fn message(number: u64, generation: Generation) -> Option<&'static str> {
    name(MESSAGES, number, generation)
}

/// The name of a format of gfx10 and later, without `BUF_FMT_`.
pub(super) fn unified_format(number: usize, major: u8) -> Option<&'static str> {
    let all: &[&str] = if major == 10 { &FORMATS_10 } else { &FORMATS_11 };
    all.get(number).copied()
}

/// Dimensions of images with the number of their coordinates and of the coordinates that gradients have.
pub(crate) const DIMENSIONS: [(&str, (u8, u8)); 8] = [
    ("1D", (1, 2)),
    ("2D", (2, 4)),
    ("3D", (3, 6)),
    ("CUBE", (3, 4)),
    ("1D_ARRAY", (2, 2)),
    ("2D_ARRAY", (3, 4)),
    ("2D_MSAA", (3, 4)),
    ("2D_MSAA_ARRAY", (4, 4)),
];

const HARDWARE_REGISTERS: &[Named] = &[
    (1, "WAVE_MODE", On::Majors(12, 255)),
    (1, "MODE", On::All),
    (2, "WAVE_STATUS", On::Majors(12, 255)),
    (2, "STATUS", On::All),
    (3, "TRAPSTS", On::Majors(0, 11)),
    (4, "HW_ID", On::Majors(0, 9)),
    (4, "WAVE_STATE_PRIV", On::Majors(12, 255)),
    (4, "STATE_PRIV", On::Majors(12, 255)),
    (5, "WAVE_GPR_ALLOC", On::Majors(12, 255)),
    (5, "GPR_ALLOC", On::All),
    (6, "WAVE_LDS_ALLOC", On::Majors(12, 255)),
    (6, "LDS_ALLOC", On::All),
    (7, "IB_STS", On::All),
    (10, "PERF_SNAPSHOT_DATA", On::Majors(12, 255)),
    (11, "PERF_SNAPSHOT_PC_LO", On::Majors(12, 255)),
    (12, "PERF_SNAPSHOT_PC_HI", On::Majors(12, 255)),
    (15, "SH_MEM_BASES", On::Majors(9, 11)),
    (15, "PERF_SNAPSHOT_DATA1", On::Majors(12, 255)),
    (16, "TBA_LO", On::Majors(9, 10)),
    (16, "PERF_SNAPSHOT_DATA2", On::Majors(12, 255)),
    (17, "TBA_HI", On::Majors(9, 10)),
    (17, "WAVE_EXCP_FLAG_PRIV", On::Majors(12, 255)),
    (17, "EXCP_FLAG_PRIV", On::Majors(12, 255)),
    (18, "TMA_LO", On::Majors(9, 10)),
    (18, "PERF_SNAPSHOT_PC_LO", On::Majors(11, 11)),
    (18, "WAVE_EXCP_FLAG_USER", On::Majors(12, 255)),
    (18, "EXCP_FLAG_USER", On::Majors(12, 255)),
    (19, "TMA_HI", On::Majors(9, 10)),
    (19, "PERF_SNAPSHOT_PC_HI", On::Majors(11, 11)),
    (19, "WAVE_TRAP_CTRL", On::Majors(12, 255)),
    (19, "TRAP_CTRL", On::Majors(12, 255)),
    (20, "FLAT_SCR_LO", On::Majors(10, 11)),
    (20, "WAVE_SCRATCH_BASE_LO", On::Majors(12, 255)),
    (20, "SCRATCH_BASE_LO", On::Majors(12, 255)),
    (20, "XCC_ID", On::Gfx940),
    (21, "FLAT_SCR_HI", On::Majors(10, 11)),
    (21, "WAVE_SCRATCH_BASE_HI", On::Majors(12, 255)),
    (21, "SCRATCH_BASE_HI", On::Majors(12, 255)),
    (21, "SQ_PERF_SNAPSHOT_DATA", On::Gfx940),
    (22, "XNACK_MASK", On::Gfx10_1),
    (22, "SQ_PERF_SNAPSHOT_DATA1", On::Gfx940),
    (23, "WAVE_HW_ID1", On::Majors(12, 255)),
    (23, "HW_ID1", On::Majors(10, 255)),
    (23, "HW_ID", On::Majors(10, 10)),
    (23, "SQ_PERF_SNAPSHOT_PC_LO", On::Gfx940),
    (24, "WAVE_HW_ID2", On::Majors(12, 255)),
    (24, "HW_ID2", On::Majors(10, 255)),
    (24, "SQ_PERF_SNAPSHOT_PC_HI", On::Gfx940),
    (25, "POPS_PACKER", On::Majors(10, 10)),
    (26, "WAVE_SCHED_MODE", On::Majors(12, 255)),
    (27, "PERF_SNAPSHOT_DATA", On::Majors(11, 11)),
    (28, "IB_STS2", On::Gfx1250),
    (29, "SHADER_CYCLES", On::Gfx10_3To11),
    (29, "SHADER_CYCLES_LO", On::Majors(12, 255)),
    (30, "SHADER_CYCLES_HI", On::Majors(12, 255)),
    (31, "WAVE_DVGPR_ALLOC_LO", On::Majors(12, 255)),
    (31, "DVGPR_ALLOC_LO", On::Majors(12, 255)),
    (32, "WAVE_DVGPR_ALLOC_HI", On::Majors(12, 255)),
    (32, "DVGPR_ALLOC_HI", On::Majors(12, 255)),
    (33, "XNACK_STATE_PRIV", On::Gfx1250),
    (34, "XNACK_MASK", On::Gfx1250),
];

const MESSAGES: &[Named] = &[
    (1, "INTERRUPT", On::All),
    (2, "GS", On::Majors(0, 10)),
    (2, "HS_TESSFACTOR", On::Majors(11, 255)),
    (3, "GS_DONE", On::Majors(0, 10)),
    (3, "DEALLOC_VGPRS", On::Majors(11, 255)),
    (4, "SAVEWAVE", On::Majors(8, 10)),
    (5, "STALL_WAVE_GEN", On::Majors(9, 11)),
    (6, "HALT_WAVES", On::Majors(9, 11)),
    (7, "ORDERED_PS_DONE", On::Majors(9, 10)),
    (8, "EARLY_PRIM_DEALLOC", On::Majors(9, 10)),
    (9, "GS_ALLOC_REQ", On::Majors(9, 255)),
    (10, "GET_DOORBELL", On::Majors(9, 10)),
    (10, "SAVEWAVE_HAS_TDM", On::Gfx1250),
    (11, "GET_DDID", On::Majors(10, 10)),
    (15, "SYSMSG", On::All),
    (128, "RTN_GET_DOORBELL", On::Majors(11, 255)),
    (129, "RTN_GET_DDID", On::Majors(11, 255)),
    (130, "RTN_GET_TMA", On::Majors(11, 255)),
    (131, "RTN_GET_REALTIME", On::Majors(11, 255)),
    (132, "RTN_SAVE_WAVE", On::Majors(11, 255)),
    (133, "RTN_GET_TBA", On::Majors(11, 255)),
    (134, "RTN_GET_TBA_TO_PC", On::Majors(11, 255)),
    (135, "RTN_GET_SE_AID_ID", On::Majors(12, 255)),
    (136, "RTN_GET_CLUSTER_BARRIER_STATE", On::Gfx1250),
];

/// Formats of data before gfx10.
pub(super) const DATA_FORMATS: [&str; 16] = [
    "INVALID",
    "8",
    "16",
    "8_8",
    "32",
    "16_16",
    "10_11_11",
    "11_11_10",
    "10_10_10_2",
    "2_10_10_10",
    "8_8_8_8",
    "32_32",
    "16_16_16_16",
    "32_32_32",
    "32_32_32_32",
    "RESERVED_15",
];

/// Formats of numbers before gfx10.
pub(super) const NUMBER_FORMATS: [&str; 8] =
    ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"];

const FORMATS_10: [&str; 78] = [
    "INVALID",
    "8_UNORM",
    "8_SNORM",
    "8_USCALED",
    "8_SSCALED",
    "8_UINT",
    "8_SINT",
    "16_UNORM",
    "16_SNORM",
    "16_USCALED",
    "16_SSCALED",
    "16_UINT",
    "16_SINT",
    "16_FLOAT",
    "8_8_UNORM",
    "8_8_SNORM",
    "8_8_USCALED",
    "8_8_SSCALED",
    "8_8_UINT",
    "8_8_SINT",
    "32_UINT",
    "32_SINT",
    "32_FLOAT",
    "16_16_UNORM",
    "16_16_SNORM",
    "16_16_USCALED",
    "16_16_SSCALED",
    "16_16_UINT",
    "16_16_SINT",
    "16_16_FLOAT",
    "10_11_11_UNORM",
    "10_11_11_SNORM",
    "10_11_11_USCALED",
    "10_11_11_SSCALED",
    "10_11_11_UINT",
    "10_11_11_SINT",
    "10_11_11_FLOAT",
    "11_11_10_UNORM",
    "11_11_10_SNORM",
    "11_11_10_USCALED",
    "11_11_10_SSCALED",
    "11_11_10_UINT",
    "11_11_10_SINT",
    "11_11_10_FLOAT",
    "10_10_10_2_UNORM",
    "10_10_10_2_SNORM",
    "10_10_10_2_USCALED",
    "10_10_10_2_SSCALED",
    "10_10_10_2_UINT",
    "10_10_10_2_SINT",
    "2_10_10_10_UNORM",
    "2_10_10_10_SNORM",
    "2_10_10_10_USCALED",
    "2_10_10_10_SSCALED",
    "2_10_10_10_UINT",
    "2_10_10_10_SINT",
    "8_8_8_8_UNORM",
    "8_8_8_8_SNORM",
    "8_8_8_8_USCALED",
    "8_8_8_8_SSCALED",
    "8_8_8_8_UINT",
    "8_8_8_8_SINT",
    "32_32_UINT",
    "32_32_SINT",
    "32_32_FLOAT",
    "16_16_16_16_UNORM",
    "16_16_16_16_SNORM",
    "16_16_16_16_USCALED",
    "16_16_16_16_SSCALED",
    "16_16_16_16_UINT",
    "16_16_16_16_SINT",
    "16_16_16_16_FLOAT",
    "32_32_32_UINT",
    "32_32_32_SINT",
    "32_32_32_FLOAT",
    "32_32_32_32_UINT",
    "32_32_32_32_SINT",
    "32_32_32_32_FLOAT",
];

const FORMATS_11: [&str; 64] = [
    "INVALID",
    "8_UNORM",
    "8_SNORM",
    "8_USCALED",
    "8_SSCALED",
    "8_UINT",
    "8_SINT",
    "16_UNORM",
    "16_SNORM",
    "16_USCALED",
    "16_SSCALED",
    "16_UINT",
    "16_SINT",
    "16_FLOAT",
    "8_8_UNORM",
    "8_8_SNORM",
    "8_8_USCALED",
    "8_8_SSCALED",
    "8_8_UINT",
    "8_8_SINT",
    "32_UINT",
    "32_SINT",
    "32_FLOAT",
    "16_16_UNORM",
    "16_16_SNORM",
    "16_16_USCALED",
    "16_16_SSCALED",
    "16_16_UINT",
    "16_16_SINT",
    "16_16_FLOAT",
    "10_11_11_FLOAT",
    "11_11_10_FLOAT",
    "10_10_10_2_UNORM",
    "10_10_10_2_SNORM",
    "10_10_10_2_UINT",
    "10_10_10_2_SINT",
    "2_10_10_10_UNORM",
    "2_10_10_10_SNORM",
    "2_10_10_10_USCALED",
    "2_10_10_10_SSCALED",
    "2_10_10_10_UINT",
    "2_10_10_10_SINT",
    "8_8_8_8_UNORM",
    "8_8_8_8_SNORM",
    "8_8_8_8_USCALED",
    "8_8_8_8_SSCALED",
    "8_8_8_8_UINT",
    "8_8_8_8_SINT",
    "32_32_UINT",
    "32_32_SINT",
    "32_32_FLOAT",
    "16_16_16_16_UNORM",
    "16_16_16_16_SNORM",
    "16_16_16_16_USCALED",
    "16_16_16_16_SSCALED",
    "16_16_16_16_UINT",
    "16_16_16_16_SINT",
    "16_16_16_16_FLOAT",
    "32_32_32_UINT",
    "32_32_32_SINT",
    "32_32_32_FLOAT",
    "32_32_32_32_UINT",
    "32_32_32_32_SINT",
    "32_32_32_32_FLOAT",
];
