//! Software that compiles kernels for the GPU at run time: a package does not contain its output.

use super::library_name::is_called;
use crate::locator::file_name;
use rocm_audit_files::key_map::KeyMap;

/// One run-time compiler.
#[derive(Debug)]
pub struct RunTimeCompiler {
    /// Name of the software.
    pub name: &'static str,
    /// What it compiles, and for which purpose.
    pub compiles: &'static str,
    /// Whether it produces kernels without the user's doing.
    pub makes_kernels: bool,
    /// Its shared library, named as on Linux and without a version.
    pub library: Option<&'static str>,
    /// Its functions that compile kernels for a program.
    pub functions: &'static [&'static str],
    /// Recognises folders whose files indicate it.
    is_in: fn(&str) -> bool,
}

/// AITER, whose package has sources beside its code objects.
pub const AITER: &str = "AITER";

/// ROCm's compiler driver, which programs start.
pub const HIPCC: &str = "hipcc";

/// The compiler in ROCm's runtime.
pub const HIPRTC: &str = "hiprtc";

/// PyTorch's module for extensions. On ROCm it translates CUDA sources before it calls hipcc. Source: PyTorch,
/// `torch/utils/cpp_extension.py`, `_jit_compile`.
pub const TORCH_EXTENSION: &str = "PyTorch's cpp_extension";

/// The compiler of kernels in Python.
pub const TRITON: &str = "Triton";

/// All known run-time compilers.
static COMPILERS: &[RunTimeCompiler] = &[
    RunTimeCompiler {
        name: TRITON,
        compiles: "Python kernels, with LLVM and device libraries of its own, for any GPU that this LLVM knows",
        makes_kernels: true,
        library: None,
        functions: &[],
        is_in: |path| path.contains("triton/backends/amd/"),
    },
    RunTimeCompiler {
        name: HIPRTC,
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
        name: AITER,
        compiles: "its modules in HIP and Triton, by ROCm's hipcc, for the GPU of the process",
        makes_kernels: true,
        library: None,
        functions: &[],
        is_in: |path| path.contains("aiter/jit/") || path.contains("aiter_meta/csrc/"),
    },
    RunTimeCompiler {
        name: "tinygrad",
        compiles: "its own kernels, by LLVM or comgr, for the GPU of the process",
        makes_kernels: true,
        library: None,
        functions: &[],
        is_in: |path| path.ends_with("tinygrad/runtime/ops_amd.py"),
    },
    RunTimeCompiler {
        name: "FlyDSL",
        compiles: "Python kernels, by an MLIR and LLVM of its own, for the GPU of the process",
        makes_kernels: true,
        library: Some("libfly_jit_runtime"),
        functions: &[],
        is_in: |_| false,
    },
    RunTimeCompiler {
        name: "OpenCL",
        compiles: "OpenCL source text, by the driver's compiler, for the GPU of the process",
        makes_kernels: true,
        library: Some("libOpenCL"),
        functions: &["clBuildProgram"],
        is_in: |path| is_called("libamdocl64", file_name(path)),
    },
    RunTimeCompiler {
        name: HIPCC,
        compiles: "HIP sources that programs give to it, for the GPUs that they name",
        makes_kernels: true,
        library: None,
        functions: &[],
        is_in: |_| false,
    },
    RunTimeCompiler {
        name: TORCH_EXTENSION,
        compiles: "HIP and CUDA sources, by ROCm's hipcc, for the GPU of the process",
        makes_kernels: true,
        library: None,
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

/// How a file is related to a compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "CompilerSign"))]
#[serde(rename_all = "kebab-case")]
pub enum CompilerRelation {
    /// The file is part of the compiler, by its name.
    IsOfIt,
    /// The file is linked with it, or has its functions among its dynamic symbols.
    IsLinked,
    /// One of its functions is among the file's constants, so the file may load it.
    NamesFunction,
    /// The file is text that has it compile kernels.
    CallsIt,
}

/// A file that uses a compiler: the compiler's index in the table, and the evidence.
pub type Compiled = (usize, CompilerRelation);

/// The compilers that a program is linked with and has compile: a disassembler is linked with comgr, too. `has` says
/// whether a function is among the program's symbols.
pub fn linked_with(needed: &[String], has: &dyn Fn(&str) -> bool) -> Vec<Compiled> {
    let is_needed = |library: &str| needed.iter().any(|name| is_called(library, name));
    let compiles = |compiler: &RunTimeCompiler| {
        compiler.functions.is_empty() || compiler.functions.iter().any(|name| has(name))
    };
    let of = |(number, compiler): (usize, &RunTimeCompiler)| {
        let library = compiler.library.filter(|library| is_needed(library) && compiles(compiler));
        library.map(|_| (number, CompilerRelation::IsLinked))
    };
    COMPILERS.iter().enumerate().filter_map(of).collect()
}

/// The compilers whose functions are among a program's names, and what that makes of the program.
pub fn named_in(has: &dyn Fn(&str) -> bool, relation: CompilerRelation) -> Vec<Compiled> {
    let of = |(number, compiler): (usize, &RunTimeCompiler)| {
        compiler.functions.iter().any(|name| has(name)).then_some((number, relation))
    };
    COMPILERS.iter().enumerate().filter_map(of).collect()
}

/// The files that indicate a compiler.
#[derive(Debug)]
pub struct CompilerFound<'a> {
    /// The compiler.
    pub compiler: &'static RunTimeCompiler,
    /// How they are related to it.
    pub sign: CompilerRelation,
    /// Number of files.
    pub files: u64,
    /// The first of the files.
    pub first: &'a str,
}

/// Files found, by compiler index and sign: their number, and the first.
#[derive(Debug, Default)]
pub struct RunTimeCompilers(KeyMap<Compiled, (u64, String)>);

impl RunTimeCompilers {
    /// Examines the path of a file.
    pub(super) fn note(&mut self, shown: &str) {
        let is_of = |compiler: &RunTimeCompiler| {
            (compiler.is_in)(shown)
                || compiler.library.is_some_and(|library| is_called(library, file_name(shown)))
        };
        if let Some(number) = COMPILERS.iter().position(is_of) {
            self.add((number, CompilerRelation::IsOfIt), shown);
        }
    }

    /// Counts a file that uses a compiler.
    pub(super) fn add(&mut self, compiled: Compiled, shown: &str) {
        self.0.entry(compiled).or_insert_with(|| (0, shown.to_owned())).0 += 1;
    }

    /// Counts the texts that call a compiler.
    pub(super) fn add_callers(&mut self, name: &str, files: u64, first: String) {
        if let Some(number) = COMPILERS.iter().position(|compiler| compiler.name == name) {
            self.0.insert((number, CompilerRelation::CallsIt), (files, first));
        }
    }

    /// Adds the counts of a part.
    pub(super) fn merge(&mut self, part: RunTimeCompilers) {
        for (key, (files, first)) in part.0 {
            self.0.entry(key).or_insert((0, first)).0 += files;
        }
    }

    /// Those that compile for the files that are here, or are here themselves: not those that text calls for
    /// kernels of its own.
    pub fn of_binaries(&self) -> impl Iterator<Item = CompilerFound<'_>> {
        self.iter().filter(|found| found.sign != CompilerRelation::CallsIt)
    }

    /// Each compiler and sign, with the number of files and the first.
    pub fn iter(&self) -> impl Iterator<Item = CompilerFound<'_>> {
        self.0.iter().filter_map(|((number, sign), (files, first))| {
            let compiler = COMPILERS.get(*number)?;
            Some(CompilerFound { compiler, sign: *sign, files: *files, first })
        })
    }
}
