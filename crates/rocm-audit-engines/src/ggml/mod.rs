//! llama.cpp's matrix library ggml: which of its HIP kernels a product uses on a GPU, and whether a library
//! contains it.
//!
//! Three facts are kept apart. `route` decides, by rules for each version, how a product is computed and
//! which kernel that launches. [`presence`] determines whether a library contains that kernel for a target:
//! absent, a stub that only traps, or real. [`binary`] determines the version of a library, if possible.
//!
//! Rules are data ([`rules`], `src/ggml/rules`), each with its source and the versions it applies to; the
//! files in this folder contain the order of stages and the arithmetic of tiles.

pub mod architecture;
pub mod binary;
pub mod family;
mod flash_attention;
pub mod kernel;
mod mul_mat;
pub mod open;
pub mod presence;
pub mod presence_table;
pub mod query;
mod route;
pub mod rules;
pub mod table;
pub mod types;
pub mod version;

pub use architecture::{Architecture, GpuClass};
pub use kernel::Kernel;
pub use query::Query;
pub use route::{Answer, BlasFunction, Route};
pub use version::{Version, VersionRange};

use rules::{Operation, Question};

/// How a product is computed on a GPU, by the rules nearest to a version of ggml (by default, the latest
/// known).
///
/// # Errors
///
/// If the crate's own rules are malformed.
pub fn route(
    architecture: &Architecture,
    query: &Query,
    version: Option<Version>,
) -> Result<Answer<'static>, &'static str> {
    let rules = rules::rules()?;
    let version = version.map_or_else(|| rules.latest(), |version| rules.nearest(version));
    Ok(match query {
        Query::MulMat(problem) => mul_mat::dense(rules, architecture, problem, version),
        Query::MulMatId(problem) => mul_mat::experts(rules, architecture, problem, version),
        Query::FlashAttention(problem) => flash_attention::attention(rules, architecture, problem, version),
    })
}

/// The types that the backend does not accept, by the rules nearest to a version.
///
/// # Errors
///
/// If the crate's own rules are malformed.
pub fn types_not_taken(
    architecture: &Architecture,
    version: Version,
) -> Result<Vec<&'static str>, &'static str> {
    let rules = rules::rules()?;
    let refused = |ty| {
        let question = Question::about(architecture, rules.nearest(version), ty, Operation::Dense);
        rules.first("types", &question).is_some_and(|rule| rule.never)
    };
    Ok(types::TYPES.iter().filter(|ty| refused(ty)).map(|ty| ty.name).collect())
}

#[cfg(test)]
mod tests;
mod written;
