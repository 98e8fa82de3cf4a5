//! What a file's name promises: formats are recognised by bytes, and if those are lost, only the name shows
//! that something is missing.
#![deny(clippy::indexing_slicing)]

use super::{Format, coff_header, hidden};
use crate::bytes::le::LeBytes;
use crate::limits::HEAD_BYTES;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

/// How strict a name's promise is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// No other software uses the name: a file of unknown format is broken.
    Strict,
    /// Texts use the same name, and so do programs of other systems, which are recognised by their beginning.
    Binary,
    /// Like [`Promise::Binary`], for objects and archives of them, which have many forms on other systems.
    Object,
}

/// First bytes of programs and libraries of other systems: Mach-O in both byte orders and with several
/// machines, WebAssembly, AIX.
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

/// First bytes of objects and archives of other systems and languages: LLVM bitcode, AIX archives, Go, Rust,
/// import objects and the bigger form of COFF.
const FOREIGN_OBJECTS: &[&[u8]] = &[
    b"BC\xc0\xde",
    b"\xde\xc0\x17\x0b",
    b"<bigaf>\n",
    b"<aiaff>\n",
    b"go object ",
    b"\0go1",
    b"\0\0go1",
    b"rust\0",
    b"\0\0\xff\xff",
];

/// `IMAGE_FILE_MACHINE_*` values other than x86-64 and Arm64; such objects are recognised by their whole
/// header. Source: Microsoft's specification of PE, and Texas Instruments' COFF.
const FOREIGN_MACHINES: &[u16] = &[
    0x14c, 0x160, 0x162, 0x166, 0x168, 0x169, 0x184, 0x1a2, 0x1a3, 0x1a6, 0x1a8, 0x1c0, 0x1c2, 0x1c4, 0x1d3,
    0x1f0, 0x1f1, 0x1f2, 0x200, 0x266, 0x268, 0x284, 0x290, 0x366, 0x466, 0x520, 0x5032, 0x5064, 0x5128,
    0x6232, 0x6264, 0x9041, 0xa641, 0xa64e, 0xebc, 0xc0ee, 0x92, 0x97, 0x98, 0x99, 0x9d, 0xc1, 0xc2, 0x107,
    0x108, 0x10b,
];

/// Words in linker scripts, the texts that a linker accepts as a library.
const LINKER_WORDS: &[&[u8]] =
    &[b"INPUT", b"GROUP", b"OUTPUT_FORMAT", b"SECTIONS", b"INCLUDE", b"VERSION", b"AS_NEEDED", b"/*"];

/// How much of a file is examined to decide whether it is text, in bytes.
const TEXT_LOOKED_AT: usize = 1 << 20;

/// Magics of files whose names make a promise.
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

/// The line that an image of Singularity begins with, before its magic. Source: `sif`, `pkg/sif/sif.go`.
const LAUNCH_LINE: &[u8] = b"#!/usr/bin/env run-singularity\n";

/// Size of a COFF object's header in bytes.
const COFF_HEADER: usize = 20;

/// Size of the bigger form's header in bytes, `ANON_OBJECT_HEADER_BIGOBJ`.
const BIG_COFF_HEADER: usize = 56;

/// Shortest text, in bytes, that can replace a file of code objects; anything shorter is the rest of a magic.
const TEXT_BYTES: usize = 24;

/// Extension of Python's zipped programs, which can begin with a line of text.
const SCRIPT: &str = ".pyz";

/// Extensions of files that can contain device code.
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
    (".tar.lz", Promise::Strict),
    (".txz", Promise::Strict),
    (".tzst", Promise::Strict),
    (".tbz2", Promise::Strict),
    (".7z", Promise::Strict),
    (".rpm", Promise::Strict),
    (".sqfs", Promise::Strict),
    (".squashfs", Promise::Strict),
    (".msix", Promise::Strict),
    (".nupkg", Promise::Strict),
    (".zip", Promise::Binary),
    (".egg", Promise::Binary),
    (".pt2", Promise::Binary),
    (".cpio", Promise::Binary),
    (".lz4", Promise::Binary),
    (".AppImage", Promise::Binary),
    (SCRIPT, Promise::Binary),
    (".lzma", Promise::Binary),
    (".nar", Promise::Binary),
    (".sif", Promise::Binary),
    (".gz", Promise::Binary),
    (".xz", Promise::Binary),
    (".zst", Promise::Binary),
    (".bz2", Promise::Binary),
    (".co", Promise::Binary),
    (".so", Promise::Binary),
    (".dll", Promise::Binary),
    (".pyd", Promise::Binary),
    (".a", Promise::Object),
    (".lib", Promise::Object),
    (".o", Promise::Object),
    (".obj", Promise::Object),
];

