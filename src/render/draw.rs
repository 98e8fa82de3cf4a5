//! One way to draw every document.

use super::style::Style;
use super::{Drawn, Format};
use super::{check, diff, explain, needs, override_value, slim};
#[cfg(feature = "engines")]
use super::{conv, ggml, matmul, model, model_graph, select, survey, verify, workload};
use crate::report::v1;

/// A document that can be drawn in every format that it has.
pub trait Draw {
    /// The whole document.
    ///
    /// # Errors
    /// Where it has no such format, or not the table whose rows are asked for; with what there is.
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_>;
}

macro_rules! drawn {
    ($($(#[$has:meta])? $document:ident: $draw:path;)*) => {$(
        $(#[$has])?
        impl Draw for v1::$document {
            fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
                $draw(self, format, style)
            }
        }
    )*};
}

drawn! {
    Report: super::report;
    CheckReport: check::draw;
    DiffReport: diff::draw;
    ExplainReport: explain::draw;
    ExplainWordReport: explain::draw_word;
    NeedsReport: needs::draw;
    OverrideReport: override_value::draw;
    SlimReport: slim::draw;
    #[cfg(feature = "engines")] ConvReport: conv::draw;
    #[cfg(feature = "engines")] GemmReport: select::gemm;
    #[cfg(feature = "engines")] MatmulReport: matmul::matmul;
    #[cfg(feature = "engines")] ModelReport: model::draw;
    #[cfg(feature = "engines")] ModelGraphReport: model_graph::draw;
    #[cfg(feature = "engines")] RouteReport: ggml::route;
    #[cfg(feature = "engines")] SurveyReport: survey::draw;
    #[cfg(feature = "engines")] VerifyReport: verify::draw;
    #[cfg(feature = "engines")] WorkloadReport: workload::draw;
}
