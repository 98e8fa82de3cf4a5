//! Statements about a route; each says how it is known.

use crate::answers::RouteAnswer;
use crate::engines::ggml::rules;
use crate::engines::ggml::rules::Rule;
use crate::engines::ggml::{Query, Route};
use crate::report::v1::{Evidence, RouteColumn, RouteLibrary, RouteReport, Statement};

fn say(about: &str, text: impl Into<String>, evidence: Evidence) -> Statement {
    Statement { about: about.to_owned(), text: text.into(), evidence }
}

pub(super) fn of_route(report: &RouteReport, found: &RouteAnswer) -> Vec<Statement> {
    let (answer, query) = (&found.answer, &found.question.query);
    let mut all = Vec::new();
    if matches!(answer.route, Route::Mmvq | Route::MmvqMoe | Route::Mmq) {
        let class = found.architecture.class(answer.version);
        let dp4a = class.dp4a(found.architecture.cc);
        let text = format!("four products of bytes are made by {dp4a} on {} in ggml's source", report.target);
        all.push(say("four bytes", text, Evidence::Code));
    }
    all.push(of_version(&report.library));
    if matches!(query, Query::MulMat(problem) if problem.ty.is_quantized()) {
        all.extend(of_published_claim());
    }
    if report.blas.is_some() {
        let text = "GGML_CUDA_CUBLAS_COMPUTE_TYPE in the environment overrides the type of the computation";
        all.push(say("environment", text, Evidence::Code));
    }
    all.extend(closing());
    all
}

pub(super) fn of_table(columns: &[RouteColumn]) -> Vec<Statement> {
    let mut all = Vec::new();
    let libraries = columns.iter().map(|column| &column.library);
    let mut seen: Vec<&str> = Vec::new();
    for library in libraries {
        if !seen.contains(&library.path.as_str()) {
            seen.push(&library.path);
            all.push(of_version(library));
        }
    }
    for column in columns.iter().filter(|column| !column.types_not_taken.is_empty()) {
        let text = format!(
            "{}: the backend of ggml {} does not take them, and no row names them for it",
            column.types_not_taken.join(", "),
            column.library.rules
        );
        all.push(say("types", text, Evidence::Code));
    }
    let text = "dense products of weights with 4,096 rows of 4,096 values. BLAS: the kernels are those that prepare operands, \
                and F32 needs none; what rocBLAS has for the call, `select mul-mat --type` says";
    all.push(say("rows", text, Evidence::Code));
    all.extend(of_published_claim());
    all.extend(closing());
    all
}

fn of_version(library: &RouteLibrary) -> Statement {
    say("version", format!("{}, by {}", library.version, library.known_by), library.evidence)
}

/// A published claim about ggml's selector for all GPUs, with the versions and GPUs for which it is true.
fn of_published_claim() -> Option<Statement> {
    let rules = rules::rules().ok()?;
    let claim: &Rule = rules.stage("statements").find(|rule| rule.id == "claim-8-256-blas")?;
    let text = format!("{} ({}; {})", claim.note?, claim.versions, claim.source);
    Some(say("8, 256, BLAS", text, Evidence::Code))
}

fn closing() -> [Statement; 3] {
    [
        say(
            "predicted",
            "a rule names a kernel, which is not a dispatch: nothing was run, and nothing was observed on a GPU",
            Evidence::Inferred,
        ),
        say(
            "assumed",
            "contiguous tensors and an F32 operand; a build without GGML_CUDA_FORCE_MMQ, GGML_CUDA_FORCE_CUBLAS, \
             GGML_HIP_NO_MMQ_MFMA and GGML_CUDA_FA_ALL_QUANTS, which leave no trace in the file",
            Evidence::Inferred,
        ),
        say(
            "not covered",
            "fusion (gate and up, GLU), views and permuted inputs, several GPUs, HSA_OVERRIDE_GFX_VERSION (which changes the \
             target that the selector sees)",
            Evidence::Inferred,
        ),
    ]
}
