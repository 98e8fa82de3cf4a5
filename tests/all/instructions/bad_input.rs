//! Code objects with malformed machine code or symbols: no panic, problems with the correct location, and
//! time proportional to the file.

use super::{bytes, expected, fixtures, named, read};
use rocm_audit::codeobject::CodeObject;
use rocm_audit::codeobject::disassembly::{CodeSummary, DecodeOptions, KernelNames};
use rocm_audit::input::device_file::DeviceFile;
use rocm_audit::isa::Mode;
use rocm_audit::isa::body::Body;
use rocm_audit::report::fatbin;
use rocm_audit::scan::device_file::{self, FileOptions};
use std::time::{Duration, Instant};

/// Offsets of fields in a section header.
const OFFSET: usize = 24;
const SIZE: usize = 32;

/// Types of symbols, global.
const OBJECT: u8 = 0x11;
const FUNC: u8 = 0x12;

/// A code object with modified bytes.
struct Patched(Vec<u8>);

impl Patched {
    fn of(name: &str) -> Self {
        Patched(bytes(name))
    }

    fn number(&self, at: usize, bytes: usize) -> usize {
        self.0[at..at + bytes].iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte))
    }

    fn put(&mut self, at: usize, value: u64) {
        self.0[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }

    /// Offset and number of a section's header.
    fn header(&self, name: &str) -> (usize, u16) {
        let (table, count, names) = (self.number(40, 8), self.number(60, 2), self.number(62, 2));
        let strings = self.number(table + 64 * names + OFFSET, 8);
        let is = |index: &usize| {
            let at = strings + self.number(table + 64 * index, 4);
            self.0[at..].starts_with(name.as_bytes()) && self.0[at + name.len()] == 0
        };
        let index = (1..count).find(is).unwrap();
        (table + 64 * index, index as u16)
    }

    fn set(&mut self, section: &str, field: usize, value: u64) {
        let at = self.header(section).0 + field;
        self.put(at, value);
    }

    fn field(&self, section: &str, field: usize) -> usize {
        self.number(self.header(section).0 + field, 8)
    }

    fn address(&self, section: &str) -> u64 {
        self.field(section, 16) as u64
    }

    fn section(&mut self, name: &str) -> &mut [u8] {
        let (offset, size) = (self.field(name, OFFSET), self.field(name, SIZE));
        &mut self.0[offset..offset + size]
    }

    /// Appends new bytes to the file as a section's content.
    fn replace(&mut self, section: &str, bytes: &[u8]) {
        self.set(section, OFFSET, self.0.len() as u64);
        self.set(section, SIZE, bytes.len() as u64);
        self.0.extend(bytes);
    }

    /// Replaces all symbols: name, type, section, value, size.
    fn symbols(&mut self, symbols: &[(String, u8, u16, u64, u64)]) {
        let (mut table, mut names) = (vec![0; 24], vec![0]);
        for (name, kind, section, value, size) in symbols {
            table.extend((names.len() as u32).to_le_bytes());
            table.extend([*kind, 0]);
            table.extend(section.to_le_bytes());
            table.extend(value.to_le_bytes());
            table.extend(size.to_le_bytes());
            names.extend(name.bytes().chain([0]));
        }
        self.replace(".symtab", &table);
        self.replace(".strtab", &names);
    }

    /// Divides `.text` into kernels: offset, size.
    fn kernels(&mut self, kernels: impl Iterator<Item = (u64, u64)>) {
        let (text, rodata) = (self.header(".text").1, self.header(".rodata").1);
        let (start, descriptors) = (self.address(".text"), self.address(".rodata"));
        let mut symbols = Vec::new();
        for (number, (offset, size)) in kernels.enumerate() {
            symbols.push((format!("k{number}"), FUNC, text, start.wrapping_add(offset), size));
            symbols.push((format!("k{number}.kd"), OBJECT, rodata, descriptors, 64));
        }
        self.symbols(&symbols);
    }
}

fn whole(bytes: &[u8]) -> CodeObject {
    let ask = |mode| DecodeOptions {
        mode,
        kernels: true,
        histograms: Some(KernelNames::new(&|_| true)),
        legal_on: Some("gfx1100"),
        ..DecodeOptions::default()
    };
    read(bytes, &ask(Mode::LikeLlvm));
    read(bytes, &ask(Mode::Correct))
}

