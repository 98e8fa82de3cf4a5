//! The find-dbs of a device, opened, with what is read beside them.

use super::tunanet_files::TunaNetFiles;
use crate::engines::miopen::line_index::{LineIndex, WORTH_IT};
use crate::engines::miopen::solver::convolution::FindDbs;
use crate::source::SourceFile;

/// A device's find-dbs, opened.
#[derive(Debug, Default)]
pub struct FindDbFiles {
    /// The user's find-db.
    pub user: Option<SourceFile>,
    /// The install's find-db.
    pub system: Option<SourceFile>,
    /// Its lines by their keys, where many problems are asked about.
    index: Option<LineIndex>,
    /// The device's TunaNet model, read only after a miss.
    model: TunaNetFiles,
}

impl FindDbFiles {
    pub(super) fn new(user: Option<SourceFile>, system: Option<SourceFile>, model: TunaNetFiles) -> Self {
        FindDbFiles { user, system, index: None, model }
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
