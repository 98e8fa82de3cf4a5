//! What is wrong with what was read.

pub mod evidence;
pub mod read_fault;
pub mod severity;
