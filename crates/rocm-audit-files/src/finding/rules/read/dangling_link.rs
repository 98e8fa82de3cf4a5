//! The rule `dangling-link`.

use crate::finding::rule::rule;

rule! {
    /// The target of a symbolic link does not exist.
    ///
    /// The link is asked for its target by the operating system, whether links are followed or not. It does not
    /// make a report incomplete: there is nothing that could be read. Development packages leave such links
    /// (`libfoo.so` to `libfoo.so.1`) where the library's own package is not installed.
    ///
    /// A link that leads to itself has no target either: it is found here, and where links are followed it is
    /// an `unreadable-file`. Links inside of packages are counted and not judged, since their targets may be in
    /// another package.
    DANGLING_LINK {
        id: "dangling-link",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "a symbolic link leads nowhere",
        effect: "nothing is lost that could be read; a program that follows it fails",
        effect_known: Inferred,
        advice: "install the package that the link points into, or remove it",
    }
}
