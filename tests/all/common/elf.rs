//! Makes and modifies ELF files.

/// Section headers of 64 bytes.
const HEADER: usize = 64;

/// A 64-bit little-endian shared library with exactly these sections.
pub fn library(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut names = vec![0u8];
    let mut body = Vec::new();
    let mut headers = vec![[0u8; HEADER]];
    let all: Vec<(&str, Vec<u8>)> = sections.iter().map(|(name, bytes)| (*name, bytes.to_vec())).collect();
    let name_of = |names: &mut Vec<u8>, name: &str| {
        let at = names.len() as u32;
        names.extend(name.as_bytes());
        names.push(0);
        at
    };
    let mut add = |at: u32, bytes: &[u8], body: &mut Vec<u8>| {
        let mut header = [0u8; HEADER];
        header[..4].copy_from_slice(&at.to_le_bytes());
        header[4..8].copy_from_slice(&3u32.to_le_bytes());
        header[24..32].copy_from_slice(&(64 + body.len() as u64).to_le_bytes());
        header[32..40].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        header[48] = 1;
        body.extend(bytes);
        headers.push(header);
    };
    for (name, bytes) in &all {
        let at = name_of(&mut names, name);
        add(at, bytes, &mut body);
    }
    let at = name_of(&mut names, ".shstrtab");
    add(at, &names, &mut body);
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    for number in [3u16, 62] {
        file.extend(number.to_le_bytes());
    }
    file.extend(1u32.to_le_bytes());
    for number in [0u64, 0, 64 + body.len() as u64] {
        file.extend(number.to_le_bytes());
    }
    file.extend(0u32.to_le_bytes());
    for number in [64u16, 0, 0, HEADER as u16, headers.len() as u16, headers.len() as u16 - 1] {
        file.extend(number.to_le_bytes());
    }
    file.extend(body);
    headers.iter().for_each(|header| file.extend(header));
    file
}

fn u64_at(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// The section headers of the ELF file at `base`: offset and name.
fn sections(bytes: &[u8], base: usize) -> Vec<(usize, String)> {
    let table = base + u64_at(bytes, base + 40);
    let count = usize::from(u16::from_le_bytes(bytes[base + 60..base + 62].try_into().unwrap()));
    let own = usize::from(u16::from_le_bytes(bytes[base + 62..base + 64].try_into().unwrap()));
    let names = base + u64_at(bytes, table + HEADER * own + 24);
    let name = |header: usize| {
        let at = names + u32::from_le_bytes(bytes[header..header + 4].try_into().unwrap()) as usize;
        let end = bytes[at..].iter().position(|byte| *byte == 0).unwrap();
        String::from_utf8_lossy(&bytes[at..at + end]).into_owned()
    };
    (0..count).map(|number| table + HEADER * number).map(|header| (header, name(header))).collect()
}

/// Offset of the section header with this name.
fn header(bytes: &[u8], base: usize, name: &str) -> usize {
    let found = sections(bytes, base).into_iter().find(|(_, own)| own == name);
    found.unwrap_or_else(|| panic!("no section {name}")).0
}

/// Gives the section `name` the name of the section `other`, and no content in the file.
pub fn without_bytes(bytes: &mut [u8], name: &str, other: &str) {
    let (at, from) = (header(bytes, 0, name), header(bytes, 0, other));
    bytes.copy_within(from..from + 4, at);
    bytes[at + 4..at + 8].copy_from_slice(&8u32.to_le_bytes());
}

/// Removes the symbol tables from every code object in the file.
pub fn strip_code_objects(bytes: &mut [u8]) {
    let starts: Vec<usize> = memchr::memmem::find_iter(bytes, b"\x7fELF\x02\x01\x01\x40").collect();
    assert!(!starts.is_empty(), "no code object");
    for base in starts {
        for (header, _) in sections(bytes, base) {
            // SHT_SYMTAB and SHT_DYNSYM become SHT_PROGBITS.
            if matches!(bytes[header + 4], 2 | 11) {
                bytes[header + 4] = 1;
            }
        }
    }
}

/// A library that contains a text, and an array of further texts behind pointers that the loader relocates,
/// each with its length.
pub fn listing(text: &str, names: &[&str]) -> Vec<u8> {
    // Every byte of the file is loaded at the address that equals its offset.
    let mut constants = format!("\0{text}\0").into_bytes();
    let places: Vec<u64> = names
        .iter()
        .map(|name| {
            let at = HEADER + constants.len();
            constants.extend(name.bytes());
            at as u64
        })
        .collect();
    let array = (HEADER + constants.len()) as u64;
    let (mut pointers, mut relocations) = (Vec::new(), Vec::new());
    for (number, (name, place)) in names.iter().zip(&places).enumerate() {
        pointers.extend([0u64.to_le_bytes(), (name.len() as u64).to_le_bytes()].concat());
        for field in [array + 16 * number as u64, 8, *place] {
            relocations.extend(field.to_le_bytes());
        }
    }
    let sections: [(&str, &[u8]); 3] =
        [(".rodata", &constants), (".data.rel.ro", &pointers), (".rela.dyn", &relocations)];
    let mut file = library(&sections);
    let (table, size) = (file.len() as u64, file.len() as u64 + 56);
    for field in [1u64 | 4 << 32, 0, 0, 0, size, size, 4096] {
        file.extend(field.to_le_bytes());
    }
    file[32..40].copy_from_slice(&table.to_le_bytes());
    file[54..56].copy_from_slice(&56u16.to_le_bytes());
    file[56..58].copy_from_slice(&1u16.to_le_bytes());
    file
}
