//! What the name of a file promises: a format is recognised by bytes, and where these are gone, the name is what is left
//! to say that something was lost.
#![deny(clippy::indexing_slicing)]

use super::{Format, hidden};

/// How much is known of the files that have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// Nobody else uses the name: a file of no known format is broken.
    Strict,
    /// Programs of other systems, which are not known here, have the same name, and texts: such a file is broken where it is
    /// empty or begins with zeros, which no program does.
    Loose,
    /// Texts have the same name, and programs of other systems, which are known by how they begin.
    Binary,
}

/// How programs and libraries of other systems begin: Mach-O in both orders and with several machines, WebAssembly, AIX.
const FOREIGN: &[&[u8]] = &[
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\0asm",
    b"\x01\xdf",
    b"\x01\xf7",
];

/// What the files begin with whose names promise something.
const MAGICS: &[&[u8]] = &[
    b"!<arch>\n",
    b"!<thin>\n",
    b"\x7fELF",
    b"MZ",
    b"PK\x03\x04",
    b"\xfd7zXZ\0",
    b"BZh9",
    b"\x28\xb5\x2f\xfd",
    b"SQLite format 3\0",
    super::OFFLOAD_BUNDLE_MAGIC,
    super::COMPRESSED_BUNDLE_MAGIC,
    super::KPACK_MAGIC,
];

/// Bytes of the header of a COFF object.
const COFF_HEADER: usize = 20;

/// Fewest bytes of a text that a file of code objects can be meant to be; fewer are what is left of a magic.
const TEXT_BYTES: usize = 24;

/// The ends of names of files that can hold device code.
const ENDS: &[(&str, Promise)] = &[
    (".hsaco", Promise::Strict),
    (".kpack", Promise::Strict),
    (".aks2", Promise::Strict),
    (".hipfb", Promise::Strict),
    (".whl", Promise::Strict),
    (".deb", Promise::Strict),
    (".conda", Promise::Strict),
    (".tar.gz", Promise::Strict),
    (".tgz", Promise::Strict),
    (".tar", Promise::Strict),
    (".tar.xz", Promise::Strict),
    (".tar.zst", Promise::Strict),
    (".tar.bz2", Promise::Strict),
    (".zip", Promise::Loose),
    (".gz", Promise::Binary),
    (".xz", Promise::Binary),
    (".zst", Promise::Binary),
    (".bz2", Promise::Binary),
    (".co", Promise::Binary),
    (".so", Promise::Binary),
    (".dll", Promise::Binary),
    (".pyd", Promise::Binary),
    (".a", Promise::Loose),
    (".lib", Promise::Loose),
    (".o", Promise::Loose),
    (".obj", Promise::Loose),
];

/// Says in words that a file is not what its name promises; `None` where it is, or where the name promises nothing. `head`
/// are its first [`HEAD_BYTES`](crate::source::HEAD_BYTES), or all.
pub fn broken(name: &str, head: &[u8]) -> Option<String> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let (end, promise) = promise_of(name)?;
    let format = Format::identify(head);
    if end == ".deb" && format == Format::Archive {
        return Some(
            "the name ends with .deb, and the archive does not begin as a Debian package does".into(),
        );
    }
    if format != Format::Other {
        return None;
    }
    let foreign = || {
        let text = hidden::is_text(head) && (end != ".co" || head.len() >= TEXT_BYTES);
        text || FOREIGN.iter().any(|magic| head.starts_with(magic))
    };
    let what = if head.is_empty() {
        "is empty".to_owned()
    } else if head.iter().all(|byte| *byte == 0) {
        format!("begins with {} zeros", head.len())
    } else if MAGICS.iter().any(|magic| head.len() < magic.len() && magic.starts_with(head)) {
        format!("ends after {} bytes, inside of a magic", head.len())
    } else if head.starts_with(b"!<arch>") || head.starts_with(b"!<thin>") {
        "is an archive whose line ends were changed".to_owned()
    } else if [".o", ".obj"].contains(&end) && head.get(..16).is_some_and(|head| head.iter().all(|b| *b == 0))
    {
        "begins with zeros".to_owned()
    } else if end == ".obj" && head.len() < COFF_HEADER && !hidden::is_text(head) {
        format!("ends after {} bytes, inside of a header", head.len())
    } else if promise == Promise::Strict || promise == Promise::Binary && !foreign() {
        "begins like no format that is known".to_owned()
    } else {
        return None;
    };
    Some(format!(
        "the name ends with {end}, and the file {what}: its content is lost, or it is something else"
    ))
}

/// What a name promises, with the end that says so.
fn promise_of(name: &str) -> Option<(&'static str, Promise)> {
    let plain = without_version(name);
    let is_so = |end: &str| end == ".so" && plain.len() < name.len();
    if name.starts_with("rocfft_kernel_cache") && name.ends_with(".db") {
        return Some((".db", Promise::Strict));
    }
    ENDS.iter().find(|(end, _)| plain.ends_with(end) || is_so(end)).copied()
}

/// Whether a file of no known format can be an object or library whose header is gone: then [`hidden::mark`] looks for what
/// is left of its device code. `head` as in [`broken`].
pub fn may_hide_code(name: &str, head: &[u8]) -> bool {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let objects = [".a", ".lib", ".o", ".obj"];
    promise_of(name).is_some_and(|(end, _)| objects.contains(&end))
        && Format::identify(head) == Format::Other
        && !hidden::is_text(head)
}

/// Whether a file of this name is device code and nothing else.
pub fn is_code(name: &str) -> bool {
    [".hsaco", ".co", ".hipfb"].iter().any(|end| name.ends_with(end))
}

/// `librocblas.so.4.4` without its version.
fn without_version(name: &str) -> &str {
    match name.rfind(".so.") {
        Some(at) if name.bytes().skip(at + 4).all(|b| b.is_ascii_digit() || b == b'.') => {
            name.get(..at + 3).unwrap_or(name)
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_or_zero_is_not_what_its_name_says() {
        for name in
            ["librocblas.so.4.4", "a/x.so", "k.hsaco", "k.co", "w.whl", "x.dll", "x.a", "x.kpack", "x.tar.gz"]
        {
            assert!(broken(name, &[]).is_some_and(|what| what.contains("is empty")), "{name}");
            assert!(broken(name, &[0; 512]).is_some_and(|what| what.contains("512 zeros")), "{name}");
            assert_eq!(broken(name, b"\x7fELF\x02\x01\x01"), None);
        }
        for name in ["x.txt", "x.py", "libso", "x.so.txt", "x.bin", "README", "x.fatbin"] {
            assert_eq!(broken(name, &[0; 512]), None, "{name}");
        }
        // A linker script, an object for another system.
        assert_eq!(broken("libc.so", b"/* GNU ld script"), None);
        assert_eq!(broken("x.o", b"\xcf\xfa\xed\xfe"), None);
        assert!(broken("k.hsaco", b"\rELF").is_some());
        // What is left of a magic, and what is none.
        for (name, head) in
            [("k.co", &b"CC"[..]), ("k.co", b"CCOB"), ("x.so", b"\x7fELG\x02\x01"), ("x.gz", b"\0\x01\x02")]
        {
            assert!(broken(name, head).is_some(), "{name} {head:?}");
        }
        assert_eq!(broken("x.co", b"A text of more than so many bytes."), None);
        assert!(broken("rocfft_kernel_cache_gfx906.db", b"SQLite").is_some());
        assert!(
            may_hide_code("x.o", b"\0\0ELF")
                && !may_hide_code("x.o", b"text")
                && !may_hide_code("x.txt", b"\0\0")
        );
    }
}
