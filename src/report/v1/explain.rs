//! The documents that explain a message, or a word of this program.

use super::{Claim, CodePlace, Described, Document, Evidence, Found, Header, Severity};
use serde::Serialize;

/// What the messages of a log mean and, if a tree is named, whether its files are the cause.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// Class of the deciding message.
    pub class: MessageClass,
    /// The override that the user says was set, and whether it is safe; `target` is then the processor that
    /// it names.
    pub claim: Option<Claim>,
    /// Id of the deciding message; `null` if no message is known.
    pub message: Option<String>,
    /// The software that prints it.
    pub library: Option<String>,
    /// The processor that the message or the user names.
    pub target: Option<String>,
    /// The target with its features, if the message states them.
    pub target_id: Option<String>,
    /// Says that the text is about another processor than the user asked about.
    pub of_another: Option<String>,
    /// The path that the message names.
    pub path: Option<String>,
    /// Ids of the possible causes, most probable first, as in `causes`.
    pub rules: Vec<String>,
    /// What it means.
    pub meaning: String,
    /// Possible causes, most probable first.
    pub causes: Vec<ExplainCause>,
    /// What the bytes of files can and cannot decide.
    pub bytes: Option<String>,
    /// What to do first.
    pub advice: String,
    /// What the files of the tree say; `null` if no tree is named.
    pub tree: Option<ExplainTree>,
    /// All recognised messages; the deciding one comes first.
    pub messages: Vec<ExplainMessage>,
    /// The processors that the log names anywhere.
    pub processors: Vec<String>,
    /// The GPUs of the machine, as the log states them.
    pub devices: Vec<ExplainDevice>,
    /// Values of `HSA_OVERRIDE_GFX_VERSION` in the log.
    pub overrides: Vec<String>,
    /// Processors that the log only lists: as supported, as code objects of a file, or as files.
    pub listed: Vec<String>,
    /// Number of lines of the log.
    pub lines: u64,
    /// Where waves were, by lines of ROCm's debug agent or debugger: looked up in the files of the tree, if
    /// one is named.
    pub places: Vec<CodePlace>,
}

impl Described for ExplainReport {
    const DOCUMENT: Document =
        Document { name: "explain", version: "2.4.0", about: "Messages of a log: `explain --error`." };
}

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MessageClass {
    /// Files are missing or wrong: look into them.
    File,
    /// The program refuses by a list of its own.
    Application,
    /// Nothing is wrong; the program goes on.
    Harmless,
    /// The device, its driver, a permission, memory or a limit.
    Environment,
    /// Compiling or running code fails.
    Runtime,
    /// A build fails.
    Build,
    /// The message comes from other software than ROCm.
    NotRocm,
    /// The words fit several causes of different kinds.
    Ambiguous,
    /// No message was recognised.
    Unknown,
}

/// A possible cause of a message.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainCause {
    /// Id of the cause.
    pub id: String,
    /// What is wrong.
    pub what: String,
    /// What tells it apart from other causes.
    pub tell: String,
    /// What to do.
    pub advice: String,
    /// Whether bytes of files show it.
    pub shown_by_bytes: ShownByBytes,
}

/// Whether bytes of files show a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ShownByBytes {
    /// They show it.
    Yes,
    /// They show a part of it, or exclude it.
    Partly,
    /// They do not.
    No,
}

/// A message recognised in the log.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainMessage {
    /// Id of the message.
    pub id: String,
    /// What the message is about here.
    pub class: MessageClass,
    /// Number of the first line that contains it, from 1.
    pub line: u64,
    /// How often it stands in the log; in a long one that repeats itself, in the part that was read.
    pub count: u64,
    /// The processor in the message.
    pub target: Option<String>,
    /// That line, shortened.
    pub quote: String,
    /// What it means.
    pub meaning: String,
}

/// A GPU of the machine, as a log states it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainDevice {
    /// Number of the GPU; `null` if the log states none.
    pub number: Option<u32>,
    /// Processor of the GPU.
    pub processor: String,
    /// Whether it was in use when the message was printed.
    pub in_use: bool,
}

/// What the files of a tree say about a message.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainTree {
    /// The roots.
    pub roots: Vec<String>,
    /// The verdict on the cause.
    pub verdict: TreeVerdict,
    /// Why, in a sentence or two.
    pub because: String,
    /// How the verdict is known.
    pub known: Evidence,
    /// Libraries without code or files for the target.
    pub lacking: Vec<ExplainLibrary>,
    /// Libraries with code and files for the target.
    pub serving: Vec<ExplainLibrary>,
}

/// What the files of a tree say about a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TreeVerdict {
    /// The files show the first cause.
    Confirmed,
    /// The files contain what is needed, so they are not the cause.
    NotTheFiles,
    /// The files do not decide it.
    NotDecided,
}

/// A library of the tree.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainLibrary {
    /// Name of the library.
    pub library: String,
    /// Whether it is the library's Tensile folder.
    pub tensile: bool,
    /// Path of its first file.
    pub path: Option<String>,
}

/// What a word of this program means.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainWordReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// The word.
    pub word: String,
    /// The rule of findings with this id.
    pub rule: Option<ExplainRule>,
    /// The cause with this id.
    pub cause: Option<ExplainCause>,
    /// Ids of the rules whose findings show the cause.
    pub found_by: Vec<String>,
    /// The messages that can have the cause, or the message with this id.
    pub messages: Vec<ExplainKnownMessage>,
    /// The processor with this name.
    pub target: Option<ExplainTarget>,
    /// The solver with this name.
    pub solver: Option<ExplainSolver>,
    /// What the number can be, if the word is one.
    pub numbers: Vec<ExplainNumber>,
}

