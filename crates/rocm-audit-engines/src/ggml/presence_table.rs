//! The table of routes for one or more targets, each cell with the presence of the kernels it launches.

use super::architecture::Architecture;
use super::kernel::Kernel;
use super::presence::{Index, Library};
use super::route::Route;
use super::table::{self, Columns, MOST_COLUMNS, TypeRoutes};
use super::version::Version;
use amdgpu_isa::body::Body;
use amdgpu_object::target::TargetId;
use std::collections::{BTreeSet, HashMap};

/// One target, with everything its cells need.
struct PresenceColumn<'l> {
    rows: Vec<TypeRoutes>,
    /// Whether all of the library could be read.
    is_whole: bool,
    index: Option<Index<'l>>,
    /// Kinds of bodies by prefix of the kernel's name.
    bodies: HashMap<String, Option<Body>>,
}

/// The routes of all types that one of the versions accepts, for one or more targets in libraries, with the
/// presence of the kernels they launch.
///
/// # Errors
///
/// If the crate's own rules are malformed.
pub fn present_routes(
    asked: &[(&Library, &TargetId, Architecture, Version)],
) -> Result<Vec<RouteRow>, &'static str> {
    let mut sides = Vec::new();
    for (library, target, architecture, version) in asked {
        let rows = table::route_table(architecture, Some(*version))?;
        let (index, is_whole) = (library.index(target), library.is_whole());
        sides.push(PresenceColumn { rows, is_whole, index, bodies: HashMap::new() });
    }
    Ok(rows(&mut sides))
}

/// A group of types with equal routes, and a range of columns in which no target changes its route.
#[derive(Debug, Clone)]
pub struct RouteRow {
    /// Types of the weights.
    pub types: Vec<&'static str>,
    /// The smallest number of columns.
    pub from: u64,
    /// The largest number of columns; `None` for an open range.
    pub to: Option<u64>,
    /// One cell for each target.
    pub cells: Vec<RouteCell>,
    /// Whether the cells differ in route or presence.
    pub differs: bool,
}

/// The route of one range on one target.
#[derive(Debug, Clone)]
pub struct RouteCell {
    /// The route.
    pub route: Route,
    /// The rule that decided.
    pub rule: Option<String>,
    /// Whether that rule was carried over to the version, and neither read nor observed in it.
    pub carried_over: bool,
    /// Number of different kernels that the route launches in this range, over all types.
    pub kernels: u64,
    /// Number of real kernels.
    pub real: u64,
    /// Number of kernels that only trap.
    pub stubs: u64,
    /// Number of kernels that the library lacks for the target; 0 if it could not be read in full, since the
    /// others are unknown.
    pub absent: u64,
    /// True if the library has no code for the target at all, and could be read in full.
    pub no_code_object: bool,
}

/// A range, and the table's columns for each side.
type Part<'r> = (u64, Option<u64>, Vec<&'r Columns>);

fn rows(sides: &mut [PresenceColumn<'_>]) -> Vec<RouteRow> {
    let types = sides.first().map_or(0, |side| side.rows.len());
    let mut rows: Vec<RouteRow> = Vec::new();
    for number in 0..types {
        let of_type: Vec<TypeRoutes> =
            sides.iter().filter_map(|side| side.rows.get(number).cloned()).collect();
        if of_type.iter().all(TypeRoutes::is_refused) {
            continue;
        }
        let name = of_type.first().map(|row| row.ty.name).unwrap_or_default();
        let parts = parts(&of_type);
        let made = parts.iter().map(|(from, to, columns)| {
            let cells: Vec<RouteCell> = sides
                .iter_mut()
                .zip(columns)
                .map(|(side, columns)| cell(side, columns, *from, *to))
                .collect();
            let face = |cell: &RouteCell| (cell.route.name(), state(cell));
            let differs = cells.iter().any(|cell| Some(face(cell)) != cells.first().map(face));
            RouteRow { types: vec![name], from: *from, to: *to, cells, differs }
        });
        let made: Vec<RouteRow> = made.collect();
        merge(&mut rows, made);
    }
    rows
}

/// All real, all stubs, and so on: the state compared between types and sides.
fn state(cell: &RouteCell) -> (bool, bool, bool, bool) {
    (cell.real > 0, cell.stubs > 0, cell.absent > 0, cell.no_code_object)
}

/// The ranges in which no side changes its route.
fn parts(rows: &[TypeRoutes]) -> Vec<Part<'_>> {
    let begins: BTreeSet<u64> = rows.iter().flat_map(|row| &row.ranges).map(|range| range.from).collect();
    let begins: Vec<u64> = begins.into_iter().collect();
    let ends = begins.iter().skip(1).map(|next| Some(next - 1)).chain([None]);
    let within = |from: u64| -> Vec<&Columns> {
        let holds = |range: &&Columns| range.from <= from && range.to.is_none_or(|to| from <= to);
        rows.iter().filter_map(|row| row.ranges.iter().find(holds)).collect()
    };
    begins.iter().zip(ends).map(|(from, to)| (*from, to, within(*from))).collect()
}

fn cell(side: &mut PresenceColumn<'_>, columns: &Columns, from: u64, to: Option<u64>) -> RouteCell {
    let kernels = columns.kernels_of(from, to.unwrap_or(MOST_COLUMNS));
    let mut cell = RouteCell {
        route: columns.route(),
        rule: columns.answer.rule.map(|rule| rule.id.to_owned()),
        carried_over: columns.answer.rule.is_some() && !columns.answer.is_documented,
        kernels: kernels.len() as u64,
        real: 0,
        stubs: 0,
        absent: 0,
        no_code_object: side.index.is_none() && side.is_whole,
    };
    for kernel in kernels {
        match body(side, kernel) {
            None => cell.absent += u64::from(side.is_whole),
            Some(Body::TrapStub) => cell.stubs += 1,
            Some(_) => cell.real += 1,
        }
    }
    cell
}

fn body(side: &mut PresenceColumn<'_>, kernel: &Kernel) -> Option<Body> {
    let index = side.index.as_ref()?;
    *side.bodies.entry(kernel.prefix()).or_insert_with(|| index.body_of(kernel))
}

/// Adds the rows of a type; if another type has the same routes in the same ranges, adds only its name there.
fn merge(rows: &mut Vec<RouteRow>, made: Vec<RouteRow>) {
    let alike = |one: &RouteRow, other: &RouteRow| {
        let faces = |row: &RouteRow| -> Vec<_> {
            row.cells
                .iter()
                .map(|cell| (cell.route.name(), cell.rule.clone(), cell.carried_over, state(cell)))
                .collect()
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