fn code(bytes: &[u8]) -> (CodeSummary, Vec<String>) {
    let mut object = whole(bytes);
    (*object.take_code().unwrap(), object.problems().iter().map(ToString::to_string).collect())
}

/// A small generator with a fixed seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[test]
fn random_bytes_as_code_are_counted_and_told() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (name, truth) in expected() {
        let mut file = Patched::of(&name);
        file.section(".text").iter_mut().for_each(|byte| *byte = (random.next() >> 32) as u8);
        let (code, problems) = code(&file.0);
        let size = file.field(".text", SIZE) as u64;
        assert!(code.instructions() * 4 + code.zero_bytes() + code.data_bytes() <= size + 64 * 20, "{name}");
        assert_eq!(code.kernels().len(), truth["kernels"].as_object().unwrap().len(), "{name}");
        if size > 256 {
            assert!(code.unknown() > 0, "{name}");
            // Counted, but not a problem: a newer compiler may use instructions that the tables lack.
            assert!(problems.is_empty(), "{name}: {problems:?}");
        }
    }
}

#[test]
fn a_section_may_end_anywhere() {
    for (name, _) in expected() {
        let whole = Patched::of(&name);
        let size = whole.field(".text", SIZE);
        let most = if name.starts_with("kernels_") { 3 } else { 24 };
        for cut in (0..size).rev().take(most).chain([1, 2, 3, 5]) {
            let mut file = Patched(whole.0.clone());
            file.set(".text", SIZE, cut as u64);
            let (code, _) = code(&file.0);
            assert!(code.instructions() <= cut as u64 / 2 + 1 + 24, "{name} {cut}");
        }
    }
}

#[test]
fn a_literal_that_the_section_cuts_off_is_no_panic() {
    // llvm-objdump crashes on it.
    let mut file = Patched::of("gfx906_stripped.co");
    for tail in [
        &[0xff, 0, 0x80, 0xbe][..],
        &[0xff, 0, 0x80, 0xbe, 1, 2],
        &[0xff, 2, 0, 0x7e, 1],
        &[0, 0, 0xd1, 0xd1],
    ] {
        file.replace(".text", tail);
        let (code, _) = code(&file.0);
        assert!(code.instructions() + code.unknown() >= 1, "{tail:?}");
    }
}

#[test]
fn symbols_outside_of_their_section_are_told_and_one_at_its_end_is_none() {
    let file = Patched::of("gfx906_sections.co");
    let text = file.header(".text").1;
    let (start, size) = (file.address(".text"), file.field(".text", SIZE) as u64);
    for (value, told) in [
        (start, false),
        (start + size - 1, false),
        (start + size, false),
        (start + size + 1, true),
        (u64::MAX, true),
        (start - 1, true),
        (0, true),
    ] {
        let mut file = Patched(file.0.clone());
        file.symbols(&[("x".into(), FUNC, text, value, 8)]);
        let (code, problems) = code(&file.0);
        assert_eq!(
            problems.iter().any(|p| p.contains("1 symbols lie outside")),
            told,
            "{value:x}: {problems:?}"
        );
        assert!(code.instructions() >= 10);
    }
    // A symbol in a missing or special section.
    for section in [0, 99, 0xfff1, 0xffff] {
        let mut file = Patched(file.0.clone());
        file.symbols(&[("x".into(), FUNC, section, start, 8)]);
        let (code, problems) = code(&file.0);
        assert_eq!((code.instructions(), problems.len()), (11, 0), "{section}: {problems:?}");
    }
}

#[test]
fn a_kernel_that_reaches_beyond_its_section_ends_with_it_and_is_told() {
    let whole = Patched::of("gfx906_sections.co");
    let size = whole.field(".text", SIZE) as u64;
    for (given, told) in [(size, false), (size + 1, true), (1 << 40, true), (u64::MAX, true)] {
        let mut file = Patched(whole.0.clone());
        file.kernels([(0, given)].into_iter());
        let (code, problems) = code(&file.0);
        assert_eq!((code.kernels().len(), code.kernels()[0].bytes()), (1, size), "{given:x}");
        assert_eq!(code.kernels()[0].body(), Body::Real);
        assert_eq!(problems.iter().any(|p| p.contains("reach beyond")), told, "{given:x}: {problems:?}");
    }
}

