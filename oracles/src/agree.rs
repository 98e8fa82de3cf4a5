//! `cargo oracle agree PATH... [--damage N] [--seed S]`: what the program claims of real packages by each of
//! its ways, compared, and the same for a number of damaged copies of each folder. No answer about a damaged
//! copy may be better.

use amdgpu_samples::Random;
use anyhow::{Context as _, Result, bail};
use rocm_audit::answers::agreement::Agreement;
use rocm_audit::scan::run::{Options, Silent};
use rocm_audit::tree::Tree;
use std::fs;
use std::path::{Path, PathBuf};

pub fn run(arguments: &[String]) -> Result<()> {
    let (mut paths, mut damaged, mut seed) = (Vec::new(), 0, 1);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|text| text.parse().ok()).context("expected a number");
        match word.as_str() {
            "--damage" => damaged = number()?,
            "--seed" => seed = number()?,
            path => paths.push(PathBuf::from(path)),
        }
    }
    if paths.is_empty() {
        bail!("agree PATH... [--damage N] [--seed S]");
    }
    let mut random = Random::new(seed);
    let (mut compared, mut trees, mut wrong) = (0, 0, Vec::new());
    for path in &paths {
        let before = agreement(path)?;
        compared += before.compared;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        wrong.extend(before.contradictions.iter().map(|what| format!("{name}: {what}")));
        if path.is_dir() {
            for _ in 0..damaged {
                let after = damage(path, &before, &mut random)?;
                compared += after.0;
                trees += 1;
                wrong.extend(after.1.into_iter().map(|what| format!("{name}: {what}")));
            }
        }
        println!("{name}: {} claims, {} compared", before.claims.len(), before.compared);
    }
    println!(
        "{} packages, {trees} damaged copies: {compared} pairs of claims compared, {} wrong",
        paths.len(),
        wrong.len()
    );
    if wrong.is_empty() { Ok(()) } else { bail!("{}", wrong.join("\n")) }
}

fn agreement(path: &Path) -> Result<Agreement> {
    let tree = Tree::read(&[path.to_owned()], &Options::default(), &Silent, None)?;
    Ok(Agreement::compare_claims(tree)?)
}

/// A copy of a folder by hard links in which one file is gone, cut to half or zeroed: how much was compared,
/// and what is wrong.
fn damage(path: &Path, before: &Agreement, random: &mut Random) -> Result<(u64, Vec<String>)> {
    let beside = path.parent().context("a folder with a parent")?;
    let copy = tempfile::Builder::new().prefix(".agree").tempdir_in(beside)?;
    let mut files = Vec::new();
    link(path, copy.path(), &mut files)?;
    let file = random.pick(&files).context("a folder with files")?.clone();
    let shown = file.strip_prefix(copy.path())?.to_string_lossy().into_owned();
    let bytes = fs::read(&file)?;
    // The copy is a link to the same file: it is replaced, not written into.
    fs::remove_file(&file)?;
    let how = ["removed", "cut", "zeroed"];
    let how = how[random.below(how.len())];
    match how {
        "cut" => fs::write(&file, &bytes[..bytes.len() / 2])?,
        "zeroed" => fs::write(&file, vec![0; bytes.len()])?,
        _ => {}
    }
    let after = agreement(copy.path())?;
    let mut wrong: Vec<String> =
        after.contradictions.iter().map(|what| format!("{shown} {how}: {what}")).collect();
    wrong.extend(Agreement::better(before, &after, &shown).map(|what| format!("{how}: {what}")));
    Ok((after.compared, wrong))
}

fn link(from: &Path, to: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    fs::create_dir_all(to)?;
    let mut entries: Vec<_> = fs::read_dir(from)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (kind, own) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            link(&entry.path(), &own, files)?;
        } else if kind.is_file() {
            fs::hard_link(entry.path(), &own)?;
            files.push(own);
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path())?, &own)?;
        }
    }
    Ok(())
}
