//! ELF, PE and COFF files of given sections.

use crate::choices::Choices;

/// A section to put into a file.
#[derive(Debug, Clone, Default)]
pub struct Section {
    pub name: Vec<u8>,
    pub kind: u32,
    pub flags: u64,
    pub address: u64,
    pub link: u32,
    pub entry_size: u64,
    pub bytes: Vec<u8>,
}

impl Section {
    pub fn new(name: &[u8], kind: u32, flags: u64, bytes: Vec<u8>) -> Self {
        Section { name: name.to_vec(), kind, flags, bytes, ..Section::default() }
    }
}

/// Fields of a file's header.
#[derive(Debug, Clone, Copy, Default)]
pub struct Header {
    pub kind: u16,
    pub machine: u16,
    pub flags: u32,
    pub abi: [u8; 2],
}

/// A 64-bit little-endian ELF file: header, section contents at multiples of `align`, program headers for
/// notes and loaded parts, section headers. Any header field may be bent. Also returns where each section's
/// bytes begin.
pub fn file(
    choices: &mut Choices<'_>,
    header: Header,
    sections: &[Section],
    align: usize,
) -> (Vec<u8>, Vec<u64>) {
    let mut out = vec![0; 64];
    let mut places = Vec::new();
    for section in sections {
        out.resize(out.len().next_multiple_of(align), 0);
        places.push(out.len() as u64);
        if section.kind != 8 {
            out.extend(&section.bytes);
        }
    }
    let mut names = vec![0];
    let mut name_at = Vec::new();
    for section in sections {
        name_at.push(names.len() as u32);
        names.extend(&section.name);
        names.push(0);
    }
    let own_name = names.len() as u32;
    names.extend(b".shstrtab\0");
    let names_at = out.len() as u64;
    out.extend(&names);
    out.resize(out.len().next_multiple_of(8), 0);

    let segments_at = out.len() as u64;
    let mut segments = 0u16;
    for (section, place) in sections.iter().zip(&places) {
        let kind = match section.kind {
            7 => 4u32,
            _ if section.flags & 2 != 0 => 1,
            _ => continue,
        };
        segments += 1;
        let size = section.bytes.len() as u64;
        let place = choices.field(*place);
        let size = choices.field(size);
        out.extend(kind.to_le_bytes());
        out.extend(4u32.to_le_bytes());
        for value in [place, section.address, section.address, size, size, 8] {
            out.extend(value.to_le_bytes());
        }
    }

    let headers_at = out.len() as u64;
    out.extend([0; 64]);
    for (index, (section, place)) in sections.iter().zip(&places).enumerate() {
        out.extend((choices.field(u64::from(name_at[index])) as u32).to_le_bytes());
        out.extend((choices.field(u64::from(section.kind)) as u32).to_le_bytes());
        for (right, may_bend) in [
            (section.flags, true),
            (section.address, false),
            (*place, true),
            (section.bytes.len() as u64, true),
        ] {
            let value = if may_bend { choices.field(right) } else { right };
            out.extend(value.to_le_bytes());
        }
        out.extend((choices.field(u64::from(section.link)) as u32).to_le_bytes());
        out.extend(0u32.to_le_bytes());
        out.extend(8u64.to_le_bytes());
        out.extend(section.entry_size.to_le_bytes());
    }
    out.extend(own_name.to_le_bytes());
    out.extend(3u32.to_le_bytes());
    for value in [0, 0, names_at, names.len() as u64, 0, 1, 0] {
        out.extend(value.to_le_bytes());
    }

    let count = sections.len() as u64 + 2;
    out[..4].copy_from_slice(b"\x7fELF");
    out[4..9].copy_from_slice(&[2, 1, 1, header.abi[0], header.abi[1]]);
    let mut put = |at: usize, value: u64, size: usize| {
        out[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    };
    put(16, u64::from(header.kind), 2);
    put(18, u64::from(header.machine), 2);
    put(20, 1, 4);
    put(32, choices.field(segments_at), 8);
    put(40, choices.field(headers_at), 8);
    put(48, u64::from(header.flags), 4);
    put(52, 64, 2);
    put(54, choices.field(56), 2);
    put(56, choices.field(u64::from(segments)), 2);
    put(58, choices.field(64), 2);
    put(60, choices.field(count), 2);
    put(62, choices.field(count - 1), 2);
    (out, places)
}

/// Relocations: 24 bytes each.
pub fn relocations(choices: &mut Choices<'_>, section: u64, size: u64, kinds: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..choices.below(6) {
        let offset = section + 8 + 24 * (choices.byte() as u64 % (size / 24 + 1));
        let kind = choices.of(kinds);
        let symbol = u64::from(choices.byte() % 4);
        for value in [choices.field(offset), choices.field(kind) | symbol << 32, choices.number() % 4096] {
            out.extend(value.to_le_bytes());
        }
    }
    out
}

