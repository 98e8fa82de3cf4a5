//! `cargo xtask packages FOLDER`: audits public packages and stores what came of it in docs/packages, one
//! small file each. The site's front page, docs/packages.md and the table that the program has of them are made
//! from these files; the packages themselves are not needed again.

use super::stored::{SETS, folder, slug, stored};
use super::{short, table};
use crate::command::{program, project, stdout};
use anyhow::{Context as _, Result, bail, ensure};
use rocm_audit::target::PROCESSORS;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Fields of a library's verdict that pages show.
const SHOWN: [&str; 5] = ["library", "answer", "reason", "then", "evidence"];

/// Audits every set below a folder, writes docs/packages and what is made from it.
///
/// # Errors
/// A package is not there or has no digest; the program failed.
pub fn run(arguments: &[String]) -> Result<()> {
    let (below, audit) = match arguments {
        [flag] if flag == "--check" => {
            for (path, text) in made()? {
                ensure!(
                    std::fs::read_to_string(project().join(path))? == text,
                    "{path} is not what docs/packages says: run `cargo xtask packages --page`"
                );
            }
            return Ok(());
        }
        [flag] if flag == "--page" => return write_made(),
        [below] => (below, std::env::current_exe()?.with_file_name("rocm-audit")),
        [below, flag, file] if flag == "--program" => (below, PathBuf::from(file)),
        _ => bail!("packages FOLDER [--program FILE] | --page | --check"),
    };
    let below = Path::new(below);
    let digests =
        std::fs::read_to_string(below.join("SHA256")).context("FOLDER/SHA256, as sha256sum writes it")?;
    std::fs::create_dir_all(folder())?;
    for (title, about, packages) in SETS {
        let document = audited(&audit, below, &digests, title, about, packages)?;
        std::fs::write(folder().join(format!("{}.json", slug(title))), document)?;
        println!("{title}");
    }
    write_made()
}

/// The files that are made from docs/packages: the page, and the table that the program has.
fn made() -> Result<[(&'static str, String); 2]> {
    Ok([("docs/packages.md", table::page()?), ("src/diagnosis/packages.tsv", short::table(&stored()?)?)])
}

fn write_made() -> Result<()> {
    made()?.iter().try_for_each(|(path, text)| Ok(std::fs::write(project().join(path), text)?))
}

/// The stored document of a set: one line for each group of processors with the same answer.
fn audited(
    audit: &Path,
    below: &Path,
    digests: &str,
    title: &str,
    about: &str,
    packages: &[(&str, &str)],
) -> Result<String> {
    let mut files = Vec::new();
    let mut command = program(std::path::absolute(audit)?);
    let names: Vec<&str> =
        PROCESSORS.iter().map(|one| one.name()).filter(|name| !name.contains("generic")).collect();
    command.args(["--no-progress", "-f", "json", "--allow-incomplete", "--arch", &names.join(",")]);
    for (beginning, place) in packages {
        let row = digests.lines().find_map(|line| {
            let (digest, path) = line.split_once("  ")?;
            let name = path.rsplit('/').next()?;
            name.starts_with(beginning).then_some((digest, name))
        });
        let (digest, name) = row.with_context(|| format!("SHA256 has no {beginning}*"))?;
        files.push(json!({ "name": name, "sha256": digest }));
        let place = below.join(place);
        ensure!(place.exists(), "{}: not there", place.display());
        command.arg(place);
    }
    let report: Value = serde_json::from_str(&stdout(command)?)?;
    let mut date = program("date");
    date.args(["-u", "+%Y-%m-%d"]);
    let mut text = String::from("{\n");
    let head = json!({
        "title": title, "about": about, "files": files,
        "read": stdout(date)?.trim(), "tool": report["tool"], "schema_version": report["schema_version"],
        "complete": report["complete"],
    });
    for (key, value) in head.as_object().into_iter().flatten() {
        text += &format!("  {}: {value},\n", json!(key));
    }
    text += "  \"answers\": [\n";
    let answers = grouped(report["verdicts"].as_array().context("the report has no verdicts")?);
    // An answer without a library has no reason that a page could give.
    ensure!(
        answers.iter().all(|answer| answer["libraries"] != json!([])),
        "{title}: answers without a library"
    );
    let lines: Vec<String> = answers.iter().map(|answer| format!("    {answer}")).collect();
    Ok(text + &lines.join(",\n") + "\n  ]\n}\n")
}

/// Verdicts without what pages do not show, those that say the same as one.
fn grouped(verdicts: &[Value]) -> Vec<Value> {
    let mut all: Vec<(Value, Vec<Value>)> = Vec::new();
    for verdict in verdicts {
        let libraries = |key: &str| -> Vec<Value> {
            let short = |library: &Value| {
                let fields = SHOWN.iter().filter(|field| !library[**field].is_null());
                Value::Object(fields.map(|field| ((*field).to_owned(), library[*field].clone())).collect())
            };
            verdict[key].as_array().into_iter().flatten().map(short).collect()
        };
        let mut said = Map::new();
        said.insert("answer".into(), verdict["answer"].clone());
        said.insert("libraries".into(), libraries("libraries").into());
        // The first override is the one that `with_override` is about.
        let first = verdict["overrides"].get(0).filter(|first| first["is_legal"] == true);
        if let Some(first) = first {
            said.insert(
                "override".into(),
                json!({ "value": first["value"], "processor": first["processor"] }),
            );
            said.insert("with_override".into(), libraries("with_override").into());
        }
        let said = Value::Object(said);
        match all.iter_mut().find(|(other, _)| *other == said) {
            Some((_, processors)) => processors.push(verdict["processor"].clone()),
            None => all.push((said, vec![verdict["processor"].clone()])),
        }
    }
    let line = |(said, processors): (Value, Vec<Value>)| {
        let mut line = Map::new();
        line.insert("processors".into(), processors.into());
        line.extend(said.as_object().cloned().unwrap_or_default());
        Value::Object(line)
    };
    all.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_say_the_same_are_one() {
        let verdict = |name: &str, answer: &str| {
            json!({ "processor": name, "answer": answer, "products": [name], "here": [],
                "libraries": [{ "library": "x", "answer": answer, "then": null, "place": null }],
                "overrides": [], "with_override": [] })
        };
        let all = grouped(&[verdict("gfx1", "runs"), verdict("gfx2", "not"), verdict("gfx3", "runs")]);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0]["processors"], json!(["gfx1", "gfx3"]));
        assert_eq!(all[0]["libraries"], json!([{ "library": "x", "answer": "runs" }]));
    }

    #[test]
    fn stored_files_are_those_of_the_table_small_and_the_page_is_theirs() {
        run(&["--check".to_owned()]).unwrap();
        for (name, document) in stored().unwrap() {
            let bytes = std::fs::metadata(folder().join(format!("{name}.json"))).unwrap().len();
            assert!(bytes < 40_000, "{name}: {bytes}");
            for file in document["files"].as_array().unwrap() {
                assert_eq!(file["sha256"].as_str().unwrap().len(), 64, "{name}");
            }
        }
        let files = std::fs::read_dir(folder()).unwrap().count();
        assert_eq!(files, SETS.len());
    }
}
