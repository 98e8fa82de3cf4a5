//! Of which version of ggml a library is, where that can be known without running it.

use super::presence::{Index, Library};
use super::rules::{Rule, Rules};
use super::version::{Version, VersionRange};
use crate::bytes::elf::Elf;
use crate::input::folder::Folder;
use crate::limits::ELF_HEADERS;
use memchr::memmem;
use std::fmt;

/// A version, or the versions that it may be, and how that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The versions that it may be; one, where both ends are the same.
    pub versions: VersionRange,
    /// How that is known.
    pub source: Source,
}

/// How a version is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The path of a source file that the library names in an assertion.
    SourcePath(String),
    /// The name of the library with the same version beside it.
    Beside(String),
    /// The number of template arguments of a kernel, by this rule.
    TemplateArguments {
        /// The kernel's name.
        symbol: String,
        /// The rule.
        rule: String,
    },
}

impl Evidence {
    /// The version, where it is one.
    pub fn exact(&self) -> Option<Version> {
        self.versions.from.filter(|from| Some(*from) == self.versions.to)
    }

    /// The version to take the rules of: it, or the latest that it may be.
    pub fn version(&self) -> Option<Version> {
        self.versions.to.or(self.versions.from)
    }

    fn one(version: Version, source: Source) -> Self {
        Evidence { versions: VersionRange { from: Some(version), to: Some(version) }, source }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::SourcePath(path) => write!(f, "the source path {path} in the library"),
            Source::Beside(name) => write!(f, "{name} in a folder beside it"),
            Source::TemplateArguments { symbol, .. } => write!(f, "the template arguments of {symbol}"),
        }
    }
}

/// What a library says of its version: by the path of its sources, by `libggml-base` beside it, or by its kernels.
pub fn version_of(library: &Library) -> Option<Evidence> {
    by_source_path(library).or_else(|| by_neighbour(library.folder())).or_else(|| by_kernels(library))
}

/// Paths of `__FILE__` in the constants of the host code: `…/ggml-0.27.0/src/ggml-cuda/acc.cu`.
fn by_source_path(library: &Library) -> Option<Evidence> {
    let bytes = library.file().file.bytes();
    let elf = Elf::open(bytes, 0).ok()?;
    let sections = elf.sections_up_to(ELF_HEADERS).ok()?;
    let constants = sections.iter().find(|section| section.name == b".rodata")?;
    let constants = elf.section_bytes(constants).ok()?;
    memmem::find_iter(constants, b"/src/ggml-cuda/").find_map(|at| {
        let before = constants.get(..at)?;
        let folder = before.iter().rposition(|byte| matches!(byte, 0 | b'/')).map_or(0, |place| place + 1);
        let folder = std::str::from_utf8(before.get(folder..)?).ok()?;
        let version = folder.strip_prefix("ggml-")?.parse().ok()?;
        Some(Evidence::one(version, Source::SourcePath(format!("{folder}/src/ggml-cuda"))))
    })
}

/// Folders above that are looked into for `libggml-base.so.0.27.0`: plugins lie two below the libraries.
const FOLDERS: usize = 3;

fn by_neighbour(folder: &Folder) -> Option<Evidence> {
    for folder in folder.ancestors().take(FOLDERS) {
        let mut found: Vec<(Version, String)> = Vec::new();
        for name in folder.names() {
            let version = name.strip_prefix("libggml-base.so.").filter(|rest| rest.split('.').count() == 3);
            found.extend(version.and_then(|rest| rest.parse().ok()).map(|version| (version, name.clone())));
        }
        found.sort();
        if let [(version, name)] = &found[..] {
            return Some(Evidence::one(*version, Source::Beside(name.clone())));
        }
    }
    None
}

fn by_kernels(library: &Library) -> Option<Evidence> {
    let target = library.targets().into_iter().next()?;
    by_arguments(&library.index(&target)?, super::rules::rules().ok()?)
}

/// The versions in which kernels have as many template arguments as those of a library.
fn by_arguments(index: &Index<'_>, rules: &Rules) -> Option<Evidence> {
    let mut best: Option<Evidence> = None;
    for template in ["mul_mat_q", "mul_mat_vec_q"] {
        let prefix = format!("_ZL{}{template}I", template.len());
        let Some(symbol) = index.starting(&prefix) else { continue };
        let count = count_arguments(&symbol);
        let fits = |rule: &&Rule| rule.kernel.as_deref() == Some(template) && rule.arguments == count;
        let Some(rule) = rules.stage("symbols").find(fits) else { continue };
        let before = best.as_ref().map_or(VersionRange::default(), |evidence| evidence.versions);
        let from = before.from.max(rule.versions.from);
        let to = [before.to, rule.versions.to].into_iter().flatten().min();
        let source = Source::TemplateArguments { symbol, rule: rule.id.clone() };
        best = Some(Evidence { versions: VersionRange { from, to }, source });
    }
    best
}

/// The template arguments of a mangled name that are constants: `L9ggml_type12E`, `Li1E`, `Lb0E`.
fn count_arguments(symbol: &str) -> Option<usize> {
    let (_, mut rest) = symbol.split_once('I')?;
    let mut count = 0;
    while let Some(argument) = rest.strip_prefix('L') {
        let end = argument.find('E')?;
        rest = argument.get(end + 1..)?;
        count += 1;
    }
    rest.starts_with('E').then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_template_arguments() {
        let count = |name: &str| count_arguments(name);
        assert_eq!(count("_ZL13mul_mat_vec_qIL9ggml_type12ELi1ELb0ELb0ELb0EEvPKvS2_"), Some(5));
        assert_eq!(count("_ZL9mul_mat_qIL9ggml_type12ELi64ELb0EL9ggml_prec30EEvPKc"), Some(4));
        assert_eq!(count("_ZL13mul_mat_vec_qIL9ggml_type12ELi1EEvPKvS2_"), Some(2));
        assert_eq!(count("_ZL7acc_f32PKfS0_"), None);
        assert_eq!(count("_ZL9mul_mat_qIL9ggml"), None);
    }
}
