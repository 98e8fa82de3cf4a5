//! What libraries claim of targets, as written in `library_claims.yaml`.
//!
//! The build compiles this module too: it reads the file and writes it as a constant
//! ([`rule_file`](crate::rule_file)).

use crate::rule_file::List;
use serde::Deserialize;

/// All claims, by library.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(super) struct ClaimFacts {
    pub(super) composable_kernel: ComposableKernel,
    pub(super) tensile: Tensile,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ComposableKernel {
    pub(super) source: &'static str,
    pub(super) newer_source: &'static str,
    pub(super) rows: List<Branches>,
}

/// Per operand types: what is compiled, and, where it is something else, what later versions compile.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Branches {
    pub(super) targets: List<&'static str>,
    pub(super) int8x4: List<&'static str>,
    pub(super) half2: List<&'static str>,
    pub(super) float: List<&'static str>,
    #[serde(borrow)]
    pub(super) note: Option<&'static str>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tensile {
    pub(super) source: &'static str,
    pub(super) capabilities: List<ClaimSymbols>,
    pub(super) notes: List<Note>,
    pub(super) rows: List<ClaimPresence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimSymbols {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) mnemonics: List<&'static str>,
    #[serde(borrow)]
    pub(super) note: Option<&'static str>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    pub(super) capability: &'static str,
    pub(super) targets: List<&'static str>,
    pub(super) note: &'static str,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimPresence {
    pub(super) target: &'static str,
    pub(super) line: u32,
    pub(super) has: List<&'static str>,
}
