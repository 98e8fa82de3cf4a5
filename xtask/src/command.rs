//! Commands of the jobs: run in the project's folder, quiet while they succeed.

use crate::job::{Ended, Wishes};
use anyhow::{Context as _, Result};
use std::io::{Read as _, Seek as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A command line whose words have no spaces, with at most one variable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    cargo: &'static str,
    variable: Option<(&'static str, &'static str)>,
}

impl Line {
    /// `cargo` with these words.
    pub(crate) const fn cargo(words: &'static str) -> Self {
        Line { cargo: words, variable: None }
    }

    /// The same with a variable of the environment.
    pub(crate) const fn with(self, name: &'static str, value: &'static str) -> Self {
        Line { variable: Some((name, value)), ..self }
    }

    fn command(self) -> Command {
        let mut command = cargo();
        command.args(self.cargo.split_whitespace()).envs(self.variable);
        command
    }
}

/// The project's folder.
pub(crate) fn project() -> PathBuf {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    own.parent().map_or(own.clone(), PathBuf::from)
}

/// Where cargo keeps what it fetches.
///
/// # Errors
/// Nothing says where.
pub(crate) fn cargo_home() -> Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    home.context("neither CARGO_HOME nor HOME is set")
}

/// The cargo that runs this program, in the project's folder.
pub(crate) fn cargo() -> Command {
    program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A program, in the project's folder, without input and without what cargo told this program about itself.
pub(crate) fn program(name: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(project()).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR" {
            command.env_remove(name);
        }
    }
    command
}

/// Whether a command answers `--version`.
pub(crate) fn is_here(mut command: Command) -> bool {
    command.arg("--version");
    output(command).is_ok_and(|said| said.success)
}

/// A subcommand of cargo that a job needs, or a program that cargo installs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tool {
    /// As it is called: `cargo deny`, `mdbook`.
    pub(crate) called: &'static str,
    /// What `cargo install` takes: its package, with a version and features if these matter.
    pub(crate) install: &'static str,
}

impl Tool {
    /// The tool with no words behind its name.
    pub(crate) fn command(self) -> Command {
        match self.called.strip_prefix("cargo ") {
            Some(name) => {
                let mut command = cargo();
                command.arg(name);
                command
            }
            None => program(self.called),
        }
    }

    /// Installs the tool if it is missing and that is wished. If it is missing still, how the job ends.
    ///
    /// # Errors
    /// Cargo could not be started.
    pub(crate) fn missing(self, wishes: Wishes) -> Result<Option<Ended>> {
        if is_here(self.command()) {
            return Ok(None);
        }
        if !wishes.install {
            return Ok(Some(Ended::Skipped(format!(
                "{} is not installed (--install does that)",
                self.called
            ))));
        }
        let mut command = cargo();
        command.args(["install", "--quiet", "--locked"]).args(self.install.split_whitespace());
        let output = output(command)?;
        Ok((!output.success).then(|| output.failure()))
    }
}

/// Both outputs of a command in the order in which they were written, and whether it ended with 0.
pub(crate) struct Output {
    pub text: String,
    pub success: bool,
    shown: String,
}

impl Output {
    /// The command with what it printed, as the failure of a job.
    pub(crate) fn failure(&self) -> Ended {
        Ended::Failed(format!("$ {}\n{}", self.shown, self.text))
    }

    /// The same for a command that ended with 0 and still showed nothing, with the reason.
    pub(crate) fn shows_nothing(&self, why: &str) -> Ended {
        Ended::Failed(format!("$ {}\n{}({why})", self.shown, self.text))
    }
}

/// Runs a command to its end.
///
/// # Errors
/// It could not be started.
pub(crate) fn output(mut command: Command) -> Result<Output> {
    let shown = shown(&command);
    // A file takes both streams in order and without bound.
    let mut file = tempfile::tempfile()?;
    command.stdout(file.try_clone()?).stderr(file.try_clone()?);
    let status = command.status().with_context(|| shown.clone())?;
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if !status.success() {
        text += &format!("({status})\n");
    }
    Ok(Output { text, success: status.success(), shown })
}

/// Standard output of a command that has to succeed.
///
/// # Errors
/// It could not be started, or failed.
pub(crate) fn stdout(mut command: Command) -> Result<String> {
    let shown = shown(&command);
    let output = command.output().with_context(|| shown.clone())?;
    anyhow::ensure!(output.status.success(), "$ {shown}\n{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// Runs lines until one fails.
///
/// # Errors
/// One could not be started.
pub(crate) fn all(lines: &[Line]) -> Result<Ended> {
    for line in lines {
        let output = output(line.command())?;
        if !output.success {
            return Ok(output.failure());
        }
    }
    Ok(Ended::Passed(String::new()))
}

/// A command as it is typed: `RUSTDOCFLAGS='-D warnings' cargo doc`.
fn shown(command: &Command) -> String {
    let quoted = |text: &std::ffi::OsStr| {
        let text = text.to_string_lossy();
        if text.contains(' ') { format!("'{text}'") } else { text.into_owned() }
    };
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let mut words: Vec<String> =
        variables.map(|(name, value)| format!("{}={}", name.to_string_lossy(), quoted(value))).collect();
    // The path of cargo says nothing.
    let program = std::path::Path::new(command.get_program());
    words.push(program.file_stem().map_or_else(|| quoted(command.get_program()), quoted));
    words.extend(command.get_args().map(quoted));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_is_typed() {
        let line = Line::cargo("doc --no-deps").with("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(shown(&line.command()), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }

    #[test]
    fn a_failing_command_is_shown_with_its_output() {
        let lines =
            [Line::cargo("--version"), Line::cargo("no-such-verb-of-cargo"), Line::cargo("--version")];
        let Ended::Failed(why) = all(&lines).unwrap() else { panic!("it did not fail") };
        assert!(why.starts_with("$ cargo no-such-verb-of-cargo\n"), "{why}");
        assert!(why.contains("no such command"), "{why}");
        assert!(matches!(all(&lines[..1]).unwrap(), Ended::Passed(_)));
    }
}
