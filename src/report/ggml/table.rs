//! The table of routes: types and ranges of columns, for one target or two side by side.

use super::{architecture, known, malformed, statements};
use crate::engines::ggml::presence::{Index, Library};
use crate::engines::ggml::table;
use crate::engines::ggml::table::{Columns, MOST_COLUMNS, Row};
use crate::engines::ggml::{Kernel, Version};
use crate::error::AuditError;
use crate::isa::body::Body;
use crate::report::v1::{self, RouteCell, RouteColumn, RouteRow, RouteTableReport};
use crate::target::TargetId;
use std::collections::{BTreeSet, HashMap};

/// One target, with all that its cells need.
struct Side<'l> {
    rows: Vec<Row>,
    index: Option<Index<'l>>,
    /// Bodies by the beginnings of names.
    bodies: HashMap<String, Option<Body>>,
}

/// The routes of all types, each column with the presence of what its routes launch.
///
/// # Errors
/// Where a target is no AMD GPU, or a version is not known and not named.
pub fn route_table(
    asked: &[(&Library, &TargetId)],
    version: Option<Version>,
) -> Result<RouteTableReport, AuditError> {
    let mut columns = Vec::new();
    let mut sides = Vec::new();
    for (library, arch) in asked {
        let known = known(library, version)?;
        let architecture = architecture(arch)?;
        let rows = table::route_table(&architecture, Some(known.version)).map_err(malformed)?;
        let index = library.index(arch);
        sides.push(Side { rows, index, bodies: HashMap::new() });
        let class = architecture.class(known.version).name().to_owned();
        columns.push(RouteColumn { library: known.report, arch: arch.to_string(), class });
    }
    let statements = statements::of_table(&columns);
    Ok(RouteTableReport {
        header: v1::Header::of(v1::document::SELECT_ROUTES),
        columns,
        rows: rows(&mut sides),
        asked_to: MOST_COLUMNS,
        statements,
    })
}

/// A range, and for each side what the table has for it.
type Part<'r> = (u64, Option<u64>, Vec<&'r Columns>);

fn rows(sides: &mut [Side<'_>]) -> Vec<RouteRow> {
    let types = sides.first().map_or(0, |side| side.rows.len());
    let mut rows: Vec<RouteRow> = Vec::new();
    for number in 0..types {
        let of_type: Vec<Row> = sides.iter().filter_map(|side| side.rows.get(number).cloned()).collect();
        let name = of_type.first().map(|row| row.ty.name.to_owned()).unwrap_or_default();
        let parts = parts(&of_type);
        let made = parts.iter().map(|(from, to, columns)| {
            let cells: Vec<RouteCell> = sides
                .iter_mut()
                .zip(columns)
                .map(|(side, columns)| cell(side, columns, *from, *to))
                .collect();
            let face = |cell: &RouteCell| (cell.route.clone(), state(cell));
            let differs = cells.iter().any(|cell| Some(face(cell)) != cells.first().map(face));
            RouteRow { types: vec![name.clone()], from: *from, to: *to, cells, differs }
        });
        let made: Vec<RouteRow> = made.collect();
        merge(&mut rows, made);
    }
    rows
}

/// All real, all stubs, and so on: what is compared between types and sides.
fn state(cell: &RouteCell) -> (bool, bool, bool, bool) {
    (cell.real > 0, cell.stubs > 0, cell.absent > 0, cell.no_code_object)
}

/// The ranges in which no side changes its route.
fn parts(rows: &[Row]) -> Vec<Part<'_>> {
    let begins: BTreeSet<u64> = rows.iter().flat_map(|row| &row.ranges).map(|range| range.from).collect();
    let begins: Vec<u64> = begins.into_iter().collect();
    let ends = begins.iter().skip(1).map(|next| Some(next - 1)).chain([None]);
    let within = |from: u64| -> Vec<&Columns> {
        let holds = |range: &&Columns| range.from <= from && range.to.is_none_or(|to| from <= to);
        rows.iter().filter_map(|row| row.ranges.iter().find(holds)).collect()
    };
    begins.iter().zip(ends).map(|(from, to)| (*from, to, within(*from))).collect()
}

fn cell(side: &mut Side<'_>, columns: &Columns, from: u64, to: Option<u64>) -> RouteCell {
    let kernels = columns.kernels_of(from, to.unwrap_or(MOST_COLUMNS));
    let mut cell = RouteCell {
        route: columns.route().name().to_owned(),
        rule: columns.answer.rule.map(|rule| rule.id.clone()),
        kernels: kernels.len() as u64,
        real: 0,
        stubs: 0,
        absent: 0,
        no_code_object: side.index.is_none(),
    };
    for kernel in kernels {
        match body(side, kernel) {
            None => cell.absent += 1,
            Some(Body::TrapStub) => cell.stubs += 1,
            Some(_) => cell.real += 1,
        }
    }
    cell
}

fn body(side: &mut Side<'_>, kernel: &Kernel) -> Option<Body> {
    let index = side.index.as_ref()?;
    *side.bodies.entry(kernel.prefix()).or_insert_with(|| index.body_of(kernel))
}

/// Adds the rows of a type; where another has the same routes in the same ranges, its name to that one's.
fn merge(rows: &mut Vec<RouteRow>, made: Vec<RouteRow>) {
    let alike = |one: &RouteRow, other: &RouteRow| {
        let faces = |row: &RouteRow| -> Vec<_> {
            row.cells.iter().map(|cell| (cell.route.clone(), cell.rule.clone(), state(cell))).collect()
        };
        (one.from, one.to, faces(one)) == (other.from, other.to, faces(other))
    };
    let same = rows.chunk_by(|a, b| a.types == b.types).scan(0, |at, group| {
        let start = *at;
        *at += group.len();
        Some((start, group.len()))
    });
    let groups: Vec<(usize, usize)> = same.collect();
    for (start, count) in groups {
        let Some(group) = rows.get_mut(start..start + count) else { continue };
        if count == made.len() && group.iter().zip(&made).all(|(a, b)| alike(a, b)) {
            for (row, new) in group.iter_mut().zip(made) {
                row.types.extend(new.types);
                for (cell, more) in row.cells.iter_mut().zip(new.cells) {
                    cell.kernels += more.kernels;
                    cell.real += more.real;
                    cell.stubs += more.stubs;
                    cell.absent += more.absent;
                }
            }
            return;
        }
    }
    rows.extend(made);
}
