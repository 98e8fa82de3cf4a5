//! Zeroed memory for inflating whole bundles.

/// Separate memory that goes back to the system when it is dropped: an allocator would keep it, and a run
/// inflates thousands of bundles of all sizes.
#[cfg(all(feature = "mmap", not(target_family = "wasm")))]
pub(super) type Buffer = memmap2::MmapMut;

/// The allocator's memory, in a build without mappings.
#[cfg(not(all(feature = "mmap", not(target_family = "wasm"))))]
pub(super) type Buffer = alloc::vec::Vec<u8>;

/// A buffer of `count` zeros; `count` is not zero.
#[cfg(all(feature = "mmap", not(target_family = "wasm")))]
pub(super) fn zeros(count: usize) -> std::io::Result<Buffer> {
    let zeros = memmap2::MmapMut::map_anon(count)?;
    // A kernel without large pages refuses, which changes nothing.
    #[cfg(target_os = "linux")]
    if count >= LARGE {
        let _ = zeros.advise(memmap2::Advice::HugePage);
    }
    Ok(zeros)
}

/// Bytes from which on memory is asked for in large pages, of 2 MiB on most machines: at 4 KiB a page, getting and
/// clearing pages takes a fifth of the time of inflating.
#[cfg(all(feature = "mmap", target_os = "linux"))]
const LARGE: usize = 4 << 20;

/// A buffer of `count` zeros.
#[cfg(not(all(feature = "mmap", not(target_family = "wasm"))))]
pub(super) fn zeros(count: usize) -> Result<Buffer, &'static str> {
    let mut zeros = Buffer::new();
    zeros.try_reserve_exact(count).map_err(|_| "out of memory")?;
    zeros.resize(count, 0);
    Ok(zeros)
}
