//! `cargo xtask site`: a book of docs, with pages that are made from tables: targets, GPUs, rules, packages.
//! The order of chapters is that of the links in docs/README.md.

mod links;
mod notebooks;
pub(crate) mod packages;
mod short;
mod stored;
mod table;
mod targets;

use crate::command::{Tool, cargo, is_here, project, stdout};
use crate::job::{Ended, Wishes};
use anyhow::{Context as _, Result, bail, ensure};
use regex::{Captures, Regex};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The program that makes the book, pinned.
const MDBOOK: Tool =
    Tool { called: "mdbook", install: "mdbook --version 0.5.4 --no-default-features --features search" };

/// What stands on the front page before the table.
const FRONT: &str = "\
# Does it run on my card?

`rocm-audit` reads an AMD ROCm install, wheel, package or library **from its bytes alone** and answers: what can this stack run on my
GPU, through which kernels, catalogs and databases, and if not, why? No GPU, no driver and no ROCm is needed, and nothing is
executed. [Install it in one line](install.md).

This is what it says of some public packages; [each answer with its reasons, digests and dates](packages.md).

";

/// Makes the book in a folder, `target/site` where none is named, and checks its links.
///
/// # Errors
/// mdbook is missing or fails; a page stands in no list; a link leads nowhere.
pub fn run(arguments: &[String]) -> Result<()> {
    let out = match arguments {
        [] => default_folder()?,
        [out] if !out.starts_with('-') => std::path::absolute(out)?,
        _ => bail!("site [OUT]"),
    };
    ensure!(is_here(MDBOOK.command()), "mdbook is not here: cargo install --locked {}", MDBOOK.install);
    let said = built(&out)?;
    println!("{said}\n{}", out.join("book/index.html").display());
    Ok(())
}

/// The job `site`.
pub(crate) fn job(wishes: Wishes) -> Result<Ended> {
    if let Some(ended) = MDBOOK.missing(wishes)? {
        // What needs no tool is looked at all the same.
        packages::run(&["--check".to_owned()])?;
        write_sources(&default_folder()?)?;
        return Ok(ended);
    }
    built(&default_folder()?).map(Ended::Passed)
}

fn default_folder() -> Result<PathBuf> {
    Ok(crate::workspace::target_folder(&crate::workspace::metadata(None)?)?.join("site"))
}

/// Makes all, and says how much there is.
fn built(out: &Path) -> Result<String> {
    packages::run(&["--check".to_owned()])?;
    let pages = write_sources(out)?;
    let mut command = MDBOOK.command();
    command.arg("build").arg(out);
    stdout(command)?;
    let book = out.join("book");
    // The library's own pages stand beside the book, as docs.rs has them.
    let mut command = cargo();
    command.args(["doc", "--quiet", "--no-deps", "--lib", "--package", "rocm-audit"]);
    command.args(["--package", "amdgpu-object", "--package", "amdgpu-kernel", "--package", "amdgpu-isa"]);
    command.args(["--package", "amdgpu-samples"]);
    stdout(command)?;
    let documented = crate::workspace::target_folder(&crate::workspace::metadata(None)?)?.join("doc");
    copy(&documented, &book.join("api"))?;
    let links = links::check(&book)?;
    Ok(format!("{pages} pages, {links} links lead somewhere"))
}

