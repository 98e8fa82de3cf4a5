//! The document of `manifest`: what one artifact can do on each processor, small enough to publish beside it.

use super::{Answer, Coverage, Described, Document, Header, LibraryRole, OverrideAnswer, Tool};
use crate::target::{GfxVersion, PROCESSORS};
use serde::de::{IntoDeserializer, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::marker::PhantomData;

/// What an artifact can do on every processor that the program knows. Processors with equal answers share a
/// row.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Manifest {
    /// What the document is and who wrote it.
    #[serde(flatten, skip_deserializing)]
    pub header: Header,
    /// The artifact.
    pub artifact: ManifestArtifact,
    /// False if something of the artifact could not be read: what is not here may be in it then.
    pub complete: bool,
    /// The target IDs of its code objects, in the order of the processors.
    pub targets: Vec<ManifestTarget>,
    /// Releases of ROCm's libraries that it is linked with, and versions that its files state.
    pub releases: Vec<ManifestRelease>,
    /// Its libraries with code for GPUs.
    pub libraries: Vec<ManifestLibrary>,
    /// Its shared libraries and programs with code for GPUs.
    #[serde(default)]
    pub files: Vec<ManifestFile>,
    /// What runs on each processor: one row for all processors with the same answers, in the order of their
    /// first.
    pub cards: Vec<ManifestCards>,
    /// What was found in it: rules and how often.
    pub findings: Vec<ManifestFinding>,
}

impl Described for Manifest {
    const DOCUMENT: Document = Document {
        name: "manifest",
        version: "1.0.0",
        about: "What one artifact can do on each processor, to be published beside it: `manifest`.",
    };
}

impl Manifest {
    /// The row of a processor; none for one that the program which wrote it did not know.
    pub fn of_processor(&self, processor: &str) -> Option<&ManifestCards> {
        self.cards.iter().find(|row| row.processors.iter().any(|own| own == processor))
    }

    /// Forgets what it says of other processors. The rest is a few hundred bytes of many thousand.
    pub(crate) fn keep_processor(&mut self, processor: &str) {
        self.cards.retain(|row| row.processors.iter().any(|own| own == processor));
        self.cards.shrink_to_fit();
    }

    /// What it says in two ways that cannot both be true.
    pub fn contradiction(&self) -> Option<String> {
        let mut names: Vec<&str> =
            self.cards.iter().flat_map(|row| &row.processors).map(String::as_str).collect();
        names.sort_unstable();
        if let Some(twice) =
            names.windows(2).find_map(|pair| pair.first().filter(|name| pair.last() == Some(name)))
        {
            return Some(format!("two rows are of {twice}"));
        }
        for row in &self.cards {
            if let Some(name) = row.processors.first().filter(|_| !row.fits()) {
                return Some(format!(
                    "for {name} its answer is one thing and its headline another: {}",
                    row.headline
                ));
            }
            let Some(own) = &row.override_value else { continue };
            let claimed = GfxVersion::from_name(&own.processor).and_then(GfxVersion::override_value);
            if claimed.as_ref() != Some(&own.value) {
                return Some(format!(
                    "HSA_OVERRIDE_GFX_VERSION={} does not claim {}",
                    own.value, own.processor
                ));
            }
        }
        None
    }

    /// The role of a library of it.
    pub fn role(&self, library: &str) -> Option<LibraryRole> {
        self.libraries.iter().find(|own| own.library == library).map(|own| own.role)
    }

    /// Why it says nothing of a processor.
    pub fn why_silent_about(&self, processor: &str) -> String {
        let Tool { name, version, .. } = &self.header.tool;
        let is_ours = *version == Tool::default().version;
        if is_ours && PROCESSORS.iter().any(|known| known.name() == processor) {
            return format!(
                "its manifest does not name {processor}, which {name} {version} always names: the document was changed"
            );
        }
        format!(
            "its manifest does not name {processor}: {name} {version} wrote it; write it again with a release that knows {processor}"
        )
    }
}

/// The artifact that a manifest is about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManifestArtifact {
    /// File name, without folders.
    pub name: String,
    /// Name and version of the package, if it states them.
    pub identity: Option<String>,
    /// Size of the file in bytes; of a folder, of all files in it.
    pub bytes: u64,
    /// SHA-256 of the file in hexadecimal; `null` for a folder.
    pub sha256: Option<String>,
    /// Bytes of the files in it that an audit reports, unpacked.
    #[serde(default)]
    pub reported_bytes: u64,
}

/// A shared library or program with code for GPUs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManifestFile {
    /// Its path in the artifact.
    pub path: String,
    /// The library that it is of.
    pub library: String,
    /// Its size in bytes, unpacked.
    pub bytes: u64,
}

