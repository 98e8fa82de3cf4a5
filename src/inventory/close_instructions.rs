//! Instructions of kernels that are closer to each other than their processor allows.

use super::instruction_place::placed;
use super::when_missing::WhenMissing;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What is found of the wait states between the instructions of a file's kernels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CloseInstructions {
    /// Instructions that have to keep away from others, in kernels whose code differs.
    pub judged: u64,
    /// Pairs in one block, so that they are too close each time.
    pub each_time: u64,
    /// Pairs that are too close along one way at least.
    pub along_a_way: u64,
    /// Kernels with any, all with the same code counted.
    pub kernels: u64,
    /// Pairs by the name of the hazard.
    pub hazards: BTreeMap<&'static str, u64>,
    /// The pairs: those of each time first; a few of each kernel.
    pub pairs: Vec<ClosePair>,
    /// Hazards of the processors of these kernels that are not judged, each with the reason.
    pub not_judged: BTreeSet<String>,
}

/// Two instructions that are too close to each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClosePair {
    /// `each-time` or `along-a-way`.
    pub when: WhenMissing,
    /// The name of the hazard.
    pub hazard: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The target of the code object.
    pub target_id: String,
    /// The kernel, demangled.
    pub kernel: String,
    /// Its symbol.
    pub symbol: String,
    /// Offset of the second instruction, from the begin of the kernel in bytes.
    pub user: u32,
    /// That instruction.
    pub user_text: String,
    /// File and line of it; `null` without debug information.
    pub user_line: Option<String>,
    /// Offset of the first.
    pub source: u32,
    /// That instruction.
    pub source_text: String,
    /// File and line of it; `null` without debug information.
    pub source_line: Option<String>,
    /// The register that both touch; empty where none is meant.
    pub register: String,
    /// Wait states between them.
    pub states: u32,
    /// Wait states that have to lie between; nothing where another instruction or a wait has to.
    pub needed: Option<u32>,
    /// Kernels with the same code beside this one.
    pub alike: u64,
}

impl ClosePair {
    /// What follows what, and how far apart they should be, with `mark` around each instruction.
    pub fn sentence(&self, mark: &str) -> String {
        let ClosePair { user_text, user, source_text, source, states, .. } = self;
        let wanted = match self.needed {
            Some(needed) => format!("{states} of {needed} wait states between"),
            None => "nothing between that ends it".to_owned(),
        };
        let (user, source) = (placed(*user, &self.user_line), placed(*source, &self.source_line));
        format!(
            "{mark}{user_text}{mark} at {user} behind {mark}{source_text}{mark} at {source}, {wanted} ({})",
            self.hazard
        )
    }
}
