//! Throughput of the instruction decoder on the fixtures' machine code; ratios against llvm-objdump on real
//! files are `cargo oracle measure-isa`.
#![allow(clippy::unwrap_used, missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rocm_audit::bytes::elf::Elf;
use rocm_audit::codeobject::disassembly;
use rocm_audit::codeobject::disassembly::DecodeOptions;
use rocm_audit::isa::{Counts, Decoder, Mode};
use rocm_audit::target::TargetId;
use std::hint::black_box;
use std::path::Path;

/// Machine code of a target, as much as several hundred kernels: the code of a fixture over and over.
fn machine_code(processor: &str) -> Vec<u8> {
    let path = format!("fixtures/instructions/kernels_{processor}.co");
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let elf = rocm_audit::bytes::elf::Elf::open(bytes.as_slice(), 0).unwrap();
    let (texts, _) = rocm_audit::codeobject::text_section::sections(&elf, 64).unwrap();
    let text: Vec<u8> = texts.iter().flat_map(|text| text.bytes).copied().collect();
    text.repeat((4 << 20) / text.len())
}

fn benches(c: &mut Criterion) {
    let mut group = c.benchmark_group("decode");
    for processor in ["gfx803", "gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1200", "gfx1250"] {
        let text = machine_code(processor);
        let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(processor, |b| {
            b.iter(|| {
                let mut counts = Counts::default();
                decoder.count(black_box(&text), 0..text.len(), &mut counts);
                counts.mnemonics[0]
            })
        });
    }
    group.finish();

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/instructions/kernels_gfx906.co");
    let bytes = std::fs::read(path).unwrap();
    let target = TargetId::bare("gfx906");
    let mut group = c.benchmark_group("code object");
    for (name, kernels) in [("counted", false), ("with each kernel", true)] {
        let ask = DecodeOptions { kernels, ..DecodeOptions::default() };
        group.bench_function(name, |b| {
            b.iter(|| {
                let elf = Elf::open(black_box(bytes.as_slice()), 0).unwrap();
                disassembly::read(&elf, &target, &ask)
            })
        });
    }
    group.finish();
}

criterion_group!(decode, benches);
criterion_main!(decode);
