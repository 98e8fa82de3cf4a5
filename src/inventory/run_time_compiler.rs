//! Software that compiles kernels for the GPU at run time: what it makes leaves no bytes in a package.

use super::library_name::is_called;
use crate::locator::file_name;
use std::collections::BTreeMap;

/// One kind of it.
#[derive(Debug)]
pub struct RunTimeCompiler {
    /// Its name.
    pub name: &'static str,
    /// What it compiles, and for what.
    pub compiles: &'static str,
    /// Whether kernels come of it by itself.
    pub makes_kernels: bool,
    /// Its shared library, as on Linux and without a version.
    pub library: Option<&'static str>,
    /// Functions of it by which a program has kernels compiled.
    pub functions: &'static [&'static str],
    /// Folders whose files are a sign of it.
    is_in: fn(&str) -> bool,
}

/// All that are known.
static COMPILERS: &[RunTimeCompiler] = &[
    RunTimeCompiler {
        name: "Triton",
        compiles: "Python kernels, with LLVM and device libraries of its own, for any GPU that this LLVM knows",
        makes_kernels: true,
        library: None,
        functions: &[],
        is_in: |path| path.contains("triton/backends/amd/"),
    },
    RunTimeCompiler {
        name: "hiprtc",
        compiles: "HIP source text, for the GPU of the process",
        makes_kernels: true,
        library: Some("libhiprtc"),
        functions: &["hiprtcCompileProgram"],
        is_in: |_| false,
    },
    RunTimeCompiler {
        name: "comgr",
        compiles: "HIP, bitcode and SPIR-V for other libraries, with an LLVM of its own",
        makes_kernels: true,
        library: Some("libamd_comgr"),
        functions: &["amd_comgr_do_action"],
        is_in: |_| false,
    },
    RunTimeCompiler {
        name: "MIGraphX",
        compiles: "graphs of models, by hiprtc, for the GPU of the process",
        makes_kernels: true,
        library: Some("libmigraphx_c"),
        functions: &[],
        is_in: |_| false,
    },
    RunTimeCompiler {
        name: "device libraries",
        compiles: "nothing by themselves: bitcode (ocml, ockl) that compilers link into kernels",
        makes_kernels: false,
        library: None,
        functions: &[],
        is_in: |path| path.contains("/amdgcn/bitcode/") && path.ends_with(".bc"),
    },
];

/// What a file has to do with a compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "CompilerSign"))]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// It is of it, by its name.
    IsOfIt,
    /// It is linked with it.
    IsLinked,
    /// It names a function of it among its constants, which it may load.
    NamesFunction,
}

/// A file that has kernels compiled: by which compiler, by its number in the table, and what says so.
pub type Compiled = (usize, Sign);

/// The compilers that a program is linked with.
pub fn linked_with(needed: &[String]) -> impl Iterator<Item = Compiled> {
    let is_needed = |library: &str| needed.iter().any(|name| is_called(library, name));
    let of = move |(number, compiler): (usize, &RunTimeCompiler)| {
        compiler.library.filter(|library| is_needed(library)).map(|_| (number, Sign::IsLinked))
    };
    COMPILERS.iter().enumerate().filter_map(of)
}

/// The compilers whose functions are among the constants of a program.
pub fn named_in(has: &dyn Fn(&str) -> bool) -> Vec<Compiled> {
    let of = |(number, compiler): (usize, &RunTimeCompiler)| {
        compiler.functions.iter().any(|name| has(name)).then_some((number, Sign::NamesFunction))
    };
    COMPILERS.iter().enumerate().filter_map(of).collect()
}

/// Some files that are a sign of a compiler.
#[derive(Debug)]
pub struct CompilerFound<'a> {
    /// The compiler.
    pub compiler: &'static RunTimeCompiler,
    /// What they have to do with it.
    pub sign: Sign,
    /// Number of files.
    pub files: u64,
    /// The first of them.
    pub first: &'a str,
}

/// What was found, by its number in the table and its sign: how many files, and the first.
#[derive(Debug, Default)]
pub struct RunTimeCompilers(BTreeMap<Compiled, (u64, String)>);

impl RunTimeCompilers {
    /// Looks at the path of a file.
    pub(super) fn note(&mut self, shown: &str) {
        let is_of = |compiler: &RunTimeCompiler| {
            (compiler.is_in)(shown)
                || compiler.library.is_some_and(|library| is_called(library, file_name(shown)))
        };
        if let Some(number) = COMPILERS.iter().position(is_of) {
            self.add((number, Sign::IsOfIt), shown);
        }
    }

    /// Counts a file that has kernels compiled.
    pub(super) fn add(&mut self, compiled: Compiled, shown: &str) {
        self.0.entry(compiled).or_insert_with(|| (0, shown.to_owned())).0 += 1;
    }

    /// Counts what was found in a part.
    pub(super) fn merge(&mut self, part: RunTimeCompilers) {
        for (key, (files, first)) in part.0 {
            self.0.entry(key).or_insert((0, first)).0 += files;
        }
    }

    /// Each with its number of files and the first of them.
    pub fn iter(&self) -> impl Iterator<Item = CompilerFound<'_>> {
        self.0.iter().filter_map(|((number, sign), (files, first))| {
            let compiler = COMPILERS.get(*number)?;
            Some(CompilerFound { compiler, sign: *sign, files: *files, first })
        })
    }
}
