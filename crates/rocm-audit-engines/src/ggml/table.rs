//! The routes of all types on one GPU, by ranges of columns.

use super::architecture::Architecture;
use super::kernel::Kernel;
use super::query::{MulMat, Query};
use super::route::{Answer, Route};
use super::rules::Precision;
use super::types::{TYPES, Type};
use super::version::Version;
use std::fmt;

/// Largest number of columns examined for a table; the last range is open.
pub const MOST_COLUMNS: u64 = 2048;

/// Rows and values of the table's weights: large and round, so that shapes do not matter.
const SIDE: u64 = 4096;

/// Routes of a type.
#[derive(Debug, Clone)]
pub struct TypeRoutes {
    /// The type of the weights.
    pub ty: Type,
    /// Its ranges of columns, in order and without gaps.
    pub ranges: Vec<Columns>,
}

/// A range of columns with one route.
#[derive(Debug, Clone)]
pub struct Columns {
    /// The smallest number of columns.
    pub from: u64,
    /// The largest number of columns; `None` for an open range.
    pub to: Option<u64>,
    /// The answer for the smallest number.
    pub answer: Answer<'static>,
    /// The kernels it launches, each with the smallest number of columns for it, up to the next one's.
    pub kernels: Vec<(u64, Kernel)>,
}

impl TypeRoutes {
    /// Whether the version's backend rejects the type.
    pub fn is_refused(&self) -> bool {
        self.ranges.iter().all(|range| range.route() == Route::Unsupported)
    }
}

impl Columns {
    /// The route.
    pub fn route(&self) -> Route {
        self.answer.route
    }

    /// The different kernels launched for `from` to `to` columns.
    pub fn kernels_of(&self, from: u64, to: u64) -> Vec<&Kernel> {
        let ends = self.kernels.iter().skip(1).map(|(next, _)| next - 1).chain([u64::MAX]);
        let within = self.kernels.iter().zip(ends).filter(|((first, _), last)| *first <= to && from <= *last);
        let mut found: Vec<&Kernel> = Vec::new();
        for ((_, kernel), _) in within {
            if !found.contains(&kernel) {
                found.push(kernel);
            }
        }
        found
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.route().name(), self.from)?;
        match self.to {
            None => f.write_str("+"),
            Some(to) if to == self.from => Ok(()),
            Some(to) => write!(f, "-{to}"),
        }
    }
}

impl fmt::Display for TypeRoutes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranges: Vec<String> = self.ranges.iter().map(ToString::to_string).collect();
        write!(f, "{}: {}", self.ty.name, ranges.join(", "))
    }
}

/// The routes of dense products on a GPU, for each type. A range has one route by name; the function of
/// hipBLAS and the kernel may change within it.
///
/// # Errors
///
/// If the crate's own rules are malformed.
pub fn route_table(
    architecture: &Architecture,
    version: Option<Version>,
) -> Result<Vec<TypeRoutes>, &'static str> {
    TYPES.iter().map(|ty| Ok(TypeRoutes { ty, ranges: ranges(architecture, ty, version)? })).collect()
}

fn ranges(
    architecture: &Architecture,
    ty: Type,
    version: Option<Version>,
) -> Result<Vec<Columns>, &'static str> {
    let mut ranges: Vec<Columns> = Vec::new();
    for columns in 1..=MOST_COLUMNS {
        let problem = MulMat { ty, k: SIDE, n: SIDE, ne11: columns, precision: Precision::Default };
        let answer = super::route(architecture, &Query::MulMat(problem), version)?;
        let kernel = answer.kernel.clone();
        match ranges.last_mut() {
            Some(last) if last.answer.route.name() == answer.route.name() => last.to = Some(columns),
            _ => {
                let kernels = Vec::new();
                ranges.push(Columns { from: columns, to: Some(columns), answer, kernels });
            }
        }
        if let (Some(last), Some(kernel)) = (ranges.last_mut(), kernel)
            && last.kernels.last().is_none_or(|(_, before)| *before != kernel)
        {
            last.kernels.push((columns, kernel));
        }
    }
    if let Some(last) = ranges.last_mut() {
        last.to = None;
    }
    Ok(ranges)
}
