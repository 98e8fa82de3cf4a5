//! What a tree says of its own versions: ROCm's version files and headers, PyTorch's `version.py`.

use crate::finding::Finding;
use crate::finding::rules::read;
use crate::inventory::ArtifactKind;
use crate::limits::TEXT_BYTES;
use crate::scan::{Candidate, Scanned, Scanner};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "version",
    of_text: false,
    finds: "ROCm version files and headers, and the HIP version a PyTorch wheel was built with",
    claims: |candidate| component(candidate.path, candidate.name).is_some(),
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

/// A file of versions is text, and not empty.
fn lost(candidate: &Candidate<'_>) -> Option<Finding> {
    let bytes = candidate.file.bytes();
    let head = bytes.get(..TEXT_BYTES).unwrap_or(bytes);
    let what = if head.contains(&0) {
        "zeros stand in a file that states a version in text"
    } else if head.trim_ascii().is_empty() {
        "a file that states a version is empty"
    } else if candidate.name == "rocm_version.h" && memchr::memmem::find(head, b"#include").is_none() {
        // Those that only include another were left where headers once were.
        "the header states no version of ROCm"
    } else {
        return None;
    };
    Some(Finding::of_file(&read::MALFORMED_BYTES, candidate.shown, what))
}

/// Component and version that a file states.
fn statement(candidate: &Candidate<'_>) -> Option<(String, String)> {
    let component = component(candidate.path, candidate.name)?;
    let text = candidate.file.bytes().get(..TEXT_BYTES.min(candidate.file.len() as usize))?;
    let text = std::str::from_utf8(text).ok()?;
    let version = if candidate.name == "rocm_version.h" {
        let number = |what: &str| define(text, &format!("ROCM_VERSION_{what}"));
        [number("MAJOR")?, number("MINOR")?, number("PATCH")?].join(".")
    } else if candidate.name == "version.py" {
        let line = text.lines().find(|l| l.starts_with("hip"))?;
        line.split(['\'', '"']).nth(1)?.to_owned()
    } else {
        text.split_whitespace().next()?.to_owned()
    };
    let plausible = version.len() <= 64 && version.starts_with(|c: char| c.is_ascii_digit());
    plausible.then(|| (component.to_owned(), version))
}

/// The value of `#define NAME value`.
fn define(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("#define") && words.next() == Some(name))
            .then(|| words.next().map(str::to_owned))?
    })
}
