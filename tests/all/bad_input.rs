//! Truncated, mutated and hostile files are reported without a panic, and the rest of the report stays
//! complete.

use rocm_audit::capability::Capability;
use rocm_audit::finding::rules;
use rocm_audit::input::device_file::DeviceFile;
use rocm_audit::report::{Report, fatbin, v1};
use rocm_audit::scan::device_file::{self, FileOptions};
use rocm_audit::scan::kernel_sink::KernelFilter;
use rocm_audit::scan::run::{Options, Silent, audit};
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rocm")
}

fn report(root: &Path, verify: bool) -> Report {
    let options = Options { verify, ..Options::default() };
    let inventory = audit(&[root.to_owned()], &options, &Silent, None).unwrap();
    rocm_audit::report::audit(&inventory, &Capability::from_inventory(&inventory, &[]))
}

/// One file of every container form.
const FORMS: [&str; 15] = [
    "lib/librocblas.so.4.4",
    "lib/librccl.so.1.0",
    "lib/libMIOpen.so.1.0",
    "lib/libamdhip_rdc.so",
    "lib/ccob/v1-zlib.co",
    "lib/ccob/v1-zstd.co",
    "lib/ccob/v2-zlib.hsaco",
    "lib/ccob/two-v2-zstd.co",
    "lib/codeobject/v2_gfx900.hsaco",
    "lib/codeobject/v5_gfx90a_heavy.hsaco",
    "lib/rocblas/library/TensileLibrary_lazy_gfx900.dat",
    "share/miopen/db/gfx1030_36.db",
    "share/miopen/db/gfx900.kdb",
    "lib/rocfft/rocfft_kernel_cache.db",
    "lib/aotriton.images/amd-gfx90a/flash/attn_fwd/FONLY__\u{ff0a}fp16@16_64_F_F_0_0___gfx90a.aks2",
];

/// A small generator with a fixed seed, so that failures can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

fn read(path: &Path) {
    for verify in [false, true] {
        report(path, verify);
    }
    if let Ok(open) = DeviceFile::open(path) {
        let kernels = Some(KernelFilter::default());
        let options = FileOptions { kernels, ..FileOptions::default() };
        let mut rows = 0;
        let code = device_file::read(&open, &options, &mut |more| rows += more.len() as u64);
        assert_eq!(rows, fatbin::file(&code, &[]).total.kernels);
        open.for_each_entry(|_, _, uri| assert!(uri.starts_with("file://")));
    }
}

/// Locations that could not be read.
fn places(found: &[v1::Finding]) -> Vec<v1::Location> {
    let read = found.iter().filter(|f| rules::of_id(&f.id).unwrap().topic() == "read");
    read.flat_map(|f| f.locations.clone()).collect()
}

