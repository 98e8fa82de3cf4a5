//! Rules as their files write them, before they are compiled.

use serde::Deserialize;
use std::collections::BTreeMap;

/// One solver, or one family of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile {
    /// Position in MIOpen's registry; a family gives it per instance.
    pub(super) id: Option<u16>,
    pub(super) name: Option<String>,
    /// Members of a family of templates.
    #[serde(default)]
    pub(super) instances: Vec<Instance>,
    pub(super) algorithm: String,
    /// Whether the default find mode, which skips what must be compiled per problem, considers it.
    pub(super) dynamic: bool,
    pub(super) directions: Vec<String>,
    pub(super) versions: Versions,
    pub(super) fidelity: String,
    /// For a superset: which late check is left out.
    pub(super) left_out: Option<String>,
    pub(super) evidence: String,
    pub(super) source: Option<SourceFile>,
    /// None where what the solver needs is not written down.
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
    /// Numbers that conditions may name; `{name}` in a variable of the environment stands for them too.
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, i64>,
}

/// The versions of MIOpen that a rule was found to hold for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Versions {
    pub(super) from: String,
    /// The last one that has the solver, where it was retired.
    pub(super) retired_after: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceFile {
    pub(super) repository: String,
    pub(super) commit: String,
    pub(super) path: String,
    pub(super) lines: String,
    /// What stands in these lines. `lines` itself where it is a name; in the head of a rule it is the solver's class.
    pub(super) name: Option<String>,
}

/// What a solver needs of workspace.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkspaceFile {
    /// An expression, in bytes.
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
    /// What the lines of the rule read in place of the variable, which was copied there.
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

/// One condition. Exactly one of `needs`, `check`, `target`, `compute_units`, `build`, `xnack`, `enabled`,
/// `use` is given.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClauseFile {
    pub(super) id: Option<String>,
    pub(super) because: Option<String>,
    /// A block of shared clauses.
    #[serde(rename = "use")]
    pub(super) block: Option<String>,
    /// The clause counts only for problems that meet this condition.
    pub(super) when: Option<String>,
    /// A condition on the problem.
    pub(super) needs: Option<String>,
    /// A check written in Rust, by name, and what it is given.
    pub(super) check: Option<String>,
    #[serde(default)]
    pub(super) with: Vec<String>,
    /// A regular expression that the processor's name must match.
    pub(super) target: Option<String>,
    /// With `target`: the feature, by LLVM's name, whose instructions the kernels need.
    pub(super) feature: Option<String>,
    /// One that it must not match.
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
    /// Skips the clause where this variable is 1.
    pub(super) unless_1: Option<String>,
    /// Skips the clause where this variable is 0.
    pub(super) unless_0: Option<String>,
    /// Applies the clause only where this variable is 0.
    pub(super) if_0: Option<String>,
    /// Applies the clause only where this variable is 1.
    pub(super) if_1: Option<String>,
    /// The first release of MIOpen that the clause holds for.
    pub(super) since: Option<String>,
    /// The last one.
    pub(super) until: Option<String>,
    /// Where it was read, where that is another commit than the rule's.
    pub(super) source: Option<SourceFile>,
    /// Lines, where they lie outside those of the rule.
    pub(super) lines: Option<String>,
    pub(super) path: Option<String>,
    /// What stands in these lines, where it is more than the name of the source.
    pub(super) name: Option<String>,
}

/// Clauses that several rules share.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockFile {
    #[allow(dead_code, reason = "for who reads the file")]
    pub(super) means: String,
    /// None where each user has the clauses in its own file, so that its own source is cited.
    pub(super) source: Option<SourceFile>,
    pub(super) clauses: Vec<ClauseFile>,
}

/// A number of the registry that no rule stands for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OtherFile {
    pub(super) id: u16,
    pub(super) name: String,
    pub(super) kind: super::registry::Kind,
    pub(super) because: String,
}
