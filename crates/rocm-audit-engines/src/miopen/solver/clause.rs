//! Solvers and their conditions, compiled.

use super::context::{BuildPart, Context, Version};
use super::expression::Expression;
use super::integer::Integer;
use super::pattern::{Matches, Pattern};
use super::predicates::{Check, MOST_ARGUMENTS};
use super::variable::Derived;
use crate::miopen::problem::Direction;
use amdgpu_isa::processor::Isa;
use std::borrow::Cow;
use std::fmt;

/// The algorithm family in MIOpen's databases and switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Algorithm {
    /// Direct convolution.
    Direct,
    /// Fast Fourier transform.
    Fft,
    /// Matrix product through rocBLAS.
    Gemm,
    /// Matrix product without the matrix in memory.
    ImplicitGemm,
    /// Winograd.
    Winograd,
}

impl Algorithm {
    /// All algorithms, in the order in which MIOpen evaluates them.
    pub const ALL: [Algorithm; 5] =
        [Algorithm::Direct, Algorithm::Fft, Algorithm::Gemm, Algorithm::ImplicitGemm, Algorithm::Winograd];

    /// The name in rules and, after `miopenConvolutionFwdAlgo`, in databases.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Direct => "Direct",
            Algorithm::Fft => "FFT",
            Algorithm::Gemm => "GEMM",
            Algorithm::ImplicitGemm => "ImplicitGEMM",
            Algorithm::Winograd => "Winograd",
        }
    }

    /// The environment variable that turns the algorithm off if it is 0 (`src/ocl/convolutionocl.cpp`).
    pub fn switch(self) -> &'static str {
        match self {
            Algorithm::Direct => "MIOPEN_DEBUG_CONV_DIRECT",
            Algorithm::Fft => "MIOPEN_DEBUG_CONV_FFT",
            Algorithm::Gemm => "MIOPEN_DEBUG_CONV_GEMM",
            Algorithm::ImplicitGemm => "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM",
            Algorithm::Winograd => "MIOPEN_DEBUG_CONV_WINOGRAD",
        }
    }

    /// The line of `src/conv/solver_finders.cpp` of MIOpen 3.3.0 that reads [`Algorithm::switch`].
    pub(super) fn switch_line(self) -> &'static str {
        match self {
            Algorithm::Direct => "64",
            Algorithm::ImplicitGemm => "93",
            Algorithm::Fft => "124",
            Algorithm::Gemm => "151",
            Algorithm::Winograd => "178",
        }
    }

    /// Finds the algorithm with a name.
    pub fn of_name(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }
}

/// How close a rule is to the solver's own check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fidelity {
    /// The rule contains every condition.
    Exact,
    /// The rule leaves out a late condition, named in the sentence: what it accepts may still be refused.
    Superset(&'static str),
}

/// The source of a condition in a public repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// `ROCm/MIOpen`.
    pub repository: &'static str,
    /// The commit.
    pub commit: &'static str,
    /// The file.
    pub path: &'static str,
    /// Lines `first-last`, or the name of a function.
    pub lines: Cow<'static, str>,
    /// Name of the function, variable or processor there.
    pub name: Cow<'static, str>,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}:{}", self.repository, self.commit, self.path, self.lines)
    }
}

/// A solver of the registry with its conditions.
#[derive(Debug)]
pub struct Solver {
    /// Position in the registry.
    pub id: u16,
    /// Name as databases write it.
    pub name: &'static str,
    /// Family.
    pub algorithm: Algorithm,
    /// Whether the default find mode considers it on a miss.
    pub dynamic: bool,
    /// The directions it computes.
    pub directions: Vec<Direction>,
    /// The version of MIOpen that the rule was read from.
    pub from: Version,
    /// The last version with the solver.
    pub retired_after: Option<Version>,
    /// How close the rule is.
    pub fidelity: Fidelity,
    /// Source of its applicability check.
    pub source: Source,
    /// Its workspace, if there is a rule for it.
    pub workspace: Option<Workspace>,
    /// The file of the rule.
    pub file: &'static str,
    /// Its conditions: first those on the context, then those on the problem, each in file order.
    pub clauses: Vec<Clause>,
}

/// The workspace of a solver.
#[derive(Debug)]
pub struct Workspace {
    pub(super) bytes: Expression,
    /// Source of the rule.
    pub source: Source,
}

/// Solvers whose class has another name than in databases. Source: MIOpen 3.3.0, `solvers.hpp`: both are
/// `ConvBinWinoRxS<Winodata, Winofilter>`.
const CLASSES: [(&str, &str); 2] =
    [("ConvBinWinogradRxSf2x3", "ConvBinWinoRxS"), ("ConvBinWinogradRxSf3x2", "ConvBinWinoRxS")];

/// The class of a solver, without its template parameters.
pub fn class(solver: &str) -> &str {
    let name = solver.split('<').next().unwrap_or(solver);
    CLASSES.iter().find(|(own, _)| *own == name).map_or(name, |(_, class)| class)
}

impl Solver {
    /// Bytes of workspace it needs; `None` without a rule.
    pub fn workspace_for(&self, problem: &Derived) -> Option<u64> {
        u64::try_from(self.workspace.as_ref()?.bytes.value(problem).0).ok()
    }
}

/// One condition.
#[derive(Debug)]
pub struct Clause {
    /// Name within the rule, as cited by rejections.
    pub id: &'static str,
    /// The reason, as a sentence.
    pub because: Cow<'static, str>,
    /// Source of the condition.
    pub source: Source,
    pub(super) when: Option<Expression>,
    pub(super) test: Test,
    pub(super) counts: Counts,
}

