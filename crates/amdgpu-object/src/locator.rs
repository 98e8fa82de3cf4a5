//! Locations of facts: `file:///path#offset=N&size=M`, the URI that the LLVM and ROCm tools print.
//!
//! For a code object inside a compressed bundle the first pair locates the stored bundle in the file, and
//! `unpacked-offset` and `unpacked-size` locate the code object in its inflated content: an offset that
//! cannot be used on the file is never printed as if it could. For a member of a package `member` comes first
//! (`file:///x.whl#member=demo/lib/x.so&offset=N&size=M`), and the offset counts in the unpacked member.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// The last component of a path with `/` after folders: the name of a file or folder.
pub fn file_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

/// A path with `/` separators, without `.`, `..` and empty components; `None` if it leads above its
/// beginning.
pub fn without_dots(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A path as text with `/` separators, also on Windows, so that reports are equal on all systems and folder
/// names can be searched for.
pub fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// A location in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Locator {
    /// The file as it was opened.
    pub path: PathBuf,
    /// The member of the package at `path`; `!/` separates the members of nested packages.
    pub member: Option<String>,
    /// Offset and size of the part in bytes; `None` means the whole file.
    pub range: Option<(u64, u64)>,
    /// Offset and size in the inflated content of the compressed bundle at `range`.
    pub unpacked: Option<(u64, u64)>,
}

impl Locator {
    /// The whole file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Locator { path: path.into(), member: None, range: None, unpacked: None }
    }

    /// A range of the same file or member.
    #[must_use]
    pub fn range(&self, offset: u64, size: u64) -> Self {
        Locator { range: Some((offset, size)), unpacked: None, ..self.clone() }
    }

    /// A member of this package, which may itself be a member of another.
    #[must_use]
    pub fn within(&self, member: &str) -> Self {
        let member = match &self.member {
            Some(outer) => format!("{outer}{NESTED}{member}"),
            None => member.to_owned(),
        };
        Locator { member: Some(member), ..Locator::file(&self.path) }
    }

    /// File and member in messages: `x.whl!/demo/lib/x.so`.
    pub fn shown(&self) -> String {
        let path = slashed(&self.path);
        match &self.member {
            Some(member) => format!("{path}{NESTED}{member}"),
            None => path,
        }
    }

    /// The beginning of the URIs of all places in this file or member, encoded once for many of them.
    pub fn stem(&self) -> LocatorStem {
        let mut text = format!("file://{}", encode(&self.path));
        let mut mark = '#';
        if let Some(member) = &self.member {
            text.push_str("#member=");
            text.push_str(&encode(Path::new(member)));
            mark = '&';
        }
        LocatorStem { text, mark }
    }

    /// Parses a URI in the form of [`Locator`]'s `Display`.
    ///
    /// # Errors
    ///
    /// The part that was not understood.
    pub fn parse(uri: &str) -> Result<Self, LocatorError> {
        let rest = uri.strip_prefix("file://").ok_or_else(|| LocatorError::NoFile(uri.to_owned()))?;
        let (path, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let mut fields = [None; 4];
        let mut member = None;
        for pair in fragment.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(|| LocatorError::NoValue(pair.to_owned()))?;
            if key == "member" {
                let decoded = decode(value)?;
                member = Some(decoded.to_string_lossy().into_owned());
                continue;
            }
            let slot = KEYS
                .iter()
                .position(|k| *k == key)
                .ok_or_else(|| LocatorError::UnknownKey(key.to_owned()))?;
            let number = value.parse::<u64>().map_err(|e| LocatorError::NoNumber(pair.to_owned(), e))?;
            if let Some(field) = fields.get_mut(slot) {
                *field = Some(number);
            }
        }
        let [offset, size, unpacked_offset, unpacked_size] = fields;
        Ok(Locator {
            path: decode(path)?,
            member,
            range: offset.zip(size),
            unpacked: unpacked_offset.zip(unpacked_size),
        })
    }
}

/// Why a text is no URI of a place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LocatorError {
    /// The text does not begin with `file://`.
    NoFile(String),
    /// A part of the fragment is not `key=number`.
    NoValue(String),
    /// A key that locators do not have.
    UnknownKey(String),
    /// A part whose value is no number.
    NoNumber(String, std::num::ParseIntError),
    /// A path with a `%` that two hexadecimal digits do not follow, or of bytes that no path here can have.
    BadPath(String),
}

