//! Throughput of each stage on data that is made here; ratios against peers on real files are `cargo oracle
//! measure`.
#![allow(clippy::unwrap_used, missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rocm_audit::budget::ObjectBudget;
use rocm_audit::bytes::msgpack::Reader;
use rocm_audit::codeobject::disassembly::CodeAsk;
use rocm_audit::container;
use rocm_audit::container::bundle_reader;
use rocm_audit::container::bundle_reader::Depth;
use rocm_audit::format::Format;
use std::hint::black_box;
use std::path::Path;

fn fixture(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rocm").join(path)).unwrap()
}

/// Kernel metadata as LLVM writes it, `count` kernels with eight arguments each.
fn metadata(count: usize) -> Vec<u8> {
    use rmpv::Value;
    let argument = || {
        let pairs =
            [(".offset", Value::from(8)), (".size", 8.into()), (".value_kind", "global_buffer".into())];
        Value::Map(pairs.into_iter().map(|(k, v)| (k.into(), v)).collect())
    };
    let kernel = |index: usize| {
        let name = format!("_ZL13mul_mat_vec_qIL9ggml_type{index}ELi1ELb0ELb0EEvPKvS2_");
        let mut pairs: Vec<(Value, Value)> =
            vec![(".args".into(), Value::Array((0..8).map(|_| argument()).collect()))];
        for key in [".vgpr_count", ".sgpr_count", ".group_segment_fixed_size", ".wavefront_size"] {
            pairs.push((key.into(), 64.into()));
        }
        pairs.push((".symbol".into(), format!("{name}.kd").into()));
        pairs.push((".name".into(), name.into()));
        Value::Map(pairs)
    };
    let kernels = Value::Array((0..count).map(kernel).collect());
    let mut out = Vec::new();
    rmpv::encode::write_value(&mut out, &Value::Map(vec![("amdhsa.kernels".into(), kernels)])).unwrap();
    out
}

fn benches(c: &mut Criterion) {
    let bytes = metadata(20_000);
    let mut group = c.benchmark_group("msgpack");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("skip kernel metadata", |b| b.iter(|| Reader::new(black_box(&bytes), 0).skip()));
    group.bench_function("rmpv builds the same as a tree", |b| {
        b.iter(|| rmpv::decode::read_value_ref(&mut black_box(bytes.as_slice())))
    });
    group.finish();

    for (name, path) in
        [("plain bundles", "lib/librocblas.so.4.4"), ("compressed bundles", "lib/librccl.so.1.0")]
    {
        let bytes = fixture(path);
        let mut group = c.benchmark_group(name);
        group.bench_function("find", |b| b.iter(|| container::open(black_box(&bytes), Format::HostElf)));
        let container = container::open(&bytes, Format::HostElf);
        for (what, depth) in [("metadata", Depth::Metadata), ("whole", Depth::Whole)] {
            group.bench_function(what, |b| {
                b.iter(|| {
                    for bundle in container.bundles() {
                        black_box(bundle_reader::read(
                            &bytes,
                            bundle,
                            depth,
                            CodeAsk::Nothing,
                            &mut |_, _, _| {},
                        ));
                    }
                });
            });
        }
        group.finish();
    }

    let mut noise: Vec<u8> =
        (0u32..4 << 20).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    noise[1 << 20..(1 << 20) + 4].copy_from_slice(b"CCOB");
    let mut group = c.benchmark_group("search");
    group.throughput(Throughput::Bytes(noise.len() as u64));
    group.bench_function("data without device code", |b| {
        b.iter(|| {
            container::find::search_magics(black_box(&noise), 0, &mut ObjectBudget::for_size(noise.len()))
        })
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
