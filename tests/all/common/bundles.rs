//! Writes offload bundles.

/// A plain bundle whose bodies begin at multiples of `align`, each for its own target.
pub fn bundle(bodies: &[&[u8]], align: usize) -> Vec<u8> {
    let names: Vec<String> = (0..bodies.len()).map(|number| format!("gfx9{number:02x}")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(String::as_str).zip(bodies.iter().copied()).collect();
    bundle_for(&entries, align)
}

/// A plain bundle whose bodies begin at multiples of `align`, each for the target given with it.
pub fn bundle_for(entries: &[(&str, &[u8])], align: usize) -> Vec<u8> {
    let id = |target: &str| format!("hipv4-amdgcn-amd-amdhsa--{target}");
    let header: usize = 32 + entries.iter().map(|(target, _)| 24 + id(target).len()).sum::<usize>();
    let mut at = header.next_multiple_of(align);
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend((entries.len() as u64).to_le_bytes());
    let mut places = Vec::new();
    for (target, body) in entries {
        for field in [at, body.len(), id(target).len()] {
            bytes.extend((field as u64).to_le_bytes());
        }
        bytes.extend(id(target).bytes());
        places.push(at);
        at = (at + body.len()).next_multiple_of(align);
    }
    for ((_, body), at) in entries.iter().zip(places) {
        bytes.resize(at, 0);
        bytes.extend(*body);
    }
    bytes
}
