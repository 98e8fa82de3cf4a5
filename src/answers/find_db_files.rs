//! The find-dbs of a device, opened, with what is read beside them.

use super::tunanet_files::TunaNetFiles;
use crate::engines::miopen::line_index::{LineIndex, WORTH_IT};
use crate::engines::miopen::solver::convolution::FindDbs;
use crate::source::SourceFile;

/// Bytes from which on a find-db is a large file.
const LARGE: u64 = 1 << 20;

/// A device's find-dbs, opened.
#[derive(Debug, Default)]
pub struct FindDbFiles {
    /// The user's find-db.
    pub user: Option<SourceFile>,
    /// The install's find-db.
    pub system: Option<SourceFile>,
    /// Its lines by their keys, where many problems are asked about, or the line of the one that is.
    index: Option<LineIndex>,
    /// The device's TunaNet model, read only after a miss.
    model: TunaNetFiles,
}

impl FindDbFiles {
    pub(super) fn new(user: Option<SourceFile>, system: Option<SourceFile>, model: TunaNetFiles) -> Self {
        FindDbFiles { user, system, index: None, model }
    }

    /// The same for one problem: the install's find-db is read block by block, if it is a large file.
    #[must_use]
    pub fn for_key(mut self, key: &str) -> FindDbFiles {
        let large = self.system.as_ref().filter(|file| file.holds_file() && file.len() >= LARGE);
        self.index = large.and_then(|file| LineIndex::of_key(file.reopened().ok()?, key).ok());
        self
    }

    /// The same for so many problems: with many, the lines of the install's find-db are read once.
    #[must_use]
    pub fn for_many(mut self, problems: usize) -> FindDbFiles {
        let system = self.system.as_ref().filter(|_| problems > WORTH_IT);
        self.index = system.map(|file| LineIndex::of_database(file.bytes()));
        self
    }

    /// What the selection reads of them.
    pub(super) fn databases(&self) -> FindDbs<'_> {
        FindDbs {
            user: self.user.as_ref().map(SourceFile::bytes),
            system: self.system.as_ref().map(SourceFile::bytes),
            index: self.index.as_ref(),
            model: Some(&self.model),
        }
    }
}
