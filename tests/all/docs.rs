//! Runs the console blocks in README and docs, so that they stay true.
//!
//! A line with only `⋮` stands for omitted lines. The test tool's own marker, `...`, looks like output.

use crate::common::program::text;
use std::fs;
use std::path::{Path, PathBuf};

/// The marker for omitted lines: for readers, and for the tool.
const LEFT_OUT: (&str, &str) = ("⋮", "...");

/// A page with every line `from` replaced.
fn replaced(page: &str, from: &str, to: &str) -> String {
    page.lines()
        .map(|line| if line == from { to } else { line })
        .fold(String::new(), |all, line| all + line + "\n")
}

/// README and all pages.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["docs", "docs/commands", "docs/studies"]
        .into_iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()));
    let mut pages: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.push(root.join("README.md"));
    pages.push(root.join("skills/rocm-audit/SKILL.md"));
    pages
}

#[test]
fn console_blocks_print_what_they_show() {
    let copies = tempfile::tempdir().unwrap();
    let cases = trycmd::TestCases::new();
    cases.env("NO_COLOR", "1").env("COLUMNS", "100").env("ROCM_PATH", "");
    let mut copied = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        assert!(
            !text.lines().any(|line| line == LEFT_OUT.1),
            "{}: write ⋮ for lines left out",
            page.display()
        );
        assert!(!text.contains("[..]"), "{}: shows a wildcard", page.display());
        // Pages in two folders can have the same name.
        let named = page
            .strip_prefix(env!("CARGO_MANIFEST_DIR"))
            .unwrap_or(&page)
            .to_string_lossy()
            .replace('/', "-");
        let copy = copies.path().join(named);
        fs::write(&copy, replaced(&text, LEFT_OUT.0, LEFT_OUT.1)).unwrap();
        cases.case(&copy);
        copied.push((page, copy));
    }
    cases.run();
    // With TRYCMD=overwrite the tool has corrected the copies.
    if std::env::var_os("TRYCMD").is_some_and(|how| how == "overwrite") {
        for (page, copy) in copied {
            let text = replaced(&fs::read_to_string(copy).unwrap(), LEFT_OUT.1, LEFT_OUT.0);
            fs::write(page, text).unwrap();
        }
    }
}

/// The commands listed by `--help`.
fn commands() -> Vec<String> {
    let help = text(&["-h"]);
    let (_, behind) = help.split_once("Commands:\n").unwrap();
    let (list, _) = behind.split_once("\n\n").unwrap();
    // A continuation line is indented further.
    let first = |line: &str| line.strip_prefix("  ")?.split(' ').next().map(str::to_owned);
    list.lines().filter_map(first).filter(|name| !name.is_empty() && name != "help").collect()
}

#[test]
fn every_command_has_a_page_with_a_screen_and_its_options() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let index = fs::read_to_string(root.join("README.md")).unwrap();
    let commands = commands();
    assert!(commands.len() > 10, "{commands:?}");
    for name in &commands {
        let page = fs::read_to_string(root.join(format!("commands/{name}.md"))).unwrap_or_default();
        assert!(page.starts_with(&format!("# {name}: ")), "docs/commands/{name}.md: no page of it");
        assert!(
            page.contains(&format!("$ rocm-audit {name} --help\n")),
            "docs/commands/{name}.md: no options"
        );
        let screens = page.matches("\n$ rocm-audit ").count();
        // Their output is meant for shells, man and agents.
        let is_text = ["generate", "mcp"].contains(&name.as_str());
        assert!(is_text || screens > 1, "docs/commands/{name}.md: no screen");
        assert!(index.contains(&format!("(commands/{name}.md)")), "docs/README.md does not lead to {name}");
    }
    let pages = fs::read_dir(root.join("commands")).unwrap();
    for page in pages {
        let name = page.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        assert!(commands.contains(&name), "docs/commands/{name}.md: there is no such command");
    }
}

/// Whether a schema has a field, given as names joined with dots; searches lists too.
fn has_field(whole: &serde_json::Value, at: &serde_json::Value, path: &str) -> bool {
    if let Some(name) = at["$ref"].as_str() {
        return has_field(whole, whole.pointer(name.trim_start_matches('#')).unwrap(), path);
    }
    if path.is_empty() {
        return true;
    }
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let inner = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| at[key].as_array()).flatten();
    at["properties"].get(first).is_some_and(|field| has_field(whole, field, rest))
        || at.get("items").is_some_and(|items| has_field(whole, items, path))
        || inner.into_iter().any(|one| has_field(whole, one, path))
}

#[test]
fn questions_have_a_document_with_the_field_that_answers_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rows = |file: &str| -> Vec<String> {
        let page = fs::read_to_string(root.join(file)).unwrap();
        page.lines()
            .filter(|line| line.starts_with("| ") && line.contains("| `rocm-audit "))
            .map(str::to_owned)
            .collect()
    };
    let all = rows("docs/agents.md");
    assert_eq!(all, rows("skills/rocm-audit/SKILL.md"));
    assert_eq!(all, rows("llms.txt"));
    let commands = commands();
    for row in &all {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let words: Vec<&str> = cells[1].trim_matches('`').split(' ').collect();
        let is_command = commands.iter().any(|command| command == words[1]);
        assert!(is_command || words[1].starts_with("--gpu") || words[1] == "PATH", "{row}");
        let document = cells[2].trim_matches('`');
        let is_it = |name: &str| {
            name.strip_prefix(document)
                .is_some_and(|rest| rest.starts_with("-") && rest.as_bytes()[1].is_ascii_digit())
        };
        let files = fs::read_dir(root.join("docs/schema")).unwrap().map(|entry| entry.unwrap().path());
        let file = files.into_iter().find(|path| is_it(&path.file_name().unwrap().to_string_lossy()));
        let text = fs::read_to_string(file.unwrap_or_else(|| panic!("no schema of {document}"))).unwrap();
        let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
        for field in cells[3].split(", ").map(|field| field.trim_matches('`')) {
            assert!(has_field(&schema, &schema, field), "{document} has no {field}");
        }
    }
    // It must contain every command that answers a question; other commands concern the program itself or
    // write files.
    for command in commands
        .iter()
        .filter(|name| !["audit", "generate", "list", "mcp", "tables"].contains(&name.as_str()))
    {
        assert!(
            all.iter().any(|row| row.contains(&format!("`rocm-audit {command} "))),
            "{command} answers no question"
        );
    }
}

/// Links of `llms.txt` lead to files, and it begins as its format asks: a title, and a summary in a quotation.
#[test]
fn the_page_for_agents_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("llms.txt")).unwrap();
    assert!(text.starts_with("# rocm-audit\n\n> "));
    let links: Vec<&str> =
        text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(to, _)| to).collect();
    assert!(links.len() > 8, "{links:?}");
    for link in links {
        assert!(root.join(link).exists(), "{link}");
    }
}

#[test]
fn the_skill_is_as_agents_read_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("skills/rocm-audit/SKILL.md")).unwrap();
    let (head, _) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap();
    let head: serde_json::Value = serde_yaml::from_str(head).unwrap();
    // The format requires the folder's name, and a description with at most 1,024 characters.
    assert_eq!(head["name"], "rocm-audit");
    assert!((1..=1024).contains(&head["description"].as_str().unwrap().chars().count()));
}
