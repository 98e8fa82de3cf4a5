//! Looks up what the rules cite: each file at its commit, and what is said to stand in its lines.

use anyhow::{Context as _, Result, bail};
use rocm_audit::engines::citations::{self, Citation, Cited};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder] = arguments else {
        bail!("hold-citations SOURCES: a folder of git repositories, bare or not")
    };
    let mut sources =
        Sources { folder: PathBuf::from(folder), found: BTreeMap::new(), texts: BTreeMap::new() };
    let (mut checked, mut wrong) = (BTreeMap::<String, usize>::new(), 0);
    let mut absent: BTreeMap<String, usize> = BTreeMap::new();
    for citation in citations::all()? {
        match sources.check(&citation)? {
            Checked::Right => {}
            Checked::Wrong(why) => {
                wrong += 1;
                println!("wrong: {citation}\n       {why}");
            }
            Checked::NotHere => {
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
enum Checked {
    Right,
    Wrong(String),
    /// Its repository is not in the folder.
    NotHere,
}

struct Sources {
    folder: PathBuf,
    /// Repositories by the names in citations.
    found: BTreeMap<String, Option<PathBuf>>,
    /// Files by repository, revision and path; none where there is no such file.
    texts: BTreeMap<(String, String, String), Option<String>>,
}

impl Sources {
    fn check(&mut self, citation: &Citation) -> Result<Checked> {
        let name = &citation.repository;
        if !self.found.contains_key(name) {
            let found = find(&self.folder, name);
            self.found.insert(name.clone(), found);
        }
        let Some(Some(repository)) = self.found.get(name).cloned() else { return Ok(Checked::NotHere) };
        let commit = format!("{}^{{commit}}", citation.revision);
        if git(&repository, &["rev-parse", "--verify", "--quiet", &commit])?.is_none() {
            return Ok(Checked::Wrong("there is no such revision".to_owned()));
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

/// A repository by its name: `ROCm/MIOpen` as ROCm/MIOpen, MIOpen, MIOpen.git or ROCm+MIOpen, itself or as a folder `repo` in it.
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

fn of_place(text: Option<&str>, lines: &[(u32, u32)], name: &str) -> Checked {
    let Some(text) = text else { return Checked::Wrong("there is no such file".to_owned()) };
    let all: Vec<&str> = text.lines().collect();
    let mut cited = Vec::new();
    for (first, last) in lines {
        match all.get((*first as usize).wrapping_sub(1)..*last as usize) {
            Some(some) => cited.extend_from_slice(some),
            None => return Checked::Wrong(format!("the file has {} lines", all.len())),
        }
    }
    let place = if lines.is_empty() { &all } else { &cited };
    if place.iter().any(|line| line.contains(name)) {
        Checked::Right
    } else {
        let anywhere = all.iter().position(|line| line.contains(name));
        let elsewhere =
            anywhere.map_or("nor elsewhere in the file".to_owned(), |at| format!("but in line {}", at + 1));
        Checked::Wrong(format!("`{name}` does not stand there, {elsewhere}"))
    }
}

fn of_commit(
    repository: &Path,
    revision: &str,
    date: &Option<String>,
    tag: &Option<String>,
) -> Result<Checked> {
    if let Some(date) = date {
        let committed = git(repository, &["show", "-s", "--format=%cs", revision])?.unwrap_or_default();
        if committed.trim() != date {
            return Ok(Checked::Wrong(format!("it is of {}", committed.trim())));
        }
    }
    if let Some(tag) = tag {
        let tags =
            git(repository, &["tag", "--contains", revision, "--sort=version:refname"])?.unwrap_or_default();
        let first = tags.lines().next().unwrap_or("none");
        if first != tag {
            return Ok(Checked::Wrong(format!("the first tag with it is {first}")));
        }
    }
    Ok(Checked::Right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_must_stand_in_the_cited_lines() {
        let text = "one\nfn two()\nthree\n";
        let wrong = |lines: &[(u32, u32)], name| match of_place(Some(text), lines, name) {
            Checked::Wrong(why) => why,
            _ => String::new(),
        };
        assert_eq!(wrong(&[(1, 2)], "two"), "");
        assert_eq!(wrong(&[], "three"), "");
        assert_eq!(wrong(&[(1, 1), (3, 3)], "two"), "`two` does not stand there, but in line 2");
        assert_eq!(wrong(&[(1, 1)], "four"), "`four` does not stand there, nor elsewhere in the file");
        assert_eq!(wrong(&[(2, 9)], "two"), "the file has 3 lines");
        assert!(matches!(of_place(None, &[], "two"), Checked::Wrong(_)));
    }
}
