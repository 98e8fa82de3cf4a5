//! What package managers write down of installed packages: which files each has, and its version.
//!
//! Sources: PEP 376 and 627 (`RECORD`), dpkg's `info/*.list` and `status` (dpkg-query(1)), conda's
//! `conda-meta/*.json`.

use crate::inventory::ownership::Owned;
use crate::limits::PACKAGE_LIST_BYTES;
use crate::scan::{Candidate, Scanned, Scanner};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "package-list",
    of_text: false,
    finds: "lists of pip, dpkg and conda: which package has a file, and in which version",
    claims: |candidate| kind(candidate.path, candidate.name).is_some(),
    scan: |candidate, _, _| Scanned { owned: owned(candidate).map(Box::new), ..Scanned::default() },
};

enum List {
    Record,
    Dpkg,
    DpkgStatus,
    Conda,
}

fn kind(path: &str, name: &str) -> Option<List> {
    let folder = path.strip_suffix(name)?.strip_suffix('/')?;
    if name == "RECORD" && folder.ends_with(".dist-info") {
        return Some(List::Record);
    }
    if folder.ends_with("var/lib/dpkg/info") && name.ends_with(".list") {
        return Some(List::Dpkg);
    }
    if folder.ends_with("var/lib/dpkg") && name == "status" {
        return Some(List::DpkgStatus);
    }
    let conda = folder.rsplit('/').next() == Some("conda-meta") && name.ends_with(".json");
    conda.then_some(List::Conda)
}

fn owned(candidate: &Candidate<'_>) -> Option<Owned> {
    let bytes = candidate.file.bytes();
    let text = String::from_utf8_lossy(bytes.get(..PACKAGE_LIST_BYTES.min(bytes.len())).unwrap_or_default());
    match kind(candidate.path, candidate.name)? {
        List::Record => {
            let folder = candidate.path.rsplit('/').nth(1)?.strip_suffix(".dist-info")?;
            let (name, version) = folder.rsplit_once('-')?;
            // CSV: path, hash, size; a path with a comma is in quotation marks.
            let path = |line: &str| match line.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next().map(str::to_owned),
                None => line.split(',').next().map(str::to_owned),
            };
            let files = text.lines().filter_map(path).collect();
            Some(Owned::Files { name: name.to_owned(), version: Some(version.to_owned()), from: "..", files })
        }
        List::Dpkg => {
            // `libfoo1:amd64.list` for packages that may be installed for several architectures.
            let name = candidate.name.strip_suffix(".list")?.to_owned();
            let files = text.lines().filter(|line| line.starts_with('/')).map(str::to_owned).collect();
            Some(Owned::Files { name, version: None, from: "", files })
        }
        List::DpkgStatus => {
            let paragraphs = text.split("\n\n");
            let versions = paragraphs.filter_map(|paragraph| {
                let value =
                    |key: &str| paragraph.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
                let (name, version) = (value("Package:")?, value("Version:")?.to_owned());
                let with_architecture = value("Architecture:").map(|own| format!("{name}:{own}"));
                Some([Some(name.to_owned()), with_architecture].map(|name| Some((name?, version.clone()))))
            });
            Some(Owned::Versions(versions.flatten().flatten().collect()))
        }
        List::Conda => {
            let stated: serde_json::Value = serde_json::from_str(&text).ok()?;
            let word = |key: &str| stated.get(key)?.as_str().map(str::to_owned);
            let files =
                stated.get("files")?.as_array()?.iter().filter_map(|file| Some(file.as_str()?.to_owned()));
            Some(Owned::Files {
                name: word("name")?,
                version: word("version"),
                from: "..",
                files: files.collect(),
            })
        }
    }
}
