//! Which parts MIOpen's build lacks, read from the bytes of its library.

use crate::bytes::elf::{Elf, Section};
use crate::engines::miopen::solver::BuildPart;
use crate::limits::ELF_HEADERS;
use memchr::memmem;

/// A part that a build lacks, and the reason for believing so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    /// The part.
    pub part: BuildPart,
    /// The reason, as a sentence.
    pub because: &'static str,
    /// Whether the bytes show it; otherwise it is inferred.
    pub observed: bool,
}

/// The function that returns the assembler's path, in a build that has an assembler.
const ASSEMBLER_PATH: &str = "_Z23GetGcnAssemblerPathImplB5cxx11v";
/// Prefix of the mangled names of the functions that return the path of an installed find-db. Their body
/// either searches the folder or, in a build with MIOPEN_DISABLE_SYSDB, returns an empty path.
const FIND_DB_PATH: &[u8] = b"_ZN6miopen14FindDbRecord_t";
/// BuildPart of the mangled name of the one that the others call.
const INSTALLED_PATH: &[u8] = b"16GetInstalledPathE";
/// Largest code size in bytes of a function that only returns an empty path. Debian's has 30 bytes; the one
/// that searches for a file has 370.
const EMPTY_PATH: u64 = 64;
/// Most bytes of a function that are examined.
const MOST_CODE: u64 = 1 << 16;
/// `EM_X86_64` in ELF headers.
const X86_64: u16 = 62;
/// Size of a symbol table entry in bytes.
const SYMBOL: usize = 24;

/// A symbol of the dynamic table that has a body.
struct Symbol<'d> {
    name: &'d [u8],
    address: u64,
    size: u64,
}

/// The parts that a build lacks.
pub(super) fn lacking(elf: &Elf<'_, &[u8]>) -> Vec<Lacking> {
    let Ok(sections) = elf.sections_up_to(ELF_HEADERS) else { return Vec::new() };
    let section = |name: &[u8]| {
        let section = sections.iter().find(|section| section.name == name)?;
        elf.section_bytes(section).ok()
    };
    let Some(names) = section(b".dynstr") else { return Vec::new() };
    let mut all = by_names(names);
    let symbols = section(b".dynsym")
        .map(|table| symbols(table, names, &[ASSEMBLER_PATH.as_bytes(), FIND_DB_PATH]))
        .unwrap_or_default();
    let assembler = symbols.iter().find(|symbol| symbol.name == ASSEMBLER_PATH.as_bytes());
    if elf.machine() == X86_64
        && let Some(function) = assembler
        && names_a_path(elf, &sections, function) == Some(false)
    {
        all.push(Lacking {
            part: BuildPart::Assembly,
            because: "the function that gives the path of the assembler refers to no path, so that only \
                      MIOPEN_EXPERIMENTAL_GCN_ASM_PATH names one",
            observed: true,
        });
    }
    let of_find_db = |symbol: &&Symbol<'_>| {
        symbol.name.starts_with(FIND_DB_PATH) && memmem::find(symbol.name, INSTALLED_PATH).is_some()
    };
    let mut paths = symbols.iter().filter(of_find_db).peekable();
    if paths.peek().is_some() && paths.all(|symbol| symbol.size <= EMPTY_PATH) {
        all.push(Lacking {
            part: BuildPart::SystemDatabases,
            because: "the function that gives the path of an installed find-db is too short to look for one, as \
                      MIOPEN_DISABLE_SYSDB makes it",
            observed: true,
        });
    }
    all
}

/// Parts that must be missing, judged by the symbols of a build and the libraries it needs.
fn by_names(names: &[u8]) -> Vec<Lacking> {
    let has = |text: &[u8]| memmem::find(names, text).is_some();
    let mut all = Vec::new();
    let solvers = has(b"N6miopen6solver");
    // Solvers appear as weak symbols of templates, and so would the parts of Composable Kernel inlined in
    // them.
    if solvers && !has(b"N2ck") {
        all.push(Lacking {
            part: BuildPart::ComposableKernel,
            because: "it has templates of its solvers among its symbols, and none of Composable Kernel's",
            observed: false,
        });
    }
    if solvers && !has(b"miir") && !has(b"libMLIR") && !has(b"librockCompiler") {
        all.push(Lacking {
            part: BuildPart::Mlir,
            because: "it has its solvers among its symbols, and none of rocMLIR's, whose names begin with miir",
            observed: false,
        });
    }
    if !has(b"librocblas.so") && !has(b"libhipblaslt.so") && !has(b"libhipblas.so") {
        all.push(Lacking {
            part: BuildPart::Gemm,
            because: "it needs neither librocblas nor hipBLASLt",
            observed: true,
        });
    }
    all
}

