//! Kernels that are here as text, and who has them compiled: what a package of Python or of HIP sources has
//! instead of device code.

use super::library_name::stem;
use super::run_time_compiler::{HIPCC, HIPRTC, TORCH_EXTENSION, TRITON};
use crate::limits::SOURCE_GROUPS;
use rocm_audit_files::key_map::KeyMap;

/// What one file of text says of kernels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceText {
    /// Kernels that it defines.
    pub kernels: Option<KernelText>,
    /// Whether it includes headers of HIP.
    pub includes_hip: bool,
    /// Compilers that it calls, by their names in the table.
    pub calls: Vec<&'static str>,
    /// Whether it has sources compiled when a package is built: it is a build script.
    pub builds: bool,
    /// Libraries that it opens by name: those of ROCm as they are called on Linux, others as they are written.
    pub opens: Vec<String>,
}

impl SourceText {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == SourceText::default()
    }
}

/// How a kernel is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KernelText {
    /// In C++ of HIP, in a file of its own.
    Hip,
    /// In C++ that includes headers of neither HIP nor CUDA, in a file of its own.
    Shared,
    /// In C++ of CUDA, in a file of its own.
    Cuda,
    /// In C++, as a constant of a program.
    Constant,
    /// In Python, for Triton.
    Triton,
    /// In a header, for programs that include it.
    Header,
    /// None: C++ that calls HIP's runtime.
    HostOnly,
}

/// Files of one kind: their number, and the first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// Number of files.
    pub files: u64,
    /// The first as reports show it.
    pub first: String,
}

impl Named {
    fn add(&mut self, shown: &str) {
        self.add_files(1, shown);
    }

    fn merge(&mut self, other: &Named) {
        self.add_files(other.files, &other.first);
    }

    fn add_files(&mut self, files: u64, first: &str) {
        self.files += files;
        if self.first.is_empty() || first < self.first.as_str() {
            first.clone_into(&mut self.first);
        }
    }

    /// All of them together; `None` if there are none.
    fn sum<'a>(parts: impl IntoIterator<Item = Option<&'a Named>>) -> Option<Named> {
        parts.into_iter().flatten().fold(None, |mut all: Option<Named>, part| {
            all.get_or_insert_default().merge(part);
            all
        })
    }
}

/// What the texts of one package say together.
#[derive(Debug, Default)]
pub struct SourceGroup {
    kernels: KeyMap<KernelText, Named>,
    calls: KeyMap<&'static str, Named>,
    builds: Option<Named>,
    opens: KeyMap<String, Named>,
    includes_hip: bool,
}

impl SourceGroup {
    fn add(&mut self, text: SourceText, shown: &str) {
        if let Some(kernels) = text.kernels {
            self.kernels.entry(kernels).or_default().add(shown);
        }
        for compiler in text.calls {
            self.calls.entry(compiler).or_default().add(shown);
        }
        if text.builds {
            self.builds.get_or_insert_default().add(shown);
        }
        for library in text.opens {
            self.opens.entry(library).or_default().add(shown);
        }
        self.includes_hip |= text.includes_hip;
    }

    /// The files with kernels that are written a way.
    pub fn kernels(&self, text: KernelText) -> Option<&Named> {
        self.kernels.get(&text)
    }

    /// Files with kernels in C++ for HIP. Those that include headers of neither HIP nor CUDA count where
    /// another file of the package includes HIP's.
    pub fn hip_files(&self) -> Option<Named> {
        let shared = self.kernels(KernelText::Shared).filter(|_| self.includes_hip);
        Named::sum([self.kernels(KernelText::Hip), shared])
    }

    /// Headers with kernels, where the package includes HIP's.
    pub fn headers(&self) -> Option<&Named> {
        self.kernels(KernelText::Header).filter(|_| self.includes_hip)
    }

    /// Files with kernels in C++ that may be CUDA's.
    pub fn cuda_files(&self) -> Option<Named> {
        Named::sum([self.kernels(KernelText::Cuda), self.kernels(KernelText::Shared)])
    }

    /// Who has C++ compiled for AMD's GPUs at run time: the compiler, and the files that call it.
    pub fn caller(&self) -> Option<(&'static str, &Named)> {
        let of = |name| Some((name, self.calls.get(name)?));
        [HIPRTC, HIPCC, TORCH_EXTENSION].into_iter().find_map(of)
    }

    /// The files that call a compiler.
    pub fn calling(&self, compiler: &str) -> Option<&Named> {
        self.calls.get(compiler)
    }

    /// The scripts that have sources compiled when the package is built.
    pub fn builds(&self) -> Option<&Named> {
        self.builds.as_ref()
    }

    /// Libraries that are opened by name, and by whom.
    pub fn opens(&self) -> impl Iterator<Item = (&str, &Named)> {
        self.opens.iter().map(|(library, files)| (library.as_str(), files))
    }
}

/// The texts of all packages.
#[derive(Debug, Default)]
pub struct KernelSources(KeyMap<String, SourceGroup>);

