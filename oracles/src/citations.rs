//! Looks up what the rules cite: each file at its commit, and what is said to stand in its lines.

use anyhow::{Context as _, Result, bail};
use rocm_audit::engines::citations::{self, Citation, Cited};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder] = arguments else {
        bail!("check-citations SOURCES: a folder of git repositories, bare or not, or of trees NAME@REVISION")
    };
    let mut sources =
        Sources { folder: PathBuf::from(folder), found: BTreeMap::new(), texts: BTreeMap::new() };
    let (mut checked, mut wrong) = (BTreeMap::<String, usize>::new(), 0);
    let mut absent: BTreeMap<String, usize> = BTreeMap::new();
    for citation in citations::all()? {
        match sources.check(&citation)? {
            CitationState::Right => {}
            CitationState::Wrong(why) => {
                wrong += 1;
                println!("wrong: {citation}\n       {why}");
            }
            CitationState::NotHere => {
                *absent.entry(citation.repository).or_default() += 1;
                continue;
            }
        }
        *checked.entry(citation.repository).or_default() += 1;
    }
    for (repository, count) in &checked {
        println!("{repository}: {count} citations checked");
    }
    for (repository, count) in &absent {
        println!("{repository}: {count} citations not checked, the repository is not in {folder}");
    }
    println!(
        "{} checked, {wrong} wrong, {} not here",
        checked.values().sum::<usize>(),
        absent.values().sum::<usize>()
    );
    if wrong > 0 { bail!("{wrong} wrong") } else { Ok(()) }
}

/// What comes of a citation.
enum CitationState {
    Right,
    Wrong(String),
    /// Its repository is not in the folder.
    NotHere,
}

struct Sources {
    folder: PathBuf,
    /// Repositories by the names in citations.
    found: BTreeMap<String, Option<PathBuf>>,
    /// Files by repository, revision and path; `None` if there is no such file.
    texts: BTreeMap<(String, String, String), Option<String>>,
}

impl Sources {
    fn check(&mut self, citation: &Citation) -> Result<CitationState> {
        let name = &citation.repository;
        if !self.found.contains_key(name) {
            let found = find(&self.folder, name);
            self.found.insert(name.clone(), found);
        }
        let Some(Some(repository)) = self.found.get(name).cloned() else {
            return self.check_tree(citation);
        };
        let commit = format!("{}^{{commit}}", citation.revision);
        if git(&repository, &["rev-parse", "--verify", "--quiet", &commit])?.is_none() {
            return Ok(CitationState::Wrong("there is no such revision".to_owned()));
        }
        match &citation.what {
            Cited::Commit { date, tag } => of_commit(&repository, &citation.revision, date, tag),
            Cited::Place { path, lines, name } => {
                let key = (citation.repository.clone(), citation.revision.clone(), path.clone());
                if !self.texts.contains_key(&key) {
                    let text = git(&repository, &["show", &format!("{}:{path}", citation.revision)])?;
                    self.texts.insert(key.clone(), text);
                }
                let text = self.texts.get(&key).and_then(Option::as_deref);
                Ok(of_place(text, lines, name))
            }
        }
    }
}

impl Sources {
    /// Checks a citation in a tree of one revision without history: `ggml-org+llama.cpp@a5bb8ba4c502`.
    fn check_tree(&self, citation: &Citation) -> Result<CitationState> {
        let Some(tree) = tree(&self.folder, &citation.repository, &citation.revision) else {
            return Ok(CitationState::NotHere);
        };
        match &citation.what {
            // A tree has no date and no tags.
            Cited::Commit { .. } => Ok(CitationState::NotHere),
            Cited::Place { path, lines, name } => {
                let text = std::fs::read(tree.join(path)).ok();
                let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                Ok(of_place(text.as_deref(), lines, name))
            }
        }
    }
}

/// The tree of a revision, by the repository's name as for [`find`], `@` and the revision or a longer or
/// shorter form of it.
fn tree(folder: &Path, name: &str, revision: &str) -> Option<PathBuf> {
    const SHORTEST: usize = 8;
    let last = name.rsplit('/').next().unwrap_or(name);
    let names = [name.replace('/', "+"), last.to_owned()];
    let entries = std::fs::read_dir(folder).ok()?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let file = entry.file_name().into_string().ok()?;
            let (of, at) = file.rsplit_once('@')?;
            let fits = names.iter().any(|name| name == of)
                && at.len().min(revision.len()) >= SHORTEST
                && (at.starts_with(revision) || revision.starts_with(at));
            (fits && entry.path().is_dir()).then(|| entry.path())
        })
        .collect();
    found.sort();
    found.into_iter().next()
}

