//! Kernels of a code object: where the code of each begins and ends, and what its descriptor gives it.

use crate::body::Code;
use crate::occupancy::{Demand, Hardware, Occupancy, lanes};
use amdgpu_isa::{Decoder, Mode};
use amdgpu_object::bytes::elf::Elf;
use amdgpu_object::codeobject::Kernel;
use amdgpu_object::codeobject::descriptor::{self, Descriptor};
use amdgpu_object::codeobject::symbol::{self, NameBudget};
use amdgpu_object::codeobject::text_section::{self, TextSection};
use amdgpu_object::error::{ParseError, Parsed};
use std::ops::Range;

/// `SHT_SYMTAB`, `SHT_DYNSYM`.
const SYMBOL_TABLES: [u32; 2] = [2, 11];

/// Section headers of a code object that are looked at: assembly of Tensile has a dozen.
const SECTIONS: usize = 1 << 16;

/// A function by its symbol.
#[derive(Debug, Clone, Copy)]
struct Function<'d> {
    address: u64,
    size: u64,
    name: &'d [u8],
}

/// A code object whose kernels are looked into.
#[derive(Debug)]
pub struct KernelObject<'d> {
    decoder: &'static Decoder,
    processor: String,
    texts: Vec<TextSection<'d>>,
    functions: Vec<Function<'d>>,
    kernels: Vec<Descriptor>,
    problems: Vec<ParseError>,
}

impl<'d> KernelObject<'d> {
    /// Reads the symbols and descriptors of a code object for a processor. Kernels of version 2, which have
    /// their descriptor before their code, are left out.
    ///
    /// # Errors
    /// Where the headers, symbols or descriptors lie outside of `bytes`, or the instructions of the processor
    /// are not known.
    pub fn read(bytes: &'d [u8], processor: &str) -> Parsed<Self> {
        let decoder = Decoder::for_processor(processor, Mode::Correct)
            .ok_or_else(|| ParseError::new(0, format!("the instructions of {processor} are not known")))?;
        let elf = Elf::open(bytes, 0)?;
        let (mut texts, problems) = text_section::sections(&elf, SECTIONS)?;
        texts.sort_by_key(|text| text.address);
        let sections = elf.sections_up_to(SECTIONS)?;
        let names = NameBudget::for_sections(&sections);
        let mut functions: Vec<Function<'d>> = symbol::table(&elf, &sections, SYMBOL_TABLES)?
            .filter(|one| one.kind == symbol::FUNC && one.section != 0)
            .map(|one| Function {
                address: one.value,
                size: one.size,
                name: names.name(&one).unwrap_or_default(),
            })
            .collect();
        functions.sort_unstable_by_key(|one| one.address);
        let kernels = descriptor::read_all(bytes, 0)?;
        Ok(KernelObject { decoder, processor: processor.to_owned(), texts, functions, kernels, problems })
    }

    /// The descriptors of its kernels, in the order of its symbols.
    pub fn kernels(&self) -> &[Descriptor] {
        &self.kernels
    }

    /// What was malformed.
    pub fn problems(&self) -> &[ParseError] {
        &self.problems
    }

