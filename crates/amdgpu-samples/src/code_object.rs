//! Code objects: ELF files with the metadata, the descriptor, the symbols and the code of each kernel.

use crate::message_pack::{array, map, number, text};
use crate::processor::Processor;

/// A kernel to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    name: String,
    vgprs: u32,
    lds: u32,
    scratch: u32,
    arguments: u32,
    /// Instructions that do nothing before the end.
    idle: u32,
}

impl Kernel {
    /// One that does nothing, of this name, with one vector register and no arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Kernel { name: name.into(), vgprs: 1, lds: 0, scratch: 0, arguments: 0, idle: 0 }
    }

    /// With so many vector registers, 1 to 256.
    pub fn vgprs(mut self, registers: u32) -> Self {
        self.vgprs = registers.clamp(1, 256);
        self
    }

    /// With so many bytes of LDS, at most 65,536.
    pub fn lds(mut self, bytes: u32) -> Self {
        self.lds = bytes.min(1 << 16);
        self
    }

    /// With so many bytes of scratch for each lane.
    pub fn scratch(mut self, bytes: u32) -> Self {
        self.scratch = bytes;
        self
    }

    /// With so many arguments of 8 bytes, pointers to global memory; at most 4,096.
    pub fn arguments(mut self, count: u32) -> Self {
        self.arguments = count.min(4096);
        self
    }

    /// With so many instructions that do nothing.
    pub fn idle(mut self, instructions: u32) -> Self {
        self.idle = instructions;
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of its code.
    pub fn code_bytes(&self) -> u64 {
        4 * (u64::from(self.idle) + 1)
    }

    fn code(&self, processor: &Processor) -> Vec<u8> {
        const NOP: u32 = 0xbf80_0000;
        let words = std::iter::repeat_n(NOP, self.idle as usize).chain([processor.end()]);
        words.flat_map(u32::to_le_bytes).collect()
    }

    /// The 64 bytes of its descriptor, which lies so far before its code.
    fn descriptor(&self, processor: &Processor, to_code: i64) -> Vec<u8> {
        let registers = self.vgprs.div_ceil(processor.granule) - 1;
        // Scalar registers in pairs of 16 before gfx10; denormal numbers of 16 and 64 bits are kept.
        let has_scalar = processor.lanes == 64;
        let first = registers | u32::from(has_scalar) << 6 | 3 << 18;
        let waves_of_32 = u16::from(processor.lanes == 32) << 10;
        let mut out = [self.lds, self.scratch, 8 * self.arguments, 0].map(u32::to_le_bytes).concat();
        out.extend(to_code.to_le_bytes());
        out.extend([0; 20]);
        // On gfx90a and gfx942 the third word says where the other half of the registers begins.
        let third = if processor.granule == 8 && has_scalar { self.vgprs.div_ceil(4) - 1 } else { 0 };
        out.extend([third, first, u32::from(self.scratch > 0)].map(u32::to_le_bytes).concat());
        out.extend(waves_of_32.to_le_bytes());
        out.resize(64, 0);
        out
    }

    fn describe(&self, processor: &Processor, out: &mut Vec<u8>) {
        let numbers = [
            (".group_segment_fixed_size", self.lds),
            (".kernarg_segment_align", 8),
            (".kernarg_segment_size", 8 * self.arguments),
            (".max_flat_workgroup_size", 1024),
            (".private_segment_fixed_size", self.scratch),
            (".sgpr_count", 16),
            (".vgpr_count", self.vgprs),
            (".wavefront_size", processor.lanes),
        ];
        map(out, numbers.len() + 3);
        text(out, ".args");
        array(out, self.arguments as usize);
        for place in 0..self.arguments {
            map(out, 4);
            text(out, ".address_space");
            text(out, "global");
            text(out, ".offset");
            number(out, 8 * place);
            text(out, ".size");
            number(out, 8);
            text(out, ".value_kind");
            text(out, "global_buffer");
        }
        text(out, ".name");
        text(out, &self.name);
        text(out, ".symbol");
        text(out, &format!("{}.kd", self.name));
        for (key, value) in numbers {
            text(out, key);
            number(out, value);
        }
    }
}

/// A code object to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeObject {
    processor: &'static Processor,
    kernels: Vec<Kernel>,
}

/// The section header of a section, without its name.
struct Section {
    name: &'static str,
    kind: u32,
    flags: u64,
    bytes: Vec<u8>,
    /// `sh_link` and `sh_info`.
    links: [u32; 2],
    align: u64,
    entry: u64,
    /// How far its address is from its place in the file.
    moved: u64,
}

impl Section {
    fn new(name: &'static str, kind: u32, flags: u64, align: u64, bytes: Vec<u8>) -> Self {
        Section { name, kind, flags, bytes, links: [0, 0], align, entry: 0, moved: 0 }
    }
}

