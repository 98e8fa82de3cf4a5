//! What each target begins with, and how long its inputs may be.

use crate::samples;
use std::io;
use std::path::{Path, PathBuf};

/// First inputs of targets that read files as they are; those that are not listed have the folder of their
/// name in `fuzz/seeds`.
const SEEDS: &[(&str, &str)] = &[
    ("code_object_does_not_panic", "../fixtures/rocm"),
    ("elf_agrees_with_goblin", "../fixtures/rocm"),
    ("forms", "../fixtures/forms"),
    ("gguf", "../fixtures/model"),
    ("instructions", "../fixtures/instructions"),
    ("kernels", "../fixtures/instructions"),
    ("miopen_models", "../fixtures/rocm/share/miopen/db"),
    ("onnx", "../fixtures/model"),
    ("tensile", "../fixtures/tensile/library"),
];

/// Longest inputs in bytes, where they are not those that libFuzzer takes from the seeds: what costs much by
/// the byte is short.
const LENGTHS: &[(&str, u32)] = &[
    ("bundles", 4096),
    ("demangler", 128),
    ("files", 1024),
    ("forms", 16_384),
    ("gguf", 4096),
    ("installed", 8192),
    ("instructions", 2048),
    ("kernels", 2048),
    ("log_messages", 512),
    ("miopen_models", 2048),
    ("onnx", 4096),
    ("packages_agree", 4096),
    ("questions", 512),
    ("safetensors", 4096),
    ("sqlite", 4096),
    ("tensile", 4096),
    ("words", 128),
    ("workload", 1024),
];

/// The folder of a target's first inputs.
pub fn folder(target: &str) -> PathBuf {
    let listed = SEEDS.iter().find(|(name, _)| *name == target);
    let own = || format!("seeds/{target}");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(listed.map_or_else(own, |(_, folder)| (*folder).to_owned()))
}

/// The longest input of a target in bytes, where it is not the longest of its first ones.
pub fn longest(target: &str) -> Option<u32> {
    LENGTHS.iter().find(|(name, _)| *name == target).map(|(_, length)| *length)
}

/// The file with words that inputs of a target may have, if it has one.
pub fn dictionary(target: &str) -> Option<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("dictionaries/{target}.dict"));
    file.is_file().then_some(file)
}

/// Writes those first inputs that are made.
///
/// # Errors
/// Where one cannot be written.
pub fn write_made(target: &str, corpus: &Path) -> io::Result<()> {
    samples::write(target, corpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_of_a_target() {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz_targets");
        let rows = SEEDS.iter().map(|(row, _)| row).chain(LENGTHS.iter().map(|(row, _)| row));
        for row in rows {
            assert!(programs.join(format!("{row}.rs")).is_file(), "{row}");
        }
    }
}