impl fmt::Display for LocatorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LocatorError::NoFile(uri) => write!(f, "{uri}: expected it to begin with file://"),
            LocatorError::NoValue(part) => write!(f, "{part}: expected key=number"),
            LocatorError::UnknownKey(key) => write!(f, "{key}: not a key of a locator; {}", KEYS.join(", ")),
            LocatorError::NoNumber(part, error) => write!(f, "{part}: {error}"),
            LocatorError::BadPath(path) => write!(f, "{path}: % without two digits, or not a path here"),
        }
    }
}

impl std::error::Error for LocatorError {}

/// Separates a package from its member.
pub const NESTED: &str = "!/";

const KEYS: [&str; 4] = ["offset", "size", "unpacked-offset", "unpacked-size"];

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stem().write(f, self.range, self.unpacked)
    }
}

/// What the URIs of all places in one file or member begin with.
#[derive(Debug, Clone)]
pub struct LocatorStem {
    text: String,
    mark: char,
}

impl LocatorStem {
    /// Writes the URI of a place in it, given as in [`Locator::range`] and [`Locator::unpacked`].
    ///
    /// # Errors
    ///
    /// If `out` takes no more.
    pub fn write(
        &self,
        out: &mut impl fmt::Write,
        range: Option<(u64, u64)>,
        unpacked: Option<(u64, u64)>,
    ) -> fmt::Result {
        out.write_str(&self.text)?;
        let mut mark = self.mark;
        if let Some((offset, size)) = range {
            write!(out, "{mark}offset={offset}&size={size}")?;
            mark = '&';
        }
        if let Some((offset, size)) = unpacked {
            write!(out, "{mark}unpacked-offset={offset}&unpacked-size={size}")?;
        }
        Ok(())
    }
}

/// Percent-encodes a path for a `file://` URI. Not encoded are RFC 3986's unreserved characters, the slash,
/// `+`, `:` and `@`, which ROCm's file names contain, and `!`, which precedes members of packages.
pub fn encode(path: &Path) -> Cow<'_, str> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-._~+:@!".contains(byte);
    if let (true, Some(text)) = (bytes.iter().all(plain), path.to_str()) {
        return Cow::Borrowed(text);
    }
    let encoded =
        |byte: &u8| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    Cow::Owned(bytes.iter().map(encoded).collect())
}

fn decode(text: &str) -> Result<PathBuf, LocatorError> {
    let bad = || LocatorError::BadPath(text.to_owned());
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, tail) = rest.split_at_checked(2).ok_or_else(bad)?;
        let digits = std::str::from_utf8(digits).map_err(|_| bad())?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| bad())?);
        rest = tail;
    }
    path_of(bytes).ok_or_else(bad)
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).map(PathBuf::from).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_the_llvm_and_rocm_tools_do() {
        let file = Locator::file("/opt/rocm/lib/librccl.so");
        assert_eq!(file.range(4096, 56).to_string(), "file:///opt/rocm/lib/librccl.so#offset=4096&size=56");
        let member = Locator::file("/x.whl").within("a/in ner.tar").within("b.so").range(1, 2);
        assert_eq!(member.to_string(), "file:///x.whl#member=a/in%20ner.tar!/b.so&offset=1&size=2");
    }

    #[test]
    fn a_bad_uri_is_a_sentence() {
        assert!(Locator::parse("http://x").unwrap_err().to_string().contains("file://"));
        assert!(Locator::parse("file:///a#offset=x&size=1").unwrap_err().to_string().contains("offset=x"));
        assert!(Locator::parse("file:///a#where=1").unwrap_err().to_string().contains("where"));
    }

    proptest::proptest! {
        #[test]
        fn every_locator_survives_the_round_trip(
            path in "/[ -~äöü%#&]{0,40}",
            member in proptest::option::of("[ -~äöü%#&!]{0,40}"),
            range in proptest::option::of((0u64.., 0u64..)),
            unpacked in proptest::option::of((0u64.., 0u64..)),
        ) {
            let at = Locator { path: path.into(), member, range, unpacked };
            proptest::prop_assert_eq!(Locator::parse(&at.to_string()), Ok(at));
        }
    }
}