#[test]
fn kernels_that_overlap_are_counted_once() {
    let mut file = Patched::of("kernels_gfx906.co");
    let (size, all) = (file.field(".text", SIZE) as u64, code(&file.0).0.instructions());
    file.kernels((0..8).map(|n| (n * 64, size - n * 64)));
    let (code, problems) = code(&file.0);
    assert_eq!((code.kernels().len(), problems.len()), (8, 0), "{problems:?}");
    let sum: u64 = code.kernels().iter().map(|kernel| kernel.instructions()).sum();
    assert!(sum == code.instructions() && sum.abs_diff(all) < 16, "{sum} {all}");
    assert_eq!(code.kernels().iter().map(|kernel| kernel.bytes()).sum::<u64>(), size);
    // A second name for the same place does not make a second kernel.
    file.kernels([(0, 64), (0, 128)].into_iter());
    let twice = super::bad_input::code(&file.0).0;
    assert_eq!((twice.kernels().len(), twice.kernels()[0].name()), (1, "k0"));
}

#[test]
fn a_processor_that_nobody_knows_is_not_decoded() {
    let dir = tempfile::tempdir().unwrap();
    for mach in [0xfe, 0x27] {
        let mut file = Patched::of("gfx906_sections.co");
        file.0[48] = mach;
        assert!(whole(&file.0).code().is_none());
        let path = dir.path().join("x.co");
        std::fs::write(&path, &file.0).unwrap();
        let instructions = Some(DecodeOptions::default());
        let options = FileOptions { instructions, ..FileOptions::default() };
        let code = device_file::read(&DeviceFile::open(&path).unwrap(), &options, &mut |_| {});
        let report = fatbin::file(&code, &[]);
        let [target] = &report.targets[..] else { panic!("{mach:x}") };
        let counts = target.instructions.as_ref().unwrap();
        assert_eq!((counts.code_objects, counts.not_decoded, counts.instructions), (0, 1, 0), "{mach:x}");
    }
}

#[test]
fn zeros_alone_and_nothing_at_all_are_fine() {
    for (name, truth) in expected() {
        let mut file = Patched::of(&name);
        file.section(".text").fill(0);
        let (zeros, _) = code(&file.0);
        assert!(zeros.bodies().get(&Body::TrapStub).is_none_or(|_| name.starts_with("gfx906_")), "{name}");
        let size = file.field(".text", SIZE) as u64;
        assert!(
            zeros.zero_bytes() + zeros.data_bytes() + 4 * zeros.instructions() + 4 * zeros.unknown() >= size,
            "{name}"
        );
        file.set(".text", SIZE, 0);
        let (empty, _) = code(&file.0);
        let others = truth["kernels"].as_object().unwrap().len() as u64;
        assert!(empty.bodies().values().sum::<u64>() <= others && empty.instructions() <= 8, "{name}");
    }
}

#[test]
fn sections_that_lie_elsewhere_are_told() {
    for (field, value) in [(OFFSET, 1 << 40), (OFFSET, u64::MAX), (SIZE, 1 << 40), (SIZE, u64::MAX)] {
        for section in [".text", ".symtab", ".strtab"] {
            let mut file = Patched::of("gfx906_sections.co");
            file.set(section, field, value);
            let (_, problems) = code(&file.0);
            assert!(!problems.is_empty(), "{section} {field} {value:x}");
        }
    }
    let mut file = Patched::of("gfx906_sections.co");
    let text = file.field(".text", OFFSET) as u64;
    file.set(".more", OFFSET, text);
    let (code, problems) = code(&file.0);
    assert!(problems.iter().any(|p| p.contains("overlaps")), "{problems:?}");
    assert!(!named(code.histogram()).is_empty());
}

#[test]
fn without_section_headers_the_executable_segments_are_decoded() {
    for (name, truth) in expected().into_iter().filter(|(name, _)| name.starts_with("kernels_")) {
        let mut file = Patched::of(&name);
        file.put(40, 0);
        file.0[60..64].fill(0);
        let (code, problems) = code(&file.0);
        assert_eq!(named(code.histogram()), super::counts(&truth["histogram"]), "{name}");
        assert_eq!((code.zero_bytes(), code.unknown()), (truth["zero_bytes"].as_u64().unwrap(), 0), "{name}");
        assert!(code.kernels().is_empty() && problems.is_empty(), "{name}: {problems:?}");
    }
}

/// Time for the file, which must not grow faster than the file.
fn timed(file: &Patched, kernels: bool) -> (CodeSummary, Duration) {
    let start = Instant::now();
    let ask = DecodeOptions { kernels, ..DecodeOptions::default() };
    let code = read(&file.0, &ask).take_code().unwrap();
    (*code, start.elapsed())
}

