//! Tensile libraries: what rocBLAS and hipBLASLt decide with. So far their files are named and counted.

pub mod catalog;
pub mod name;
