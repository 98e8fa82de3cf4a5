//! The output types: what JSON shows and every renderer draws.
//!
//! These types are copies for the outside: after a release, fields are only added, and the document's version
//! says so ([`document`]). Numbers are raw, sizes are in bytes, arrays are sorted, and nothing depends on
//! time or machine.

mod answer;
mod audit;
mod beside;
mod check;
mod claim;
mod code_places;
mod conv;
mod coverage;
mod diff;
#[macro_use]
mod documents;
mod error;
mod explain;
mod fatbin;
mod finding;
mod found;
mod gemm;
mod ggml;
mod header;
mod inside;
mod instructions;
mod isa;
mod kernel;
mod layers;
mod list;
mod matmul;
mod miopen;
mod model;
mod model_graph;
mod needs;
mod override_value;
mod select;
mod selection;
mod shared;
mod shipped;
mod slim;
mod survey;
mod tensile;
mod verdict;
mod verdicts;
pub mod verify;
mod waste;
mod workload;

pub use crate::finding::confidence::Confidence;
pub use crate::finding::evidence::Evidence;
pub use crate::finding::severity::Severity;
pub use answer::{ConvLine, ConvRefusal, GemmLine, ProblemError};
pub use audit::{
    Artifact, ArtifactKind, BrokenEntry, Cache, CompilerSign, Consequence, ImageLayer, Input, LinkedRelease,
    NotExamined, Package, Remainder, Report, RunTimeCompiler, Summary, Totals, UnreportedReason, UserPlace,
    Version,
};
pub use beside::{BesideReport, BesideSide, ProductTaker, TakenBy};
pub use check::{CheckReport, Requirement, UnusedIgnore};
pub use claim::Claim;
pub use code_places::{CodePlace, CodePlacesReport, PlaceInstruction};
pub use conv::{
    ConvAssumption, ConvCandidate, ConvDatabase, ConvDatabaseKind, ConvEstimate, ConvFind, ConvImmediate,
    ConvKernel, ConvOutcome, ConvParameter, ConvParametersBy, ConvPick, ConvRecorded, ConvRejected,
    ConvReport, ConvRules, ConvRulesChange, RecordVerdict,
};
pub use coverage::{
    Cell, Coverage, CoveredLibraries, CoveredPart, FileShare, LibraryPart, LibraryRow, LibraryWithoutCode,
    TargetAnswer,
};
pub use diff::{
    BytesChange, CountChange, CoverageChange, DiffReport, DiffSide, FileChanges, FileRename, FileSize,
    FindingChanges, FindingName, KernelChange, KernelChanges, KernelName, KernelRename, KernelTargetChange,
    LibraryChange, NumberChange, Regression, RegressionKind, VersionChange,
};
pub use error::ErrorReport;
pub use explain::{
    ExplainCause, ExplainCondition, ExplainDevice, ExplainKnownMessage, ExplainLibrary, ExplainMessage,
    ExplainNumber, ExplainReport, ExplainRule, ExplainSolver, ExplainTarget, ExplainTree, ExplainWordReport,
    MessageClass, ShownByBytes, TreeVerdict,
};
pub use fatbin::{
    Bundle, CodeObject, CodeSources, ContentRow, DeviceSection, EntriesReport, Entry, EntryLine, Fatbin,
    FatbinReport, FatbinTarget, FatbinTargetSum, FatbinTotal, Kpack, KpackTarget, NamedBytes, StorageKind,
    StorageRow, Wrappers,
};
pub use finding::{Finding, Location, SeverityCounts};
pub use found::Found;
pub use gemm::{GemmRow, GemmType, Served};
pub use ggml::{
    BlasAnswer, FamilyCell, FamilyReport, FamilyRow, KernelPresence, KernelRole, RouteCell, RouteColumn,
    RouteKernel, RouteLibrary, RouteReport, RouteRow, RouteRule, RouteTableReport,
};
pub use header::{Document, Header, Tool};
pub use inside::{
    InstructionMix, KernelBlock, KernelInside, KernelInstruction, KernelJump, KernelLoop, KernelOccupancy,
    NextOccupancy, Reduction, RegisterUse,
};
pub use instructions::{
    Absent, AbsentRow, Bodies, Body, ClassAnswer, ClassPair, ClassRow, ClassUser, Instructions,
    KernelInstructions, KernelPair, KernelPairs, KernelSide, KernelSource, LibraryInstructions,
    ListedInstruction, MnemonicRow, NumberPair, SourceFrame, SourceStretch,
};
pub use isa::{
    ClaimingLibrary, IsaCapability, IsaClass, IsaDifference, IsaFeature, IsaReport, IsaTarget, Renamed,
};
pub use kernel::{KernelLine, KernelsReport};
pub use layers::{BuildLayer, FallbackLayer, SelectionLayer, ShipLayer, Target, TargetTotals};
pub use list::ListReport;
pub use matmul::{
    MatmulAlgorithm, MatmulCell, MatmulCoverage, MatmulDecided, MatmulLaunch, MatmulLine, MatmulMap,
    MatmulReport, MatmulTable, WorkItems,
};
pub use miopen::{
    MiopenDatabase, MiopenDatabaseKind, MiopenDevice, MiopenFolder, MiopenKindSum, MiopenLines, MiopenOpened,
    MiopenSum, MiopenTarget,
};
pub use model::{
    ModelAdvice, ModelBound, ModelCall, ModelCard, ModelConversion, ModelFacts, ModelKernel, ModelLayer,
    ModelLayerWay, ModelMemory, ModelOperation, ModelPhase, ModelRank, ModelReport, ModelTried, ModelUsage,
    ModelVerdict, ModelWay,
};
pub use model_graph::{GraphConvolutions, GraphNode, GraphProducts, GraphSolver, ModelGraphReport};
pub use needs::{
    FileNeeds, LeastRuntime, MissingLibrary, NeededLibrary, NeededPlace, NeededVersion, NeedsReport,
};
pub use override_value::{OverriddenLibrary, OverrideAnswer, OverrideReport};
pub use select::{GemmReport, KernelLaunch, KernelParameter, LaunchRole, Statement};
pub use selection::{
    SelectionAnswer, SelectionChange, SelectionChanges, SelectionGap, SelectionTarget, SelectionVerdict,
};
pub use shared::{ByteClass, Count, DatabaseChoice, TargetIdRow};
pub use shipped::{
    DatabaseForm, DatabaseKind, DatabaseLines, FirmwareCount, FirmwareRow, MesFirmware, MiopenRow, TensileRow,
};
pub use slim::{SlimFile, SlimLibrary, SlimOverride, SlimReport};
pub use survey::{
    GemmServed, Layer, SurveyConvolution, SurveyEvent, SurveyFamily, SurveyGemm, SurveyGgml, SurveyLayer,
    SurveyNumber, SurveyRefusal, SurveyReport, SurveyRoute, SurveyRouteHere, SurveySide,
};
pub use tensile::{LibraryFolder, LibraryTarget};
pub use verdict::{Answer, DamagedFile, LibraryRole, LibraryVerdict, Need, Override, Verdict};
pub use verdicts::VerdictsReport;
pub use verify::{TuningFile, VerifyReport};
pub use waste::{Copies, CopyGroup, Uncompressed, Waste};
pub use workload::{WorkloadLines, WorkloadProblem, WorkloadReport, WorkloadWay};

