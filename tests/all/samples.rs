//! Files that the crate amdgpu-samples makes: all that is in them is found, and nothing is wrong with them.

use crate::common::audited::{damage, look, objects};
use amdgpu_samples::{Sample, SampleForm};
use std::collections::BTreeMap;

/// Kernels by processor, as a sample's maker counts them.
fn made(sample: &Sample) -> BTreeMap<String, u64> {
    let count = |object: &amdgpu_samples::CodeObject| {
        (object.processor().name.to_owned(), object.kernels().len() as u64)
    };
    sample.objects().iter().map(count).collect()
}

#[test]
fn what_samples_hold_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..10 {
        for form in SampleForm::ALL {
            let sample = if seed < 8 { Sample::new(seed, form) } else { Sample::small(seed, form) };
            let path = folder.path().join(format!("x.{}", form.extension()));
            std::fs::write(&path, sample.bytes()).unwrap();
            let inventory = look(&path);
            assert_eq!(damage(&inventory), [] as [String; 0], "{form:?} {seed}");
            // The tests of packages are those with a reader of them.
            if !cfg!(feature = "packages")
                && matches!(form, SampleForm::Tar | SampleForm::Zip | SampleForm::Library)
            {
                continue;
            }
            assert_eq!(objects(&inventory), sample.objects().len() as u64, "{form:?} {seed}");
            let devices = inventory.artifacts.iter().filter_map(|artifact| artifact.device.as_ref());
            let mut found = BTreeMap::new();
            for (target, code) in devices.flat_map(|device| &device.targets) {
                *found.entry(target.processor.clone()).or_insert(0) += code.kernels.count();
            }
            assert_eq!(found, made(&sample), "{form:?} {seed}");
        }
    }
}

/// Machine code that is large enough is walked from its beginning and from its middle, in turns.
#[test]
fn all_instructions_of_many_kernels_are_counted_once() {
    use amdgpu_object::bytes::elf::Elf;
    use amdgpu_object::codeobject::disassembly::{self, DecodeOptions};
    use amdgpu_object::target::TargetId;
    use amdgpu_samples::{CodeObject, Kernel, Processor};
    for name in ["gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1200"] {
        let processor = Processor::by_name(name).unwrap();
        // One is more than half, so that there is no middle to begin at; then many; then two.
        for idle in [vec![9_000, 10], (0..300).map(|number| number % 70).collect(), vec![6_000, 6_000]] {
            let kernels = idle.iter().enumerate();
            let kernels: Vec<Kernel> =
                kernels.map(|(number, idle)| Kernel::new(format!("k{number}")).idle(*idle)).collect();
            let object = CodeObject::new(processor, kernels);
            let (bytes, target) = (object.bytes(), TargetId::parse(name).unwrap());
            let elf = Elf::open(bytes.as_slice(), 0).unwrap();
            let read = |ask: &DecodeOptions<'_>| disassembly::read(&elf, &target, ask).unwrap();
            let expected: u64 = object.kernels().iter().map(|kernel| kernel.code_bytes() / 4).sum();
            let in_turns = read(&DecodeOptions::default());
            let one_by_one = read(&DecodeOptions { kernels: true, ..DecodeOptions::default() });
            for found in [&in_turns, &one_by_one] {
                assert_eq!(found.bodies().values().sum::<u64>(), idle.len() as u64, "{name}");
                assert_eq!(found.unknown(), 0, "{name}");
            }
            // Kernels begin at multiples of 256 bytes; what is between them may be filled with instructions.
            assert!(in_turns.instructions() >= expected, "{name}: {}", in_turns.instructions());
            assert_eq!(in_turns.histogram(), one_by_one.histogram(), "{name}");
            assert_eq!(in_turns.bodies(), one_by_one.bodies(), "{name}");
            assert_eq!(in_turns.zero_bytes(), one_by_one.zero_bytes(), "{name}");
        }
    }
}
