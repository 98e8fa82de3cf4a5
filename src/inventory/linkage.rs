//! How host libraries of the field hang together: what each is called, asks for and exports.

use super::run_time_compiler::Compiled;
use crate::container::linkage::SearchPaths;
use crate::engines::tensile::probing::Probing;
use crate::locator::file_name;
use std::collections::HashSet;

pub use super::library_name::stem;

/// One host library or program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Linkage {
    /// The path as reports show it.
    pub shown: String,
    /// Size in bytes.
    pub bytes: u64,
    /// `DT_SONAME`.
    pub soname: Option<String>,
    /// `DT_NEEDED`, or the libraries that a Windows file imports from.
    pub needed: Vec<String>,
    /// Its path below its root, or in the package that holds it: where it is once all that was named together is installed.
    pub installed: String,
    /// Where it lies on disk, where it is no member of a package.
    pub on_disk: Option<String>,
    /// Where the loader looks for what it needs.
    pub search: SearchPaths,
    /// For each library and kind of version the highest that is asked of it: `hip_6.0` of `libamdhip64.so.6`.
    pub versions: Vec<(String, String)>,
    /// Hashes of what it exports, as `name` and `name@version`. Only of ROCm's own libraries.
    pub exports: HashSet<u64>,
    /// Symbols that it asks of ROCm's libraries.
    pub asks: Vec<Asked>,
    /// Symbols of the HIP runtime that it asks for without naming its library: how many, and the first.
    pub unnamed_hip: (u64, Option<String>),
    /// How many of its symbols are stubs of kernels that nobody defines, and the first.
    pub stubs: (u64, Option<String>),
    /// What has kernels compiled at run time for it, where it is a program or library that asks for that.
    pub compiled_by: Vec<Compiled>,
    /// Whether it registers kernels with the HIP runtime, and whether it registers variables.
    pub registers: Registers,
    /// Processors that the HSA runtime names among its constants. Only of that library.
    pub processors: Vec<&'static str>,
    /// What it does with code that is not for the GPU as it is. Only of the HSA runtime and the HIP runtime.
    pub loading: Loading,
    /// Which forms of catalogs it reads. Only of libraries with catalogs of Tensile, where their constants can be told.
    pub probing: Option<Probing>,
}

/// What a runtime does with code that is not for the GPU as it is, by the words among its constants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loading {
    /// It translates code of one revision of a GPU for another: it names the variables of HotSwap.
    pub hot_swap: bool,
    /// It names the target of SPIR-V, which it has comgr compile.
    pub spirv: bool,
}

/// What a program registers with the HIP runtime of the device code in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Registers {
    /// Kernels, by `__hipRegisterFunction`.
    pub kernels: bool,
    /// Variables, by `__hipRegisterVar`.
    pub variables: bool,
}

/// A symbol that a library asks of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Its name.
    pub name: String,
    /// Its version, where it has one.
    pub version: Option<String>,
    /// The library: its `DT_SONAME`, or the beginning of it up to the version where the symbol's name is all that says so.
    pub library: String,
}

/// The hash of a symbol, with its version where it has one.
pub fn hash(name: &[u8], version: Option<&[u8]>) -> u64 {
    let mut text = name.to_vec();
    if let Some(version) = version {
        text.push(b'@');
        text.extend_from_slice(version);
    }
    xxhash_rust::xxh3::xxh3_64(&text)
}

impl Linkage {
    /// About the bytes of memory that it takes.
    pub(crate) fn memory(&self) -> u64 {
        let names = self.needed.iter().chain(self.search.folders()).map(String::len).sum::<usize>();
        let asks = self.asks.iter().map(|asked| asked.name.len() + asked.library.len() + 72).sum::<usize>();
        (1024 + names + asks + 16 * self.exports.len()) as u64
    }

    /// The name that loaders look for: `DT_SONAME`, else the file's name.
    pub fn name(&self) -> &str {
        let file = file_name(&self.shown);
        self.soname.as_deref().unwrap_or(file)
    }

    /// What is before the version in its name: `libamdhip64` of `libamdhip64.so.6`.
    pub fn stem(&self) -> &str {
        stem(self.name())
    }
}

/// What is before the numbers of a version, and these: `hip_6.0` is of `hip` and of 6 and 0. Versions of one name are compared by them.
pub fn version_numbers(version: &str) -> (&str, Vec<u64>) {
    let (name, numbers) = version.rsplit_once('_').unwrap_or(("", version));
    (name, numbers.split('.').map(|number| number.parse().unwrap_or(0)).collect())
}

/// Whether the name of a file is that of a shared library: `libamdhip64.so.6`, `amdhip64_6.dll`.
pub fn is_library_name(name: &str) -> bool {
    let ending = |end: &str| {
        name.len() > end.len()
            && name.get(name.len() - end.len()..).is_some_and(|own| own.eq_ignore_ascii_case(end))
    };
    name.contains(".so.") || ending(".so") || ending(".dll")
}
