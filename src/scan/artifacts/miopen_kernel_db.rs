//! MIOpen kernel databases: pre-built kernels, in SQLite.
//!
//! Table `kern_db`: `kernel_blob` is a bzip2 stream of a code object of `uncompressed_size` bytes, or the
//! code object itself where that is 0; `kernel_hash` is the MD5 of the code object in hexadecimal. MIOpen
//! throws where stream or hash are wrong. Source: MIOpen's `kern_db.hpp` and `bz2.cpp`.

use super::blobs;
use super::blobs::{BlobRow, LoadedCodeObject, Table, Value};
use super::{miopen, sqlite};
use crate::engines::miopen::kernel_db::COLUMNS;
use crate::error::Unread;
use crate::inventory::ArtifactKind;
use crate::limits::UNPACKED_WHOLE;
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Scanned, Scanner, Settings};
use md5::{Digest, Md5};
use std::fmt::Write;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "miopen-kernel-db",
    of_text: false,
    finds: "MIOpen kernel databases: pre-built kernels (*.kdb), and those that were compiled for a user (*.ukdb)",
    claims: |candidate| name_of(candidate.name).is_some(),
    scan,
};

static KERNELS: Table = Table {
    name: "kern_db",
    blob: "kernel_blob",
    others: "kernel_hash, uncompressed_size",
    unpacked: |row| size(row).ok().unwrap_or(0),
    unpack,
    check: |_, _| None,
};

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let Some(name) = name_of(candidate.name) else { return Scanned::default() };
    let mut scanned = Scanned { named_target: Some(name.target.clone()), ..Scanned::default() };
    let count = "SELECT COUNT(*) FROM kern_db";
    let asked = sqlite::Question { tables: &["kern_db"], columns: COLUMNS, count };
    let facts = sqlite::facts(candidate, &name, &asked, &mut scanned);
    if facts.records.is_some() {
        blobs::read(candidate, settings, &KERNELS, Some(&name.target), rows, &mut scanned);
    }
    scanned.kind = Some(ArtifactKind::KernelDb(facts));
    scanned
}

/// The name of a shipped database, or of a user's, which may have further words behind a point.
fn name_of(file: &str) -> Option<miopen::Name> {
    let shipped = miopen::parse_name(file, ".kdb");
    shipped.or_else(|| {
        let base = file.strip_suffix(".ukdb")?.split('.').next()?;
        miopen::parse_name(&format!("{base}.kdb"), ".kdb")
    })
}

fn size(row: &BlobRow) -> Result<u64, Unread> {
    match row.others.get(1) {
        Some(Value::Integer(size)) => {
            u64::try_from(*size).map_err(|_| format!("uncompressed_size is {size}").into())
        }
        _ => Err("uncompressed_size is not a number".into()),
    }
}

/// The code object of a row, as MIOpen would hand it to the loader.
fn unpack<'a>(row: &BlobRow, stored: &'a [u8]) -> Result<LoadedCodeObject<'a>, Unread> {
    let content = match size(row)? {
        0 => LoadedCodeObject { bytes: stored.into(), held: None },
        size if size > UNPACKED_WHOLE => {
            return Err(format!("uncompressed_size is {size}, which is not believed").into());
        }
        size => inflate(stored, size)?,
    };
    let said = match row.others.first() {
        Some(Value::Text(hash)) if hash.len() == 32 => hash.as_str(),
        Some(Value::Text(hash)) => {
            return Err(format!("kernel_hash has {} letters, MD5 has 32", hash.len()).into());
        }
        _ => return Err("kernel_hash is no text".into()),
    };
    let mut hash = String::new();
    Md5::digest(&content.bytes).iter().for_each(|byte| {
        let _ = write!(hash, "{byte:02x}");
    });
    if hash != said {
        return Err(format!("the MD5 of its code object is {hash}, kernel_hash says {said}").into());
    }
    Ok(content)
}

#[cfg(not(feature = "sqlite"))]
fn inflate(_: &[u8], _: u64) -> Result<LoadedCodeObject<'static>, Unread> {
    Err("bzip2 streams are not inflated: built without the feature `sqlite`".into())
}

#[cfg(feature = "sqlite")]
fn inflate(stored: &[u8], size: u64) -> Result<LoadedCodeObject<'static>, Unread> {
    use crate::budget::MemoryPermit;
    use crate::limits::BZIP2_MEMORY;
    use std::io::Read as _;
    let held = Some(MemoryPermit::take(size + BZIP2_MEMORY));
    let mut bytes = Vec::new();
    let (head, rest) = in_blocks_that_it_needs(stored, size);
    let read =
        bzip2::read::BzDecoder::new(head.as_slice().chain(rest)).take(size + 1).read_to_end(&mut bytes);
    read.map_err(|e| format!("its bzip2 stream is broken after {} inflated bytes: {e}", bytes.len()))?;
    if bytes.len() as u64 != size {
        let found = if bytes.len() as u64 > size { "more" } else { &bytes.len().to_string() };
        return Err(format!("uncompressed_size is {size}, its bzip2 stream has {found}").into());
    }
    Ok(LoadedCodeObject { bytes: bytes.into(), held })
}