impl Described for ExplainWordReport {
    const DOCUMENT: Document = Document {
        name: "explain-word",
        version: "2.3.0",
        about: "A rule, a cause, a target or a solver: `explain`.",
    };
}

/// What a number can be: a status of a call, the end of a process, or the id of a solver.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainNumber {
    /// Whose number it is.
    pub of: String,
    /// The name that it stands for, or what it says.
    pub name: String,
    /// What that means, if it is a status that this program knows.
    pub meaning: Option<String>,
    /// Whether `explain` takes the name for more.
    pub explained: bool,
}

/// A rule of findings.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainRule {
    /// Id of the rule.
    pub id: String,
    /// How much such a finding matters.
    pub severity: Severity,
    /// What such a finding states.
    pub what: String,
    /// What follows.
    pub effect: String,
    /// What to do.
    pub advice: String,
    /// How such a finding is known.
    pub known: Evidence,
    /// The rule's documentation page, by paragraph.
    pub page: Vec<String>,
}

/// A message that this program recognises.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainKnownMessage {
    /// Id of the message.
    pub id: String,
    /// What the message is about.
    pub class: MessageClass,
    /// The software that prints it.
    pub library: String,
    /// What it means.
    pub meaning: String,
    /// What the bytes of files can and cannot decide.
    pub bytes: String,
    /// Possible causes, most frequent first.
    pub rules: Vec<String>,
}

/// A processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainTarget {
    /// Name of the processor.
    pub processor: String,
    /// Public name of its instruction set family.
    pub family: String,
    /// A few devices.
    pub devices: Option<String>,
    /// The processor's number in `e_flags`.
    pub mach: u8,
    /// The first LLVM release that names it; 19 also stands for all earlier ones.
    pub since_llvm: u32,
    /// The targets whose code such a device loads.
    pub loads: Vec<String>,
    /// For a generic target, its members.
    pub members: Vec<String>,
    /// Processors with the same instructions and encodings.
    pub same_instructions: Vec<String>,
    /// Processors of the same generation whose instructions are a subset of its own, with the same bits and
    /// names. Their code decodes on it, but only an override would load it.
    pub decodes: Vec<String>,
    /// Source of the two fields before it.
    pub source: String,
    /// What public histories of libraries say of it: the first and the last commit in a line that names it.
    pub history: Vec<ExplainHistory>,
    /// In which releases libraries are built for it by default, as their sources say.
    pub builds: Vec<ExplainBuilds>,
    /// Public packages, and what their files have for it.
    pub packages: Vec<ExplainPackage>,
}

/// In which releases a library is built for a processor where its user names no targets. Who builds packages
/// may have named others.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainBuilds {
    /// The library.
    pub library: String,
    /// The first release whose sources were looked at.
    pub examined_first: String,
    /// The last such release.
    pub examined_last: String,
    /// The releases that are built for the processor; none where no such release is.
    pub releases: Vec<ExplainBuild>,
}

/// Releases that follow each other and are built for the same targets of a processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainBuild {
    /// The first of them.
    pub first: String,
    /// The last of them.
    pub last: String,
    /// The targets, with their features: `gfx90a:xnack+`.
    pub targets: Vec<String>,
    /// Where the list of the first stands: `ROCm/rocBLAS 337552f09e39 CMakeLists.txt:193`.
    pub source: String,
}

/// What the public history of a library says of a processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainHistory {
    /// The library.
    pub library: String,
    /// The files that were looked at; others may name the processor earlier or later.
    pub place: String,
    /// The first commit in a line that names it.
    pub first: Option<ExplainCommit>,
    /// The last such commit, if it is another one.
    pub last: Option<ExplainCommit>,
    /// Whether the last commit says that it takes the processor out.
    pub is_taken_out: bool,
}

/// A commit.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainCommit {
    /// Date of the commit.
    pub date: String,
    /// `ROCm/Tensile 41236e39cf93`.
    pub commit: String,
    /// First line of the commit message.
    pub subject: String,
}

/// What a public package has for a processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainPackage {
    /// Name and release of the package.
    pub package: String,
    /// The first of its files.
    pub file: String,
    /// The day on which it was read.
    pub read: String,
    /// Whether it runs on the processor.
    pub answer: ExplainServed,
}

/// Whether a package serves a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExplainServed {
    /// It runs.
    Runs,
    /// It has less than for others, or some variants only have code.
    Limits,
    /// Its files have nothing for it, or do not decide it.
    NotShown,
}

/// A solver of MIOpen.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainSolver {
    /// Name of the solver as in databases.
    pub name: String,
    /// Number of the solver in the registry.
    pub id: u16,
    /// Algorithm family of the solver, if it has a rule.
    pub algorithm: Option<String>,
    /// Whether the default find mode considers it on a miss.
    pub dynamic: Option<bool>,
    /// What is uncertain about it, or why it has no rule.
    pub note: Option<String>,
    /// Source of its applicability check.
    pub source: Option<String>,
    /// Conditions under which it accepts a problem.
    pub conditions: Vec<ExplainCondition>,
}

/// A condition of a solver.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainCondition {
    /// Name of the condition within the rule.
    pub id: String,
    /// Why it refuses a problem.
    pub refuses: String,
    /// Source of the condition.
    pub source: String,
}
