//! Rules on how libraries are linked with each other.

use super::Row;
use crate::common::seen::{Seen, in_files};
use crate::common::trees;

pub(super) const ROWS: &[Row] = &[
    (
        "needed-of-another-release",
        || trees::program_beside("libamdhip64.so.7"),
        || trees::program_beside("libamdhip64.so.6"),
    ),
    ("symbol-unresolved", || trees::hsa_exports("hsa_init"), || trees::hsa_exports("hsa_amd_vmem_map")),
    ("device-stub-undefined", || trees::stub(false), || trees::stub(true)),
    ("stack-executable", || trees::with_stack(true), || trees::with_stack(false)),
    (
        "runtimes-of-two-releases",
        || trees::two_runtimes("libamdhip64.so.7"),
        || trees::two_runtimes("libamdhip64.so.6"),
    ),
    ("path-with-blank", || trees::library_in("my venv/lib"), || trees::library_in("my-venv/lib")),
    (
        "code-objects-too-new",
        || trees::version_six_beside("libamdhip64.so.6.2.41134"),
        || trees::version_six_beside("libamdhip64.so.6.3.42131"),
    ),
    ("runtime-without-target", || trees::hsa_names("gfx908"), || trees::hsa_names("gfx906")),
    ("built-for-cuda", || trees::linked_with_cuda(true), || trees::linked_with_cuda(false)),
    (
        "needed-not-here",
        || trees::rocblas_beside("libhipblas.so.2"),
        || trees::rocblas_beside("librocblas.so.4"),
    ),
    ("runpath-absolute", || trees::looks_in("/opt/rocm-7.2.4/lib"), || trees::looks_in("$ORIGIN/../lib")),
    ("package-not-here", || wheel_beside("0.11.0"), || wheel_beside("0.12.0")),
    ("images-judged-together", || trees::images(2), || trees::images(1)),
];

/// A plugin of JAX that needs 0.12.0 of its partner, installed beside another release of it.
fn wheel_beside(version: &str) -> Vec<Seen> {
    let plugin = b"Name: jax-rocm10-plugin\nVersion: 0.12.0\nRequires-Dist: jax-rocm10-pjrt==0.12.0\n";
    let partner = format!("Name: jax_rocm10_pjrt\nVersion: {version}\n");
    in_files(&[("a-1.dist-info/METADATA", plugin), ("b-1.dist-info/METADATA", partner.as_bytes())])
}
