//! Makes the reports on ggml's routes, their kernels and their tables.

mod families;
mod statements;

use super::gemm::gemm;
use super::v1::{
    self, Evidence, KernelPresence, KernelRole, RouteCell, RouteColumn, RouteKernel, RouteLibrary,
    RouteReport, RouteRow, RouteRule, RouteTableReport,
};
use super::v1::{Header, document};
use crate::answers::findings::of_gemm;
use crate::answers::{BlasAnswer, GgmlLibrary, RouteAnswer, TableColumn};
use crate::codeobject::demangle;
use crate::engines::ggml::binary::{self, Source};
use crate::engines::ggml::presence::Presence;
use crate::engines::ggml::presence_table;
use crate::engines::ggml::rules::Rule;
use crate::engines::ggml::table::MOST_COLUMNS;
use crate::engines::ggml::{Kernel, Query, Route, Version};
use crate::error::AuditError;
use crate::finding::Finding;
pub use families::families;

/// The report on a route, with the findings.
pub fn route(of: &RouteAnswer, found: &[Finding]) -> RouteReport {
    let (answer, question) = (&of.answer, &of.question);
    let mut report = RouteReport {
        header: Header::from_document(document::SELECT_ROUTE),
        found: super::findings::found(found),
        library: library(&of.library),
        target: question.target.to_string(),
        class: of.architecture.class(answer.version).name().to_owned(),
        operation: operation(&question.query).to_owned(),
        query: question.query.to_string(),
        route: answer.route.to_string(),
        rule: answer.rule.map(|decided| rule(decided, answer.version)),
        kernel: answer.kernel.as_ref().map(|known| kernel(known, of)),
        blas: of.blas.as_ref().map(|known| blas(known, answer.version)),
        statements: Vec::new(),
    };
    report.statements = statements::of_route(&report, of);
    report
}

/// The report on the routes of all types, with the findings.
///
/// # Errors
///
/// If the crate's own rules are malformed.
pub fn route_table(
    columns: &[TableColumn<'_>],
    rows: &[presence_table::RouteRow],
    found: &[Finding],
) -> Result<RouteTableReport, AuditError> {
    let column = |column: &TableColumn<'_>| {
        Ok(RouteColumn {
            library: library(&column.known),
            target: column.target.to_string(),
            class: column.architecture.class(column.known.rules).name().to_owned(),
            types_not_taken: column.types_not_taken()?.into_iter().map(str::to_owned).collect(),
        })
    };
    let columns: Vec<RouteColumn> = columns.iter().map(column).collect::<Result<_, AuditError>>()?;
    let rows: Vec<RouteRow> = rows.iter().map(row).collect();
    Ok(RouteTableReport {
        header: Header::from_document(document::SELECT_ROUTES),
        found: super::findings::found(found),
        statements: statements::of_table(&columns),
        columns,
        rows,
        asked_to: MOST_COLUMNS,
    })
}

fn row(row: &presence_table::RouteRow) -> RouteRow {
    let cell = |cell: &presence_table::RouteCell| RouteCell {
        route: cell.route.name().to_owned(),
        rule: cell.rule.clone(),
        carried_over: cell.carried_over,
        kernels: cell.kernels,
        real: cell.real,
        stubs: cell.stubs,
        absent: cell.absent,
        no_code_object: cell.no_code_object,
    };
    RouteRow {
        types: row.types.iter().map(|name| (*name).to_owned()).collect(),
        from: row.from,
        to: row.to,
        cells: row.cells.iter().map(cell).collect(),
        differs: row.differs,
    }
}

fn operation(query: &Query) -> &'static str {
    match query {
        Query::MulMat(_) => "MUL_MAT",
        Query::MulMatId(_) => "MUL_MAT_ID",
        Query::FlashAttention(_) => "FLASH_ATTN_EXT",
    }
}

pub(super) fn library(known: &GgmlLibrary) -> RouteLibrary {
    let (known_by, evidence) = match &known.library_says {
        Some(says) if !known.asked => {
            let evidence = match says.source {
                Source::SourcePath(_) | Source::Beside(_) => Evidence::Observed,
                Source::TemplateArguments { .. } => Evidence::Inferred,
            };
            (says.source.to_string(), evidence)
        }
        says => (named_by(says.as_ref()), Evidence::Inferred),
    };
    RouteLibrary {
        path: known.path.clone(),
        version: known.stated_version(),
        known_by,
        evidence,
        rules: known.rules.to_string(),
        targets: known.targets.iter().map(ToString::to_string).collect(),
        not_examined: known.not_examined.clone(),
    }
}

/// Says that the caller named the version, and what the library states if that differs.
fn named_by(library_says: Option<&binary::Evidence>) -> String {
    let says = library_says.map(|says| format!("; the library says {}, by {}", says.versions, says.source));
    format!("the option --version{}", says.unwrap_or_default())
}

fn rule(rule: &Rule, version: Version) -> RouteRule {
    RouteRule {
        id: rule.id.to_owned(),
        stage: rule.stage.to_owned(),
        source: rule.source.to_owned(),
        versions: rule.versions.to_string(),
        documented: rule.documented.to_string(),
        is_documented: rule.is_documented_for(version),
        note: rule.note.map(str::to_owned),
    }
}

fn kernel(kernel: &Kernel, route: &RouteAnswer) -> RouteKernel {
    let found = route.presence.as_ref().and_then(Presence::found);
    let resources = found.and_then(|found| found.resources);
    RouteKernel {
        name: kernel.name(),
        role: match route.answer.route {
            Route::Blas(_) => KernelRole::Operands,
            _ => KernelRole::Product,
        },
        demangled: route.symbol.as_deref().and_then(demangle),
        symbol: route.symbol.clone(),
        presence: presence(route.presence.as_ref()),
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

pub(super) fn presence(known: Option<&Presence>) -> KernelPresence {
    match known {
        None | Some(Presence::NoTarget) => KernelPresence::NoCodeObject,
        Some(Presence::Absent) => KernelPresence::Absent,
        Some(Presence::Unknown) => KernelPresence::NotKnown,
        Some(Presence::Stub(_)) => KernelPresence::TrapStub,
        Some(Presence::Real(_)) => KernelPresence::Real,
    }
}

fn blas(known: &BlasAnswer, version: Version) -> v1::BlasAnswer {
    let (multiprocessors, multiprocessors_assumed) = known.multiprocessors;
    v1::BlasAnswer {
        function: known.function.to_owned(),
        ty: known.ty.clone(),
        rule: known.rule.map(|decided| rule(decided, version)),
        multiprocessors,
        multiprocessors_assumed,
        answer: known.gemm.as_ref().ok().map(|answer| Box::new(gemm(answer, &of_gemm(answer)))),
        missing: known.gemm.as_ref().err().map(ToString::to_string),
    }
}
