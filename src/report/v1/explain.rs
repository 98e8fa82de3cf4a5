//! What a message, or a word of this program, means.

use super::{Evidence, Found, Header, Severity};
use serde::Serialize;

/// What the messages of a log mean, and, where a tree was named, whether its files are the cause.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// What kind of thing the message is about that decides.
    pub class: MessageClass,
    /// Which message it is; none where no message is known.
    pub message: Option<String>,
    /// Who prints it.
    pub library: Option<String>,
    /// The processor that it is about, or that was asked for.
    pub target: Option<String>,
    /// The same with its features, where the message has them.
    pub target_id: Option<String>,
    /// That the text is about another processor than was asked for, in a sentence.
    pub of_another: Option<String>,
    /// The path that the message names.
    pub path: Option<String>,
    /// What can be behind it, the most probable first: the ids of `causes`.
    pub rules: Vec<String>,
    /// What it means.
    pub meaning: String,
    /// What can be behind it, the most probable first.
    pub causes: Vec<ExplainCause>,
    /// What bytes of files can decide, and what they cannot.
    pub bytes: Option<String>,
    /// What to do first.
    pub advice: String,
    /// What the files of the tree say; none where no tree was named.
    pub tree: Option<ExplainTree>,
    /// All messages that were recognised, the one that decides first.
    pub messages: Vec<ExplainMessage>,
    /// The processors that the log names anywhere.
    pub processors: Vec<String>,
    /// The GPUs of the machine, as the log states them.
    pub devices: Vec<ExplainDevice>,
    /// Values of `HSA_OVERRIDE_GFX_VERSION` in the log.
    pub overrides: Vec<String>,
    /// Processors that the log only lists: as supported, as code objects of a file, as files.
    pub listed: Vec<String>,
    /// Number of lines of the log.
    pub lines: u64,
}

/// What kind of thing a message is about.
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
    /// Code is compiled or run, and that fails.
    Runtime,
    /// A build fails.
    Build,
    /// Other software than ROCm speaks.
    NotRocm,
    /// The words fit several causes of different kinds.
    Ambiguous,
    /// No message is known.
    Unknown,
}

/// What can be behind a message.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainCause {
    /// Its name.
    pub id: String,
    /// What is wrong.
    pub what: String,
    /// What distinguishes it from other causes.
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

/// A message that was recognised.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainMessage {
    /// Which.
    pub id: String,
    /// What kind of thing it is about here.
    pub class: MessageClass,
    /// The line in which it first stands, from 1.
    pub line: u64,
    /// How often it stands in the log; in a long one that repeats itself, in the part that was read.
    pub count: u64,
    /// The processor that it names.
    pub target: Option<String>,
    /// That line, cut.
    pub quote: String,
    /// What it means.
    pub meaning: String,
}

/// A GPU of the machine, as a log states it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainDevice {
    /// Its number; none where the log states none.
    pub number: Option<u32>,
    /// Its processor.
    pub processor: String,
    /// Whether it is the one in use when the message was printed.
    pub in_use: bool,
}

/// What the files of a tree say about a message.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainTree {
    /// The roots.
    pub roots: Vec<String>,
    /// What it comes to.
    pub verdict: TreeVerdict,
    /// Why, in a sentence or two.
    pub because: String,
    /// How it is known.
    pub known: Evidence,
    /// Libraries without code or files for the target.
    pub lacking: Vec<ExplainLibrary>,
    /// Libraries that have them.
    pub serving: Vec<ExplainLibrary>,
}

/// What the files of a tree say about a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TreeVerdict {
    /// The first cause is there.
    Confirmed,
    /// The files have what is asked for: they are not the cause.
    NotTheFiles,
    /// The files do not say.
    NotDecided,
}

/// A library of the tree.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainLibrary {
    /// Its name.
    pub library: String,
    /// Whether it is the Tensile folder of the library.
    pub tensile: bool,
    /// The first of its files.
    pub path: Option<String>,
}

/// What a word of this program means.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainWordReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// The word.
    pub word: String,
    /// The rule of findings of this id.
    pub rule: Option<ExplainRule>,
    /// The cause of this id.
    pub cause: Option<ExplainCause>,
    /// The rules of findings that show the cause, by their ids.
    pub found_by: Vec<String>,
    /// The messages that can have the cause, or the message of this id.
    pub messages: Vec<ExplainKnownMessage>,
    /// The processor of this name.
    pub target: Option<ExplainTarget>,
    /// The solver of this name.
    pub solver: Option<ExplainSolver>,
}

/// A rule of findings.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainRule {
    /// Its id.
    pub id: String,
    /// How much such a finding matters.
    pub severity: Severity,
    /// What is so.
    pub what: String,
    /// What follows.
    pub effect: String,
    /// What to do.
    pub advice: String,
    /// How it is known.
    pub known: Evidence,
    /// Its page, paragraph by paragraph.
    pub page: Vec<String>,
}

/// A message that this program recognises.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainKnownMessage {
    /// Its name.
    pub id: String,
    /// What kind of thing it is about.
    pub class: MessageClass,
    /// Who prints it.
    pub library: String,
    /// What it means.
    pub meaning: String,
    /// What bytes of files can decide, and what they cannot.
    pub bytes: String,
    /// What can be behind it, the most frequent first.
    pub rules: Vec<String>,
}

/// A processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainTarget {
    /// Its name.
    pub processor: String,
    /// The instruction set family by its public name.
    pub family: String,
    /// A few devices.
    pub devices: Option<String>,
    /// Its number in `e_flags`.
    pub mach: u8,
    /// The first LLVM that names it, where it is not an old one.
    pub since_llvm: u32,
    /// The targets whose code a device of it loads.
    pub loads: Vec<String>,
    /// For a generic target, its members.
    pub members: Vec<String>,
    /// Processors with the same instructions, in every bit.
    pub same_instructions: Vec<String>,
    /// Processors of the same generation all of whose instructions it has too, with the same bits and names. Their code
    /// decodes on it; an override would have to load it.
    pub decodes: Vec<String>,
    /// What the last two were read in.
    pub source: String,
}

/// A solver of MIOpen.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainSolver {
    /// Its name as databases write it.
    pub name: String,
    /// Its number in the registry.
    pub id: u16,
    /// Its family, where it has a rule.
    pub algorithm: Option<String>,
    /// Whether the default find mode considers it on a miss.
    pub dynamic: Option<bool>,
    /// What is not certain about it, or why there is no rule.
    pub note: Option<String>,
    /// Where its check was read.
    pub source: Option<String>,
    /// Its conditions.
    pub conditions: Vec<ExplainCondition>,
}

/// A condition of a solver.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainCondition {
    /// Its name within the rule.
    pub id: String,
    /// Why a problem is refused by it.
    pub refuses: String,
    /// Where it was read.
    pub source: String,
}
