//! Rules of the selector as written in their files.
//!
//! The build compiles this module too: it reads the files and writes them as constants
//! ([`rule_file`](crate::rule_file)).

use crate::rule_file::List;
use serde::Deserialize;

/// A rule as written in its file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenRule {
    pub(super) id: &'static str,
    pub(super) source: &'static str,
    pub(super) versions: &'static str,
    #[serde(borrow)]
    pub(super) documented: Option<&'static str>,
    #[serde(default)]
    pub(super) classes: List<&'static str>,
    #[serde(default)]
    pub(super) types: List<&'static str>,
    pub(super) operation: Option<Operation>,
    pub(super) experts_from: Option<u64>,
    pub(super) rows_at_most: Option<u64>,
    pub(super) columns_from: Option<u64>,
    pub(super) columns_to: Option<u64>,
    pub(super) precision: Option<Precision>,
    #[serde(default)]
    pub(super) heads: List<(u64, u64)>,
    pub(super) head_from: Option<u64>,
    pub(super) head_to: Option<u64>,
    #[serde(default)]
    pub(super) gqa: bool,
    pub(super) heads_multiple: Option<u64>,
    pub(super) above: Option<u64>,
    pub(super) at_most: Option<u64>,
    #[serde(default)]
    pub(super) never: bool,
    pub(super) fallback: Option<bool>,
    #[serde(default)]
    pub(super) tiles: List<u64>,
    #[serde(borrow)]
    pub(super) kernel: Option<&'static str>,
    pub(super) arguments: Option<usize>,
    #[serde(borrow)]
    pub(super) blas: Option<&'static str>,
    #[serde(borrow)]
    pub(super) gemm: Option<&'static str>,
    #[serde(borrow)]
    pub(super) function: Option<&'static str>,
    #[serde(borrow)]
    pub(super) note: Option<&'static str>,
}

/// The rules of a stage.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StageFile {
    pub(super) stage: &'static str,
    pub(super) rules: List<WrittenRule>,
}

/// The versions whose rules are known.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownRules {
    pub(super) source: &'static str,
    pub(super) first: &'static str,
    pub(super) read_to: &'static str,
    pub(super) observed: List<&'static str>,
}

/// The kind of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// `MUL_MAT`: one matrix.
    Dense,
    /// `MUL_MAT_ID`: one matrix per expert.
    Experts,
}

/// The precision that a graph requests for a product.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// No request.
    #[default]
    Default,
    /// Sums in F32.
    F32,
}
