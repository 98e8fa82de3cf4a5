//! Makes the reports of ggml's routes.

use super::v1::{self, BlasAnswer, Evidence, GemmReport, RouteKernel, RouteLibrary, RouteReport, RouteRule};
use crate::engines::ggml;
use crate::engines::ggml::binary;
use crate::engines::ggml::binary::Source;
use crate::engines::ggml::presence::{Index, Library, Presence};
use crate::engines::ggml::rules::Rule;
use crate::engines::ggml::{Answer, Architecture, Kernel, Query, Route, Version};
use crate::engines::tensile;
use crate::engines::tensile::call::{DEFAULT_WORKSPACE, GemmCall};
use crate::error::AuditError;
use crate::target::TargetId;
use serde_json::json;
use std::path::PathBuf;

mod families;
mod statements;
mod table;
pub use families::families;
pub use table::route_table;

/// Where rocBLAS is, and on what device it is asked.
#[derive(Debug, Clone, Default)]
pub struct RocBlas {
    /// The folders with its catalogs that were found.
    pub folders: Vec<PathBuf>,
    /// Multiprocessors of the device, where they are known.
    pub cus: Option<u32>,
}

/// Multiprocessors that are assumed where none are named: those of the device of the recorded probe.
const CUS: u32 = 60;

/// The version whose rules are asked, and how it is known.
struct Known {
    version: Version,
    report: RouteLibrary,
}

/// How a library makes a product on a target.
///
/// # Errors
/// Where the target is no AMD GPU, or the version is not known and not named.
pub fn route(
    library: &Library,
    arch: &TargetId,
    query: &Query,
    version: Option<Version>,
    rocblas: &RocBlas,
) -> Result<RouteReport, AuditError> {
    let known = known(library, version)?;
    let architecture = architecture(arch)?;
    let answer = ggml::route(&architecture, query, Some(known.version)).map_err(malformed)?;
    let index = library.index(arch);
    let kernel = answer.kernel.as_ref().map(|kernel| self::kernel(library, index.as_ref(), kernel, &answer));
    let blas = match answer.route {
        Route::Blas(function) => Some(blas(&answer, function.name(), arch, query, rocblas)),
        _ => None,
    };
    let class = architecture.class(answer.version);
    let mut report = RouteReport {
        header: v1::Header::of(v1::document::SELECT_ROUTE),
        library: known.report,
        arch: arch.to_string(),
        class: class.name().to_owned(),
        operation: operation(query).to_owned(),
        query: query.to_string(),
        route: answer.route.to_string(),
        rule: answer.rule.map(|found| rule(found, answer.version)),
        kernel,
        blas,
        statements: Vec::new(),
    };
    report.statements =
        statements::of_route(&report, &answer, query, class.dp4a(architecture.cc), index.as_ref());
    Ok(report)
}

fn malformed(what: &str) -> AuditError {
    AuditError::Usage(format!("the rules of ggml: {what}"))
}

fn architecture(arch: &TargetId) -> Result<Architecture, AuditError> {
    Architecture::parse(&arch.processor).map_err(|e| AuditError::Usage(e.to_string()))
}

fn operation(query: &Query) -> &'static str {
    match query {
        Query::MulMat(_) => "MUL_MAT",
        Query::MulMatId(_) => "MUL_MAT_ID",
        Query::FlashAttention(_) => "FLASH_ATTN_EXT",
    }
}

/// The version of a library: as it is named, else as the library says.
fn known(library: &Library, named: Option<Version>) -> Result<Known, AuditError> {
    let rules = ggml::rules::rules().map_err(malformed)?;
    let path = library.file().file.locator().shown();
    let library_says = binary::version_of(library);
    let (version, text, known_by, evidence) = match (named, &library_says) {
        (Some(version), _) if !rules.reaches(version) => {
            let known = rules.known();
            let what = format!(
                "no rules of ggml {version} are known; known are those of {known}, between them the nearest are taken"
            );
            return Err(AuditError::Usage(what));
        }
        (Some(version), _) => {
            (version, version.to_string(), named_by(library_says.as_ref()), Evidence::Inferred)
        }
        (None, Some(found)) => {
            let evidence = match found.source {
                Source::SourcePath(_) | Source::Beside(_) => Evidence::Observed,
                Source::TemplateArguments { .. } => Evidence::Inferred,
            };
            let version = found.version().unwrap_or_else(|| rules.latest());
            (version, found.versions.to_string(), found.source.to_string(), evidence)
        }
        (None, None) => {
            let what = format!(
                "{path} does not say of which version of ggml it is: name it with --version; known are {}",
                rules.known()
            );
            return Err(AuditError::Usage(what));
        }
    };
    let report = RouteLibrary {
        path,
        version: text,
        known_by,
        evidence,
        rules: rules.nearest(version).to_string(),
        targets: library.targets().iter().map(ToString::to_string).collect(),
        not_examined: library.not_examined().into_iter().collect(),
    };
    Ok(Known { version, report })
}

/// How a version is known that was named, and what the library says where that is another.
fn named_by(library_says: Option<&binary::Evidence>) -> String {
    let says = library_says.map(|says| format!("; the library says {}, by {}", says.versions, says.source));
    format!("the option --version{}", says.unwrap_or_default())
}

