//! Origami: the model by which hipBLASLt ranks solutions that no table of tuned sizes decides between.
//!
//! It estimates the cycles of each tile of a solution from what the device can compute and load, and takes
//! the smallest. All of it is arithmetic on sizes in double precision, so that the same order of operations
//! gives the same bits: none of it may be rearranged or fused. Source: origami 0.0.3 (`gemm.cpp`,
//! `streamk.cpp`, `heuristics.cpp`, `origami.cpp`), held against its library without a device.

pub mod device;
pub mod element;
pub mod latency;
pub mod rank;
pub mod stream;
pub mod tile;

#[cfg(test)]
mod tests;
