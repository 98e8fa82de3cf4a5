//! Documents as the formats see them: what draws each, and what it gives to programs that gate builds: whether it is complete, what
//! was found, and which paths it is about.

use super::style::Style;
use super::{
    Drawn, Format, check, code_places, conv, diff, explain, ggml, matmul, model, model_graph, needs,
    override_value, select, slim, survey, verify, workload,
};
use crate::report::v1::{self, CheckReport, DiffReport, Finding, Found};
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
}

impl<'d> Judged<'d> {
    pub(super) fn new(complete: bool, findings: &'d [Finding]) -> Self {
        Judged { complete, findings, about: Vec::new(), named: Vec::new(), check: None, diff: None }
    }

    fn from_found(found: &'d Found) -> Self {
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

macro_rules! documents {
    ($($(#[$has:meta])? $document:ty $(, drawn by $draw:path)?: |$own:ident| $judged:expr;)*) => {$(
        $(#[$has])?
        impl Document for $document {
            fn judged(&self) -> Judged<'_> {
                let $own = self;
                $judged
            }
        }

        $(
            impl Draw for $document {
                fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
                    $draw(self, format, style)
                }
            }
        )?
    )*};
}

documents! {
    v1::Report, drawn by super::report: |own| Judged::new(own.complete, &own.findings).about(&own.roots);
    v1::CheckReport, drawn by check::draw: |own| Judged { check: Some(own), ..Judged::new(own.complete, &own.findings).about(&own.roots) };
    v1::CodePlacesReport, drawn by code_places::draw: |own| Judged::from_found(&own.found).naming(own.places.iter().map(|place| &place.file));
    v1::DiffReport, drawn by diff::draw: |own| {
        let problems = own.selections.as_ref().map(|selections| &selections.problems);
        let judged = Judged::from_found(&own.found).about([&own.old.path, &own.new.path]).naming(problems);
        Judged { diff: Some(own), ..judged }
    };
    v1::ExplainReport, drawn by explain::draw: |own| Judged::from_found(&own.found);
    v1::ExplainWordReport, drawn by explain::draw_word: |own| Judged::from_found(&own.found);
    v1::FatbinReport: |own| Judged::from_found(&own.found).naming(own.files.iter().map(|file| &file.path));
    v1::EntriesReport<'_>: |own| Judged::from_found(&own.found);
    v1::IsaReport: |own| Judged::from_found(&own.found);
    v1::KernelsReport<'_>: |own| Judged::from_found(&own.found);
    v1::ListReport: |own| Judged::from_found(&own.found);
    v1::NeedsReport, drawn by needs::draw: |own| Judged::new(own.complete, &own.findings).about(&own.roots).naming(own.files.iter().map(|file| &file.path));
    v1::OverrideReport, drawn by override_value::draw: |own| Judged::new(own.complete, &own.findings).about(&own.roots);
    v1::SlimReport, drawn by slim::draw: |own| Judged::new(own.complete, &own.findings).about(&own.roots).naming(own.files.iter().map(|file| &file.path));
    v1::BesideReport: |own| Judged::from_found(&own.found);
    v1::ConvReport, drawn by conv::draw: |own| Judged::from_found(&own.found);
    v1::FamilyReport: |own| Judged::from_found(&own.found);
    v1::GemmReport, drawn by select::gemm: |own| Judged::from_found(&own.found).about([&own.folder]);
    v1::MatmulCoverage: |own| Judged::from_found(&own.found).about([&own.folder]);
    v1::MatmulMap: |own| Judged::from_found(&own.found).about([&own.folder]);
    v1::MatmulReport, drawn by matmul::matmul: |own| Judged::from_found(&own.found).about([&own.folder]);
    v1::ModelReport, drawn by model::draw: |own| Judged::from_found(&own.found).about(&own.model.files);
    v1::ModelGraphReport, drawn by model_graph::draw: |own| Judged::from_found(&own.found).about([&own.file]);
    v1::RouteReport, drawn by ggml::route: |own| Judged::from_found(&own.found).naming([&own.library.path]);
    v1::RouteTableReport: |own| Judged::from_found(&own.found).naming(own.columns.iter().map(|column| &column.library.path));
    v1::SurveyReport, drawn by survey::draw: |own| Judged::new(own.complete, &own.findings).about(&own.roots);
    v1::VerifyReport, drawn by verify::draw: |own| Judged::from_found(&own.found);
    v1::WorkloadReport, drawn by workload::draw: |own| Judged::from_found(&own.found).about([&own.file]).naming(&own.ggml);
}
