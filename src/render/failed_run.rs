//! Why a run failed, in the formats that programs read: they get a valid document, whatever happens.

use super::outcome::Outcomes;
use super::{Drawing, Format, Reports, json, json_line};
use crate::report::v1::ErrorReport;

/// Draws why a run failed; nothing in formats for people, who have it on standard error.
pub fn failed_run(error: &ErrorReport, format: Format) -> Option<Drawing<'static>> {
    let text = match (format, format.reports()) {
        (Format::Json | Format::Verdict, _) => json(error),
        (Format::Jsonl, _) => json_line(error),
        (_, Reports::Outcomes(draw)) => draw(&Outcomes::of_failed_run(error)),
        _ => return None,
    };
    Some(Drawing::Text(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::AuditError;
    use crate::report;
    use serde_json::Value;

    fn drawn(format: &str) -> Option<String> {
        let error = AuditError::Usage("--gpu: <x> & \u{1b}[2J\u{202e}\u{7f}\nis none".to_owned());
        match failed_run(&report::error(&error), Format::of_name(format)?)? {
            Drawing::Text(text) => Some(text),
            _ => None,
        }
    }

    #[test]
    fn what_programs_read_says_that_the_run_failed() {
        let parsed = |format| serde_json::from_str::<Value>(&drawn(format).unwrap()).unwrap();
        assert_eq!(parsed("json")["status"], 2);
        let log = parsed("sarif");
        assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
        assert_eq!(log["runs"][0]["results"][0]["level"], "error");
        assert_eq!(parsed("gitlab")[0]["severity"], "critical");
        let line = drawn("jsonl").unwrap();
        assert!(line.ends_with("}\n") && line.lines().count() == 1 && parsed("jsonl")["kind"] == "usage");
        let suite = drawn("junit").unwrap();
        assert!(suite.contains(" failures=\"1\" ") && suite.contains("&lt;x&gt; &amp; "), "{suite}");
        let annotation = drawn("github").unwrap();
        assert!(annotation.starts_with("::error title=run-failed::") && annotation.lines().count() == 1);
        for format in ["json", "jsonl", "sarif", "gitlab", "junit", "github"] {
            assert!(!drawn(format).unwrap().contains(['\u{1b}', '\u{202e}', '\u{7f}']), "{format}");
        }
        assert!(drawn("table").is_none() && drawn("csv").is_none() && drawn("html").is_none());
    }
}
