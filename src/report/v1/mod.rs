//! The output types: what JSON shows and every renderer draws.
//!
//! These types are copies for the outside: after a release, fields are only added, and the document's version
//! says so ([`document`]). Numbers are raw, sizes are in bytes, arrays are sorted, and nothing depends on
//! time or machine.

mod answer;
mod attention;
mod audit;
mod beside;
mod check;
mod choose;
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
mod manifest;
mod matmul;
mod miopen;
mod model;
mod model_advice;
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
pub use attention::{
    AttentionAsked, AttentionFramework, AttentionHeld, AttentionKind, AttentionLibrary, AttentionMissing,
    AttentionReport, AttentionStep,
};
pub use audit::{
    Artifact, ArtifactKind, BrokenEntry, Cache, CompilerSign, Consequence, ImageLayer, Input, LinkedRelease,
    NotExamined, Package, Remainder, Report, RunTimeCompiler, Summary, Totals, UnreportedReason, UserPlace,
    Version,
};
pub use beside::{BesideReport, BesideSide, ProductTaker, TakenBy};
pub use check::{CheckReport, RequiredCode, Requirement, UnusedIgnore};
pub use choose::{Candidate, CandidateSource, CandidateSystem, ChooseReport};
pub use claim::Claim;
pub use code_places::{CodePlace, CodePlacesReport, PlaceInstruction};
pub use conv::{
    ConvAssumption, ConvCandidate, ConvDatabase, ConvDatabaseKind, ConvEstimate, ConvFind, ConvImmediate,
    ConvKernel, ConvLaunch, ConvOutcome, ConvParameter, ConvParametersBy, ConvPick, ConvRecorded,
    ConvRejected, ConvReport, ConvRules, ConvRulesChange, RecordVerdict,
};
pub use coverage::{
    Cell, Coverage, CoveredLibraries, CoveredPart, FileShare, LibraryPart, LibraryRow, LibraryWithoutCode,
    TargetAnswer,
};
pub use diff::{
    BytesChange, CodeChange, CountChange, CoverageChange, DiffReport, DiffSide, FileChanges, FileRename,
    FileSize, FindingChanges, FindingName, InstructionMixChange, InstructionMixSide, KernelChange,
    KernelChanges, KernelCodeChanges, KernelName, KernelRename, KernelTargetChange, LibraryChange, MixChange,
    NumberChange, Regression, RegressionKind, VersionChange,
};
pub use error::ErrorReport;
pub use explain::{
    ExplainBuild, ExplainBuilds, ExplainCause, ExplainCommit, ExplainCondition, ExplainDevice,
    ExplainHistory, ExplainKnownMessage, ExplainLibrary, ExplainMessage, ExplainNumber, ExplainPackage,
    ExplainReport, ExplainRule, ExplainServed, ExplainSolver, ExplainTarget, ExplainTree, ExplainWordReport,
    MessageClass, ShownByBytes, TreeVerdict,
};
pub use fatbin::{
    Bundle, CloseInstructions, ClosePair, CodeObject, CodeSources, ContentRow, DeviceSection, EntriesReport,
    Entry, EntryLine, Fatbin, FatbinReport, FatbinTarget, FatbinTargetSum, FatbinTotal, KernelWaits, Kpack,
    KpackTarget, MissingKernelWait, NamedBytes, ResultMisuse, StorageKind, StorageRow, WhenMissing, Wrappers,
};
pub use finding::{Finding, Location, SeverityCounts};
pub use found::Found;
pub use gemm::{GemmRow, GemmType, Served};
pub use ggml::{
    BlasAnswer, FamilyCell, FamilyReport, FamilyRow, KernelPresence, KernelRole, RouteCell, RouteColumn,
    RouteKernel, RouteLibrary, RouteReport, RouteRow, RouteRule, RouteTableReport,
};
pub use header::{Described, Document, Header, Tool};
pub use inside::{
    CardBalance, InstructionMix, KernelBlock, KernelInside, KernelInstruction, KernelJump, KernelLoop,
    KernelOccupancy, LeastUnitCycles, NextOccupancy, Reduction, RegisterUse,
};
pub use instructions::{
    Absent, AbsentNeed, AbsentRow, Bodies, Body, ClassAnswer, ClassPair, ClassRow, ClassUser,
    InstructionFlow, InstructionMemory, InstructionOperand, InstructionParts, Instructions,
    KernelInstructions, KernelPair, KernelPairs, KernelSide, KernelSource, LibraryInstructions,
    ListedInstruction, MnemonicRow, NumberPair, OperandValue, SourceFrame, SourceStretch,
};
pub use isa::{
    ClaimingLibrary, IsaCapability, IsaClass, IsaDifference, IsaFeature, IsaReport, IsaTarget, Renamed,
};
pub use kernel::{KernelLine, KernelsReport};
pub use layers::{BuildLayer, FallbackLayer, SelectionLayer, ShipLayer, Target, TargetTotals};
pub use list::ListReport;
pub use manifest::{
    Manifest, ManifestArtifact, ManifestCards, ManifestCoverage, ManifestFile, ManifestFinding,
    ManifestLibrary, ManifestOverride, ManifestRelease, ManifestTarget,
};
pub use matmul::{
    MatmulAlgorithm, MatmulCell, MatmulCoverage, MatmulDecided, MatmulLaunch, MatmulLine, MatmulMap,
    MatmulReport, MatmulTable, WorkItems,
};
pub use miopen::{
    MiopenDatabase, MiopenDatabaseKind, MiopenDevice, MiopenFolder, MiopenKindSum, MiopenLines, MiopenOpened,
    MiopenSum, MiopenTarget,
};
pub use model::{
    ModelBound, ModelCall, ModelCard, ModelConversion, ModelFacts, ModelKernel, ModelLayer, ModelLayerWay,
    ModelLeast, ModelMemory, ModelOperation, ModelPhase, ModelRank, ModelReached, ModelReport, ModelSpeed,
    ModelUsage, ModelVerdict, ModelWay,
};
pub use model_advice::{ModelAdvice, ModelBatchCost, ModelTried};
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
pub use shipped::*;
pub use slim::{SlimFile, SlimLibrary, SlimOverride, SlimReport};
pub use survey::{
    GemmServed, Layer, SurveyConvolution, SurveyEvent, SurveyFamily, SurveyGemm, SurveyGgml, SurveyLayer,
    SurveyNumber, SurveyRefusal, SurveyReport, SurveyRoute, SurveyRouteHere, SurveySide,
};
pub use tensile::{LibraryFolder, LibraryTarget};
pub use verdict::{
    Answer, DamagedFile, LibraryRole, LibraryVerdict, Need, Override, SideVerdict, Verdict, VerdictChange,
};
pub use verdicts::VerdictsReport;
pub use verify::{TuningFile, VerifyReport};
pub use waste::{Copies, CopyGroup, Uncompressed, Waste};
pub use workload::{WorkloadLines, WorkloadProblem, WorkloadReport, WorkloadWay};

