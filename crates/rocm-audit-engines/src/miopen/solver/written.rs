//! Rules as written in their files, before compilation.
//!
//! The build compiles this module too: it reads the files and writes them as constants (`rule_file`).

use crate::rule_file::{Aside, List, Named};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

/// One solver, or one family of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile {
    /// Position in MIOpen's registry; each instance of a family has its own.
    pub(super) id: Option<u16>,
    #[serde(borrow)]
    pub(super) name: Option<&'static str>,
    /// Members of a family of templates.
    #[serde(default)]
    pub(super) instances: List<Instance>,
    pub(super) algorithm: &'static str,
    /// Whether the default find mode, which skips solvers that must be compiled for each problem, considers
    /// it.
    pub(super) dynamic: bool,
    pub(super) directions: List<&'static str>,
    pub(super) versions: Versions,
    pub(super) fidelity: &'static str,
    /// For a superset: the late check that is left out.
    #[serde(borrow)]
    pub(super) left_out: Option<&'static str>,
    pub(super) evidence: &'static str,
    pub(super) source: Option<SourceFile>,
    /// `None` if there is no rule for the solver's workspace.
    pub(super) workspace: Option<WorkspaceFile>,
    #[serde(default)]
    pub(super) environment: List<Switch>,
    pub(super) clauses: List<ClauseFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instance {
    pub(super) id: u16,
    pub(super) name: &'static str,
    /// Numbers that conditions may name; `{name}` in an environment variable is replaced, too.
    #[serde(default)]
    pub(super) parameters: Named<i64>,
}

/// The versions of MIOpen that a rule was verified for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Versions {
    pub(super) from: &'static str,
    /// The last version with the solver, if it was removed.
    #[serde(borrow)]
    pub(super) retired_after: Option<&'static str>,
    /// What stands in the registry where no comment says that it was removed.
    #[serde(borrow)]
    pub(super) registry: Option<&'static str>,
    /// The solver that has its number since.
    #[serde(borrow)]
    pub(super) renamed_to: Option<&'static str>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceFile {
    pub(super) repository: &'static str,
    pub(super) commit: &'static str,
    pub(super) path: &'static str,
    pub(super) lines: &'static str,
    /// The name of what is in these lines. The default is `lines` if that is a name; in the head of a rule it
    /// is the solver's class.
    #[serde(borrow)]
    pub(super) name: Option<&'static str>,
}

/// The workspace of a solver.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkspaceFile {
    /// An expression for the number of bytes.
    pub(super) bytes: &'static str,
    pub(super) path: &'static str,
    pub(super) lines: &'static str,
}

/// A variable that turns the solver off, or must turn it on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Switch {
    pub(super) name: &'static str,
    pub(super) effect: Effect,
    #[serde(borrow)]
    pub(super) because: Option<&'static str>,
    /// The name that the lines read instead of the variable, which was copied to it.
    #[serde(borrow)]
    pub(super) read_as: Option<&'static str>,
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

/// One condition, or the name of a block of shared clauses.
#[derive(Debug)]
pub(super) struct ClauseFile {
    pub(super) id: Option<&'static str>,
    pub(super) because: Option<&'static str>,
    /// Applies the clause only to problems that meet this condition.
    pub(super) when: Option<&'static str>,
    pub(super) condition: Condition,
    pub(super) scope: Aside<Scope>,
    pub(super) place: Aside<ClausePlace>,
}

