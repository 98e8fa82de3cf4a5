//! kpack: device code moved out of host binaries into separate archives, one for each target.
//!
//! Archive: `KPAK`, u32 version 1, u64 offset of a MessagePack table that reaches to the end; its `toc` maps
//! `<path of the binary>#<index of the bundle>` and a target to the blob with the code object. Blobs are
//! stored uncompressed, or as zstd frames after their u32 sizes. Marker in the binary: `kernel_name` and
//! `kpack_search_paths`. Source: ROCm/rocm-systems shared/kpack (`python/rocm_kpack/kpack.py`,
//! `runtime/src`).
#![deny(clippy::indexing_slicing)]

use super::bundle::Entry;
use super::compressed::Header;
use super::entry_id::EntryId;
use super::find::Gaps;
use super::{Bundle, Container, Storage, StorageKind};
use crate::budget::ObjectBudget;
use crate::bytes::le::LeBytes;
use crate::bytes::msgpack::{Reader, Value};
use crate::bytes::order::sort_by_place;
use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::limits::{BUNDLES, KPACK_NAMES_BYTES, NAME_BYTES, UNPACKED_RATIO};
use crate::target::TargetId;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// Size of the header: magic, version, offset of the table.
const HEADER: u64 = 16;

/// The loader replaces this with the target in search paths.
const PLACEHOLDER: &str = "@GFXARCH@";

answer! {
    /// The marker of a binary whose device code was moved out.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct Reference {
        /// Name of the binary in the archives' tables.
        text kernel_name: String,
        /// Paths of archives relative to the binary's folder, with `@GFXARCH@` for the target.
        list search_paths: String,
    }
}

answer! {
    /// One row of an archive's table.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct KpackRow {
        /// `<path of the binary>#<index of the bundle>`.
        text key: String,
        /// The target ID as written in the table.
        text target: String,
        hidden ordinal: u64,
        hidden size: u64,
    }
}

answer! {
    /// The table of an archive.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct Table {
        /// `none` or `zstd-per-kernel`.
        text compression: String,
        /// Targets that the archive states to serve.
        list targets: String,
        /// The code objects that the archive contains.
        list rows: KpackRow,
        hidden blobs: Vec<(u64, u64)>,
        hidden frames: (u64, u64),
    }
}

/// Reads the marker section of a binary.
///
/// # Errors
///
/// If it is not the expected map.
pub fn read_reference(bytes: &[u8], base: u64) -> Parsed<Reference> {
    let mut reader = Reader::new(bytes, base);
    let mut reference = Reference::default();
    for _ in 0..reader.map("a kpack marker")? {
        match reader.value()? {
            Value::Str(b"kernel_name") => reference.kernel_name = text(&mut reader)?,
            Value::Str(b"kpack_search_paths") => {
                for _ in 0..reader.array("kpack_search_paths")?.min(MOST_PATHS) {
                    reference.search_paths.push(text(&mut reader)?);
                }
            }
            _ => reader.skip()?,
        }
    }
    Ok(reference)
}

/// Limit for search paths; real markers have one or two.
const MOST_PATHS: u32 = 64;

fn text(reader: &mut Reader<'_>) -> Parsed<String> {
    let at = reader.offset();
    match reader.value()? {
        Value::Str(text) if text.len() <= NAME_BYTES => Ok(String::from_utf8_lossy(text).into_owned()),
        Value::Str(_) => Err(ParseError::new(at, "a text of the kpack table is too long to be meant")),
        other => Err(ParseError::new(at, format!("a text is expected and {} is there", other.kind()))),
    }
}

fn number(reader: &mut Reader<'_>) -> Parsed<u64> {
    let at = reader.offset();
    match reader.value()? {
        Value::Unsigned(number) => Ok(number),
        other => Err(ParseError::new(at, format!("a number is expected and {} is there", other.kind()))),
    }
}

/// Reads the table of an archive.
///
/// # Errors
///
/// With the offset of the malformed part.
pub fn read_table(bytes: &[u8]) -> Parsed<Table> {
    read_rows_within(bytes, BUNDLES)
}

