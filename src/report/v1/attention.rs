//! The document of `choose attention`: which library holds a kernel of attention, and which one frameworks take.

use super::{Described, Document, Evidence, Finding, Header};
use serde::Serialize;

/// Which libraries of a tree hold a kernel of attention for a card, and which of them frameworks take.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttentionReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The processor of the card.
    pub processor: String,
    /// Products that the user's word means; empty if it named a processor.
    pub products: Vec<String>,
    /// What is computed.
    pub call: AttentionAsked,
    /// False if something could not be read: see `findings`.
    pub complete: bool,
    /// Why the run ended with 1.
    pub failed_because: Vec<String>,
    /// The libraries that are here, those with a kernel first.
    pub libraries: Vec<AttentionLibrary>,
    /// The frameworks that are here.
    pub frameworks: Vec<AttentionFramework>,
    /// Rows of lists whose kernel is not in these files.
    pub missing: Vec<AttentionMissing>,
    /// What could not be read.
    pub findings: Vec<Finding>,
}

impl Described for AttentionReport {
    const DOCUMENT: Document = Document {
        name: "attention",
        version: "1.0.0",
        about: "Which libraries hold a kernel of attention for a card, and which of them frameworks take: `choose attention`.",
    };
}

/// Attention: a forward pass without bias, dropout and window, with as many keys as queries.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttentionAsked {
    /// Type of queries, keys and values.
    #[serde(rename = "type")]
    pub ty: String,
    /// Elements of a head's query and key.
    pub head_dim: u32,
    /// Elements of a head's value.
    pub value_dim: u32,
    /// Whether a query sees only the keys before it.
    pub causal: bool,
}

/// Whether a library has a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AttentionHeld {
    /// It is in these files.
    Holds,
    /// Its compiler makes it on the card.
    Compiles,
    /// The library is here; which kernels it has is not read.
    NotKnown,
    /// It is not in these files.
    Not,
    /// The library is not here.
    NotHere,
}

/// What a library has for the call.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttentionLibrary {
    /// The library.
    pub library: String,
    /// Whether it has a kernel.
    pub answer: AttentionHeld,
    /// What was found, or what is lacking.
    pub because: String,
    /// How that is known.
    pub known: Evidence,
    /// The kernel's symbol.
    pub kernel: Option<String>,
    /// The file that it, or the list that names it, is in.
    pub path: Option<String>,
    /// Processors that it has kernels of attention for.
    pub processors: Vec<String>,
    /// All kinds of kernels that it has for the card.
    pub kernels: Vec<AttentionKind>,
}

/// A kind of kernel.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttentionKind {
    /// Type of queries, keys and values.
    #[serde(rename = "type")]
    pub ty: String,
    /// Elements of a head's query and key that it is made for.
    pub head_dim: u32,
    /// Elements of a head's value that it is made for.
    pub value_dim: u32,
    /// Whether it masks.
    pub causal: bool,
    /// Whether it is for smaller heads; absent if it takes both.
    pub padded: Option<bool>,
    /// Whether it is for sequences of different lengths behind each other.
    pub group: bool,
}

/// What a framework takes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttentionFramework {
    /// The framework.
    pub framework: String,
    /// Its release and that of the library that decides, if known.
    pub release: Option<String>,
    /// What the rules hold for, if not for that release.
    pub remark: Option<String>,
    /// Variables of the environment that the caller set.
    pub variables: Vec<String>,
    /// The backend that it takes; absent if it takes none.
    pub takes: Option<String>,
    /// Whether the library of that backend has the kernel; absent if the backend needs none of those here.
    pub held: Option<AttentionHeld>,
    /// What it tries, in its order.
    pub steps: Vec<AttentionStep>,
}

/// A backend that a framework tries.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttentionStep {
    /// The backend as the framework names it.
    pub backend: String,
    /// The library whose kernels it launches.
    pub library: Option<String>,
    /// Why the framework leaves it; absent if it would take it.
    pub refused: Option<String>,
    /// How that is known: by a rule.
    pub known: Evidence,
    /// Where the rule is written.
    pub source: String,
}

/// A row of a list whose kernel is not there.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttentionMissing {
    /// The list.
    pub path: String,
    /// The kernel's symbol.
    pub kernel: String,
}
