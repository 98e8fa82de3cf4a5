//! What is inside an AMD GPU kernel: how many of its waves a SIMD unit holds, where its code goes, which
//! registers are in use, whether results of memory are waited for, and whether instructions that a processor
//! does not keep apart are far enough from each other.
//!
//! Everything is computed from bytes: the instructions of a kernel and its descriptor. No GPU, no driver and
//! no compiler is asked.

#![warn(missing_debug_implementations)]

mod block;
mod body;
mod constants;
pub mod cycles;
mod full_masks;
mod graph;
pub mod hazards;
#[cfg(feature = "lines")]
pub mod lines;
mod liveness;
mod loops;
mod mask;
mod mix;
mod mnemonics;
mod object;
pub mod occupancy;
mod units;
pub mod waits;

pub use block::Block;
pub use body::{Code, MOST_BYTES};
pub use graph::{Graph, Through};
pub use liveness::{Liveness, Peak, Peaks, Registers, Rule};
pub use loops::Loop;
pub use mix::{BlockMix, kind_of};
pub use object::KernelObject;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