/// The JSON documents that this program writes: one table, from which headers, schemas and schema files are
/// made.
pub mod document {
    documents! {
        ATTENTION = super::AttentionReport;
        CHECK = super::CheckReport;
        CHOOSE = super::ChooseReport;
        CODE_PLACES = super::CodePlacesReport;
        DIFF = super::DiffReport;
        ENTRIES = super::EntriesReport<'static>;
        ENTRY = super::EntryLine<'static>;
        ERROR = super::ErrorReport;
        EXPLAIN = super::ExplainReport;
        EXPLAIN_WORD = super::ExplainWordReport;
        FATBIN = super::FatbinReport;
        ISA = super::IsaReport;
        KERNEL = super::KernelLine<'static>;
        KERNELS = super::KernelsReport<'static>;
        LIST = super::ListReport;
        MANIFEST = super::Manifest;
        MODEL = super::ModelReport;
        MODEL_GRAPH = super::ModelGraphReport;
        NEEDS = super::NeedsReport;
        OVERRIDE = super::OverrideReport;
        REPORT = super::Report;
        SELECT_BESIDE = super::BesideReport;
        SELECT_CONV = super::ConvReport;
        SELECT_CONV_ANSWER = super::ConvLine<'static>;
        SELECT_FAMILIES = super::FamilyReport;
        SELECT_GEMM = super::GemmReport;
        SELECT_GEMM_ANSWER = super::GemmLine<'static>;
        SELECT_MATMUL = super::MatmulReport;
        SELECT_MATMUL_ANSWER = super::MatmulLine<'static>;
        SELECT_MATMUL_COVERAGE = super::MatmulCoverage;
        SELECT_MATMUL_MAP = super::MatmulMap;
        SELECT_ROUTE = super::RouteReport;
        SELECT_ROUTES = super::RouteTableReport;
        SLIM = super::SlimReport;
        SURVEY = super::SurveyReport;
        VERDICT = super::VerdictsReport<'static>;
        VERIFY = super::VerifyReport;
        WORKLOAD = super::WorkloadReport;
    }
}
