//! JUnit XML, the format in which build servers accept test results. Each requirement or finding is a test
//! case: one that makes the run fail is a failure, all others pass with their text. Source: the schema of
//! Jenkins' xUnit plugin (`junit-10.xsd`).

use super::outcome::{Outcome, Outcomes};
use super::style::is_obeyed;
use crate::finding::severity::Severity;

pub(super) fn draw(all: &Outcomes) -> String {
    let failures = all.found.iter().filter(|outcome| outcome.severity == Severity::Error).count();
    let mut cases: Vec<String> = all.found.iter().map(case).collect();
    cases.extend(all.passed.iter().map(|passed| {
        format!("    <testcase classname=\"requirement\" name=\"{}\"/>\n", escaped(&passed.name))
    }));
    // Some servers ignore a suite without test cases.
    if cases.is_empty() {
        cases.push("    <testcase classname=\"audit\" name=\"nothing was found\"/>\n".into());
    }
    let (name, tests) = (escaped(&all.about.join(", ")), cases.len());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites>\n  \
         <testsuite name=\"{tool}: {name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">\n\
         {}  </testsuite>\n</testsuites>\n",
        cases.concat(),
        tool = env!("CARGO_PKG_NAME"),
    )
}

fn case(outcome: &Outcome) -> String {
    let place = outcome.places.first().map(|place| place.path.as_str()).unwrap_or_default();
    let name = [outcome.target.as_deref().unwrap_or_default(), place];
    let name: Vec<&str> = name.into_iter().filter(|part| !part.is_empty()).collect();
    let name = match &outcome.judged {
        Some(judged) => judged.clone(),
        None if name.is_empty() => outcome.message.clone(),
        None => name.join(" "),
    };
    let head = format!("    <testcase classname=\"{}\" name=\"{}\">", escaped(&outcome.rule), escaped(&name));
    let places: Vec<String> = outcome
        .places
        .iter()
        .filter(|place| !place.path.is_empty())
        .map(|place| match (place.offset, place.line) {
            (_, Some(line)) => format!("{}, line {line}", place.path),
            (Some(offset), _) => format!("{}, byte {offset:#x}", place.path),
            _ => place.path.clone(),
        })
        .collect();
    let text = escaped(&[&[outcome.message.clone()][..], &places].concat().join("\n"));
    match outcome.severity {
        Severity::Error => {
            let message = escaped(&outcome.message);
            format!(
                "{head}\n      <failure type=\"error\" message=\"{message}\">{text}</failure>\n    </testcase>\n"
            )
        }
        other => {
            format!("{head}\n      <system-out>{}: {text}</system-out>\n    </testcase>\n", other.name())
        }
    }
}

/// Text for XML 1.0: escapes markup, and replaces characters that XML does not allow or viewers obey.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(letter),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            letter if is_obeyed(letter) => out.push(char::REPLACEMENT_CHARACTER),
            letter => out.push(letter),
        }
    }
    out
}
