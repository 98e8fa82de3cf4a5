//! Asks how llama.cpp's library computes a product or attention.

use super::{Question, Trees};
use crate::answers::{RouteQuestion, findings};
use crate::error::AuditError;
use crate::report;
use crate::report::v1::RouteReport;

impl Question for RouteQuestion {
    type Document = RouteReport;

    fn ask(&self, trees: &Trees<'_>) -> Result<RouteReport, AuditError> {
        let answers = trees.listed()?;
        let library = answers.ggml()?.ok_or_else(|| {
            let roots: Vec<_> = trees.roots().iter().map(|root| root.display().to_string()).collect();
            AuditError::NotThere(format!("no libggml-hip.so was found below {}", roots.join(", ")))
        })?;
        let answer = answers.route(&library, self.clone())?;
        let found = answers.found([findings::of_route(&answer), findings::of_library(&library)].concat());
        Ok(report::route(&answer, &found))
    }
}
