//! The document of `diff`.

use super::{Coverage, Described, Document, Found, Header, SelectionChanges, VerdictChange};
use serde::Serialize;
use std::sync::Arc;

/// What changed between two trees, packages, files or saved reports.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether both sides could be read in full, and findings: what could not be read, or what makes the run
    /// fail. A saved side has no findings here; its `complete` says whether it was read in full.
    #[serde(flatten)]
    pub found: Found,
    /// The old side.
    pub old: DiffSide,
    /// The new side.
    pub new: DiffSide,
    /// The verdicts on the cards that the call names, by processor; left out if it names none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<VerdictChange>,
    /// The regressions, worst first; empty if there are none.
    pub regressions: Vec<Regression>,
    /// Why the run ended with 1: ids of rules, and `--fail-on` words for regressions; empty if it did not.
    pub failed_because: Vec<String>,
    /// Libraries that only one side has.
    pub libraries: Vec<LibraryChange>,
    /// Libraries on both sides with changed coverage of a processor; those with less come first.
    pub coverage: Vec<CoverageChange>,
    /// Numbers that changed.
    pub counts: Vec<CountChange>,
    /// Changed kernels; `null` if a side is a saved report, which does not list them.
    pub kernels: Option<KernelChanges>,
    /// What instructions the code is made of, one row for each processor of either side; `null` unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Vec<InstructionMixChange>>,
    /// What libraries choose for a list of problems; `null` unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selections: Option<SelectionChanges>,
    /// Files that changed.
    pub files: FileChanges,
    /// Findings that only one side has.
    pub finding_changes: FindingChanges,
    /// Changed bytes of device code by class.
    pub device_bytes: Vec<BytesChange>,
    /// Statements of versions that changed.
    pub versions: Vec<VersionChange>,
}

impl Described for DiffReport {
    const DOCUMENT: Document = Document {
        name: "diff",
        version: "2.3.0",
        about: "What changed between two trees or reports: `diff`.",
    };
}

/// One side of a comparison.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffSide {
    /// The path as the call names it.
    pub path: String,
    /// The audited roots.
    pub roots: Vec<String>,
    /// Whether it is a saved report.
    pub saved: bool,
    /// Version of the program that audited it.
    pub tool_version: String,
    /// False if something could not be read: then items missing here may exist.
    pub complete: bool,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Bytes of the files with something to report.
    pub artifact_bytes: u64,
}

/// A regression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Regression {
    /// Kind of the regression.
    pub kind: RegressionKind,
    /// The regression in a sentence.
    pub what: String,
    /// Number of items.
    pub count: u64,
}

/// Kinds of regressions, worst first; also the words of `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RegressionKind {
    /// A library, or its code for a processor, is gone.
    LostTarget,
    /// A library has less for a processor than before: in fewer files, or fallback kernels only.
    LessCoverage,
    /// A kernel of a target that both sides have is gone.
    LostKernel,
    /// A kernel spills more registers, or needs more scratch.
    MoreSpills,
    /// A SIMD unit holds fewer waves of a kernel.
    LowerOccupancy,
    /// A kernel waits less often for memory, with as many memory instructions or more; only where machine code
    /// is compared.
    FewerWaits,
    /// A library answers a problem with a worse kind of kernel or solver, or with none.
    WorseSelection,
    /// A catalog has fewer solutions, or a database fewer records.
    FewerRecords,
    /// A file with something to report is gone, and no new file equals its name without versions.
    LostFile,
    /// A finding that was not there before.
    NewFinding,
    /// More bytes than `--fail-on bigger=PERCENT` allows.
    Bigger,
}

impl RegressionKind {
    /// All kinds, worst first.
    pub const ALL: [RegressionKind; 11] = [
        RegressionKind::LostTarget,
        RegressionKind::LessCoverage,
        RegressionKind::LostKernel,
        RegressionKind::MoreSpills,
        RegressionKind::LowerOccupancy,
        RegressionKind::FewerWaits,
        RegressionKind::WorseSelection,
        RegressionKind::FewerRecords,
        RegressionKind::LostFile,
        RegressionKind::NewFinding,
        RegressionKind::Bigger,
    ];

