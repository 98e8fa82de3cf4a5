//! Arbitrary text, and names made from parts of the grammar of C++, as the name of a kernel: demangling gives
//! bounded text within the time that one input may take.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::codeobject::demangle;
use rocm_audit::limits::DEMANGLED_OUTPUT_BYTES;

/// Parts of names, one for each byte.
const PARTS: &[&str] = &[
    "_Z", "N", "E", "I", "J", "L", "X", "1f", "2ab", "v", "i", "j", "K", "P", "R", "S_", "S0_", "St", "Sa",
    "T_", "T0_", "Li3E", "Lj3E", "nw", "na", "dl", "da", "C1", "D1", "tl", "il", "cv", "cl", "sr", "dt",
    "pt", "Dp", "DT", "Dt", "fp", "fL", "Ul", "Ut", "M", "A3_", "F", "U", "GV", "TV", "Th0_", "B3abi", "_",
    "10", "0", "s", "sZ", "sp", "ad", "dv", "qu", "Dv4_", "Te", "on", "gs",
];

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let name = match kind % 3 {
        0 => format!("_Z{}", String::from_utf8_lossy(rest)),
        1 => {
            let parts = rest.iter().map(|byte| PARTS[usize::from(*byte) % PARTS.len()]);
            format!("_Z{}", parts.collect::<String>())
        }
        _ => {
            // Repeats the same parts many times.
            let Some((count, parts)) = rest.split_first() else { return };
            let (front, repeated) = parts.split_at(parts.len() / 2);
            let of = |bytes: &[u8]| -> String {
                bytes.iter().map(|byte| PARTS[usize::from(*byte) % PARTS.len()]).collect()
            };
            format!("_Z{}{}Evv", of(front), of(repeated).repeat(usize::from(*count % 64)))
        }
    };
    if let Some(demangled) = demangle(&name) {
        assert!(demangled.len() <= DEMANGLED_OUTPUT_BYTES);
        assert!(name.starts_with("_Z"));
    }
});
