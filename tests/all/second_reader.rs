//! Compares every ELF file in the fixtures with goblin, an independent reader.

use goblin::elf::Elf as Goblin;
use rocm_audit::bytes::elf::Elf;
use std::path::{Path, PathBuf};

fn elf_files() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rocm");
    let entries = rocm_audit::input::walk::walk(&[root], &Default::default()).entries;
    let read = entries.into_iter().filter(|e| matches!(e.kind, rocm_audit::input::walk::PathKind::File(_)));
    read.map(|e| (e.path.clone(), std::fs::read(e.path).unwrap()))
        .filter(|(_, b)| b.starts_with(b"\x7fELF"))
        .collect()
}

#[test]
fn headers_sections_and_segments_are_the_same() {
    let files = elf_files();
    assert!(files.len() > 60, "{}", files.len());
    for (path, bytes) in files {
        let (ours, theirs) = (Elf::open(bytes.as_slice(), 0).unwrap(), Goblin::parse(&bytes).unwrap());
        let at = path.display();
        assert_eq!(ours.machine(), theirs.header.e_machine, "{at}");
        assert_eq!(ours.flags(), theirs.header.e_flags, "{at}");
        assert_eq!(ours.kind(), theirs.header.e_type, "{at}");
        let sections: Vec<_> = ours
            .sections()
            .unwrap()
            .iter()
            .map(|s| {
                (String::from_utf8_lossy(s.name).into_owned(), s.kind, s.flags, s.offset, s.size, s.link)
            })
            .collect();
        let expected: Vec<_> = theirs
            .section_headers
            .iter()
            .skip(1)
            .map(|s| {
                let name = theirs.shdr_strtab.get_at(s.sh_name).unwrap_or_default().to_owned();
                (name, s.sh_type, s.sh_flags, s.sh_offset, s.sh_size, s.sh_link)
            })
            .collect();
        assert_eq!(sections, expected, "{at}");
        let segments: Vec<_> =
            ours.segments().unwrap().iter().map(|s| (s.kind, s.flags, s.offset, s.size)).collect();
        let expected: Vec<_> =
            theirs.program_headers.iter().map(|s| (s.p_type, s.p_flags, s.p_offset, s.p_filesz)).collect();
        assert_eq!(segments, expected, "{at}");
    }
}

#[test]
fn descriptors_are_the_symbols_that_end_in_kd() {
    let mut found = 0;
    for (path, bytes) in elf_files().into_iter().filter(|(_, b)| b[18] == 224) {
        let theirs = Goblin::parse(&bytes).unwrap();
        let table = if theirs.dynsyms.is_empty() { &theirs.syms } else { &theirs.dynsyms };
        let names = if theirs.dynsyms.is_empty() { &theirs.strtab } else { &theirs.dynstrtab };
        let expected: Vec<String> = table
            .iter()
            .filter(|s| s.st_shndx != 0 && s.st_size == 64 && s.st_type() == goblin::elf::sym::STT_OBJECT)
            .filter_map(|s| names.get_at(s.st_name))
            .filter(|name| name.ends_with(".kd"))
            .map(str::to_owned)
            .collect();
        let ours = rocm_audit::codeobject::descriptor::read_all(bytes.as_slice(), 0).unwrap();
        let names: Vec<String> = ours.iter().map(|d| d.symbol().to_owned()).collect();
        if theirs.section_headers.is_empty() {
            continue;
        }
        assert_eq!(names, expected, "{}", path.display());
        found += names.len();

        // The descriptor and the metadata independently describe the same kernel.
        rocm_audit::codeobject::read(bytes.as_slice(), bytes.len() as u64, 0, &mut |_, kernel| {
            if let Some(descriptor) = ours.iter().find(|d| d.symbol() == kernel.symbol()) {
                assert_eq!(Some(u64::from(descriptor.lds())), kernel.lds(), "{}", kernel.name());
                assert_eq!(Some(u64::from(descriptor.scratch())), kernel.scratch(), "{}", kernel.name());
                assert_eq!(Some(u64::from(descriptor.kernarg())), kernel.kernarg(), "{}", kernel.name());
                assert_eq!(descriptor.is_wave32(), kernel.wavefront() == Some(32), "{}", kernel.name());
            }
        })
        .unwrap();
    }
    assert!(found > 50, "{found}");
}
