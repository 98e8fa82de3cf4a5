//! How host libraries of ROCm and its users are linked: the names, needs and exports of each.

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
    /// Libraries of ROCm whose names are among its constants and that it is not linked with: a program that
    /// calls `dlopen` opens them by name. Only of ELF files.
    pub named: Vec<String>,
    /// Path below its root or in its package: its place once everything named together is installed.
    pub installed: String,
    /// Path on disk, unless it is a member of a package.
    pub on_disk: Option<String>,
    /// Where the loader searches for the libraries it needs.
    pub search: SearchPaths,
    /// For each library and kind of version, the highest version it requires: `hip_6.0` of
    /// `libamdhip64.so.6`.
    pub versions: Vec<(String, String)>,
    /// Hashes of its exports, as `name` and `name@version`. Only for ROCm's own libraries.
    pub exports: HashSet<u64>,
    /// Symbols it requires from ROCm's libraries.
    pub asks: Vec<RequiredSymbol>,
    /// Symbols of the HIP runtime that it uses without naming the library: their number, and the first.
    pub unnamed_hip: (u64, Option<String>),
    /// Number of its symbols that are kernel stubs without any definition, and the first.
    pub stubs: (u64, Option<String>),
    /// What compiles kernels for it at run time, if it is a program or library that requests this.
    pub compiled_by: Vec<Compiled>,
    /// Whether it asks for a stack that can be executed.
    pub executable_stack: bool,
    /// Whether it registers kernels, and whether it registers variables, with the HIP runtime.
    pub registers: Registers,
    /// Processors among the constants of the HSA runtime. Only for that library.
    pub processors: Vec<&'static str>,
    /// What it does with code that is not for the GPU as it is. Only of the HSA runtime and the HIP runtime.
    pub loading: Loading,
    /// Whether LLVM's code generator for AMD's GPUs is in it and it calls the HIP runtime: it compiles kernels
    /// by itself.
    pub own_llvm: bool,
    /// Which forms of catalogs it reads. Only of libraries with catalogs of Tensile, where their constants
    /// can be told.
    pub probing: Option<Probing>,
    /// MIOpen's release among its constants. Only of what exports MIOpen's functions, whatever it is called.
    pub miopen: Option<(u32, u32, u32)>,
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
    /// Whether it calls `__hipRegisterFunction` for kernels.
    pub kernels: bool,
    /// Whether it calls `__hipRegisterVar` for variables.
    pub variables: bool,
}

/// A symbol that a library requires from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequiredSymbol {
    /// Name of the symbol.
    pub name: String,
    /// Version of the symbol, if it has one.
    pub version: Option<String>,
    /// The library: its `DT_SONAME`, or the beginning of that up to the version if only the symbol's name
    /// shows it.
    pub library: String,
}

/// The hash of a symbol, including its version if it has one.
pub fn hash(name: &[u8], version: Option<&[u8]>) -> u64 {
    let mut text = name.to_vec();
    if let Some(version) = version {
        text.push(b'@');
        text.extend_from_slice(version);
    }
    xxhash_rust::xxh3::xxh3_64(&text)
}

impl Linkage {
    /// Approximate memory in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let names = self.needed.iter().chain(self.search.folders()).map(String::len).sum::<usize>();
        let asks = self.asks.iter().map(|asked| asked.name.len() + asked.library.len() + 72).sum::<usize>();
        (1024 + names + asks + 16 * self.exports.len()) as u64
    }

    /// The name that loaders look for: `DT_SONAME`, else the file name.
    pub fn name(&self) -> &str {
        let file = file_name(&self.shown);
        self.soname.as_deref().unwrap_or(file)
    }

    /// The libraries that it loads: those that it is linked with, and those that it may open by name.
    pub fn loads(&self) -> impl Iterator<Item = &str> {
        self.needed.iter().chain(&self.named).map(String::as_str)
    }

    /// The part of its name before the version: `libamdhip64` for `libamdhip64.so.6`.
    pub fn stem(&self) -> &str {
        stem(self.name())
    }
}

/// The name and the numbers of a version: `hip_6.0` gives `hip` and 6, 0. Only versions with equal names are
/// comparable.
pub fn version_numbers(version: &str) -> (&str, Vec<u64>) {
    let (name, numbers) = version.rsplit_once('_').unwrap_or(("", version));
    (name, numbers.split('.').map(|number| number.parse().unwrap_or(0)).collect())
}

/// Whether a file name is that of a shared library: `libamdhip64.so.6`, `amdhip64_6.dll`.
pub fn is_library_name(name: &str) -> bool {
    let ending = |end: &str| {
        name.len() > end.len()
            && name.get(name.len() - end.len()..).is_some_and(|own| own.eq_ignore_ascii_case(end))
    };
    name.contains(".so.") || ending(".so") || ending(".dll")
}
