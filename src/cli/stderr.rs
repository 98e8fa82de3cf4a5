//! What is said on standard error beside the answer.

use std::io::{IsTerminal, Write};

/// Says something on standard error that is no error.
pub(super) fn note(what: &str) {
    say(&crate::render::style::printable(what));
}

/// Says on standard error what made the run impossible.
pub(super) fn complain(what: &str) {
    let lines: Vec<_> = what.lines().map(crate::render::style::printable).collect();
    let what = lines.join("\n");
    let (red, reset) = (anstyle::AnsiColor::Red.on_default().bold(), anstyle::Reset);
    say(&format!("{}error:{} {what}", red.render(), reset.render()));
}

/// Says on standard error what a list on standard output has no place for.
pub(super) fn remark(what: &str) {
    say(&format!("note: {}", crate::render::style::printable(what)));
}

/// Where standard error cannot be written, as on a full device, nothing can be said.
fn say(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Whether progress can be shown.
pub(super) fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}
