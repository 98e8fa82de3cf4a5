//! Reading find-dbs, and finding one record in them. The data is made here, in the grammar of the real files.
#![allow(clippy::unwrap_used, missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rocm_audit::engines::miopen::{defects, find_db, text};
use std::hint::black_box;

fn key(n: usize) -> String {
    format!("{}-28-28-3x3-64-28-28-{n}-1x1-1x1-1x1-0-NCHW-FP32-F", 16 + n % 512)
}

fn database(records: usize) -> String {
    let item = |algorithm: &str, solver: &str, n: usize| {
        let full = format!("miopenConvolutionFwdAlgo{algorithm}");
        format!("{full}:{solver},{}.{n},{},{full},<unused>", n % 9, n * 64)
    };
    (0..records)
        .map(|n| {
            let items = [
                item("Winograd", "ConvBinWinogradRxSf3x2", n),
                item("Direct", "ConvDirectNaiveConvFwd", n),
                item("GEMM", "GemmFwdRest", n),
            ];
            format!("{}={}\n", key(n), items.join(";"))
        })
        .collect()
}

fn benches(c: &mut Criterion) {
    let text = database(50_000);
    let bytes = text.as_bytes();
    let mut group = c.benchmark_group("find-db");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("lines", |b| b.iter(|| text::records(black_box(bytes)).count()));
    group.bench_function("lines and items", |b| {
        b.iter(|| {
            text::records(black_box(bytes)).flatten().map(|r| find_db::items(&r).count()).sum::<usize>()
        })
    });
    group.bench_function("lines and keys", |b| {
        b.iter(|| text::records(black_box(bytes)).flatten().filter(|r| r.problem().is_ok()).count())
    });
    group.bench_function("defects", |b| b.iter(|| defects::of_find_db("bench", black_box(bytes))));
    let last = key(49_999);
    group.bench_function("find the last record", |b| b.iter(|| text::find(black_box(bytes), &last)));
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
