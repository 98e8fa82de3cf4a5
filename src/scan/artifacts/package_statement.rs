//! What Python packages need of each other, and lists of packages: the metadata of wheels, requirements, lock
//! files.
//!
//! Sources: the core metadata of Python packages (`METADATA`), PEP 508 (requirements), PEP 751
//! (`pylock.toml`), uv's and Poetry's lock files.

use crate::inventory::distributions::{
    Distribution, PackageStatement, Requirement, Stated, is_of_rocm, normalised, of_extra,
};
use crate::limits::{PACKAGE_LIST_BYTES, STATED_PACKAGES};
use crate::scan::{Candidate, Scanned, Scanner};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "package-statement",
    of_text: false,
    finds: "what Python packages need of each other (METADATA), and lists of packages: requirements, uv.lock, pylock.toml",
    claims: |candidate| form(candidate.path, candidate.name).is_some(),
    scan: |candidate, _, _| Scanned { packages: stated(candidate).map(Box::new), ..Scanned::default() },
};

enum Form {
    Metadata,
    Requirements,
    Lock,
}

fn form(path: &str, name: &str) -> Option<Form> {
    let is_text = name.ends_with(".txt");
    match name {
        "METADATA" if path.rsplit('/').nth(1).is_some_and(|folder| folder.ends_with(".dist-info")) => {
            Some(Form::Metadata)
        }
        "uv.lock" | "poetry.lock" => Some(Form::Lock),
        _ if name.starts_with("pylock.") && name.ends_with(".toml") => Some(Form::Lock),
        _ if is_text && ["requirements", "constraints", "freeze"].iter().any(|word| name.contains(word)) => {
            Some(Form::Requirements)
        }
        _ => None,
    }
}

fn stated(candidate: &Candidate<'_>) -> Option<PackageStatement> {
    let bytes = candidate.file.bytes();
    let text = String::from_utf8_lossy(bytes.get(..PACKAGE_LIST_BYTES.min(bytes.len())).unwrap_or_default());
    let stated = match form(candidate.path, candidate.name)? {
        Form::Metadata => Stated::Package(metadata(&text)?),
        Form::Requirements => {
            Stated::List(listed(&text, |line| (!line.starts_with(['#', '-'])).then_some(line)))
        }
        Form::Lock => Stated::List(locked(&text)),
    };
    let is_empty = matches!(&stated, Stated::List(all) if all.is_empty());
    (!is_empty).then(|| PackageStatement { shown: candidate.shown.to_owned(), stated })
}

/// Lines with their numbers and offsets.
fn lines(text: &str) -> impl Iterator<Item = (u64, u64, &str)> {
    let begin = text.as_ptr() as usize;
    (1..).zip(text.lines()).map(move |(number, line)| (number, (line.as_ptr() as usize - begin) as u64, line))
}

/// Name, version and needs in the metadata of a package.
fn metadata(text: &str) -> Option<Distribution> {
    let headers = text.split_once("\n\n").map_or(text, |(headers, _)| headers);
    let value = |key: &str| headers.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    Some(Distribution {
        name: normalised(value("Name:")?),
        version: value("Version:")?.to_owned(),
        requires: listed(headers, |line| line.strip_prefix("Requires-Dist:")),
    })
}

/// The packages of ROCm that lines ask for; `asks` gives what a line asks for, if it does.
fn listed<'t>(text: &'t str, asks: impl Fn(&'t str) -> Option<&'t str>) -> Vec<Requirement> {
    let all = lines(text).filter_map(|(line, offset, text)| Some((line, offset, asks(text.trim())?)));
    all.flat_map(|(line, offset, text)| of_line(text, line, offset)).take(STATED_PACKAGES).collect()
}