/// Code objects of one target ID.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManifestTarget {
    /// `gfx90a:xnack+`.
    pub target_id: String,
    /// Code objects.
    pub code_objects: u64,
    /// Kernels.
    pub kernels: u64,
}

/// A version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManifestRelease {
    /// The library that the artifact is linked with (`libamdhip64`), or the component that states its version.
    pub component: String,
    /// The version: `7`, `7.2.4`.
    pub version: String,
    /// True if the artifact needs it from elsewhere or from itself by its linkage; false if a file states it.
    pub linked: bool,
}

/// A library with code for GPUs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManifestLibrary {
    /// The library.
    pub library: String,
    /// The role of the library for programs that use it.
    #[serde(deserialize_with = "word")]
    pub role: LibraryRole,
    /// Libraries with kernels that it is linked with, by their `DT_SONAME`.
    pub needs: Vec<String>,
}

/// Processors with the same answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManifestCards {
    /// The processors.
    pub processors: Vec<String>,
    /// The conclusion from all libraries by their roles, as an audit gives it.
    #[serde(deserialize_with = "word")]
    pub answer: Answer,
    /// The answer in words.
    pub headline: String,
    /// What each library does there, worst first.
    pub libraries: Vec<ManifestCoverage>,
    /// The best value of `HSA_OVERRIDE_GFX_VERSION`, if the libraries do not run and code for a similar
    /// processor is here.
    #[serde(rename = "override", skip_serializing_if = "Option::is_none", default)]
    pub override_value: Option<ManifestOverride>,
}

impl ManifestCards {
    /// Whether answer and headline say the same. A word of a later release fits whatever it stands beside.
    fn fits(&self) -> bool {
        let begins = |words: &[&str]| words.iter().any(|word| self.headline.starts_with(word));
        match self.answer {
            Answer::Not => !begins(&["runs", "compiles", "not known"]),
            Answer::Runs | Answer::Limits | Answer::Compiles => {
                !begins(&["does not run", "not known", "no "])
            }
            Answer::Unknown => true,
        }
    }
}

/// What a library does on the processors of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManifestCoverage {
    /// The library.
    pub library: String,
    /// The folder or package in the artifact that contains it, if it lies in several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<String>,
    /// Whether it runs.
    #[serde(deserialize_with = "word")]
    pub answer: Answer,
    /// The reason, as a clause.
    pub reason: String,
    /// What its own shared libraries have.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "perhaps_word")]
    pub kernels: Option<Coverage>,
    /// What its folder of catalogs has (rocBLAS, hipBLASLt).
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "perhaps_word")]
    pub catalogs: Option<Coverage>,
    /// Types of matrix products that its catalogs are tuned for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tuned: Vec<String>,
    /// Types of matrix products that are served by fallback kernels only.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub fallback: Vec<String>,
}

/// A value of `HSA_OVERRIDE_GFX_VERSION`, judged by the tables of instructions alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManifestOverride {
    /// The value: `10.3.0`.
    pub value: String,
    /// The processor whose code is loaded then.
    pub processor: String,
    /// Whether it is safe; `not-decoded` where only the code itself can tell (`rocm-audit explain --override`).
    #[serde(deserialize_with = "word")]
    pub answer: OverrideAnswer,
    /// Libraries that have no code for the card with it either.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub without: Vec<String>,
}

impl ManifestOverride {
    /// Whether all libraries run with it, as far as the tables of instructions tell.
    pub fn serves_all(&self) -> bool {
        matches!(self.answer, OverrideAnswer::Legal | OverrideAnswer::LegalWithDifferences)
            && self.without.is_empty()
    }
}

/// A finding, counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManifestFinding {
    /// The rule.
    pub id: String,
    /// The targets that it is about, if it is about targets.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub targets: Vec<String>,
    /// How often it was found.
    pub count: u64,
}

/// Words of documents; releases add some.
trait Word {
    /// What a word of a later release counts as.
    const LATER: Self;
}

impl Word for Answer {
    const LATER: Self = Answer::Unknown;
}

impl Word for Coverage {
    const LATER: Self = Coverage::NotKnown;
}

impl Word for LibraryRole {
    const LATER: Self = LibraryRole::Loose;
}

impl Word for OverrideAnswer {
    const LATER: Self = OverrideAnswer::NotDecoded;
}

/// Reads a word that may be of a later release.
fn word<'de, D: Deserializer<'de>, T: Word + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    from.deserialize_str(WordVisitor(PhantomData))
}

struct WordVisitor<T>(PhantomData<T>);

impl<'de, T: Word + Deserialize<'de>> Visitor<'de> for WordVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        Ok(T::deserialize(IntoDeserializer::<serde::de::value::Error>::into_deserializer(text))
            .unwrap_or(T::LATER))
    }
}

/// The same, where there can be none.
fn perhaps_word<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Word + Deserialize<'de>,
{
    word(from).map(Some)
}
