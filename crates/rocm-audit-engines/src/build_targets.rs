//! For which targets releases of libraries are built by default: what the sources of each release say.
//!
//! The table is written by `cargo oracle build-targets`. It is what a build makes where its user names no
//! targets; who builds packages may have named others.

use std::sync::LazyLock;

/// Releases of a library that follow each other and are built for the same targets by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The library.
    pub library: &'static str,
    /// The first of the releases: `4.5.0`.
    pub first: &'static str,
    /// The last of them.
    pub last: &'static str,
    /// `ROCm/rocBLAS`.
    pub repository: &'static str,
    /// The commit of the first release.
    pub commit: &'static str,
    /// The file and line that name the targets: `CMakeLists.txt:186`.
    pub place: &'static str,
    /// The targets, with a blank between them.
    targets: &'static str,
}

/// All spans: by library, and the releases of each in their order.
static SPANS: LazyLock<Vec<Span>> =
    LazyLock::new(|| include_str!("build_targets.tsv").lines().filter_map(Span::row).collect());

impl Span {
    fn row(line: &'static str) -> Option<Span> {
        let mut columns = line.split('\t');
        Some(Span {
            library: columns.next().filter(|first| !first.starts_with('#'))?,
            first: columns.next()?,
            last: columns.next()?,
            repository: columns.next()?,
            commit: columns.next()?,
            place: columns.next()?,
            targets: columns.next()?,
        })
    }

    /// The targets that are a processor, each with its features: `gfx90a:xnack+`.
    pub fn targets_of(&self, processor: &str) -> Vec<&'static str> {
        let is_own = |target: &&str| target.split(':').next() == Some(processor);
        self.targets.split(' ').filter(is_own).collect()
    }
}

/// The libraries, each with its spans in the order of the releases.
pub fn libraries() -> Vec<&'static [Span]> {
    SPANS.chunk_by(|one, other| one.library == other.library).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use amdgpu_object::target::Processor;

    #[test]
    fn every_row_has_its_columns_and_known_processors() {
        let rows = include_str!("build_targets.tsv").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(rows.count(), SPANS.len());
        for span in SPANS.iter() {
            let numbers = |release: &str| -> Vec<u32> {
                release.split('.').map(|part| part.parse().unwrap_or(u32::MAX)).collect()
            };
            assert!(numbers(span.first) <= numbers(span.last), "{span:?}");
            assert!(span.commit.len() == 12 && span.place.starts_with("CMakeLists.txt:"), "{span:?}");
            for target in span.targets.split(' ') {
                assert!(
                    Processor::by_name(target.split(':').next().unwrap_or_default()).is_some(),
                    "{span:?}"
                );
            }
        }
        let names: Vec<&str> = libraries().iter().map(|spans| spans[0].library).collect();
        let mut once = names.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), names.len(), "the rows of a library stand together");
    }

    #[test]
    fn releases_are_as_their_sources_say() {
        // rocBLAS's CMakeLists.txt: `TARGET_LIST_ROCM_5.7` has gfx803, `TARGET_LIST_ROCM_6.0` has not.
        let has = |release: &str, processor: &str| {
            let spans = libraries().into_iter().find(|spans| spans[0].library == "rocBLAS");
            let span = spans.and_then(|spans| spans.iter().find(|span| span.first == release));
            span.map(|span| span.targets_of(processor))
        };
        assert_eq!(has("5.7.0", "gfx803"), Some(vec!["gfx803"]));
        assert_eq!(has("6.0.0", "gfx803"), Some(vec![]));
        assert_eq!(has("6.0.0", "gfx90a"), Some(vec!["gfx90a:xnack+", "gfx90a:xnack-"]));
    }
}
