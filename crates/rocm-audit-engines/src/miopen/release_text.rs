//! MIOpen's release as texts state it: among a library's constants, and in the names of a user's databases.

use memchr::memmem;

/// Major, minor, patch.
pub type Numbers = (u32, u32, u32);

/// The text before the release among the constants of MIOpen's library, which the library logs.
const VERSION_TEXT: &[u8] = b"MIOpen version ";

/// The release in the text `MIOpen version 3.4.0` among constants.
pub fn among_constants(constants: &[u8]) -> Option<Numbers> {
    memmem::find_iter(constants, VERSION_TEXT).find_map(|at| {
        let rest = constants.get(at + VERSION_TEXT.len()..)?;
        let digits = rest.iter().take(24).take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        numbers(std::str::from_utf8(rest.get(..digits)?).ok()?, '.')
    })
}

/// The release that wrote a user's database, by its path: `gfx906_60.HIP.3_4_0_.ufdb.txt`, and for compiled
/// kernels the folder, `3.4.0.1234/gfx906_60.ukdb`; `None` for SQLite's perf-dbs, whose names have the version
/// of their tables, and for any other name.
pub fn of_user_database(path: &str) -> Option<Numbers> {
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next()?;
    if name.ends_with(".ukdb") {
        return numbers(parts.next()?, '.');
    }
    let stem = name.strip_suffix(".ufdb.txt").or_else(|| name.strip_suffix(".udb.txt"))?;
    numbers(stem.rsplit('.').next()?, '_')
}

/// The first three numbers of a text.
fn numbers(text: &str, between: char) -> Option<Numbers> {
    let mut parts = text.split(between).map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Debian's libMIOpen.so.1 of 6.4.3 has it, and cut.
    #[test]
    fn a_library_states_its_release() {
        assert_eq!(among_constants(b"\0, MIOpen version 3.4.0.\0"), Some((3, 4, 0)));
        assert_eq!(among_constants(b"MIOpen version \0MIOpen version 3.5.1.70200\0"), Some((3, 5, 1)));
        for none in [b"MIOpen version 3.4".as_slice(), b"version 3.4.0", b"MIOpen version 3.4."] {
            assert_eq!(among_constants(none), None);
        }
    }

    /// Names as the library (3.4.0) looked for them.
    #[test]
    fn a_users_database_states_who_wrote_it() {
        for (path, release) in [
            ("/h/.config/miopen/gfx906_60.HIP.3_4_0_.ufdb.txt", Some((3, 4, 0))),
            ("gfx900_56.HIP.3_3_0_1234.ufdb.txt", Some((3, 3, 0))),
            ("gfx900_56.HIP.2_20_0.udb.txt", Some((2, 20, 0))),
            ("/h/.cache/miopen/3.4.0./gfx906_60.ukdb", Some((3, 4, 0))),
            ("/h/.cache/miopen/gfx906_60.ukdb", None),
            ("gfx900_56_1.1.0.udb", None),
            ("gfx906_60.ufdb.txt", None),
            ("gfx906_60.HIP.fdb.txt", None),
        ] {
            assert_eq!(of_user_database(path), release, "{path}");
        }
    }
}