#[test]
fn truncated_at_any_place() {
    let dir = tempfile::tempdir().unwrap();
    for form in FORMS {
        let bytes = fs::read(fixtures().join(form)).unwrap();
        let path = dir.path().join(Path::new(form).file_name().unwrap());
        let step = (bytes.len() / 60).max(1);
        let ends = (0..bytes.len().min(200)).step_by(7).chain((200..bytes.len()).step_by(step));
        for end in ends {
            fs::write(&path, &bytes[..end]).unwrap();
            read(&path);
        }
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn mutated_at_random_places() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for form in FORMS {
        let bytes = fs::read(fixtures().join(form)).unwrap();
        let path = dir.path().join(Path::new(form).file_name().unwrap());
        for _ in 0..60 {
            let mut mutated = bytes.clone();
            for _ in 0..=random.below(8) {
                // Lengths and offsets are in the headers.
                let reach = if random.below(2) == 0 { mutated.len() } else { mutated.len().min(6000) };
                let at = random.below(reach);
                mutated[at] = match random.below(4) {
                    0 => 0xff,
                    1 => 0,
                    2 => 0x7f,
                    _ => random.next() as u8,
                };
            }
            fs::write(&path, &mutated).unwrap();
            read(&path);
        }
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_truncated_bundle_names_its_place_and_leaves_the_rest_whole() {
    let dir = tempfile::tempdir().unwrap();
    let whole = fs::read(fixtures().join("lib/librccl.so.1.0")).unwrap();
    fs::write(dir.path().join("good.so"), &whole).unwrap();
    let plain = fs::read(fixtures().join("lib/hipblaslt/library/hipblasltTransform.hsaco")).unwrap();
    fs::write(dir.path().join("cut.hsaco"), &plain[..plain.len() - 100]).unwrap();
    let report = report(dir.path(), false);
    assert!(!report.complete);
    let problem = &places(&report.findings)[0];
    assert_eq!(problem.path, "cut.hsaco");
    let ids: Vec<&str> = report.findings.iter().map(|finding| finding.id.as_str()).collect();
    assert!(ids.contains(&"cut-end"), "{ids:?}");
    assert!(problem.offset.is_some(), "{problem:?}");
    assert!(places(&report.findings).iter().any(|place| place.what.contains("beyond")));
    let good = report.artifacts.iter().find(|a| a.path == "good.so").unwrap();
    assert_eq!(good.targets.iter().map(|t| t.kernels).sum::<u64>(), 9, "the other file is read as ever");
}

#[test]
fn a_wrong_hash_is_found_when_the_content_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(fixtures().join("lib/ccob/v3-zlib.hsaco")).unwrap();
    bytes[24] ^= 1;
    fs::write(dir.path().join("x.hsaco"), &bytes).unwrap();
    assert!(report(dir.path(), false).complete, "the hash is only compared when all is read");
    let verified = report(dir.path(), true);
    assert!(!verified.complete);
    assert!(places(&verified.findings)[0].what.contains("hash"), "{:?}", places(&verified.findings));
}

#[test]
fn a_declared_size_that_nobody_believes_is_not_allocated() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(fixtures().join("lib/ccob/v3-zlib.hsaco")).unwrap();
    bytes[16..24].copy_from_slice(&(1u64 << 60).to_le_bytes());
    fs::write(dir.path().join("x.hsaco"), &bytes).unwrap();
    let report = report(dir.path(), true);
    assert!(
        places(&report.findings).iter().any(|p| p.what.contains("not believed")),
        "{:?}",
        places(&report.findings)
    );
}

/// A plain bundle with `count` entries that all refer to the same code object.
fn overlapping_bundle(count: u64) -> Vec<u8> {
    let object = fs::read(fixtures().join("lib/codeobject/v4_gfx906.hsaco")).unwrap();
    let id = "hipv4-amdgcn-amd-amdhsa--gfx906";
    let header = 32 + count * (24 + id.len() as u64);
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend(count.to_le_bytes());
    for _ in 0..count {
        for number in [header, object.len() as u64, id.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(id.bytes());
    }
    bytes.extend(object);
    bytes
}

#[test]
fn entries_that_overlap_are_read_once_and_reported() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("overlap.hsaco");
    fs::write(&path, overlapping_bundle(1000)).unwrap();
    let code = device_file::read(&DeviceFile::open(&path).unwrap(), &FileOptions::default(), &mut |_| {});
    let file = fatbin::file(&code, &[]);
    assert_eq!(file.targets[0].code_objects, 1, "not a thousand times the same bytes");
    assert!(
        places(&file.findings).iter().any(|p| p.what.contains("overlaps")),
        "{:?}",
        places(&file.findings)
    );
    assert!(
        places(&file.findings).iter().any(|p| p.what.contains("more problems")),
        "what is not listed is counted"
    );

    let folder = dir.path().join("out");
    let written = rocm_audit::scan::extract::all(&[path], &folder, &|_| true).unwrap().written;
    assert_eq!(written.len(), 1);
}

#[test]
fn more_entries_than_any_tool_writes_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("many.hsaco"), overlapping_bundle(5000)).unwrap();
    let report = report(dir.path(), false);
    assert!(
        places(&report.findings)[0].what.contains("names 5000 entries"),
        "{:?}",
        places(&report.findings)
    );
}

