//! Kernels as text, and programs of Python that have them compiled or open ROCm's libraries: recognised by
//! what stands in the code, without comments and documentation.

use crate::inventory::kernel_sources::{KernelText, SourceText, names_rocm};
use crate::inventory::run_time_compiler::{HIPCC, HIPRTC, TORCH_EXTENSION, TRITON};
use crate::limits::SOURCE_BYTES;
use crate::locator::file_name;
use crate::scan::linkage::{OPENED, rocm_library};
use crate::scan::source_text::c_text::{includes, without_comments};
use crate::scan::source_text::python_text::PythonText;
use crate::scan::source_text::{has_kernel, has_word};
use crate::scan::{Candidate, Identity, Scanned, Scanner};
use memchr::memmem;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "kernel-source",
    of_text: true,
    finds: "kernels as text (HIP, CUDA, Triton), and Python that has them compiled or opens ROCm's libraries by name",
    claims,
    scan: |candidate, _, _| scan(candidate),
};

/// How names of files in C++ end, of those that are compiled by themselves.
const UNITS: [&str; 7] = [".hip", ".cu", ".cpp", ".cc", ".cxx", ".c", ".hip.cpp"];

/// How names of headers end.
const HEADERS: [&str; 5] = [".h", ".hpp", ".hh", ".cuh", ".inl"];

/// How names of Python's modules end.
const MODULES: [&str; 2] = [".py", ".pyx"];

fn ends(name: &str, all: &[&str]) -> bool {
    all.iter().any(|end| name.ends_with(end))
}

fn claims(candidate: &Identity<'_>) -> bool {
    let name = candidate.name;
    candidate.format == crate::format::Format::Other
        && (ends(name, &UNITS) || ends(name, &HEADERS) || ends(name, &MODULES))
}

fn scan(candidate: &Candidate<'_>) -> Scanned {
    let bytes = candidate.file.bytes();
    let bytes = bytes.get(..SOURCE_BYTES.min(bytes.len())).unwrap_or_default();
    let text = if ends(candidate.name, &MODULES) {
        of_python(bytes, candidate.name)
    } else {
        of_c(bytes, ends(candidate.name, &UNITS))
    };
    Scanned { text: Some(text).filter(|text| !text.is_empty()).map(Box::new), ..Scanned::default() }
}

/// What C++ says.
fn of_c(bytes: &[u8], is_unit: bool) -> SourceText {
    // Most files have neither: to look for these is quicker than to read.
    let has = |word: &[u8]| memmem::find(bytes, word).is_some();
    if !has(b"__global__") && !has(b"hip/") {
        return SourceText::default();
    }
    let code = without_comments(bytes);
    let includes_hip = includes(&code).any(|name| name.starts_with(b"hip/"));
    let includes_cuda = includes(&code).any(|name| name.starts_with(b"cuda"));
    let kernels = match (has_kernel(&code), includes_hip) {
        (true, true) => Some(KernelText::Hip),
        (true, false) if includes_cuda => Some(KernelText::Cuda),
        (true, false) => Some(KernelText::Shared),
        (false, true) => Some(KernelText::HostOnly),
        (false, false) => None,
    };
    let kernels = match kernels {
        Some(KernelText::HostOnly) if !is_unit => None,
        // They are compiled where others include them.
        Some(_) if !is_unit => Some(KernelText::Header),
        kernels => kernels,
    };
    SourceText { kernels, includes_hip, ..SourceText::default() }
}

/// What any Python says that matters has one of these in it.
const SIGNS: [&str; 9] = [
    "__global__",
    "triton.jit",
    "cpp_extension",
    "hiprtc",
    "hipcc",
    "DLL",
    "LoadLibrary",
    "dlopen",
    "find_library",
];

