//! Code objects, and their containers.

use crate::choices::Choices;
use crate::elf::{self, Header, Section};

const TARGETS: &[(&str, u32)] = &[
    ("gfx900", 0x2c),
    ("gfx906", 0x2f),
    ("gfx90a", 0x3f),
    ("gfx1030", 0x36),
    ("gfx1100", 0x41),
    ("gfx942", 0x4c),
];

const NAMES: &[&str] = &[
    "k",
    "_Z1fPKvS0_",
    "mul_mat_q",
    "_ZN2ck1fILi3EEEvv",
    "Cijk_Ailk_Bljk_SB_MT64x64x8",
    "__amd_rocclr_fillBuffer",
];

/// Appends a MessagePack string.
pub fn string(out: &mut Vec<u8>, text: &[u8]) {
    match text.len() {
        0..=31 => out.push(0xa0 | text.len() as u8),
        32..=255 => out.extend([0xd9, text.len() as u8]),
        _ => {
            out.push(0xda);
            out.extend((text.len() as u16).to_be_bytes());
        }
    }
    out.extend(&text[..text.len().min(usize::from(u16::MAX))]);
}

/// Appends a MessagePack number in one of its widths.
pub fn number(choices: &mut Choices<'_>, out: &mut Vec<u8>, right: u64) {
    let value = choices.field(right);
    match value {
        0..=127 => out.push(value as u8),
        128..=0xffff => {
            out.push(0xcd);
            out.extend((value as u16).to_be_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            out.push(0xce);
            out.extend((value as u32).to_be_bytes());
        }
        _ => {
            out.push(0xcf);
            out.extend(value.to_be_bytes());
        }
    }
}

/// Appends the head of a map or an array; its length may be bent.
pub fn head(choices: &mut Choices<'_>, out: &mut Vec<u8>, map: bool, count: u64) {
    let count = choices.field(count);
    if count <= 15 {
        out.push(if map { 0x80 } else { 0x90 } | count as u8);
    } else {
        out.push(if map { 0xdf } else { 0xdd });
        out.extend((count as u32).to_be_bytes());
    }
}

/// Appends any MessagePack value, no deeper than `depth`; it is invalid if the choices end within it or ask
/// for arbitrary bytes.
pub fn any_value(choices: &mut Choices<'_>, out: &mut Vec<u8>, depth: usize) {
    let kind = choices.below(if depth == 0 { 9 } else { 12 });
    match kind {
        0 => out.push(choices.byte() & 0x7f),
        1 => out.push(0xe0 | choices.byte()),
        2 => out.push(choices.of(&[0xc0, 0xc2, 0xc3])),
        3 => {
            let width = choices.below(4);
            out.push(0xcc + width as u8);
            out.extend(choices.whole(1 << width));
        }
        4 => {
            let width = choices.below(4);
            out.push(0xd0 + width as u8);
            out.extend(choices.whole(1 << width));
        }
        5 => {
            out.push(0xcb);
            out.extend(choices.whole(8));
        }
        6 => string(out, choices.some()),
        7 => {
            let bytes = choices.some();
            out.extend([0xc4, bytes.len() as u8]);
            out.extend(bytes);
        }
        8 => {
            let width = choices.below(5);
            out.push(0xd4 + width as u8);
            out.extend(choices.whole((1 << width) + 1));
        }
        9 => {
            choices.bent = true;
            out.push(choices.byte());
        }
        _ => {
            let count = choices.below(5);
            head(choices, out, kind == 10, count as u64);
            for _ in 0..count {
                if kind == 10 {
                    string(out, choices.take(2));
                }
                any_value(choices, out, depth - 1);
            }
        }
    }
}

/// The metadata note of code object V3 and later.
fn metadata(choices: &mut Choices<'_>, target: &str) -> Vec<u8> {
    let mut out = Vec::new();
    head(choices, &mut out, true, 3);
    string(&mut out, b"amdhsa.version");
    head(choices, &mut out, false, 2);
    out.extend([1, 2]);
    string(&mut out, b"amdhsa.target");
    string(&mut out, format!("amdgcn-amd-amdhsa--{target}").as_bytes());
    string(&mut out, b"amdhsa.kernels");
    let kernels = choices.below(4);
    head(choices, &mut out, false, kernels as u64);
    for _ in 0..kernels {
        let more = choices.below(4);
        head(choices, &mut out, true, 5 + more as u64);
        let name = choices.text(NAMES);
        string(&mut out, b".name");
        string(&mut out, name.as_bytes());
        string(&mut out, b".symbol");
        string(&mut out, format!("{name}.kd").as_bytes());
        for key in [".sgpr_count", ".vgpr_count", ".group_segment_fixed_size"] {
            string(&mut out, key.as_bytes());
            number(choices, &mut out, 32);
        }
        for _ in 0..more {
            string(
                &mut out,
                choices.of(&[&b".args"[..], b".kind", b".wavefront_size", b".agpr_count", b".x"]),
            );
            any_value(choices, &mut out, 3);
        }
    }
    out
}

/// A note segment's content: name, type, description.
fn note(choices: &mut Choices<'_>, owner: &[u8], kind: u32, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend((choices.field(owner.len() as u64) as u32).to_le_bytes());
    out.extend((choices.field(content.len() as u64) as u32).to_le_bytes());
    out.extend(kind.to_le_bytes());
    for part in [owner, content] {
        out.extend(part);
        out.resize(out.len().next_multiple_of(4), 0);
    }
    out
}

/// A code object with this note; `v2` for one in YAML.
pub fn with_note(choices: &mut Choices<'_>, content: &[u8], v2: bool) -> Vec<u8> {
    let note =
        if v2 { note(choices, b"AMD\0", 10, content) } else { note(choices, b"AMDGPU\0", 32, content) };
    let header = Header { kind: 3, machine: 224, flags: 0x2f, abi: [64, if v2 { 0 } else { 2 }] };
    elf::file(choices, header, &[Section::new(b".note", 7, 2, note)], 4).0
}

/// A code object with kernels, their descriptors, symbols and some machine code.
pub fn code_object(choices: &mut Choices<'_>) -> Vec<u8> {
    let (target, mach) = choices.of(TARGETS);
    let metadata = metadata(choices, target);
    let note = note(choices, b"AMDGPU\0", 32, &metadata);
    let mut text = choices.some().to_vec();
    text.extend(0xbf81_0000u32.to_le_bytes());
    let mut symbols = vec![0; 24];
    let mut strings = vec![0];
    for _ in 0..choices.below(4) {
        let name = choices.of(NAMES);
        for (kind, section, size, end) in [(0x12u8, 2u16, 64u64, ""), (0x11, 3, 64, ".kd")] {
            symbols.extend((strings.len() as u32).to_le_bytes());
            strings.extend(name.as_bytes());
            strings.extend(end.as_bytes());
            strings.push(0);
            symbols.extend([kind, 3]);
            symbols.extend(section.to_le_bytes());
            symbols.extend(choices.field(0x1000).to_le_bytes());
            symbols.extend(choices.field(size).to_le_bytes());
        }
    }
    let descriptors: Vec<u8> = choices.take(128).to_vec();
    let symbol_table = Section { link: 5, entry_size: 24, ..Section::new(b".symtab", 2, 0, symbols) };
    let sections = [
        Section { address: 0x200, ..Section::new(b".note", 7, 2, note) },
        Section { address: 0x1000, ..Section::new(b".text", 1, 6, text) },
        Section { address: 0x2000, ..Section::new(b".rodata", 1, 2, descriptors) },
        symbol_table,
        Section::new(b".strtab", 3, 0, strings),
    ];
    let header = Header {
        kind: 3,
        machine: 224,
        flags: choices.field(u64::from(mach | 0x500)) as u32,
        abi: [64, choices.of(&[2, 3, 4, 1])],
    };
    elf::file(choices, header, &sections, 64).0
}

/// One entry of a bundle as intended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meant {
    pub id: String,
    pub size: u64,
}

