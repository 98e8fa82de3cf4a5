//! What a target's ISA has.

use super::{Evidence, Found, Header};
pub use crate::engines::library_claims::Library as ClaimingLibrary;
use serde::Serialize;

/// What a target has, and how it differs from another.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsaReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether all could be read, and what was found.
    #[serde(flatten)]
    pub found: Found,
    /// What all of it was read in: `LLVM 22.1.8`.
    pub source: String,
    /// How it is known.
    pub evidence: Evidence,
    /// The target.
    pub target: IsaTarget,
    /// What libraries take the target to have, by their own sources; nothing where another target was named.
    pub libraries: Vec<IsaCapability>,
    /// How it differs from another, where one was named.
    pub difference: Option<IsaDifference>,
}

/// What a library takes a target to have.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsaCapability {
    /// Which library.
    pub library: ClaimingLibrary,
    /// What is asked: the operands of an inner product, or an assembler capability.
    pub what: String,
    /// What the library says.
    pub says: String,
    /// What a later version of it says, where that is something else.
    pub newer: Option<String>,
    /// Whether the target has such an instruction by LLVM's description.
    pub llvm: Option<bool>,
    /// Whether the two disagree.
    pub misleads: bool,
    /// What else is to be said.
    pub note: Option<String>,
    /// Where it is read.
    pub source: String,
}

/// One target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsaTarget {
    /// The processor.
    pub processor: String,
    /// The instruction set family by its public name.
    pub family: Option<String>,
    /// A few devices.
    pub devices: Option<String>,
    /// Processors whose instructions are the same in every bit, this one among them.
    pub same_as: Vec<String>,
    /// Its features.
    pub features: Vec<IsaFeature>,
    /// Its mnemonics by class: all classes, in the order of `rocm-audit list classes`.
    pub classes: Vec<IsaClass>,
    /// How many mnemonics it has.
    pub mnemonics: u64,
}

/// One feature.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsaFeature {
    /// LLVM's name: `dot1-insts`.
    pub feature: String,
    /// LLVM's words for it.
    pub description: String,
}

/// The mnemonics of a class.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsaClass {
    /// The class.
    pub class: String,
    /// What it stands for.
    pub title: String,
    /// Its mnemonics, sorted.
    pub mnemonics: Vec<String>,
}

/// How a target differs from another.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsaDifference {
    /// The other processor.
    pub other: String,
    /// Features that only the target has.
    pub features_gained: Vec<IsaFeature>,
    /// Features that only the other has.
    pub features_lost: Vec<IsaFeature>,
    /// Mnemonics that only the target has, by class.
    pub gained: Vec<IsaClass>,
    /// Mnemonics that only the other has, by class.
    pub lost: Vec<IsaClass>,
    /// How many those of `gained` are.
    pub gained_mnemonics: u64,
    /// How many those of `lost` are.
    pub lost_mnemonics: u64,
    /// Mnemonics that both have.
    pub common: u64,
    /// Those of them that no encoding is shared for: the same name, other bits.
    pub moved: u64,
    /// Encodings that mean one instruction here and another there.
    pub renamed: Vec<Renamed>,
}

/// An encoding that means two different instructions.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Renamed {
    /// On the target.
    pub here: String,
    /// On the other.
    pub there: String,
}
