//! Real files to break: small ones whole, of large ones single bundles and code objects; and some that are
//! made.

use amdgpu_samples::{Sample, SampleForm};
use anyhow::{Context, Result};
use rocm_audit::bytes::elf::Elf;
use rocm_audit::container;
use rocm_audit::container::{Bundle, Container};
use rocm_audit::format::Format;
use rocm_audit::input::walk::{self, PathKind};
use rocm_audit::source::SourceFile;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Largest file that is broken, in bytes. A run takes time in proportion.
const LARGEST: u64 = 384 << 10;

/// Files of one format and ending that are taken from one folder of packages.
const OF_A_KIND: usize = 8;

/// Large files of one format that pieces are taken of.
const CUT_UP: usize = 6;

/// Samples of each form that are made.
const SAMPLES: u64 = 8;

/// A file to break.
#[derive(Debug)]
pub struct Base {
    /// Its name: scanners and promises go by it.
    pub name: String,
    /// Where it is from, for messages.
    pub from: String,
    /// Its format.
    pub format: Format,
    /// All of it.
    pub bytes: Vec<u8>,
    /// Where something begins or ends in it.
    pub edges: Vec<usize>,
    /// Its bundles: where they are, and where what is behind their headers begins.
    pub bundles: Vec<(Range<usize>, usize)>,
}

impl Base {
    fn new(name: String, from: String, bytes: Vec<u8>) -> Self {
        let format = Format::identify(bytes.get(..512).unwrap_or(&bytes));
        let found = container::open(&bytes, format);
        let edges = edges(&bytes, format, &found);
        let range = |b: &Bundle| {
            let (start, end) = (b.offset() as usize, (b.offset() + b.span()) as usize);
            (start..end.min(bytes.len()), (start + (b.header_size() as usize).max(32)).min(end))
        };
        let bundles = found.bundles().iter().map(range).collect();
        Base { name, from, format, edges, bundles, bytes }
    }
}

/// All files to break: those of the fixtures, and of the packages in `corpus`, always in the same order.
pub fn all(corpus: &Path) -> Result<Vec<Base>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut bases = Vec::new();
    for path in files(&fixtures) {
        let shown = path.strip_prefix(&fixtures).unwrap_or(&path).to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).with_context(|| shown.clone())?;
        // The program does not read sources and expectations.
        let text = Format::identify(bytes.get(..512).unwrap_or(&bytes)) == Format::Other;
        let known = ["rocm", "miopen", "tensile", "explain"].iter().any(|folder| shown.starts_with(folder));
        if bytes.len() as u64 <= LARGEST && !bytes.is_empty() && (known || !text) {
            bases.push(Base::new(name(&path), shown, bytes));
        }
    }
    let mut of_a_kind: BTreeMap<(String, String), usize> = BTreeMap::new();
    for path in files(corpus) {
        let shown = path.strip_prefix(corpus).unwrap_or(&path).to_string_lossy().into_owned();
        let Ok(file) = SourceFile::open(&path) else { continue };
        let format = Format::identify(file.head());
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let small = file.len() <= LARGEST;
        let kind = if small { ending } else { "large".to_owned() };
        let most = if small { OF_A_KIND } else { CUT_UP };
        let seen = of_a_kind.entry((format.name().to_owned(), kind)).or_default();
        *seen += 1;
        if *seen > most || file.is_empty() || !small && format == Format::Other {
            continue;
        }
        if small {
            bases.push(Base::new(name(&path), shown, file.bytes().to_vec()));
        } else {
            bases.extend(pieces(&file, &shown, format));
        }
    }
    bases.extend(joined(&bases));
    for seed in 0..SAMPLES {
        for form in SampleForm::ALL {
            let (name, from) = (format!("sample.{}", form.extension()), format!("sample {seed}"));
            let sample = Sample::new(seed, form);
            bases.push(Base::new(name, from, sample.bytes().to_vec()));
        }
    }
    Ok(bases)
}

