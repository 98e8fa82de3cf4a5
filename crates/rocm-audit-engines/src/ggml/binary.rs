//! Determines the ggml version of a library, as far as possible without running it.

use super::presence::{Index, Library};
use super::rules::{RouteRules, Rule};
use super::version::{Version, VersionRange};
use amdgpu_object::bytes::elf::Elf;
use memchr::memmem;
use rocm_audit_files::input::folder::Folder;
use rocm_audit_files::limits::ELF_HEADERS;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::fmt;

/// A version, or a range of possible versions, and the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The possible versions; a single one if both ends are equal.
    pub versions: VersionRange,
    /// The evidence.
    pub source: Source,
}

/// Kinds of evidence for a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The path of a source file in an assertion of the library.
    SourcePath(String),
    /// The name of a library with the same version next to it.
    Beside(String),
    /// The number of template arguments of a kernel, by this rule.
    TemplateArguments {
        /// Name of the kernel.
        symbol: String,
        /// Id of the rule.
        rule: String,
    },
}

impl Evidence {
    /// The version, if only one is possible.
    pub fn exact(&self) -> Option<Version> {
        self.versions.from.filter(|from| Some(*from) == self.versions.to)
    }

    /// The version whose rules to use: the only one, or the latest possible one. If versions later than any
    /// known are possible, `latest`, the last with known rules.
    pub fn version(&self, latest: Version) -> Version {
        self.versions.to.unwrap_or_else(|| self.versions.from.map_or(latest, |from| from.max(latest)))
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

/// Evidence for a library's version: the paths of its sources, the `libggml-base` next to it, or its kernels.
pub fn version_of(library: &Library) -> Option<Evidence> {
    by_source_path(library).or_else(|| by_neighbour(library.folder())).or_else(|| by_kernels(library))
}

/// Evidence from `__FILE__` paths in the constants of the host code: `…/ggml-0.27.0/src/ggml-cuda/acc.cu`.
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

/// How many folders above to search for `libggml-base.so.0.27.0`: plugins lie two folders below the
/// libraries.
const FOLDERS: usize = 3;

fn by_neighbour(folder: &Folder) -> Option<Evidence> {
    for folder in folder.ancestors().take(FOLDERS) {
        let mut found: Vec<(Version, String)> = Vec::new();
        for name in folder.names() {
            found.extend(version_in(&name).map(|version| (version, name.clone())));
        }
        found.sort_rows();
        if let [(version, name)] = &found[..] {
            return Some(Evidence::one(*version, Source::Beside(name.clone())));
        }
    }
    None
}

/// The version in the name of the base library: `libggml-base.so.0.27.0`, in wheels
/// `libggml-base-82914aef.so.0.27.0`.
fn version_in(name: &str) -> Option<Version> {
    let (stem, version) = name.strip_prefix("libggml-base")?.split_once(".so.")?;
    let is_hash = |hash: &str| !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_ours = stem.is_empty() || stem.strip_prefix('-').is_some_and(is_hash);
    version.parse().ok().filter(|_| is_ours && version.split('.').count() == 3)
}

fn by_kernels(library: &Library) -> Option<Evidence> {
    let target = library.targets().into_iter().next()?;
    by_arguments(&library.index(&target)?, super::rules::rules().ok()?)
}

/// The versions whose kernels have as many template arguments as a library's.
fn by_arguments(index: &Index<'_>, rules: &RouteRules) -> Option<Evidence> {
    let mut best: Option<Evidence> = None;
    for template in ["mul_mat_q", "mul_mat_vec_q"] {
        let prefix = format!("_ZL{}{template}I", template.len());
        let Some(symbol) = index.starting(&prefix) else { continue };
        let count = count_arguments(&symbol);
        let fits = |rule: &&Rule| rule.kernel == Some(template) && rule.arguments == count;
        let Some(rule) = rules.stage("symbols").find(fits) else { continue };
        let before = best.as_ref().map_or(VersionRange::default(), |evidence| evidence.versions);
        let from = before.from.max(rule.versions.from);
        let to = [before.to, rule.versions.to].into_iter().flatten().min();
        let source = Source::TemplateArguments { symbol, rule: rule.id.to_owned() };
        best = Some(Evidence { versions: VersionRange { from, to }, source });
    }
    best
}

/// Counts the constant template arguments in a mangled name: `L9ggml_type12E`, `Li1E`, `Lb0E`.
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
    fn versions_are_read_in_names_of_packages_and_of_wheels() {
        let version = |text: &str| text.parse::<Version>().ok();
        assert_eq!(version_in("libggml-base.so.0.27.0"), version("0.27.0"));
        assert_eq!(version_in("libggml-base-82914aef.so.0.27.0"), version("0.27.0"));
        for other in [
            "libggml-base.so.0",
            "libggml-base-cpu.so.0.27.0",
            "libggml-base-.so.0.27.0",
            "libggml.so.0.27.0",
        ] {
            assert_eq!(version_in(other), None, "{other}");
        }
    }

    #[test]
    fn an_open_range_is_answered_by_the_latest_rules_inside_of_it() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        let evidence = |from: Option<&str>, to: Option<&str>| Evidence {
            versions: VersionRange { from: from.map(version), to: to.map(version) },
            source: Source::Beside(String::new()),
        };
        let latest = version("0.27.0");
        assert_eq!(evidence(Some("0.21.1"), None).version(latest), latest);
        assert_eq!(evidence(Some("0.30.0"), None).version(latest), version("0.30.0"));
        assert_eq!(evidence(Some("0.9.5"), Some("0.12.9")).version(latest), version("0.12.9"));
        assert_eq!(evidence(None, None).version(latest), latest);
    }

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