#[test]
fn notes_that_overlap_are_read_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(fixtures().join("lib/codeobject/v5_gfx90a_heavy.hsaco")).unwrap();
    // Makes every program header refer to the note.
    let at = u64::from_le_bytes(*bytes[32..].first_chunk().unwrap()) as usize;
    let count = usize::from(u16::from_le_bytes(*bytes[56..].first_chunk().unwrap()));
    let headers: Vec<Vec<u8>> = bytes[at..at + 56 * count].chunks(56).map(<[u8]>::to_vec).collect();
    let note = headers.iter().find(|h| h[..4] == 4u32.to_le_bytes()).unwrap().clone();
    (0..count).for_each(|i| bytes[at + 56 * i..at + 56 * (i + 1)].copy_from_slice(&note));
    fs::write(dir.path().join("x.hsaco"), &bytes).unwrap();
    let report = report(dir.path(), false);
    assert_eq!(report.summary.kernels, 5, "each kernel once");
    assert!(
        places(&report.findings).iter().any(|p| p.what.contains("note overlaps")),
        "{:?}",
        places(&report.findings)
    );
}

#[test]
fn sections_that_overlap_are_searched_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(fixtures().join("lib/librccl.so.1.0")).unwrap();
    let sections = rocm_audit::bytes::elf::Elf::open(bytes.as_slice(), 0).unwrap().sections().unwrap();
    let fatbin = sections.iter().position(|s| s.name == b".hip_fatbin").unwrap() + 1;
    let other = sections.iter().position(|s| s.name == b".comment").unwrap() + 1;
    let table = u64::from_le_bytes(*bytes[40..].first_chunk().unwrap()) as usize;
    let header = bytes[table + 64 * fatbin..table + 64 * (fatbin + 1)].to_vec();
    bytes[table + 64 * other..table + 64 * (other + 1)].copy_from_slice(&header);
    fs::write(dir.path().join("x.so"), &bytes).unwrap();
    let report = report(dir.path(), false);
    assert_eq!(report.summary.bundles, 3);
    assert!(
        places(&report.findings).iter().any(|p| p.what.contains("section overlaps")),
        "{:?}",
        places(&report.findings)
    );
}

#[test]
fn a_view_in_place_of_a_table_is_not_asked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("gfx900_64.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE perf_db(id INTEGER, solver TEXT, config INTEGER, params TEXT); INSERT INTO perf_db VALUES(1,'x',1,'y');
             CREATE VIEW config AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id+1 FROM n) SELECT id FROM n;",
        )
        .unwrap();
    drop(database);
    let report = report(dir.path(), false);
    assert!(
        places(&report.findings)[0].what.contains("plain table config"),
        "{:?}",
        places(&report.findings)
    );
}

#[test]
fn noise_takes_time_in_proportion_to_its_size() {
    // Three hundred thousand beginnings of code objects, separated by single bytes, once took quadratic time:
    // 20 s and more.
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = b"CCOB\x02\0\x01\0".to_vec();
    for _ in 0..300_000 {
        bytes.extend(b"x\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\xe0\0");
    }
    fs::write(dir.path().join("x.co"), &bytes).unwrap();
    let report = report(dir.path(), false);
    assert_eq!(report.summary.code_objects, 0);
    assert!(!report.complete);
}

