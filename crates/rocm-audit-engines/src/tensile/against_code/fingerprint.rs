//! The fingerprints of solutions: what they and the code objects beside them were when they were built.
//!
//! Source: `SolutionFingerprints.py` of hipBLASLt's develop of 2026: SHA-256 of one line of JSON, as Python
//! writes it, of the solution without what does not tell it apart, the folder's name, and the digests of its
//! code object and of the helpers. No catalog with fingerprints was there to compare with.
#![deny(clippy::indexing_slicing)]

use super::stated::StatedSolution;
use amdgpu_object::bytes::msgpack::{Reader, Value};
use rocm_audit_files::error::{ParseError, Parsed};
use rocm_audit_files::input::folder::Folder;
use rocm_audit_files::limits::MSGPACK_DEPTH;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::OnceLock;

/// How fingerprints of the form that is known begin.
const FORM: &str = "sha256-v1:";

/// Parts of a solution that do not tell it apart.
const LEFT_OUT: [&str; 5] = ["index", "libraryLogicIndex", "ideals", "linearModel", "fingerprint"];

/// The digests of a folder's helpers, computed when a solution has a fingerprint.
pub(super) struct Helpers<'f> {
    folder: &'f Folder,
    digests: OnceLock<BTreeSet<String>>,
}

impl<'f> Helpers<'f> {
    /// Those of a folder.
    pub fn new(folder: &'f Folder) -> Self {
        Helpers { folder, digests: OnceLock::new() }
    }

    fn digests(&self) -> &BTreeSet<String> {
        self.digests.get_or_init(|| {
            let helpers = self.folder.names().into_iter().filter(|name| name.ends_with(".hsaco"));
            helpers.filter_map(|name| digest_of(self.folder, &name)).collect()
        })
    }
}

/// The solutions of a code object whose fingerprints are not those of what is here.
pub(super) fn differing<'s, 'a: 's>(
    folder: &Folder,
    helpers: &Helpers<'_>,
    code: &str,
    solutions: impl Iterator<Item = &'s StatedSolution<'a>>,
) -> Vec<String> {
    let mut main = None;
    let mut differ = Vec::new();
    for solution in solutions {
        let Some(own) = solution.fingerprint.and_then(|text| str::from_utf8(text).ok()) else { continue };
        if !own.starts_with(FORM) {
            continue;
        }
        let Some(main) = main.get_or_insert_with(|| digest_of(folder, code)) else { break };
        let parts = FingerprintParts { architecture: &folder.name(), main, helpers: helpers.digests() };
        let computed = parts.fingerprint(solution.bytes);
        if computed.as_deref().is_ok_and(|computed| computed != own) {
            differ
                .push(format!("solution {} has {own:.26}…, and what is here gives another", solution.index));
        }
    }
    differ
}

fn digest_of(folder: &Folder, name: &str) -> Option<String> {
    let file = folder.open(name).ok()?;
    let digest = hexadecimal(Sha256::digest(file.bytes()).as_slice());
    file.check_unchanged().is_ok().then_some(digest)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// What a fingerprint is of, beside the solution.
pub(super) struct FingerprintParts<'p> {
    pub architecture: &'p str,
    pub main: &'p str,
    pub helpers: &'p BTreeSet<String>,
}

impl FingerprintParts<'_> {
    /// The fingerprint of a solution in MessagePack.
    ///
    /// # Errors
    /// Where it is not whole.
    pub fn fingerprint(&self, solution: &[u8]) -> Parsed<String> {
        let mut line = String::from("{\"architecture\":");
        quote(&mut line, self.architecture);
        line.push_str(",\"helpers\":[");
        for (at, digest) in self.helpers.iter().enumerate() {
            line.push_str(if at == 0 { "" } else { "," });
            quote(&mut line, digest);
        }
        line.push_str("],\"main\":");
        quote(&mut line, self.main);
        line.push_str(",\"schema\":");
        quote(&mut line, FORM);
        line.push_str(",\"solution\":");
        json(&mut Reader::new(solution, 0), &LEFT_OUT, 0, &mut line)?;
        line.push('}');
        Ok(format!("{FORM}{}", hexadecimal(Sha256::digest(line.as_bytes()).as_slice())))
    }
}

/// Writes a value as Python's `json.dumps` does with sorted keys and without blanks.
fn json(reader: &mut Reader<'_>, left_out: &[&str], depth: usize, line: &mut String) -> Parsed<()> {
    let at = reader.offset();
    if depth >= MSGPACK_DEPTH {
        return Err(ParseError::new(at, "a solution is nested too deep"));
    }
    match reader.value()? {
        Value::Nil => line.push_str("null"),
        Value::Bool(value) => line.push_str(if value { "true" } else { "false" }),
        Value::Unsigned(number) => _ = write!(line, "{number}"),
        Value::Signed(number) => _ = write!(line, "{number}"),
        Value::Float(number) => line.push_str(&float(number)),
        Value::Str(text) => quote(line, &String::from_utf8_lossy(text)),
        Value::Array(count) => {
            line.push('[');
            for number in 0..count {
                line.push_str(if number == 0 { "" } else { "," });
                json(reader, &[], depth + 1, line)?;
            }
            line.push(']');
        }
        Value::Map(count) => {
            let mut pairs = BTreeMap::new();
            for _ in 0..count {
                let Value::Str(key) = reader.value()? else {
                    return Err(ParseError::new(at, "a key of a solution is no text"));
                };
                let mut value = String::new();
                json(reader, &[], depth + 1, &mut value)?;
                pairs.insert(String::from_utf8_lossy(key).into_owned(), value);
            }
            line.push('{');
            let kept = pairs.iter().filter(|(key, _)| !left_out.contains(&key.as_str()));
            for (number, (key, value)) in kept.enumerate() {
                line.push_str(if number == 0 { "" } else { "," });
                quote(line, key);
                line.push(':');
                line.push_str(value);
            }
            line.push('}');
        }
        _ => return Err(ParseError::new(at, "a value that JSON does not have")),
    }
    Ok(())
}

/// Writes a text as JSON in ASCII.
fn quote(line: &mut String, text: &str) {
    line.push('"');
    for c in text.chars() {
        match c {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            '\u{8}' => line.push_str("\\b"),
            '\u{c}' => line.push_str("\\f"),
            ' '..='~' => line.push(c),
            _ => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(line, "\\u{unit:04x}")),
        }
    }
    line.push('"');
}

/// A number as Python writes it: the shortest that reads back the same, with an exponent of two digits below
/// 0.0001 and from 1e16.
fn float(number: f64) -> String {
    let plain = format!("{number:?}");
    let size = number.abs();
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        return plain;
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
