//! What files are packed into, without compression.

/// A tar archive (ustar) of these files; a name has at most 100 bytes.
pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, content) in members {
        out.extend(tar_header(name, content.len() as u64, b'0', ""));
        out.extend(*content);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.extend([0; 1024]);
    out
}

/// The header of a member of this kind: `0` a file, `1` a hard link, `2` a symbolic one to `to`, `5` a
/// folder. The folder of a name that does not fit its field goes to the prefix; what does not fit then is cut
/// off.
pub fn tar_header(name: &str, size: u64, kind: u8, to: &str) -> Vec<u8> {
    let mut block = vec![0u8; 512];
    let split = if name.len() > 100 { name.rsplit_once('/') } else { None };
    let (folder, name) = split.unwrap_or(("", name));
    let size = format!("{size:011o}");
    let fields: [(usize, usize, &[u8]); 6] = [
        (0, 100, name.as_bytes()),
        (100, 7, b"0000644"),
        (124, 11, size.as_bytes()),
        (157, 100, to.as_bytes()),
        (257, 8, b"ustar\x0000"),
        (345, 155, folder.as_bytes()),
    ];
    for (at, most, bytes) in fields {
        block.iter_mut().skip(at).take(most).zip(bytes).for_each(|(to, from)| *to = *from);
    }
    let mut write = |at: usize, bytes: &[u8]| {
        block.iter_mut().skip(at).zip(bytes).for_each(|(to, from)| *to = *from);
    };
    write(156, &[kind]);
    write(148, b"        ");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    let sum = format!("{sum:06o}\0");
    block.iter_mut().skip(148).zip(sum.as_bytes()).for_each(|(to, from)| *to = *from);
    block
}

/// A static library: an `ar` archive that begins with an index as `ranlib` writes it. Each member defines one
/// symbol, which has its name; a name has at most 15 bytes.
pub fn static_library(members: &[(&str, &[u8])]) -> Vec<u8> {
    let symbols: Vec<u8> = members.iter().flat_map(|(name, _)| name.bytes().chain([0])).collect();
    let size = 4 + 4 * members.len() + symbols.len();
    let mut index = (members.len() as u32).to_be_bytes().to_vec();
    let mut at = AR_MAGIC.len() + AR_HEADER + size.next_multiple_of(2);
    for (_, content) in members {
        index.extend((at as u32).to_be_bytes());
        at += AR_HEADER + content.len().next_multiple_of(2);
    }
    index.extend(symbols);
    let ended: Vec<String> = members.iter().map(|(name, _)| format!("{name}/")).collect();
    let contents = members.iter().map(|(_, content)| *content);
    let named = ended.iter().map(String::as_str).zip(contents);
    ar(&std::iter::once(("/", index.as_slice())).chain(named).collect::<Vec<_>>())
}

/// The first bytes of an `ar` archive.
const AR_MAGIC: &[u8] = b"!<arch>\n";

/// Size of a member's header in bytes.
const AR_HEADER: usize = 60;

/// An `ar` archive, which is what a static library and a Debian package are; a name has at most 16 bytes.
pub fn ar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = AR_MAGIC.to_vec();
    for (name, content) in members {
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 100_644, content.len());
        out.extend(header.bytes());
        out.extend(*content);
        out.resize(out.len().next_multiple_of(2), b'\n');
    }
    out
}

/// A zip file of these files, stored. A wheel is one.
pub fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let mut common: Vec<u8> = [20u16, 0, 0, 0, 0].map(u16::to_le_bytes).concat();
        let size = content.len() as u32;
        common.extend([crc32(content), size, size].map(u32::to_le_bytes).concat());
        common.extend([name.len() as u16, 0].map(u16::to_le_bytes).concat());
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((out.len() as u32).to_le_bytes());
        directory.extend(name.bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.bytes());
        out.extend(*content);
    }
    let start = out.len() as u32;
    let (members, size) = (members.len() as u16, directory.len() as u32);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([members, members].map(u16::to_le_bytes).concat());
    out.extend([size, start].map(u32::to_le_bytes).concat());
    out.extend([0; 2]);
    out
}

/// The sum of zip files (ISO 3309, reversed polynomial).
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 > 0 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_sum_is_that_of_the_standard() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn the_index_of_a_static_library_has_where_its_members_begin() {
        let library = super::static_library(&[("a.o", b"1"), ("b.o", b"22")]);
        assert_eq!(&library[68..72], [0, 0, 0, 2]);
        for (row, name) in [(72, &b"a.o/ "[..]), (76, b"b.o/ ")] {
            let at = u32::from_be_bytes(library[row..row + 4].try_into().unwrap()) as usize;
            assert!(library[at..].starts_with(name), "{at}");
        }
    }
}