fn of_python(bytes: &[u8], name: &str) -> SourceText {
    if !SIGNS.iter().any(|sign| memmem::find(bytes, sign.as_bytes()).is_some()) {
        return SourceText::default();
    }
    let python = PythonText::read(bytes);
    let code = python.code.as_slice();
    let has = |word: &str| has_word(code, word);
    let is_constant = |of: &dyn Fn(&str) -> bool| {
        python.constants.iter().any(|text| std::str::from_utf8(text).is_ok_and(of))
    };
    let mut text = SourceText::default();
    let opens = ["CDLL", "LoadLibrary", "WinDLL", "PyDLL", "dlopen", "find_library"].into_iter().any(has);
    if opens {
        text.opens = opened(&python);
    }
    let is_triton = memmem::find(code, b"triton.jit").is_some() && has("import");
    if is_triton {
        text.calls.push(TRITON);
        text.kernels = Some(KernelText::Triton);
    }
    if python.constants.iter().any(|text| has_kernel(text)) {
        text.kernels = Some(KernelText::Constant);
    }
    let includes_hip = |text: &&[u8]| includes(text).any(|name| name.starts_with(b"hip/"));
    if text.kernels.is_none() && python.constants.iter().any(includes_hip) {
        text.kernels = Some(KernelText::HostOnly);
    }
    let names_function = is_constant(&|text| text == "hiprtcCompileProgram");
    if has("hiprtcCompileProgram") || opens && names_function {
        text.calls.push(HIPRTC);
    }
    let runs = ["subprocess", "Popen", "execvp", "check_call"].into_iter().any(has)
        || memmem::find(code, b"os.system").is_some();
    if runs && is_constant(&is_hipcc) {
        text.calls.push(HIPCC);
    }
    if has("cpp_extension") && loads_extension(code) {
        text.calls.push(TORCH_EXTENSION);
    }
    // What a build script calls is called when the package is built.
    if BUILD_SCRIPTS.contains(&name) {
        let extends = has("cpp_extension") && ["CUDAExtension", "BuildExtension"].into_iter().any(has);
        text.builds = extends || text.calls.iter().any(|compiler| *compiler != TRITON);
        text.calls.clear();
    }
    text
}

/// Names of the scripts that build a package.
const BUILD_SCRIPTS: [&str; 1] = ["setup.py"];

/// Whether a constant is the name or the path of ROCm's compiler, or a command that begins with it.
fn is_hipcc(text: &str) -> bool {
    let command = text.split_ascii_whitespace().next().unwrap_or_default();
    matches!(file_name(command), "hipcc" | "hipcc.exe" | "hipcc.bat" | "hipcc.bin")
}

/// Whether Python has PyTorch compile an extension: it takes the function from the module, or calls it there.
fn loads_extension(code: &[u8]) -> bool {
    let calls = ["cpp_extension.load(", "cpp_extension.load_inline(", "load_inline("];
    let is_called = calls.iter().any(|call| memmem::find(code, call.as_bytes()).is_some());
    let import = b"cpp_extension import";
    let mut imports = memmem::find_iter(code, import).map(|at| {
        let names = code.get(at + import.len()..).unwrap_or_default();
        let end = match names.trim_ascii_start().first() {
            Some(b'(') => memchr::memchr(b')', names),
            _ => memchr::memchr(b'\n', names),
        };
        names.get(..end.unwrap_or(names.len())).unwrap_or_default()
    });
    let takes =
        |names: &[u8]| ["load", "load_inline", "_jit_compile"].iter().any(|name| has_word(names, name));
    is_called || imports.any(takes)
}

