//! Reads how a host library of the field hangs together with others.

use super::library_names::Compiles;
use super::{Candidate, library_names};
use crate::bytes::elf::{Elf, named_section};
use crate::container::linkage::{self, Linked};
use crate::engines::miopen::release_text;
use crate::engines::tensile::probing::Probing;
use crate::format::Format;
use crate::inventory::library_name::{is_called, stem};
use crate::inventory::linkage::{Linkage, Loading, Registers, RequiredSymbol, hash, version_numbers};
use crate::inventory::run_time_compiler::{Compiled, CompilerRelation, linked_with, named_in};
use crate::limits::ASKED_SYMBOLS;
use crate::target::PROCESSORS;
use memchr::memmem;
use object::elf as raw;
use rocm_audit_files::key_map::KeyMap;

/// Beginnings of the names of ROCm's libraries, and of the symbols that only they export. The longer of two
/// comes first.
const ROCM: [(&str, &str); 33] = [
    ("libamdhip64", ""),
    ("libhsa-runtime64", "hsa_"),
    ("libamd_comgr", "amd_comgr_"),
    ("libhiprtc", "hiprtc"),
    ("libamdocl64", ""),
    ("librocblas", "rocblas_"),
    ("libhipblaslt", "hipblasLt"),
    ("libhipblas", ""),
    ("librocsolver", "rocsolver_"),
    ("libhipsolver", "hipsolver"),
    ("librocsparse", "rocsparse_"),
    ("libhipsparse", ""),
    ("librocfft", "rocfft_"),
    ("libhipfft", "hipfft"),
    ("librocrand", "rocrand_"),
    ("libhiprand", "hiprand"),
    ("libMIOpen", "miopen"),
    ("librccl", "nccl"),
    ("libroctx64", ""),
    ("libroctracer64", ""),
    ("librocprofiler64", ""),
    ("librocprofiler-sdk", ""),
    ("librocprofiler-register", ""),
    ("libhsa-amd-aqlprofile64", ""),
    ("librocm_smi64", ""),
    ("libamd_smi", ""),
    ("libhipsparselt", ""),
    ("libhiptensor", ""),
    ("librocalution", ""),
    ("librocroller", ""),
    ("libmigraphx", ""),
    ("libmigraphx_c", ""),
    ("libhipdnn_backend", ""),
];

/// Whether a library is one of ROCm's, by its name.
pub(crate) fn is_rocm(name: &str) -> bool {
    rocm_library(name).is_some()
}

/// The library of ROCm that a file is, by its name: as it is called on Linux, without a version.
pub(crate) fn rocm_library(name: &str) -> Option<&'static str> {
    ROCM.iter().map(|(known, _)| *known).find(|known| is_called(known, name))
}

/// A function that every MIOpen exports: the one that tells its release.
const MIOPEN_EXPORT: &[u8] = b"miopenGetVersion";

/// Most bytes of constants that are searched for the names of functions.
const CONSTANT_BYTES: usize = 64 << 20;

/// What has kernels compiled at run time for a program: what it is linked with and whose functions it calls, or
/// else what it may load by name. A library of ROCm's under another name exports such functions, and a module
/// that leaves the choice of the library to its process imports them and names no library.
fn compilers(format: Format, bytes: &[u8], needed: &[String]) -> Vec<Compiled> {
    if format != Format::HostElf {
        // A table of imports has names that end with a zero.
        let has = |function: &str| memmem::find(bytes, format!("{function}\0").as_bytes()).is_some();
        return linked_with(needed, &has);
    }
    let is_among = |names: Option<&[u8]>, function: &str| {
        let whole = format!("\0{function}\0");
        names.is_some_and(|names| memmem::find(names, whole.as_bytes()).is_some())
    };
    let section = |name: &[u8]| named_section(bytes, name).filter(|names| names.len() <= CONSTANT_BYTES);
    let symbols = section(b".dynstr");
    let has = |function: &str| is_among(symbols, function);
    // Without a table of symbols, what it is linked with has to do.
    let linked = linked_with(needed, &|function| symbols.is_none() || has(function));
    if !linked.is_empty() {
        return linked;
    }
    let imported = named_in(&has, CompilerRelation::IsLinked);
    if !imported.is_empty() {
        return imported;
    }
    let constants = section(b".rodata");
    named_in(&|function| is_among(constants, function), CompilerRelation::NamesFunction)
}

/// Whether a library is CUDA's or its driver, by its name.
pub(crate) fn is_cuda(name: &str) -> bool {
    const CUDA: [&str; 12] = [
        "libcudart",
        "libcublas",
        "libcublasLt",
        "libcuda",
        "libcudnn",
        "libcufft",
        "libcurand",
        "libcusparse",
        "libcusolver",
        "libnvrtc",
        "libnccl",
        "libnvJitLink",
    ];
    CUDA.contains(&stem(name))
}