/// What the name of an empty file begins with that deletes the file of the rest of its name from the layers below.
const WHITEOUT: &str = ".wh.";

/// Explains that a file is not what its name promises; `None` if it is, or if the name promises nothing.
/// `head` contains its first [`HEAD_BYTES`], or all.
pub fn broken(name: &str, head: &[u8]) -> Option<String> {
    if is_volume(name) && Format::identify(head) == Format::Other {
        let what = "by its name it is one of several volumes of an archive, which are not read: join them";
        return Some(what.to_owned());
    }
    let (end, promise) = promise_of(name)?;
    // A layer of an image deletes a file so.
    if head.is_empty() && name.rsplit(['/', '\\']).next().is_some_and(|last| last.starts_with(WHITEOUT)) {
        return None;
    }
    // LZMA has no magic: an object that lost its own can begin as such a file does.
    let format = Some(Format::identify(head)).filter(|format| *format != Format::Lzma || is_lzma(name));
    let format = format.unwrap_or(Format::Other);
    if end == ".deb" && format == Format::Archive {
        return Some(
            "the name ends with .deb, and the archive does not begin as a Debian package does".into(),
        );
    }
    let own = match end {
        ".aks2" => Some(Format::AotritonArchive),
        ".kpack" => Some(Format::Kpack),
        _ => None,
    };
    if let Some(own) = own.filter(|own| format != Format::Other && format != *own) {
        return Some(format!(
            "the name ends with {end}, and the file begins as {} does, not as {}: its content is lost, or it is something else",
            format.name(),
            own.name()
        ));
    }
    if format != Format::Other {
        return None;
    }
    let foreign = || {
        let text = is_text(head) && (end != ".co" || head.len() >= TEXT_BYTES);
        let object = promise == Promise::Object && !coff_header::is_damaged_big_object(head);
        text || begins_as(head, FOREIGN) || object && is_foreign_object(head)
    };
    let what = if head.is_empty() {
        "is empty".to_owned()
    } else if head.iter().all(|byte| *byte == 0) {
        format!("begins with {} zeros", head.len())
    } else if MAGICS.iter().any(|magic| head.len() < magic.len() && magic.starts_with(head)) {
        format!("ends after {} bytes, inside of a magic", head.len())
    } else if end == ".sif" && (LAUNCH_LINE.starts_with(head) || head.starts_with(LAUNCH_LINE)) {
        "begins with an image's first line, and its magic does not follow".to_owned()
    } else if head.starts_with(b"!<arch>") || head.starts_with(b"!<thin>") {
        "is an archive whose line ends were changed".to_owned()
    } else if [".o", ".obj"].contains(&end) && head.get(..16).is_some_and(|head| head.iter().all(|b| *b == 0))
    {
        "begins with zeros".to_owned()
    } else if end == ".obj" && is_cut_object(head) {
        format!("ends after {} bytes, inside of a header", head.len())
    } else if is_library(end) && is_text(head) && !is_linker_script(head) {
        "is a text, and not one for a linker".to_owned()
    } else if promise == Promise::Strict || !foreign() {
        "begins like no format that is known".to_owned()
    } else {
        return None;
    };
    Some(format!(
        "the name ends with {end}, and the file {what}: its content is lost, or it is something else"
    ))
}

/// Whether a name is that of a further volume of an archive: `x.7z.002`, `x.tar.gz.01`, `x.z02`,
/// `x.part2.rar`.
fn is_volume(name: &str) -> bool {
    let numbered = |end: &str| (2..=4).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_digit());
    let Some((stem, end)) = name.rsplit_once('.') else { return false };
    let of_archive = || {
        const ARCHIVES: [&str; 12] =
            ["7z", "zip", "tar", "gz", "tgz", "xz", "zst", "bz2", "whl", "deb", "rpm", "conda"];
        let last = stem.rsplit('.').next().unwrap_or_default();
        stem.contains('.') && ARCHIVES.contains(&last)
    };
    numbered(end) && of_archive()
        || end.strip_prefix('z').is_some_and(|number| number.len() == 2 && numbered(number))
}

/// Like [`broken`], for all bytes of a file: it may begin as text and continue as something else.
pub fn broken_in(name: &str, bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    broken(name, head).or_else(|| {
        let (end, _) = promise_of(name)?;
        if Format::identify(head) != Format::Other || !is_text(head) || end == SCRIPT {
            return None;
        }
        let near = bytes.get(..TEXT_LOOKED_AT).unwrap_or(bytes);
        let at = near.iter().position(|byte| *byte < 9 || *byte == 0x7f)?;
        Some(format!(
            "the name ends with {end}, and the file begins as a text, which ends at {at}, where other bytes begin: \
             its beginning is lost, or it is something else"
        ))
    })
}

