//! ELF files, made and changed.

/// Section headers of 64 bytes.
const HEADER: usize = 64;

/// A 64-bit little-endian shared library with these sections and no more.
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

/// The section headers of the ELF file that begins at `base`: where each is, and its name.
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

/// The section header of this name.
fn header(bytes: &[u8], base: usize, name: &str) -> usize {
    let found = sections(bytes, base).into_iter().find(|(_, own)| own == name);
    found.unwrap_or_else(|| panic!("no section {name}")).0
}

/// Gives the section `name` the name of the section `other`, and no bytes in the file.
pub fn without_bytes(bytes: &mut [u8], name: &str, other: &str) {
    let (at, from) = (header(bytes, 0, name), header(bytes, 0, other));
    bytes.copy_within(from..from + 4, at);
    bytes[at + 4..at + 8].copy_from_slice(&8u32.to_le_bytes());
}

/// Takes the symbol tables from every code object in the file.
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
