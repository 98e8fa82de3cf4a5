//! AMDGPU code objects: ELF files for `EM_AMDGPU` with kernels, their metadata and their machine code.

mod code_ask;
#[cfg(feature = "std")]
mod code_summary;
#[cfg(feature = "std")]
mod code_walk;
#[cfg(feature = "std")]
mod decode_options;
pub mod descriptor;
pub mod digest;
#[cfg(feature = "std")]
pub mod disassembly;
/// In a build without `std`, which decodes no machine code, only the words for asking for it.
#[cfg(not(feature = "std"))]
pub mod disassembly {
    pub use super::code_ask::{CodeAsk, DecodeOptions};
    pub use super::kernel_names::KernelNames;
}
#[cfg(feature = "std")]
pub mod fingerprint;
mod header;
#[cfg(feature = "std")]
mod histogram;
pub(crate) mod in_order;
#[cfg(feature = "std")]
mod instruction_hashes;
#[cfg(feature = "std")]
pub mod instruction_tally;
mod kernel;
mod kernel_names;
#[cfg(feature = "std")]
mod kernel_spans;
#[doc(hidden)]
pub mod kernel_symbols;
#[cfg(feature = "std")]
pub mod known_code;
pub mod launch_limit;
#[cfg(feature = "std")]
pub mod listing;
mod metadata;
mod metadata_v2;
#[cfg(feature = "demangle")]
mod name;
mod note;
#[cfg(feature = "std")]
mod patterns;
mod section_bytes;
#[cfg(feature = "std")]
mod stretches;
#[doc(hidden)]
pub mod symbol;
#[cfg(feature = "std")]
#[doc(hidden)]
pub mod text_section;
#[cfg(feature = "std")]
mod trap_stub;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
pub use header::{AbiVersion, Header};
pub use kernel::{Kernel, KernelTotals};
#[cfg(feature = "demangle")]
pub use name::demangle;
pub use section_bytes::{SectionByteClass, SectionBytes};

use crate::bytes::ByteSource;
use crate::bytes::elf;
use crate::bytes::elf::Elf;
use crate::bytes::section_headers;
use crate::error::{ParseError, ParseErrorKind, ParseErrors, Parsed};
use crate::format::{EM_AMDGPU, is_code_object};
#[cfg(feature = "std")]
use crate::isa::body::Body;
use crate::limits::CODE_OBJECT_HEADERS;
use crate::target::TargetId;
use disassembly::{CodeAsk, KernelNames};
#[cfg(feature = "std")]
use disassembly::{CodeSummary, DecodeOptions};
use object::elf as raw;

/// Receives each kernel with the target of its code object.
pub type OnKernel<'a> = dyn FnMut(&TargetId, &Kernel<'_>) + 'a;

answer! {
    /// Facts about one code object.
    #[derive(Debug, Clone)]
    pub struct CodeObject {
        /// ELF header facts: target from `e_flags`, ABI version.
        part header: Header,
        /// The target in the kernel metadata (`amdhsa.target`, since code object V4), without the triple.
        maybe_text metadata_target: String,
        /// The target in the V2 ISA note.
        maybe isa_note: TargetId,
        /// `amdhsa.version` of the metadata. Not the code object version: LLVM writes 1.2 for V5 and V6.
        copy metadata_version: Option<(u64, u64)>,
        /// Whether it has any kernel metadata; blit kernels and compiler libraries have none.
        copy has_metadata: bool,
        /// Number of notes with an unknown owner or type.
        hidden unknown_notes: u64,
        /// Number of kernel descriptors in the symbol table; `None` if it was not read.
        copy descriptors: Option<u64>,
        /// Sums and maxima over its kernels.
        part kernels: KernelTotals,
        /// Number of kernels that only trap; `None` if not requested, or if its machine code is unavailable.
        copy trap_stubs: Option<u64>,
        /// Bytes of machine code.
        copy code_bytes: u64,
        /// Offset and size of `.text` in bytes, if there are section headers.
        copy text: Option<(u64, u64)>,
        /// Its bytes by class; `None` if its section headers were not read.
        copy bytes: Option<SectionBytes>,
        /// Instruction mix of its machine code, if requested and if its processor is known.
        #[cfg(feature = "std")]
        maybe_boxed code: CodeSummary,
        /// Whether the caller requested it.
        copy code_asked: bool,
        /// Malformed parts.
        part problems: ParseErrors,
    }
}

