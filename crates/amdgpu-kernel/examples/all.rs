//! Looks into all kernels of files: control flow, loops, registers in use by both rules, the mix of every
//! block, occupancy. Each body is looked into once, however many kernels have it. Says how long the steps
//! took.
#![allow(clippy::print_stdout, missing_docs)]
// A decoder is compared by its address, which does not change.
#![allow(clippy::mutable_key_type)]

use amdgpu_kernel::{BlockMix, Code, Graph, KernelObject, Liveness};
use amdgpu_object::codeobject;
use amdgpu_object::container;
use amdgpu_object::format::Format;
use amdgpu_object::source::SourceFile;
use rayon::prelude::*;
use std::collections::HashMap;
use std::time::Instant;

/// What was found, summed up over kernels.
#[derive(Default, Debug)]
struct Sums {
    kernels: u64,
    bytes: u64,
    instructions: u64,
    blocks: u64,
    loops: u64,
    vgprs: u64,
    operations: u64,
}

impl Sums {
    fn and(self, other: Sums) -> Sums {
        Sums {
            kernels: self.kernels + other.kernels,
            bytes: self.bytes + other.bytes,
            instructions: self.instructions + other.instructions,
            blocks: self.blocks + other.blocks,
            loops: self.loops + other.loops,
            vgprs: self.vgprs + other.vgprs,
            operations: self.operations + other.operations,
        }
    }

    /// Of a body that so many kernels have.
    fn of_code(code: &Code<'_>, times: u64) -> Sums {
        let graph = Graph::from_code(code);
        let [_, safe] = Liveness::by_both(&graph);
        let mixes = graph.blocks().iter().map(|block| BlockMix::count(&graph, code.lanes(), [block]));
        Sums {
            kernels: times,
            bytes: times * code.size() as u64,
            instructions: times * graph.instructions() as u64,
            blocks: times * graph.blocks().len() as u64,
            loops: times * graph.loops().len() as u64,
            vgprs: times * u64::from(safe.at().vgprs().count()),
            operations: times * mixes.map(|mix| mix.operations()).sum::<u64>(),
        }
    }
}

/// The codes of the kernels of a code object, and the sum of their occupancies.
fn codes(bytes: &[u8]) -> (Vec<Code<'_>>, u64) {
    let Ok(read) = codeobject::read(bytes, bytes.len() as u64, 0, &mut |_, _| {}) else {
        return Default::default();
    };
    let Ok(object) = KernelObject::read(bytes, &read.target().processor) else { return Default::default() };
    let waves = object.kernels().iter().filter_map(|kernel| object.occupancy(kernel, None));
    let waves = waves.map(|occupancy| u64::from(occupancy.waves())).sum();
    (object.kernels().iter().filter_map(|kernel| object.code(kernel)).collect(), waves)
}

fn main() {
    for path in std::env::args_os().skip(1) {
        let begun = Instant::now();
        let Ok(file) = SourceFile::open(path.as_ref()) else { continue };
        let found = container::open(file.bytes(), Format::identify(file.head()));
        let opened: Vec<_> =
            found.bundles().par_iter().filter_map(|bundle| bundle.open(file.bytes()).ok()).collect();
        let entries: Vec<&[u8]> = opened
            .iter()
            .flat_map(|bundle| {
                bundle.entries().filter(|entry| entry.is_code_object()).map(|entry| entry.bytes())
            })
            .collect();
        let (all, waves) =
            entries.par_iter().map(|bytes| codes(bytes)).reduce(Default::default, |mut a, b| {
                a.0.extend(b.0);
                (a.0, a.1 + b.1)
            });
        let read = begun.elapsed();
        let mut times: HashMap<Code<'_>, u64> = HashMap::new();
        for code in &all {
            *times.entry(code.clone()).or_default() += 1;
        }
        let (told_apart, distinct) = (begun.elapsed(), times.len());
        let bytes: usize = times.keys().map(Code::size).sum();
        let sums = times
            .into_par_iter()
            .map(|(code, times)| Sums::of_code(&code, times))
            .reduce(Sums::default, Sums::and);
        println!(
            "{}: {sums:?}, waves: {waves}; {distinct} bodies of {bytes} bytes; read {read:.2?}, told apart {:.2?}, looked into {:.2?}",
            path.to_string_lossy(),
            told_apart - read,
            begun.elapsed() - told_apart
        );
    }
}