/// What one requirement asks for of ROCm's: the package, and those that its extras stand for.
fn of_line(text: &str, line: u64, offset: u64) -> Vec<Requirement> {
    let (asked, marker) = text.split_once(';').unwrap_or((text, ""));
    // What an extra of the package asks for is not asked for by the package.
    let is_elsewhere = marker.contains("extra") || marker.contains("win32") || marker.contains("Windows");
    if is_elsewhere {
        return Vec::new();
    }
    let asked = asked.split(" #").next().unwrap_or(asked).trim();
    let end = asked.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c))).unwrap_or(asked.len());
    let (name, rest) = asked.split_at(end);
    let name = normalised(name);
    let (extras, rest) = match rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((extras, rest)) => (extras, rest),
        None => ("", rest),
    };
    let version = rest
        .trim()
        .trim_start_matches('(')
        .strip_prefix("==")
        .map(|version| version.split([',', ')', ' ', '\\']).next().unwrap_or(version).trim().to_owned());
    let version = version.filter(|version| !version.is_empty() && !version.contains('*'));
    let of_extras = extras.split(',').filter_map(|extra| of_extra(&name, extra.trim()));
    let own = is_of_rocm(&name).then(|| name.clone());
    let all = own.into_iter().chain(of_extras);
    all.map(|name| Requirement { name, version: version.clone(), line, offset }).collect()
}

/// The packages of ROCm in a lock file: tables with `name` and `version`.
fn locked(text: &str) -> Vec<Requirement> {
    let mut all: Vec<Requirement> = Vec::new();
    let mut is_package = false;
    let mut is_named = false;
    for (line, offset, text) in lines(text) {
        if text.starts_with('[') {
            is_package = text.starts_with("[[package");
            is_named = false;
            continue;
        }
        let word = |key: &str| {
            let value = text.strip_prefix(key)?.trim_start().strip_prefix('=')?;
            value.trim().strip_prefix('"')?.split('"').next()
        };
        if let Some(name) = word("name").filter(|_| is_package).map(normalised) {
            is_named = is_of_rocm(&name) && all.len() < STATED_PACKAGES;
            if is_named {
                all.push(Requirement { name, version: None, line, offset });
            }
        } else if let (Some(version), true, Some(last)) = (word("version"), is_named, all.last_mut()) {
            last.version = Some(version.to_owned());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[Requirement]) -> Vec<(String, Option<&str>, u64)> {
        all.iter().map(|one| (one.name.clone(), one.version.as_deref(), one.line)).collect()
    }

    #[test]
    fn metadata_names_what_a_package_needs_without_extras() {
        let text = "Metadata-Version: 2.1\nName: jax_rocm10_plugin\nVersion: 0.12.0\nRequires-Dist: jax-rocm10-pjrt==0.12.0\n\
                    Requires-Dist: numpy>=1\nRequires-Dist: rocm-sdk-devel==1; extra == \"devel\"\n\nName: other\n";
        let found = metadata(text).unwrap();
        assert_eq!((found.name.as_str(), found.version.as_str()), ("jax-rocm10-plugin", "0.12.0"));
        assert_eq!(names(&found.requires), [("jax-rocm10-pjrt".to_owned(), Some("0.12.0"), 4)]);
        assert_eq!(found.requires[0].offset as usize, text.find("Requires-Dist").unwrap());
    }

    #[test]
    fn lists_are_read_in_each_form() {
        let text = "# pip freeze\n-i https://example.org/simple\nnumpy==2\ntorch[device-gfx1151]==2.9.0+rocm7.14 \\\n    --hash=sha256:0\n\
                    rocm[libraries,device-gfx1151]==7.14.0\nrocm-sdk-core>=7\n";
        let found = listed(text, |line| (!line.starts_with(['#', '-'])).then_some(line));
        let expected = [
            ("amd-torch-device-gfx1151", Some("2.9.0+rocm7.14"), 4),
            ("rocm", Some("7.14.0"), 6),
            ("rocm-sdk-libraries", Some("7.14.0"), 6),
            ("rocm-sdk-device-gfx1151", Some("7.14.0"), 6),
            ("rocm-sdk-core", None, 7),
        ];
        assert_eq!(names(&found), expected.map(|(name, version, line)| (name.to_owned(), version, line)));
        let lock = "version = 1\n[[package]]\nname = \"numpy\"\nversion = \"2\"\n[[package]]\nname = \"rocm-sdk-core\"\nversion = \"7.14.0\"\n\
                    [package.metadata]\nname = \"rocm-sdk-x\"\n[[packages]]\nname = \"ROCm_SDK_Libraries\"\n";
        let expected = [("rocm-sdk-core", Some("7.14.0"), 6), ("rocm-sdk-libraries", None, 11)];
        assert_eq!(
            names(&locked(lock)),
            expected.map(|(name, version, line)| (name.to_owned(), version, line))
        );
    }
}