/// What a clause asks for.
#[derive(Debug)]
pub(super) enum Condition {
    /// The clauses of a block.
    Block(&'static str),
    /// A condition on the problem.
    Needs(&'static str),
    /// A check written in Rust, by name, and its arguments.
    Check(&'static str, List<&'static str>),
    /// A regular expression that the processor's name must match, and LLVM's name of the feature whose
    /// instructions the kernels need.
    Target(&'static str, Option<&'static str>),
    /// A regular expression that the processor's name must not match.
    NotTarget(&'static str),
    /// The exact number of compute units.
    ComputeUnits(u32),
    /// A part of the build.
    Build(&'static str),
    /// A device with XNACK on is refused.
    XnackOff,
    /// A variable that must be 1.
    Enabled(&'static str),
}

/// Where a clause applies. By default everywhere.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Scope {
    /// Only to processors that match.
    pub(super) on: Option<&'static str>,
    /// Only to processors that do not match.
    pub(super) except_on: Option<&'static str>,
    /// Only to devices of at most this many compute units.
    pub(super) up_to_compute_units: Option<u32>,
    /// Not if this variable is 1.
    pub(super) unless_1: Option<&'static str>,
    /// Not if this variable is 0.
    pub(super) unless_0: Option<&'static str>,
    /// Only if this variable is 0.
    pub(super) if_0: Option<&'static str>,
    /// Only if this variable is 1.
    pub(super) if_1: Option<&'static str>,
    /// From this release of MIOpen.
    pub(super) since: Option<&'static str>,
    /// Up to this release of MIOpen.
    pub(super) until: Option<&'static str>,
}

/// Where a clause is read, if not where its rule is.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ClausePlace {
    /// Its source, if that is another commit than the rule's.
    pub(super) source: Option<SourceFile>,
    /// Lines, if they lie outside of the rule's.
    pub(super) lines: Option<&'static str>,
    pub(super) path: Option<&'static str>,
    /// The name of what is in these lines, if it is more than the name of the source.
    pub(super) name: Option<&'static str>,
}

/// A clause with the words of its file: exactly one of `use`, `needs`, `check`, `target`, `not_target`,
/// `compute_units`, `build`, `xnack` and `enabled`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClauseWords {
    #[serde(borrow)]
    id: Option<&'static str>,
    because: Option<&'static str>,
    when: Option<&'static str>,
    r#use: Option<&'static str>,
    needs: Option<&'static str>,
    check: Option<&'static str>,
    #[serde(default)]
    with: List<&'static str>,
    target: Option<&'static str>,
    feature: Option<&'static str>,
    not_target: Option<&'static str>,
    compute_units: Option<u32>,
    build: Option<&'static str>,
    xnack: Option<&'static str>,
    enabled: Option<&'static str>,
    on: Option<&'static str>,
    except_on: Option<&'static str>,
    up_to_compute_units: Option<u32>,
    unless_1: Option<&'static str>,
    unless_0: Option<&'static str>,
    if_0: Option<&'static str>,
    if_1: Option<&'static str>,
    since: Option<&'static str>,
    until: Option<&'static str>,
    source: Option<SourceFile>,
    lines: Option<&'static str>,
    path: Option<&'static str>,
    name: Option<&'static str>,
}

impl ClauseWords {
    fn condition(&self) -> Result<Condition, &'static str> {
        if self.feature.is_some() && self.target.is_none() {
            return Err("has `feature` but no `target`");
        }
        if !self.with.is_empty() && self.check.is_none() {
            return Err("has `with` but no `check`");
        }
        if self.xnack.is_some_and(|state| state != "off") {
            return Err("xnack can be required to be off only");
        }
        let all = [
            self.r#use.map(Condition::Block),
            self.needs.map(Condition::Needs),
            self.check.map(|name| Condition::Check(name, self.with)),
            self.target.map(|pattern| Condition::Target(pattern, self.feature)),
            self.not_target.map(Condition::NotTarget),
            self.compute_units.map(Condition::ComputeUnits),
            self.build.map(Condition::Build),
            self.xnack.map(|_| Condition::XnackOff),
            self.enabled.map(Condition::Enabled),
        ];
        let mut found = all.into_iter().flatten();
        match (found.next(), found.next()) {
            (Some(condition), None) => Ok(condition),
            _ => Err("needs exactly one condition"),
        }
    }
}

impl Deserialize<'static> for ClauseFile {
    fn deserialize<D: Deserializer<'static>>(deserializer: D) -> Result<Self, D::Error> {
        let words = ClauseWords::deserialize(deserializer)?;
        let wrong =
            |what| D::Error::custom(format!("clause {}: {what}", words.id.unwrap_or("without an id")));
        let condition = words.condition().map_err(wrong)?;
        let ClauseWords {
            on,
            except_on,
            up_to_compute_units,
            unless_1,
            unless_0,
            if_0,
            if_1,
            since,
            until,
            ..
        } = words;
        let scope =
            Scope { on, except_on, up_to_compute_units, unless_1, unless_0, if_0, if_1, since, until };
        let ClauseWords { id, because, when, source, lines, path, name, .. } = words;
        let place = ClausePlace { source, lines, path, name };
        Ok(ClauseFile { id, because, when, condition, scope: Aside::new(scope), place: Aside::new(place) })
    }
}

/// Clauses that several rules share.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockFile {
    #[allow(dead_code, reason = "for who reads the file")]
    pub(super) means: &'static str,
    /// `None` if each user has the clauses in its own file, so that its own source is cited.
    pub(super) source: Option<SourceFile>,
    pub(super) clauses: List<ClauseFile>,
}

/// A number in the registry without a rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OtherFile {
    pub(super) id: u16,
    pub(super) name: &'static str,
    pub(super) kind: NoRuleReason,
    pub(super) because: &'static str,
}

/// Why a number in the registry has no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoRuleReason {
    /// A removed solver. Rows that name it are skipped.
    Retired,
    /// A solver of another primitive, or of a fusion, not of a plain convolution.
    OtherPrimitive,
    /// A convolution solver whose conditions have no rule yet.
    NotWritten,
}

/// The variables that MIOpen reads.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(super) struct EnvironmentFile {
    pub(super) source: Commit,
    pub(super) variables: List<VariableFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Commit {
    pub(super) repository: &'static str,
    pub(super) commit: &'static str,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VariableFile {
    pub(super) name: &'static str,
    pub(super) path: &'static str,
    pub(super) lines: u32,
    #[serde(borrow)]
    pub(super) not_modelled: Option<&'static str>,
}

/// The releases that the rules cover.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReleasesFile {
    pub(super) source: &'static str,
    pub(super) read: &'static str,
    pub(super) compared: List<&'static str>,
    pub(super) later: List<LaterFile>,
    pub(super) undecided: List<LaterFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LaterFile {
    pub(super) since: &'static str,
    pub(super) what: &'static str,
}
