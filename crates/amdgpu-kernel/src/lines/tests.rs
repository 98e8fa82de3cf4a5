//! Source lines beside those that llvm-symbolizer finds, and debug information that is not what it should be.
#![allow(clippy::indexing_slicing)] // A test may panic.

use super::{Depth, SourceLines};
use amdgpu_object::bytes::elf::Elf;
use proptest::prelude::*;

const EXPECTED: &str = include_str!("../../../../fixtures/lines/lines.tsv");
const GFX1100: &[u8] = include_bytes!("../../../../fixtures/lines/lines_gfx1100.co");
const GFX906: &[u8] = include_bytes!("../../../../fixtures/lines/lines_gfx906.co");

/// As llvm-symbolizer writes it.
fn chain(lines: &SourceLines<'_>, address: u64) -> String {
    let frame = |frame: &super::Frame<'_>| {
        let function = frame.function.map_or("??".into(), String::from_utf8_lossy);
        format!("{function}@{}:{}", frame.file.as_deref().unwrap_or("??"), frame.line)
    };
    match lines.chain(address) {
        none if none.is_empty() => "??@??:0".to_owned(),
        frames => frames.iter().map(frame).collect::<Vec<_>>().join("|"),
    }
}

#[test]
fn chains_are_those_of_llvm_symbolizer() {
    let mut seen = 0;
    for (name, bytes) in [("lines_gfx1100", GFX1100), ("lines_gfx906", GFX906)] {
        let lines = SourceLines::read(bytes, Depth::Chains).unwrap().unwrap();
        assert!(lines.problems().is_empty(), "{:?}", lines.problems());
        let all = lines.chained(0..u64::MAX);
        for row in EXPECTED.lines() {
            let columns: Vec<&str> = row.split('\t').collect();
            if columns[0] == name {
                let address = u64::from_str_radix(&columns[1][2..], 16).unwrap();
                assert_eq!(chain(&lines, address), columns[2], "{name} {address:#x}");
                let stretch = all.stretches.iter().find(|(range, _)| range.contains(&address));
                let chained = stretch.map_or(&[][..], |(_, chain)| &all.chains[*chain as usize]);
                assert_eq!(chained, lines.chain(address));
                seen += 1;
            }
        }
    }
    assert!(seen > 100);
}

#[test]
fn stretches_cover_the_lines_that_chains_say() {
    let lines = SourceLines::read(GFX1100, Depth::Chains).unwrap().unwrap();
    let mut end = 0;
    for stretch in lines.stretches(0..u64::MAX) {
        assert!(stretch.addresses.start >= end && stretch.addresses.start < stretch.addresses.end);
        end = stretch.addresses.end;
        let frame = lines.chain(stretch.addresses.start).swap_remove(0);
        assert_eq!((frame.file, frame.line), (lines.path(stretch.file), stretch.line));
    }
    assert!(end > 0);
}

#[test]
fn code_without_debug_information_has_no_lines() {
    let bytes = include_bytes!("../../../../fixtures/instructions/kernels_gfx1100.co");
    assert!(SourceLines::read(bytes, Depth::Chains).unwrap().is_none());
}

/// Where the debug sections of a code object lie.
fn debug_ranges(bytes: &[u8]) -> Vec<(usize, usize)> {
    let elf = Elf::open(bytes, 0).unwrap();
    let sections = elf.sections().unwrap();
    let debug = sections.iter().filter(|one| one.name.starts_with(b".debug_"));
    debug.map(|one| (one.offset as usize, one.size as usize)).collect()
}

/// Asks for everything.
fn read_all(bytes: &[u8]) {
    let Ok(Some(lines)) = SourceLines::read(bytes, Depth::Chains) else { return };
    for stretch in lines.stretches(0..u64::MAX) {
        let _ = lines.path(stretch.file);
    }
    let _ = lines.chained(0..u64::MAX);
    for address in (0x1500..0x2500).step_by(4) {
        assert!(lines.chain(address).len() <= super::CHAIN);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn damaged_tables_are_read_as_far_as_they_go(
        is_old: bool, hits in proptest::collection::vec((any::<u16>(), any::<u32>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = if is_old { GFX906 } else { GFX1100 }.to_vec();
        let ranges = debug_ranges(&bytes);
        for (section, at, value) in hits {
            let (offset, size) = ranges[section as usize % ranges.len()];
            if size > 0 {
                bytes[offset + at as usize % size] = value;
            }
        }
        read_all(&bytes);
    }

    #[test]
    fn tables_that_end_early_are_read_as_far_as_they_go(is_old: bool, end in 64usize..8192) {
        let bytes = if is_old { GFX906 } else { GFX1100 };
        // Section headers lie at the end: the front of them is lost.
        let mut cut = bytes.to_vec();
        let end = end.min(bytes.len());
        cut[end..].fill(0);
        read_all(&cut);
        read_all(&bytes[..end]);
    }
}
