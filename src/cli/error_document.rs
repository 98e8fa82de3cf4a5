//! Errors as documents: a program that asks for a format that it can read gets it, whatever happens.

use super::destination::{self, Destination};
use crate::render::{self, Format};
use crate::report::v1::ErrorReport;
use std::ffi::OsString;

/// The variable of the environment that names the format.
const VARIABLE: &str = "ROCM_AUDIT_FORMAT";

/// The format that the words of a call ask for which could not be understood.
pub(super) fn asked_for() -> Option<Format> {
    let words = std::env::args_os().skip(1);
    asks(words, std::env::var(VARIABLE).ok().as_deref())
}

fn asks(words: impl Iterator<Item = OsString>, variable: Option<&str>) -> Option<Format> {
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
    format.filter(|_| !is_quiet).and_then(Format::of_name)
}

/// The value of `-fjson` and `-f=json`.
fn short(word: &str) -> Option<&str> {
    let value = word.strip_prefix("-f")?;
    Some(value.strip_prefix('=').unwrap_or(value))
}

/// Writes an error to standard output, where nothing else is there. Where that fails, standard error has said
/// it already.
pub(super) fn write(error: &ErrorReport, format: Format) {
    if let Some(drawing) = render::failed_run(error, format)
        && destination::has_written_nothing()
    {
        let _ = destination::write(&Destination::Stdout, &drawing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_asked_for_by_option_or_variable() {
        let asks = |text: &str, variable| asks(text.split(' ').map(OsString::from), variable);
        let asked = |text, variable| matches!(asks(text, variable), Some(Format::Json | Format::Verdict));
        assert!(matches!(asks("-f sarif /x", None), Some(Format::Sarif)));
        assert!(asked("-f json /x", None) && asked("isa -fjson", None) && asked("--format=json", None));
        assert!(asked("/x", Some("json")) && asked("/x -f verdict", None));
        assert!(!asked("-f table", Some("json")) && !asked("-q -f json", None) && !asked("-- -f json", None));
    }
}
