//! Names of shared libraries: the same library has other names on Windows and in repaired wheels.

/// The part of a library's name before the version and before the hash from `auditwheel`: `libhiprtc` for
/// `libhiprtc.so.7` and for `libhiprtc-d868ac8d.so.7.14`.
pub fn stem(name: &str) -> &str {
    name.split_once(".so").map_or(name, |(stem, _)| without_hash(stem))
}

/// Whether a file is named after a library, given as on Linux and without a version: `libamdhip64` also
/// matches `libamdhip64-00ca863d.so.7`, `amdhip64_6.dll` and
/// `amdhip64_7-0123456789abcdef0123456789abcdef.dll`.
pub fn is_called(library: &str, name: &str) -> bool {
    if stem(name) == library && !name.ends_with(".dll") {
        return true;
    }
    let lower = name.to_ascii_lowercase();
    let known = library.trim_start_matches("lib").to_ascii_lowercase();
    let Some(own) = lower.strip_suffix(".dll").map(without_hash) else { return false };
    let version = own.strip_prefix("lib").unwrap_or(own).strip_prefix(known.as_str());
    version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '_'))
}

/// The version in the name of a file that is called after a library: `7.14` of `libhiprtc-d868ac8d.so.7.14`,
/// `7` of `amdhip64_7.dll`; empty if it has none.
pub fn version<'n>(library: &str, name: &'n str) -> &'n str {
    if let Some((_, behind)) = name.split_once(".so") {
        return behind.strip_prefix('.').unwrap_or_default();
    }
    let own = without_hash(name.get(..name.len().saturating_sub(".dll".len())).unwrap_or_default());
    let known = library.trim_start_matches("lib").len();
    let prefix = if own.to_ascii_lowercase().starts_with("lib") { "lib".len() } else { 0 };
    own.get(prefix + known..).unwrap_or_default().trim_matches('_')
}

/// A name without the hash that `auditwheel` (8 digits) and `delvewheel` (32) append.
fn without_hash(stem: &str) -> &str {
    let is_hash =
        |text: &str| text.len() >= 8 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    match stem.rsplit_once('-') {
        Some((own, hash)) if is_hash(hash) => own,
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_called, stem, version};

    #[test]
    fn versions_and_hashes_are_no_part_of_a_name() {
        for (name, known) in [
            ("libhiprtc.so", "libhiprtc"),
            ("libhiprtc.so.7", "libhiprtc"),
            // Names that auditwheel and delvewheel give to libraries in wheels.
            ("libhiprtc-d868ac8d.so.7.14", "libhiprtc"),
            ("libhipfft-39758aeb.so.0.1", "libhipfft"),
            ("libhsa-runtime64-1a2b3c4d.so.1", "libhsa-runtime64"),
            ("libhsa-runtime64.so.1.15.0", "libhsa-runtime64"),
            ("amdhip64_7.dll", "libamdhip64"),
            ("hiprtc0714.dll", "libhiprtc"),
            ("MIOpen.dll", "libMIOpen"),
            ("amdhip64_7-0123456789abcdef0123456789abcdef.dll", "libamdhip64"),
        ] {
            assert!(is_called(known, name), "{name}");
        }
        for (name, other) in [
            ("libhiprtc-builtins.so.7", "libhiprtc"),
            ("libhipblaslt.so.1", "libhipblas"),
            ("librocprofiler-register.so.0", "librocprofiler"),
            ("hiprtc-builtins0714.dll", "libhiprtc"),
        ] {
            assert!(!is_called(other, name), "{name}");
        }
        assert_eq!(stem("librocprofiler-register.so.0"), "librocprofiler-register");
        for (name, expected) in [
            ("libamdhip64.so.7", "7"),
            ("libhiprtc-d868ac8d.so.7.14", "7.14"),
            ("libamdhip64.so", ""),
            ("amdhip64_7.dll", "7"),
            ("hiprtc0714.dll", "0714"),
            ("amdhip64_7-0123456789abcdef0123456789abcdef.dll", "7"),
            ("MIOpen.dll", ""),
        ] {
            let library =
                ["libamdhip64", "libhiprtc", "libMIOpen"].into_iter().find(|known| is_called(known, name));
            assert_eq!(version(library.unwrap(), name), expected, "{name}");
        }
    }
}