/// A PE file with these sections, whose names have at most eight bytes.
pub fn pe(choices: &mut Choices<'_>, sections: &[Section]) -> (Vec<u8>, Vec<u64>) {
    let mut out = vec![0; 64];
    out[..2].copy_from_slice(b"MZ");
    let header = choices.field(64) as u32;
    out[60..64].copy_from_slice(&header.to_le_bytes());
    out.extend(b"PE\0\0");
    coff_header(choices, &mut out, 0x8664, sections.len(), 240);
    let optional = out.len();
    out.extend([0; 240]);
    out[optional..optional + 2].copy_from_slice(&0x20bu16.to_le_bytes());
    out[optional + 24..optional + 32].copy_from_slice(&0x1_8000_0000u64.to_le_bytes());
    out[optional + 108..optional + 112].copy_from_slice(&16u32.to_le_bytes());
    with_sections(choices, out, sections, 512)
}

/// A COFF object with these sections.
pub fn coff(choices: &mut Choices<'_>, sections: &[Section]) -> (Vec<u8>, Vec<u64>) {
    let mut out = Vec::new();
    coff_header(choices, &mut out, 0x8664, sections.len(), 0);
    with_sections(choices, out, sections, 16)
}

fn coff_header(choices: &mut Choices<'_>, out: &mut Vec<u8>, machine: u16, sections: usize, optional: u64) {
    out.extend(machine.to_le_bytes());
    out.extend((choices.field(sections as u64) as u16).to_le_bytes());
    out.extend(0u32.to_le_bytes());
    let symbols = choices.field(0) as u32;
    out.extend(symbols.to_le_bytes());
    out.extend((choices.field(0) as u32).to_le_bytes());
    out.extend((choices.field(optional) as u16).to_le_bytes());
    out.extend(0x22u16.to_le_bytes());
}

fn with_sections(
    choices: &mut Choices<'_>,
    mut out: Vec<u8>,
    sections: &[Section],
    align: usize,
) -> (Vec<u8>, Vec<u64>) {
    let mut at = (out.len() + 40 * sections.len()).next_multiple_of(align);
    let mut places = Vec::new();
    for section in sections {
        let mut name = section.name.clone();
        name.resize(8, 0);
        let size = section.bytes.len() as u64;
        out.extend(&name);
        let padded = size.next_multiple_of(align as u64);
        for (value, bends) in [
            (size, true),
            (0x1000 + at as u64, true),
            (padded, true),
            (at as u64, true),
            (0, false),
            (0, false),
        ] {
            out.extend((if bends { choices.field(value) } else { value } as u32).to_le_bytes());
        }
        out.extend(0u32.to_le_bytes());
        out.extend((section.flags as u32).to_le_bytes());
        places.push(at as u64);
        at += padded as usize;
    }
    for (section, place) in sections.iter().zip(&places) {
        out.resize(*place as usize, 0);
        out.extend(&section.bytes);
    }
    out.resize(out.len().next_multiple_of(align), 0);
    (out, places)
}