    /// The code of a kernel; `None` where its descriptor names no place in a section of code.
    ///
    /// It reaches as far as its symbol says. Kernels in assembly have symbols of no size: they reach to the
    /// next function, or to the end of the section.
    pub fn code(&self, kernel: &Descriptor) -> Option<Code<'d>> {
        let (text, range) = self.range(kernel)?;
        Some(Code::new(self.decoder, text.bytes, range, self.lanes(kernel)))
    }

    /// The code at some addresses, in waves of `lanes` lanes; `None` if they are not in a section of code.
    pub fn code_of(&self, addresses: Range<u64>, lanes: u32) -> Option<Code<'d>> {
        let text = self.section(addresses.start)?;
        let start = usize::try_from(addresses.start - text.address).ok()?;
        let size = usize::try_from(addresses.end.checked_sub(addresses.start)?).ok()?;
        Some(Code::new(self.decoder, text.bytes, start..start.saturating_add(size), lanes))
    }

    /// The name of the function at an offset from the entry of a kernel, where one begins there; and else the
    /// one that it lies in, with how far inside.
    pub fn function(&self, kernel: &Descriptor, offset: i64) -> Option<(&'d [u8], u64)> {
        let address = kernel.entry().checked_add_signed(offset)?;
        let last = self.functions.partition_point(|one| one.address <= address).checked_sub(1)?;
        let found = self.functions.get(last)?;
        let first = self.functions.partition_point(|one| one.address < found.address);
        let found = self.functions.get(first)?;
        self.section(address).map(|_| (found.name, address - found.address))
    }

    /// The address of the byte at an offset of the code object; `None` if it is not in a section of code.
    pub fn address_at(&self, offset: u64) -> Option<u64> {
        self.texts.iter().find_map(|text| {
            let at = offset.checked_sub(text.offset).filter(|at| *at < text.bytes.len() as u64)?;
            text.address.checked_add(at)
        })
    }

    /// Addresses of the code of a kernel: see [`KernelObject::code`].
    pub fn addresses(&self, kernel: &Descriptor) -> Option<Range<u64>> {
        let (text, range) = self.range(kernel)?;
        Some(text.address.saturating_add(range.start as u64)..text.address.saturating_add(range.end as u64))
    }

    /// Its functions, kernels among them, in the order of their addresses: name and addresses. Those without
    /// a size reach to the next one or to the end of the section; overlaps belong to the earlier one.
    pub fn functions(&self) -> impl Iterator<Item = (&'d [u8], Range<u64>)> + '_ {
        let mut last = 0;
        self.functions.iter().filter_map(move |own| {
            let text = self.section(own.address)?;
            let section_end = text.address.saturating_add(text.bytes.len() as u64);
            let behind = self.functions.partition_point(|one| one.address <= own.address);
            let next = self.functions.get(behind).map(|next| next.address);
            let end = match own.size {
                0 => next.unwrap_or(section_end),
                size => own.address.saturating_add(size),
            };
            let range = own.address.max(last)..end.min(section_end);
            last = last.max(range.end);
            (!range.is_empty()).then_some((own.name, range))
        })
    }

    /// Addresses of its sections of code.
    pub fn sections(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.texts.iter().map(|text| text.address..text.address.saturating_add(text.bytes.len() as u64))
    }

    fn section(&self, address: u64) -> Option<&TextSection<'d>> {
        let last = self.texts.partition_point(|text| text.address <= address).checked_sub(1)?;
        self.texts.get(last).filter(|text| address - text.address < text.bytes.len() as u64)
    }

    fn range(&self, kernel: &Descriptor) -> Option<(&TextSection<'d>, Range<usize>)> {
        let entry = kernel.entry();
        let text = self.section(entry)?;
        let start = usize::try_from(entry - text.address).ok()?;
        let size = match kernel.code_size() {
            Some(size) if size > 0 => size,
            _ => {
                let next = self.functions.partition_point(|one| one.address <= entry);
                self.functions.get(next).map_or(u64::MAX, |next| next.address - entry)
            }
        };
        let left = text.bytes.len() - start;
        let size = usize::try_from(size).unwrap_or(left).min(left);
        Some((text, start..start + size))
    }

    /// Lanes of a kernel's waves.
    pub fn lanes(&self, kernel: &Descriptor) -> u32 {
        lanes(&self.processor, kernel)
    }

    /// What a kernel takes: see [`Demand::of_descriptor`].
    pub fn demand(&self, kernel: &Descriptor, metadata: Option<&Kernel<'_>>) -> Option<(Hardware, Demand)> {
        Demand::of_descriptor(&self.processor, kernel, metadata)
    }

    /// How many waves of a kernel a SIMD unit holds.
    pub fn occupancy(&self, kernel: &Descriptor, metadata: Option<&Kernel<'_>>) -> Option<Occupancy> {
        let (hardware, demand) = self.demand(kernel, metadata)?;
        Some(Occupancy::on_hardware(&hardware, &demand))
    }
}
