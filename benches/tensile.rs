//! Selection of Tensile solutions: a problem once its catalogs are read, and a folder opened for one problem.
//! On the fixtures, and on the library folder that `ROCM_AUDIT_ROCBLAS_LIBRARY` names, such as rocBLAS 6.4's
//! `rocblas/4.4.1/library`.
#![allow(clippy::unwrap_used, missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rocm_audit::engines::tensile::call::GemmCall;
use rocm_audit::engines::tensile::library::Library;
use serde_json::json;
use std::hint::black_box;
use std::path::{Path, PathBuf};

/// Sizes as programs have them: square, tall, small, odd, batched.
fn mix(arch: &str, cus: u32) -> Vec<GemmCall> {
    let sizes = [
        (1024, 1024, 1024),
        (4096, 128, 4096),
        (64, 64, 64),
        (7, 3000, 513),
        (11008, 1, 4096),
        (257, 255, 33),
    ];
    let mut problems = Vec::new();
    for (m, n, k) in sizes {
        for (ty, ta, tb) in
            [("SS", "N", "N"), ("SS", "N", "T"), ("HHS", "T", "N"), ("HHS", "N", "N"), ("DD", "N", "T")]
        {
            let ld = [if ta == "N" { m } else { k }, if tb == "N" { k } else { n }, m, m];
            let problem = json!({ "arch": arch, "cus": cus, "ty": ty, "ta": ta, "tb": tb, "m": m, "n": n, "k": k,
                "batch": 1 + m % 2, "ld": ld, "c_eq_d": 1 });
            problems.push(serde_json::from_value(problem).unwrap());
        }
    }
    problems
}

fn library(c: &mut Criterion, name: &str, folder: &Path) {
    for (arch, cus) in
        [("gfx900:xnack-", 64), ("gfx906:sramecc+:xnack-", 60), ("gfx90a:sramecc+:xnack-", 110)]
    {
        let Ok(library) = Library::open(folder, arch) else { continue };
        let problems = mix(arch, cus);
        let mut group = c.benchmark_group(format!("{name} {arch}"));
        // Reads the catalogs.
        problems.iter().for_each(|problem| drop(library.choose(problem, None)));
        group.throughput(Throughput::Elements(problems.len() as u64));
        group.bench_function("choose, catalogs read", |b| {
            b.iter(|| problems.iter().for_each(|problem| drop(black_box(library.choose(problem, None)))))
        });
        group.throughput(Throughput::Elements(1));
        let first = problems.first().unwrap();
        group.bench_function("open and select one", |b| {
            b.iter(|| Library::open(folder, arch).unwrap().select(first, None).map(|answer| answer.status))
        });
    }
}

fn benches(c: &mut Criterion) {
    library(c, "fixtures", &Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tensile/library"));
    if let Some(folder) = std::env::var_os("ROCM_AUDIT_ROCBLAS_LIBRARY") {
        library(c, "rocBLAS", &PathBuf::from(folder));
    }
}

criterion_group!(all, benches);
criterion_main!(all);
