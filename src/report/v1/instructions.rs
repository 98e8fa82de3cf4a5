//! The instruction mix of machine code.

use super::{Evidence, LibraryPart};
pub use crate::inventory::source_lines::{KernelSource, SourceFrame, SourceStretch};
use serde::Serialize;
use std::collections::BTreeMap;

/// Instructions of the code objects of one target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Instructions {
    /// Code objects whose machine code was decoded.
    pub code_objects: u64,
    /// Code objects that were not decoded: their processor is unknown, or they are compressed and too large
    /// to keep.
    pub not_decoded: u64,
    /// All instructions.
    pub instructions: u64,
    /// Words that are not instructions of the target.
    pub unknown_words: u64,
    /// Zero bytes skipped, in runs of eight or more.
    pub zero_bytes: u64,
    /// Bytes in the code that symbols mark as data.
    pub data_bytes: u64,
    /// Kernels by what their bodies do.
    pub bodies: Bodies,
    /// Instructions by class, for all classes, in the order of `rocm-audit list classes`.
    pub classes: Vec<ClassRow>,
    /// Instructions by mnemonic, most frequent first; empty in the report of an audit.
    pub mnemonics: Vec<MnemonicRow>,
    /// Instructions that another processor lacks, if one was named.
    pub absent: Option<Absent>,
}

/// Instructions of one class.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassRow {
    /// The class.
    pub class: String,
    /// Whether the target has such instructions according to LLVM.
    pub expected: bool,
    /// How this is known.
    pub expected_evidence: Evidence,
    /// Instructions in the code.
    pub observed: u64,
    /// Number of code objects that contain one.
    pub code_objects: u64,
}

/// One mnemonic.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MnemonicRow {
    /// The mnemonic as LLVM prints it; for a dual-issue pair both, `v_dual_a :: v_dual_b`.
    pub mnemonic: String,
    /// How often it occurs.
    pub count: u64,
}

/// Instructions that another processor lacks.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Absent {
    /// The other processor.
    pub processor: String,
    /// Number of such instructions.
    pub instructions: u64,
    /// Number of kernels with such instructions, or that ask for what it does not have: the others run there.
    pub kernels: u64,
    /// Such instructions outside of kernels, in functions that kernels may call.
    pub outside: u64,
    /// Mangled names of the first such kernels.
    pub first_kernels: Vec<String>,
    /// The instructions by mnemonic and reason, those of most kernels first.
    pub mnemonics: Vec<AbsentRow>,
    /// What descriptors of kernels ask for and it does not have, whatever their instructions are.
    pub needs: Vec<AbsentNeed>,
}

/// Kernels whose descriptors ask for what another processor does not have.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AbsentNeed {
    /// `lds`: more bytes of LDS than a work-group can have there; `lanes`: waves of so many lanes.
    pub need: &'static str,
    /// The most that a kernel asks for.
    pub asked: u32,
    /// What there is.
    pub there: u32,
    /// Kernels that ask for more.
    pub kernels: u64,
    /// Mangled name of the first.
    pub first_kernel: String,
}

/// A mnemonic that another processor lacks.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AbsentRow {
    /// The mnemonic.
    pub mnemonic: String,
    /// The mnemonic of the same bits there, or the whole instruction if only its operands differ; `null` if they are
    /// not an instruction.
    pub there: Option<String>,
    /// The instruction with its operands, if only these differ: the first one.
    pub here: Option<String>,
    /// Whether it exists there, but with register ranges that begin at an odd register, which the other
    /// processor refuses.
    pub odd_registers: bool,
    /// Whether it exists there, but the same bits name other operands: a register, a cache bit, a constant.
    pub other_operands: bool,
    /// Whether it has bits that mean nothing in the other processor's encoding: what it does with them is unknown.
    pub unknown_bits: bool,
    /// How often it occurs.
    pub count: u64,
    /// Kernels that contain it.
    pub kernels: u64,
    /// Mangled name of the first kernel that contains it; `null` if it is outside of kernels.
    pub first_kernel: Option<String>,
    /// Demangled name, if it is a C++ name.
    pub first_kernel_demangled: Option<String>,
}

