//! Software that compiles kernels for the GPU at run time: what it makes leaves no bytes in a package.

use crate::locator::file_name;
use std::collections::BTreeMap;

/// One kind of it.
#[derive(Debug)]
pub struct RunTimeCompiler {
    /// Its name.
    pub name: &'static str,
    /// What it compiles, and for what.
    pub compiles: &'static str,
    /// Whether a file, by its path with `/`, is a sign of it.
    is: fn(&str) -> bool,
}

/// All that are known by their files' names.
static COMPILERS: &[RunTimeCompiler] = &[
    RunTimeCompiler {
        name: "Triton",
        compiles: "Python kernels, with LLVM and device libraries of its own, for any GPU that this LLVM knows",
        is: |path| path.contains("triton/backends/amd/"),
    },
    RunTimeCompiler {
        name: "hiprtc",
        compiles: "HIP source text, for the GPU of the process",
        is: |path| is_library(path, "hiprtc"),
    },
    RunTimeCompiler {
        name: "comgr",
        compiles: "HIP, bitcode and SPIR-V for other libraries, with an LLVM of its own",
        is: |path| is_library(path, "amd_comgr"),
    },
    RunTimeCompiler {
        name: "device libraries",
        compiles: "nothing by themselves: bitcode (ocml, ockl) that compilers link into kernels",
        is: |path| path.contains("/amdgcn/bitcode/") && path.ends_with(".bc"),
    },
];

fn is_library(path: &str, stem: &str) -> bool {
    let file = file_name(path);
    let file = file.strip_prefix("lib").unwrap_or(file);
    file.strip_prefix(stem).is_some_and(|rest| rest.starts_with(".so") || rest.ends_with(".dll"))
}

/// What was found, by its number in the table: how many files, and the first.
#[derive(Debug, Default)]
pub struct RunTimeCompilers(BTreeMap<usize, (u64, String)>);

impl RunTimeCompilers {
    /// Looks at the path of a file.
    pub(super) fn note(&mut self, shown: &str) {
        if let Some(number) = COMPILERS.iter().position(|compiler| (compiler.is)(shown)) {
            self.0.entry(number).or_insert_with(|| (0, shown.to_owned())).0 += 1;
        }
    }

    /// Each with its number of files and the first of them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static RunTimeCompiler, u64, &str)> {
        let found = self.0.iter();
        found.filter_map(|(number, (files, first))| Some((COMPILERS.get(*number)?, *files, first.as_str())))
    }
}