    /// The word in `--fail-on` and in documents.
    pub fn word(self) -> &'static str {
        match self {
            RegressionKind::LostTarget => "lost-target",
            RegressionKind::LessCoverage => "less-coverage",
            RegressionKind::LostKernel => "lost-kernel",
            RegressionKind::MoreSpills => "more-spills",
            RegressionKind::LowerOccupancy => "lower-occupancy",
            RegressionKind::FewerWaits => "fewer-waits",
            RegressionKind::WorseSelection => "worse-selection",
            RegressionKind::FewerRecords => "fewer-records",
            RegressionKind::LostFile => "lost-file",
            RegressionKind::NewFinding => "new-finding",
            RegressionKind::Bigger => "bigger",
        }
    }
}

/// A library that only one side has.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryChange {
    /// The library.
    pub library: String,
    /// Whether it is the library's Tensile folder.
    pub tensile: bool,
    /// Whether it is gone; otherwise it is new.
    pub lost: bool,
    /// The processors that it has code for on that side.
    pub processors: Vec<String>,
}

/// A changed coverage of a processor by a library.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoverageChange {
    /// The library.
    pub library: String,
    /// Whether it is the library's Tensile folder.
    pub tensile: bool,
    /// The processor.
    pub processor: String,
    /// What it had.
    pub before: Coverage,
    /// What it has.
    pub after: Coverage,
    /// Whether it is less than before.
    pub is_worse: bool,
}

/// A number that changed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CountChange {
    /// The library, or the database's file.
    pub of: String,
    /// The processor.
    pub processor: String,
    /// What is counted: `kernels`, `code objects`, `solutions`, `records`.
    pub what: String,
    /// Before.
    pub before: u64,
    /// Now.
    pub after: u64,
}

/// What instructions the code for a processor is made of. Code of all files is counted, copies too.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstructionMixChange {
    /// The processor.
    pub processor: String,
    /// Before; `null` if no code for it was decoded.
    pub before: Option<InstructionMixSide>,
    /// Now; `null` if no code for it was decoded.
    pub after: Option<InstructionMixSide>,
    /// Classes whose numbers differ, the largest difference first; empty if a side is `null`. An instruction
    /// can be of several classes.
    pub classes: Vec<MixChange>,
    /// The same for mnemonics.
    pub mnemonics: Vec<MixChange>,
}

/// The code of one side for a processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstructionMixSide {
    /// Code objects, decoded or not.
    pub code_objects: u64,
    /// Those that were not decoded; their instructions are not counted.
    pub not_decoded: u64,
    /// Instructions of the others.
    pub instructions: u64,
    /// Words that are no instructions.
    pub unknown_words: u64,
}

/// How often a class or a mnemonic occurs.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MixChange {
    /// The class, as `rocm-audit list classes` has it, or the mnemonic.
    pub name: String,
    /// Instructions before.
    pub before: u64,
    /// Instructions now.
    pub after: u64,
}

/// Kernels by name and target in any file: a kernel that moved to another file is not lost.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelChanges {
    /// One row for each target of either side.
    pub targets: Vec<KernelTargetChange>,
    /// Kernels that are gone, on targets of both sides.
    pub lost: Vec<KernelName>,
    /// Kernels that are new, on targets of both sides.
    pub added: Vec<KernelName>,
    /// Kernels with changed names, because their arguments changed or another release writes more parameters
    /// into names.
    pub renamed: Vec<KernelRename>,
    /// Kernels whose numbers or code changed; those that spill more come first.
    pub changed: Vec<KernelChange>,
}

/// Kernels of a target.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelTargetChange {
    /// The target ID.
    pub target: String,
    /// Names before.
    pub before: u64,
    /// Names now.
    pub after: u64,
    /// Names that are gone.
    pub lost: u64,
    /// Names that are new.
    pub added: u64,
    /// Kernels that have another name now.
    pub renamed: u64,
    /// Names whose numbers or code changed.
    pub changed: u64,
    /// Names that spill more than before.
    pub spill_more: u64,
    /// Names with lower occupancy: a SIMD unit holds fewer of their waves than before.
    pub lower_occupancy: u64,
    /// What changed in the machine code of kernels of both sides; `null` unless requested.
    pub code: Option<KernelCodeChanges>,
}

