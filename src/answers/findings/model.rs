//! Warnings about an answer for a model.

use crate::answers::model::{ModelAnswer, WayKind};
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::answer as rules;
use std::collections::BTreeSet;

/// What a model lacks on a card, one finding for each kind. `quantization` is the file type the model would
/// be converted to; `None` for the model as it is.
pub fn of_model(answer: &ModelAnswer, quantization: Option<&str>) -> Vec<Finding> {
    let target = answer.question.target.to_string();
    let path = answer.library.as_ref().map(|library| library.path.clone()).unwrap_or_default();
    let of = quantization.map(|ty| format!("as {ty}: ")).unwrap_or_default();
    let about = |rule, detail: String| {
        let detail = format!("{of}{detail}");
        let mut finding = Finding { detail, target: Some(target.clone()), ..Finding::new(rule) };
        if !path.is_empty() {
            finding.locations = vec![Location::file(&path, "")];
        }
        finding
    };
    let rows = || answer.phases.iter().flat_map(|phase| &phase.rows);
    let roles = |kind: WayKind| -> BTreeSet<&str> {
        rows().filter(|row| row.way.kind == kind).map(|row| row.operation.role.as_str()).collect()
    };
    let mut all = Vec::new();
    if let Some(library) = answer.library.as_ref().filter(|library| library.is_whole && !answer.has_code) {
        let targets: Vec<String> = library.targets.iter().map(ToString::to_string).collect();
        all.push(about(&rules::TARGET_WITHOUT_CODE, format!("it has code for {}", targets.join(", "))));
    }
    for (kind, rule) in [
        (WayKind::Absent, &rules::KERNEL_ABSENT),
        (WayKind::TrapStub, &rules::TRAP_STUB),
        (WayKind::Cpu, &rules::OPERATION_REFUSED),
        (WayKind::ExpertLoop, &rules::EXPERTS_BY_HOST),
    ] {
        let roles = roles(kind);
        if !roles.is_empty() {
            all.push(about(rule, roles.into_iter().collect::<Vec<_>>().join(", ")));
        }
    }
    all
}
