//! Rules about code objects.

use super::Row;
use crate::common::packages::code_object;
use crate::common::seen::{Seen, in_files};
use crate::common::trees::{self, GFX90A};

pub(super) const ROWS: &[Row] = &[
    (
        "names-disagree",
        || in_files(&[("Kernels.so-000-gfx900.hsaco", &code_object())]),
        || in_files(&[("Kernels.so-000-gfx906.hsaco", &code_object())]),
    ),
    (
        "fused-target-names",
        || in_files(&[("libtensorflow_framework.so.2", b"\x7fELF\x02\0gfx1030gfx1100\0")]),
        || in_files(&[("libtensorflow_framework.so.2", b"\x7fELF\x02\0gfx1030\0gfx1100\0")]),
    ),
    (
        "found-by-search",
        || in_files(&[("x.mxr", &[b"\x81\xa4code", &code_object()[..]].concat())]),
        || in_files(&[("x.mxr", &[b"\x81\xa4code", &code_object()[4..]].concat())]),
    ),
    ("cache-entry-broken", || trees::triton_cache(false, "3.9.0"), || trees::triton_cache(true, "3.9.0")),
    ("cache-stale", || trees::triton_cache(true, "3.8.1"), || trees::triton_cache(true, "3.9.0")),
    ("target-not-listed", || trees::tensorflow_lists("gfx1030"), || trees::tensorflow_lists("gfx906")),
    (
        "xnack-states-differ",
        || trees::two_states(GFX90A[0], GFX90A[1]),
        || trees::two_states(GFX90A[2], GFX90A[2]),
    ),
    ("xnack-fixed-for-apu", || trees::gfx90c(0x200), || trees::gfx90c(0x100)),
    ("variants-differ", || trees::two_variants(0x41), || trees::two_variants(0x36)),
    (
        "convolutions-unversioned-missing",
        || trees::convolutions("libMIOpenCKGroupedConv_gfx906.so.1.0"),
        || trees::convolutions("libMIOpenCKGroupedConv_gfx906.so"),
    ),
    ("firmware-with-fault", || trees::firmware(0x83), || trees::firmware(0x92)),
    ("registers-beyond-work-group", || trees::vector_registers(129), || trees::vector_registers(128)),
    // A work-group of gfx6 has 32 KiB, as LLVM's feature for it says.
    ("resources-beyond-target", || trees::lds_of_gfx600(32_769), || trees::lds_of_gfx600(32_768)),
    ("much-private-memory", || trees::private_memory(32 << 10), || trees::private_memory((32 << 10) - 16)),
    // gfx906 has no matrix instructions.
    ("words-of-no-instruction", || trees::decoded_as(0x2f), || trees::decoded_as(0x4c)),
    ("result-used-early", || trees::without_wait(Some(1)), || trees::without_wait(None)),
    // The first wait stands before a branch, the second behind all of them.
    ("wait-missing-on-a-way", || trees::without_wait(Some(0)), || trees::without_wait(Some(1))),
    ("wait-states-missing", || trees::with_close_pair(true), || trees::with_close_pair(false)),
    ("magic-in-compressed-bytes", || trees::skipped_bytes(b"CCOB"), || trees::skipped_bytes(b"CCOC")),
    ("database-without-code", || trees::database_for("gfx908"), || trees::database_for("gfx906")),
    (
        "manifest-kernel-missing",
        || {
            let table = b"dtype,knl_name,co_name\nbf16,_ZN5aiter1aE,a.co\nbf16,_ZN5aiter1bE,b.co\n";
            in_files(&[("hsa/gfx942/mla/mla.csv", table), ("hsa/gfx942/mla/a.co", &code_object())])
        },
        || {
            let table = b"dtype,knl_name,co_name\nbf16,_ZN5aiter1aE,a.co\n# _ZN5aiter1bE,b.co\n";
            in_files(&[("hsa/gfx942/mla/mla.csv", table), ("hsa/gfx942/mla/a.co", &code_object())])
        },
    ),
];

/// LLVM's `getMaxFlatWorkGroupSize`; 102 scalar registers, VCC, FLAT_SCRATCH and XNACK_MASK, rounded up to
/// sixteens.
#[test]
fn work_groups_and_scalar_registers_beyond_a_target_are_found() {
    let is_found = |seen: Vec<Seen>| seen.iter().any(|seen| seen.id == "resources-beyond-target");
    assert!(is_found(trees::work_group(1025)) && !is_found(trees::work_group(1024)));
    assert!(is_found(trees::scalar_registers(113)) && !is_found(trees::scalar_registers(112)));
}