/// Whether a member of unknown format is something that archives of objects commonly contain: a text, or a
/// program or object of another system or language.
pub fn is_foreign_member(head: &[u8]) -> bool {
    is_text(head) || begins_as(head, FOREIGN) || is_foreign_object(head)
}

fn begins_as(head: &[u8], magics: &[&[u8]]) -> bool {
    magics.iter().any(|magic| head.starts_with(magic))
}

/// Whether a file begins like an object or archive of another system or language, or like a text in a byte
/// encoding.
fn is_foreign_object(head: &[u8]) -> bool {
    let fields = LeBytes(head);
    let (length, name) = (fields.u16(1), head.get(3).copied().unwrap_or_default());
    let is_omf = match head.first() {
        Some(0x80) => length == u16::from(name) + 2,
        Some(0xf0) => length.wrapping_add(3).is_power_of_two(),
        _ => false,
    };
    let letters = head.iter().filter(|byte| byte.is_ascii()).count();
    let texts = head.iter().all(|byte| *byte >= 9 && *byte != 0x7f) && 2 * letters >= head.len();
    is_omf || texts || begins_as(head, FOREIGN_OBJECTS) || FOREIGN_MACHINES.contains(&fields.u16(0))
}

/// Whether a COFF object ends inside of its header: one that is no text of lines, or the bigger form.
fn is_cut_object(head: &[u8]) -> bool {
    let is_line = || is_text(head) && head.contains(&b'\n');
    let is_big = head.starts_with(b"\0\0\xff\xff") && LeBytes(head).u16(4) >= 2;
    head.len() < COFF_HEADER && !is_line() || is_big && head.len() < BIG_COFF_HEADER
}

/// Whether only all bytes of a file can show that it keeps its name's promise, because it begins as a text.
pub fn is_open(name: &str, head: &[u8]) -> bool {
    head.len() >= HEAD_BYTES && promise_of(name).is_some() && is_text(head)
}

/// Whether bytes are a text with line breaks: noise can consist of letters, but has no line breaks.
fn is_text(head: &[u8]) -> bool {
    hidden::is_text(head)
        && (head.len() < HEAD_BYTES || head.iter().any(|byte| matches!(byte, b'\n' | b'\r')))
}

/// Whether a name is that of a shared library, for which linkers accept only their own texts.
fn is_library(end: &str) -> bool {
    [".so", ".dll", ".pyd"].contains(&end)
}

fn is_linker_script(head: &[u8]) -> bool {
    LINKER_WORDS.iter().any(|word| memchr::memmem::find(head, word).is_some())
}

/// A name's promise, with the extension that makes it.
fn promise_of(name: &str) -> Option<(&'static str, Promise)> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let plain = without_version(name);
    let is_so = |end: &str| end == ".so" && plain.len() < name.len();
    if name.starts_with("rocfft_kernel_cache") && name.ends_with(".db") {
        return Some((".db", Promise::Strict));
    }
    ENDS.iter().find(|(end, _)| plain.ends_with(end) || is_so(end)).copied()
}

/// Whether a file of unknown format can be an object or library without its header; then [`hidden::mark`]
/// searches for its device code. `head` as in [`broken`].
pub fn may_hide_code(name: &str, head: &[u8]) -> bool {
    let objects = [".a", ".lib", ".o", ".obj"];
    promise_of(name).is_some_and(|(end, _)| objects.contains(&end))
        && Format::identify(head) == Format::Other
        && !is_text(head)
}

/// Whether a name is that of an LZMA file: LZMA has no magic, so its beginning can be anything.
pub fn is_lzma(name: &str) -> bool {
    [".lzma", ".tlz"].iter().any(|end| name.ends_with(end))
}

