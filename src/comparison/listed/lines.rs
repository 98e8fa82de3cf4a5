//! Lists that are read line by line, as the programs that write them lay them out: `conda list --explicit`,
//! conda-lock.yml, pixi.lock, `conda env export`, and pages of an index.

use super::{ListedArtifact, decoded, of_address, of_conda};
use crate::locator::file_name;

/// The line above the addresses of `conda list --explicit`.
const EXPLICIT: &str = "@EXPLICIT";

/// Whether a text is a list of `conda list --explicit`, by its first lines.
pub(in crate::comparison) fn is_explicit(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.next() == Some(EXPLICIT)
}

/// The artifacts of a list, if it is one of these.
pub(super) fn artifacts(text: &str) -> Option<Vec<ListedArtifact>> {
    if is_explicit(text) {
        return Some(explicit(text));
    }
    if text.trim_start().starts_with('<') {
        return Some(page(text));
    }
    let has = |key: &str| text.lines().any(|line| line.trim_end() == key);
    match () {
        () if has("dependencies:") && !has("[[package]]") => Some(environment(text)),
        // uv's and poetry's locks are TOML, where a key has no colon.
        () if has("package:") || has("packages:") => Some(locked(text)),
        () => None,
    }
}

fn explicit(text: &str) -> Vec<ListedArtifact> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| line.contains("://") && !line.starts_with('#'))
        .map(|line| of_address(line, None))
        .collect()
}

/// The items of conda-lock.yml and pixi.lock: each has an address and digests below it.
fn locked(text: &str) -> Vec<ListedArtifact> {
    let mut found: Vec<ListedArtifact> = Vec::new();
    let mut is_below = false;
    let mut sha256: Option<String> = None;
    for line in text.lines() {
        let plain = line.trim();
        if !line.starts_with([' ', '-', '#']) && !plain.is_empty() {
            is_below = matches!(plain, "package:" | "packages:");
            continue;
        }
        if !is_below {
            continue;
        }
        let (is_new, plain) = match plain.strip_prefix("- ") {
            Some(rest) => (true, rest.trim()),
            None => (false, plain),
        };
        if is_new {
            sha256 = None;
        }
        let Some((key, value)) = plain.split_once(": ") else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        match key {
            "url" | "conda" | "pypi" if value.contains("://") => {
                found.push(of_address(value, sha256.take().as_deref()));
            }
            "sha256" => match found.last_mut().filter(|one| one.sha256.is_none()) {
                Some(last) => last.sha256 = Some(super::digest(value)),
                None => sha256 = Some(value.to_owned()),
            },
            _ => {}
        }
    }
    found
}

/// `conda env export`: `name=version=build`, and below `pip:` `name==version`.
fn environment(text: &str) -> Vec<ListedArtifact> {
    let mut found = Vec::new();
    let mut is_below = false;
    for line in text.lines() {
        if !line.starts_with([' ', '-']) {
            is_below = line.trim_end() == "dependencies:";
            continue;
        }
        let Some(entry) = line.trim().strip_prefix("- ").filter(|_| is_below) else { continue };
        let entry = entry.trim().trim_matches(['"', '\'']);
        if entry.contains("://") {
            found.push(of_address(entry, None));
        } else if let Some((name, version)) = entry.split_once("==") {
            found.push(ListedArtifact { name: format!("{name}-{version}"), ..ListedArtifact::default() });
        } else if entry.contains('=') {
            let plain = entry.rsplit("::").next().unwrap_or(entry);
            found.push(of_conda(&plain.replace('=', "-")));
        }
    }
    found
}

/// A page of an index (PEP 503): the links of its anchors.
fn page(text: &str) -> Vec<ListedArtifact> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("href=") {
        let quote = behind.chars().next().filter(|c| matches!(c, '"' | '\''));
        let Some((link, after)) = quote.and_then(|quote| behind.get(1..)?.split_once(quote)) else {
            rest = behind;
            continue;
        };
        rest = after;
        let mut one = of_address(&link.replace("&amp;", "&"), None);
        one.name = decoded(file_name(&one.name));
        one.url = one.url.filter(|url| url.contains("://"));
        let is_file = one.name.contains('.') && !link.ends_with('/');
        found.extend(is_file.then_some(one));
    }
    found
}