impl KernelSources {
    /// Adds what a file says; false where that is not kept, as there are too many packages.
    pub(super) fn add(&mut self, text: SourceText, root: usize, shown: &str, installed: &str) -> bool {
        if is_aside(installed) {
            return true;
        }
        let group = group(root, shown);
        if self.0.len() >= SOURCE_GROUPS && !self.0.contains_key(&group) {
            return false;
        }
        self.0.entry(group).or_default().add(text, shown);
        true
    }

    /// What each package has.
    pub fn groups(&self) -> impl Iterator<Item = &SourceGroup> {
        self.0.values()
    }

    /// What the package of a file has.
    pub fn beside(&self, root: usize, shown: &str) -> Option<&SourceGroup> {
        // Asked for each artifact and GPU: most trees have no sources.
        if self.0.is_empty() { None } else { self.0.get(&group(root, shown)) }
    }

    /// The compilers that Python files call, with those files: Triton only for kernels that are here.
    pub fn callers(&self) -> KeyMap<&'static str, Named> {
        let mut all: KeyMap<&'static str, Named> = KeyMap::new();
        for group in self.groups() {
            let has_text = group.hip_files().is_some() || group.kernels(KernelText::Constant).is_some();
            let of = group.calls.iter().filter(|(name, _)| **name == TRITON || has_text);
            for (name, files) in of {
                all.entry(name).or_default().merge(files);
            }
        }
        all
    }
}

/// The package that a file is of: the innermost file that holds it, or its root, and below a folder of
/// installed packages that one's folder.
fn group(root: usize, shown: &str) -> String {
    let (outer, inner) = match shown.rsplit_once("!/") {
        Some((outer, inner)) => (outer.to_owned(), inner),
        None => (format!("{root}"), shown),
    };
    let below = ["site-packages/", "dist-packages/"].iter().find_map(|folder| inner.split_once(folder));
    match below.and_then(|(_, rest)| rest.split_once('/')) {
        Some((package, _)) => format!("{outer}\0{package}"),
        None => outer,
    }
}

/// Whether a file is of no use to who uses the package: tests, examples and what documents it.
fn is_aside(installed: &str) -> bool {
    const FOLDERS: [&str; 12] = [
        "test",
        "tests",
        "testing",
        "unittest",
        "doc",
        "docs",
        "example",
        "examples",
        "benchmark",
        "benchmarks",
        "samples",
        "tutorials",
    ];
    let mut parts = installed.split('/').rev();
    let name = parts.next().unwrap_or_default();
    let is_test = name.starts_with("test_") || stem_of(name).ends_with("_test") || name == "conftest.py";
    is_test || parts.any(|folder| FOLDERS.contains(&folder))
}

fn stem_of(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(own, _)| own)
}

/// Whether a library's name says that it is of AMD's GPUs: a word of it is ROCm's or HIP's.
pub fn names_rocm(library: &str) -> bool {
    let lower = stem(library).to_ascii_lowercase();
    let own = lower.strip_prefix("lib").unwrap_or(&lower);
    // ROCm's own statement of its release launches nothing.
    own != "rocm-core"
        && own.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| matches!(word, "rocm" | "hip"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_package_are_told_together_and_tests_say_nothing() {
        let of = |kernels, calls: &[&'static str]| SourceText {
            kernels,
            calls: calls.to_vec(),
            ..SourceText::default()
        };
        let mut all = KernelSources::default();
        let place = "venv/lib/python3.12/site-packages";
        let mut add = |text, path: &str| assert!(all.add(text, 0, path, path));
        add(of(Some(KernelText::Hip), &[]), &format!("{place}/a/k.hip"));
        add(of(None, &[HIPCC]), &format!("{place}/a/build.py"));
        add(of(Some(KernelText::Hip), &[HIPCC]), &format!("{place}/b/tests/k.py"));
        add(of(Some(KernelText::Shared), &[]), &format!("{place}/c/k.cpp"));
        assert_eq!(all.groups().count(), 2);
        let a = all.beside(0, &format!("{place}/a/lib.so")).unwrap();
        assert_eq!(a.hip_files().unwrap().files, 1);
        assert_eq!(a.caller().unwrap().0, HIPCC);
        assert!(all.beside(0, &format!("{place}/b/x.so")).is_none());
        // C++ that names neither is HIP's where a header beside it includes HIP's.
        let c = || format!("{place}/c/common.h");
        assert!(all.beside(0, &c()).unwrap().hip_files().is_none());
        assert!(all.add(SourceText { includes_hip: true, ..SourceText::default() }, 0, &c(), &c()));
        assert!(all.beside(0, &c()).unwrap().hip_files().is_some());
    }

    #[test]
    fn a_member_is_of_its_innermost_package() {
        assert_eq!(group(0, "a.tar!/b.whl!/c/d.py"), "a.tar!/b.whl");
        assert_eq!(group(3, "c/d.py"), "3");
        assert!(names_rocm("libmlx_rocm.so") && names_rocm("my-hip.dll"));
        assert!(!names_rocm("libship.so") && !names_rocm("libchip.so.1"));
        assert!(!names_rocm("librocm-core.so.1"));
    }
}
