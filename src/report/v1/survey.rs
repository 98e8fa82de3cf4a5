//! The document of `survey`: why a processor works or does not, layer by layer.

use super::{Answer, Claim, Consequence, Described, Document, Evidence, Finding, Header};
use serde::Serialize;

/// Answers on a tree for one or two processors.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The roots as given.
    pub roots: Vec<String>,
    /// The override that the answer takes as set (`--override`).
    pub claim: Option<Claim>,
    /// One for each processor.
    pub sides: Vec<SurveySide>,
    /// What bytes alone cannot show, in sentences.
    pub not_shown: Vec<String>,
    /// False if something could not be read: see `findings`.
    pub complete: bool,
    /// What could not be read, and other findings.
    pub findings: Vec<Finding>,
}

impl Described for SurveyReport {
    const DOCUMENT: Document =
        Document { name: "survey", version: "2.3.0", about: "A processor layer by layer: `survey`." };
}

/// One processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveySide {
    /// The processor.
    pub processor: String,
    /// Some products with it.
    pub products: Vec<String>,
    /// Multiprocessors used for the selections.
    pub multiprocessors: u32,
    /// Whether each of these is a work group processor of two compute units, as from gfx10 on.
    pub multiprocessors_are_pairs: bool,
    /// Whether their number is assumed, because no card was named or its number is unknown.
    pub multiprocessors_assumed: bool,
    /// Whether the stack here runs on it.
    pub answer: Answer,
    /// The answer in words, as an audit says it.
    pub headline: String,
    /// The four layers: build, selection, fallback, ship.
    pub layers: Vec<SurveyLayer>,
    /// Libraries that do not run and so block the use.
    pub blocked: Vec<Consequence>,
    /// What rocBLAS chooses for the reference product of each type; empty without its catalogs.
    pub gemms: Vec<SurveyGemm>,
    /// What MIOpen does with the reference convolutions; empty without MIOpen.
    pub convolutions: Vec<SurveyConvolution>,
    /// Families of MIOpen's solvers, and which of them the processor allows for any shape; empty without
    /// MIOpen.
    pub families: Vec<SurveyFamily>,
    /// How llama.cpp computes products of each weight type, and attention; empty without ggml's library.
    pub routes: Vec<SurveyRoute>,
    /// The version of ggml whose rules answer, and whether its library is here.
    pub ggml: SurveyGgml,
    /// Since when it is refused, from commits in public histories that say they remove it; `null` if none is
    /// known.
    pub since: Option<String>,
    /// When libraries found here first and last named the processor.
    pub history: Vec<SurveyEvent>,
}

/// A layer of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Code built for it.
    Build,
    /// Data and rules that select among code.
    Selection,
    /// What is used if nothing was made for it.
    Fallback,
    /// Files shipped under its name.
    Ship,
}

impl Layer {
    /// Name of the layer in documents.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Build => "build",
            Layer::Selection => "selection",
            Layer::Fallback => "fallback",
            Layer::Ship => "ship",
        }
    }
}

/// The conclusion on a layer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyLayer {
    /// The layer.
    pub layer: Layer,
    /// Whether it supports the processor.
    pub answer: Answer,
    /// The conclusion as a sentence.
    pub conclusion: String,
    /// How the conclusion is known.
    pub evidence: Evidence,
    /// The numbers behind it.
    pub numbers: Vec<SurveyNumber>,
}

/// A number of a layer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyNumber {
    /// What the number counts.
    pub what: String,
    /// The number.
    pub number: u64,
}

/// How a product is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GemmServed {
    /// By a kernel tuned for the processor.
    Tuned,
    /// By a kernel for every processor.
    Fallback,
    /// Not at all: rocBLAS returns a status.
    None,
    /// Its kernel is missing: the call fails.
    Fails,
    /// Unknown: a catalog could not be read.
    Unknown,
}

/// What rocBLAS does for one type.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyGemm {
    /// The type: `HHS`.
    #[serde(rename = "type")]
    pub ty: String,
    /// The type in words.
    pub means: String,
    /// How it is served.
    pub served: GemmServed,
    /// The kernel.
    pub kernel: Option<String>,
    /// The code object that supplies it.
    pub code_object: Option<String>,
    /// Why there is no answer.
    pub why: Option<String>,
}

/// What MIOpen does with a convolution.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyConvolution {
    /// The convolution in words.
    pub means: String,
    /// The convolution as `select conv` accepts it.
    pub problem: String,
    /// The solver that the find-db decides on.
    pub picked: Option<String>,
    /// Solvers that a find would measure without a record.
    pub measured: Vec<String>,
}

/// A family of solvers.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyFamily {
    /// Name of the family.
    pub name: String,
    /// Solvers that the processor allows.
    pub admitted: Vec<String>,
    /// Solvers that the processor, the build or a default refuses for every shape.
    pub refused: Vec<SurveyRefusal>,
}

/// A solver that is refused for every shape.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyRefusal {
    /// The solver.
    pub solver: String,
    /// The reason, in a sentence.
    pub because: String,
    /// Source of the reason.
    pub source: String,
}

/// How llama.cpp computes products of a weight type.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyRoute {
    /// The weight type, or `attention`.
    #[serde(rename = "type")]
    pub ty: String,
    /// For 512 tokens.
    pub prefill: SurveyRouteHere,
    /// For one token.
    pub decode: SurveyRouteHere,
}

/// A route and its kernel.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyRouteHere {
    /// The route: `MMQ`, `BLAS`.
    pub route: String,
    /// Whether the library has its kernel: `real`, `trap stub`, `absent`, `no code object`; `null` if the
    /// route uses no kernel of ggml.
    pub presence: Option<String>,
}

/// The version of ggml whose rules answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyGgml {
    /// The version; `null` if the rules of the latest known one answer.
    pub version: Option<String>,
    /// Whether the library is here.
    pub is_here: bool,
}

/// A commit in which a library's files named the processor for the first or last time.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyEvent {
    /// Date of the commit.
    pub date: String,
    /// The library.
    pub library: String,
    /// Whether it is the first such commit; otherwise it is the last.
    pub is_first: bool,
    /// `ROCm/Tensile 41236e39cf93`.
    pub commit: String,
    /// The files of the library that were looked at; others may name the processor earlier or later.
    pub place: String,
    /// First line of the commit message.
    pub subject: String,
}
