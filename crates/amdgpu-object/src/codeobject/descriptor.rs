//! Kernel descriptors: the 64 bytes that the command processor reads to start a kernel.
//!
//! Source: LLVM's AMDGPUUsage, "Kernel Descriptor". They confirm the metadata, and are the only source for
//! code objects without metadata.
#![deny(clippy::indexing_slicing)]

use super::kernel_symbols::{self, KernelSymbols};
use super::symbol::{self, NameBudget};
use crate::bytes::ByteSource;
use crate::bytes::elf::{Elf, Section};
use crate::bytes::le::LeBytes;
use crate::error::Parsed;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::collections::BTreeMap;

/// Size of a descriptor in bytes.
pub const SIZE: u64 = symbol::DESCRIPTOR_BYTES;

answer! {
    /// One kernel descriptor.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Descriptor {
        /// Its symbol, `<kernel>.kd`.
        text symbol: String,
        /// Offset from the beginning of the code object in bytes.
        copy offset: u64,
        /// Virtual address of the kernel's first instruction.
        copy entry: u64,
        /// Bytes of machine code, from the kernel's own symbol; `None` without one.
        copy code_size: Option<u64>,
        /// Static LDS in bytes.
        copy lds: u32,
        /// Scratch per work-item in bytes.
        copy scratch: u32,
        /// Kernel argument segment in bytes.
        copy kernarg: u32,
        /// `compute_pgm_rsrc1`, `2` and `3`.
        copy rsrc: [u32; 3],
        /// `kernel_code_properties`.
        copy properties: u16,
    }
}

impl Descriptor {
    /// Whether the kernel runs in wavefronts of 32 (gfx10 and later).
    pub fn is_wave32(&self) -> bool {
        self.properties & (1 << 10) != 0
    }

    /// The lanes of its waves, by that bit alone.
    #[cfg(feature = "std")]
    pub(super) fn lanes(&self) -> u32 {
        if self.is_wave32() { 32 } else { 64 }
    }
}

/// The descriptors of kernels by entry address, needed because instructions do not show the width of waves.
#[cfg(feature = "std")]
pub(super) fn by_entry<'d, R: ByteSource<'d>>(elf: &Elf<'d, R>) -> BTreeMap<u64, Descriptor> {
    all(elf).unwrap_or_default().into_iter().map(|kernel| (kernel.entry, kernel)).collect()
}

/// Number of kernel descriptors in the symbol table; does not read the descriptors.
///
/// # Errors
///
/// If a symbol table lies outside of the data, or its names take too much work for their size.
pub fn count<'d, R: ByteSource<'d>>(elf: &Elf<'d, R>, sections: &[Section<'_>]) -> Parsed<u64> {
    let names = NameBudget::for_sections(sections);
    let symbols = kernel_symbols::symbols(elf, sections)?;
    let count = symbols.filter(|symbol| symbol.described_kernel(&names).is_some()).count();
    names.suffices(elf.base())?;
    Ok(count as u64)
}

/// Number of version 2 kernels in the symbol table, whose code begins with the descriptor; `None` if that is
/// not in the data.
pub(super) fn count_v2<'d, R: ByteSource<'d>>(elf: &Elf<'d, R>, sections: &[Section<'_>]) -> Option<u64> {
    let symbols = kernel_symbols::symbols(elf, sections).ok()?;
    Some(symbols.filter(|s| s.kind == symbol::HSA_KERNEL && s.section != 0).count() as u64)
}

/// All descriptors of a code object, in the order of its symbol table.
///
/// # Errors
///
/// If a symbol table or a descriptor lies outside of the data.
pub fn read_all<'d, R: ByteSource<'d>>(data: R, base: u64) -> Parsed<Vec<Descriptor>> {
    all(&Elf::open(data, base)?)
}

/// All descriptors of a code object that is already open.
pub(super) fn all<'d, R: ByteSource<'d>>(elf: &Elf<'d, R>) -> Parsed<Vec<Descriptor>> {
    let sections = elf.sections()?;
    let mut found = Vec::new();
    for kernel in kernel_symbols::kernels(elf, &sections)? {
        let symbol = kernel.descriptor;
        let Some(section) = sections.get(usize::from(symbol.section).wrapping_sub(1)) else { continue };
        let within = symbol::offset_in(section, symbol.value, elf.kind());
        let offset = section.offset.saturating_add(within);
        let bytes = elf.bytes(offset, SIZE, "a kernel descriptor")?;
        found.push(Descriptor::read(bytes, &kernel, offset));
    }
    Ok(found)
}

impl Descriptor {
    fn read(bytes: &[u8], kernel: &KernelSymbols<'_>, offset: u64) -> Self {
        let fields = LeBytes(bytes);
        Descriptor {
            symbol: format!("{}.kd", String::from_utf8_lossy(kernel.name)),
            offset,
            entry: kernel.descriptor.value.wrapping_add(fields.u64(16)),
            code_size: kernel.function.map(|function| function.size),
            lds: fields.u32(0),
            scratch: fields.u32(4),
            kernarg: fields.u32(8),
            rsrc: [fields.u32(48), fields.u32(52), fields.u32(44)],
            properties: fields.u16(56),
        }
    }
}
