//! Where a fact stands: `file:///path#offset=N&size=M`, the URI that the LLVM and ROCm tools print.
//!
//! For a code object inside a compressed bundle the first pair is the stored bundle in the file, and
//! `unpacked-offset` and `unpacked-size` say where in its inflated content the code object lies: an offset that
//! cannot be used on the file is never printed as if it could.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Locator {
    /// The file, as it was opened.
    pub path: PathBuf,
    /// Offset and size in bytes of the part that is meant; `None` means the whole file.
    pub range: Option<(u64, u64)>,
    /// Offset and size in the inflated content of the compressed bundle that `range` names.
    pub unpacked: Option<(u64, u64)>,
}

impl Locator {
    /// The whole file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Locator { path: path.into(), range: None, unpacked: None }
    }

    /// A range of the file.
    pub fn range(path: impl Into<PathBuf>, offset: u64, size: u64) -> Self {
        Locator { path: path.into(), range: Some((offset, size)), unpacked: None }
    }

    /// Reads a URI as [`Locator`]'s `Display` writes it.
    ///
    /// # Errors
    /// A sentence that says which part was not understood.
    pub fn parse(uri: &str) -> Result<Self, String> {
        let rest =
            uri.strip_prefix("file://").ok_or_else(|| format!("{uri}: expected it to begin with file://"))?;
        let (path, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let mut fields = [None; 4];
        for pair in fragment.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(|| format!("{pair}: expected key=number"))?;
            let slot = KEYS
                .iter()
                .position(|k| *k == key)
                .ok_or_else(|| format!("{key}: not a key of a locator"))?;
            let number = value.parse::<u64>().map_err(|e| format!("{pair}: {e}"))?;
            if let Some(field) = fields.get_mut(slot) {
                *field = Some(number);
            }
        }
        let [offset, size, unpacked_offset, unpacked_size] = fields;
        Ok(Locator {
            path: decode(path)?,
            range: offset.zip(size),
            unpacked: unpacked_offset.zip(unpacked_size),
        })
    }
}

const KEYS: [&str; 4] = ["offset", "size", "unpacked-offset", "unpacked-size"];

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "file://{}", encode(&self.path))?;
        if let Some((offset, size)) = self.range {
            write!(f, "#offset={offset}&size={size}")?;
        }
        if let Some((offset, size)) = self.unpacked {
            write!(f, "&unpacked-offset={offset}&unpacked-size={size}")?;
        }
        Ok(())
    }
}

/// Percent-encodes a path for a `file://` URI; the bytes that need no encoding are RFC 3986's unreserved ones, the
/// slash, and `+`, `:` and `@`, which ROCm's file names contain.
pub fn encode(path: &Path) -> Cow<'_, str> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-._~+:@".contains(byte);
    if let (true, Some(text)) = (bytes.iter().all(plain), path.to_str()) {
        return Cow::Borrowed(text);
    }
    let encoded =
        |byte: &u8| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    Cow::Owned(bytes.iter().map(encoded).collect())
}

fn decode(text: &str) -> Result<PathBuf, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, tail) =
            rest.split_at_checked(2).ok_or_else(|| format!("{text}: % without two digits"))?;
        let digits = std::str::from_utf8(digits).map_err(|e| format!("{text}: {e}"))?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|e| format!("%{digits}: {e}"))?);
        rest = tail;
    }
    path_of(bytes)
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> Result<PathBuf, String> {
    use std::os::unix::ffi::OsStringExt;
    Ok(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> Result<PathBuf, String> {
    String::from_utf8(bytes).map(PathBuf::from).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_the_llvm_and_rocm_tools_do() {
        let at = Locator::range("/opt/rocm/lib/librccl.so", 4096, 56);
        assert_eq!(at.to_string(), "file:///opt/rocm/lib/librccl.so#offset=4096&size=56");
    }

    #[test]
    fn a_bad_uri_is_a_sentence() {
        assert!(Locator::parse("http://x").unwrap_err().contains("file://"));
        assert!(Locator::parse("file:///a#offset=x&size=1").unwrap_err().contains("offset=x"));
        assert!(Locator::parse("file:///a#where=1").unwrap_err().contains("where"));
    }

    proptest::proptest! {
        #[test]
        fn every_locator_survives_the_round_trip(
            path in "/[ -~äöü%#&]{0,40}",
            range in proptest::option::of((0u64.., 0u64..)),
            unpacked in proptest::option::of((0u64.., 0u64..)),
        ) {
            let at = Locator { path: path.into(), range, unpacked: range.and(unpacked) };
            proptest::prop_assert_eq!(Locator::parse(&at.to_string()), Ok(at));
        }
    }
}
