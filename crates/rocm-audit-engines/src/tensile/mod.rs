//! Tensile libraries: what rocBLAS and hipBLASLt decide with.
//!
//! A library folder holds catalogs, which lead from a problem to a solution, and code objects with the
//! kernels of the solutions. [`library::Library`] answers what the real rocBLAS would choose, load and
//! launch; the names in here are those of Tensile's own source.

#[cfg(feature = "engines")]
pub mod against_code;
pub mod answer;
pub mod backend;
pub mod by_index;
pub mod call;
pub mod catalog;
pub mod catalog_set;
pub mod catalog_summary;
pub mod code_file;
pub mod code_objects;
pub mod consistency;
pub mod coverage;
pub mod data_type;
pub mod dialect;
pub mod ext_ops;
pub mod gemv;
mod gemv_kernel;
pub mod hardware;
pub mod host;
mod indexed;
pub mod introsort;
pub mod kernel_id;
pub mod kernel_name;
pub mod launch;
pub mod library;
pub mod lite;
pub mod name;
pub mod node;
pub mod origami;
pub mod packed;
pub mod predicate;
pub mod probing;
pub mod rocblas;
pub mod select;
pub mod skim;
pub mod solution;
pub mod solutions;
pub mod standing;
pub mod table;
pub mod tensilelite;
pub mod trace;
pub mod tree;
pub mod tuning;
pub mod values;
pub mod version;
pub mod vocabulary;
mod yaml;

#[cfg(test)]
mod bad_input_tests;
#[cfg(test)]
mod release_tests;
#[cfg(test)]
mod tests;
