//! What is inside of a kernel.

use serde::Serialize;

/// Occupancy, blocks, loops and registers in use of one kernel. Offsets are bytes from its begin.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelInside {
    /// Lanes of a wave.
    pub lanes: u32,
    /// How many waves a SIMD unit holds; nothing where the descriptor is not at hand.
    pub occupancy: Option<KernelOccupancy>,
    /// Registers by file.
    pub registers: Vec<RegisterUse>,
    /// Basic blocks in the order of their offsets.
    pub blocks: Vec<KernelBlock>,
    /// Natural loops in the order of their headers.
    pub loops: Vec<KernelLoop>,
    /// Calls.
    pub calls: Vec<KernelJump>,
    /// Jumps through registers.
    pub indirect: Vec<KernelJump>,
    /// What of it could not be followed, and what makes the numbers bounds, in sentences.
    pub limits: Vec<String>,
}

/// How many waves of a kernel a SIMD unit holds.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelOccupancy {
    /// Waves, as LLVM counts them.
    pub waves: u32,
    /// Waves that a SIMD unit can hold.
    pub most: u32,
    /// Waves where LDS is given in pieces of the hardware's size.
    pub waves_with_lds_granule: u32,
    /// What limits them: `vgpr`, `agpr`, `sgpr`, `lds`, `workgroup-size`, `barriers`.
    pub limited_by: Vec<&'static str>,
    /// The largest work-group that it was counted for.
    pub workgroup: u32,
    /// Bytes of LDS of a work-group.
    pub lds: u32,
    /// What it takes to hold more.
    pub next: Option<NextOccupancy>,
}

/// A smaller demand, and the waves that it leaves room for.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NextOccupancy {
    /// Waves.
    pub waves: u32,
    /// What has to become smaller, all of it.
    pub reductions: Vec<Reduction>,
}

/// What has to become smaller.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reduction {
    /// As in `limited_by`.
    pub what: &'static str,
    /// By how many registers, bytes or work-items.
    pub less: u32,
}

/// Registers of one file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegisterUse {
    /// `vgpr`, `agpr` or `sgpr`.
    pub file: &'static str,
    /// What the descriptor gives a wave; nothing where it is not at hand.
    pub given: Option<u32>,
    /// The number behind the highest that is named.
    pub highest: u16,
    /// The most that hold a value which is read later, where every write ends one (the rule of Radeon GPU Analyzer).
    pub live: u16,
    /// Where that is so first.
    pub live_at: u32,
    /// The most where a vector write ends a value only if it reaches all lanes.
    pub live_with_exec: u16,
    /// Where that is so first.
    pub live_with_exec_at: u32,
}

/// A basic block.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelBlock {
    /// Where it begins.
    pub offset: u32,
    /// Its size.
    pub bytes: u32,
    /// Its instructions.
    pub instructions: u32,
    /// Where the blocks begin that can follow, the target of a branch first.
    pub successors: Vec<u32>,
    /// Whether it ends with a jump to where is not known.
    pub goes_anywhere: bool,
    /// Whether the entry leads to it.
    pub reachable: bool,
    /// How many loops it lies in.
    pub depth: u32,
    /// The most vector registers in use at one of its instructions, as in `live_with_exec`.
    pub live_vgprs: u16,
}

/// A natural loop.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelLoop {
    /// Where its header begins.
    pub offset: u32,
    /// Where the blocks begin that lead back.
    pub back: Vec<u32>,
    /// 1 for a loop in no other.
    pub depth: u32,
    /// The offset of the loop that it lies in.
    pub parent: Option<u32>,
    /// Its blocks, those of inner loops among them.
    pub blocks: u32,
    /// Its instructions, each counted once.
    pub mix: InstructionMix,
}

/// What instructions do, each counted once for a wave with all of its lanes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstructionMix {
    /// All.
    pub instructions: u64,
    /// Matrix products.
    pub matrix: u64,
    /// Dot products.
    pub dot: u64,
    /// Vector arithmetic, the two above among it.
    pub vector: u64,
    /// Scalar arithmetic and control.
    pub scalar: u64,
    /// Vector memory.
    pub vector_memory: u64,
    /// Scalar memory.
    pub scalar_memory: u64,
    /// Memory of the work-group.
    pub lds: u64,
    /// Scratch, which spilled registers go to.
    pub scratch: u64,
    /// Waits.
    pub waits: u64,
    /// Barriers.
    pub barriers: u64,
    /// Branches and calls.
    pub branches: u64,
    /// Bytes loaded by a wave, not from LDS.
    pub bytes_loaded: u64,
    /// Bytes stored, atomic operations among them.
    pub bytes_stored: u64,
    /// Bytes that go to and from LDS.
    pub lds_bytes: u64,
    /// Additions and multiplications of floating point, and of dot and matrix products.
    pub operations: u64,
}

/// A call, or a jump through a register.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelJump {
    /// Where it is.
    pub offset: u32,
    /// Where it leads; nothing where that is not a constant.
    pub target: Option<i64>,
}