/// The JSON documents that this program writes: one table, from which headers, schemas and schema files are made.
pub mod document {
    documents! {
        CHECK = "check", "2.3.0", "Whether libraries have the targets that are required: `check`.", super::CheckReport;
        CODE_PLACES = "code-places", "1.0.0", "What lies at places of device code: `fatbin --at`.", super::CodePlacesReport;
        DIFF = "diff", "2.0.0", "What changed between two trees or reports: `diff`.", super::DiffReport;
        ENTRIES = "entries", "2.0.1", "Bundle entries of files: `fatbin --list`.", super::EntriesReport<'static>;
        ENTRY = "entry", "2.0.0", "A bundle entry, one line of JSON Lines.", super::EntryLine<'static>;
        ERROR = "error", "1.1.0", "Why a run could not be done, in place of another document.", super::ErrorReport;
        EXPLAIN = "explain", "2.4.0", "Messages of a log: `explain --error`.", super::ExplainReport;
        EXPLAIN_WORD = "explain-word", "2.1.0", "A rule, a cause, a target or a solver: `explain`.", super::ExplainWordReport;
        FATBIN = "fatbin", "2.3.0", "Device code of files: `fatbin`.", super::FatbinReport;
        ISA = "isa", "2.0.1", "Instructions of a target: `explain TARGET --isa`.", super::IsaReport;
        KERNEL = "kernel", "2.1.0", "A kernel, one line of the inventory in JSON Lines.", super::KernelLine<'static>;
        KERNELS = "kernels", "2.1.0", "Kernels of files: `fatbin --kernels`.", super::KernelsReport<'static>;
        LIST = "list", "1.0.0", "What this program knows: `list`.", super::ListReport;
        MODEL = "model", "1.3.0", "Which kernels a model takes on a card: `model`.", super::ModelReport;
        MODEL_GRAPH = "model-graph", "1.1.1",
            "Which convolutions and products of an ONNX model are known on a card: `model`.", super::ModelGraphReport;
        NEEDS = "needs", "1.1.0", "What libraries need from others, and where it is: `needs`.", super::NeedsReport;
        OVERRIDE = "override", "2.2.0", "What an override of the version would make of code: `explain --override`.", super::OverrideReport;
        REPORT = "report", "2.4.0", "The capability report of an audit.", super::Report;
        SELECT_BESIDE = "select-beside", "1.0.0",
            "A matrix product on several devices, or by several installs: `select gemm --vs` and `--vs-library`, `select matmul` likewise.", super::BesideReport;
        SELECT_CONV = "select-conv", "2.1.0", "A choice of MIOpen: `select conv`.", super::ConvReport;
        SELECT_CONV_ANSWER = "select-conv-answer", "2.1.0",
            "An answer to a line of `select conv --problems`.", super::ConvLine<'static>;
        SELECT_FAMILIES = "select-families", "2.0.1",
            "Kernels of ggml by family: `select mul-mat --families`.", super::FamilyReport;
        SELECT_GEMM = "select-gemm", "2.1.0", "A choice of rocBLAS: `select gemm`.", super::GemmReport;
        SELECT_GEMM_ANSWER = "select-gemm-answer", "2.1.0",
            "An answer to a line of `select gemm --problems`.", super::GemmLine<'static>;
        SELECT_MATMUL = "select-matmul", "1.1.0", "A choice of hipBLASLt: `select matmul`.", super::MatmulReport;
        SELECT_MATMUL_ANSWER = "select-matmul-answer", "1.1.0",
            "An answer to a line of `select matmul --problems`.", super::MatmulLine<'static>;
        SELECT_MATMUL_COVERAGE = "select-matmul-coverage", "1.0.1",
            "Sizes that hipBLASLt was tuned for: `select matmul --coverage`.", super::MatmulCoverage;
        SELECT_MATMUL_MAP = "select-matmul-map", "1.0.1",
            "How far sizes are from those that were tuned: `select matmul --map`.", super::MatmulMap;
        SELECT_ROUTE = "select-route", "2.1.0", "A route of ggml: `select mul-mat`.", super::RouteReport;
        SELECT_ROUTES = "select-routes", "2.0.1",
            "Routes of ggml by type and columns: `select mul-mat --table`.", super::RouteTableReport;
        SLIM = "slim", "1.1.0", "What a tree can lose where only some GPUs are to be served: `slim`.", super::SlimReport;
        SURVEY = "survey", "2.1.0", "A processor layer by layer: `survey`.", super::SurveyReport;
        VERDICT = "verdict", "1.0.0", "The verdicts of an audit alone: `-f verdict`.", super::VerdictsReport<'static>;
        VERIFY = "verify", "1.0.0", "Whether library folders and databases hang together: `verify`.", super::VerifyReport;
        WORKLOAD = "workload", "1.1.0", "What becomes of a list of products, convolutions and attentions: `workload`.",
            super::WorkloadReport;
    }
}
