//! Rules as written in their files, before compilation.

use serde::Deserialize;
use std::collections::BTreeMap;

/// One solver, or one family of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile<'a> {
    /// Position in MIOpen's registry; each instance of a family has its own.
    pub(super) id: Option<u16>,
    #[serde(borrow)]
    pub(super) name: Option<&'a str>,
    /// Members of a family of templates.
    #[serde(borrow, default)]
    pub(super) instances: Vec<Instance<'a>>,
    pub(super) algorithm: &'a str,
    /// Whether the default find mode, which skips solvers that must be compiled for each problem, considers
    /// it.
    pub(super) dynamic: bool,
    #[serde(borrow)]
    pub(super) directions: Vec<&'a str>,
    #[serde(borrow)]
    pub(super) versions: Versions<'a>,
    pub(super) fidelity: &'a str,
    /// For a superset: the late check that is left out.
    #[serde(borrow)]
    pub(super) left_out: Option<&'a str>,
    pub(super) evidence: &'a str,
    #[serde(borrow)]
    pub(super) source: Option<SourceFile<'a>>,
    /// `None` if there is no rule for the solver's workspace.
    #[serde(borrow)]
    pub(super) workspace: Option<WorkspaceFile<'a>>,
    #[serde(borrow, default)]
    pub(super) environment: Vec<Switch<'a>>,
    #[serde(borrow)]
    pub(super) clauses: Vec<ClauseFile<'a>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instance<'a> {
    pub(super) id: u16,
    pub(super) name: &'a str,
    /// Numbers that conditions may name; `{name}` in an environment variable is replaced, too.
    #[serde(borrow, default)]
    pub(super) parameters: BTreeMap<&'a str, i64>,
}

/// The versions of MIOpen that a rule was verified for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Versions<'a> {
    pub(super) from: &'a str,
    /// The last version with the solver, if it was removed.
    #[serde(borrow)]
    pub(super) retired_after: Option<&'a str>,
    /// What stands in the registry where no comment says that it was removed.
    #[serde(borrow)]
    pub(super) registry: Option<&'a str>,
    /// The solver that has its number since.
    #[serde(borrow)]
    pub(super) renamed_to: Option<&'a str>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceFile<'a> {
    pub(super) repository: &'a str,
    pub(super) commit: &'a str,
    pub(super) path: &'a str,
    pub(super) lines: &'a str,
    /// The name of what is in these lines. The default is `lines` if that is a name; in the head of a rule it
    /// is the solver's class.
    #[serde(borrow)]
    pub(super) name: Option<&'a str>,
}

/// The workspace of a solver.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkspaceFile<'a> {
    /// An expression for the number of bytes.
    pub(super) bytes: &'a str,
    pub(super) path: &'a str,
    pub(super) lines: &'a str,
}

/// A variable that turns the solver off, or must turn it on.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Switch<'a> {
    pub(super) name: &'a str,
    pub(super) effect: Effect,
    #[serde(borrow)]
    pub(super) because: Option<&'a str>,
    /// The name that the lines read instead of the variable, which was copied to it.
    #[serde(borrow)]
    pub(super) read_as: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Effect {
    #[serde(rename = "off-when-0")]
    OffWhen0,
    #[serde(rename = "off-when-1")]
    OffWhen1,
    #[serde(rename = "only-when-1")]
    OnlyWhen1,
}

/// One condition, with exactly one of `needs`, `check`, `target`, `compute_units`, `build`, `xnack`,
/// `enabled`, `use`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClauseFile<'a> {
    #[serde(borrow)]
    pub(super) id: Option<&'a str>,
    #[serde(borrow)]
    pub(super) because: Option<&'a str>,
    /// A block of shared clauses.
    #[serde(borrow, rename = "use")]
    pub(super) block: Option<&'a str>,
    /// Applies the clause only to problems that meet this condition.
    #[serde(borrow)]
    pub(super) when: Option<&'a str>,
    /// A condition on the problem.
    #[serde(borrow)]
    pub(super) needs: Option<&'a str>,
    /// A check written in Rust, by name; its arguments follow.
    #[serde(borrow)]
    pub(super) check: Option<&'a str>,
    #[serde(borrow, default)]
    pub(super) with: Vec<&'a str>,
    /// A regular expression that the processor's name must match.
    #[serde(borrow)]
    pub(super) target: Option<&'a str>,
    /// With `target`: LLVM's name of the feature whose instructions the kernels need.
    #[serde(borrow)]
    pub(super) feature: Option<&'a str>,
    /// A regular expression that the processor's name must not match.
    #[serde(borrow)]
    pub(super) not_target: Option<&'a str>,
    /// The exact number of compute units.
    pub(super) compute_units: Option<u32>,
    /// A part of the build.
    #[serde(borrow)]
    pub(super) build: Option<&'a str>,
    /// `off`: a device with XNACK on is refused.
    #[serde(borrow)]
    pub(super) xnack: Option<&'a str>,
    /// A variable that must be 1.
    #[serde(borrow)]
    pub(super) enabled: Option<&'a str>,
    /// Applies the clause only to processors that match.
    #[serde(borrow)]
    pub(super) on: Option<&'a str>,
    /// Applies the clause only to processors that do not match.
    #[serde(borrow)]
    pub(super) except_on: Option<&'a str>,
    /// Applies the clause only to devices of at most this many compute units.
    pub(super) up_to_compute_units: Option<u32>,
    /// Skips the clause if this variable is 1.
    #[serde(borrow)]
    pub(super) unless_1: Option<&'a str>,
    /// Skips the clause if this variable is 0.
    #[serde(borrow)]
    pub(super) unless_0: Option<&'a str>,
    /// Applies the clause only if this variable is 0.
    #[serde(borrow)]
    pub(super) if_0: Option<&'a str>,
    /// Applies the clause only if this variable is 1.
    #[serde(borrow)]
    pub(super) if_1: Option<&'a str>,
    /// The first release of MIOpen that the clause applies to.
    #[serde(borrow)]
    pub(super) since: Option<&'a str>,
    /// The last release of MIOpen that the clause applies to.
    #[serde(borrow)]
    pub(super) until: Option<&'a str>,
    /// Its source, if that is another commit than the rule's.
    #[serde(borrow)]
    pub(super) source: Option<SourceFile<'a>>,
    /// Lines, if they lie outside of the rule's.
    #[serde(borrow)]
    pub(super) lines: Option<&'a str>,
    #[serde(borrow)]
    pub(super) path: Option<&'a str>,
    /// The name of what is in these lines, if it is more than the name of the source.
    #[serde(borrow)]
    pub(super) name: Option<&'a str>,
}

/// Clauses that several rules share.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockFile<'a> {
    #[allow(dead_code, reason = "for who reads the file")]
    pub(super) means: &'a str,
    /// `None` if each user has the clauses in its own file, so that its own source is cited.
    #[serde(borrow)]
    pub(super) source: Option<SourceFile<'a>>,
    #[serde(borrow)]
    pub(super) clauses: Vec<ClauseFile<'a>>,
}

/// A number in the registry without a rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OtherFile<'a> {
    pub(super) id: u16,
    pub(super) name: &'a str,
    pub(super) kind: super::registry::NoRuleReason,
    pub(super) because: &'a str,
}