/// Writes what mdbook reads, and gives the number of pages.
fn write_sources(out: &Path) -> Result<usize> {
    if out.exists() {
        std::fs::remove_dir_all(out).with_context(|| out.display().to_string())?;
    }
    let src = out.join("src");
    let docs = project().join("docs");
    copy(&docs, &src)?;
    std::fs::rename(src.join("book.toml"), out.join("book.toml"))?;
    std::fs::rename(src.join("site.css"), out.join("site.css"))?;
    let readme = std::fs::read_to_string(docs.join("README.md"))?;
    std::fs::remove_file(src.join("README.md"))?;
    let (_, rest) = readme.split_once("\n\n").context("docs/README.md has no title")?;
    std::fs::write(src.join("index.md"), format!("{FRONT}{}\n{rest}", table::table("packages.md#")?))?;
    std::fs::write(src.join("schema.md"), schemas(&docs)?)?;
    std::fs::write(src.join("api.md"), API)?;
    targets::write(&src)?;
    notebooks::write(&src.join("notebooks"))?;
    let summary = summary(&readme, &src)?;
    std::fs::write(src.join("SUMMARY.md"), &summary)?;
    rewrite(&src)?;
    Ok(summary.lines().filter(|line| line.contains("](")).count())
}

/// What leads to the pages of the library.
const API: &str = "\
# The library

Everything that a command answers is in the library, and four smaller crates are for readers of single files:

- [rocm_audit](api/rocm_audit/index.html): trees, packages, verdicts, choices of libraries
- [amdgpu_object](api/amdgpu_object/index.html): bundles, code objects, kernels
- [amdgpu_kernel](api/amdgpu_kernel/index.html): inside of kernels
- [amdgpu_isa](api/amdgpu_isa/index.html): instructions
- [amdgpu_samples](api/amdgpu_samples/index.html): files to test readers with
";

/// A list of the schemas.
fn schemas(docs: &Path) -> Result<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(docs.join("schema"))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut text = String::from(
        "# JSON Schema of every document\n\n`rocm-audit generate schema NAME` prints the same.\n\n",
    );
    names.iter().for_each(|name| text += &format!("- [{}](schema/{name})\n", name.trim_end_matches(".json")));
    Ok(text)
}

/// The chapters: pages in the order in which docs/README.md leads to them first, rules and targets below
/// their lists.
fn summary(readme: &str, src: &Path) -> Result<String> {
    let mut text = String::from("# Summary\n\n[Does it run on my card?](index.md)\n");
    let mut seen: BTreeSet<String> = ["index.md", "SUMMARY.md"].map(str::to_owned).into();
    let mut add = |text: &mut String, path: &str, depth: usize| -> Result<()> {
        let page = std::fs::read_to_string(src.join(path))
            .with_context(|| format!("docs/README.md leads to {path}"))?;
        if seen.insert(path.to_owned()) {
            let title = page
                .lines()
                .find_map(|line| line.strip_prefix("# "))
                .with_context(|| format!("{path}: no title"))?;
            *text += &format!("{}- [{title}]({path})\n", "    ".repeat(depth));
        }
        Ok(())
    };
    for part in readme.split("\n## ") {
        let title = part.lines().next().unwrap_or_default();
        if !part.starts_with("# ") {
            text += &format!("\n# {title}\n\n");
        }
        // Pages that are only in the book follow those that they belong to.
        let with = |path: String| match path.as_str() {
            "packages.md" => vec![path, "targets.md".to_owned()],
            "schema.md" => vec![path, "api.md".to_owned()],
            _ => vec![path],
        };
        // Commands have a part of their own.
        let here =
            pages_of(part).into_iter().filter(|path| title == "Commands" || !path.starts_with("commands/"));
        for path in here.flat_map(with) {
            add(&mut text, &path, 0)?;
            let below = match path.as_str() {
                "rules.md" => "rules",
                "targets.md" => "targets",
                _ => continue,
            };
            let mut inner: Vec<String> = Vec::new();
            for entry in std::fs::read_dir(src.join(below))? {
                inner.push(format!("{below}/{}", entry?.file_name().to_string_lossy()));
            }
            inner.sort_by_key(|path| (rank(path), path.clone()));
            inner.iter().try_for_each(|path| add(&mut text, path, 1))?;
        }
    }
    let mut all = Vec::new();
    markdown(src, src, &mut all)?;
    let left: Vec<&String> = all.iter().filter(|path| !seen.contains(*path)).collect();
    ensure!(left.is_empty(), "docs/README.md does not lead to {left:?}");
    Ok(text)
}

