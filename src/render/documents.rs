//! Documents as the formats see them. The file of each document says how it is drawn and what it gives to
//! programs that gate builds: whether it is complete, what was found, and which paths it is about.

use super::style::Style;
use super::{Drawn, Format};
use crate::report::v1::{CheckReport, DiffReport, Finding, Found, Verdict};
use serde::Serialize;

/// What a document says of a run.
#[derive(Debug)]
pub(super) struct Judged<'d> {
    /// Whether all could be read.
    pub complete: bool,
    /// What was found.
    pub findings: &'d [Finding],
    /// The roots, or the files that the question names.
    pub about: Vec<&'d str>,
    /// Further paths that the document names: files in its rows, libraries that answered.
    pub named: Vec<&'d str>,
    /// Requirements, of `check`.
    pub check: Option<&'d CheckReport>,
    /// What got worse, of `diff`.
    pub diff: Option<&'d DiffReport>,
    /// The verdicts of an audit for processors that were asked about.
    pub verdicts: &'d [Verdict],
}

impl<'d> Judged<'d> {
    pub(super) fn new(complete: bool, findings: &'d [Finding]) -> Self {
        Judged {
            complete,
            findings,
            about: Vec::new(),
            named: Vec::new(),
            check: None,
            diff: None,
            verdicts: &[],
        }
    }

    pub(super) fn from_found(found: &'d Found) -> Self {
        Judged::new(found.complete, &found.findings)
    }

    pub(super) fn about(mut self, paths: impl IntoIterator<Item = &'d String>) -> Self {
        self.about = paths.into_iter().map(String::as_str).collect();
        self
    }

    pub(super) fn naming(mut self, paths: impl IntoIterator<Item = &'d String>) -> Self {
        self.named = paths.into_iter().map(String::as_str).collect();
        self
    }
}

/// A document as the formats see it.
pub(super) trait Document: Serialize {
    /// What it says of the run.
    fn judged(&self) -> Judged<'_>;
}

/// A document that can be drawn in every format that it has.
pub trait Draw {
    /// The whole document.
    ///
    /// # Errors
    /// Where it has no such format, or not the table whose rows are asked for; with what there is.
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_>;
}
