//! Arbitrary bytes as a list of operations: every line is a problem, malformed or ignored, and ggml is asked
//! about the problems.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::engines::ggml::{self, Architecture};
use rocm_audit::engines::miopen::problem::ConvolutionProblem;
use rocm_audit::engines::workload::{Problem, read};

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let workload = read(bytes);
    let lines: u64 = workload.entries.iter().map(|entry| entry.lines).sum();
    // One line of MIOpen's can state three problems.
    assert!(workload.wrong_lines + workload.other_lines <= workload.lines);
    assert!(lines <= 3 * (workload.lines - workload.wrong_lines - workload.other_lines));
    let architecture = Architecture::parse("gfx906").expect("a GPU");
    for entry in &workload.entries {
        let _ = (entry.problem.flops(), entry.problem.words());
        match &entry.problem {
            Problem::Convolution(key) => assert!(ConvolutionProblem::parse(key).is_ok(), "{key}"),
            Problem::Ggml(query) => drop(ggml::route(&architecture, query, None).expect("rules that load")),
            Problem::Gemm(call) => drop(call.contraction().expect("a type that was checked")),
            Problem::HipBlasLt(..) => {}
        }
    }
});
