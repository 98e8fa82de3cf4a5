//! What came of public packages, as docs/packages has it.

use crate::command::project;
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::path::PathBuf;

/// A column: its name, what it is for, and packages by the beginnings of their files' names with their places
/// in the folder.
pub(super) type Set = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// What people install, as the columns of the table.
pub(super) const SETS: &[Set] = &[
    (
        "llama.cpp (Debian)",
        "llama.cpp's HIP backend with the rocBLAS that it needs",
        &[("libggml0-backend-hip_", "deb/libggml0-backend-hip"), ("librocblas4_", "deb/librocblas4")],
    ),
    ("rocBLAS 6.4 (Debian)", "matrix products", &[("librocblas4_", "deb/librocblas4")]),
    ("rocBLAS 7.2 (Debian)", "matrix products", &[("librocblas5_", "deb-new/librocblas5")]),
    ("hipBLASLt (Debian)", "fused matrix products", &[("libhipblaslt1_7.1", "deb/libhipblaslt1")]),
    ("hipBLASLt 7.2 (Debian)", "fused matrix products", &[("libhipblaslt1_7.2", "deb-new/libhipblaslt1")]),
    ("rocFFT (Debian)", "Fourier transforms", &[("librocfft0_", "deb/librocfft0")]),
    (
        "bitsandbytes 0.49.0",
        "quantised weights for PyTorch",
        &[("bitsandbytes-0.49.0-", "wheels/bitsandbytes-0.49.0-py3-none-manylinux_2_24_x86_64.whl")],
    ),
    (
        "bitsandbytes 0.50.2",
        "quantised weights for PyTorch",
        &[("bitsandbytes-0.50.2-", "wheels/bitsandbytes-0.50.2-py3-none-manylinux_2_24_x86_64.whl")],
    ),
    (
        "bitsandbytes 0.50.0 (Windows)",
        "quantised weights for PyTorch",
        &[("bitsandbytes-0.50.0-", "wheels/bitsandbytes-0.50.0-py3-none-win_amd64.whl")],
    ),
    (
        "JAX 0.12.0 (ROCm 10)",
        "XLA's runtime for ROCm, which compiles most of its kernels",
        &[("jax_rocm10_pjrt-0.12.0-", "wheels/jax_rocm10_pjrt-0.12.0-py3-none-manylinux_2_27_x86_64.whl")],
    ),
    (
        "CuPy 14.2.0 (ROCm 7)",
        "arrays of Python",
        &[("cupy_rocm_7_0-14.2.0-", "wheels/cupy_rocm_7_0-14.2.0-cp312-cp312-manylinux2014_x86_64.whl")],
    ),
    (
        "Blender 5.2.3",
        "Cycles and its denoiser, as Python's module",
        &[("bpy-5.2.3-", "wheels/bpy-5.2.3-cp313-cp313-manylinux_2_28_x86_64.whl")],
    ),
];

/// The folder of the stored files.
pub(super) fn folder() -> PathBuf {
    project().join("docs/packages")
}

/// A name as a file and an address can have it.
pub(super) fn slug(title: &str) -> String {
    let words: String =
        title.chars().map(|one| if one.is_alphanumeric() || one == '.' { one } else { ' ' }).collect();
    words.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase()
}

/// The stored files in the order of the table, each with its name.
///
/// # Errors
/// One is missing or no JSON.
pub(super) fn stored() -> Result<Vec<(String, Value)>> {
    let read = |(title, ..): &Set| {
        let name = slug(title);
        let path = folder().join(format!("{name}.json"));
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok((name, serde_json::from_str(&text).with_context(|| path.display().to_string())?))
    };
    SETS.iter().map(read).collect()
}