fn id(choices: &mut Choices<'_>) -> String {
    let kind = choices.of(&[
        "hipv4-amdgcn-amd-amdhsa--",
        "hip-amdgcn-amd-amdhsa-",
        "host-x86_64-unknown-linux-gnu-",
        "",
    ]);
    let target = choices.of(TARGETS).0;
    let features = choices.of(&["", "", ":xnack-", ":sramecc+:xnack+", "+xnack"]);
    format!("{kind}{target}{features}")
}

/// A plain offload bundle, and its entries.
pub fn bundle(choices: &mut Choices<'_>) -> (Vec<u8>, Vec<Meant>) {
    let bodies: Vec<(String, Vec<u8>)> = (0..1 + choices.below(3))
        .map(|_| {
            let id = id(choices);
            let body = match choices.below(4) {
                0 => Vec::new(),
                1 => choices.some().to_vec(),
                _ => code_object(choices),
            };
            (id, body)
        })
        .collect();
    let table: usize = bodies.iter().map(|(id, _)| 24 + id.len()).sum();
    let align = choices.of(&[1, 16, 4096]);
    let mut out = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    out.extend(choices.field(bodies.len() as u64).to_le_bytes());
    let mut at = (32 + table).next_multiple_of(align);
    let mut places = Vec::new();
    for (id, body) in &bodies {
        out.extend(choices.field(at as u64).to_le_bytes());
        out.extend(choices.field(body.len() as u64).to_le_bytes());
        out.extend(choices.field(id.len() as u64).to_le_bytes());
        out.extend(id.as_bytes());
        places.push(at);
        at = (at + body.len()).next_multiple_of(align);
    }
    for ((_, body), place) in bodies.iter().zip(places) {
        out.resize(place, 0);
        out.extend(body);
    }
    let meant = bodies.into_iter().map(|(id, body)| Meant { id, size: body.len() as u64 }).collect();
    (out, meant)
}

