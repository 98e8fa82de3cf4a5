//! Full reports a page at a time, as git shows them: on a terminal, by the pager that the user has.
//!
//! The pager is started before the program takes rights from itself, and has those of its caller. It is the
//! only other program that is ever started.

use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;

/// The default pager, set to end at once if all fits on the screen, to keep colours, and to leave the text
/// there.
const USUAL: &str = "less";
const LESS: &str = "FRX";

/// A pager that runs.
#[derive(Debug)]
pub(super) struct Pager {
    child: Child,
    input: Option<Arc<ChildStdin>>,
}

impl Pager {
    /// Starts the pager of the environment: `ROCM_AUDIT_PAGER`, else `PAGER`, else less. There is none where
    /// the variable is empty or `cat`, where the program is not there, in CI, and on terminals that cannot
    /// move the cursor.
    pub fn start() -> Option<Pager> {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        if set("CI").is_some() || set("TERM").is_none_or(|term| term == "dumb") {
            return None;
        }
        let named = ["ROCM_AUDIT_PAGER", "PAGER"].into_iter().find_map(env::var_os);
        let mut command = command(named.unwrap_or_else(|| USUAL.into()))?;
        if set("LESS").is_none() {
            command.env("LESS", LESS);
        }
        if set("LV").is_none() {
            command.env("LV", "-c");
        }
        match command.stdin(Stdio::piped()).spawn() {
            Ok(mut child) => {
                let input = child.stdin.take().map(Arc::new);
                Some(Pager { child, input })
            }
            Err(error) => {
                // A default pager that is not installed is no fault.
                if error.kind() != ErrorKind::NotFound || set("ROCM_AUDIT_PAGER").is_some() {
                    super::global::note(&format!("the pager cannot be started: {error}"));
                }
                None
            }
        }
    }

    /// What takes the text.
    pub fn input(&self) -> Option<Arc<ChildStdin>> {
        self.input.clone()
    }

    /// Waits until its user has read. All others who have its input must have let go of it.
    pub fn wait(mut self) {
        drop(self.input.take());
        // What became of it changes nothing of the report.
        let _ = self.child.wait();
    }
}

/// The command of a text: its words, or a shell where it has signs that mean something to one. Nothing for
/// `cat`, which is none.
fn command(text: OsString) -> Option<Command> {
    let Some(words) = text.to_str().filter(|text| !text.contains(|c| "|&;<>()$`\\\"'*?[#~=%".contains(c)))
    else {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(text);
        return Some(shell);
    };
    let mut words = words.split_whitespace();
    let program = words.next().filter(|program| *program != "cat")?;
    let mut command = Command::new(program);
    command.args(words);
    Some(command)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_program_with_words_or_a_line_of_a_shell() {
        let said = |text: &str| {
            command(text.into()).map(|command| {
                let words = std::iter::once(command.get_program()).chain(command.get_args());
                words.map(|word| word.to_str().unwrap().to_owned()).collect::<Vec<_>>()
            })
        };
        assert_eq!(said("less -S  -R").unwrap(), ["less", "-S", "-R"]);
        assert_eq!(said("LESS=R less").unwrap(), ["sh", "-c", "LESS=R less"]);
        assert_eq!(said("tr a-z A-Z | less").unwrap(), ["sh", "-c", "tr a-z A-Z | less"]);
        assert!(said("cat").is_none() && said(" ").is_none() && said("").is_none());
    }
}
