//! What Rust's standard library would bring to the module for WebAssembly.

/// The memory of the module.
#[global_allocator]
static MEMORY: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// A panic would be a mistake of ours; the caller gets an error of its engine.
#[panic_handler]
fn ends(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
