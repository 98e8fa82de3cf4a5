//! What machine code is made of.

use super::{Evidence, LibraryPart};
use serde::Serialize;
use std::collections::BTreeMap;

/// Instructions of the code objects of one target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Instructions {
    /// Code objects whose machine code was decoded.
    pub code_objects: u64,
    /// Code objects that were not: their processor is unknown, or they are compressed and too large to be kept.
    pub not_decoded: u64,
    /// All instructions.
    pub instructions: u64,
    /// Words that are no instruction of the target.
    pub unknown_words: u64,
    /// Zero bytes that were skipped, in runs of eight and more.
    pub zero_bytes: u64,
    /// Bytes among the code that symbols say are data.
    pub data_bytes: u64,
    /// Kernels by what their bodies are.
    pub bodies: Bodies,
    /// Instructions by class, for all classes, in the order of `rocm-audit list classes`.
    pub classes: Vec<ClassRow>,
    /// Instructions by mnemonic, most frequent first; empty in the report of an audit.
    pub mnemonics: Vec<MnemonicRow>,
    /// Instructions that another processor does not have, where one was named.
    pub absent: Option<Absent>,
}

/// Instructions of one class.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassRow {
    /// The class.
    pub class: String,
    /// Whether the target has such an instruction, by LLVM's description.
    pub expected: bool,
    /// How that is known.
    pub expected_evidence: Evidence,
    /// Instructions in the code.
    pub observed: u64,
    /// Code objects that have one.
    pub code_objects: u64,
}

/// One mnemonic.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MnemonicRow {
    /// As LLVM prints it; of a dual-issue pair both, `v_dual_a :: v_dual_b`.
    pub mnemonic: String,
    /// How often it occurs.
    pub count: u64,
}

/// Instructions that another processor does not have.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Absent {
    /// The other processor.
    pub processor: String,
    /// How many they are in all.
    pub instructions: u64,
    /// By mnemonic, most frequent first.
    pub mnemonics: Vec<AbsentRow>,
}

/// One mnemonic that another processor does not have.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AbsentRow {
    /// The mnemonic.
    pub mnemonic: String,
    /// The mnemonic that the same bits stand for there; nothing where they are no instruction.
    pub there: Option<String>,
    /// Whether it exists there, and names registers in a row that begin with an odd one, which is refused there.
    pub odd_registers: bool,
    /// How often it occurs.
    pub count: u64,
    /// The first kernel that has it, mangled; nothing where it stands in none.
    pub first_kernel: Option<String>,
    /// Demangled, where it is a C++ name.
    pub first_kernel_demangled: Option<String>,
}

/// Instructions of one library for one processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryInstructions {
    /// Whose code it is.
    #[serde(flatten)]
    pub part: LibraryPart,
    /// The processor.
    pub processor: String,
    /// Its instructions.
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
    /// Name, mangled as it stands.
    pub name: String,
    /// Demangled, where it is a C++ name.
    pub demangled: Option<String>,
    /// What its body is.
    pub body: Body,
    /// Its size in bytes.
    pub bytes: u64,
    /// All instructions.
    pub instructions: u64,
    /// Instructions by class, those that occur.
    pub classes: BTreeMap<String, u64>,
    /// Instructions by mnemonic, most frequent first.
    pub mnemonics: Vec<MnemonicRow>,
    /// The instructions in their order, where `--listing` asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listing: Option<Vec<ListedInstruction>>,
    /// Its occupancy, blocks, loops and registers in use, where `--inside` asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<super::KernelInside>,
}

/// An instruction of a listing.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListedInstruction {
    /// Virtual address in the code object.
    pub address: u64,
    /// Its bytes in hexadecimal, in the order of the file.
    pub bytes: String,
    /// Its mnemonic; nothing where it is no instruction.
    pub mnemonic: Option<&'static str>,
    /// The instruction with its operands, as LLVM writes it; nothing where it is none.
    pub text: Option<String>,
    /// The address at which a branch goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<u64>,
}

/// The same kernels of two targets.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelPairs {
    /// The target of `--arch` or `--gpu`.
    pub here: String,
    /// That of `--vs`.
    pub there: String,
    /// Kernels of both, by name. Of several with one name each is paired with the next of the other target.
    pub pairs: Vec<KernelPair>,
    /// Names of kernels that the second target does not have.
    pub only_here: Vec<String>,
    /// Names of kernels that the first target does not have.
    pub only_there: Vec<String>,
}

/// A kernel of two targets.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelPair {
    /// Its name for the first target, mangled as it stands.
    pub name: String,
    /// Demangled, where it is a C++ name.
    pub demangled: Option<String>,
    /// It for the first target.
    pub here: KernelSide,
    /// It for the second.
    pub there: KernelSide,
    /// Registers, spills, bytes of memory and of code, instructions.
    pub numbers: Vec<NumberPair>,
    /// Instructions by class, of the classes that occur.
    pub classes: Vec<ClassPair>,
    /// Which lines of both listings, which are among the `kernel_instructions` of the files, stand beside each other, by their places
    /// from 0: those of the same mnemonic, as many as can be. Nothing without `--listing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alignment: Option<Vec<(Option<usize>, Option<usize>)>>,
}

/// A kernel of one of two targets.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelSide {
    /// The target ID of its code object.
    pub target_id: String,
    /// Where the code object is.
    pub uri: String,
    /// Its name, mangled as it stands.
    pub name: String,
    /// What its body is.
    pub body: Body,
}

/// A number of a kernel for two targets; nothing where metadata do not state it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NumberPair {
    /// Which: `sgprs`, `vgprs`, `agprs`, `sgpr_spills`, `vgpr_spills`, `lds`, `scratch`, `wavefront`, `bytes`, `instructions`.
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

/// Kernels by what their bodies are.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Bodies {
    /// They do something.
    pub real: u64,
    /// They end at once.
    pub empty: u64,
    /// They can only trap.
    pub trap_stub: u64,
    /// They cannot be followed to an end.
    pub unclear: u64,
}

/// What the body of a kernel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// It does something.
    Real,
    /// It ends at once.
    Empty,
    /// It can only trap.
    TrapStub,
    /// It cannot be followed to an end.
    Unclear,
}

/// Which libraries use a class of instructions that a target has.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassAnswer {
    /// The processor.
    pub processor: String,
    /// The class.
    pub class: String,
    /// Instructions of it in all libraries.
    pub observed: u64,
    /// Each library with decoded code.
    pub libraries: Vec<ClassUser>,
}

/// How much of a library's code uses a class of instructions.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassUser {
    /// Whose code it is.
    #[serde(flatten)]
    pub part: LibraryPart,
    /// Code objects that have such an instruction.
    pub code_objects: u64,
    /// Code objects that were decoded.
    pub of_code_objects: u64,
}
