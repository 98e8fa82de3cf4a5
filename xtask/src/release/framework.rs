//! The one framework of macOS that the program is linked with, as a list of its symbols: linking needs no
//! more of it, and so no SDK.
//!
//! parquet asks chrono for the clock, which asks `iana-time-zone` for the name of the time zone, and that is
//! in CoreFoundation. Symbols: what `core-foundation-sys` declares of what `iana-time-zone` 0.1 calls
//! (`tz_darwin.rs`). Form: text-based stubs, as LLVM's TextAPI reads them.

use anyhow::Result;
use std::path::{Path, PathBuf};

const SYMBOLS: [&str; 6] = [
    "_CFRelease",
    "_CFStringGetBytes",
    "_CFStringGetCStringPtr",
    "_CFStringGetLength",
    "_CFTimeZoneCopySystem",
    "_CFTimeZoneGetName",
];

/// Writes it below a folder, and gives the folder in which linkers look for frameworks.
///
/// # Errors
/// What the system said.
pub(super) fn write(below: &Path) -> Result<PathBuf> {
    let frameworks = below.join("frameworks");
    let own = frameworks.join("CoreFoundation.framework");
    std::fs::create_dir_all(&own)?;
    std::fs::write(own.join("CoreFoundation.tbd"), text())?;
    Ok(frameworks)
}

fn text() -> String {
    format!(
        "--- !tapi-tbd\n\
         tbd-version: 4\n\
         targets: [ arm64-macos ]\n\
         install-name: '/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation'\n\
         exports:\n  - targets: [ arm64-macos ]\n    symbols: [ {} ]\n...\n",
        SYMBOLS.join(", ")
    )
}