/// The same with at most so many code objects.
fn read_rows_within(bytes: &[u8], most: usize) -> Parsed<Table> {
    let head =
        || ParseError::new(0, "the header of the kpack archive is cut off").of_kind(ParseErrorKind::CutEnd);
    let header = LeBytes(bytes);
    let at = header.get_u64(8).ok_or_else(head)?;
    match header.get_u32(4).ok_or_else(head)? {
        1 => {}
        other => {
            return Err(ParseError::new(4, format!("version {other} of kpack is unknown; 1 is expected")));
        }
    }
    let table = usize::try_from(at).ok().filter(|_| at >= HEADER).and_then(|at| bytes.get(at..));
    let table = table.filter(|t| !t.is_empty()).ok_or_else(|| {
        ParseError::new(
            8,
            format!("the table is said to begin at {at:#x}; the file has {:#x} bytes", bytes.len()),
        )
    })?;
    let mut reader = Reader::new(table, at);
    let mut result = Table { compression: "none".into(), ..Table::default() };
    let (mut has_targets, mut has_rows, mut names) = (false, false, KPACK_NAMES_BYTES);
    for _ in 0..reader.map("the kpack table")? {
        match reader.value()? {
            Value::Str(b"compression_scheme") => result.compression = text(&mut reader)?,
            Value::Str(b"gfx_arches") => {
                has_targets = true;
                for _ in 0..reader.array("gfx_arches")? {
                    let target = text(&mut reader)?;
                    if result.targets.len() < NAME_BYTES {
                        result.targets.push(target);
                    }
                }
            }
            Value::Str(b"blobs") => read_blobs(&mut reader, most, &mut result.blobs)?,
            Value::Str(b"zstd_offset") => result.frames.0 = number(&mut reader)?,
            Value::Str(b"zstd_size") => result.frames.1 = number(&mut reader)?,
            Value::Str(b"toc") => {
                has_rows = true;
                read_rows(&mut reader, most, &mut names, &mut result.rows)?;
            }
            _ => reader.skip()?,
        }
    }
    // Every writer includes both, even for an archive without kernels.
    let lacks = [(has_targets, "gfx_arches"), (has_rows, "toc")].into_iter().find(|(has, _)| !has);
    if let Some((_, key)) = lacks {
        return Err(ParseError::new(at, format!("the kpack table has no {key}")));
    }
    if let Some(rest) = (at + table.len() as u64).checked_sub(reader.offset()).filter(|rest| *rest > 0) {
        let what = format!("{rest} bytes behind the kpack table belong to nothing");
        return Err(ParseError::new(reader.offset(), what));
    }
    result.rows.sort_unstable_by(|a, b| (&a.key, &a.target, a.ordinal).cmp(&(&b.key, &b.target, b.ordinal)));
    Ok(result)
}

impl Table {
    /// Whether it has the code of a bundle for a target.
    pub fn has(&self, key: &str, target: &str) -> bool {
        self.rows.binary_search_by(|row| (&*row.key, &*row.target).cmp(&(key, target))).is_ok()
    }
}

fn read_blobs(reader: &mut Reader<'_>, most: usize, blobs: &mut Vec<(u64, u64)>) -> Parsed<()> {
    for _ in 0..reader.array("blobs")? {
        let (mut offset, mut size) = (0, 0);
        for _ in 0..reader.map("a blob")? {
            match reader.value()? {
                Value::Str(b"offset") => offset = number(reader)?,
                Value::Str(b"size") => size = number(reader)?,
                _ => reader.skip()?,
            }
        }
        if blobs.len() >= most {
            return Err(too_many(reader.offset()));
        }
        blobs.push((offset, size));
    }
    Ok(())
}

fn too_many(at: u64) -> ParseError {
    ParseError::new(at, format!("more than {BUNDLES} code objects in one kpack archive; they are not read"))
        .of_kind(ParseErrorKind::TooMany)
}

/// Reads rows, at most so many, with so many bytes of names left.
fn read_rows(
    reader: &mut Reader<'_>,
    most: usize,
    names: &mut usize,
    rows: &mut Vec<KpackRow>,
) -> Parsed<()> {
    for _ in 0..reader.map("toc")? {
        let key = text(reader)?;
        for _ in 0..reader.map("the targets of a kpack entry")? {
            let mut row = KpackRow { key: key.clone(), target: text(reader)?, ordinal: 0, size: 0 };
            for _ in 0..reader.map("a kpack entry")? {
                match reader.value()? {
                    Value::Str(b"ordinal") => row.ordinal = number(reader)?,
                    Value::Str(b"original_size") => row.size = number(reader)?,
                    _ => reader.skip()?,
                }
            }
            if rows.len() >= most {
                return Err(too_many(reader.offset()));
            }
            *names = names.checked_sub(row.key.len() + row.target.len()).ok_or_else(|| {
                let what = format!(
                    "the names in the kpack table take more than {KPACK_NAMES_BYTES} bytes; its code objects are not read"
                );
                ParseError::new(reader.offset(), what).of_kind(ParseErrorKind::TooMany)
            })?;
            rows.push(row);
        }
    }
    Ok(())
}