impl CodeObject {
    /// Moves the instruction mix out of it.
    #[cfg(feature = "std")]
    pub fn take_code(&mut self) -> Option<Box<CodeSummary>> {
        self.code.take()
    }

    /// The target to count it for: from `e_flags`, or from the ISA note for old V2 objects, whose flags name
    /// no processor.
    pub fn target(&self) -> &TargetId {
        match &self.isa_note {
            Some(note) if self.header.mach == 0 => note,
            _ => &self.header.target,
        }
    }
}

/// Size in bytes of the code object at the beginning of `bytes`: up to the end of the last part that its
/// headers name.
///
/// # Errors
///
/// If it is not a code object or its headers are not in `bytes`.
pub fn extent(bytes: &[u8], base: u64) -> Parsed<u64> {
    if !is_code_object(bytes) {
        return Err(ParseError::new(base, "expected an offload bundle or an AMDGPU ELF file"));
    }
    let elf = Elf::open(bytes, base)?;
    let mut end = elf.header_extent().1;
    for segment in elf.segments()? {
        end = end.max(segment.offset.saturating_add(segment.size));
    }
    for section in elf.sections_up_to(CODE_OBJECT_HEADERS)? {
        end = end.max(section.file_range().1);
    }
    if end > bytes.len() as u64 {
        let what = format!("the code object spans {end:#x} bytes, {:#x} are there", bytes.len());
        return Err(ParseError::new(base, what).of_kind(ParseErrorKind::CutEnd));
    }
    Ok(end)
}

/// How many first bytes of a code object of `size` bytes are needed to [read] its kernel metadata. `head`
/// contains its first bytes, at least 4,096 or all.
pub fn facts_extent(head: &[u8], size: u64) -> u64 {
    let Ok(segments) = Elf::open(head, 0).and_then(|elf| elf.segments()) else { return size };
    let notes = segments.iter().filter(|s| s.kind == raw::PT_NOTE.0).map(|s| s.offset.saturating_add(s.size));
    notes.max().map_or(size, |end| end.min(size))
}

/// End of the part that is loaded before the machine code of a code object: notes, symbols, descriptors.
pub fn resident_extent(head: &[u8], size: u64) -> u64 {
    let Ok(segments) = Elf::open(head, 0).and_then(|elf| elf.segments()) else { return size };
    let first = segments.iter().find(|s| s.kind == raw::PT_LOAD.0 && s.flags & raw::PF_X.0 == 0);
    first.map_or(0, |s| s.offset.saturating_add(s.size)).min(size)
}

/// Reads a code object of `size` bytes that begins at the absolute offset `base`. Calls `on_kernel` for each
/// kernel in the order of the metadata.
///
/// # Errors
///
/// If the ELF header is unreadable. Errors after it are in [`CodeObject::problems`].
pub fn read<'d, R: ByteSource<'d>>(
    data: R,
    size: u64,
    base: u64,
    on_kernel: &mut OnKernel<'_>,
) -> Parsed<CodeObject> {
    read_elf(&Elf::open(data, base)?, data, size, false, on_kernel)
}

