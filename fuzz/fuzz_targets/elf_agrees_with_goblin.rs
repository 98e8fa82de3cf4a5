//! If goblin, an independent reader, accepts a 64-bit little-endian file, our sections are the same.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::bytes::elf::Elf;

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let (Ok(ours), Ok(theirs)) = (Elf::open(bytes, 0), goblin::elf::Elf::parse(bytes)) else { return };
    let Ok(sections) = ours.sections() else { return };
    if !theirs.is_64 || !theirs.little_endian || sections.is_empty() {
        return;
    }
    assert_eq!(ours.flags(), theirs.header.e_flags);
    for (a, b) in sections.iter().zip(theirs.section_headers.iter().skip(1)) {
        assert_eq!(
            (a.kind, a.flags, a.offset, a.size, a.link),
            (b.sh_type, b.sh_flags, b.sh_offset, b.sh_size, b.sh_link)
        );
    }
});
