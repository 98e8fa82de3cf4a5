//! The releases of MIOpen that the rules cover, and those behind an answer for another release.

use super::context::Version;
use super::load_error::LoadError;
use super::written::{LaterFile, ReleasesFile};

/// The release that was read completely, and the parts read from later ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Releases {
    read: Version,
    compared: Vec<Version>,
    later: Vec<LaterChange>,
    undecided: Vec<LaterChange>,
}

/// A change in a later release that the rules include.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaterChange {
    /// The first release with the change.
    pub since: Version,
    /// The change, as a clause.
    pub what: &'static str,
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
    /// The known changes on the way that they do not have.
    pub undecided: Vec<LaterChange>,
}

impl Answering {
    /// Whether every rule was read in the release in question, or its library answers as the rules do.
    pub fn is_exact(&self) -> bool {
        self.asked == self.read || self.is_compared
    }
}

impl Releases {
    pub(super) fn read(file: &'static ReleasesFile) -> Result<Releases, LoadError> {
        let wrong = |what: String| LoadError { file: "versions".into(), clause: None, what };
        let version =
            |text: &str| Version::parse(text).ok_or_else(|| wrong(format!("`{text}` is no version")));
        if file.source.trim().is_empty() {
            return Err(wrong("has no source".into()));
        }
        let changes = |changes: &'static [LaterFile]| {
            let change = |own: &LaterFile| Ok(LaterChange { since: version(own.since)?, what: own.what });
            changes.iter().map(change).collect::<Result<Vec<_>, LoadError>>()
        };
        let (later, undecided) = (changes(file.later.0)?, changes(file.undecided.0)?);
        let compared = file.compared.iter().map(|text| version(text)).collect::<Result<_, _>>()?;
        Ok(Releases { read: version(file.read)?, compared, later, undecided })
    }

    /// Releases whose library gave the answers of these rules.
    pub fn compared(&self) -> &[Version] {
        &self.compared
    }

    /// The changes in later releases that the rules include.
    pub fn later(&self) -> &[LaterChange] {
        &self.later
    }

    /// Known changes between two releases that the rules do not have, in order.
    pub fn undecided_between(&self, a: Version, b: Version) -> impl Iterator<Item = &LaterChange> {
        let (first, last) = (a.min(b), a.max(b));
        self.undecided.iter().filter(move |change| first < change.since && change.since <= last)
    }

    /// The rules that answer for a release.
    pub fn answering(&self, asked: Version) -> Answering {
        let up_to = |changes: &[LaterChange]| {
            changes.iter().filter(|change| change.since <= asked).cloned().collect::<Vec<_>>()
        };
        let is_compared = self.compared.contains(&asked);
        let (later, undecided) = (up_to(&self.later), up_to(&self.undecided));
        Answering { asked, read: self.read, is_compared, later, undecided }
    }
}
