//! Files that repeat the table of jobs or point to each other, compared with what they repeat.

use super::JOBS;
use crate::command::project;
use std::collections::BTreeSet;

fn read(path: &str) -> String {
    std::fs::read_to_string(project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn names() -> BTreeSet<String> {
    JOBS.iter().map(|job| job.name.to_owned()).collect()
}

#[test]
fn the_hosted_workflow_has_the_jobs_of_the_table() {
    let workflow: serde_yaml::Value = serde_yaml::from_str(&read(".github/workflows/ci.yml")).unwrap();
    let jobs = workflow["jobs"].as_mapping().unwrap();
    let hosted: BTreeSet<String> = jobs.keys().map(|name| name.as_str().unwrap().to_owned()).collect();
    assert_eq!(hosted, names());
    for (name, job) in jobs {
        // A job that cannot be run there has to fail.
        let name = name.as_str().unwrap();
        let wanted = [format!("cargo ci --no-skip {name}"), format!("cargo ci --no-skip --install {name}")];
        let runs: Vec<&str> =
            job["steps"].as_sequence().unwrap().iter().filter_map(|step| step["run"].as_str()).collect();
        assert!(runs.iter().any(|run| wanted.iter().any(|wanted| wanted == run)), "{name}: {runs:?}");
    }
}

#[test]
fn the_workflow_may_only_read_and_pins_its_actions() {
    let text = read(".github/workflows/ci.yml");
    let workflow: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
    let permissions = workflow["permissions"].as_mapping().unwrap();
    assert_eq!(permissions.len(), 1);
    assert_eq!(workflow["permissions"]["contents"].as_str(), Some("read"));
    assert!(!text.contains("secrets."));
    for line in text.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: ")) {
        let (_, version) = line.split_once('@').unwrap_or_else(|| panic!("{line} has no version"));
        let major = version.strip_prefix('v').is_some_and(|number| number.parse::<u32>().is_ok());
        assert!(major || version.len() == 40, "{line}");
    }
}

#[test]
fn the_documentation_lists_the_jobs() {
    let page = read("docs/contributing.md");
    let (_, section) = page.split_once("\n## The gate\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    let wanted: Vec<String> = JOBS.iter().map(|job| format!("| `{}` | {} |", job.name, job.shows)).collect();
    assert_eq!(rows, wanted);
}

/// A place that the owner fills is marked in its file with this and the name of its field.
const MARK: &str = "OWNER:";

#[test]
fn every_place_for_the_owner_is_listed_and_marked() {
    let page = read("docs/owner.md");
    let mut listed = BTreeSet::new();
    for row in page.lines().filter_map(|line| line.strip_prefix("| `")) {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let (field, file) = (cells[0], cells[1]);
        assert!(read(file).contains(&format!("{MARK} {field}")), "{file} has no place `{MARK} {field}`");
        assert!(listed.insert((file.to_owned(), field.to_owned())), "{file}, {field}: listed twice");
    }
    assert!(!listed.is_empty());
    // Marks that are not listed. Files of the root and of the folders that people write.
    let mut files = files_below(".github");
    files.extend(files_below("docs"));
    files.extend(files_of("."));
    for entry in std::fs::read_dir(project().join("crates")).into_iter().flatten().map(Result::unwrap) {
        files.extend(files_of(&format!("crates/{}", entry.file_name().into_string().unwrap())));
    }
    for file in files.iter().filter(|file| *file != "docs/owner.md") {
        let Ok(text) = std::fs::read_to_string(project().join(file)) else { continue };
        for (_, field) in text.lines().filter_map(|line| line.split_once(&format!("{MARK} "))) {
            let field = field.split(['.', ',', ' ', '"']).next().unwrap();
            assert!(
                listed.contains(&(file.clone(), field.to_owned())),
                "docs/owner.md lacks {field} of {file}"
            );
        }
    }
}

/// Files in a folder, as paths from the project's folder.
fn files_of(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(project().join(folder)).unwrap().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let path = |name: String| if folder == "." { name } else { format!("{folder}/{name}") };
    files.map(|entry| path(entry.file_name().into_string().unwrap())).collect()
}

/// Files in a folder and below.
fn files_below(folder: &str) -> Vec<String> {
    let mut files = files_of(folder);
    for entry in std::fs::read_dir(project().join(folder)).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            files.extend(files_below(&format!("{folder}/{}", entry.file_name().into_string().unwrap())));
        }
    }
    files
}
