//! The command `rocm-audit`.

use std::process::ExitCode;

fn main() -> ExitCode {
    rocm_audit::cli::main()
}
