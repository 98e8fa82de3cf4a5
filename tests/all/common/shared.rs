//! Makes shared libraries with given imports and exports.

/// A dynamic symbol to write.
pub struct Symbol {
    pub name: &'static str,
    /// The version and, for an undefined symbol, the library that must provide it.
    pub version: Option<(&'static str, &'static str)>,
    pub is_defined: bool,
    pub is_weak: bool,
}

/// A defined symbol.
pub fn exported(name: &'static str, version: Option<&'static str>) -> Symbol {
    Symbol { name, version: version.map(|version| (version, "")), is_defined: true, is_weak: false }
}

/// A symbol that another library must provide: `of` is its version and the library.
pub fn asked(name: &'static str, of: Option<(&'static str, &'static str)>) -> Symbol {
    Symbol { name, version: of, is_defined: false, is_weak: false }
}

/// The content of a library.
#[derive(Default)]
pub struct Library {
    pub soname: &'static str,
    pub needed: &'static [&'static str],
    /// `DT_RUNPATH`; left out if empty.
    pub runpath: &'static str,
    pub symbols: Vec<Symbol>,
    /// Further sections: names and bytes.
    pub sections: Vec<(&'static str, Vec<u8>)>,
}

/// A string table under construction.
struct Strings(Vec<u8>);

impl Strings {
    fn add(&mut self, text: &str) -> u32 {
        let at = self.0.len() as u32;
        self.0.extend(text.bytes().chain([0]));
        at
    }
}

/// The bytes of a library. Layout: ELF header, sections, section headers. See elf(5) and the LSB on symbol
/// versions.
pub fn file(library: &Library) -> Vec<u8> {
    let mut strings = Strings(vec![0]);
    let (mut symbols, mut versym) = (vec![0u8; 24], vec![0u8, 0]);
    let (mut verneed, mut verdef) = (Vec::new(), Vec::new());
    let (needs, defines) = {
        let of = |defined: bool| {
            let all = library.symbols.iter().filter(move |s| s.is_defined == defined);
            let mut all: Vec<(&str, &str)> = all.filter_map(|s| s.version).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        (of(false), of(true))
    };
    let index = |of: (&str, &str), defined: bool| -> u16 {
        let place = |all: &[(&str, &str)]| all.iter().position(|one| *one == of).unwrap() as u16;
        2 + if defined { needs.len() as u16 + place(&defines) } else { place(&needs) }
    };
    for symbol in &library.symbols {
        symbols.extend(strings.add(symbol.name).to_le_bytes());
        symbols.extend([if symbol.is_weak { 0x22 } else { 0x12 }, 0]);
        symbols.extend(u16::from(symbol.is_defined).to_le_bytes());
        symbols.extend([0u8; 16]);
        let version = symbol.version.map_or(1, |of| index(of, symbol.is_defined));
        versym.extend(version.to_le_bytes());
    }
    for (number, (version, of)) in needs.iter().enumerate() {
        let next: u32 = if number + 1 < needs.len() { 32 } else { 0 };
        verneed.extend([1u16, 1].iter().flat_map(|n| n.to_le_bytes()));
        for field in [strings.add(of), 16, next, 0] {
            verneed.extend(field.to_le_bytes());
        }
        verneed.extend([0u16, index((version, of), false)].iter().flat_map(|n| n.to_le_bytes()));
        verneed.extend([strings.add(version), 0].iter().flat_map(|n| n.to_le_bytes()));
    }
    for (number, (version, of)) in defines.iter().enumerate() {
        let next: u32 = if number + 1 < defines.len() { 28 } else { 0 };
        verdef.extend([1u16, 0, index((version, of), true), 1].iter().flat_map(|n| n.to_le_bytes()));
        verdef.extend([0u32, 20, next].iter().flat_map(|n| n.to_le_bytes()));
        verdef.extend([strings.add(version), 0].iter().flat_map(|n| n.to_le_bytes()));
    }
    let mut dynamic = Vec::new();
    let tags = library.needed.iter().map(|name| (1u64, *name)).chain([(14, library.soname)]);
    let tags = tags.chain((!library.runpath.is_empty()).then_some((29, library.runpath)));
    for (tag, text) in tags {
        dynamic.extend(tag.to_le_bytes());
        dynamic.extend(u64::from(strings.add(text)).to_le_bytes());
    }
    dynamic.extend([0u8; 16]);
    const STRTAB: u32 = 3;
    let mut sections: Vec<(&str, u32, u32, Vec<u8>)> = vec![
        (".dynstr", STRTAB, 0, strings.0),
        (".dynsym", 11, 1, symbols),
        (".gnu.version", 0x6fff_ffff, 2, versym),
        (".dynamic", 6, 1, dynamic),
    ];
    for (name, kind, bytes) in
        [(".gnu.version_r", 0x6fff_fffe, verneed), (".gnu.version_d", 0x6fff_fffd, verdef)]
    {
        if !bytes.is_empty() {
            sections.push((name, kind, 1, bytes));
        }
    }
    sections.extend(library.sections.iter().map(|(name, bytes)| (*name, 1, 0, bytes.clone())));
    let mut names = Strings(vec![0]);
    let placed: Vec<u32> = sections.iter().map(|(name, ..)| names.add(name)).collect();
    let own = names.add(".shstrtab");
    sections.push((".shstrtab", STRTAB, 0, names.0));
    let (mut body, mut headers): (Vec<u8>, Vec<u8>) = (Vec::new(), vec![0u8; 64]);
    for ((_, kind, link, bytes), name) in sections.iter().zip(placed.into_iter().chain([own])) {
        // Program sections are loaded into memory.
        let flags: u64 = if *kind == 1 { 2 } else { 0 };
        headers.extend([name, *kind].iter().flat_map(|n| n.to_le_bytes()));
        for field in [flags, 0, 64 + body.len() as u64, bytes.len() as u64] {
            headers.extend(field.to_le_bytes());
        }
        headers.extend([*link, 0].iter().flat_map(|n| n.to_le_bytes()));
        headers.extend([1u64, 0].iter().flat_map(|n| n.to_le_bytes()));
        body.extend(bytes);
    }
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend([3u16, 62].iter().flat_map(|n| n.to_le_bytes()));
    file.extend(1u32.to_le_bytes());
    for field in [0u64, 0, 64 + body.len() as u64] {
        file.extend(field.to_le_bytes());
    }
    file.extend(0u32.to_le_bytes());
    let count = sections.len() as u16 + 1;
    file.extend([64u16, 0, 0, 64, count, count - 1].iter().flat_map(|n| n.to_le_bytes()));
    file.extend(body);
    file.extend(headers);
    file
}
