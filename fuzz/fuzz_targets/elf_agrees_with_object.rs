//! If the crate `object` accepts a file, our sections, segments and archive members are the same. Files have
//! arbitrary bytes, or fields at their limits.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _, SectionHeader as _};
use object::{LittleEndian, Object as _, ObjectSection as _};
use rocm_audit::bytes::elf::Elf;
use rocm_audit::container::ar_members::ArMembers;
use rocm_audit::container::{coff, pe};
use rocm_audit_fuzz::choices::Choices;
use rocm_audit_fuzz::elf::{self, Header, Section};
use rocm_audit_fuzz::{gpu, packages};

fn elf(bytes: &[u8]) {
    let (Ok(ours), Ok(theirs)) = (Elf::open(bytes, 0), ElfFile64::<LittleEndian>::parse(bytes)) else {
        return;
    };
    let header = theirs.elf_header();
    assert_eq!(u32::from(ours.machine()), u32::from(header.e_machine(LittleEndian).0));
    if let (Ok(sections), Ok(table)) = (ours.sections(), header.sections(LittleEndian, bytes))
        && !sections.is_empty()
    {
        for (a, b) in sections.iter().zip(table.iter().skip(1)) {
            let b = (
                b.sh_type(LittleEndian).0,
                b.sh_flags(LittleEndian).0,
                b.sh_offset(LittleEndian),
                b.sh_size(LittleEndian),
                b.sh_link(LittleEndian),
            );
            assert_eq!((a.kind, a.flags, a.offset, a.size, a.link), b);
        }
    }
    if let (Ok(segments), Ok(table)) = (ours.segments(), header.program_headers(LittleEndian, bytes)) {
        for (a, b) in segments.iter().zip(table) {
            assert_eq!(
                (a.kind, a.offset, a.size),
                (b.p_type(LittleEndian).0, b.p_offset(LittleEndian), b.p_filesz(LittleEndian))
            );
        }
    }
}

/// `object` must also list the sections in which we found bundles.
fn named(bytes: &[u8], is_pe: bool) {
    use rocm_audit::budget::ObjectBudget;
    let budget = &mut ObjectBudget::for_size(bytes.len());
    let ours = if is_pe { pe::open(bytes, budget) } else { coff::open(bytes, 0, budget) };
    let (Ok(ours), Ok(theirs)) = (ours, object::File::parse(bytes)) else { return };
    for section in ours.sections.iter().filter(|section| section.size() > 0) {
        let at = |theirs: object::Section<'_, '_>| {
            theirs.file_range().is_some_and(|(at, _)| at == section.offset())
        };
        assert!(theirs.sections().any(at), "{section:?}");
    }
}

fn archive(bytes: &[u8]) {
    let (Ok(ours), Ok(theirs)) = (ArMembers::open(bytes), ArchiveFile::parse(bytes)) else { return };
    if theirs.is_thin() {
        return;
    }
    let ours: Vec<_> = ours.take_while(Result::is_ok).flatten().collect();
    // Their members, without the archive's own tables, must be ours.
    let theirs = theirs.members().take_while(Result::is_ok).flatten();
    let plain = |name: &[u8]| !name.starts_with(b"__.SYMDEF") && !name.starts_with(b"/");
    let theirs: Vec<_> = theirs.filter(|member| plain(member.name())).collect();
    for member in ours.iter().filter(|member| plain(member.name) && !member.name.is_empty()) {
        // Tools differ on names with blanks and slashes, but not on the members' positions.
        let same = |other: &object::read::archive::ArchiveMember<'_>| {
            other.file_range() == (member.offset, member.size)
        };
        assert!(theirs.len() < ours.len() || theirs.iter().any(same), "{member:?} {theirs:?}");
    }
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let mut choices = Choices::new(bytes);
    match choices.below(6) {
        0 => elf(bytes),
        1 => elf(&gpu::code_object(&mut choices)),
        2 => {
            let sections: Vec<Section> = (0..choices.below(6))
                .map(|_| {
                    let name = choices.take(3);
                    let kind = choices.of(&[1, 2, 3, 4, 6, 7, 8, 11, 14]);
                    let flags = u64::from(choices.byte() % 8);
                    Section::new(name, kind, flags, choices.some().to_vec())
                })
                .collect();
            let header = Header { kind: choices.word() % 5, machine: choices.word(), flags: 0, abi: [0; 2] };
            elf(&elf::file(&mut choices, header, &sections, 8).0);
        }
        kind @ (3 | 4) => {
            let bundle = gpu::bundle(&mut choices).0;
            let sections = [
                Section::new(b".text", 0, 0x6000_0020, choices.some().to_vec()),
                Section::new(b".hip_fat", 0, 0x4000_0040, bundle),
            ];
            let make = if kind == 3 { elf::pe } else { elf::coff };
            named(&make(&mut choices, &sections).0, kind == 3);
        }
        _ => {
            let members = packages::members(&mut choices, &mut |choices| choices.some().to_vec());
            archive(&packages::ar(&mut choices, &members));
            archive(bytes);
        }
    }
});
