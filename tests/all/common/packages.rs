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

pub use amdgpu_samples::package::tar_header as tar_link;
/// Archives that are sound.
pub use amdgpu_samples::package::{ar, tar};

pub fn tar_header(name: &str, size: u64, kind: u8) -> Vec<u8> {
    tar_link(name, size, kind, "")
}

/// A Debian package of these files, and with this text of `control` behind its list of sums.
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
