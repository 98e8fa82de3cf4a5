//! Makes the document for a run that failed.

use super::v1::{ErrorReport, Found};
use super::v1::{Header, document};
use crate::error::AuditError;

/// The exit status of a run that failed.
pub const UNUSABLE: u8 = 2;

/// Prefix of message lines with a suggestion.
const TIP: &str = "tip: ";

/// The document of an error.
pub fn error(error: &AuditError) -> ErrorReport {
    let path = match error {
        AuditError::Io { path, .. } | AuditError::Path { path, .. } => {
            Some(path.to_string_lossy().into_owned())
        }
        AuditError::Usage(_)
        | AuditError::NotThere(_)
        | AuditError::Unreadable(_)
        | AuditError::Internal(_)
        | AuditError::Stopped => None,
    };
    ErrorReport { path, kind: error.kind(), ..of_text(&error.to_string()) }
}

/// Makes the document from a message as shown on standard error: what is wrong, then tips on their own lines;
/// the usage text after them is left out.
pub fn of_text(text: &str) -> ErrorReport {
    let text = text.trim_start().strip_prefix("error: ").unwrap_or(text).trim_end();
    let message = text.split("\nUsage:").next().unwrap_or(text);
    let message = message.split("\nFor more information").next().unwrap_or(message);
    let (mut what, mut tips) = (Vec::new(), Vec::new());
    for line in message.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.strip_prefix(TIP) {
            Some(tip) => tips.push(tip.to_owned()),
            None => what.push(line),
        }
    }
    ErrorReport {
        header: Header::from_document(document::ERROR),
        found: Found { complete: false, findings: Vec::new() },
        status: UNUSABLE,
        kind: "usage",
        what: what.join(" "),
        path: None,
        tips,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tips_stand_apart_and_usage_is_left_out() {
        let text = "error: unrecognized subcommand 'audt'\n\n  tip: a similar subcommand exists: 'audit'\n\nUsage: x\n\nFor more \
                    information, try '--help'.\n";
        let report = of_text(text);
        assert_eq!(report.what, "unrecognized subcommand 'audt'");
        assert_eq!(report.tips, ["a similar subcommand exists: 'audit'"]);
        assert!(!report.found.complete);
    }
}