/// Finds the code objects of an archive.
pub fn open(bytes: &[u8]) -> Container {
    open_within(bytes, &mut ObjectBudget::for_size(bytes.len()))
}

/// The same within a budget of the caller's.
pub(super) fn open_within(bytes: &[u8], budget: &mut ObjectBudget) -> Container {
    let mut container = Container::default();
    let table = match read_rows_within(bytes, budget.entries_left().min(BUNDLES)) {
        Ok(table) => table,
        Err(error) => {
            if error.kind() == ParseErrorKind::TooMany {
                budget.lacks();
            }
            container.problems.push(error);
            return container;
        }
    };
    let compressed = table.compression != "none";
    let places = match &*table.compression {
        "none" => table.blobs,
        "zstd-per-kernel" => match frames(bytes, table.frames) {
            Ok(frames) => frames,
            Err(error) => {
                container.problems.push(error);
                return container;
            }
        },
        other => {
            let what =
                format!("compression scheme {other} of kpack is unknown; none and zstd-per-kernel are read");
            container.problems.push(ParseError::new(HEADER, what));
            return container;
        }
    };
    let mut rows = table.rows;
    sort_by_place(&mut rows, |row| (row.ordinal, 0));
    let mut read_to = HEADER;
    for row in rows {
        let place = usize::try_from(row.ordinal).ok().and_then(|index| places.get(index)).copied();
        match bundle(&row, place, compressed, bytes.len() as u64, &mut read_to) {
            Ok(found) => match budget.pay(found.offset, found.entries.len()) {
                Ok(()) => container.bundles.push(found),
                Err(error) => {
                    container.problems.push(error);
                    break;
                }
            },
            Err(error) => container.problems.push(error),
        }
    }
    container.gaps = gaps(bytes, &container.bundles);
    container
}

/// The code object of one row.
fn bundle(
    row: &KpackRow,
    place: Option<(u64, u64)>,
    compressed: bool,
    end: u64,
    read_to: &mut u64,
) -> Parsed<Bundle> {
    // `format!` would take twice the memory that it needs.
    let name = || [&*row.key, "@", &*row.target].concat();
    let (offset, size) = place.ok_or_else(|| {
        ParseError::new(8, format!("{}: the table names blob {}, which there is not", name(), row.ordinal))
    })?;
    if offset.checked_add(size).is_none_or(|blob_end| blob_end > end) {
        let what = format!("{}: its blob spans {offset:#x}+{size:#x}, beyond the end of the file", name());
        return Err(ParseError::new(8, what).of_kind(ParseErrorKind::CutEnd));
    }
    if offset < *read_to {
        return Err(ParseError::new(
            offset,
            format!("{}: its blob overlaps the one before it and is not read", name()),
        )
        .of_kind(ParseErrorKind::Overlap));
    }
    if !compressed && size != row.size || compressed && row.size > size.saturating_mul(UNPACKED_RATIO) {
        let what = format!("{}: {size} bytes are stored and {} are said to be meant", name(), row.size);
        let kind = if compressed { ParseErrorKind::InflatesTooFar } else { ParseErrorKind::WrongSize };
        return Err(ParseError::new(offset, what).of_kind(kind));
    }
    *read_to = offset + size;
    let id = EntryId::named(name(), TargetId::parse(&row.target));
    Ok(Bundle {
        span: size,
        storage: Storage {
            packed: compressed.then(|| Header::of_frame(size, row.size)),
            ..Storage::uncompressed(StorageKind::Kpack)
        },
        entries: vec![Entry { id: Some(id), offset: 0, size: row.size }],
        ..Bundle::bare(offset)
    })
}

