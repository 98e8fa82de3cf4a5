//! The document on a target's ISA.

use super::{Described, Document, Evidence, Found, Header};
pub use crate::engines::library_claims::Library as ClaimingLibrary;
use serde::Serialize;

/// What a target has, and how it differs from another.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsaReport {
    /// What the document is and who wrote it.
    #[serde(flatten)]
    pub header: Header,
    /// Whether everything could be read, and the findings.
    #[serde(flatten)]
    pub found: Found,
    /// Source of all of it: `LLVM 22.1.8`.
    pub source: String,
    /// How it is known.
    pub evidence: Evidence,
    /// The target.
    pub target: IsaTarget,
    /// What libraries' own sources claim about the target; empty if another target is named.
    pub libraries: Vec<IsaCapability>,
    /// How it differs from the other target, if one is named.
    pub difference: Option<IsaDifference>,
}

impl Described for IsaReport {
    const DOCUMENT: Document = Document {
        name: "isa",
        version: "2.0.1",
        about: "Instructions of a target: `explain TARGET --isa`.",
    };
}

/// A library's claim about a target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsaCapability {
    /// The library.
    pub library: ClaimingLibrary,
    /// What the claim is about: the operands of an inner product, or an assembler capability.
    pub what: String,
    /// What the library says.
    pub says: String,
    /// What a later version of the library says, if it differs.
    pub newer: Option<String>,
    /// Whether the target has such an instruction according to LLVM.
    pub llvm: Option<bool>,
    /// Whether the two disagree.
    pub misleads: bool,
    /// A remark.
    pub note: Option<String>,
    /// Source of the claim.
    pub source: String,
}

/// One target.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsaTarget {
    /// The processor.
    pub processor: String,
    /// Public name of its instruction set family.
    pub family: Option<String>,
    /// A few devices.
    pub devices: Option<String>,
    /// Processors with the same instructions and encodings, including this one.
    pub same_as: Vec<String>,
    /// LLVM's features of the processor.
    pub features: Vec<IsaFeature>,
    /// Its mnemonics by class: all classes, in the order of `rocm-audit list classes`.
    pub classes: Vec<IsaClass>,
    /// Number of its mnemonics.
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
    /// Number of mnemonics in `gained`.
    pub gained_mnemonics: u64,
    /// Number of mnemonics in `lost`.
    pub lost_mnemonics: u64,
    /// Number of mnemonics that both have.
    pub common: u64,
    /// Number of common mnemonics that share no encoding: the same name with other bits.
    pub moved: u64,
    /// Encodings that mean one instruction here and another there.
    pub renamed: Vec<Renamed>,
}

/// An encoding that means two different instructions.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Renamed {
    /// The instruction on the target.
    pub here: String,
    /// The instruction on the other.
    pub there: String,
}