/// The version whose rules are asked about a library: as it is named, else as the library says.
///
/// # Errors
/// Where it is not known and not named.
pub fn rules_of(library: &Library, named: Option<Version>) -> Result<Version, AuditError> {
    known(library, named).map(|known| known.version)
}

fn rule(rule: &Rule, version: Version) -> RouteRule {
    RouteRule {
        id: rule.id.clone(),
        stage: rule.stage.clone(),
        source: rule.source.clone(),
        versions: rule.versions.to_string(),
        documented: rule.documented.to_string(),
        is_documented: rule.is_documented_for(version),
        note: rule.note.clone(),
    }
}

/// The mangled name of a kernel: as the target has it, else as any other has it, since the host names it for all.
fn symbol_of(library: &Library, index: Option<&Index<'_>>, kernel: &Kernel) -> Option<String> {
    if let Some(symbol) = index.and_then(|index| index.symbol(kernel)) {
        return Some(symbol.to_owned());
    }
    let other = library.index(library.targets().first()?)?;
    other.symbol(kernel).map(str::to_owned)
}

fn kernel(library: &Library, index: Option<&Index<'_>>, kernel: &Kernel, answer: &Answer<'_>) -> RouteKernel {
    let presence = index.map_or(Presence::NoTarget, |index| index.presence(kernel));
    let found = presence.found();
    let symbol = match found {
        Some(found) => Some(found.symbol.clone()),
        None => symbol_of(library, index, kernel),
    };
    let resources = found.and_then(|found| found.resources);
    let blas = matches!(answer.route, Route::Blas(_));
    RouteKernel {
        name: kernel.name(),
        role: if blas { "prepares operands" } else { "makes the product" }.to_owned(),
        demangled: symbol.as_deref().and_then(crate::codeobject::demangle),
        symbol,
        presence: presence.name().to_owned(),
        code_objects: found.map_or(0, |found| found.places as u64),
        code_object_offset: found.map(|found| found.object_offset),
        bytes: found.map(|found| found.bytes),
        instructions: found.map(|found| found.instructions),
        vgprs: resources.map(|r| r.vgprs),
        sgprs: resources.map(|r| r.sgprs),
        agprs: resources.map(|r| r.agprs),
        vgpr_spills: resources.map(|r| r.vgpr_spills),
        sgpr_spills: resources.map(|r| r.sgpr_spills),
        lds: resources.map(|r| r.lds),
        scratch: resources.map(|r| r.scratch),
        classes: found
            .map(|found| found.classes.iter().map(|(id, n)| ((*id).to_owned(), *n)).collect())
            .unwrap_or_default(),
    }
}

/// What rocBLAS does with the product.
fn blas(
    answer: &Answer<'_>,
    function: &str,
    arch: &TargetId,
    query: &Query,
    rocblas: &RocBlas,
) -> BlasAnswer {
    let cus = rocblas.cus.unwrap_or(CUS);
    let ty = answer.operands.and_then(|rule| rule.gemm.clone()).unwrap_or_default();
    let found = gemm(&ty, function, arch, query, cus, rocblas);
    let (answer_of_rocblas, missing) = match found {
        Ok(report) => (Some(Box::new(report)), None),
        Err(why) => (None, Some(why)),
    };
    BlasAnswer {
        function: function.to_owned(),
        ty,
        rule: answer.operands.map(|found| rule(found, answer.version)),
        cus,
        cus_assumed: rocblas.cus.is_none(),
        answer: answer_of_rocblas,
        missing,
    }
}

fn gemm(
    ty: &str,
    function: &str,
    arch: &TargetId,
    query: &Query,
    cus: u32,
    rocblas: &RocBlas,
) -> Result<GemmReport, String> {
    let (m, n, k) = match query {
        Query::MulMat(p) => (p.n, p.ne11, p.k),
        Query::MulMatId(p) => (p.n, p.tokens, p.k),
        Query::FlashAttention(_) => return Err("attention is not made by BLAS".to_owned()),
    };
    let api = if function == "hipblasSgemm" { "gemm" } else { "gemm_ex" };
    // rocBLAS's own default: 128 MiB on gfx94x, 32 MiB elsewhere.
    let usual = if arch.processor.starts_with("gfx94") { 4 * DEFAULT_WORKSPACE } else { DEFAULT_WORKSPACE };
    let value = json!({
        "arch": arch.to_string(), "cus": cus, "api": api, "ty": ty, "ta": "T", "tb": "N", "m": m, "n": n, "k": k,
        "ld": [k, k, m, m], "alpha": 1.0, "beta": 0.0, "c_eq_d": true, "ws": usual,
    });
    let problem: GemmCall = serde_json::from_value(value).map_err(|e| e.to_string())?;
    let mut why = "no catalog of rocBLAS was found near the library; name its install with --root".to_owned();
    for folder in &rocblas.folders {
        match tensile::library::Library::open(folder, &problem.arch) {
            Ok(library) => return super::gemm(&library, &problem).map_err(|e| e.to_string()),
            Err(error) => {
                let folder = folder.display().to_string();
                let what = error.to_string().replace(&format!("{folder}/"), "");
                why = format!("the rocBLAS in {folder} has nothing for {}: {what}", arch.processor);
            }
        }
    }
    Err(why)
}
