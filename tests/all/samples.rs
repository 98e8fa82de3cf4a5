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
