//! Models in ONNX files: the convolutions and matrix products of a graph, as MIOpen and rocBLAS are asked for them.
//!
//! [`wire`] reads fields of messages, [`graph`] nodes and small constants, [`shape`] follows shapes through the nodes, and
//! [`problem`] makes keys of MIOpen's find-db and matrix products. Weights are not read.

pub mod graph;
pub mod problem;
pub mod shape;
pub mod window;
pub mod wire;

#[cfg(test)]
mod tests;