/// Instructions of one library for one processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryInstructions {
    /// The library's part.
    #[serde(flatten)]
    pub part: LibraryPart,
    /// The processor.
    pub processor: String,
    /// The instructions of the library's code.
    #[serde(flatten)]
    pub instructions: Instructions,
}

/// Instructions of one kernel.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelInstructions {
    /// The target ID of its code object.
    pub target_id: String,
    /// Where the code object is.
    pub uri: String,
    /// Mangled name.
    pub name: String,
    /// Demangled name, if it is a C++ name.
    pub demangled: Option<String>,
    /// What the body does.
    pub body: Body,
    /// Size of the body in bytes.
    pub bytes: u64,
    /// All instructions.
    pub instructions: u64,
    /// Instructions by class, those that occur.
    pub classes: BTreeMap<String, u64>,
    /// Instructions by mnemonic, most frequent first.
    pub mnemonics: Vec<MnemonicRow>,
    /// The instructions in order, if `--listing` requests them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listing: Option<Vec<ListedInstruction>>,
    /// Occupancy, blocks, loops and registers in use, if `--inside` requests them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<super::KernelInside>,
    /// Source lines of its code, with `--inside` or `--listing`, if its code object has debug information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<KernelSource>,
}

/// An instruction of a listing.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListedInstruction {
    /// Virtual address in the code object.
    pub address: u64,
    /// Its bytes in hexadecimal, in the order of the file.
    pub bytes: String,
    /// The mnemonic; `null` if the bytes are not an instruction.
    pub mnemonic: Option<&'static str>,
    /// The instruction with its operands, as LLVM writes it; `null` if the bytes are not an instruction.
    pub text: Option<String>,
    /// Address of a branch's target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<u64>,
    /// What the bytes say, if they are an instruction.
    #[serde(flatten)]
    pub parts: Option<InstructionParts>,
}

/// An instruction in parts.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstructionParts {
    /// Its operands, results first, in LLVM's order. What has no bits in the encoding is left out.
    pub operands: Vec<InstructionOperand>,
    /// Registers that it reads, also those that it does not name: `s[4:5]`, `exec`.
    pub reads: Vec<String>,
    /// Registers that it writes.
    pub writes: Vec<String>,
    /// Where it goes next.
    pub flow: InstructionFlow,
    /// The memory that it reads or writes; `null` if none.
    pub memory: Option<InstructionMemory>,
    /// Whether it loads from memory.
    pub loads: bool,
    /// Whether it stores to memory.
    pub stores: bool,
    /// Whether it is an atomic operation.
    pub atomic: bool,
}

/// An operand.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstructionOperand {
    /// LLVM's name: `vdst`, `src0`, `offset`.
    pub name: &'static str,
    /// Whether the instruction writes it; otherwise it reads it.
    pub is_result: bool,
    /// What it is.
    #[serde(flatten)]
    pub value: OperandValue,
}

/// What an operand is.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum OperandValue {
    /// Registers in a row.
    Register {
        /// The file: `vector`, `accumulation`, `scalar`, `trap`, `special`.
        file: &'static str,
        /// Number of the first one; of a special one that of the encoding.
        first: u16,
        /// How many, of 32 bits each.
        count: u8,
        /// `low` or `high`, if only half of one is meant.
        half: Option<&'static str>,
        /// Its name as LLVM has it.
        register: String,
    },
    /// A whole number that the encoding of a source holds, -16 to 64.
    Integer {
        /// The number.
        value: i64,
    },
    /// A number of floating point that the encoding of a source holds.
    Float {
        /// The number.
        value: f64,
    },
    /// A constant that follows the instruction, as bits.
    Literal {
        /// The bits.
        value: u64,
    },
    /// A number or a set of bits: an offset, a modifier, a cache policy.
    Number {
        /// The number.
        value: i64,
    },
}

