//! Input that is made to harm, and surroundings that fail, as the user of the command meets them.

use crate::common::program::{command, run, said};
use std::path::Path;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_list_of_kernels_says_beside_it_what_could_not_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libx.so");
    let whole = std::fs::read("fixtures/rocm/lib/librccl.so.1.0").unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let output = run(&["-f", "jsonl", text(&path)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("libx.so, offset"), "{}", said(&output));
}

#[test]
#[cfg(target_os = "linux")]
fn where_standard_error_is_full_the_status_is_that_of_the_run() {
    for (words, status) in [
        (&["-f", "jsonl", "nowhere"][..], 2),
        (&["--fail-on", "padding,error,note,warning", "fixtures/rocm"], 1),
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command(words).stderr(full).stdout(std::process::Stdio::null()).status().unwrap();
        assert_eq!(output.code(), Some(status), "{words:?}");
    }
}

/// Whether an audit of a file of these bytes says that something of it could not be read.
fn is_said(name: &str, bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let output = run(&["-f", "json", text(&path)]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let complete = report["complete"].as_bool().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(!complete)), "{name}: {}", said(&output));
    !complete
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("fixtures/rocm/{name}")).unwrap()
}

fn zeroed(bytes: &[u8], range: std::ops::Range<usize>) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[range].fill(0);
    bytes
}

#[test]
fn what_is_lost_is_said() {
    let library = fixture("lib/librocblas.so.4.4");
    let object = fixture("lib/codeobject/v5_gfx90a_heavy.hsaco");
    let sections = u64::from_le_bytes(library[40..48].try_into().unwrap()) as usize;
    let bundle = library.windows(24).position(|bytes| bytes == b"__CLANG_OFFLOAD_BUNDLE__").unwrap();
    let inserted = |at: usize| [&library[..at], &[0x55], &library[at..]].concat();
    let notes = object.windows(7).position(|bytes| bytes == b"AMDGPU\0").unwrap();
    let end = object.len();
    let lines = b"3-4=a:0.5,0,x\n".repeat(20);
    let zeros = |len: usize| vec![0u8; len];
    for (what, name, bytes) in [
        ("empty", "librocblas.so.4.4", vec![]),
        ("zeros", "librocblas.so.4.4", zeros(4096)),
        ("empty", "x.hsaco", vec![]),
        ("other", "x.hsaco", b"\r\nELF".to_vec()),
        ("zeros", "x.whl", zeros(4096)),
        ("zeros", "x.tar.gz", zeros(4096)),
        ("a byte too many", "libx.so", inserted(sections - 1)),
        ("the section headers", "libx.so", zeroed(&library, sections..library.len())),
        ("one bundle", "libx.so", zeroed(&library, bundle..bundle + 4096)),
        ("the code of an entry", "libx.so", zeroed(&library, bundle + 4096..bundle + 4096 + 512)),
        ("the notes", "x.hsaco", zeroed(&object, notes - 12..notes + 64)),
        ("the end", "x.hsaco", zeroed(&object, end - 64..end)),
        ("the headers", "x.hsaco", zeroed(&object, 24..512)),
        ("a line", "gfx900_56.HIP.fdb.txt", zeroed(&lines, 100..200)),
        ("half a line", "gfx900_56.HIP.fdb.txt", lines[..lines.len() - 12].to_vec()),
        ("half a line", "gfx900_56.db.txt", b"a=b:c\n3-4-5".to_vec()),
    ] {
        assert!(is_said(name, &bytes), "{what} of {name}");
    }
    assert!(!is_said("libx.so", &library) && !is_said("x.hsaco", &object));
    assert!(!is_said("gfx900_56.HIP.fdb.txt", &lines[..lines.len() - 1]));
    assert!(!is_said("x.txt", &[]) && !is_said("x.so", b"INPUT ( libx.so.1 )"));
}

#[test]
fn what_is_lost_of_packages_and_archives_is_said() {
    let object = fixture("lib/codeobject/v5_gfx90a_heavy.hsaco");
    let tar = crate::common::packages::tar(&[("a.hsaco", &object), ("b.txt", b"text")]);
    let bzip2 = |bytes: &[u8]| {
        use std::io::Write;
        let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    let whole = bzip2(&tar);
    assert!(!is_said("x.tar.bz2", &whole) && !is_said("x.tar", &tar));
    for at in (40..whole.len()).step_by(whole.len() / 40) {
        let mut wrong = whole.clone();
        wrong[at] ^= 4;
        assert!(is_said("x.tar.bz2", &wrong), "bzip2 at {at}");
    }
    let mut behind = tar[..1024].to_vec();
    behind.extend(vec![0; 100 * 512]);
    assert!(is_said("x.tar", &behind));
    let archive = find("gnu.a");
    assert!(!is_said("x.a", &archive));
    for end in [70, 120, 200, archive.len() - 100] {
        assert!(is_said("x.a", &archive[..end]), "archive to {end}");
    }
    assert!(is_said("x.a", &String::from_utf8_lossy(&archive).replace('\n', "\r\n").into_bytes()));
}

/// A file of the fixtures by its name.
fn find(name: &str) -> Vec<u8> {
    let mut folders = vec![std::path::PathBuf::from("fixtures")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false if entry.file_name() == name => return std::fs::read(entry.path()).unwrap(),
                false => {}
            }
        }
    }
    panic!("no fixture {name}")
}