/// A stream of `size` bytes, its head with the smallest blocks that hold these. A decoder clears room for a
/// whole block of 900,000 bytes, as MIOpen writes them, before it sees whether there is any: for a small code
/// object that takes longer than all else.
#[cfg(feature = "sqlite")]
fn in_blocks_that_it_needs(stored: &[u8], size: u64) -> (Vec<u8>, &[u8]) {
    match stored.split_first_chunk() {
        Some(([b'B', b'Z', b'h', blocks @ b'1'..=b'9'], rest)) => {
            // Of four equal bytes five are stored.
            let needed = (size + size / 4 + 1).div_ceil(100_000).min(9) as u8;
            (vec![b'B', b'Z', b'h', (*blocks).min(b'0' + needed)], rest)
        }
        _ => (Vec::new(), stored),
    }
}

#[cfg(test)]
mod tests {
    use super::{in_blocks_that_it_needs, inflate};
    use crate::scan::tests::{code_object, scan_file};
    use rusqlite::{Connection, params};
    use std::io::Write;

    fn packed(plain: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn md5(plain: &[u8]) -> String {
        use md5::{Digest, Md5};
        Md5::digest(plain).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn database(path: &std::path::Path, rows: &[(Vec<u8>, String, i64)]) {
        let mut database = Connection::open(path).unwrap();
        database
            .execute_batch(
                "CREATE TABLE kern_db (id INTEGER PRIMARY KEY ASC, kernel_name TEXT NOT NULL, kernel_args TEXT NOT NULL, \
                 kernel_blob BLOB NOT NULL, kernel_hash TEXT NOT NULL, uncompressed_size INT NOT NULL); \
                 CREATE UNIQUE INDEX idx_kern_db ON kern_db \
                 (kernel_name, kernel_args, kernel_hash, uncompressed_size);",
            )
            .unwrap();
        let all = database.transaction().unwrap();
        for (n, (blob, hash, size)) in rows.iter().enumerate() {
            // Names in falling order: rows are read by their number, not along the index.
            let row = params![format!("{:04}.cl.o", 9999 - n), " -mcpu=gfx906", blob, hash, size];
            all.execute(
                "INSERT INTO kern_db (kernel_name, kernel_args, kernel_blob, kernel_hash, uncompressed_size) \
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                row,
            )
            .unwrap();
        }
        all.commit().unwrap();
    }

    #[test]
    fn packed_and_plain_kernels_are_read_and_bad_ones_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("gfx906.kdb");
        let plain = code_object("v4_gfx906");
        let (blob, hash, size) = (packed(&plain), md5(&plain), plain.len() as i64);
        let mut broken = blob.clone();
        broken[60] ^= 0x55;
        let cut = blob[..blob.len() / 2].to_vec();
        let rows = [
            (blob.clone(), hash.clone(), size),
            (plain.clone(), hash.clone(), 0),
            (blob.clone(), md5(b"other"), size),
            (blob.clone(), hash.clone(), size - 1),
            (blob.clone(), hash.clone(), size + 1),
            (blob.clone(), hash.clone(), -1),
            (blob.clone(), hash.clone(), i64::from(u32::MAX)),
            (broken, hash.clone(), size),
            (cut, hash.clone(), size),
            (b"no code".to_vec(), md5(b"no code"), 0),
        ];
        database(&path, &rows);
        let (scanned, _) = scan_file(&path);
        let device = scanned.device.unwrap();
        let code: Vec<_> = device.targets.iter().map(|(t, c)| (t.processor.as_str(), c.objects)).collect();
        assert_eq!(code, [("gfx906", 2)]);
        let whats: Vec<_> = scanned.findings.iter().map(|p| p.locations[0].what.as_str()).collect();
        assert_eq!(whats.len(), 8, "{whats:#?}");
        let said = [
            "row 3: the MD5 of its code object is ",
            "has more",
            &format!("uncompressed_size is {}, its bzip2 stream has {size}", size + 1),
            "row 6: uncompressed_size is -1",
            "which is not believed",
            "row 8: its bzip2 stream is broken",
            "row 9: its bzip2 stream is broken",
            "row 10: expected a code object, found unknown content",
        ];
        for (what, said) in whats.iter().zip(said) {
            assert!(what.contains(said), "{what}: expected {said}");
        }
    }

    #[test]
    fn a_stream_needs_no_larger_blocks_than_its_content() {
        // Runs of four are the longest that can be stored: 80,000 bytes of them fill a block of 100,000.
        for count in [1usize, 19_990, 19_995, 19_998, 20_000, 20_005, 39_997, 40_000, 250_000] {
            let plain: Vec<u8> = (0..count).flat_map(|n| [n as u8 ^ (n >> 8) as u8; 4]).collect();
            let blob = packed(&plain);
            assert_eq!(blob[3], b'9');
            assert_eq!(inflate(&blob, plain.len() as u64).unwrap().bytes, plain, "{count}");
        }
        for (head, size, blocks) in
            [(b"BZh9", 700, b"BZh1"), (b"BZh2", 700_000, b"BZh2"), (b"BZh9", 81_000, b"BZh2")]
        {
            assert_eq!(in_blocks_that_it_needs(head, size), (blocks.to_vec(), &[][..]));
        }
        assert_eq!(in_blocks_that_it_needs(b"BZh", 700), (Vec::new(), &b"BZh"[..]));
    }

    #[test]
    fn a_users_database_is_one_and_one_file_is_read_like_a_tree() {
        let dir = tempfile::tempdir().unwrap();
        let plain = code_object("v4_gfx906");
        for name in ["gfx906.kdb", "gfx906_60.ukdb", "gfx906_60.3_5_0.ukdb"] {
            let path = dir.path().join(name);
            database(&path, &[(packed(&plain), md5(&plain), plain.len() as i64)]);
            let of_tree = scan_file(&path).0.device.unwrap();
            let open = crate::input::device_file::DeviceFile::open(&path).unwrap();
            assert!(open.has_device_code(), "{name}");
            let mut kernels = 0;
            let options = crate::scan::device_file::FileOptions {
                kernels: Some(crate::scan::kernel_sink::KernelFilter::default()),
                ..Default::default()
            };
            let of_file =
                crate::scan::device_file::read(&open, &options, &mut |rows| kernels += rows.len() as u64);
            assert_eq!(
                of_file.code.targets.keys().collect::<Vec<_>>(),
                of_tree.targets.keys().collect::<Vec<_>>()
            );
            let named: u64 = of_tree.targets.values().map(|code| code.kernels.count()).sum();
            assert_eq!((kernels, named > 0), (named, true), "{name}");
        }
    }

    #[test]
    fn many_rows_and_large_values_are_read_to_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("gfx906.kdb");
        let plain = code_object("v4_gfx906");
        let row = (packed(&plain), md5(&plain), plain.len() as i64);
        let mut rows = vec![row; 600];
        let mut large = plain.clone();
        large.resize(3 << 20, 0);
        rows.push((large.clone(), md5(&large), 0));
        database(&path, &rows);
        let (scanned, lines) = scan_file(&path);
        assert!(scanned.findings.is_empty(), "{:?}", scanned.findings);
        let device = scanned.device.unwrap();
        assert_eq!(device.targets.values().map(|c| c.objects).sum::<u64>(), 601);
        assert_eq!(lines, device.targets.values().map(|c| c.kernels.count()).sum::<u64>());
    }

