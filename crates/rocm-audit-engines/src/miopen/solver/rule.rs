//! Rules as written in their files, before compilation.

use serde::Deserialize;
use std::collections::BTreeMap;

/// One solver, or one family of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile {
    /// Position in MIOpen's registry; each instance of a family has its own.
    pub(super) id: Option<u16>,
    pub(super) name: Option<String>,
    /// Members of a family of templates.
    #[serde(default)]
    pub(super) instances: Vec<Instance>,
    pub(super) algorithm: String,
    /// Whether the default find mode, which skips solvers that must be compiled for each problem, considers
    /// it.
    pub(super) dynamic: bool,
    pub(super) directions: Vec<String>,
    pub(super) versions: Versions,
    pub(super) fidelity: String,
    /// For a superset: the late check that is left out.
    pub(super) left_out: Option<String>,
    pub(super) evidence: String,
    pub(super) source: Option<SourceFile>,
    /// `None` if there is no rule for the solver's workspace.
    pub(super) workspace: Option<WorkspaceFile>,
    #[serde(default)]
    pub(super) environment: Vec<Switch>,
    pub(super) clauses: Vec<ClauseFile>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instance {
    pub(super) id: u16,
    pub(super) name: String,
    /// Numbers that conditions may name; `{name}` in an environment variable is replaced, too.
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, i64>,
}

/// The versions of MIOpen that a rule was verified for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Versions {
    pub(super) from: String,
    /// The last version with the solver, if it was removed.
    pub(super) retired_after: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceFile {
    pub(super) repository: String,
    pub(super) commit: String,
    pub(super) path: String,
    pub(super) lines: String,
    /// The name of what is in these lines. The default is `lines` if that is a name; in the head of a rule it
    /// is the solver's class.
    pub(super) name: Option<String>,
}

/// The workspace of a solver.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkspaceFile {
    /// An expression for the number of bytes.
    pub(super) bytes: String,
    pub(super) path: String,
    pub(super) lines: String,
}

/// A variable that turns the solver off, or must turn it on.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Switch {
    pub(super) name: String,
    pub(super) effect: Effect,
    pub(super) because: Option<String>,
    /// The name that the lines read instead of the variable, which was copied to it.
    pub(super) read_as: Option<String>,
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
pub(super) struct ClauseFile {
    pub(super) id: Option<String>,
    pub(super) because: Option<String>,
    /// A block of shared clauses.
    #[serde(rename = "use")]
    pub(super) block: Option<String>,
    /// Applies the clause only to problems that meet this condition.
    pub(super) when: Option<String>,
    /// A condition on the problem.
    pub(super) needs: Option<String>,
    /// A check written in Rust, by name; its arguments follow.
    pub(super) check: Option<String>,
    #[serde(default)]
    pub(super) with: Vec<String>,
    /// A regular expression that the processor's name must match.
    pub(super) target: Option<String>,
    /// With `target`: LLVM's name of the feature whose instructions the kernels need.
    pub(super) feature: Option<String>,
    /// A regular expression that the processor's name must not match.
    pub(super) not_target: Option<String>,
    /// The exact number of compute units.
    pub(super) compute_units: Option<u32>,
    /// A part of the build.
    pub(super) build: Option<String>,
    /// `off`: a device with XNACK on is refused.
    pub(super) xnack: Option<String>,
    /// A variable that must be 1.
    pub(super) enabled: Option<String>,
    /// Applies the clause only to processors that match.
    pub(super) on: Option<String>,
    /// Applies the clause only to processors that do not match.
    pub(super) except_on: Option<String>,
    /// Applies the clause only to devices of at most this many compute units.
    pub(super) up_to_compute_units: Option<u32>,
    /// Skips the clause if this variable is 1.
    pub(super) unless_1: Option<String>,
    /// Skips the clause if this variable is 0.
    pub(super) unless_0: Option<String>,
    /// Applies the clause only if this variable is 0.
    pub(super) if_0: Option<String>,
    /// Applies the clause only if this variable is 1.
    pub(super) if_1: Option<String>,
    /// The first release of MIOpen that the clause applies to.
    pub(super) since: Option<String>,
    /// The last release of MIOpen that the clause applies to.
    pub(super) until: Option<String>,
    /// Its source, if that is another commit than the rule's.
    pub(super) source: Option<SourceFile>,
    /// Lines, if they lie outside of the rule's.
    pub(super) lines: Option<String>,
    pub(super) path: Option<String>,
    /// The name of what is in these lines, if it is more than the name of the source.
    pub(super) name: Option<String>,
}

/// Clauses that several rules share.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockFile {
    #[allow(dead_code, reason = "for who reads the file")]
    pub(super) means: String,
    /// `None` if each user has the clauses in its own file, so that its own source is cited.
    pub(super) source: Option<SourceFile>,
    pub(super) clauses: Vec<ClauseFile>,
}

/// A number in the registry without a rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OtherFile {
    pub(super) id: u16,
    pub(super) name: String,
    pub(super) kind: super::registry::NoRuleReason,
    pub(super) because: String,
}
