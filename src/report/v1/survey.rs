//! What `survey` says: why a processor works, or does not, layer by layer.

use super::{Answer, Claim, Consequence, Evidence, Finding, Header};
use serde::Serialize;

/// A tree asked about one processor or two.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// The roots as given.
    pub roots: Vec<String>,
    /// The override that the answer takes as set: `--override`.
    pub claim: Option<Claim>,
    /// One for each processor.
    pub sides: Vec<SurveySide>,
    /// What bytes alone cannot show, in sentences.
    pub not_shown: Vec<String>,
    /// False where something could not be read: see `findings`.
    pub complete: bool,
    /// What could not be read, and what else is worth saying.
    pub findings: Vec<Finding>,
}

/// One processor.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveySide {
    /// The processor.
    pub processor: String,
    /// Products with it, a few.
    pub products: Vec<String>,
    /// Multiprocessors that selections were asked with.
    pub multiprocessors: u32,
    /// Whether their number is assumed, since the card has not been named or its number is not known.
    pub multiprocessors_assumed: bool,
    /// Whether what is here runs on it.
    pub answer: Answer,
    /// The four layers: build, selection, fallback, ship.
    pub layers: Vec<SurveyLayer>,
    /// What stands in the way.
    pub blocked: Vec<Consequence>,
    /// What rocBLAS chooses for the reference product of each type; empty where its catalogs are not here.
    pub gemms: Vec<SurveyGemm>,
    /// What MIOpen does with the reference convolutions; empty where MIOpen is not here.
    pub convolutions: Vec<SurveyConvolution>,
    /// Families of MIOpen's solvers, and which of them the processor admits, whatever the shape; empty where MIOpen is not
    /// here.
    pub families: Vec<SurveyFamily>,
    /// How llama.cpp makes products of each weight type, and attention; empty where ggml's library is not here.
    pub routes: Vec<SurveyRoute>,
    /// The version of ggml whose rules answer, and whether its library is here.
    pub ggml: SurveyGgml,
    /// Since when it is refused: commits of public histories that say that they take it out; nothing where none is known.
    pub since: Option<String>,
    /// When libraries that are here first and last named the processor.
    pub history: Vec<SurveyEvent>,
}

/// A layer of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Code that was built for it.
    Build,
    /// Data and rules that select among code.
    Selection,
    /// What is used where nothing was made for it.
    Fallback,
    /// What is shipped under its name.
    Ship,
}

impl Layer {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Build => "build",
            Layer::Selection => "selection",
            Layer::Fallback => "fallback",
            Layer::Ship => "ship",
        }
    }
}

/// What a layer comes to.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyLayer {
    /// Which.
    pub layer: Layer,
    /// Whether it carries the processor.
    pub answer: Answer,
    /// A sentence.
    pub conclusion: String,
    /// How it is known.
    pub evidence: Evidence,
    /// The numbers behind it.
    pub numbers: Vec<SurveyNumber>,
}

/// A number of a layer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyNumber {
    /// What is counted.
    pub what: String,
    /// How many.
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
    /// By none: rocBLAS returns a status.
    None,
    /// It is not known: a catalog could not be read.
    Unknown,
}

/// What rocBLAS does for a type.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyGemm {
    /// The type: `HHS`.
    #[serde(rename = "type")]
    pub ty: String,
    /// It in words.
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
    /// It as `select conv` takes it.
    pub problem: String,
    /// The solver that the find-db decides for.
    pub picked: Option<String>,
    /// What a find would measure without a record.
    pub measured: Vec<String>,
}

/// A family of solvers.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyFamily {
    /// Its name.
    pub name: String,
    /// Solvers that the processor admits.
    pub admitted: Vec<String>,
    /// Those that it, the build or a default refuses for every shape.
    pub refused: Vec<SurveyRefusal>,
}

/// A solver that is refused for every shape.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyRefusal {
    /// The solver.
    pub solver: String,
    /// Why, in a sentence.
    pub because: String,
    /// Where that was read.
    pub source: String,
}

/// How llama.cpp makes products of a weight type.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyRoute {
    /// The weight type, or `attention`.
    #[serde(rename = "type")]
    pub ty: String,
    /// For 512 tokens.
    pub prefill: SurveyRouteHere,
    /// For one.
    pub decode: SurveyRouteHere,
}

/// A route and its kernel.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyRouteHere {
    /// The route: `MMQ`, `BLAS`.
    pub route: String,
    /// Whether the library has its kernel: `real`, `trap stub`, `absent`, `no code object`; nothing where it has none of
    /// ggml's.
    pub presence: Option<String>,
}

/// Whose rules answer for llama.cpp.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyGgml {
    /// The version; nothing where those of the latest known one answer.
    pub version: Option<String>,
    /// Whether the library is here.
    pub is_here: bool,
}

/// A commit in which a library's files came to name the processor, or named it for the last time.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SurveyEvent {
    /// The day.
    pub date: String,
    /// The library.
    pub library: String,
    /// Whether it is the first such commit, else the last.
    pub is_first: bool,
    /// `ROCm/Tensile 41236e39cf93`.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
}