/// Where an instruction goes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum InstructionFlow {
    /// The next instruction follows.
    Next,
    /// To its target, and nowhere else.
    Jump,
    /// To its target or to the next one.
    Branch,
    /// To its target, and from there back.
    Call,
    /// To an address in registers.
    Indirect,
    /// The wave ends.
    End,
}

/// A kind of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum InstructionMemory {
    Scalar,
    Buffer,
    Image,
    Flat,
    Global,
    Scratch,
    Lds,
}

/// The same kernels of two targets, or of two files.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelPairs {
    /// The target of `--arch` or `--gpu`, or the file.
    pub here: String,
    /// The target of `--vs`, or the file of `--vs-file`.
    pub there: String,
    /// Kernels of both sides, by name. Kernels with equal names are paired in order.
    pub pairs: Vec<KernelPair>,
    /// Names of kernels that the second side lacks.
    pub only_here: Vec<String>,
    /// Names of kernels that the first side lacks.
    pub only_there: Vec<String>,
}

/// A kernel of both sides.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelPair {
    /// Mangled name on the first side.
    pub name: String,
    /// Demangled name, if it is a C++ name.
    pub demangled: Option<String>,
    /// The file that both sides have it in, where several are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The kernel of the first side.
    pub here: KernelSide,
    /// The kernel of the second side.
    pub there: KernelSide,
    /// Registers, spills, bytes of memory and of code, instructions.
    pub numbers: Vec<NumberPair>,
    /// Instructions by class, for the classes that occur.
    pub classes: Vec<ClassPair>,
    /// Pairs of lines of both listings (found in the files' `kernel_instructions`) to show side by side, by
    /// index from 0; as many lines with the same mnemonic as possible are paired. `null` without `--listing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alignment: Option<Vec<(Option<usize>, Option<usize>)>>,
}

/// A kernel of one of two sides.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelSide {
    /// The target ID of its code object.
    pub target_id: String,
    /// Where the code object is.
    pub uri: String,
    /// Mangled name.
    pub name: String,
    /// What the body does.
    pub body: Body,
}

/// A number of a kernel for two targets; `null` if the metadata does not state it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NumberPair {
    /// Name of the number: `sgprs`, `vgprs`, `agprs`, `sgpr_spills`, `vgpr_spills`, `lds`, `scratch`,
    /// `wavefront`, `bytes`, `instructions`.
    pub what: String,
    /// For the first target.
    pub here: Option<u64>,
    /// For the second.
    pub there: Option<u64>,
}

/// Instructions of a class for two targets.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassPair {
    /// The class.
    pub class: String,
    /// For the first target.
    pub here: u64,
    /// For the second.
    pub there: u64,
}

/// Kernels by what their bodies do.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Bodies {
    /// Kernels that do something.
    pub real: u64,
    /// Kernels that end at once.
    pub empty: u64,
    /// Kernels that only trap.
    pub trap_stub: u64,
    /// Kernels that cannot be followed to an end.
    pub unclear: u64,
}

/// What the body of a kernel does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// It does something.
    Real,
    /// It ends at once.
    Empty,
    /// It only traps.
    TrapStub,
    /// It cannot be followed to an end.
    Unclear,
}

/// How libraries use a class of instructions that a target has.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassAnswer {
    /// The processor.
    pub processor: String,
    /// The class.
    pub class: String,
    /// Number of such instructions in all libraries.
    pub observed: u64,
    /// Each library with decoded code.
    pub libraries: Vec<ClassUser>,
}

/// How much of a library's code uses a class of instructions.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassUser {
    /// The library's part.
    #[serde(flatten)]
    pub part: LibraryPart,
    /// Number of code objects that contain such an instruction.
    pub code_objects: u64,
    /// Number of decoded code objects.
    pub of_code_objects: u64,
}
