//! Completions run in their shell, and manual pages are read.

use crate::common::program::text;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Bash's completions for the last of some words.
fn completed(words: &[&str]) -> Option<Vec<String>> {
    let (last, place) = (words.last()?, words.len() - 1);
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "{}\nfunction=$(complete -p rocm-audit | sed 's/.*-F \\([^ ]*\\).*/\\1/')\nCOMP_WORDS=({})\nCOMP_CWORD={place}\n\
         \"$function\" rocm-audit '{last}' '{}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        text(&["generate", "completions", "bash"]),
        quoted.join(" "),
        words[place - 1],
    );
    let bash = Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    // Not every system has bash, but CI does.
    let is_gate = cfg!(unix) && std::env::var_os("CI").is_some();
    assert!(bash.is_ok() || !is_gate, "bash: {bash:?}");
    let mut bash = bash.ok()?;
    bash.stdin.take()?.write_all(script.as_bytes()).ok()?;
    let output = bash.wait_with_output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_commands_options_and_their_values() {
    for (words, wanted) in [
        (&["rocm-audit", "fat"][..], "fatbin"),
        (&["rocm-audit", "--arch", "gfx103"], "gfx1032"),
        (&["rocm-audit", "--gpu", "780"], "780M"),
        (&["rocm-audit", "fatbin", "--leg"], "--legal-on"),
        (&["rocm-audit", "--only", "miopen-f"], "miopen-find-db"),
        (&["rocm-audit", "--fail-on", "uncompressed"], "uncompressed-bundles"),
        (&["rocm-audit", "select", "ge"], "gemm"),
    ] {
        let Some(found) = completed(words) else { return };
        assert!(found.iter().any(|word| word == wanted), "{words:?}: {found:?}");
    }
}

#[test]
fn every_shell_has_completions_and_every_command_a_page() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(text(&["generate", "completions", shell]).contains("legal-on"), "{shell}");
    }
    for words in [&["generate", "man"][..], &["generate", "man", "fatbin"], &["generate", "man", "diff"]] {
        let page = text(words);
        assert!(page.contains(".TH rocm-audit") && page.contains(".SH OPTIONS"), "{page}");
    }
    // There are many possible values, and the page says which command lists them.
    assert!(!text(&["generate", "man"]).contains("W7900"));
}

#[test]
fn a_schema_is_printed_as_the_repository_has_it() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schema");
    let mut seen = 0;
    for line in text(&["generate", "schema"]).lines() {
        let mut words = line.split_whitespace();
        let (name, version) = (words.next().unwrap(), words.next().unwrap());
        let stored = std::fs::read_to_string(format!("{folder}/{name}-{version}.json")).unwrap();
        assert_eq!(text(&["generate", "schema", name]), stored, "{name}");
        assert_eq!(text(&["generate", "schema", &format!("rocm-audit/{name}")]), stored, "{name}");
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}
