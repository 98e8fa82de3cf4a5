//! The command `rocm-audit`.

use std::process::ExitCode;

/// Programs that are linked with musl, as what is released for Linux. musl's own allocator takes one lock for all threads
/// and gives large blocks back to the kernel at each free: an audit took a quarter more of the processor.
#[cfg(all(target_env = "musl", feature = "mimalloc"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    rocm_audit::cli::main()
}
