//! When something is missing between two instructions.

use serde::Serialize;

/// When a wait, or the distance between two instructions, is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WhenMissing {
    /// Both instructions follow each other without a branch.
    EachTime,
    /// Along one way through the kernel at least.
    AlongAWay,
}
