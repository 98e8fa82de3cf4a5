//! Every fuzz target as a test: its first inputs and some that are changed, the same ones each time, with the
//! checks of a debug build. `cargo xtask fuzz` runs the targets with libFuzzer, and for longer.

use rocm_audit_fuzz::mutation::Mutations;
use std::path::PathBuf;

/// How many inputs each target tries.
const INPUTS: usize = 6000;

/// Targets that need several times as long for an input: they audit a tree.
const SLOW: [&str; 3] = ["files", "installed", "sqlite"];
const SLOW_INPUTS: usize = 1000;

/// The beginning of the random numbers.
const NUMBER: u64 = 16;

macro_rules! targets {
    ($($name:ident)*) => {
        $(mod $name;)*

        $(
            #[test]
            fn $name() {
                try_out(stringify!($name), $name::try_input);
            }
        )*
    };
}

rocm_audit_fuzz::for_each_target!(targets);

/// An input that is being tried; it is kept where the target fails on it.
struct Tried<'a> {
    target: &'a str,
    input: &'a [u8],
}

impl Drop for Tried<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-fails", self.target));
            let written = std::fs::write(&file, self.input);
            println!("{} fails on {} ({written:?})", self.target, file.display());
        }
    }
}

fn try_out(target: &str, try_input: fn(&[u8])) {
    let count = if SLOW.contains(&target) { SLOW_INPUTS } else { INPUTS };
    for input in Mutations::of(target, NUMBER).take(count) {
        let tried = Tried { target, input: &input };
        try_input(tried.input);
    }
}
