//! The command `rocm-audit`.

use std::process::ExitCode;

/// The allocator of the programs that are released for Linux, which are linked with musl. musl's own takes one lock for
/// all threads and gives large blocks back to the kernel at each free: an audit took a quarter more of the processor.
#[cfg(all(target_env = "musl", feature = "mimalloc"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    rocm_audit::cli::main()
}