fn read_elf<'d, R: ByteSource<'d>>(
    elf: &Elf<'d, R>,
    data: R,
    size: u64,
    trap_stubs: bool,
    on_kernel: &mut OnKernel<'_>,
) -> Parsed<CodeObject> {
    let base = elf.base();
    if elf.machine() != EM_AMDGPU {
        return Err(ParseError::new(
            base + 18,
            format!("expected machine 224 (AMDGPU), found {}", elf.machine()),
        ));
    }
    let mut object = CodeObject {
        header: Header::from_elf(elf),
        metadata_target: None,
        isa_note: None,
        metadata_version: None,
        has_metadata: false,
        unknown_notes: 0,
        descriptors: None,
        kernels: KernelTotals::default(),
        trap_stubs: None,
        code_bytes: 0,
        text: None,
        bytes: None,
        #[cfg(feature = "std")]
        code: None,
        code_asked: false,
        problems: ParseErrors::default(),
    };
    let segments = elf.segments().unwrap_or_else(|error| {
        object.problems.push(error);
        Vec::new()
    });
    // If only the beginning was kept, missing section headers are not a defect of the file.
    let sections = elf.sections_up_to(CODE_OBJECT_HEADERS);
    let whole = data.range(size.saturating_sub(1), size.min(1)).is_some();
    let sections = match sections {
        Ok(sections) => Some(sections),
        Err(error) if whole => {
            object.problems.push(error);
            None
        }
        Err(_) => None,
    };
    if segments.is_empty() && sections.as_ref().is_some_and(Vec::is_empty) {
        object.problems.push(ParseError::new(base, "a code object with neither program nor section headers"));
    }
    if let Some(sections) = &sections {
        read_sections(&mut object, elf, sections, size);
    }
    object.code_bytes = match (&object.bytes, &sections) {
        (Some(bytes), Some(sections)) if !sections.is_empty() => bytes.get(SectionByteClass::Code),
        _ => executable_bytes(&segments).min(size),
    };
    if segments.iter().any(|s| s.kind == raw::PT_NULL.0 && s.size == 0 && s.offset == 0) {
        object.problems.push(ParseError::new(base, "a program header holds zeros only"));
    }
    if whole {
        object.problems.extend(section_headers::problems(sections.as_deref().unwrap_or_default(), base));
    }
    object.problems.extend(segments.iter().filter_map(|segment| emptied(elf, segment)));
    let places = note_places(&mut object, &segments, sections.as_deref().unwrap_or_default(), base);
    read_notes(&mut object, elf, places, on_kernel);
    if let Some(what) = lost_kernels(&object, elf, data, size, sections.as_deref()) {
        object.problems.push(ParseError::new(base, what));
    }
    #[cfg(feature = "std")]
    if let (true, Some(sections)) = (trap_stubs, &sections) {
        object.trap_stubs = trap_stub::count(elf, sections, object.target());
    }
    // Without decoders there is no other way to ask.
    #[cfg(not(feature = "std"))]
    debug_assert!(!trap_stubs);
    Ok(object)
}

