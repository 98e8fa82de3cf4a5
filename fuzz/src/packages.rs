//! Archives and packages with given members.

use crate::choices::Choices;
use crate::gpu::deflate;

/// A member: its name and content.
pub type Member = (String, Vec<u8>);

const NAMES: &[&str] =
    &["a", "lib/librocblas.so.4", "b.co", "x/library/TensileLibrary.dat", "../c", "d/", "./e.hsaco"];

/// A few members with a few bytes, or with the bytes that `content` makes.
pub fn members(
    choices: &mut Choices<'_>,
    content: &mut dyn FnMut(&mut Choices<'_>) -> Vec<u8>,
) -> Vec<Member> {
    (0..choices.below(4))
        .map(|index| {
            let name = choices.text(NAMES).replace('\0', "");
            let name = if choices.seldom() { name } else { format!("{index}{name}") };
            let bytes = if choices.seldom() { content(choices) } else { choices.some().to_vec() };
            (name, bytes)
        })
        .collect()
}

/// A zip archive; its members are stored or in uncompressed deflate blocks.
pub fn zip(choices: &mut Choices<'_>, members: &[Member]) -> Vec<u8> {
    let mut out = choices.of(&[&b""[..], b"", b"MZ before"]).to_vec();
    let mut directory = Vec::new();
    let shift = out.len() as u64;
    for (name, content) in members {
        let place = out.len() as u64 - shift;
        let method = choices.of(&[0u16, 8]);
        let mut packed = Vec::new();
        if method == 0 {
            packed.extend(content)
        } else {
            deflate(choices, &mut packed, content)
        }
        let crc = choices.field(u64::from(crc32fast::hash(content))) as u32;
        let wide = choices.seldom();
        let flags = choices.field(0x800) as u16;
        let sizes = [packed.len() as u64, content.len() as u64];
        out.extend(b"PK\x03\x04\x14\0");
        out.extend(flags.to_le_bytes());
        out.extend((choices.field(u64::from(method)) as u16).to_le_bytes());
        out.extend([0; 4]);
        out.extend(crc.to_le_bytes());
        for size in sizes {
            out.extend((choices.field(size) as u32).to_le_bytes());
        }
        out.extend((choices.field(name.len() as u64) as u16).to_le_bytes());
        out.extend((choices.field(0) as u16).to_le_bytes());
        out.extend(name.as_bytes());
        out.extend(&packed);

        let mut extra = Vec::new();
        if wide {
            extra.extend([1, 0]);
            extra.extend((choices.field(24) as u16).to_le_bytes());
            for value in [sizes[1], sizes[0], place] {
                extra.extend(choices.field(value).to_le_bytes());
            }
        }
        directory.extend(b"PK\x01\x02");
        directory.extend([20, 3, 20, 0]);
        directory.extend(flags.to_le_bytes());
        directory.extend(method.to_le_bytes());
        directory.extend([0; 4]);
        directory.extend(crc.to_le_bytes());
        for size in sizes {
            let size = if wide { u64::from(u32::MAX) } else { choices.field(size) };
            directory.extend((size as u32).to_le_bytes());
        }
        directory.extend((choices.field(name.len() as u64) as u16).to_le_bytes());
        directory.extend((choices.field(extra.len() as u64) as u16).to_le_bytes());
        directory.extend([0; 6]);
        let mode = choices.field(0o100_644) as u32;
        directory.extend((mode << 16).to_le_bytes());
        let place = if wide { u64::from(u32::MAX) } else { choices.field(place) };
        directory.extend((place as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        directory.extend(extra);
    }
    let start = out.len() as u64 - shift;
    out.extend(&directory);
    let (count, size) = (choices.field(members.len() as u64), choices.field(directory.len() as u64));
    if choices.seldom() {
        let record_at = out.len() as u64;
        out.extend(b"PK\x06\x06");
        out.extend(44u64.to_le_bytes());
        out.extend([0; 12]);
        for value in [count, count, size, choices.field(start)] {
            out.extend(value.to_le_bytes());
        }
        out.extend(b"PK\x06\x07\0\0\0\0");
        out.extend(choices.field(record_at).to_le_bytes());
        out.extend([1, 0, 0, 0]);
    }
    out.extend(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        out.extend((count as u16).to_le_bytes());
    }
    out.extend((size as u32).to_le_bytes());
    out.extend((choices.field(start) as u32).to_le_bytes());
    out.extend((choices.field(0) as u16).to_le_bytes());
    out
}

/// The header block of 512 bytes before a member.
fn tar_header(choices: &mut Choices<'_>, out: &mut Vec<u8>, name: &[u8], size: u64, kind: u8) {
    let mut block = vec![0; 512];
    let length = name.len().min(100);
    block[..length].copy_from_slice(&name[..length]);
    block[100..108].copy_from_slice(b"0000644\0");
    let size = choices.field(size);
    if size < 1 << 33 {
        block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    } else {
        block[124] = 0x80;
        block[128..136].copy_from_slice(&size.to_be_bytes());
    }
    block[136..148].copy_from_slice(b"00000000000\0");
    block[156] = kind;
    block[257..265].copy_from_slice(choices.of(&[b"ustar\x0000", b"ustar  \0"]));
    if choices.seldom() {
        let prefix = choices.take(8);
        block[345..345 + prefix.len()].copy_from_slice(prefix);
    }
    block[148..156].fill(b' ');
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    let sum = choices.field(sum) & 0x3ffff;
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend(block);
}

fn tar_member(choices: &mut Choices<'_>, out: &mut Vec<u8>, name: &[u8], content: &[u8], kind: u8) {
    tar_header(choices, out, name, content.len() as u64, kind);
    out.extend(content);
    out.resize(out.len().next_multiple_of(512), 0);
}

/// A tar archive that uses POSIX's and GNU's forms for long names, and further records.
pub fn tar(choices: &mut Choices<'_>, members: &[Member]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, content) in members {
        match choices.byte() {
            0..=159 => {}
            160..=189 => {
                let long = [name.as_bytes(), b"\0"].concat();
                tar_member(choices, &mut out, b"././@LongLink", &long, b'L');
            }
            190..=239 => {
                let mut records = Vec::new();
                for (key, value) in [("path", name.clone()), ("size", content.len().to_string())] {
                    if choices.seldom() {
                        continue;
                    }
                    let bare = format!(" {key}={value}\n");
                    let mut length = bare.len() + 1;
                    while length.to_string().len() + bare.len() != length {
                        length += 1;
                    }
                    records.extend(choices.field(length as u64).to_string().as_bytes());
                    records.extend(bare.as_bytes());
                }
                let kind = if choices.seldom() { b'g' } else { b'x' };
                tar_member(choices, &mut out, b"PaxHeaders/x", &records, kind);
            }
            _ => {
                let (kind, content) = (choices.byte(), choices.some());
                tar_member(choices, &mut out, b"other", content, kind);
            }
        }
        let kind =
            if choices.byte() < 200 { b'0' } else { choices.of(&[0, b'1', b'2', b'5', b'S', b'7', b'K']) };
        tar_member(choices, &mut out, name.as_bytes(), content, kind);
    }
    if !choices.seldom() {
        out.resize(out.len() + 1024, 0);
    }
    out
}

/// An `ar` archive as GNU or BSD tools write it.
pub fn ar(choices: &mut Choices<'_>, members: &[Member]) -> Vec<u8> {
    let thin = choices.seldom();
    let bsd = choices.seldom();
    let mut out = if thin { b"!<thin>\n".to_vec() } else { b"!<arch>\n".to_vec() };
    let mut names = Vec::new();
    let fields: Vec<(String, Vec<u8>)> = members
        .iter()
        .map(|(name, content)| {
            if bsd {
                (format!("#1/{}", name.len()), [name.as_bytes(), content].concat())
            } else if name.len() < 15 && !name.contains(['/', ' ', '\n']) {
                (format!("{name}/"), content.clone())
            } else {
                let field = format!("/{}", choices.field(names.len() as u64));
                names.extend(name.as_bytes());
                names.extend(b"/\n");
                (field, content.clone())
            }
        })
        .collect();
    if choices.seldom() {
        ar_member(choices, &mut out, "/", &[0; 4], false);
    }
    if !names.is_empty() {
        ar_member(choices, &mut out, "//", &names, false);
    }
    for (name, content) in fields {
        ar_member(choices, &mut out, &name, &content, thin);
    }
    out
}

/// Header and content of a member; in a thin archive only the header.
fn ar_member(choices: &mut Choices<'_>, out: &mut Vec<u8>, name: &str, content: &[u8], thin: bool) {
    let size = choices.field(content.len() as u64);
    let mut header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}", 0, 0, 0, 644).into_bytes();
    header.resize(48, b' ');
    header.extend(format!("{size:<10}").bytes().take(10));
    header.extend(b"`\n");
    out.extend(header);
    if !thin {
        out.extend(content);
        if out.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
}

/// A Debian package with one tar.
pub fn deb(choices: &mut Choices<'_>, tar: Vec<u8>) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    ar_member(choices, &mut out, "debian-binary", b"2.0\n", false);
    ar_member(choices, &mut out, "control.tar", &[0; 1024], false);
    ar_member(choices, &mut out, "data.tar", &tar, false);
    out
}