/// The libraries that Python opens: those of ROCm's, and others that are of AMD's GPUs by their names.
fn opened(python: &PythonText<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let finds = has_word(&python.code, "find_library");
    for text in python.constants.iter().filter_map(|text| std::str::from_utf8(text).ok()) {
        // A name may be a pattern for all versions.
        let name = file_name(text).replace('*', "");
        let is_name =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
        let is_library = name.contains(".so") || name.ends_with(".dll");
        let whole = match (is_name, is_library) {
            (true, true) => name,
            (true, false) if finds => format!("lib{name}.so"),
            _ => continue,
        };
        let opened = match rocm_library(&whole) {
            Some(known) => format!("{known}.so"),
            None if is_library && names_rocm(&whole) => whole,
            None => continue,
        };
        if !names.contains(&opened) {
            names.push(opened);
        }
    }
    names.truncate(OPENED);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(text: &str) -> SourceText {
        of_python(text.as_bytes(), "module.py")
    }

    #[test]
    fn a_kernel_of_hip_is_told_from_one_of_cuda_and_from_words() {
        let hip = "#include <hip/hip_runtime.h>\n__global__ void k(float *x) { }\n";
        assert_eq!(of_c(hip.as_bytes(), true).kernels, Some(KernelText::Hip));
        assert_eq!(of_c(hip.as_bytes(), false).kernels, Some(KernelText::Header));
        assert_eq!(of_c(b"#include <hip/hip_runtime.h>\nint f();\n", false).kernels, None);
        let cuda = "#include <cuda_runtime.h>\n__global__ void k(float *x) { }\n";
        assert_eq!(of_c(cuda.as_bytes(), true).kernels, Some(KernelText::Cuda));
        let words = "// #include <hip/hip_runtime.h>\n// __global__ void k(float *x) { }\nint hipcc;\n";
        assert!(of_c(words.as_bytes(), true).is_empty());
    }

    #[test]
    fn a_compiler_is_called_and_not_only_named() {
        let calls = |text: &str| python(text).calls;
        assert_eq!(calls("import subprocess\nsubprocess.run(['hipcc', '-o', x])\n"), [HIPCC]);
        assert_eq!(calls("import os\nos.system(f'{root}/bin/hipcc {x}')\n"), [HIPCC]);
        assert_eq!(calls("import subprocess\nc = os.path.join(root, 'bin/hipcc')\n"), [HIPCC]);
        assert!(calls("import subprocess\n# 'hipcc'\nraise E('hipcc-like rocm is lacking')\n").is_empty());
        assert!(calls("COMPILER = 'hipcc'\n").is_empty());
        assert_eq!(calls("hip = 1\nlib.hiprtcCompileProgram(p, 0, None)\n"), [HIPRTC]);
        assert!(calls("NAMES = {'nvrtcCompileProgram': 'hiprtcCompileProgram'}\n").is_empty());
        assert_eq!(calls("import triton\n@triton.jit\ndef k(x): pass\n"), [TRITON]);
        assert!(calls("'''Use triton.jit.'''\nimport triton\n").is_empty());
    }

    #[test]
    fn extensions_are_loaded_at_run_time_or_built() {
        let load = "from torch.utils.cpp_extension import (\n    load,\n)\nload(name='a', sources=[])\n";
        assert_eq!(python(load).calls, [TORCH_EXTENSION]);
        let build = "from torch.utils.cpp_extension import BuildExtension, CUDAExtension\nsetup()\n";
        assert!(python(build).calls.is_empty() && !python(build).builds);
        assert!(of_python(build.as_bytes(), "setup.py").builds);
        assert!(python("from torch.utils.cpp_extension import CUDA_HOME\nx = torch.load(p)\n").is_empty());
    }

    #[test]
    fn libraries_are_opened_by_whole_names() {
        let opens = |text: &str| python(text).opens;
        let found = opens("ctypes.CDLL('/opt/rocm/lib/libamdhip64.so.7')\nx = f'{r}/bin/hiprtc*.dll'\n");
        assert_eq!(found, ["libamdhip64.so", "libhiprtc.so"]);
        assert_eq!(opens("p = find_library('mlx_rocm')\nn = 'libmlx_rocm.so'\n"), ["libmlx_rocm.so"]);
        assert_eq!(opens("p = find_library('amdhip64')\n"), ["libamdhip64.so"]);
        assert!(opens("CDLL('libship.so')\nm = 'libamdhip64.so was not found'\n").is_empty());
        assert!(opens("n = 'libamdhip64.so'\n").is_empty());
    }
}
