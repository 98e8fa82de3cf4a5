//! What compilers and build systems pack code objects into.

use crate::message_pack::Value;

/// The identity of an entry for a target: `hipv4-amdgcn-amd-amdhsa--gfx906`.
pub fn entry_id(target: &str) -> String {
    format!("hipv4-amdgcn-amd-amdhsa--{target}")
}

/// A plain offload bundle, whose bodies begin at multiples of `align` bytes, each for the target of its
/// entry.
pub fn offload_bundle(entries: &[(&str, &[u8])], align: usize) -> Vec<u8> {
    let header: usize = 32 + entries.iter().map(|(target, _)| 24 + entry_id(target).len()).sum::<usize>();
    let mut at = header.next_multiple_of(align.max(1));
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend((entries.len() as u64).to_le_bytes());
    let mut places = Vec::new();
    for (target, body) in entries {
        let id = entry_id(target);
        for field in [at, body.len(), id.len()] {
            bytes.extend((field as u64).to_le_bytes());
        }
        bytes.extend(id.bytes());
        places.push(at);
        at = (at + body.len()).next_multiple_of(align.max(1));
    }
    for ((_, body), at) in entries.iter().zip(places) {
        bytes.resize(at, 0);
        bytes.extend(*body);
    }
    bytes
}

/// A kpack archive of code objects, stored as they are: each is that of a binary and a bundle in it
/// (`lib/libx.so#0`), for a target. Source: `python/rocm_kpack/kpack.py` of rocm-systems.
pub fn kpack(objects: &[(&str, &str, &[u8])]) -> Vec<u8> {
    // A header of 16 bytes, and zeros up to the first object.
    const BEGIN: usize = 64;
    let (mut bodies, mut blobs): (Vec<u8>, _) = (Vec::new(), Vec::new());
    let (mut targets, mut binaries): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (binary, target, body) in objects {
        let place = [("offset", BEGIN + bodies.len()), ("size", body.len())];
        blobs.push(Value::Map(place.map(|(key, number)| (key, Value::Number(number as u32))).into()));
        bodies.extend(body.iter());
        targets.push(target);
        binaries.push(binary);
    }
    for names in [&mut targets, &mut binaries] {
        names.sort_unstable();
        names.dedup();
    }
    let table = Value::Map(vec![
        ("format_version", Value::Number(1)),
        ("group_name", Value::Text("samples")),
        ("gfx_arch_family", Value::Text(targets.first().copied().unwrap_or_default())),
        ("gfx_arches", Value::List(targets.iter().map(|target| Value::Text(target)).collect())),
        ("toc", Value::Map(binaries.iter().map(|binary| (*binary, kpack_rows(objects, binary))).collect())),
        ("compression_scheme", Value::Text("none")),
        ("blobs", Value::List(blobs)),
    ]);
    let mut out = b"KPAK\x01\0\0\0".to_vec();
    out.extend(((BEGIN + bodies.len()) as u64).to_le_bytes());
    out.resize(BEGIN, 0);
    out.extend(bodies);
    table.write(&mut out);
    out
}

/// The rows of a binary: its code objects by target, with their numbers in the archive.
fn kpack_rows<'o>(objects: &[(&str, &'o str, &[u8])], binary: &str) -> Value<'o> {
    let mut rows = Vec::new();
    for (ordinal, (_, target, body)) in objects.iter().enumerate().filter(|(_, (of, ..))| *of == binary) {
        let numbers = [("ordinal", ordinal), ("original_size", body.len())];
        let mut fields = vec![("type", Value::Text("hsaco"))];
        fields.extend(numbers.map(|(key, number)| (key, Value::Number(number as u32))));
        rows.push((*target, Value::Map(fields)));
    }
    Value::Map(rows)
}

/// Offload binaries of version 1, one behind the other: each has one image, an object for HIP of the target
/// `arch`.
pub fn offload_binaries(images: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (arch, image) in images {
        let texts = [("triple", "amdgcn-amd-amdhsa"), ("arch", *arch)];
        // A header of 32 bytes, an entry of 40, 16 for each text, and the texts behind.
        let table = 32 + 40;
        let strings = table + 16 * texts.len();
        let (mut places, mut pool) = (Vec::new(), Vec::new());
        for (key, value) in texts {
            for text in [key, value] {
                places.push((strings + pool.len()) as u64);
                pool.extend(text.bytes());
                pool.push(0);
            }
        }
        let at = (strings + pool.len()).next_multiple_of(8);
        let size = (at + image.len()).next_multiple_of(8);
        let begin = out.len();
        out.extend(b"\x10\xff\x10\xad\x01\0\0\0");
        out.extend([size as u64, 32, 40].map(u64::to_le_bytes).concat());
        // IMG_Object and OFK_HIP.
        out.extend([1u16, 4].map(u16::to_le_bytes).concat());
        out.extend([0; 4]);
        let entry = [table as u64, texts.len() as u64, at as u64, image.len() as u64];
        out.extend(entry.map(u64::to_le_bytes).concat());
        out.extend(places.into_iter().flat_map(u64::to_le_bytes));
        out.extend(pool);
        out.resize(begin + at, 0);
        out.extend(*image);
        out.resize(begin + size, 0);
    }
    out
}
