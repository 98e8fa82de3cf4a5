//! Links of the book: every address in a page, that is no other host's, is that of a file, and of a place in
//! it.

use anyhow::{Context as _, Result, bail};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Looks up all links of the pages below a folder, and gives their number. What rustdoc has made is led to,
/// but was checked by itself.
///
/// # Errors
/// Links that lead nowhere, all of them.
pub(super) fn check(book: &Path) -> Result<usize> {
    let mut pages = Vec::new();
    collect(book, &mut pages)?;
    let address = Regex::new(r#"(?:href|src)="([^"]*)""#)?;
    let place = Regex::new(r#"\sid="([^"]*)""#)?;
    let mut texts = BTreeMap::new();
    for page in pages {
        let text = std::fs::read_to_string(&page)?;
        let places: BTreeSet<String> = place.captures_iter(&text).map(|found| plain(&found[1])).collect();
        texts.insert(page, (text, places));
    }
    let mut count = 0;
    let mut wrong = BTreeSet::new();
    for (page, (text, _)) in &texts {
        for found in address.captures_iter(text) {
            let target = plain(&found[1]);
            if target.contains("://") || target.starts_with("data:") || target.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (path, fragment) = target.split_once('#').unwrap_or((&target, ""));
            let file = if path.is_empty() { page.clone() } else { joined(page, path) };
            let known = texts.get(&file);
            let place = fragment.is_empty() || known.is_none_or(|(_, places)| places.contains(fragment));
            if !file.exists() || !place {
                let page = page.strip_prefix(book).unwrap_or(page);
                wrong.insert(format!("{}: {target}", page.display()));
            }
        }
    }
    if !wrong.is_empty() {
        bail!("links that lead nowhere:\n{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
    }
    Ok(count)
}

/// The pages of the book.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "api" {
            collect(&path, pages)?;
        // The page for what is not found has addresses from the root of a host.
        } else if path.extension().is_some_and(|end| end == "html") && name != "404.html" {
            pages.push(path);
        }
    }
    Ok(())
}

/// A path beside a page, without `..`.
fn joined(page: &Path, path: &str) -> PathBuf {
    let mut all = page.parent().map(PathBuf::from).unwrap_or_default();
    for part in Path::new(path.split('?').next().unwrap_or_default()).components() {
        match part {
            Component::ParentDir => _ = all.pop(),
            Component::CurDir => {}
            other => all.push(other),
        }
    }
    if all.is_dir() { all.join("index.html") } else { all }
}

/// Without what HTML and addresses escape.
fn plain(text: &str) -> String {
    text.replace("&amp;", "&").replace("&quot;", "\"").replace("&#39;", "'").replace("%20", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_to_files_and_places() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put(
            "index.html",
            r#"<a href="a/b.html#x">1</a><a href="https://example.org/none">2</a><img src="p.png">"#,
        );
        put("a/b.html", r##"<h1 id="x">X</h1><a href="../index.html">1</a><a href="#x">2</a>"##);
        put("p.png", "");
        assert_eq!(check(folder.path()).unwrap(), 4);
        put("c.html", r#"<a href="a/b.html#y">1</a><a href="no.html">2</a>"#);
        let error = check(folder.path()).unwrap_err().to_string();
        assert_eq!(error, "links that lead nowhere:\nc.html: a/b.html#y\nc.html: no.html");
    }
}
