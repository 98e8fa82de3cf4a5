//! Verdicts per second: every rule of MIOpen on keys of several kinds.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rocm_audit::engines::miopen::problem::ConvolutionProblem;
use rocm_audit::engines::miopen::solver::{Context, Derived, SolverRules};
use std::hint::black_box;

const KEYS: [&str; 12] = [
    "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F",
    "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-FP32-B",
    "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP16-W",
    "128-28-28-3x3-256-14-14-64-1x1-2x2-1x1-0-NCHW-BF16-F",
    "2048-7-7-1x1-1024-14-14-128-0x0-2x2-1x1-0-NCHW-FP32-B",
    "32-28-28-5x5-64-28-28-16-2x2-1x1-1x1-0-NCHW-FP32-F",
    "256-14-14-3x3-256-14-14-64-1x1-1x1-1x1-0-NCHW-FP32-W_g32",
    "64-112-112-7x7-3-224-224-32-3x3-2x2-1x1-0-NCHW-FP32-W",
    "1024-17-17-1x7-128-17-17-32-0x3-1x1-1x1-0-NCHW-FP32-W",
    "512-14-14-3x3-512-14-14-64-1x1-1x1-1x1-0-NHWC-NHWC-NHWC-FP16-F",
    "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-INT8INT8INT32-F",
    "32-4-28-28-3x3x3-32-4-28-28-16-1x1x1-1x1x1-1x1x1-0-NCDHW-BF16-B_g32",
];

fn judge(criterion: &mut Criterion) {
    let rules = SolverRules::miopen().unwrap();
    let problems: Vec<ConvolutionProblem<'_>> =
        KEYS.iter().map(|key| ConvolutionProblem::parse(key).unwrap()).collect();
    let solvers = rules.solvers().len();
    let mut group = criterion.benchmark_group("select");
    group.throughput(Throughput::Elements((KEYS.len() * solvers) as u64));
    for (target, units) in [("gfx900", 64), ("gfx908", 120), ("gfx1030", 36)] {
        let bound = rules.for_context(&Context::new(target, units));
        group.bench_function(format!("judge {target}"), |bencher| {
            bencher.iter(|| {
                let mut accepted = 0;
                for problem in &problems {
                    let derived = Derived::from(black_box(problem));
                    accepted += (0..solvers).filter(|&solver| bound.judge(solver, &derived).is_ok()).count();
                }
                accepted
            });
        });
    }
    group.finish();
}

criterion_group!(benches, judge);
criterion_main!(benches);
