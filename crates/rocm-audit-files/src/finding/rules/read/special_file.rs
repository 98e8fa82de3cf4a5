//! The rule `special-file`.

use crate::finding::rule::rule;

rule! {
    /// A FIFO or a device lies in a tree.
    ///
    /// Only regular files are read: a FIFO may never have a writer, and reading it takes from whoever else waits
    /// for it; a device may have no end. The kind is asked of the operating system, and nothing is opened. A FIFO
    /// that is named itself is read, through a temporary file; with a device or socket the call ends with status 2.
    ///
    /// Sockets hold no bytes and are only counted, as are devices and FIFOs that a package would make.
    SPECIAL_FILE {
        id: "special-file",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "a FIFO or device is not read",
        effect: "what could come out of it is unknown; the report is incomplete",
        effect_known: Inferred,
        advice: "write its bytes to a file and name that, or leave it out with --exclude",
    }
}
