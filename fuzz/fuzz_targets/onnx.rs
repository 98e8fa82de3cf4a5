//! Arbitrary bytes as a graph: read, and its shapes propagated to problems, with and without a batch.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::engines::onnx::graph;
use rocm_audit::engines::onnx::problem::problems;
use rocm_audit::engines::onnx::shape::Sizes;

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let graph = graph::read(bytes);
    for batch in [None, Some(8)] {
        let (all, errors) = problems(&graph, &Sizes { batch, ..Sizes::default() });
        // Attention is two products.
        assert!(all.len() <= 2 * graph.nodes.len());
        for error in errors.iter() {
            assert!(error.offset() <= bytes.len() as u64);
        }
    }
});
