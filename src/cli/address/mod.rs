//! Files behind addresses that the call names (`https://…`), read by ranges like files that are here.
//!
//! The program takes the right to open connections from itself before it reads anything. So another process of it is
//! started before that: the fetcher, which knows the addresses of the call, hands over the ranges that it is asked
//! for, and looks at none of their bytes. What reads these bytes can name a number and a range, and nothing else.

#[cfg(feature = "addresses")]
mod exchange;
#[cfg(feature = "addresses")]
mod fetcher;
#[cfg(feature = "addresses")]
mod part;
#[cfg(feature = "tls")]
mod protected;
#[cfg(feature = "addresses")]
mod remote;
#[cfg(feature = "addresses")]
mod request;

#[cfg(feature = "addresses")]
pub(super) use fetcher::main_of_fetcher;
#[cfg(feature = "addresses")]
pub(super) use remote::{open, start};

#[cfg(not(feature = "addresses"))]
use crate::error::AuditError;
use std::path::Path;

/// How addresses begin that can be read.
const SCHEMES: [&str; 2] = ["http://", "https://"];

/// Whether a path of the call is an address.
pub(super) fn is_address(path: &Path) -> bool {
    let begins = |word: &str, scheme: &str| {
        word.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    path.to_str().is_some_and(|word| SCHEMES.iter().any(|scheme| begins(word, scheme)))
}

/// The scheme of an address of another kind, such as `s3` or `file`.
pub(super) fn other_scheme(path: &Path) -> Option<&str> {
    let (scheme, _) = path.to_str()?.split_once("://")?;
    let is_scheme =
        scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    (is_scheme && !is_address(path)).then_some(scheme)
}

/// Refuses it: this build cannot open connections.
#[cfg(not(feature = "addresses"))]
pub(super) fn open(path: &Path) -> Result<(), AuditError> {
    let what = "this build reads no addresses; `--features tls` builds one that does, and releases are such: or save the \
                file and name it";
    Err(AuditError::Path { path: path.to_owned(), what: what.to_owned() })
}
