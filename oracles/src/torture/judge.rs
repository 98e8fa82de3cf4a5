//! What came of a case, and whether each run ended as it should.

use super::process::Usage;
use anyhow::Result;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, PoisonError};

/// What is wrong: a kind, which is counted, and what a reader needs to see it again.
#[derive(Debug)]
pub struct Problem {
    /// Of what kind.
    pub kind: &'static str,
    /// In words.
    pub what: String,
}

/// What came of a case.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Calls of the library or of the program.
    pub runs: u64,
    /// Runs in which something was lost.
    pub lost: u64,
    /// Losses that bytes cannot show, by reason.
    pub unknowable: BTreeMap<&'static str, u64>,
    /// Most memory that a run took beyond what was there, in bytes.
    pub memory: u64,
    /// The longest run in milliseconds.
    pub longest: u64,
    /// What is wrong.
    pub problems: Vec<Problem>,
}

/// What panicked since it was last asked.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Has panics kept instead of written.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
    }));
}

fn panics() -> Vec<String> {
    std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Whether terminals or viewers obey a character, or hide it: controls, and Unicode's for directions, joints
/// and lines.
fn is_obeyed(c: char) -> bool {
    let of_unicode = matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    of_unicode || c.is_control() && c != '\n'
}

/// Judges runs.
pub struct Judge {
    /// What came of them.
    pub outcome: Outcome,
    /// Bytes of all that is read.
    pub size: u64,
}

impl Judge {
    /// Notes what is wrong.
    pub fn problem(&mut self, kind: &'static str, what: String) {
        self.outcome.problems.push(Problem { kind, what });
    }

    /// Runs something, and judges that it ends as it should, in time and memory.
    pub fn run<T>(&mut self, what: &str, run: impl FnOnce() -> Result<T>) -> Option<T> {
        let usage = Usage::begin();
        let result = std::panic::catch_unwind(AssertUnwindSafe(run));
        self.used(what, &usage.end());
        for panic in panics() {
            self.problem("panic", format!("{what}: {panic}"));
        }
        match result {
            Ok(Ok(value)) => Some(value),
            Ok(Err(error)) => {
                self.problem("refused", format!("{what}: {error:#}"));
                None
            }
            Err(_) => None,
        }
    }

    /// Judges what a run took.
    pub fn used(&mut self, what: &str, used: &Usage) {
        self.outcome.runs += 1;
        self.outcome.longest = self.outcome.longest.max(used.milliseconds);
        self.outcome.memory = self.outcome.memory.max(used.memory);
        // 2 s, and 1 s for each 100 MB; on a machine that others use too, by processor time where wall time
        // is more.
        let allowed = 2_000 + self.size / 100_000;
        if used.cpu_milliseconds > allowed || used.milliseconds > 10 * allowed {
            self.problem(
                "slow",
                format!("{what}: {} ms, {} ms of CPU", used.milliseconds, used.cpu_milliseconds),
            );
        }
        if used.memory > (256 << 20) + self.size {
            self.problem("memory", format!("{what}: {} MiB", used.memory >> 20));
        }
    }

    /// Judges text that goes to a terminal or a file.
    pub fn text(&mut self, what: &str, text: &str, json: bool) {
        if let Some(bad) = text.chars().find(|c| is_obeyed(*c)) {
            self.problem("control character", format!("{what}: {bad:?}"));
        }
        if json && let Err(error) = serde_json::from_str::<serde_json::Value>(text) {
            self.problem("JSON", format!("{what}: {error}"));
        }
    }
}
