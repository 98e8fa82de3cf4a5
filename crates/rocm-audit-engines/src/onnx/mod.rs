//! Models in ONNX files: the convolutions and matrix products of a graph, in the form of questions to MIOpen
//! and rocBLAS.
//!
//! [`wire`] reads fields of messages, [`graph`] nodes and small constants, [`shape`] propagates shapes
//! through the nodes, and [`problem`] makes find-db keys and matrix products. Weights are not read.

pub mod graph;
pub mod problem;
pub mod shape;
pub mod window;
pub mod wire;

#[cfg(test)]
mod tests;
