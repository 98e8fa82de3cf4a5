//! What `-h` shows: of each command and option the first clause of what `--help` says, on one screen.

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};

/// Where the first clause of a help text ends.
const ENDS: &[&str] = &[": ", "; ", ". ", " (", ", as in ", ", such as ", " [", ", or in ", ", which "];

/// What ends a short help, instead of all that `--help` has.
const MORE: &str = "More options, and more about these: --help";

/// Groups of options that few calls need, by their headings.
const RARE_GROUPS: &[&str] = &[
    "Layout of the matrices",
    "What is done with the product",
    "How hipBLASLt is called",
    "How rocBLAS is called",
];

/// Options that few calls need, by the ids of their arguments.
const RARE: &[&str] = &[
    "a_type",
    "batch",
    "coverage",
    "data",
    "digest",
    "dim",
    "exclude",
    "follow_links",
    "ggml",
    "line",
    "map",
    "only",
    "claimed",
    "scale_type",
    "sequences",
    "skip",
    "solution",
    "timeout_per_file",
    "vs_library",
];

/// A command whose help, and that of each command below it, is short.
pub(super) fn shorten_help(command: Command) -> Command {
    let about = command.get_about().map(first_clause);
    // The root's own options are those of `audit`, which says more of them.
    let is_root = command.get_name() == env!("CARGO_PKG_NAME");
    let hidden = move |argument: Arg| match is_root
        && argument.get_help_heading().is_none()
        && !is_about_itself(&argument)
    {
        true => argument.hide_short_help(true),
        false => argument,
    };
    let command = command.mut_args(short).mut_args(hidden).mut_subcommands(shorten_help).after_help(MORE);
    match about {
        Some(about) => command.about(about),
        None => command,
    }
}

/// An option with the first clause of its help; its values and variables stand in the long help.
fn short(argument: Arg) -> Arg {
    // What `-h` does says where more stands.
    if is_about_itself(&argument) {
        return argument;
    }
    let help = argument.get_help().map(first_clause);
    let takes_value = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
    let argument = argument.hide_env(true);
    let argument =
        if takes_value { argument.hide_possible_values(true).hide_default_value(true) } else { argument };
    let in_group = argument.get_help_heading().is_some_and(|heading| RARE_GROUPS.contains(&heading));
    let is_rare = in_group || RARE.contains(&argument.get_id().as_str());
    let argument = if is_rare { argument.hide_short_help(true) } else { argument };
    match help {
        Some(help) => argument.help(help),
        None => argument,
    }
}

/// Whether it is `--help` or `--version`, which the parser adds.
fn is_about_itself(argument: &Arg) -> bool {
    matches!(
        argument.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    )
}

fn first_clause(text: &StyledStr) -> String {
    let text = text.to_string();
    let end = ENDS.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text[..end].trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_clause_is_what_stands_before_details() {
        for (text, clause) in [
            ("Only what loads on this target: a processor", "Only what loads on this target"),
            ("Draw with ASCII only", "Draw with ASCII only"),
            ("Look into single files. And more.", "Look into single files"),
            ("The tables (`rocm-audit list tables`)", "The tables"),
        ] {
            assert_eq!(first_clause(&StyledStr::from(text)), clause);
        }
    }

    #[test]
    fn no_short_help_is_longer_than_a_screen() {
        let mut all = vec![shorten_help(super::super::command())];
        let mut seen = 0;
        while let Some(mut command) = all.pop() {
            command.build();
            let text = command.clone().term_width(100).render_help().to_string();
            assert!(text.lines().count() <= 40, "{} lines:\n{text}", text.lines().count());
            seen += 1;
            all.extend(command.get_subcommands().filter(|own| own.get_name() != "help").cloned());
        }
        assert!(seen > 12, "{seen}");
    }
}
