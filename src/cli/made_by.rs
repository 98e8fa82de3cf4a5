//! The line of a report for others that says how it was made: the command, and the day where one is asked for.
//!
//! The clock is not asked, so that the same command on the same files writes the same bytes. Who wants a day in the
//! report sets `SOURCE_DATE_EPOCH`, as for builds that are reproducible.

use std::path::Path;
use std::sync::LazyLock;

/// `Command: rocm-audit -f md tree`, and behind it the day that `SOURCE_DATE_EPOCH` names.
pub(super) fn sentence() -> &'static str {
    static SENTENCE: LazyLock<String> = LazyLock::new(make);
    &SENTENCE
}

fn make() -> String {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words = of_content(words).map(|word| shown(&word));
    let command: Vec<String> = std::iter::once(env!("CARGO_PKG_NAME").to_owned()).chain(words).collect();
    let day = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| day(&seconds));
    let day = day.map(|day| format!(". Date: {day}")).unwrap_or_default();
    format!("Command: {}{day}.", command.join(" "))
}

/// Options that say how the command runs: with others of these it writes the same.
const OF_THE_RUN: [&str; 4] = ["--color", "--jobs", "--sandbox", "-j"];

/// The words but for these options and their values.
fn of_content(words: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let mut is_value = false;
    words.filter(move |word| {
        let was_value = std::mem::replace(&mut is_value, OF_THE_RUN.contains(&word.as_str()));
        let is_short = word.strip_prefix("-j").is_some_and(|count| count.parse::<u32>().is_ok());
        let is_joined = word.split_once('=').is_some_and(|(option, _)| OF_THE_RUN.contains(&option));
        !(was_value || is_value || is_joined || is_short)
    })
}

/// A word of the command. Of a path from the root only the name is shown: the folders are the user's own.
fn shown(word: &str) -> String {
    let (option, value) = match word.split_once('=') {
        Some((option, value)) if option.starts_with('-') => (format!("{option}="), value),
        _ => (String::new(), word),
    };
    let is_private = Path::new(value).is_absolute() || value.starts_with(['~', '\\']);
    let name = Path::new(value).file_name().map(|name| name.to_string_lossy().into_owned());
    let value = if is_private { name.unwrap_or_else(|| value.to_owned()) } else { value.to_owned() };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+@%=~".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        return format!("{option}{value}");
    }
    format!("{option}{value:?}")
}

/// The day, in UTC, of a number of seconds since 1970: `2026-11-28`. By the calendar of 400 years.
fn day(seconds: &str) -> Option<String> {
    let days = seconds.trim().parse::<u64>().ok()? / 86_400;
    // Years begin in March, so that the day that is not in every year is the last.
    let days = days.checked_add(719_468)?;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    (year <= 9999).then(|| format!("{year:04}-{month:02}-{date:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, expected) in [
            ("0", "1970-01-01"),
            ("951782399", "2000-02-28"),
            ("951782400", "2000-02-29"),
            ("951868800", "2000-03-01"),
            ("1709164800", "2024-02-29"),
            ("1798675200", "2026-12-31"),
            ("4107542400", "2100-03-01"),
        ] {
            assert_eq!(day(seconds).as_deref(), Some(expected), "{seconds}");
        }
        assert_eq!(day("today"), None);
        assert_eq!(day("18446744073709551615"), None);
    }

    #[test]
    fn how_the_command_runs_is_left_out() {
        let words = ["-f", "md", "--jobs", "3", "-j8", "tree", "--sandbox=off", "-j", "1", "--gpu", "gfx900"];
        let left: Vec<String> = of_content(words.into_iter().map(str::to_owned)).collect();
        assert_eq!(left, ["-f", "md", "tree", "--gpu", "gfx900"]);
    }

    #[test]
    fn folders_of_the_user_are_left_out() {
        assert_eq!(shown("fixtures/ggml/plain"), "fixtures/ggml/plain");
        assert_eq!(shown("RX 6600"), "\"RX 6600\"");
        assert_eq!(shown("\u{1b}[2Jx"), "\"\\u{1b}[2Jx\"");
        if cfg!(unix) {
            assert_eq!(shown("/home/me/models/x.gguf"), "x.gguf");
            assert_eq!(shown("--output=/home/me/report.md"), "--output=report.md");
        }
    }
}