/// How a file hangs together with others, where it is a host library or program of the field. `soname` and
/// `needed` are what its dynamic section says.
pub(super) fn read_linkage(
    candidate: &Candidate<'_>,
    soname: Option<&str>,
    needed: &[String],
) -> Option<Box<Linkage>> {
    let own = soname.unwrap_or(candidate.name);
    let is_own = is_rocm(own) || is_rocm(candidate.name);
    let known = library_names::of_shared_library(candidate.name);
    if !matches!(candidate.format, Format::HostElf | Format::WindowsPe) {
        return None;
    }
    let bytes = candidate.file.bytes();
    // ROCm's own libraries are linked with its compilers whether kernels come of that or not.
    let may_compile = !is_own || known.is_some_and(|name| library_names::compiles(name) != Compiles::Nothing);
    let compiled_by = if may_compile { compilers(candidate.format, bytes, needed) } else { Vec::new() };
    let of_field = is_own
        || known.is_some()
        || !compiled_by.is_empty()
        || needed.iter().any(|name| is_rocm(name) || is_cuda(name));
    let named = match candidate.format {
        Format::HostElf => opened_by_name(bytes, own, needed),
        _ => Vec::new(),
    };
    if !of_field && named.is_empty() {
        return None;
    }
    let has_catalogs =
        ["librocblas", "libhipblaslt", "libhipsparselt"].iter().any(|known| is_called(known, own));
    let dynamic = linkage::read(bytes).unwrap_or_default();
    let mut found = Linkage {
        shown: candidate.shown.to_owned(),
        bytes: candidate.file.len(),
        soname: soname.map(str::to_owned),
        needed: needed.to_vec(),
        search: dynamic.search().clone(),
        executable_stack: candidate.format == Format::HostElf && asks_for_executable_stack(bytes),
        compiled_by,
        probing: has_catalogs.then(|| Probing::from_library(candidate.name, bytes)).flatten(),
        ..Linkage::default()
    };
    if ["libhsa-runtime64", "libamdhip64"].iter().any(|known| is_called(known, own)) {
        let has = |word: &str| memmem::find(bytes, word.as_bytes()).is_some();
        found.loading = Loading { hot_swap: has("HSA_HOTSWAP_"), spirv: has("amdgcnspirv") };
    }
    if candidate.format == Format::WindowsPe {
        // Names of imports end with a NUL in the table of their DLL.
        let imports = |name: &[u8]| memmem::find(bytes, name).is_some();
        found.registers = Registers {
            kernels: imports(b"__hipRegisterFunction\0"),
            variables: imports(b"__hipRegisterVar\0"),
        };
        return Some(Box::new(found));
    }
    let exports_miopen = dynamic.symbols().iter().any(|own| own.is_defined() && own.name() == MIOPEN_EXPORT);
    let mut symbols = SymbolReader { own, is_own, needed, versions: KeyMap::new(), found };
    dynamic.symbols().iter().for_each(|symbol| symbols.add(symbol));
    let SymbolReader { versions, mut found, .. } = symbols;
    if exports_miopen {
        let constants = named_section(bytes, b".rodata").filter(|all| all.len() <= CONSTANT_BYTES);
        found.miopen = constants.and_then(release_text::among_constants);
    }
    let opens_hip = named.iter().chain(needed).any(|name| is_called("libamdhip64", name));
    found.own_llvm = opens_hip && !is_own && has_code_generator(bytes);
    found.named = named;
    found.versions = versions.into_iter().map(|((library, _), (_, version))| (library, version)).collect();
    if own.starts_with("libhsa-runtime64") {
        found.processors = processors_named(bytes);
    }
    Some(Box::new(found))
}

/// Whether a shared library asks for a stack that can be executed: by a flag, or on x86-64 by not saying anything.
/// Source: glibc, `elf/dl-load.c` and `sysdeps/x86/stackinfo.h`.
fn asks_for_executable_stack(bytes: &[u8]) -> bool {
    let Ok(elf) = Elf::open(bytes, 0) else { return false };
    let Ok(segments) = elf.segments() else { return false };
    let is_shared = elf.kind() == raw::ET_DYN.0 && segments.iter().any(|one| one.kind == raw::PT_DYNAMIC.0);
    match segments.iter().find(|one| one.kind == raw::PT_GNU_STACK.0) {
        Some(stack) => is_shared && stack.flags & raw::PF_X.0 != 0,
        None => is_shared && elf.machine() == raw::EM_X86_64.0,
    }
}

/// Whether LLVM's code generator for AMD's GPUs is in a program: the name of a pass that only it has is among
/// the constants. Source: LLVM, `lib/Target/AMDGPU/SIInsertWaitcnts.cpp`.
fn has_code_generator(bytes: &[u8]) -> bool {
    let constants = named_section(bytes, b".rodata").unwrap_or_default();
    memmem::find(constants, b"si-insert-waitcnts").is_some()
}

/// Most libraries that a file is said to open by name.
pub(super) const OPENED: usize = 24;