/// Whether a file with this name contains only device code.
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
            // A file named as an AOTriton or kpack archive must be one.
            assert_eq!(broken(name, b"\x7fELF\x02\x01\x01").is_some(), name == "x.kpack", "{name}");
        }
        for name in ["x.txt", "x.py", "libso", "x.so.txt", "x.bin", "README", "x.fatbin"] {
            assert_eq!(broken(name, &[0; 512]), None, "{name}");
        }
        // A linker script, and an object for another system.
        assert_eq!(broken("libc.so", b"/* GNU ld script"), None);
        assert_eq!(broken("x.o", b"\xcf\xfa\xed\xfe"), None);
        assert!(broken("k.hsaco", b"\rELF").is_some());
        assert!(broken("k.aks2", b"\xfd7zXZ\0\0").is_some() && broken("k.aks2", b"AKS2\0\0\0\0").is_none());
        // Rests of a magic, and texts that are none.
        for (name, head) in
            [("k.co", &b"CC"[..]), ("k.co", b"CCOB"), ("x.so", b"\x7fELG\x02\x01"), ("x.gz", b"\0\x01\x02")]
        {
            assert!(broken(name, head).is_some(), "{name} {head:?}");
        }
        assert_eq!(broken("x.co", b"A text of more than so many bytes."), None);
        // What is left of a code object without its magic begins as LZMA may.
        let object = [[0, 0, 0, 0, 2, 1, 1, 0x40, 2, 0, 0, 0, 0, 0, 0, 0], [0; 16]].concat();
        assert_eq!(Format::identify(&object), Format::Lzma);
        assert!(["k.hipfb", "k.hsaco", "k.co", "k.so"].iter().all(|name| broken(name, &object).is_some()));
        assert_eq!(broken("k.lzma", &object), None);
    }

    #[test]
    fn objects_and_archives_of_other_systems_are_what_their_names_say() {
        // Of other languages, too, and a text in Latin-1; and noise.
        for (name, head) in [
            ("x.o", &b"BC\xc0\xde\x35\x14\0\0"[..]),
            ("x.obj", b"\x4c\x01\x03\0\0\0\0\0\x10\0\0\0\x08\0\0\0\0\0\0\0"),
            ("x.lib", b"\x80\x05\0\x03a.c"),
            ("x.lib", b"gr\xfcn\n"),
            ("x.o", b"\0\0\xff\xff\x02\0"),
        ] {
            assert_eq!(broken(name, head), None, "{name} {head:?}");
        }
        assert!(broken("x.o", b"\x01\x99\x80\x04\x02").is_some());
        // Packages without their first byte, and what a program of Python begins with.
        for name in
            ["x.7z", "x.rpm", "x.sqfs", "x.cpio", "x.tar.lz4", "x.AppImage", "x.pyz", "x.pt2", "x.egg"]
        {
            assert!(broken(name, b"z\xbc\xaf\x27\x1c\x00\x04").is_some(), "{name}");
        }
        let script =
            [&b"#!/usr/bin/env python3\n"[..], &b"# a line\n".repeat(60), b"PK\x03\x04\0\0"].concat();
        assert_eq!(broken_in("x.pyz", &script), None);
        // A size of blocks that bzip2 does not have.
        assert!(
            broken("x.tar.bz2", b"BZh91AY&SY").is_none() && broken("x.tar.bz2", b"BZh\x001AY&SY").is_some()
        );
        // Headers of COFF objects that are cut off, and bytes that are no letters of any text.
        let big = [&b"\0\0\xff\xff\x02\0"[..], &[1; 44]].concat();
        assert!(broken("x.obj", &big).is_some() && broken("x.obj", b"d").is_some());
        assert!(broken("x.o", &[0xff; 512]).is_some() && broken("x.obj", b"v 0\n").is_none());
        assert!(broken("x.lib", b"\x01\x99\x04").is_some());
        // The bigger form with its class changed by a bit, and an object of another class.
        let class = b"\xc7\xa1\x9a\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8";
        let anonymous = |class: &[u8]| [&b"\0\0\xff\xff\x02\0\x64\x86\0\0\0\0"[..], class, &[1; 40]].concat();
        let of_the_linker = b"\x38\xfe\xb3\x0c\xa5\xd9\xab\x4d\xac\x9b\xd6\xb6\x22\x26\x53\xc2";
        assert!(broken("x.obj", &anonymous(class)).is_some());
        assert_eq!(broken("x.obj", &anonymous(of_the_linker)), None);
        // Linkers accept their scripts as libraries, and no other text.
        assert!(broken("x.dll", b"<html><body>404</body>").is_some_and(|what| what.contains("a text")));
        let blanks = [&b"a line\n".repeat(585)[..], b" ", b"\x7fELF\x02\x01\x01"].concat();
        assert!(
            broken_in("x.co", &blanks).is_some_and(|what| what.contains("ends at 4096")),
            "{:?}",
            broken_in("x.co", &blanks)
        );
        assert!(broken("x.co", &[b'U'; 512]).is_some(), "no lines");
        assert_eq!(broken_in("x.co", &b"a line\n".repeat(585)), None);
        assert!(broken("rocfft_kernel_cache_gfx906.db", b"SQLite").is_some());
        assert!(
            may_hide_code("x.o", b"\0\0ELF")
                && !may_hide_code("x.o", b"text")
                && !may_hide_code("x.txt", b"\0\0")
        );
    }
}
