//! What compilers pack code objects into.

/// The identity of an entry for a target: `hipv4-amdgcn-amd-amdhsa--gfx906`.
pub fn entry_id(target: &str) -> String {
    format!("hipv4-amdgcn-amd-amdhsa--{target}")
}

/// A plain offload bundle, whose bodies begin at multiples of `align` bytes, each for the target of its entry.
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

/// Offload binaries of version 1, one behind the other: each has one image, an object for HIP of the target `arch`.
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