/// The place of a processor's page in the table of processors, 0 for others.
fn rank(path: &str) -> usize {
    let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
    rocm_audit::target::PROCESSORS.iter().position(|one| one.name() == name).unwrap_or_default()
}

/// Pages that a text links to, in its order.
fn pages_of(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let pages = targets.filter_map(|target| {
        let path = target.split('#').next()?;
        match path.rsplit_once('.') {
            None if path == "schema" => Some("schema.md".to_owned()),
            Some((stem, "ipynb")) => Some(format!("{stem}.md")),
            Some((_, "md")) => Some(path.to_owned()),
            _ => None,
        }
    });
    pages.collect()
}

/// Every page below a folder, by its path.
fn markdown(folder: &Path, root: &Path, all: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            markdown(&path, root, all)?;
        } else if path.extension().is_some_and(|end| end == "md") {
            all.push(path.strip_prefix(root)?.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}

/// Leads to what has another name in the book: the start, the folder of schemas, and notebooks, whose own
/// pages lead to the files.
fn rewrite(src: &Path) -> Result<()> {
    let mut all = Vec::new();
    markdown(src, src, &mut all)?;
    for path in all {
        let file = src.join(&path);
        let text = std::fs::read_to_string(&file)?;
        let own = path.starts_with("notebooks/");
        let new = if own { text.clone() } else { text.replace(".ipynb)", ".md)") };
        let new = new
            .replace("](schema)", "](schema.md)")
            .replace("](../schema)", "](../schema.md)")
            .replace("](README.md", "](index.md")
            .replace("](../README.md", "](../index.md");
        let new = titled(&new, file.parent().unwrap_or(src))?;
        if new != text {
            std::fs::write(&file, new)?;
        }
    }
    Ok(())
}

/// Links that are called by the name of a file, called by the title of its page.
fn titled(text: &str, folder: &Path) -> Result<String> {
    let link = Regex::new(r"\[[\w./-]+\.(?:md|ipynb)\]\(([^)#:]+\.md)(#[^)]*)?\)")?;
    let title = |path: &str| -> Option<String> {
        let page = std::fs::read_to_string(folder.join(path)).ok()?;
        page.lines().find_map(|line| line.strip_prefix("# ")).map(str::to_owned)
    };
    let new = link.replace_all(text, |found: &Captures<'_>| match title(&found[1]) {
        Some(title) => format!("[{title}]({}{})", &found[1], found.get(2).map_or("", |place| place.as_str())),
        None => found[0].to_owned(),
    });
    Ok(new.into_owned())
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            std::fs::copy(entry.path(), &to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_those_that_links_lead_to() {
        let text = "[a](card.md#x) and [b](https://example.org/x) | [`c`](commands/audit.md) [s](schema) [n](n/a.ipynb)";
        assert_eq!(pages_of(text), ["card.md", "commands/audit.md", "schema.md", "n/a.md"]);
    }

    #[test]
    fn links_have_the_title_of_their_page() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("card.md"), "# Why?\n\ntext").unwrap();
        let text =
            titled("see [card.md](card.md#x), [a card](card.md), [no.md](no.md)", folder.path()).unwrap();
        assert_eq!(text, "see [Why?](card.md#x), [a card](card.md), [no.md](no.md)");
    }

    #[test]
    fn every_page_has_its_place_in_the_book() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        let pages = write_sources(&out).unwrap();
        assert!(pages > 200, "{pages}");
        let summary = std::fs::read_to_string(out.join("src/SUMMARY.md")).unwrap();
        let at = |what: &str| summary.find(what).unwrap_or_else(|| panic!("no {what}"));
        assert!(at("](card.md)") < at("](commands/audit.md)"));
        assert!(at("](targets.md)") < at("    - [gfx900") && at("    - [gfx900") < at("    - [gfx1201"));
    }
}
