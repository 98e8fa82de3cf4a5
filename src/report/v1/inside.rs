//! The inside of a kernel.

use serde::Serialize;

/// Occupancy, blocks, loops and registers in use of one kernel. Offsets are bytes from its beginning.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelInside {
    /// Lanes of a wave.
    pub lanes: u32,
    /// What the target has of `matrix` and `dot` products.
    pub target_has: Vec<&'static str>,
    /// What cards with the processor compute while their memory brings a byte; `null` if no card's figures are known.
    pub balance: Option<CardBalance>,
    /// Waves per SIMD unit; `null` if the descriptor is unavailable.
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
    /// Instructions in the order of the code, with the registers in use at each; of very long kernels, the
    /// first ones.
    pub instructions: Vec<KernelInstruction>,
    /// What could not be followed, and which numbers are only bounds, in sentences.
    pub limits: Vec<String>,
}

/// Floating-point operations in 32 bits by vector instructions for each byte of bandwidth, by the peaks of cards.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CardBalance {
    /// Of the card with the fewest.
    pub least: f64,
    /// Of the card with the most.
    pub most: f64,
}

/// How many waves of a kernel a SIMD unit holds.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelOccupancy {
    /// Waves, as LLVM counts them.
    pub waves: u32,
    /// The most waves that a SIMD unit can hold.
    pub most: u32,
    /// Waves if LDS is allocated in the hardware's granules.
    pub waves_with_lds_granule: u32,
    /// What limits the waves: `vgpr`, `agpr`, `sgpr`, `lds`, `workgroup-size`, `barriers`.
    pub limited_by: Vec<&'static str>,
    /// The largest work-group, for which the waves are counted.
    pub workgroup: u32,
    /// Bytes of LDS of a work-group.
    pub lds: u32,
    /// What must shrink to hold more waves.
    pub next: Option<NextOccupancy>,
}

/// A smaller demand, and the number of waves it allows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NextOccupancy {
    /// Waves.
    pub waves: u32,
    /// Everything that must shrink.
    pub reductions: Vec<Reduction>,
}

/// A resource use that must shrink.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reduction {
    /// Name of the resource, as in `limited_by`.
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
    /// Registers that the descriptor allocates to a wave; `null` if it is unavailable.
    pub given: Option<u32>,
    /// One more than the highest register number in use.
    pub highest: u16,
    /// Most registers that hold a value read later, if every write ends a value (the rule of Radeon GPU
    /// Analyzer).
    pub live: u16,
    /// First offset with this many.
    pub live_at: u32,
    /// Most registers in use, if a vector write ends a value only when it reaches all lanes.
    pub live_with_exec: u16,
    /// First offset with this many.
    pub live_with_exec_at: u32,
}

/// A basic block.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelBlock {
    /// Where it begins.
    pub offset: u32,
    /// Size of the block in bytes.
    pub bytes: u32,
    /// Number of instructions.
    pub instructions: u32,
    /// Offsets of the blocks that can follow; the branch target comes first.
    pub successors: Vec<u32>,
    /// Whether it ends with a jump to an unknown place.
    pub goes_anywhere: bool,
    /// Whether it can be reached from the entry.
    pub reachable: bool,
    /// Number of loops that contain it.
    pub depth: u32,
    /// Most vector registers in use at one of its instructions, as in `live_with_exec`.
    pub live_vgprs: u16,
}

/// A natural loop.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelLoop {
    /// Offset of the header.
    pub offset: u32,
    /// Offsets of the blocks that jump back to the header.
    pub back: Vec<u32>,
    /// Nesting depth; 1 for an outermost loop.
    pub depth: u32,
    /// Offset of the loop that contains it.
    pub parent: Option<u32>,
    /// Number of blocks, including those of inner loops.
    pub blocks: u32,
    /// The loop's instructions, each counted once.
    pub mix: InstructionMix,
    /// For how many cycles each time through it keeps each unit busy, at least; `null` where there are no rates of
    /// the processor.
    pub least_cycles: Option<LeastUnitCycles>,
}

/// Cycles for which a wave with all lanes active keeps each unit busy, at least: along the way through the loop that
/// keeps it least, with everything in the caches and no conflicts in LDS.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeastUnitCycles {
    /// The matrix unit of a SIMD unit.
    pub matrix: u64,
    /// Its vector unit.
    pub vector: u64,
    /// Transcendental functions.
    pub transcendental: u64,
    /// LDS of a compute unit.
    pub lds: u64,
    /// Vector memory of a compute unit.
    pub memory: u64,
    /// Issue of the wave's instructions but waits.
    pub issue: u64,
    /// The largest of these.
    pub least: u64,
    /// Which unit that is.
    pub unit: &'static str,
}

/// Instructions by purpose, each counted once for a wave with all lanes active.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstructionMix {
    /// All instructions.
    pub instructions: u64,
    /// Matrix products.
    pub matrix: u64,
    /// Dot products.
    pub dot: u64,
    /// Vector arithmetic, including the two above.
    pub vector: u64,
    /// Scalar arithmetic and control.
    pub scalar: u64,
    /// Vector memory.
    pub vector_memory: u64,
    /// Scalar memory.
    pub scalar_memory: u64,
    /// Memory of the work-group.
    pub lds: u64,
    /// Scratch memory, which holds spilled registers.
    pub scratch: u64,
    /// Waits.
    pub waits: u64,
    /// Barriers.
    pub barriers: u64,
    /// Branches and calls.
    pub branches: u64,
    /// Bytes a wave loads, except from LDS.
    pub bytes_loaded: u64,
    /// Bytes a wave stores, including atomic operations.
    pub bytes_stored: u64,
    /// Bytes moved to and from LDS.
    pub lds_bytes: u64,
    /// Floating-point additions and multiplications, including those of dot and matrix products.
    pub operations: u64,
}

/// A call, or a jump through a register.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelJump {
    /// Offset of the jump.
    pub offset: u32,
    /// Target address; `null` if it is not a constant.
    pub target: Option<i64>,
}

/// An instruction, with the registers in use at it: by the rule of `live_with_exec`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelInstruction {
    /// Offset in bytes.
    pub offset: u32,
    /// The instruction with its operands, as LLVM writes it.
    pub text: String,
    /// What it is for: `matrix`, `dot`, `vector`, `scalar`, `memory`, `lds`, `scratch`, `wait`, `barrier`,
    /// `branch` or `other`.
    pub kind: &'static str,
    /// Vector registers in use.
    pub live_vgprs: u16,
    /// Accumulation registers in use.
    pub live_agprs: u16,
    /// Scalar registers in use.
    pub live_sgprs: u16,
}
