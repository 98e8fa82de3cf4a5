//! Each command reads a package once: counts how often the system opens the file.
#![cfg(target_os = "linux")]

use crate::common::program::{run_in, said};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use std::fs;
use std::mem::MaybeUninit;
use std::path::Path;

/// How often a run opens the package, and its standard error.
fn openings(folder: &Path, package: &str, words: &[&str]) -> (usize, String) {
    let watch = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
    inotify::add_watch(&watch, folder.join(package), WatchFlags::OPEN).unwrap();
    let output = run_in(folder, words);
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut events = inotify::Reader::new(&watch, &mut buffer);
    let mut count = 0;
    while let Ok(event) = events.next() {
        count += usize::from(event.events().contains(ReadFlags::OPEN));
    }
    (count, said(&output))
}

#[test]
fn every_command_opens_a_package_once() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = "demo-1.0-py3-none-linux_x86_64.whl";
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/containers/package").join(wheel);
    fs::create_dir(folder.path().join("tree")).unwrap();
    fs::copy(from, folder.path().join("tree").join(wheel)).unwrap();
    let package = format!("tree/{wheel}");
    let error =
        "Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1032";
    for words in [
        &["tree"][..],
        &["--gpu", "RX 6600", "tree"],
        &["check", "--require", "gfx1100", "tree"],
        &["survey", "RX 6600", "tree"],
        &["survey", "gfx900", "--vs", "gfx1030", "tree"],
        &["needs", "tree"],
        &["explain", "--error", error, "tree"],
        &["-o", "rows.parquet", "--rows", "selections", &package],
    ] {
        let (count, said) = openings(folder.path(), &package, words);
        assert_eq!(count, 1, "{words:?}: {said}");
    }
}
