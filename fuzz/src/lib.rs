//! Code that fuzz targets share: a fuzzer's bytes as choices, and containers made from them that are valid
//! except for fields that a choice bends to a limit and beyond.

pub mod choices;
pub mod elf;
pub mod first_inputs;
pub mod gpu;
pub mod mutation;
pub mod packages;
mod samples;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What a target does with an input. With libFuzzer the target is a program of its own, or a module of the
/// program of all targets; without it, a module of the tests.
#[macro_export]
macro_rules! target {
    (|$bytes:ident: &[u8]| $body:block) => {
        pub(crate) fn try_input($bytes: &[u8]) $body

        #[cfg(all(feature = "libfuzzer", not(feature = "all")))]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| try_input(bytes));
    };
}

/// Calls a macro with the names of all targets.
#[macro_export]
macro_rules! for_each_target {
    ($then:ident) => {
        $then! {
            bundles
            code_object_does_not_panic
            code_object_fields
            demangler
            elf_agrees_with_goblin
            elf_agrees_with_object
            files
            forms
            gguf
            installed
            instructions
            kernels
            kpack
            log_messages
            miopen_models
            miopen_text
            msgpack_agrees
            onnx
            packages_agree
            questions
            rendered_text
            safetensors
            source_lines
            sqlite
            tensile
            tensile_catalogs
            words
            workload
        }
    };
}

/// A folder for this process, in memory if the system supports it.
///
/// # Panics
///
/// If it cannot be created.
pub fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let temporary = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = temporary.join(format!("rocm-audit-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for files");
        folder
    })
}

/// The fixtures of the project.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}