#[cfg(unix)]
#[test]
fn pipes_sockets_links_and_locked_files_do_not_stop_it() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::copy(fixtures().join("lib/codeobject/v4_gfx906.hsaco"), root.join("a.hsaco")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    symlink(".", root.join("loop")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    fs::create_dir(root.join("locked")).unwrap();
    fs::write(root.join("unreadable"), "x").unwrap();
    fs::set_permissions(root.join("unreadable"), fs::Permissions::from_mode(0o0)).unwrap();
    let options = Options { follow_links: true, ..Options::default() };
    let inventory = audit(&[root.to_owned()], &options, &Silent, None).unwrap();
    let report = rocm_audit::report::audit(&inventory, &Capability::from_inventory(&inventory, &[]));
    assert_eq!(report.summary.code_objects, 1);
    assert!(
        report.not_examined.iter().any(|n| n.what.contains("FIFO") && n.files == 2),
        "{:?}",
        report.not_examined
    );
    assert!(
        places(&report.findings).iter().any(|p| p.path == "loop" && p.what.contains("leads back")),
        "{:?}",
        places(&report.findings)
    );
    assert!(places(&report.findings).iter().any(|p| p.path == "dangling"), "{:?}", places(&report.findings));
    // Root can read any file.
    if fs::read(root.join("unreadable")).is_err() {
        assert!(
            places(&report.findings).iter().any(|p| p.path == "unreadable"),
            "{:?}",
            places(&report.findings)
        );
    }
}

#[test]
fn a_database_that_only_looks_like_one_is_a_problem_with_its_name() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("gfx900_64.db"), "not a database").unwrap();
    let mut broken = fs::read(fixtures().join("share/miopen/db/gfx1030_36.db")).unwrap();
    broken[100..4096].fill(0xff);
    fs::write(dir.path().join("gfx1030_36.db"), &broken).unwrap();
    let report = report(dir.path(), false);
    let found = places(&report.findings);
    let paths: Vec<_> = found.iter().map(|p| p.path.as_str()).collect();
    assert_eq!(paths, ["gfx1030_36.db", "gfx900_64.db"], "{:?}", places(&report.findings));
}

#[test]
fn nothing_is_written_beside_an_input() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["share/miopen/db/gfx1030_36.db", "lib/ccob/v1-zstd.co", "lib/librccl.so.1.0"] {
        fs::copy(fixtures().join(file), dir.path().join(Path::new(file).file_name().unwrap())).unwrap();
    }
    let names = || {
        let mut names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    report(dir.path(), true);
    assert_eq!(names(), before);
}

#[test]
fn a_truncated_library_is_not_said_to_have_no_code() {
    let dir = tempfile::tempdir().unwrap();
    let whole = fs::read(fixtures().join("lib/librocblas.so.4.4")).unwrap();
    let path = dir.path().join("libspfft.so");
    // Without section headers, the remaining segments are searched.
    fs::write(&path, &whole[..whole.len() / 3]).unwrap();
    let cut = report(dir.path(), false);
    assert!(!cut.complete && cut.libraries_without_code.is_empty(), "{:?}", cut.libraries_without_code);
    assert!(cut.artifacts.iter().any(|artifact| !artifact.targets.is_empty()));
    // The cut is before the first bundle.
    fs::write(&path, &whole[..1024]).unwrap();
    let cut = report(dir.path(), false);
    assert!(!cut.complete && cut.libraries_without_code.is_empty(), "{:?}", cut.libraries_without_code);
    #[cfg(feature = "cli")]
    {
        use rocm_audit::render::{self, Format, style::Style};
        let drawn = render::report(&cut, Format::Table, &Style::default()).unwrap().into_text();
        assert!(!drawn.contains("No AMD GPU code"), "{drawn}");
        assert!(drawn.contains("is not known"), "{drawn}");
    }
}

#[test]
fn a_file_that_is_given_up_is_said_and_so_is_each_member() {
    let options = Options { time_per_file: Some(std::time::Duration::ZERO), ..Options::default() };
    let look = |path: &Path| {
        let inventory = audit(&[path.to_owned()], &options, &Silent, None).unwrap();
        rocm_audit::report::audit(&inventory, &Capability::from_inventory(&inventory, &[]))
    };
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "text").unwrap();
    assert!(look(dir.path()).complete);
    for file in [fixtures().join("lib/librccl.so.1.0"), fixtures().join("../containers")] {
        let report = look(&file);
        let limit = report.findings.iter().find(|finding| finding.id == "work-limit").unwrap();
        assert!(
            !report.complete && limit.count > 0 && report.artifacts.iter().all(|a| a.targets.is_empty()),
            "{report:?}"
        );
    }
}
