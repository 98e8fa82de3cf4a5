//! Offload bundles to write.

/// A plain bundle whose bodies begin at multiples of `align`, each for a target of its own.
pub fn bundle(bodies: &[&[u8]], align: usize) -> Vec<u8> {
    let id = |number: usize| format!("hipv4-amdgcn-amd-amdhsa--gfx9{number:02x}");
    let header: usize = 32 + (0..bodies.len()).map(|number| 24 + id(number).len()).sum::<usize>();
    let mut at = header.next_multiple_of(align);
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend((bodies.len() as u64).to_le_bytes());
    let mut places = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        for field in [at, body.len(), id(number).len()] {
            bytes.extend((field as u64).to_le_bytes());
        }
        bytes.extend(id(number).bytes());
        places.push(at);
        at = (at + body.len()).next_multiple_of(align);
    }
    for (body, at) in bodies.iter().zip(places) {
        bytes.resize(at, 0);
        bytes.extend(*body);
    }
    bytes
}