#[test]
fn many_symbols_take_time_in_proportion() {
    let pause = Duration::from_secs(20);
    let base = Patched::of("gfx906_sections.co");
    let (text, start) = (base.header(".text").1, base.address(".text"));
    // All symbols at one place.
    let mut file = Patched(base.0.clone());
    let same: Vec<_> = (0..60_000).map(|n| (format!("s{n}"), FUNC, text, start, 8)).collect();
    file.symbols(&same);
    let (code, time) = timed(&file, false);
    assert!(code.instructions() == 11 && time < pause, "{time:?}");
    // A kernel at every word; each reaches to the end and contains no end itself.
    for (words, kernels) in [(40_000, false), (2_000, true)] {
        let mut file = Patched(base.0.clone());
        file.replace(".text", &[0xf2, 2, 0, 0x7e].repeat(words));
        file.kernels((0..words as u64).map(|n| (n * 4, 1 << 32)));
        let (code, time) = timed(&file, kernels);
        assert!(code.instructions() == words as u64 + 5 && time < pause, "{time:?} {}", code.instructions());
        assert_eq!(code.bodies().values().sum::<u64>(), words as u64);
        assert_eq!(code.kernels().len(), if kernels { words } else { 0 });
    }
    let words = 40_000;
    // A symbol at every byte, over zeros and over invalid instructions.
    for byte in [0, 0xff] {
        let mut file = Patched(base.0.clone());
        file.replace(".text", &vec![byte; words]);
        let each: Vec<_> = (0..words as u64).map(|n| (format!("s{n}"), FUNC, text, start + n, 8)).collect();
        file.symbols(&each);
        let (code, time) = timed(&file, false);
        assert!(code.instructions() + code.unknown() > 0 && time < pause, "{time:?}");
    }
    // Jumps back and forth, all followed.
    let mut file = Patched(base.0.clone());
    let jumps: Vec<u8> =
        (0..words).flat_map(|n| [(n % 251) as u8, 0xff, 0x84 + (n % 2) as u8, 0xbf]).collect();
    file.replace(".text", &jumps);
    file.kernels((0..words as u64 / 64).map(|n| (n * 256, 1 << 32)));
    let (_, time) = timed(&file, false);
    assert!(time < pause, "{time:?}");
}

#[test]
fn many_sections_and_many_symbols_take_no_product_of_time() {
    let mut file = Patched::of("gfx906_sections.co");
    // A new table of section headers at the end: the existing ones, plus many for code, four bytes each.
    let (table, count) = (file.number(40, 8), file.number(60, 2));
    let (text, more) = (file.header(".text").0, 2000);
    let old = file.0[table..table + 64 * count].to_vec();
    let code_at = file.0.len();
    file.0.extend([0, 0, 0x80, 0xbf].repeat(more));
    let new_table = file.0.len();
    file.0.extend(old);
    for n in 0..more {
        let header = file.0[text..text + 64].to_vec();
        let at = file.0.len();
        file.0.extend(header);
        file.put(at + OFFSET, (code_at + 4 * n) as u64);
        file.put(at + SIZE, 4);
    }
    file.put(40, new_table as u64);
    file.0[60..62].copy_from_slice(&((count + more) as u16).to_le_bytes());
    let start = file.address(".text");
    let symbols: Vec<_> =
        (0..60_000).map(|n: usize| (format!("s{n}"), FUNC, (count + n % more) as u16, start, 4)).collect();
    file.symbols(&symbols);
    let (code, time) = timed(&file, false);
    assert_eq!(named(code.histogram())["s_nop"], more as u64 + 1, "one is the file's own");
    assert!(time < Duration::from_secs(20), "{time:?}");
}

#[test]
fn cut_or_mutated_anywhere_there_is_no_panic() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let small: Vec<String> = expected().into_keys().filter(|name| !name.starts_with("kernels_")).collect();
    assert!(small.len() >= 14 && fixtures().exists());
    for name in &small {
        let bytes = bytes(name);
        for end in (64..bytes.len()).step_by(53) {
            whole(&bytes[..end]);
        }
        for _ in 0..40 {
            let mut mutated = bytes.clone();
            for _ in 0..=random.next() % 6 {
                let at = 64 + random.next() as usize % (bytes.len() - 64);
                mutated[at] = [0xff, 0, 0x7f, random.next() as u8][random.next() as usize % 4];
            }
            whole(&mutated);
        }
    }
}
