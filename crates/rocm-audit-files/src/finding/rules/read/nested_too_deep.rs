//! The rule `nested-too-deep`.

use crate::finding::rule::rule;

rule! {
    /// A package lies in more packages than are opened one in the other.
    ///
    /// Packages in packages are opened up to a depth of 4 (`PACKAGE_DEPTH` in `crates/rocm-audit-files/src/limits.rs`); a wheel in a
    /// tar in a zip, which is the deepest that is known of a real distribution, is 3. The one beyond is counted
    /// as the file that it is, and not opened. A thin archive in a thin archive is not read either,
    /// nor are archives, packages and compressed files that lie in an archive of objects.
    ///
    /// It is not a matter of size: see `inflates-too-far`. Unpack the outer packages and audit the folder.
    NESTED_TOO_DEEP {
        id: "nested-too-deep",
        severity: Error,
        confidence: Certain,
        known: Observed,
        damage: true,
        what: "packages lie in each other too deep",
        effect: "the innermost is not opened; the report is incomplete",
        effect_known: Inferred,
        advice: "unpack the outer packages by hand and audit the folder",
    }
}
