//! What every package brings: the program, its manual pages, completions, licences and two pages to read.
//! Packages put the same files into different folders.

use super::archive::Entry;
use super::dependency::Dependency;
use super::platform::Platform;
use super::product::source;
use crate::command::{program, stdout};
use anyhow::{Context as _, Result};
use std::path::Path;

/// What a file is for, on which its folder depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Program,
    Manual,
    Completion(Shell),
    Licence,
    Document,
}

/// A shell with a folder for completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Shells, their names for `rocm-audit generate completions`, their folders below `usr/share` and the files
/// there.
const SHELLS: &[(Shell, &str, &str, &str)] = &[
    (Shell::Bash, "bash", "bash-completion/completions", "rocm-audit"),
    (Shell::Zsh, "zsh", "zsh/site-functions", "_rocm-audit"),
    (Shell::Fish, "fish", "fish/vendor_completions.d", "rocm-audit.fish"),
];

/// A file of a release.
#[derive(Debug, Clone)]
pub(super) struct Released {
    pub purpose: Purpose,
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Files of the source that go into every package.
const SOURCES: &[(Purpose, &str)] = &[
    (Purpose::Licence, "LICENSE-MIT"),
    (Purpose::Licence, "LICENSE-APACHE"),
    (Purpose::Document, "README.md"),
    (Purpose::Document, "CHANGELOG.md"),
];

/// The licences of everything that is linked into the program.
pub(super) const THIRD_PARTY: &str = "LICENSES-THIRD-PARTY.txt";

/// What a program that runs here says of itself: its manual pages and completions.
///
/// # Errors
/// It cannot be run.
pub(super) fn spoken(runs_here: &Path) -> Result<Vec<Released>> {
    let mut all = Vec::new();
    let said = |words: &[&str]| {
        let mut command = program(runs_here);
        command.args(words).env("COLUMNS", "100");
        stdout(command)
    };
    let mut asked = vec![Vec::<String>::new()];
    while let Some(words) = asked.pop() {
        let words_of: Vec<&str> = words.iter().map(String::as_str).collect();
        // A command of a command is one word for `man`.
        let page = said(&[&["generate", "man"], &words_of[..]].concat())?;
        let name = [&["rocm-audit"], &words_of[..]].concat().join("-");
        all.push(Released { purpose: Purpose::Manual, name: format!("{name}.1"), bytes: page.into_bytes() });
        for inner in commands(&said(&[&words_of[..], &["-h"]].concat())?) {
            asked.push([&words[..], &[inner]].concat());
        }
    }
    for (shell, word, _, name) in SHELLS {
        let text = said(&["generate", "completions", word])?;
        all.push(Released {
            purpose: Purpose::Completion(*shell),
            name: (*name).to_owned(),
            bytes: text.into_bytes(),
        });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

/// The names of commands in a help text.
fn commands(help: &str) -> Vec<String> {
    let Some((_, behind)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let list = behind.split("\n\n").next().unwrap_or_default();
    // A line that goes on is indented further.
    let name = |line: &str| line.strip_prefix("  ")?.split(' ').next().map(str::to_owned);
    list.lines().filter_map(name).filter(|name| !name.is_empty() && name != "help").collect()
}

/// All files for a platform: the program, what it says of itself, and what lies in the source.
///
/// # Errors
/// A file cannot be read.
pub(super) fn contents(
    platform: &Platform,
    built: &Path,
    spoken: &[Released],
    dependencies: &[Dependency],
) -> Result<Vec<Released>> {
    let bytes = std::fs::read(built).with_context(|| built.display().to_string())?;
    let mut all = vec![Released { purpose: Purpose::Program, name: platform.program().to_owned(), bytes }];
    for (purpose, name) in SOURCES {
        all.push(Released { purpose: *purpose, name: (*name).to_owned(), bytes: source(name)? });
    }
    let bytes = super::licences::text(dependencies)?.into_bytes();
    all.push(Released { purpose: Purpose::Licence, name: THIRD_PARTY.to_owned(), bytes });
    all.extend_from_slice(spoken);
    Ok(all)
}

impl Released {
    fn mode(&self) -> u32 {
        if self.purpose == Purpose::Program { 0o755 } else { 0o644 }
    }

    /// As it is installed on a system of files as Linux has them: `usr/bin/rocm-audit`.
    ///
    /// # Errors
    /// None that memory can have.
    pub fn installed(&self) -> Result<Entry> {
        let folder = match self.purpose {
            Purpose::Program => "bin".to_owned(),
            Purpose::Manual => "share/man/man1".to_owned(),
            Purpose::Licence | Purpose::Document => "share/doc/rocm-audit".to_owned(),
            Purpose::Completion(shell) => {
                let row = SHELLS.iter().find(|(own, ..)| *own == shell).context("a shell without a row")?;
                format!("share/{}", row.2)
            }
        };
        // Both systems of packages want pages compressed.
        let (name, bytes) = match self.purpose {
            Purpose::Manual => (format!("{}.gz", self.name), super::archive::gzip(&self.bytes)?),
            _ => (self.name.clone(), self.bytes.clone()),
        };
        Ok(Entry::file(format!("usr/{folder}/{name}"), self.mode(), bytes))
    }

    /// As it lies in an archive to unpack anywhere, below `folder`.
    pub fn unpacked(&self, folder: &str) -> Entry {
        let inner = match self.purpose {
            Purpose::Program | Purpose::Licence | Purpose::Document => "",
            Purpose::Manual => "man/",
            Purpose::Completion(_) => "completions/",
        };
        Entry::file(format!("{folder}/{inner}{}", self.name), self.mode(), self.bytes.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_those_of_the_help() {
        let help = "Says.\n\nUsage: x\n\nCommands:\n  audit   Report\n          what is\n  list    List\n  help    Print\n\nOptions:\n  -h\n";
        assert_eq!(commands(help), ["audit", "list"]);
        assert_eq!(commands("Usage: x\n"), [""; 0]);
    }

    #[test]
    fn every_file_has_its_folder() {
        let of = |purpose, name: &str| {
            let file = Released { purpose, name: name.to_owned(), bytes: Vec::new() };
            (file.installed().unwrap().path, file.unpacked("x").path)
        };
        assert_eq!(of(Purpose::Program, "rocm-audit"), ("usr/bin/rocm-audit".into(), "x/rocm-audit".into()));
        assert_eq!(of(Purpose::Manual, "a.1"), ("usr/share/man/man1/a.1.gz".into(), "x/man/a.1".into()));
        assert_eq!(
            of(Purpose::Completion(Shell::Zsh), "_a"),
            ("usr/share/zsh/site-functions/_a".into(), "x/completions/_a".into())
        );
    }
}