/// A repository by its name: `ROCm/MIOpen` as ROCm/MIOpen, MIOpen, MIOpen.git or ROCm+MIOpen, itself or as a
/// folder `repo` in it.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let last = name.rsplit('/').next().unwrap_or(name);
    let names = [
        name.to_owned(),
        format!("{name}.git"),
        name.replace('/', "+"),
        last.to_owned(),
        format!("{last}.git"),
    ];
    let places = names.iter().flat_map(|name| [folder.join(name), folder.join(name).join("repo")]);
    places.filter(|place| place.is_dir()).find(|place| {
        // A folder in another repository is none of its own.
        let own = place.join(".git").exists() || place.join("HEAD").is_file();
        own && matches!(git(place, &["rev-parse", "--git-dir"]), Ok(Some(_)))
    })
}

/// What git prints; none where it fails.
fn git(repository: &Path, arguments: &[&str]) -> Result<Option<String>> {
    let output = Command::new("git").arg("-C").arg(repository).args(arguments).output().context("git")?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn of_place(text: Option<&str>, lines: &[(u32, u32)], name: &str) -> CitationState {
    let Some(text) = text else { return CitationState::Wrong("there is no such file".to_owned()) };
    let all: Vec<&str> = text.lines().collect();
    let mut cited = Vec::new();
    for (first, last) in lines {
        match all.get((*first as usize).wrapping_sub(1)..*last as usize) {
            Some(some) => cited.extend_from_slice(some),
            None => return CitationState::Wrong(format!("the file has {} lines", all.len())),
        }
    }
    let place = if lines.is_empty() { &all } else { &cited };
    if place.iter().any(|line| line.contains(name)) {
        CitationState::Right
    } else {
        let anywhere = all.iter().position(|line| line.contains(name));
        let elsewhere =
            anywhere.map_or("nor elsewhere in the file".to_owned(), |at| format!("but in line {}", at + 1));
        CitationState::Wrong(format!("`{name}` does not stand there, {elsewhere}"))
    }
}

fn of_commit(
    repository: &Path,
    revision: &str,
    date: &Option<String>,
    tag: &Option<String>,
) -> Result<CitationState> {
    if let Some(date) = date {
        let committed = git(repository, &["show", "-s", "--format=%cs", revision])?.unwrap_or_default();
        if committed.trim() != date {
            return Ok(CitationState::Wrong(format!("it is of {}", committed.trim())));
        }
    }
    if let Some(tag) = tag {
        let tags =
            git(repository, &["tag", "--contains", revision, "--sort=version:refname"])?.unwrap_or_default();
        let first = tags.lines().next().unwrap_or("none");
        if first != tag {
            return Ok(CitationState::Wrong(format!("the first tag with it is {first}")));
        }
    }
    Ok(CitationState::Right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_found_by_name_and_revision() {
        let folder = std::env::temp_dir().join(format!("rocm-audit-trees-{}", std::process::id()));
        let made = folder.join("ggml-org+llama.cpp@a5bb8ba4c502");
        std::fs::create_dir_all(made.join("src")).unwrap();
        std::fs::write(made.join("src/a.cpp"), "one\ntwo\n").unwrap();
        let of = |name: &str, revision: &str| tree(&folder, name, revision);
        assert_eq!(of("ggml-org/llama.cpp", "a5bb8ba4"), Some(made.clone()));
        assert_eq!(of("ggml-org/llama.cpp", "a5bb8ba4c50257437630"), Some(made));
        assert_eq!(of("ggml-org/llama.cpp", "a5bb8ba5c502"), None);
        assert_eq!(of("ggml-org/ggml", "a5bb8ba4c502"), None);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_name_must_stand_in_the_cited_lines() {
        let text = "one\nfn two()\nthree\n";
        let wrong = |lines: &[(u32, u32)], name| match of_place(Some(text), lines, name) {
            CitationState::Wrong(why) => why,
            _ => String::new(),
        };
        assert_eq!(wrong(&[(1, 2)], "two"), "");
        assert_eq!(wrong(&[], "three"), "");
        assert_eq!(wrong(&[(1, 1), (3, 3)], "two"), "`two` does not stand there, but in line 2");
        assert_eq!(wrong(&[(1, 1)], "four"), "`four` does not stand there, nor elsewhere in the file");
        assert_eq!(wrong(&[(2, 9)], "two"), "the file has 3 lines");
        assert!(matches!(of_place(None, &[], "two"), CitationState::Wrong(_)));
    }
}