    #[test]
    fn values_that_stand_in_several_rows_are_not_read_over_and_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("gfx906.kdb");
        let large = vec![7u8; 400_000];
        let mut rows = vec![(large.clone(), md5(&large), 0)];
        rows.extend(std::iter::repeat_n((b"small".to_vec(), md5(b"small"), 0), 3));
        database(&path, &rows);
        let root: u32 = Connection::open(&path)
            .unwrap()
            .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'kern_db'", [], |row| row.get(0))
            .unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let page_size = usize::from(u16::from_be_bytes(bytes[16..18].try_into().unwrap()));
        let end = root as usize * page_size;
        let page = &mut bytes[end - page_size..end];
        assert_eq!((page[0], page[4]), (13, 4), "a leaf of four rows");
        for row in 1..4 {
            page.copy_within(8..10, 8 + row * 2);
        }
        std::fs::write(&path, &bytes).unwrap();
        let (scanned, _) = scan_file(&path);
        let last = scanned.findings.last().unwrap();
        assert!(
            last.locations[0].what.starts_with("its values are together larger than the file"),
            "{last:?}"
        );
    }

    #[test]
    fn a_bomb_is_not_inflated() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("gfx906.kdb");
        let zeros = vec![0u8; 40 << 20];
        let row = (packed(&zeros), md5(&zeros), zeros.len() as i64);
        database(&path, &vec![row; 100]);
        let (scanned, _) = scan_file(&path);
        let refused =
            scanned.findings.iter().filter(|p| p.locations[0].what.contains("not believed")).count();
        assert!(refused > 10, "{:?}", scanned.findings);
    }
}
