//! Annotations for GitHub workflows, one line each; a step shows ten errors, ten warnings and ten notices.
//! The verdicts come first, as notices; that bytes between code objects are padding asks nothing of anyone and
//! is left out. Source: GitHub's documentation, "Workflow commands for GitHub Actions".

use super::outcome::{Outcome, OutcomePlace, Outcomes};
use super::style::inert;
use crate::finding::rules::waste::PADDING;
use crate::finding::severity::Severity;

/// Annotations of each kind that a step shows.
const SHOWN: usize = 10;
/// Verdicts among them; one notice at least is left for what was found.
const VERDICTS: usize = SHOWN - 1;

pub(super) fn draw(all: &Outcomes) -> String {
    let mut text = String::new();
    for (processor, answer) in all.verdicts.iter().take(VERDICTS) {
        let about = all.about.first().filter(|_| all.about.len() == 1);
        let file = about.map(|path| format!("file={},", property(path))).unwrap_or_default();
        let title = property(&format!("{}, {processor}", env!("CARGO_PKG_NAME")));
        text.push_str(&format!("::notice {file}title={title}::{}\n", message(answer)));
    }
    let kinds = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "notice")];
    for (severity, command) in kinds {
        let found = all.found.iter().filter(|outcome| {
            outcome.severity == severity && !(severity == Severity::Note && outcome.rule == PADDING.id)
        });
        // An annotation has room for one location.
        let found: Vec<(&Outcome, &OutcomePlace)> = found
            .flat_map(|outcome| outcome.apart().into_iter().map(move |(place, _)| (outcome, place)))
            .collect();
        // The last annotation that is shown says how many are left out.
        let room = match severity {
            Severity::Note => SHOWN - all.verdicts.len().min(VERDICTS),
            _ => SHOWN,
        };
        let shown = if found.len() > room { room.saturating_sub(1) } else { found.len() };
        found.iter().take(shown).for_each(|(outcome, place)| text.push_str(&line(command, outcome, place)));
        if found.len() > shown {
            let more = found.len() - shown;
            text.push_str(&format!(
                "::{command} title={}::{more} more of this severity; the report has them\n",
                env!("CARGO_PKG_NAME")
            ));
        }
    }
    text
}

fn line(command: &str, outcome: &Outcome, place: &OutcomePlace) -> String {
    let mut properties = Vec::new();
    if !place.path.is_empty() {
        properties.push(format!("file={}", property(&place.path)));
        properties.extend(place.line.map(|line| format!("line={line}")));
    }
    properties.push(format!("title={}", property(&outcome.rule)));
    format!("::{command} {}::{}\n", properties.join(","), message(&outcome.message))
}

/// The text of a command, which is one line; `%` begins an escape.
fn message(text: &str) -> String {
    // Terminals show the lines of a log, too.
    inert(text, "\r\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command; colons and commas also end it.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