/// Kernels of both sides by what changed in their machine code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelCodeChanges {
    /// The same bytes.
    pub same: u64,
    /// The same instructions; only distances to what lies outside of the kernel differ.
    pub addresses: u64,
    /// The same instructions in the same order; each register became one other throughout.
    pub registers: u64,
    /// The same but for waits for memory, messages and exports: how many, where, and for how much; with the same
    /// or renamed registers.
    pub waits: u64,
    /// The same instructions in another order, or in the same one with registers that did not each become one
    /// other.
    pub order: u64,
    /// Other instructions.
    pub instructions: u64,
    /// Kernels that wait less often for memory than before, with at least as many memory instructions.
    pub fewer_waits: u64,
}

/// What changed in the machine code of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CodeChange {
    /// Only distances to what lies outside of the kernel.
    Addresses,
    /// Only the numbers of registers: each became one other.
    Registers,
    /// Only waits for memory, and perhaps numbers of registers.
    Waits,
    /// Only the order of instructions, or which registers they use.
    Order,
    /// The instructions.
    Instructions,
}

/// A kernel of a target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelName {
    /// The target ID.
    pub target: Arc<str>,
    /// Mangled name.
    pub name: Arc<str>,
    /// Demangled name, if it is a C++ name.
    pub demangled: Option<Arc<str>>,
}

/// A kernel under another name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelRename {
    /// The target ID.
    pub target: Arc<str>,
    /// The old mangled name.
    pub before: Arc<str>,
    /// The new mangled name.
    pub after: Arc<str>,
}

/// A kernel whose numbers or code changed. Those of files that both sides have are compared file by file;
/// of several others of a name the largest numbers.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelChange {
    /// The kernel.
    #[serde(flatten)]
    pub kernel: KernelName,
    /// The file, where kernels of its name are compared in several files that both sides have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
    /// Whether it spills more registers, needs more scratch, or leaves room for fewer waves than before.
    pub is_worse: bool,
    /// What changed in its machine code; `null` if nothing did, or unless requested.
    pub code: Option<CodeChange>,
    /// The numbers that changed.
    pub numbers: Vec<NumberChange>,
}

/// A number of a kernel that changed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NumberChange {
    /// Name of the number: `vgprs`, `agprs`, `sgprs`, `spills`, `scratch`, `lds`,
    /// `occupancy` (waves of it that a SIMD unit holds); of machine code `instructions`, `code-bytes`, `waits`,
    /// `matrix`, `vector-memory`, `lds-instructions`, `scratch-instructions`, `branches`.
    pub what: String,
    /// Before.
    pub before: u64,
    /// Now.
    pub after: u64,
}

/// Files with something to report, by their paths below the roots.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileChanges {
    /// Files of the old side only.
    pub lost: Vec<FileSize>,
    /// Files of the new side only.
    pub added: Vec<FileSize>,
    /// Files whose paths differ only in numbers (versions).
    pub renamed: Vec<FileRename>,
    /// Files whose size changed.
    pub resized: Vec<BytesChange>,
}

/// A file on one side only.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileSize {
    /// Path below the root.
    pub path: String,
    /// The library it belongs to.
    pub library: String,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// A file with another name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileRename {
    /// Path below the root before.
    pub before: String,
    /// Path below the root now.
    pub after: String,
    /// Size in bytes before.
    pub bytes_before: u64,
    /// Size in bytes now.
    pub bytes_after: u64,
}

/// A changed number of bytes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BytesChange {
    /// A path, or a class of device code.
    pub of: String,
    /// Before.
    pub before: u64,
    /// Now.
    pub after: u64,
}

/// Findings on one side only: no finding of the other side has the same rule, target and name of the first
/// file.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingChanges {
    /// New ones.
    pub new: Vec<FindingName>,
    /// Findings that are gone.
    pub gone: Vec<FindingName>,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingName {
    /// Id of the rule.
    pub id: String,
    /// Severity of the finding.
    pub severity: String,
    /// Target of the finding.
    pub target: Option<String>,
    /// Name of the first file for which only this side has the finding.
    pub file: String,
    /// What is wrong.
    pub what: String,
}

/// A version that changed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VersionChange {
    /// The component whose version changed.
    pub component: String,
    /// The old version; `null` if none was stated.
    pub before: Option<String>,
    /// The new version; `null` if none is stated.
    pub after: Option<String>,
}