fn align(out: &mut Vec<u8>, to: u64) {
    out.resize(out.len().next_multiple_of(to.max(1) as usize), 0);
}

/// The sections of an object, in their order; the one of index 0 is empty.
const DYNSYM: usize = 2;
const DYNSTR: usize = 4;
const RODATA: usize = 5;
const TEXT: usize = 6;
const DYNAMIC: usize = 7;
/// Program headers.
const SEGMENTS: u16 = 6;
/// Code and what is written have pages of their own.
const PAGE: u64 = 0x1000;

impl CodeObject {
    /// One for this processor with these kernels.
    pub fn new(processor: &'static Processor, kernels: Vec<Kernel>) -> Self {
        CodeObject { processor, kernels }
    }

    /// What it is made for.
    pub fn processor(&self) -> &'static Processor {
        self.processor
    }

    /// Its kernels.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    fn note(&self) -> Vec<u8> {
        let mut data = Vec::new();
        map(&mut data, 3);
        text(&mut data, "amdhsa.kernels");
        array(&mut data, self.kernels.len());
        self.kernels.iter().for_each(|kernel| kernel.describe(self.processor, &mut data));
        text(&mut data, "amdhsa.target");
        text(&mut data, &format!("amdgcn-amd-amdhsa--{}", self.processor.name));
        text(&mut data, "amdhsa.version");
        array(&mut data, 2);
        number(&mut data, 1);
        number(&mut data, 2);
        // NT_AMDGPU_METADATA is 32; its owner has 7 bytes with the zero.
        let mut out = [7, data.len() as u32, 32].map(u32::to_le_bytes).concat();
        out.extend(b"AMDGPU\0\0");
        out.extend(data);
        align(&mut out, 4);
        out
    }

    /// Where each kernel's code begins in its section, and all of it.
    fn text(&self) -> (Vec<u64>, Vec<u8>) {
        let (mut places, mut out) = (Vec::new(), Vec::new());
        for kernel in &self.kernels {
            align(&mut out, 256);
            places.push(out.len() as u64);
            out.extend(kernel.code(self.processor));
        }
        (places, out)
    }

    /// Its bytes: an ELF file.
    pub fn bytes(&self) -> Vec<u8> {
        let (places, code) = self.text();
        let count = self.kernels.len();
        let names: Vec<(String, usize)> = self.names();
        let strings = names.iter().fold(vec![0], |mut all, (name, _)| {
            all.extend(name.bytes());
            all.push(0);
            all
        });
        let symbols = 1 + 2 * count;
        // One bucket, in which each symbol names the next one.
        let next = (2..symbols as u32 + 1).map(|next| if next as usize == symbols { 0 } else { next });
        let chain: Vec<u32> =
            [1, symbols as u32, u32::from(count > 0), 0].into_iter().chain(next.take(symbols - 1)).collect();
        let mut sections = vec![
            Section::new("", 0, 0, 0, Vec::new()),
            Section::new(".note", 7, 2, 4, self.note()),
            Section::new(".dynsym", 11, 2, 8, vec![0; 24 * symbols]),
            Section::new(".hash", 5, 2, 4, chain.into_iter().flat_map(u32::to_le_bytes).collect()),
            Section::new(".dynstr", 3, 2, 1, strings),
            Section::new(".rodata", 1, 2, 64, vec![0; 64 * count]),
            Section { moved: PAGE, ..Section::new(".text", 1, 6, 256, code) },
            Section { moved: 2 * PAGE, ..Section::new(".dynamic", 6, 3, 8, vec![0; 96]) },
            Section::new(".shstrtab", 3, 0, 1, Vec::new()),
        ];
        for (at, link, entry) in [(DYNSYM, DYNSTR, 24), (3, DYNSYM, 4), (DYNAMIC, DYNSTR, 16)] {
            if let Some(section) = sections.get_mut(at) {
                (section.links, section.entry) = ([link as u32, u32::from(at == DYNSYM)], entry);
            }
        }
        let places_of = self.layout(&mut sections);
        let address = |at: usize| {
            let of = places_of.get(at).copied().unwrap_or(0);
            of + sections.get(at).map_or(0, |section| section.moved)
        };
        let (rodata, code_at) = (address(RODATA), address(TEXT));
        let (mut descriptors, mut table) = (Vec::new(), vec![0; 24]);
        for (number, (kernel, place)) in self.kernels.iter().zip(&places).enumerate() {
            let descriptor = rodata + 64 * number as u64;
            descriptors.extend(kernel.descriptor(self.processor, (code_at + place - descriptor) as i64));
            // Global and protected, as compilers make them: a function, and an object.
            let rows = [(0x12, TEXT, code_at + place, kernel.code_bytes()), (0x11, RODATA, descriptor, 64)];
            for ((kind, section, value, size), (_, name)) in
                rows.into_iter().zip(names.iter().skip(2 * number))
            {
                table.extend((*name as u32).to_le_bytes());
                table.extend([kind, 3]);
                table.extend((section as u16).to_le_bytes());
                table.extend([value, size].map(u64::to_le_bytes).concat());
            }
        }
        let strings = sections.get(DYNSTR).map_or(0, |section| section.bytes.len() as u64);
        // DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT, DT_NULL.
        let dynamic = [4, address(3), 5, address(DYNSTR), 6, address(DYNSYM), 10, strings, 11, 24, 0, 0];
        let dynamic = dynamic.map(u64::to_le_bytes).concat();
        for (at, bytes) in [(DYNSYM, table), (RODATA, descriptors), (DYNAMIC, dynamic)] {
            if let Some(section) = sections.get_mut(at) {
                section.bytes = bytes;
            }
        }
        self.written(&sections, &places_of)
    }

    /// The names of symbols, each kernel's and its descriptor's, and where they stand among the strings.
    fn names(&self) -> Vec<(String, usize)> {
        let names =
            self.kernels.iter().flat_map(|kernel| [kernel.name.clone(), format!("{}.kd", kernel.name)]);
        names
            .scan(1, |at, name| {
                let begin = *at;
                *at += name.len() + 1;
                Some((name, begin))
            })
            .collect()
    }

    /// Gives the names of sections to the last one, and says where each section begins.
    fn layout(&self, sections: &mut [Section]) -> Vec<u64> {
        let mut names = Vec::new();
        for section in sections.iter() {
            names.extend(section.name.bytes());
            names.push(0);
        }
        if let Some(last) = sections.last_mut() {
            last.bytes = names;
        }
        let mut at = 64 + 56 * u64::from(SEGMENTS);
        sections
            .iter()
            .map(|section| {
                at = at.next_multiple_of(section.align.max(1));
                let begin = if section.kind == 0 { 0 } else { at };
                at += section.bytes.len() as u64;
                begin
            })
            .collect()
    }

    fn written(&self, sections: &[Section], places: &[u64]) -> Vec<u8> {
        let place = |at: usize| places.get(at).copied().unwrap_or(0);
        let size = |at: usize| sections.get(at).map_or(0, |section| section.bytes.len() as u64);
        let headers = (place(sections.len() - 1) + size(sections.len() - 1)).next_multiple_of(8);
        // ELFOSABI_AMDGPU_HSA, version 3: of code objects 5. ET_DYN, EM_AMDGPU.
        let mut out = b"\x7fELF\x02\x01\x01\x40\x03\0\0\0\0\0\0\0\x03\0\xe0\0\x01\0\0\0".to_vec();
        out.extend([0, 64, headers].map(u64::to_le_bytes).concat());
        out.extend(self.processor.flags.to_le_bytes());
        let count = sections.len() as u16;
        out.extend([64, 56, SEGMENTS, 64, count, count - 1].map(u16::to_le_bytes).concat());
        let read_only = place(RODATA) + size(RODATA);
        let whole = |at: usize| (place(at), size(at));
        let segments = [
            (6, 4, (64, 56 * u64::from(SEGMENTS)), 0, 8),
            (1, 4, (0, read_only), 0, PAGE),
            (1, 5, whole(TEXT), PAGE, PAGE),
            (1, 6, whole(DYNAMIC), 2 * PAGE, PAGE),
            (2, 6, whole(DYNAMIC), 2 * PAGE, 8),
            (4, 4, whole(1), 0, 4),
        ];
        for (kind, rights, (begin, size), moved, align) in segments {
            out.extend([kind, rights].map(u32::to_le_bytes).concat());
            let address = begin + moved;
            out.extend([begin, address, address, size, size, align].map(u64::to_le_bytes).concat());
        }
        for (section, begin) in sections.iter().zip(places).skip(1) {
            out.resize(*begin as usize, 0);
            out.extend(&section.bytes);
        }
        out.resize(headers as usize, 0);
        let mut name = 0u32;
        for (section, begin) in sections.iter().zip(places) {
            let address = if section.flags & 2 > 0 { begin + section.moved } else { 0 };
            out.extend([name, section.kind].map(u32::to_le_bytes).concat());
            let size = section.bytes.len() as u64;
            out.extend([section.flags, address, *begin, size].map(u64::to_le_bytes).concat());
            out.extend(section.links.map(u32::to_le_bytes).concat());
            out.extend([section.align, section.entry].map(u64::to_le_bytes).concat());
            name += section.name.len() as u32 + 1;
        }
        out
    }
}