/// The defined symbols whose names begin with one of `wanted`.
fn symbols<'d>(table: &[u8], names: &'d [u8], wanted: &[&[u8]]) -> Vec<Symbol<'d>> {
    let symbol = |entry: &[u8]| {
        let number = |at: usize| Some(u64::from_le_bytes(entry.get(at..at + 8)?.try_into().ok()?));
        let name = u32::from_le_bytes(entry.get(..4)?.try_into().ok()?);
        let rest = names.get(usize::try_from(name).ok()?..)?;
        // The table has 20,000 symbols.
        if !wanted.iter().any(|begin| rest.starts_with(begin)) {
            return None;
        }
        let name = rest.split(|byte| *byte == 0).next()?;
        Some(Symbol { name, address: number(8)?, size: number(16)? })
    };
    let all = table.chunks_exact(SYMBOL).filter_map(symbol);
    all.filter(|symbol| symbol.address != 0 && symbol.size != 0).collect()
}

/// Whether a function's code refers to a constant that reads as an absolute path; `None` if the code cannot
/// be read. On x86-64 every operand relative to the instruction pointer has the same form, whatever the
/// instruction.
fn names_a_path(elf: &Elf<'_, &[u8]>, sections: &[Section<'_>], function: &Symbol<'_>) -> Option<bool> {
    let code = at_address(elf, sections, function.address)?;
    let code = code.get(..usize::try_from(function.size.min(MOST_CODE)).ok()?)?;
    let operand = |(at, bytes): (usize, &[u8])| {
        let [modrm, offset @ ..] = <[u8; 5]>::try_from(bytes).ok()?;
        if modrm & 0xc7 != 5 {
            return None;
        }
        let next = function.address.checked_add(at as u64 + 5)?;
        next.checked_add_signed(i64::from(i32::from_le_bytes(offset)))
    };
    let mut targets = code.windows(5).enumerate().filter_map(operand);
    Some(targets.any(|target| at_address(elf, sections, target).is_some_and(is_path)))
}

/// Whether the text begins with an absolute path of more than one component.
fn is_path(text: &[u8]) -> bool {
    const LONGEST: usize = 4096;
    let text = text.get(..LONGEST).unwrap_or(text);
    let Some(end) = memchr::memchr(0, text) else { return false };
    let path = text.get(..end).unwrap_or_default();
    let plain = path.iter().all(|byte| byte.is_ascii_graphic());
    plain && path.first() == Some(&b'/') && path.iter().filter(|byte| **byte == b'/').count() > 1
}

/// The bytes of the section that contains an address, from that address on.
fn at_address<'d>(elf: &Elf<'d, &'d [u8]>, sections: &[Section<'_>], address: u64) -> Option<&'d [u8]> {
    let inside = |section: &&Section<'_>| {
        section.address != 0 && address.checked_sub(section.address).is_some_and(|at| at < section.size)
    };
    let section = sections.iter().find(inside)?;
    let at = usize::try_from(address - section.address).ok()?;
    elf.section_bytes(section).ok()?.get(at..)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names as they stand in the string tables of Debian's libmiopen1 6.4.3 and of AMD's builds.
    #[test]
    fn names_speak_against_parts() {
        let parts = |names: &[u8]| by_names(names).into_iter().map(|own| own.part).collect::<Vec<_>>();
        let solver = b"_ZN6miopen6solver4conv3fft\0".as_slice();
        let debian = [solver, b"librocblas.so.4\0"].concat();
        assert_eq!(parts(&debian), [BuildPart::ComposableKernel, BuildPart::Mlir]);
        let amd = [solver, b"_ZN2ck6tensor\0miirCreateHandle\0librocblas.so.4\0"].concat();
        assert!(parts(&amd).is_empty());
        assert_eq!(parts(b"librocblas.so.4\0"), []);
    }

    #[test]
    fn a_path_is_absolute_and_ends() {
        assert!(is_path(b"/opt/rocm/llvm/bin/clang\0rest"));
        for none in [b"/\0".as_slice(), b"clang\0", b"/opt/rocm", b"basic_string\0", b"/a\x01/b\0"] {
            assert!(!is_path(none), "{none:?}");
        }
    }
}