/// Positions of the zstd frames: u32 count, then each frame after its u32 size.
fn frames(bytes: &[u8], (offset, size): (u64, u64)) -> Parsed<Vec<(u64, u64)>> {
    let bad = |at: u64| ParseError::new(at, "the zstd frames of the kpack archive reach beyond their place");
    let end = offset.checked_add(size).filter(|end| *end <= bytes.len() as u64).ok_or_else(|| bad(8))?;
    let u32_at = |at: u64| {
        let start = usize::try_from(at).ok()?;
        (at + 4 <= end).then(|| LeBytes(bytes).get_u32(start).map(u64::from))?
    };
    let count = u32_at(offset).ok_or_else(|| bad(offset))?;
    let mut at = offset + 4;
    let mut frames = Vec::new();
    for _ in 0..count {
        let size = u32_at(at).ok_or_else(|| bad(at))?;
        at += 4;
        if at + size > end {
            return Err(bad(at));
        }
        frames.push((at, size));
        at += size;
    }
    Ok(frames)
}

/// Bytes that are neither code object nor zero: header, sizes of frames, table.
fn gaps(bytes: &[u8], bundles: &[Bundle]) -> Gaps {
    let stored: u64 = bundles.iter().map(|b| b.span).sum();
    Gaps { headers: (bytes.len() as u64).saturating_sub(stored), ..Gaps::default() }
}

/// The target names that the loader tries for a device: its target ID with all features, then with every
/// subset of them, most specific first.
pub fn candidates(device: &TargetId) -> Vec<TargetId> {
    let mut all = vec![device.clone()];
    if device.sramecc.is_some() && device.xnack.is_some() {
        all.push(TargetId { xnack: None, ..device.clone() });
        all.push(TargetId { sramecc: None, ..device.clone() });
    }
    if device.sramecc.is_some() || device.xnack.is_some() {
        all.push(TargetId::bare(device.processor.clone()));
    }
    all
}

answer! {
    /// The archive that provides a device with the code of one bundle.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Answer {
        /// The archive as named by the search path.
        text archive: String,
        /// The target under which the archive stores it.
        part target: TargetId,
        /// Whether an earlier archive for the same target lacks the bundle. Loaders before rocm-systems 9953
        /// stop there and find nothing.
        copy behind_a_miss: bool,
    }
}

impl Reference {
    /// A marker with this binary name and these search paths.
    pub fn new(kernel_name: impl Into<String>, search_paths: Vec<String>) -> Self {
        Reference { kernel_name: kernel_name.into(), search_paths }
    }

    /// Finds the archive that provides `device` with the code of bundle number `unit`: for each target, most
    /// specific first, tries the search paths in order. `table` returns the table of the archive at a path
    /// that the marker names, relative to the binary's folder, if the file exists.
    pub fn resolve<'t>(
        &self,
        device: &TargetId,
        unit: u64,
        table: &dyn Fn(&str) -> Option<&'t Table>,
    ) -> Option<Answer> {
        let key = format!("{}#{unit}", self.kernel_name);
        let candidates = candidates(device);
        for target in &candidates {
            let text = target.to_string();
            let mut missed = false;
            for path in self.paths(&candidates) {
                let Some(table) = table(&path).filter(|t| t.targets.contains(&text)) else { continue };
                if table.has(&key, &text) {
                    return Some(Answer { archive: path, target: target.clone(), behind_a_miss: missed });
                }
                missed = true;
            }
        }
        None
    }

    /// The paths to try for a device with these target IDs, in order.
    fn paths(&self, candidates: &[TargetId]) -> Vec<String> {
        let mut paths = Vec::new();
        for pattern in &self.search_paths {
            for target in candidates {
                let path = pattern.replace(PLACEHOLDER, &target.to_string());
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        paths
    }

    /// The search paths with the placeholder replaced by a target.
    pub fn paths_for(&self, target: &str) -> Vec<String> {
        self.search_paths.iter().map(|pattern| pattern.replace(PLACEHOLDER, target)).collect()
    }

    /// The target for which a search path of this marker leads to `path`, if any.
    pub fn target_of(&self, path: &str) -> Option<TargetId> {
        self.search_paths.iter().find_map(|pattern| {
            let (before, behind) = pattern.split_once(PLACEHOLDER)?;
            TargetId::parse(path.strip_prefix(before)?.strip_suffix(behind)?)
        })
    }
}
