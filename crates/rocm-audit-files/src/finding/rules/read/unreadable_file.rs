//! The rule `unreadable-file`.

use crate::finding::rule::rule;

rule! {
    /// The operating system did not let a file or folder be opened, listed or mapped, or gave no memory to unpack it.
    ///
    /// The message of the system is given: missing permission, an I/O error, a file that vanished after it was
    /// listed, a folder where a file is expected, a link that leads to itself. A file that has to be unpacked
    /// and finds no room in the folder of `TMPDIR` is named here too where it is kept for an answer. Other
    /// files are read on.
    ///
    /// It says nothing of the content. A link whose target does not exist is `dangling-link`, a note, whether
    /// links are followed or not.
    UNREADABLE_FILE {
        id: "unreadable-file",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a file or folder could not be read",
        effect: "what it holds is unknown; the report is incomplete",
        effect_known: Inferred,
        advice: "check its permissions; where memory was refused, allow more (`ulimit -v`) or take fewer `--jobs`",
    }
}
