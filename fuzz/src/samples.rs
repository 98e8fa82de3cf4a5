//! First inputs that are made: small valid files of each form, by the crate `amdgpu-samples`.

use amdgpu_samples::{Kernel, Sample, SampleForm, catalog};
use std::io;
use std::path::Path;

/// Samples of each form.
const SEEDS: u64 = 4;

/// Which targets read which forms, and the byte by which they take an input as it is.
const READ_BY: &[(&str, Option<u8>, &[SampleForm])] = &[
    (
        "bundles",
        Some(0xff),
        &[
            SampleForm::Object,
            SampleForm::Bundle,
            SampleForm::Binaries,
            SampleForm::Kpack,
            SampleForm::Archive,
        ],
    ),
    ("code_object_does_not_panic", None, &[SampleForm::Object]),
    ("elf_agrees_with_goblin", None, &[SampleForm::Object]),
    (
        "forms",
        None,
        &[SampleForm::Bundle, SampleForm::Archive, SampleForm::Tar, SampleForm::Zip, SampleForm::Library],
    ),
    ("kpack", Some(0xff), &[SampleForm::Kpack]),
    ("packages_agree", Some(0xff), &[SampleForm::Archive, SampleForm::Tar, SampleForm::Zip]),
];

/// Writes those of a target to its corpus.
///
/// # Errors
/// Where one cannot be written.
pub(crate) fn write(target: &str, corpus: &Path) -> io::Result<()> {
    let rows = READ_BY.iter().filter(|(name, ..)| *name == target);
    for (_, first, forms) in rows {
        for form in *forms {
            for seed in 0..SEEDS {
                let mut bytes: Vec<u8> = first.iter().copied().collect();
                bytes.extend(Sample::small(seed, *form).bytes());
                std::fs::write(corpus.join(format!("sample-{form:?}-{seed}")), bytes)?;
            }
        }
    }
    if target == "tensile" {
        for seed in 0..SEEDS {
            let sample = Sample::new(seed, SampleForm::Object);
            let kernels = sample.objects().iter().flat_map(|object| object.kernels()).map(Kernel::name);
            let kernels: Vec<&str> = kernels.take(2).collect();
            std::fs::write(corpus.join(format!("sample-catalog-{seed}")), catalog::catalog(&kernels))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_target_of_the_list_has_a_program_and_gets_its_files() {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz_targets");
        for (target, first, forms) in READ_BY {
            assert!(programs.join(format!("{target}.rs")).is_file(), "{target}");
            let corpus = tempfile::tempdir().unwrap();
            write(target, corpus.path()).unwrap();
            let files: Vec<_> = std::fs::read_dir(corpus.path()).unwrap().map(Result::unwrap).collect();
            assert_eq!(files.len() as u64, SEEDS * forms.len() as u64, "{target}");
            for file in files {
                let bytes = std::fs::read(file.path()).unwrap();
                assert!(first.is_none_or(|first| bytes[0] == first) && bytes.len() > 1000);
            }
        }
    }
}
