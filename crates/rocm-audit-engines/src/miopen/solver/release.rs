//! The releases of MIOpen that the rules cover, and those behind an answer for another release.

use super::context::Version;
use super::load_error::LoadError;
use serde::Deserialize;

/// The release that was read completely, and the parts read from later ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Releases {
    read: Version,
    compared: Vec<Version>,
    later: Vec<LaterChange>,
}

/// A change in a later release that the rules include.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaterChange {
    /// The first release with the change.
    pub since: Version,
    /// The change, as a clause.
    pub what: String,
}

/// The rules that answer for a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answering {
    /// The release in question.
    pub asked: Version,
    /// The release whose rules answer.
    pub read: Version,
    /// Whether the real library of the release in question was compared with the rules, and gave the same
    /// answers.
    pub is_compared: bool,
    /// The changes on the way to the release in question that the rules have.
    pub later: Vec<LaterChange>,
}

impl Answering {
    /// Whether every rule was read in the release in question, or its library answers as the rules do.
    pub fn is_exact(&self) -> bool {
        self.asked == self.read || self.is_compared
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleasesFile {
    source: String,
    read: String,
    compared: Vec<String>,
    later: Vec<LaterFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LaterFile {
    since: String,
    what: String,
}

impl Releases {
    pub(super) fn read(text: &str) -> Result<Releases, LoadError> {
        let wrong = |what: String| LoadError { file: "versions".into(), clause: None, what };
        let version =
            |text: &str| Version::parse(text).ok_or_else(|| wrong(format!("`{text}` is no version")));
        let file: ReleasesFile =
            serde_json::from_str(text).map_err(|error| wrong(format!("is no list of releases: {error}")))?;
        if file.source.trim().is_empty() {
            return Err(wrong("has no source".into()));
        }
        let later = file.later.into_iter();
        let later = later.map(|later| Ok(LaterChange { since: version(&later.since)?, what: later.what }));
        let compared = file.compared.iter().map(|text| version(text)).collect::<Result<_, _>>()?;
        Ok(Releases { read: version(&file.read)?, compared, later: later.collect::<Result<_, _>>()? })
    }

    /// Releases whose library gave the answers of these rules.
    pub fn compared(&self) -> &[Version] {
        &self.compared
    }

    /// The changes in later releases that the rules include.
    pub fn later(&self) -> &[LaterChange] {
        &self.later
    }

    /// The rules that answer for a release.
    pub fn answering(&self, asked: Version) -> Answering {
        let later = self.later.iter().filter(|later| later.since <= asked).cloned();
        let is_compared = self.compared.contains(&asked);
        Answering { asked, read: self.read, is_compared, later: later.collect() }
    }
}