/// Bundles and code objects of a large file, as files of their own.
fn pieces(file: &SourceFile, shown: &str, format: Format) -> Vec<Base> {
    let found = container::open(file.bytes(), format);
    let mut all = Vec::new();
    let fits = |size: u64| (64..=LARGEST).contains(&size);
    let part = |offset: u64, size: u64| file.bytes().get(offset as usize..(offset + size) as usize);
    for bundle in found.bundles().iter().filter(|bundle| fits(bundle.span())).step_by(7).take(2) {
        if let Some(bytes) = part(bundle.offset(), bundle.span()) {
            all.push(Base::new(
                "piece.hipfb".into(),
                format!("{shown}, {}", bundle.offset()),
                bytes.to_vec(),
            ));
        }
    }
    let plain = found.bundles().iter().filter(|bundle| bundle.storage().unpacked().is_none());
    let entries = plain.flat_map(|b| b.entries().iter().map(|e| (b.offset() + e.offset(), e.size())));
    for (offset, size) in entries.filter(|(_, size)| fits(*size)).step_by(11).take(3) {
        if let Some(bytes) = part(offset, size) {
            all.push(Base::new("piece.hsaco".into(), format!("{shown}, {offset}"), bytes.to_vec()));
        }
    }
    all
}

/// Files of several bundles, as `.hip_fatbin` has them: each at a page.
fn joined(bases: &[Base]) -> Vec<Base> {
    let bundles =
        |format: Format| bases.iter().filter(move |b| b.format == format && b.bytes.len() < 64 << 10);
    let mut all = Vec::new();
    for format in [Format::OffloadBundle, Format::CompressedBundle] {
        let some: Vec<&Base> = bundles(format).collect();
        for three in some.chunks(3).filter(|three| three.len() > 1).take(4) {
            let mut bytes: Vec<u8> = Vec::new();
            for base in three {
                bytes.resize(bytes.len().next_multiple_of(4096), 0);
                bytes.extend(&base.bytes);
            }
            all.push(Base::new("joined.hipfb".into(), "several of these".into(), bytes));
        }
    }
    all
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// All regular files of a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let walked = walk::walk(&[folder.to_owned()], &walk::Options::default());
    walked.entries.into_iter().filter(|e| matches!(e.kind, PathKind::File(_))).map(|e| e.path).collect()
}

/// Where something begins or ends.
fn edges(bytes: &[u8], format: Format, found: &Container) -> Vec<usize> {
    let mut edges: BTreeSet<u64> = [0, 4, 16, 24, 32, 64, 512].into();
    edges.extend([bytes.len() as u64, bytes.len() as u64 / 2, (bytes.len() as u64).saturating_sub(1)]);
    for bundle in found.bundles() {
        edges.extend([
            bundle.offset(),
            bundle.offset() + bundle.header_size(),
            bundle.offset() + bundle.span(),
        ]);
        if bundle.storage().unpacked().is_none() {
            let ends = |e: &container::bundle::Entry| {
                [bundle.offset() + e.offset(), bundle.offset() + e.offset() + e.size()]
            };
            edges.extend(bundle.entries().iter().flat_map(ends));
        }
    }
    if let Ok(elf) = Elf::open(bytes, 0) {
        edges.extend([elf.section_headers_at(), elf.program_headers_at(), elf.header_extent().1]);
        let sections = elf.sections().unwrap_or_default();
        edges.extend(sections.iter().flat_map(|s| [s.offset, s.offset.saturating_add(s.size)]));
    }
    match format {
        Format::Zip => {
            let marks = bytes.windows(4).enumerate();
            let marks = marks.filter(|(_, w)| matches!(w, [b'P', b'K', 1..=8, 2..=8]));
            edges.extend(marks.map(|(at, _)| at as u64));
        }
        Format::Tar => edges.extend((0..bytes.len() as u64).step_by(512)),
        Format::Archive | Format::Deb | Format::ThinArchive => {
            let marks = bytes.windows(2).enumerate().filter(|(_, w)| w == b"`\n");
            edges.extend(marks.map(|(at, _)| at as u64 + 2));
        }
        Format::Sqlite => edges.extend((0..bytes.len() as u64).step_by(4096)),
        Format::Other => {
            let lines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            edges.extend(lines.map(|(at, _)| at as u64 + 1).take(400));
        }
        _ => {}
    }
    edges.into_iter().map(|at| at as usize).filter(|at| *at <= bytes.len()).collect()
}
