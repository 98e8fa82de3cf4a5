//! Which public packages have code for a processor, from stored answers of audits.

use std::sync::LazyLock;

/// A public package and the processors that it serves.
#[derive(Debug)]
pub struct PublicPackage {
    /// Its name and release.
    pub title: &'static str,
    /// The day on which it was read: `2026-11-28`.
    pub read: &'static str,
    /// The first of its files.
    pub file: &'static str,
    /// Processors that it runs on.
    pub runs: Vec<&'static str>,
    /// Processors that have less than others, or that some variants only serve.
    pub limits: Vec<&'static str>,
}

/// All packages, by name.
pub static PUBLIC: LazyLock<Vec<PublicPackage>> =
    LazyLock::new(|| include_str!("packages.tsv").lines().filter_map(PublicPackage::row).collect());

impl PublicPackage {
    fn row(line: &'static str) -> Option<PublicPackage> {
        let mut columns = line.split('\t');
        let title = columns.next().filter(|first| !first.starts_with('#'))?;
        let (read, file) = (columns.next()?, columns.next()?);
        let mut names = || columns.next().map(|names| names.split_ascii_whitespace().collect());
        Some(PublicPackage { title, read, file, runs: names()?, limits: names()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Processor;

    #[test]
    fn every_row_has_its_columns_and_known_processors() {
        let rows = include_str!("packages.tsv").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(PUBLIC.len(), rows);
        for package in PUBLIC.iter() {
            for name in package.runs.iter().chain(&package.limits) {
                assert!(Processor::by_name(name).is_some(), "{}: {name}", package.title);
            }
        }
    }
}