/// A zstd frame with uncompressed blocks.
pub fn zstd(choices: &mut Choices<'_>, content: &[u8]) -> Vec<u8> {
    let mut out = 0xfd2f_b528u32.to_le_bytes().to_vec();
    if choices.seldom() {
        // Has no size; its window is 1 KiB times a choice.
        out.extend([0, choices.below(4) as u8 * 8 + 0x38]);
    } else {
        // One segment, with a size in 4 bytes.
        out.push(0xa0);
        out.extend((choices.field(content.len() as u64) as u32).to_le_bytes());
    }
    let mut chunks = content.chunks(1 << 14).peekable();
    if chunks.peek().is_none() {
        out.extend([1, 0, 0]);
    }
    while let Some(chunk) = chunks.next() {
        let last = u64::from(chunks.peek().is_none());
        let head = choices.field(last | (chunk.len() as u64) << 3);
        out.extend(&head.to_le_bytes()[..3]);
        out.extend(chunk);
    }
    out
}

/// A zlib stream with uncompressed blocks.
pub fn zlib(choices: &mut Choices<'_>, content: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    deflate(choices, &mut out, content);
    let (mut a, mut b) = (1u32, 0u32);
    for byte in content {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    out.extend((choices.field(u64::from(b << 16 | a)) as u32).to_be_bytes());
    out
}

/// Uncompressed deflate blocks.
pub fn deflate(choices: &mut Choices<'_>, out: &mut Vec<u8>, content: &[u8]) {
    let mut chunks = content.chunks(0xffff).peekable();
    if chunks.peek().is_none() {
        out.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(chunk) = chunks.next() {
        out.push(u8::from(chunks.peek().is_none()));
        let length = choices.field(chunk.len() as u64) as u16;
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(chunk);
    }
}

/// A compressed bundle of version 1 to 3.
pub fn compressed(choices: &mut Choices<'_>, content: &[u8]) -> Vec<u8> {
    use md5::Digest as _;
    let version = 1 + choices.below(3) as u16;
    let method = choices.below(2) as u16;
    let payload = if method == 0 { zlib(choices, content) } else { zstd(choices, content) };
    let hash = u64::from_le_bytes(md5::Md5::digest(content)[..8].try_into().expect("eight bytes"));
    let hash = choices.field(hash);
    let header = [20u64, 24, 32][usize::from(version) - 1];
    let total = choices.field(header + payload.len() as u64);
    let unpacked = choices.field(content.len() as u64);
    let mut out = b"CCOB".to_vec();
    out.extend(version.to_le_bytes());
    out.extend((choices.field(u64::from(method)) as u16).to_le_bytes());
    match version {
        1 => out.extend((unpacked as u32).to_le_bytes()),
        2 => {
            out.extend((total as u32).to_le_bytes());
            out.extend((unpacked as u32).to_le_bytes());
        }
        _ => {
            out.extend(total.to_le_bytes());
            out.extend(unpacked.to_le_bytes());
        }
    }
    out.extend(hash.to_le_bytes());
    out.extend(payload);
    out
}

/// An OffloadBinary of version 1 to 3, and its images.
pub fn offload_binary(choices: &mut Choices<'_>) -> (Vec<u8>, Vec<Meant>) {
    let version = 1 + choices.below(3) as u64;
    let count = if version == 1 { 1 } else { choices.below(4) };
    let header = if version == 3 { 40 } else { 32u64 };
    let step = if version == 1 { 16 } else { 24 };
    let mut strings: Vec<Vec<[u64; 3]>> = Vec::new();
    let mut texts = Vec::new();
    let mut images = Vec::new();
    let mut meant = Vec::new();
    for _ in 0..count {
        let target = choices.of(TARGETS).0;
        let mut pairs = Vec::new();
        for (key, value) in [("triple", "amdgcn-amd-amdhsa"), ("arch", target)] {
            let key_at = texts.len() as u64;
            texts.extend(key.as_bytes());
            texts.push(0);
            let value_at = texts.len() as u64;
            texts.extend(value.as_bytes());
            texts.push(0);
            pairs.push([key_at, value_at, value.len() as u64]);
        }
        strings.push(pairs);
        let image = match choices.below(4) {
            0 => Vec::new(),
            1 => choices.some().to_vec(),
            2 => {
                let plain = bundle(choices).0;
                if choices.seldom() { compressed(choices, &plain) } else { plain }
            }
            _ => code_object(choices),
        };
        meant.push(Meant {
            id: format!("triple=amdgcn-amd-amdhsa,arch={target},kind=hip"),
            size: image.len() as u64,
        });
        images.push(image);
    }
    let entries_at = header;
    let strings_at = entries_at + 40 * count as u64;
    let texts_at = strings_at + step * 2 * count as u64;
    let mut at = (texts_at + texts.len() as u64).next_multiple_of(8);
    let mut places = Vec::new();
    for image in &images {
        places.push(at);
        at = (at + image.len() as u64).next_multiple_of(8);
    }
    let mut out = vec![0x10, 0xff, 0x10, 0xad];
    out.extend((choices.field(version) as u32).to_le_bytes());
    out.extend(choices.field(at).to_le_bytes());
    out.extend(choices.field(entries_at).to_le_bytes());
    out.extend(choices.field(if version == 1 { 40 } else { count as u64 }).to_le_bytes());
    if version == 3 {
        out.extend(choices.field(0).to_le_bytes());
    }
    for (index, image) in images.iter().enumerate() {
        out.extend(choices.of(&[1u16, 2, 4]).to_le_bytes());
        out.extend(4u16.to_le_bytes());
        out.extend(0u32.to_le_bytes());
        out.extend(choices.field(strings_at + 2 * step * index as u64).to_le_bytes());
        out.extend(choices.field(2).to_le_bytes());
        out.extend(choices.field(places[index]).to_le_bytes());
        out.extend(choices.field(image.len() as u64).to_le_bytes());
    }
    for [key, value, size] in strings.iter().flatten() {
        out.extend(choices.field(texts_at + key).to_le_bytes());
        out.extend(choices.field(texts_at + value).to_le_bytes());
        if version > 1 {
            out.extend(choices.field(*size).to_le_bytes());
        }
    }
    out.extend(&texts);
    for (image, place) in images.iter().zip(places) {
        out.resize(place as usize, 0);
        out.extend(image);
    }
    out.resize(at as usize, 0);
    (out, meant)
}

/// A kpack archive, and its rows: name and size of each code object.
pub fn kpack(choices: &mut Choices<'_>) -> (Vec<u8>, Vec<Meant>) {
    let packed = choices.seldom();
    let mut out = b"KPAK".to_vec();
    out.extend((choices.field(1) as u32).to_le_bytes());
    out.extend([0; 8]);
    let bodies: Vec<Vec<u8>> = (0..choices.below(4)).map(|_| code_object(choices)).collect();
    let mut places = Vec::new();
    let frames_at = out.len() as u64;
    if packed {
        out.extend((choices.field(bodies.len() as u64) as u32).to_le_bytes());
        for body in &bodies {
            let frame = zstd(choices, body);
            out.extend((choices.field(frame.len() as u64) as u32).to_le_bytes());
            out.extend(frame);
        }
    } else {
        for body in &bodies {
            places.push(out.len() as u64);
            out.extend(body);
        }
    }
    let frames_end = out.len() as u64;
    let mut table = Vec::new();
    head(choices, &mut table, true, 5);
    string(&mut table, b"compression_scheme");
    let scheme = choices.text(&[if packed { "zstd-per-kernel" } else { "none" }]);
    choices.bent |= scheme != if packed { "zstd-per-kernel" } else { "none" };
    string(&mut table, scheme.as_bytes());
    string(&mut table, b"gfx_arches");
    head(choices, &mut table, false, 1);
    string(&mut table, choices.of(TARGETS).0.as_bytes());
    if packed {
        string(&mut table, b"zstd_offset");
        number(choices, &mut table, frames_at);
        string(&mut table, b"zstd_size");
        number(choices, &mut table, frames_end - frames_at);
    } else {
        string(&mut table, b"blobs");
        head(choices, &mut table, false, bodies.len() as u64);
        for (body, place) in bodies.iter().zip(&places) {
            head(choices, &mut table, true, 2);
            string(&mut table, b"offset");
            number(choices, &mut table, *place);
            string(&mut table, b"size");
            number(choices, &mut table, body.len() as u64);
        }
        string(&mut table, b"more");
        any_value(choices, &mut table, 2);
    }
    string(&mut table, b"toc");
    head(choices, &mut table, true, bodies.len() as u64);
    let mut meant = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let (key, target) = (format!("lib/libx.so#{index}"), choices.of(TARGETS).0);
        string(&mut table, key.as_bytes());
        head(choices, &mut table, true, 1);
        string(&mut table, target.as_bytes());
        head(choices, &mut table, true, 2);
        string(&mut table, b"ordinal");
        number(choices, &mut table, index as u64);
        string(&mut table, b"original_size");
        number(choices, &mut table, body.len() as u64);
        meant.push(Meant { id: format!("{key}@{target}"), size: body.len() as u64 });
    }
    let table_at = choices.field(out.len() as u64);
    out[8..16].copy_from_slice(&table_at.to_le_bytes());
    out.extend(table);
    (out, meant)
}

/// The marker of a binary whose device code lies in kpack archives.
pub fn kpack_marker(choices: &mut Choices<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    head(choices, &mut out, true, 2);
    string(&mut out, b"kernel_name");
    string(&mut out, choices.text(&["lib/libx.so"]).as_bytes());
    string(&mut out, b"kpack_search_paths");
    let paths = choices.below(3);
    head(choices, &mut out, false, paths as u64);
    for _ in 0..paths {
        string(
            &mut out,
            choices.text(&["../.kpack/x_@GFXARCH@.kpack", "@GFXARCH@@GFXARCH@", "/etc/passwd"]).as_bytes(),
        );
    }
    out
}