impl Clause {
    /// Why it refuses a problem, if it does: the detail of a check, or an empty text.
    #[inline]
    pub(super) fn reject(&self, problem: &Derived) -> Option<&'static str> {
        match &self.when {
            Some(when) if !when.holds(problem) => None,
            _ => self.test.reject(problem),
        }
    }
}

impl Clause {
    /// The environment variables it depends on.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let test = match &self.test {
            Test::OffWhen0(name) | Test::OffWhen1(name) | Test::OnlyWhen1(name) => Some(name),
            _ => None,
        };
        let counts = [&self.counts.unless_1, &self.counts.unless_0, &self.counts.if_0, &self.counts.if_1];
        test.into_iter().chain(counts.into_iter().flatten()).map(|name| &**name)
    }
}

/// Restricts a clause to some targets and environments.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Applies only to targets that match.
    pub(super) on: Option<Pattern>,
    /// Skipped for targets that match.
    pub(super) except_on: Option<Pattern>,
    /// Skipped for devices with more compute units.
    pub(super) up_to_compute_units: Option<u32>,
    /// Skipped if this environment variable is 1 (any value that MIOpen reads as true).
    pub(super) unless_1: Option<Cow<'static, str>>,
    /// Skipped if this environment variable is 0 (any value that MIOpen reads as false).
    pub(super) unless_0: Option<Cow<'static, str>>,
    /// Applies only if this environment variable is 0.
    pub(super) if_0: Option<Cow<'static, str>>,
    /// Applies only if this environment variable is 1.
    pub(super) if_1: Option<Cow<'static, str>>,
    /// Applies only from this release of MIOpen on.
    pub(super) since: Option<Version>,
    /// Applies only up to this release of MIOpen.
    pub(super) until: Option<Version>,
}

impl Counts {
    pub(super) fn in_context(&self, context: &Context, matches: &Matches) -> bool {
        self.on.is_none_or(|on| matches.has(on))
            && !self.except_on.is_some_and(|except| matches.has(except))
            && self.up_to_compute_units.is_none_or(|most| context.compute_units <= most)
            && !self.unless_1.as_ref().is_some_and(|name| context.is_enabled(name))
            && self.since.is_none_or(|first| first <= context.version)
            && self.until.is_none_or(|last| context.version <= last)
            && self.if_0.as_ref().is_none_or(|name| context.is_disabled(name))
            && self.if_1.as_ref().is_none_or(|name| context.is_enabled(name))
            && !self.unless_0.as_ref().is_some_and(|name| context.is_disabled(name))
    }
}

/// Whether a processor has a feature; `None` for one that the tables lack.
fn has(processor: &str, feature: &str) -> Option<bool> {
    Isa::by_name(processor).map(|isa| isa.has(feature))
}

#[derive(Debug)]
pub(super) enum Test {
    Needs(Expression),
    Check(&'static Check, Vec<Expression>),
    /// Names of processors, and the feature that the kernels need.
    Target(Pattern, Option<&'static str>),
    NotTarget(Pattern),
    ComputeUnits(u32),
    Build(BuildPart),
    XnackOff,
    OffWhen0(Cow<'static, str>),
    OffWhen1(Cow<'static, str>),
    OnlyWhen1(Cow<'static, str>),
    RetiredAfter(Version),
}

impl Test {
    pub(super) fn is_about_problem(&self) -> bool {
        matches!(self, Test::Needs(_) | Test::Check(..))
    }

    /// Whether a condition on the context is met; conditions on the problem are left to [`Clause::reject`].
    pub(super) fn holds_in(&self, context: &Context, matches: &Matches) -> bool {
        match self {
            Test::Needs(_) | Test::Check(..) => true,
            Test::Target(pattern, feature) => {
                matches.has(*pattern) && feature.is_none_or(|f| has(&context.target, f) != Some(false))
            }
            Test::NotTarget(pattern) => !matches.has(*pattern),
            Test::ComputeUnits(count) => context.compute_units == *count,
            Test::Build(part) => context.has(*part),
            Test::XnackOff => context.xnack != Some(true),
            Test::OffWhen0(name) => !context.is_disabled(name),
            Test::OffWhen1(name) => !context.is_enabled(name),
            Test::OnlyWhen1(name) => context.is_enabled(name),
            Test::RetiredAfter(last) => context.version <= *last,
        }
    }

    /// A remark on a refused context: the processor has the instructions, but MIOpen's list of names leaves
    /// it out.
    pub(super) fn detail_in(&self, context: &Context) -> &'static str {
        match self {
            Test::Target(_, Some(feature)) if has(&context.target, feature) == Some(true) => {
                "the processor has them by LLVM's tables; MIOpen goes by a list of names"
            }
            _ => "",
        }
    }

    /// Why it refuses a problem, if it does: the detail of a check, or an empty text.
    #[inline]
    fn reject(&self, problem: &Derived) -> Option<&'static str> {
        match self {
            Test::Needs(condition) if !condition.holds(problem) => Some(""),
            Test::Check(check, with) => {
                let mut values = [Integer(0); MOST_ARGUMENTS];
                for (value, expression) in values.iter_mut().zip(with) {
                    *value = expression.value(problem);
                }
                (check.run)(problem, &values).err()
            }
            _ => None,
        }
    }
}
