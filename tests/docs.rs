//! Runs the console blocks of README and docs, so that they cannot lie.
//!
//! A line of only `⋮` stands for lines that are left out. What the test's tool writes for that, `...`, looks like output.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// A line that stands for lines that are left out, as readers see it and as the tool has it.
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
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        docs.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.push(root.join("README.md"));
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
        let copy = copies.path().join(page.file_name().unwrap());
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