/// Reads from the sections: position of the machine code, bytes by class, number of kernel descriptors.
fn read_sections<'d, R: ByteSource<'d>>(
    object: &mut CodeObject,
    elf: &Elf<'d, R>,
    sections: &[elf::Section<'d>],
    size: u64,
) {
    let text = |s: &&elf::Section<'_>| s.name == b".text" && s.kind == raw::SHT_PROGBITS.0 && s.size > 0;
    object.text = sections.iter().find(text).map(|s| (s.offset, s.size));
    object.bytes = Some(SectionBytes::from_elf(elf, sections, size));
    // If only parts were kept, the symbol table is not among them.
    match descriptor::count(elf, sections) {
        Ok(count) => object.descriptors = Some(count),
        Err(error) if error.kind == ParseErrorKind::WorkLimit => object.problems.push(error),
        Err(_) => {}
    }
}

/// Bytes of executable loaded segments.
fn executable_bytes(segments: &[elf::Segment]) -> u64 {
    let code = segments.iter().filter(|s| s.kind == raw::PT_LOAD.0 && s.flags & raw::PF_X.0 != 0);
    code.fold(0u64, |sum, s| sum.saturating_add(s.size))
}

/// Offset and size of each note segment in file order or, in an object without any, of the note sections.
fn note_places(
    object: &mut CodeObject,
    segments: &[elf::Segment],
    sections: &[elf::Section<'_>],
    base: u64,
) -> Vec<(u64, u64)> {
    let notes = segments.iter().filter(|s| s.kind == raw::PT_NOTE.0 && s.size > 0);
    let mut places: Vec<(u64, u64)> = notes.map(|s| (s.offset, s.size)).collect();
    if places.is_empty() {
        let notes = sections.iter().filter(|s| s.kind == raw::SHT_NOTE.0 && s.size > 0);
        places.extend(notes.map(|s| (s.offset, s.size)));
        // The HSA runtime has trap handlers without kernels, whose notes are not loaded.
        let has_kernels = object.descriptors.is_some_and(|count| count > 0);
        if !places.is_empty() && !segments.is_empty() && has_kernels {
            let what = "the notes lie in a section and in no segment, where the loader looks for them";
            object.problems.push(ParseError::new(base, what));
        }
    }
    places.sort_unstable();
    places
}

/// Reads the notes at these places. Every byte is read only once, however many headers name it.
fn read_notes<'d, R: ByteSource<'d>>(
    object: &mut CodeObject,
    elf: &Elf<'d, R>,
    places: Vec<(u64, u64)>,
    on_kernel: &mut OnKernel<'_>,
) {
    let base = elf.base();
    let mut read_to = 0;
    for (offset, size) in places {
        if offset < read_to {
            let what = "a note overlaps the one before it and is not read";
            let error = ParseError::new(base.saturating_add(offset), what);
            object.problems.push(error.of_kind(ParseErrorKind::Overlap));
            continue;
        }
        read_to = offset.saturating_add(size);
        match elf.bytes(offset, size, "the note segment") {
            Ok(bytes) => note::read_all(bytes, base.saturating_add(offset), object, on_kernel),
            Err(error) => object.problems.push(error),
        }
    }
}

/// Detects a segment that linkers write only if it has content, but that is empty.
fn emptied<'d, R: ByteSource<'d>>(elf: &Elf<'d, R>, segment: &elf::Segment) -> Option<ParseError> {
    let at = elf.base().saturating_add(segment.offset);
    if segment.kind == raw::PT_NOTE.0 && segment.size == 0 {
        return Some(ParseError::new(at, "a note segment of no bytes: the kernel metadata is lost"));
    }
    // If only parts were kept, they may not contain the table.
    let is_dynamic = segment.kind == raw::PT_DYNAMIC.0 && segment.size > 0;
    let table =
        is_dynamic.then(|| elf.bytes(segment.offset, segment.size, "the dynamic table").ok()).flatten()?;
    table.iter().all(|byte| *byte == 0).then(|| ParseError::new(at, "the dynamic table holds zeros only"))
}

/// Evidence that kernel metadata was lost: metadata and descriptors always have the same number of kernels,
/// and one of the two remains. Code objects from hand-written assembly have no metadata and no note.
fn lost_kernels<'d, R: ByteSource<'d>>(
    object: &CodeObject,
    elf: &Elf<'d, R>,
    data: R,
    size: u64,
    sections: Option<&[elf::Section<'_>]>,
) -> Option<String> {
    let kernels = object.kernels.count;
    let descriptors = match (object.header.version.code_object(), sections) {
        (Some(2), Some(sections)) => descriptor::count_v2(elf, sections),
        _ => object.descriptors,
    };
    let descriptors = descriptors.unwrap_or(0);
    // Malformed metadata has already been reported.
    if object.has_metadata && descriptors > kernels && object.problems.is_empty() {
        return Some(format!("{descriptors} kernels have a descriptor, the metadata lists {kernels}"));
    }
    if !object.has_metadata && object.unknown_notes > 0 {
        return Some("its notes are none that are known: the kernel metadata may be lost".to_owned());
    }
    // Without section headers, the names of descriptors still exist for the loader.
    let bare = !object.has_metadata && sections.is_some_and(<[_]>::is_empty);
    let bytes = if bare { data.range(0, size)? } else { return None };
    memchr::memmem::find(bytes, b".kd\0")
        .map(|_| "names of kernel descriptors are there, and no kernel metadata".to_owned())
}

/// [`read`], plus as much of the machine code as `ask` requests. If it is decoded, each kernel includes the
/// kind of its body.
///
/// # Errors
///
/// If the ELF header is unreadable.
pub fn read_decoded<'d, R: ByteSource<'d>>(
    data: R,
    size: u64,
    base: u64,
    ask: CodeAsk<'_>,
    on_kernel: &mut OnKernel<'_>,
) -> Parsed<CodeObject> {
    let elf = Elf::open(data, base)?;
    match ask {
        CodeAsk::Nothing => read_elf(&elf, data, size, false, on_kernel),
        #[cfg(feature = "std")]
        CodeAsk::TrapStubs => read_elf(&elf, data, size, true, on_kernel),
        #[cfg(feature = "std")]
        CodeAsk::Decoded(ask) => read_with_code(&elf, data, size, ask, on_kernel),
        #[cfg(not(feature = "std"))]
        CodeAsk::Decoded(ask) => match ask.never {},
    }
}

/// Reads a code object and decodes its machine code.
#[cfg(feature = "std")]
fn read_with_code<'d, R: ByteSource<'d>>(
    elf: &Elf<'d, R>,
    data: R,
    size: u64,
    ask: &DecodeOptions<'_>,
    on_kernel: &mut OnKernel<'_>,
) -> Parsed<CodeObject> {
    let header = Some(Header::from_elf(elf)).filter(|header| header.mach != 0);
    let mut code = header.and_then(|header| disassembly::read(elf, &header.target, ask));
    let kernels = code.as_ref().map(CodeSummary::by_name).unwrap_or_default();
    let mut stated = std::collections::HashMap::new();
    let mut object =
        read_elf(elf, data, size, false, &mut |target, kernel| match kernels.get(kernel.entry()) {
            Some(code) => {
                if code.kept().is_some() {
                    stated.insert(kernel.entry().to_owned(), Box::new(kernel.to_static()));
                }
                on_kernel(target, &kernel.with_code(code.in_words()));
            }
            None => on_kernel(target, kernel),
        })?;
    drop(kernels);
    if let Some(code) = &mut code {
        code.keep_stated(stated);
    }
    if code.is_none() {
        // Version 2 names its processor in a note.
        code = disassembly::read(elf, object.target(), ask);
    }
    if let Some(code) = &mut code {
        object.problems.append(core::mem::take(&mut code.problems));
    }
    object.code_asked = ask.wants(object.target());
    object.trap_stubs = code.as_ref().map(|code| code.bodies.get(&Body::TrapStub).copied().unwrap_or(0));
    object.code = code.map(Box::new);
    Ok(object)
}

/// Whether the symbols of a code object name one of these kernels. `true` if that cannot be told without
/// reading it: its symbols are unreadable, or it is of version 2, which has no descriptors.
pub fn may_have(bytes: &[u8], names: KernelNames<'_>) -> bool {
    let Ok(elf) = Elf::open(bytes, 0) else { return true };
    if elf.machine() == EM_AMDGPU && Header::from_elf(&elf).version.code_object() == Some(2) {
        return true;
    }
    let found = elf.sections_up_to(CODE_OBJECT_HEADERS).and_then(|sections| {
        let mut any = false;
        let part = names.finder();
        let may = |name: &[u8]| part.as_ref().is_none_or(|part| part.find(name).is_some());
        let meant = kernel_symbols::names(&elf, &sections)?
            .inspect(|_| any = true)
            .any(|name| may(name) && names.mean_bytes(name));
        Ok(meant || !any)
    });
    found.unwrap_or(true)
}

/// The target in the header of a code object; from version 3 on reads nothing else.
pub fn target_of(bytes: &[u8]) -> Option<TargetId> {
    let elf = Elf::open(bytes, 0).ok().filter(|elf| elf.machine() == EM_AMDGPU)?;
    let header = Header::from_elf(&elf);
    if header.mach != 0 {
        return Some(header.target);
    }
    // Version 2 names the target in a note.
    let size = bytes.len() as u64;
    read(bytes, size, 0, &mut |_, _| {}).ok().map(|object| object.target().clone())
}

/// Whether bytes begin with an ELF header; tells a foreign ELF file from other content.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(elf::MAGIC)
}
