//! The kernels that a file of a library folder supplies, and for which target.
#![deny(clippy::indexing_slicing)]

use super::kernel_id::{KernelId, Kernels};
use amdgpu_object::bytes::elf::Elf;
use amdgpu_object::codeobject;
use amdgpu_object::codeobject::disassembly::CodeAsk;
use amdgpu_object::codeobject::kernel_symbols;
use amdgpu_object::container;
use amdgpu_object::container::bundle_reader;
use amdgpu_object::container::bundle_reader::Depth;
use amdgpu_object::format::{Format, Support};
use amdgpu_object::target::TargetId;
use rocm_audit_files::error::{ParseError, Parsed};
use rocm_audit_files::input::folder::Folder;

/// What the name of a kernel's descriptor ends with.
const DESCRIPTOR: &str = ".kd";

/// A file with code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeFile {
    /// The targets of its code objects, each once.
    pub targets: Vec<TargetId>,
    /// Its kernels.
    pub kernels: Kernels,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// Why a file's kernels are not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadCodeFile {
    /// It cannot be opened, or changed while it was read.
    Unreadable(String),
    /// It is no code object.
    Malformed(ParseError),
}

impl CodeFile {
    /// Reads a file: of a plain code object only the symbols, of a compressed bundle what stands before the
    /// machine code.
    ///
    /// # Errors
    /// Where it cannot be opened or holds no code object.
    pub fn open(folder: &Folder, name: &str) -> Result<CodeFile, UnreadCodeFile> {
        let file = folder.open(name).map_err(|error| UnreadCodeFile::Unreadable(error.to_string()))?;
        let read = CodeFile::read(file.bytes(), file.head());
        file.check_unchanged().map_err(|change| UnreadCodeFile::Unreadable(change.to_string()))?;
        read.map(|supply| CodeFile { bytes: file.len(), ..supply }).map_err(UnreadCodeFile::Malformed)
    }

    /// Reads the bytes of a file that begins with `head` and may have any size.
    ///
    /// # Errors
    /// Where it holds no code object.
    pub fn read(bytes: &[u8], head: &[u8]) -> Parsed<CodeFile> {
        if let Some(target) = codeobject::target_of(bytes) {
            return Ok(CodeFile { targets: vec![target], kernels: kernels(bytes)?, bytes: 0 });
        }
        let format = Format::identify(head);
        if format.support() != Support::Yes {
            let what = format!("expected a code object or an offload bundle, found {}", format.name());
            return Err(ParseError::new(0, what));
        }
        let container = container::open(bytes, format);
        let mut supply = CodeFile::default();
        let mut problems = container.problems().clone();
        for bundle in container.bundles() {
            let kernels = &mut supply.kernels;
            let targets = &mut supply.targets;
            let read = bundle_reader::read(
                bytes,
                bundle,
                Depth::Metadata,
                CodeAsk::Nothing,
                &mut |_, target, kernel| {
                    if !targets.contains(target) {
                        targets.push(target.clone());
                    }
                    let name = kernel.symbol().strip_suffix(DESCRIPTOR).unwrap_or(kernel.symbol());
                    kernels.insert(KernelId::from_name(name.as_bytes()));
                },
            );
            problems.append(read.into_payloads().1);
        }
        match problems.iter().next() {
            Some(problem) => Err(problem.clone()),
            None if supply.targets.is_empty() => {
                Err(ParseError::new(0, "no code object with a kernel in it"))
            }
            None => Ok(supply),
        }
    }
}

/// The kernels of a code object by its symbols.
///
/// # Errors
/// Where it is no ELF file or its symbols do not lie in it.
pub(super) fn kernels(bytes: &[u8]) -> Parsed<Kernels> {
    let elf = Elf::open(bytes, 0)?;
    let sections = elf.sections()?;
    Ok(kernel_symbols::names(&elf, &sections)?.map(KernelId::from_name).collect())
}
