//! Paths that a run leaves out, by glob patterns.

use crate::error::AuditError;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Patterns of paths to leave out.
#[derive(Debug, Clone, Default)]
pub struct Exclusion(GlobSet);

impl Exclusion {
    /// Reads glob patterns. One without a slash is compared with the name of each file and folder, one with a
    /// slash against the path below a root. `*` does not go beyond a slash, `**` does.
    ///
    /// # Errors
    /// Where a pattern is no glob.
    pub fn new(patterns: &[String]) -> Result<Self, AuditError> {
        let bad = |e: globset::Error| AuditError::Usage(format!("--exclude: {e}"));
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let plain = pattern.trim_end_matches('/');
            let anywhere = format!("**/{plain}");
            let pattern = if plain.contains('/') { plain.trim_start_matches("./") } else { &anywhere };
            set.add(GlobBuilder::new(pattern).literal_separator(true).build().map_err(bad)?);
        }
        Ok(Exclusion(set.build().map_err(bad)?))
    }

    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a path below a root is left out.
    pub fn has(&self, relative: &str) -> bool {
        self.0.is_match(relative)
    }

    /// Whether a member of a package is left out, itself or with a folder that it is in.
    pub fn has_member(&self, name: &str) -> bool {
        !self.0.is_empty()
            && name
                .match_indices('/')
                .map(|(at, _)| at)
                .chain([name.len()])
                .any(|end| name.get(..end).is_some_and(|path| self.has(path)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_match_anywhere_and_paths_from_the_root() {
        let exclusion = |pattern: &str| Exclusion::new(&[pattern.to_owned()]).unwrap();
        assert!(exclusion("*.a").has("lib/deep/libfoo.a"));
        assert!(!exclusion("*.a").has("lib/libfoo.so"));
        assert!(exclusion("llvm").has("lib/llvm"));
        assert!(exclusion("lib/*.so").has("lib/a.so"));
        assert!(!exclusion("lib/*.so").has("lib/deep/a.so"));
        assert!(exclusion("lib/**/*.so").has("lib/deep/a.so"));
        assert!(exclusion("llvm/").has_member("lib/llvm/bin/clang"));
        assert!(!exclusion("llvm").has_member("lib/llvm.txt"));
        assert!(Exclusion::new(&["a[".to_owned()]).is_err());
    }
}
