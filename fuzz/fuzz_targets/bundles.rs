//! Arbitrary bytes as any format, and bundles of every form, alone, in sequence, and in sections of ELF, PE,
//! COFF and `ar` files, with fields at and beyond their limits: every byte of a device region is accounted
//! for, and if no field was bent, everything that was put in is found.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::codeobject::disassembly::CodeAsk;
use rocm_audit::container::bundle_reader::{self, Depth};
use rocm_audit::container::{self, Container};
use rocm_audit::format::Format;
use rocm_audit_fuzz::choices::Choices;
use rocm_audit_fuzz::elf::{self, Header, Section};
use rocm_audit_fuzz::{gpu, packages};

/// One or several bundles, and the sizes of their entries.
fn bundles(choices: &mut Choices<'_>) -> (Vec<u8>, Vec<u64>) {
    let (mut out, mut meant) = (Vec::new(), Vec::new());
    for _ in 0..1 + choices.below(2) {
        out.resize(out.len().next_multiple_of(8), 0);
        let (bytes, entries) = match choices.below(4) {
            0 => gpu::bundle(choices),
            1 | 2 => {
                let (plain, entries) = gpu::bundle(choices);
                (gpu::compressed(choices, &plain), entries)
            }
            _ => {
                // Its images may be bundles themselves, so it is known only that something is found.
                let bytes = gpu::offload_binary(choices).0;
                choices.bent = true;
                (bytes, Vec::new())
            }
        };
        out.extend(bytes);
        meant.extend(entries.into_iter().map(|entry| entry.size));
    }
    (out, meant)
}

fn hosted(choices: &mut Choices<'_>, content: Vec<u8>, in_archive: bool) -> Vec<u8> {
    let size = 24 * 2;
    let wrappers = b"FPIH\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".repeat(size / 24);
    match choices.below(4) {
        0 | 1 => {
            let (machine, kinds) =
                choices.of(&[(62, [8u64, 1]), (183, [1027, 257]), (21, [22, 38]), (243, [3, 2])]);
            let relocations = elf::relocations(choices, 0x3000, size as u64, &kinds);
            let name =
                choices.of(&[&b".hip_fatbin"[..], b".llvm.offloading", b".rodata", b".kernel", b".data"]);
            // The name does not announce bundles, so they are searched for.
            choices.bent |= name == b".rodata" || name == b".data";
            let marker = gpu::kpack_marker(choices);
            let mut sections = vec![
                Section { address: 0x1000, ..Section::new(name, 1, 2, content) },
                Section { address: 0x3000, ..Section::new(b".hipFatBinSegment", 1, 3, wrappers) },
                Section { link: 4, entry_size: 24, ..Section::new(b".rela.dyn", 4, 2, relocations) },
                Section { link: 5, entry_size: 24, ..Section::new(b".dynsym", 11, 2, vec![0x10; 96]) },
                Section::new(b".dynstr", 3, 2, b"\0libamdhip64.so.6\0".to_vec()),
            ];
            if choices.seldom() {
                sections.push(Section::new(b".rocm_kpack_ref", 1, 2, marker));
            }
            elf::file(choices, Header { kind: 3, machine, ..Header::default() }, &sections, 16).0
        }
        // Archives do not contain linked programs.
        2 if !in_archive => {
            let sections = [
                Section::new(b".hip_fat", 0, 0x4000_0040, content),
                Section::new(b".hipFatB", 0, 0x4000_0040, wrappers),
            ];
            elf::pe(choices, &sections).0
        }
        _ => elf::coff(choices, &[Section::new(b".hip_fat", 0, 0x4000_0040, content)]).0,
    }
}

fn read(bytes: &[u8], found: &Container) -> Vec<u64> {
    let mut sizes = Vec::new();
    for bundle in found.bundles() {
        for depth in [Depth::Metadata, Depth::Whole] {
            let content = bundle_reader::read(bytes, bundle, depth, CodeAsk::Nothing, &mut |_, _, _| {});
            assert_eq!(content.payloads().len(), bundle.entries().len());
        }
        sizes.extend(bundle.entries().iter().map(|entry| entry.size()));
    }
    sizes
}

/// Finds and reads everything in a file; returns the sizes of all entries.
fn opened(file: &[u8]) -> (Vec<u64>, Container) {
    let format = Format::identify(file.get(..512).unwrap_or(file));
    let found = container::open(file, format);
    if matches!(format, Format::OffloadBundle | Format::CompressedBundle | Format::OffloadBinary) {
        let spans: u64 = found.bundles().iter().map(|bundle| bundle.span()).sum();
        assert_eq!(spans + found.gaps().total(), file.len() as u64);
    }
    (read(file, &found), found)
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let mut choices = Choices::new(bytes);
    if choices.byte() >= 0xa0 {
        opened(choices.all());
        return;
    }
    let (alone, in_archive) = (choices.below(3) == 0, choices.seldom());
    let (mut file, meant) = bundles(&mut choices);
    if !alone {
        file = hosted(&mut choices, file, in_archive);
    }
    if in_archive {
        file = packages::ar(&mut choices, &[("a.o".to_owned(), file)]);
        choices.bent |= file.starts_with(b"!<thin>");
    }
    let (sizes, found) = opened(&file);
    if !choices.bent {
        assert_eq!(sizes, meant, "{found:?}");
    }
});