/// The libraries of ROCm whose whole names stand among a file's constants, if it has `dlopen`: those that it is
/// linked with and its own are left out.
fn opened_by_name(bytes: &[u8], own: &str, needed: &[String]) -> Vec<String> {
    let imports = named_section(bytes, b".dynstr").unwrap_or_default();
    let constants = named_section(bytes, b".rodata").unwrap_or_default();
    if memmem::find(imports, b"\0dlopen\0").is_none() || constants.len() > CONSTANT_BYTES {
        return Vec::new();
    }
    let mut names: Vec<String> = Vec::new();
    for at in memmem::find_iter(constants, b".so") {
        // Names are short, and stand between two zeros.
        let before = constants.get(at.saturating_sub(64)..at).unwrap_or_default();
        let Some(start) = memchr::memrchr(0, before) else { continue };
        let behind = constants.get(at..(at + 32).min(constants.len())).unwrap_or_default();
        let Some(end) = memchr::memchr(0, behind) else { continue };
        let from = at - before.len() + start + 1;
        let Some(name) = constants.get(from..at + end).and_then(|name| std::str::from_utf8(name).ok()) else {
            continue;
        };
        let is_known = |other: &str| stem(other) == stem(name);
        let is_new = !names.iter().any(|known| known == name);
        if is_new && is_rocm(name) && !is_known(own) && !needed.iter().any(|other| is_known(other)) {
            names.push(name.to_owned());
        }
        if names.len() == OPENED {
            break;
        }
    }
    names
}

/// The processors that stand in a file by name.
fn processors_named(bytes: &[u8]) -> Vec<&'static str> {
    let named = |name: &str| {
        memmem::find_iter(bytes, name.as_bytes()).any(|at| {
            // gfx1100 is no part of a longer name.
            let behind = bytes.get(at + name.len());
            behind.is_some_and(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')
        })
    };
    PROCESSORS.iter().map(|known| known.name()).filter(|name| named(name)).collect()
}

/// Reads the dynamic symbols of an ELF file, one by one.
struct SymbolReader<'a> {
    /// Its SONAME, else its name.
    own: &'a str,
    /// Whether it is a library of ROCm's.
    is_own: bool,
    needed: &'a [String],
    /// The highest version that is asked for, by library and name of the version.
    versions: KeyMap<(String, String), (Vec<u64>, String)>,
    found: Linkage,
}

impl SymbolReader<'_> {
    fn add(&mut self, symbol: &Linked<'_>) {
        if symbol.is_defined() {
            if self.is_own {
                self.found.exports.insert(hash(symbol.name(), None));
                self.found.exports.extend(symbol.version().map(|version| hash(symbol.name(), Some(version))));
            }
            return;
        }
        if let (Some(library), Some(version)) = (symbol.library(), symbol.version()) {
            let (library, version) = (String::from_utf8_lossy(library), String::from_utf8_lossy(version));
            let (name, numbers) = version_numbers(&version);
            let highest = self.versions.entry((library.into_owned(), name.to_owned())).or_default();
            if (&numbers, &*version) > (&highest.0, &*highest.1) {
                *highest = (numbers, version.into_owned());
            }
        }
        if !symbol.is_weak() {
            self.register(symbol);
            self.ask(symbol);
        }
    }

    /// Notes what a symbol says of the kernels that the file registers and launches.
    fn register(&mut self, symbol: &Linked<'_>) {
        let (needed, found) = (self.needed, &mut self.found);
        let names_hip =
            needed.iter().any(|name| stem(name) == "libamdhip64") || stem(self.own) == "libamdhip64";
        let text = || String::from_utf8_lossy(symbol.name()).into_owned();
        found.registers.kernels |= symbol.name() == b"__hipRegisterFunction";
        found.registers.variables |= symbol.name() == b"__hipRegisterVar";
        let is_hip = symbol.name().starts_with(b"__hip")
            || symbol.name().starts_with(b"hip") && symbol.name().get(3).is_some_and(u8::is_ascii_uppercase);
        if is_hip && symbol.library().is_none() && !names_hip {
            found.unnamed_hip.0 += 1;
            found.unnamed_hip.1.get_or_insert_with(text);
        }
        if memmem::find(symbol.name(), b"__device_stub__").is_some() {
            found.stubs.0 += 1;
            found.stubs.1.get_or_insert_with(text);
        }
    }

    /// Notes a symbol that a library of ROCm's has to have.
    fn ask(&mut self, symbol: &Linked<'_>) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let library = match symbol.library() {
            Some(library) => Some(text(library)).filter(|library| is_rocm(library)),
            // A name without a version says by its beginning whose it is, where the file is linked with that
            // library.
            None => {
                let of = |(_, begins): &&(&str, &str)| {
                    !begins.is_empty() && symbol.name().starts_with(begins.as_bytes())
                };
                let known = ROCM.iter().find(of).map(|(library, _)| *library);
                known
                    .filter(|library| self.needed.iter().any(|name| stem(name) == *library))
                    .map(str::to_owned)
            }
        };
        if let Some(library) = library.filter(|library| stem(library) != stem(self.own))
            && self.found.asks.len() < ASKED_SYMBOLS
        {
            let version = symbol.version().map(text);
            self.found.asks.push(RequiredSymbol { name: text(symbol.name()), version, library });
        }
    }
}
