//! The job `readme`: the commands that the README begins with.

use crate::command::{cargo, output, project};
use crate::job::Ended;
use anyhow::{Context as _, Result, ensure};

/// The command that the job `test` runs already, on more than its own crate.
const TESTS: &str = "cargo test";

pub(super) fn run() -> Result<Ended> {
    let page = std::fs::read_to_string(project().join("README.md"))?;
    let commands = commands(&page)?;
    let mut ran = Vec::new();
    for words in commands.iter().filter(|words| *words != TESTS) {
        let mut command = cargo();
        command.args(words.split_whitespace().skip(1));
        let output = output(command)?;
        if !output.success {
            return Ok(output.failure());
        }
        if output.text.trim().is_empty() {
            return Ok(output.shows_nothing("it printed nothing"));
        }
        ran.push(words.as_str());
    }
    Ok(Ended::Passed(ran.join(", ")))
}

/// The commands of the first shell block, without their comments.
fn commands(page: &str) -> Result<Vec<String>> {
    let block = page.split_once("```sh\n").and_then(|(_, rest)| rest.split_once("```"));
    let (block, _) = block.context("README.md has no shell block")?;
    let commands: Vec<String> =
        block.lines().map(|line| line.split('#').next().unwrap_or_default().trim().to_owned()).collect();
    ensure!(
        commands.len() > 1 && commands.iter().all(|line| line.starts_with("cargo ")),
        "README.md begins with other commands than cargo's: {commands:?}"
    );
    ensure!(commands.iter().any(|line| line == TESTS), "README.md does not begin with `{TESTS}`");
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_those_of_the_first_block() {
        let page = "# Name\n\n```sh\ncargo run -- a   # what it does\ncargo test\n```\n\n```sh\nother\n```\n";
        assert_eq!(commands(page).unwrap(), ["cargo run -- a", "cargo test"]);
        assert!(commands("# Name\n").is_err());
        assert!(commands("```sh\ncargo test\nrm x\n```").is_err());
    }

    #[test]
    fn the_readme_has_a_first_command() {
        let page = std::fs::read_to_string(project().join("README.md")).unwrap();
        assert!(commands(&page).unwrap().iter().any(|line| line.contains(" fixtures/")));
    }
}
