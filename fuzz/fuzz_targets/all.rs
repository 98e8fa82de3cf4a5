//! All targets in one program, which is built in less time than one for each: `FUZZ_TARGET` names the one to
//! run. A program of its own tries more inputs in a second, since libFuzzer looks at all edges of a program
//! after each input.
#![no_main]

use std::sync::OnceLock;

macro_rules! targets {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// The targets by name.
        const TARGETS: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name::try_input)),*];
    };
}

rocm_audit_fuzz::for_each_target!(targets);

/// The target that the environment names.
fn named() -> fn(&[u8]) {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let found = TARGETS.iter().find(|(target, _)| *target == name);
    found.unwrap_or_else(|| panic!("FUZZ_TARGET={name} is no target")).1
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();
    TARGET.get_or_init(named)(bytes);
});
