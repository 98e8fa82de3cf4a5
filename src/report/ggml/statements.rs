//! What is said beside a route, each sentence with how it is known.

use crate::engines::ggml::rules;
use crate::engines::ggml::rules::Rule;
use crate::engines::ggml::{Query, Route};
use crate::report::v1::{
    Evidence, KernelPresence, RouteColumn, RouteKernel, RouteLibrary, RouteReport, Statement,
};
use crate::stack::RouteAnswer;

fn say(about: &str, text: impl Into<String>, evidence: Evidence) -> Statement {
    Statement { about: about.to_owned(), text: text.into(), evidence, warning: false }
}

fn warn(about: &str, text: impl Into<String>, evidence: Evidence) -> Statement {
    Statement { warning: true, ..say(about, text, evidence) }
}

pub(super) fn of_route(report: &RouteReport, found: &RouteAnswer) -> Vec<Statement> {
    let (answer, query) = (&found.answer, &found.question.query);
    let mut all = Vec::new();
    all.extend(of_presence(report, found));
    if let Some(kernel) = &report.kernel {
        all.extend(of_kernel(kernel));
    }
    if matches!(answer.route, Route::Mmvq | Route::MmvqMoe | Route::Mmq) {
        let class = found.architecture.class(answer.version);
        let dp4a = class.dp4a(found.architecture.cc);
        let text = format!("four products of bytes are made by {dp4a} on {} in ggml's source", report.target);
        all.push(say("four bytes", text, Evidence::Code));
    }
    if answer.route == Route::Unsupported {
        let text = "the backend refuses the operation, and another backend, in the end the CPU, makes it";
        all.push(warn("refused", text, Evidence::Code));
    }
    if answer.sliced {
        let text = "the host sorts tokens by expert and gives each expert's to the dense selector; the route is that of an \
                    expert that gets all tokens, and one that gets fewer may take another";
        all.push(warn("experts", text, Evidence::Code));
    }
    all.extend(of_version(&report.library));
    if report.rule.as_ref().is_some_and(|rule| !rule.is_documented) {
        let text = format!(
            "the deciding rule was neither read nor observed in ggml {}: it is carried over",
            report.library.rules
        );
        all.push(warn("rule", text, Evidence::Inferred));
    }
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
    for column in columns {
        if !column.library.targets.iter().any(|target| target.starts_with(&column.target)) {
            let has = column.library.targets.join(", ");
            let text =
                format!("{} has no code object for {}; it has {has}", column.library.path, column.target);
            all.push(warn("no code", text, Evidence::Observed));
        }
    }
    let libraries = columns.iter().map(|column| &column.library);
    let mut seen: Vec<&str> = Vec::new();
    for library in libraries {
        if !seen.contains(&library.path.as_str()) {
            seen.push(&library.path);
            all.extend(of_version(library));
        }
    }
    let text = "dense products of weights with 4,096 rows of 4,096 values. BLAS: the kernels are those that prepare operands, \
                and F32 needs none; what rocBLAS has for the call, `select mul-mat --type` says";
    all.push(say("rows", text, Evidence::Code));
    all.extend(of_published_claim());
    all.extend(closing());
    all
}

fn of_presence(report: &RouteReport, found: &RouteAnswer) -> Vec<Statement> {
    let library = &report.library;
    let mut all = Vec::new();
    match (found.has_code, found.has_names) {
        (false, _) => {
            let text = format!(
                "route {}, no code object for {}: nothing in this file can run there. It has code for {}",
                report.route,
                report.target,
                library.targets.join(", ")
            );
            all.push(warn("no code", text, Evidence::Observed));
        }
        (true, false) => {
            let text = "the code objects of this target have no symbols: whether they have the kernel cannot be said";
            all.push(warn("stripped", text, Evidence::Observed));
        }
        (true, true) => {}
    }
    if !library.not_examined.is_empty() {
        let text = format!("stored as {} and not looked into", library.not_examined.join(", "));
        all.push(warn("not examined", text, Evidence::Observed));
    }
    all
}

fn of_kernel(kernel: &RouteKernel) -> Vec<Statement> {
    let mut all = Vec::new();
    match kernel.presence {
        KernelPresence::TrapStub => {
            let text = "the name is there and its body only traps (NO_DEVICE_CODE): a launch ends the process. Registers and \
                        scratch are those of the function that says so";
            all.push(warn("stub", text, Evidence::Observed));
        }
        KernelPresence::Absent => {
            let text = "the library has no kernel of this name for the target; where the version fits, a launch fails";
            all.push(warn("absent", text, Evidence::Observed));
        }
        _ => {}
    }
    let spills = kernel.vgpr_spills.unwrap_or(0);
    if kernel.presence == KernelPresence::Real && spills > 0 {
        let text = format!(
            "{spills} vector registers are spilled to scratch: that it is there does not say that it is fast"
        );
        all.push(warn("spills", text, Evidence::Observed));
    }
    all
}

fn of_version(library: &RouteLibrary) -> Vec<Statement> {
    let mut all =
        vec![say("version", format!("{}, by {}", library.version, library.known_by), library.evidence)];
    if !library.version.split(' ').any(|word| word == library.rules) {
        let text = format!("the rules of {} are the nearest that are known", library.rules);
        all.push(warn("rules", text, Evidence::Inferred));
    }
    all
}

/// A published claim about ggml's selector for all GPUs, with the versions and GPUs for which it is true.
fn of_published_claim() -> Option<Statement> {
    let rules = rules::rules().ok()?;
    let claim: &Rule = rules.stage("statements").find(|rule| rule.id == "claim-8-256-blas")?;
    let text = format!("{} ({}; {})", claim.note.as_deref()?, claim.versions, claim.source);
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
