//! `rocm-audit generate completions SHELL` and `rocm-audit generate man [COMMAND]`: both made from the table
//! that the command line is parsed with.

use super::destination::print;
use super::exit::Status;
use super::global::GlobalArgs;
use crate::error::{AuditError, NotUnderstood};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap_complete::Shell;
use std::ffi::OsStr;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:\n  \
    rocm-audit generate completions bash > ~/.local/share/bash-completion/completions/rocm-audit\n  \
    rocm-audit generate completions zsh > \"${fpath[1]}/_rocm-audit\"\n  \
    rocm-audit generate completions fish > ~/.config/fish/completions/rocm-audit.fish")]
pub(super) struct CompletionArgs {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  rocm-audit generate man | man -l -\n  rocm-audit generate man fatbin > rocm-audit-fatbin.1"
)]
pub(super) struct ManArgs {
    /// The command whose page is printed, such as fatbin or `select gemm` [default: the program's own]
    command: Vec<String>,
}

/// Prints the completions of a shell.
pub(super) fn completions(args: &CompletionArgs, global: &GlobalArgs) -> Result<Status, AuditError> {
    global.finds_nothing("generate completions")?;
    global.prints_a_list("generate completions")?;
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), env!("CARGO_PKG_NAME"), &mut text);
    // clap_complete 4.6.11 takes the hyphen of the program's name for the end of a command in half of its
    // names.
    let text = String::from_utf8_lossy(&text).replace("rocm__subcmd__audit", "rocm__audit");
    print(text)?;
    Ok(Status::Done)
}

/// Prints a manual page.
pub(super) fn man(args: &ManArgs, global: &GlobalArgs) -> Result<Status, AuditError> {
    global.finds_nothing("generate man")?;
    global.prints_a_list("generate man")?;
    let mut command = super::command();
    command.build();
    let mut name = env!("CARGO_PKG_NAME").to_owned();
    for word in &args.command {
        let known: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
        let Some(inner) = command.find_subcommand(word) else {
            let what = match known.is_empty() {
                true => format!("generate man: {name} has no commands of its own"),
                false => {
                    format!("generate man: {name} has no command {word:?}; there are {}", known.join(", "))
                }
            };
            return Err(AuditError::Usage(what));
        };
        command = inner.clone();
        name = format!("{name}-{word}");
    }
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(command);
    page.render(&mut text).map_err(|error| AuditError::io("write", "the manual page", error))?;
    print(String::from_utf8_lossy(&text).into_owned())?;
    Ok(Status::Done)
}

/// Parses values as a function does, and names those that a shell completes.
#[derive(Clone)]
pub(super) struct Completed<T: Clone> {
    parse: fn(&str) -> Result<T, NotUnderstood>,
    values: fn() -> Vec<&'static str>,
}

impl<T: Clone> Completed<T> {
    pub fn new(parse: fn(&str) -> Result<T, NotUnderstood>, values: fn() -> Vec<&'static str>) -> Self {
        Completed { parse, values }
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Completed<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        // Lists are also written with blanks behind their commas.
        let text = value.to_string_lossy();
        let text = text.trim();
        (self.parse)(text).map_err(|what| {
            let name = argument.map_or_else(String::new, ToString::to_string);
            let what = format!("invalid value '{text}' for '{name}': {what}\n");
            clap::Error::raw(ErrorKind::ValueValidation, what).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.values)().into_iter().map(PossibleValue::new)))
    }
}
