//! What `diff` says.

use super::{Coverage, Found, Header, SelectionChanges};
use serde::Serialize;
use std::sync::Arc;

/// What changed between two trees, packages, files or saved reports.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all of both sides could be read, and what of them could not, or is to fail the run besides. A saved side has no
    /// findings here; its `complete` says whether it had all.
    #[serde(flatten)]
    pub found: Found,
    /// What was there before.
    pub old: DiffSide,
    /// What is there now.
    pub new: DiffSide,
    /// What got worse, the worst first; empty where nothing did.
    pub regressions: Vec<Regression>,
    /// What made the run end with 1: ids of rules, and the words of `--fail-on` for what got worse; empty where it did not.
    pub failed_because: Vec<String>,
    /// Libraries that only one side has.
    pub libraries: Vec<LibraryChange>,
    /// Libraries of both sides whose coverage of a processor changed, what got worse first.
    pub coverage: Vec<CoverageChange>,
    /// Numbers that changed.
    pub counts: Vec<CountChange>,
    /// Kernels; nothing where a side is a saved report, which does not name them.
    pub kernels: Option<KernelChanges>,
    /// What libraries choose for a list of problems; nothing where that was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selections: Option<SelectionChanges>,
    /// Files that changed.
    pub files: FileChanges,
    /// Findings that only one side has.
    pub finding_changes: FindingChanges,
    /// Bytes of device code by class, where they changed.
    pub device_bytes: Vec<BytesChange>,
    /// Statements of versions that changed.
    pub versions: Vec<VersionChange>,
}

/// One side of a comparison.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffSide {
    /// As the call names it.
    pub path: String,
    /// The roots that were audited.
    pub roots: Vec<String>,
    /// Whether it is a report that was saved before.
    pub saved: bool,
    /// The version of the program that audited it.
    pub tool_version: String,
    /// False where something could not be read: then what is missing here may be there.
    pub complete: bool,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
    /// Bytes of files with something to report.
    pub artifact_bytes: u64,
}

/// Something that got worse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Regression {
    /// What kind of thing it is.
    pub kind: RegressionKind,
    /// In a sentence.
    pub what: String,
    /// How many.
    pub count: u64,
}

/// A kind of thing that gets worse, the worst first; the words of `--fail-on`.
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
    /// A library answers a problem with a worse kind of kernel or solver, or none.
    WorseSelection,
    /// A catalog has fewer solutions, or a database fewer records.
    FewerRecords,
    /// A file with something to report is gone, and no other has its name without versions.
    LostFile,
    /// A finding that was not there before.
    NewFinding,
    /// More bytes than `--fail-on bigger=PERCENT` allows.
    Bigger,
}

impl RegressionKind {
    /// All, the worst first.
    pub const ALL: [RegressionKind; 9] = [
        RegressionKind::LostTarget,
        RegressionKind::LessCoverage,
        RegressionKind::LostKernel,
        RegressionKind::MoreSpills,
        RegressionKind::WorseSelection,
        RegressionKind::FewerRecords,
        RegressionKind::LostFile,
        RegressionKind::NewFinding,
        RegressionKind::Bigger,
    ];

    /// The word of `--fail-on`, which documents have too.
    pub fn word(self) -> &'static str {
        match self {
            RegressionKind::LostTarget => "lost-target",
            RegressionKind::LessCoverage => "less-coverage",
            RegressionKind::LostKernel => "lost-kernel",
            RegressionKind::MoreSpills => "more-spills",
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
    /// Whether it is gone; else it is new.
    pub lost: bool,
    /// The processors that it has code for there.
    pub processors: Vec<String>,
}

/// What a library has for a processor, where that changed.
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
    /// Whether that is less.
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

/// Kernels by name and target, wherever they lie: one that moved to another file is not lost.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelChanges {
    /// One row for each target of either side.
    pub targets: Vec<KernelTargetChange>,
    /// Kernels that are gone, of targets that both sides have.
    pub lost: Vec<KernelName>,
    /// Kernels that are new, of targets that both sides have.
    pub added: Vec<KernelName>,
    /// Kernels that have another name now, since their arguments changed, or since another release writes more parameters into names.
    pub renamed: Vec<KernelRename>,
    /// Kernels with other numbers than before; those that spill more first.
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
    /// Names whose numbers changed.
    pub changed: u64,
    /// Names that spill more than before.
    pub spill_more: u64,
}

/// A kernel of a target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelName {
    /// The target ID.
    pub target: Arc<str>,
    /// Name, mangled as it stands.
    pub name: Arc<str>,
    /// The name as programmers write it, where it is a C++ name.
    pub demangled: Option<Arc<str>>,
}

/// A kernel under another name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelRename {
    /// The target ID.
    pub target: Arc<str>,
    /// Its mangled name before.
    pub before: Arc<str>,
    /// Its mangled name now.
    pub after: Arc<str>,
}

/// A kernel with other numbers. Of several kernels of one name the largest numbers are compared.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelChange {
    /// Which.
    #[serde(flatten)]
    pub kernel: KernelName,
    /// Whether it spills more registers or needs more scratch than before.
    pub is_worse: bool,
    /// The numbers that changed.
    pub numbers: Vec<NumberChange>,
}

/// A number of a kernel that changed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NumberChange {
    /// Which: `vgprs`, `agprs`, `sgprs`, `spills`, `scratch`, `lds`.
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
    /// Only before.
    pub lost: Vec<FileSize>,
    /// Only now.
    pub added: Vec<FileSize>,
    /// The same but for numbers in its path: a version.
    pub renamed: Vec<FileRename>,
    /// Of another size.
    pub resized: Vec<BytesChange>,
}

/// A file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileSize {
    /// Its path below its root.
    pub path: String,
    /// Its library.
    pub library: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A file with another name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileRename {
    /// Its path before.
    pub before: String,
    /// Its path now.
    pub after: String,
    /// Its size in bytes before.
    pub bytes_before: u64,
    /// Its size in bytes now.
    pub bytes_after: u64,
}

/// Bytes of something, where they changed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BytesChange {
    /// Of what: a path, or a class of device code.
    pub of: String,
    /// Before.
    pub before: u64,
    /// Now.
    pub after: u64,
}

/// Findings that only one side has: of another rule, target, or name of the first file.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingChanges {
    /// New ones.
    pub new: Vec<FindingName>,
    /// Those that are gone.
    pub gone: Vec<FindingName>,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingName {
    /// Its rule.
    pub id: String,
    /// Its severity.
    pub severity: String,
    /// Its target.
    pub target: Option<String>,
    /// The name of the first file that only this side has it in.
    pub file: String,
    /// What is wrong.
    pub what: String,
}

/// A version that changed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VersionChange {
    /// Of what.
    pub component: String,
    /// Before; nothing where none was stated.
    pub before: Option<String>,
    /// Now.
    pub after: Option<String>,
}
