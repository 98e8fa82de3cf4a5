//! The parts of each document that matter to build servers: whether it is complete, its findings, and the
//! paths it is about.

use crate::report::v1::{self, CheckReport, DiffReport, Finding, Found};
use serde::Serialize;

/// The parts of a document that build servers need.
#[derive(Debug)]
pub(super) struct Judged<'d> {
    /// Whether everything could be read.
    pub complete: bool,
    /// All findings.
    pub findings: &'d [Finding],
    /// The roots, or the files that the question names.
    pub about: Vec<&'d str>,
    /// Further paths in the document: files in its rows, libraries that answered.
    pub named: Vec<&'d str>,
    /// The document of `check`, for its requirements.
    pub check: Option<&'d CheckReport>,
    /// The document of `diff`, for its regressions.
    pub diff: Option<&'d DiffReport>,
}

impl<'d> Judged<'d> {
    pub(super) fn new(complete: bool, findings: &'d [Finding]) -> Self {
        Judged { complete, findings, about: Vec::new(), named: Vec::new(), check: None, diff: None }
    }

    fn of(found: &'d Found) -> Self {
        Judged::new(found.complete, &found.findings)
    }

    fn about(mut self, paths: impl IntoIterator<Item = &'d String>) -> Self {
        self.about = paths.into_iter().map(String::as_str).collect();
        self
    }

    fn naming(mut self, paths: impl IntoIterator<Item = &'d String>) -> Self {
        self.named = paths.into_iter().map(String::as_str).collect();
        self
    }
}

/// A document in the form that the formats use.
pub(super) trait Document: Serialize {
    /// The parts for build servers.
    fn judged(&self) -> Judged<'_>;
}

macro_rules! judged {
    ($($(#[$has:meta])? $document:ty: |$own:ident| $judged:expr;)*) => {$(
        $(#[$has])?
        impl Document for $document {
            fn judged(&self) -> Judged<'_> {
                let $own = self;
                $judged
            }
        }
    )*};
}

judged! {
    v1::Report: |own| Judged::new(own.complete, &own.findings).about(&own.roots);
    v1::CheckReport: |own| Judged { check: Some(own), ..Judged::new(own.complete, &own.findings).about(&own.roots) };
    v1::DiffReport: |own| {
        let problems = own.selections.as_ref().map(|selections| &selections.problems);
        let judged = Judged::of(&own.found).about([&own.old.path, &own.new.path]).naming(problems);
        Judged { diff: Some(own), ..judged }
    };
    v1::ExplainReport: |own| Judged::of(&own.found);
    v1::ExplainWordReport: |own| Judged::of(&own.found);
    v1::FatbinReport: |own| Judged::of(&own.found).naming(own.files.iter().map(|file| &file.path));
    v1::EntriesReport<'_>: |own| Judged::of(&own.found);
    v1::IsaReport: |own| Judged::of(&own.found);
    v1::KernelsReport<'_>: |own| Judged::of(&own.found);
    v1::ListReport: |own| Judged::of(&own.found);
    v1::NeedsReport: |own| Judged::new(own.complete, &own.findings).about(&own.roots).naming(own.files.iter().map(|file| &file.path));
    v1::OverrideReport: |own| Judged::new(own.complete, &own.findings).about(&own.roots);
    v1::SlimReport: |own| Judged::new(own.complete, &own.findings).about(&own.roots).naming(own.files.iter().map(|file| &file.path));
    v1::BesideReport: |own| Judged::of(&own.found);
    v1::ConvReport: |own| Judged::of(&own.found);
    v1::FamilyReport: |own| Judged::of(&own.found);
    v1::GemmReport: |own| Judged::of(&own.found).about([&own.folder]);
    v1::MatmulCoverage: |own| Judged::of(&own.found).about([&own.folder]);
    v1::MatmulMap: |own| Judged::of(&own.found).about([&own.folder]);
    v1::MatmulReport: |own| Judged::of(&own.found).about([&own.folder]);
    v1::ModelReport: |own| Judged::of(&own.found).about(&own.model.files);
    v1::ModelGraphReport: |own| Judged::of(&own.found).about([&own.file]);
    v1::RouteReport: |own| Judged::of(&own.found).naming([&own.library.path]);
    v1::RouteTableReport: |own| Judged::of(&own.found).naming(own.columns.iter().map(|column| &column.library.path));
    v1::SurveyReport: |own| Judged::new(own.complete, &own.findings).about(&own.roots);
    v1::VerifyReport: |own| Judged::of(&own.found);
    v1::WorkloadReport: |own| Judged::of(&own.found).about([&own.file]).naming(&own.ggml);
}
