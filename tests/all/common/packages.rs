//! Writes packages, sound and deceptive ones.

use super::fixture;
use std::io::Write;

/// A code object to pack.
pub fn code_object() -> Vec<u8> {
    std::fs::read(fixture("rocm/lib/codeobject/v4_gfx906.hsaco")).unwrap()
}

/// One member of a zip file to write. Fields left out get correct values.
#[derive(Clone)]
pub struct Member<'n> {
    pub name: &'n str,
    pub content: Vec<u8>,
    pub deflated: bool,
    pub crc: Option<u32>,
    pub size: Option<u32>,
    pub flags: u16,
}

pub fn member(name: &str, content: Vec<u8>) -> Member<'_> {
    Member { name, content, deflated: true, crc: None, size: None, flags: 0 }
}

pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

pub fn zip(members: &[Member<'_>]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for m in members {
        let packed = if m.deflated { deflate(&m.content) } else { m.content.clone() };
        let mut crc = crc32fast::Hasher::new();
        crc.update(&m.content);
        let crc = m.crc.unwrap_or(crc.finalize());
        let size = m.size.unwrap_or(m.content.len() as u32);
        let mut common = Vec::new();
        for number in [20, m.flags, if m.deflated { 8 } else { 0 }, 0, 0] {
            common.extend(u16::to_le_bytes(number));
        }
        for number in [crc, packed.len() as u32, size] {
            common.extend(number.to_le_bytes());
        }
        common.extend((m.name.len() as u16).to_le_bytes());
        common.extend(0u16.to_le_bytes());
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((out.len() as u32).to_le_bytes());
        directory.extend(m.name.as_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(m.name.as_bytes());
        out.extend(packed);
    }
    let start = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend((members.len() as u16).to_le_bytes());
    out.extend((members.len() as u16).to_le_bytes());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

pub fn tar_header(name: &str, size: u64, kind: u8) -> Vec<u8> {
    tar_link(name, size, kind, "")
}

/// The header of a link: kind `1` for a hard one, `2` for a symbolic one. A folder that does not fit in the
/// name field goes to the prefix.
pub fn tar_link(name: &str, size: u64, kind: u8, to: &str) -> Vec<u8> {
    let mut block = vec![0u8; 512];
    let (folder, name) = if name.len() > 100 { name.rsplit_once('/').unwrap() } else { ("", name) };
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[345..345 + folder.len()].copy_from_slice(folder.as_bytes());
    block[100..107].copy_from_slice(b"0000644");
    block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    block[156] = kind;
    block[157..157 + to.len()].copy_from_slice(to.as_bytes());
    block[257..265].copy_from_slice(b"ustar\x0000");
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|&b| u32::from(b)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    block
}

pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, content) in members {
        out.extend(tar_header(name, content.len() as u64, b'0'));
        out.extend(*content);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.extend([0; 1024]);
    out
}

/// An `ar` archive, the container of Debian packages.
pub fn ar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, content) in members {
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 100_644, content.len());
        out.extend(header.bytes());
        out.extend(*content);
        out.resize(out.len().next_multiple_of(2), b'\n');
    }
    out
}

/// A Debian package with these files, and this `control` text after its list of checksums.
pub fn deb(control: &[u8], files: &[(&str, &[u8])]) -> Vec<u8> {
    let control = gzip(&tar(&[("./md5sums", &b"x".repeat(700)), ("./control", control)]));
    ar(&[("debian-binary", b"2.0\n"), ("control.tar.gz", &control), ("data.tar.gz", &gzip(&tar(files)))])
}

/// Borrowed files, in the form that the writers here accept.
pub fn borrowed(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect()
}

/// An image with the given layers, as written by `docker save`.
pub fn image(layers: &[Vec<u8>]) -> Vec<u8> {
    let names: Vec<String> = (0..layers.len()).map(|index| format!("{index:064x}.tar")).collect();
    let listed = names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(",");
    let manifest = format!(r#"[{{"Config":"none.json","RepoTags":["a:b"],"Layers":[{listed}]}}]"#);
    let mut members: Vec<(&str, &[u8])> =
        names.iter().map(String::as_str).zip(layers.iter().map(Vec::as_slice)).collect();
    members.push(("manifest.json", manifest.as_bytes()));
    tar(&members)
}
