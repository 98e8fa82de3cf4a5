//! Versions of ggml, and ranges of versions that rules apply to.

use rocm_audit_files::error::NotUnderstood;
use std::fmt;
use std::str::FromStr;

/// A release of ggml.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second.
    pub minor: u32,
    /// The third.
    pub patch: u32,
}

impl Version {
    /// A version from its three numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Version { major, minor, patch }
    }

    /// Position on a line, so that versions have distances.
    fn place(self) -> u64 {
        let part = |number: u32| u64::from(number.min(0xfff));
        part(self.major) << 24 | part(self.minor) << 12 | part(self.patch)
    }

    /// Distance from another version.
    pub(super) fn distance(self, other: Version) -> u64 {
        self.place().abs_diff(other.place())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for Version {
    type Err = NotUnderstood;

    fn from_str(text: &str) -> Result<Self, NotUnderstood> {
        let bad = || NotUnderstood::from(format!("{text:?} is no version of ggml; expected one like 0.27.0"));
        let mut parts = text.strip_prefix('v').unwrap_or(text).split('.');
        let mut number = |needed: bool| match parts.next() {
            Some(part) => part.parse().map_err(|_| bad()),
            None if needed => Err(bad()),
            None => Ok(0),
        };
        let version = Version { major: number(true)?, minor: number(true)?, patch: number(false)? };
        if parts.next().is_some() { Err(bad()) } else { Ok(version) }
    }
}

/// The versions that a rule applies to, both ends included; open if an end is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VersionRange {
    /// The first.
    pub from: Option<Version>,
    /// The last.
    pub to: Option<Version>,
}

impl VersionRange {
    /// Whether the range contains a version.
    pub fn contains(&self, version: Version) -> bool {
        self.from.is_none_or(|from| from <= version) && self.to.is_none_or(|to| version <= to)
    }
}

impl FromStr for VersionRange {
    type Err = NotUnderstood;

    fn from_str(text: &str) -> Result<Self, NotUnderstood> {
        let (from, to) = text.split_once("..").ok_or_else(|| format!("{text:?}: expected FROM..TO"))?;
        let end = |text: &str| (!text.is_empty()).then(|| text.parse()).transpose();
        let range = VersionRange { from: end(from)?, to: end(to)? };
        if range.from.zip(range.to).is_some_and(|(from, to)| from > to) {
            return Err(format!("{text:?}: the first version is behind the last").into());
        }
        Ok(range)
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from, self.to) {
            (None, None) => f.write_str("all versions"),
            (Some(from), None) => write!(f, "{from} and later"),
            (None, Some(to)) => write!(f, "up to {to}"),
            (Some(from), Some(to)) if from == to => write!(f, "{from}"),
            (Some(from), Some(to)) => write!(f, "{from} to {to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_versions_and_ranges() {
        assert_eq!("v0.9.4".parse(), Ok(Version::new(0, 9, 4)));
        assert_eq!("0.21".parse(), Ok(Version::new(0, 21, 0)));
        assert!("0".parse::<Version>().is_err() && "0.1.2.3".parse::<Version>().is_err());
        let range: VersionRange = "0.9.5..0.15.9".parse().unwrap();
        assert!(range.contains(Version::new(0, 13, 1)) && !range.contains(Version::new(0, 16, 0)));
        assert!("..0.9.4".parse::<VersionRange>().unwrap().contains(Version::new(0, 0, 1)));
        assert!("0.9.5".parse::<VersionRange>().is_err() && "1.0..0.9".parse::<VersionRange>().is_err());
    }
}
