//! Which solvers a library considers for an operation: rules as data, each citing the source lines it was
//! read from.
//!
//! A rule file under `rules/` lists the conditions under which a solver accepts a problem. [`rules`] loads
//! them; [`bound`] decides conditions on the device, the build and the environment once, and judges problems.

pub mod bound;
pub mod clause;
pub mod context;
pub mod convolution;
pub mod crash;
pub mod environment;
pub mod expression;
pub mod find;
pub mod finders;
mod frugally_deep;
pub mod integer;
mod load;
mod load_error;
pub mod model_fault;
pub mod model_file;
mod network;
pub mod parameters;
mod pattern;
pub mod predicates;
pub mod registry;
pub mod release;
pub mod rules;
pub mod tunanet;
pub mod tunanet_model;
pub mod tuning;
pub mod tuning_model;
mod variable;
mod written;
pub mod wti;

pub use bound::{Bound, Candidates, Rejection};
pub use clause::{Algorithm, Clause, Fidelity, Solver, Source};
pub use context::{BuildPart, Context, Version};
pub use load_error::LoadError;
pub use rules::SolverRules;
pub use variable::Derived;
