//! What a tree says of its own versions: ROCm's version files and headers, PyTorch's `version.py`, and changelogs of
//! Debian's packages, whose first line names the source package and its version (Debian Policy 4.4 and 12.7).

use crate::finding::Finding;
use crate::finding::rules::read;
use crate::inventory::ArtifactKind;
use crate::limits::TEXT_BYTES;
use crate::scan::library_names::of_shared_library;
use crate::scan::{Candidate, Scanned, Scanner};
use std::borrow::Cow;
use std::io::Read as _;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "version",
    of_text: false,
    finds: "ROCm version files and headers, the HIP version of PyTorch, changelogs of Debian's packages",
    claims: |candidate| {
        component(candidate.path, candidate.name).is_some() || is_changelog(candidate.path, candidate.name)
    },
    scan: |candidate, _, _| match statement(candidate) {
        Some((component, version)) => Scanned::from_kind(ArtifactKind::Version { component, version }),
        None => Scanned { findings: lost(candidate).into_iter().collect(), ..Scanned::default() },
    },
};

/// What a file of this path states the version of.
fn component<'a>(path: &str, name: &'a str) -> Option<&'a str> {
    if path.contains(".info/version") {
        let of = name.strip_prefix("version").map(|rest| rest.trim_start_matches('-'));
        Some(of.filter(|rest| !rest.is_empty()).unwrap_or("ROCm"))
    } else if name == "rocm_version.h" {
        Some("ROCm")
    } else if path.ends_with("torch/version.py") {
        Some("torch HIP")
    } else {
        None
    }
}

/// Whether a file is the changelog of a Debian package of ROCm's libraries. A system has thousands of others.
fn is_changelog(path: &str, name: &str) -> bool {
    if !matches!(name, "changelog.Debian.gz" | "changelog.Debian") || !path.contains("share/doc/") {
        return false;
    }
    let package = path.rsplit('/').nth(1).unwrap_or_default();
    ["rocm", "-hip"].iter().any(|word| package.contains(word))
        || of_shared_library(&format!("{package}.so")).is_some()
}

/// The beginning of a file, inflated where it is a changelog that is compressed; `None` where that fails.
fn head<'c>(candidate: &Candidate<'c>) -> Option<Cow<'c, [u8]>> {
    let bytes = candidate.file.bytes();
    if !candidate.name.ends_with(".gz") {
        return Some(Cow::Borrowed(bytes.get(..TEXT_BYTES).unwrap_or(bytes)));
    }
    let mut head = Vec::new();
    flate2::read::GzDecoder::new(bytes).take(LINE_BYTES).read_to_end(&mut head).ok()?;
    Some(Cow::Owned(head))
}

/// Most bytes of a changelog's first line.
const LINE_BYTES: u64 = 256;

/// A file of versions is text, and not empty.
fn lost(candidate: &Candidate<'_>) -> Option<Finding> {
    let Some(head) = head(candidate) else {
        let what = "the changelog of a package cannot be inflated";
        return Some(Finding::of_file(&read::MALFORMED_BYTES, candidate.shown, what));
    };
    let what = if head.contains(&0) {
        "zeros stand in a file that states a version in text"
    } else if head.trim_ascii().is_empty() {
        "a file that states a version is empty"
    } else if candidate.name == "rocm_version.h" && memchr::memmem::find(&head, b"#include").is_none() {
        // Those that only include another were left where headers once were.
        "the header states no version of ROCm"
    } else {
        return None;
    };
    Some(Finding::of_file(&read::MALFORMED_BYTES, candidate.shown, what))
}

/// Component and version that a file states.
fn statement(candidate: &Candidate<'_>) -> Option<(String, String)> {
    let head = head(candidate)?;
    let Some(component) = component(candidate.path, candidate.name) else { return of_changelog(&head) };
    let text = std::str::from_utf8(&head).ok()?;
    let version = if candidate.name == "rocm_version.h" {
        let number = |what: &str| define(text, &format!("ROCM_VERSION_{what}"));
        [number("MAJOR")?, number("MINOR")?, number("PATCH")?].join(".")
    } else if candidate.name == "version.py" {
        let line = text.lines().find(|l| l.starts_with("hip"))?;
        line.split(['\'', '"']).nth(1)?.to_owned()
    } else {
        text.split_whitespace().next()?.to_owned()
    };
    is_plausible(&version).then(|| (component.to_owned(), version))
}

/// Source package and version in the first line of a changelog: `rocblas (6.4.4-4) unstable; urgency=medium`.
fn of_changelog(head: &[u8]) -> Option<(String, String)> {
    let line = std::str::from_utf8(head.split(|byte| *byte == b'\n').next()?).ok()?;
    let (package, rest) = line.split_once(" (")?;
    let (version, _) = rest.split_once(')')?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-.".contains(c);
    let is_package = !package.is_empty() && package.len() <= 64 && package.chars().all(is_name);
    (is_package && is_plausible(version)).then(|| (package.to_owned(), version.to_owned()))
}

fn is_plausible(version: &str) -> bool {
    version.len() <= 64 && version.starts_with(|c: char| c.is_ascii_digit())
}

/// The value of `#define NAME value`.
fn define(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("#define") && words.next() == Some(name))
            .then(|| words.next().map(str::to_owned))?
    })
}
