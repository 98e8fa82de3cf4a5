//! Errors as documents: a program that asks for JSON gets JSON, whatever happens.

use super::destination::{self, Destination};
use crate::render;
use crate::report::v1::ErrorReport;
use std::ffi::OsString;

/// The variable of the environment that names the format.
const VARIABLE: &str = "ROCM_AUDIT_FORMAT";

/// Whether the words of a call that could not be understood ask for JSON on standard output.
pub(super) fn is_asked_for() -> bool {
    let words = std::env::args_os().skip(1);
    asks(words, std::env::var(VARIABLE).ok().as_deref())
}

fn asks(words: impl Iterator<Item = OsString>, variable: Option<&str>) -> bool {
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let words = words.split(|word| word == "--").next().unwrap_or_default();
    let is_quiet = words.iter().any(|word| word == "-q" || word == "--quiet");
    let mut format = variable;
    for (place, word) in words.iter().enumerate() {
        let next = || words.get(place + 1).map(String::as_str);
        let stated = match word.as_str() {
            "-f" | "--format" => next(),
            word => word.strip_prefix("--format=").or_else(|| short(word)),
        };
        format = stated.or(format);
    }
    !is_quiet && format.is_some_and(|format| matches!(format, "json" | "verdict"))
}

/// The value of `-fjson` and `-f=json`.
fn short(word: &str) -> Option<&str> {
    let value = word.strip_prefix("-f")?;
    Some(value.strip_prefix('=').unwrap_or(value))
}

/// Writes an error to standard output, where nothing else is there. Where that fails, standard error has said it already.
pub(super) fn write(error: &ErrorReport) {
    if destination::has_written_nothing() {
        let _ = destination::write(&Destination::Stdout, &render::document(error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_asked_for_by_option_or_variable() {
        let asked = |text: &str, variable| asks(text.split(' ').map(OsString::from), variable);
        assert!(asked("-f json /x", None) && asked("isa -fjson", None) && asked("--format=json", None));
        assert!(asked("/x", Some("json")) && asked("/x -f verdict", None));
        assert!(!asked("-f table", Some("json")) && !asked("-q -f json", None) && !asked("-- -f json", None));
    }
}
