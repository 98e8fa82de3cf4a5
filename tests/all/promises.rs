//! The program's promises for failing surroundings: full disks, closed pipes, limits, signals, files that
//! change while being read, and unusual trees. docs/reliability.md lists the promises with these tests.
#![cfg(target_os = "linux")]

use crate::common::fixture;
use crate::common::packages::{code_object, member, tar, zip};
use crate::common::program::{PROGRAM, command, said};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// The program under a limit set by the shell: `ulimit -n 16`.
fn limited(limit: &str, words: &[&str]) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("{limit}; exec \"$0\" \"$@\"")).arg(PROGRAM).args(words);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env_clear().stdin(Stdio::null());
    command
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(output)))
}

/// Waits for a child for a time that suffices on a busy machine.
fn ended(child: Child) -> Output {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(child.wait_with_output()));
    receive.recv_timeout(Duration::from_secs(60)).expect("it hangs").unwrap()
}

fn run(command: &mut Command) -> Output {
    ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// A package with a member that is unpacked to a temporary file.
fn package(folder: &TempDir) -> String {
    let mut large = code_object();
    // More than members may use of memory, so it goes to a file.
    large.resize(50 << 20, 0);
    let path = folder.path().join("large.tar.zst");
    let tar = tar(&[("large.hsaco", &large), ("small.hsaco", &code_object())]);
    fs::write(&path, zstd::encode_all(&tar[..], 1).unwrap()).unwrap();
    text(&path).to_owned()
}

#[test]
fn a_full_device_ends_every_command_with_two_and_a_reason() {
    for words in [
        &["--help"][..],
        &["--version"],
        &["fatbin", "--help"],
        &["list", "rules"],
        &["explain", "gfx900", "--isa"],
        &["explain", "kernel-missing"],
        &["fixtures/rocm"],
        &["-f", "json", "fixtures/rocm"],
        &["-f", "jsonl", "fixtures/rocm"],
        &["fatbin", "--list", "fixtures/rocm/lib/librccl.so.1.0"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = ended(command(words).stdout(full).stderr(Stdio::piped()).spawn().unwrap());
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", said(&output));
        assert!(said(&output).contains("No space left"), "{words:?}: {}", said(&output));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    for words in [
        &["--help"][..],
        &["-f", "json", "fixtures/rocm"],
        &["fatbin", "--list", "fixtures/rocm/lib/librccl.so.1.0"],
    ] {
        let mut child = command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = ended(child);
        assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""), "{words:?}");
    }
}

#[test]
fn without_a_folder_for_temporary_files_what_needs_none_is_read_and_the_rest_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let package = package(&folder);
    let locked = folder.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o500)).unwrap();
    // Root can write anywhere, but cannot use a file as a folder.
    for place in ["/nowhere/at/all", "/dev/null", text(&locked)] {
        let output = run(command(&["-f", "json", &package]).env("TMPDIR", place));
        let report = report(&output);
        assert!(report["summary"]["code_objects"].as_u64() >= Some(1), "{place}: {}", report["summary"]);
        if place != text(&locked) {
            assert_eq!(output.status.code(), Some(1), "{place}");
            assert!(report["findings"].to_string().contains("TMPDIR"), "{}", report["findings"]);
        }
    }
    assert_eq!(fs::read_dir(&locked).unwrap().count(), 0);
}

#[test]
fn a_limit_to_the_address_space_is_told_and_no_crash() {
    let folder = tempfile::tempdir().unwrap();
    let package = package(&folder);
    // The program itself must be loaded.
    let own = fs::metadata(PROGRAM).unwrap().len() >> 10;
    for more in [20_000, 50_000, 120_000, 400_000] {
        let kib = own + more;
        for words in [&["-j", "2", "fixtures/rocm"][..], &["-j", "2", package.as_str()]] {
            let output = run(&mut limited(&format!("ulimit -v {kib}"), words));
            // Rust's runtime ends a process that gets no memory; after the start, no bytes of a file can
            // cause this.
            let code = output.status.code();
            let aborted = output.status.signal() == Some(6) && said(&output).contains("memory");
            assert!(
                matches!(code, Some(0..=2) | Some(127)) || aborted,
                "{kib} {words:?}: {:?} {}",
                output.status,
                said(&output)
            );
        }
    }
}

#[test]
fn a_limit_to_open_files_is_told_and_what_fits_is_read() {
    for (files, words) in [(12, ["-j", "2"]), (16, ["-j", "8"]), (64, ["-j", "2"])] {
        let words = [&words[..], &["-f", "json", "fixtures/rocm"]].concat();
        let output = run(&mut limited(&format!("ulimit -n {files}"), &words));
        let report = report(&output);
        assert!(report["summary"]["code_objects"].as_u64() > Some(0), "{files}");
        assert_eq!(report["complete"] == true, output.status.code() == Some(0), "{files}");
    }
}

/// Starts an audit with its temporary files and output in a folder, and sends a signal after some time.
fn signalled(signal: &str, after: Duration, words: &[&str], folder: &Path) -> Output {
    let child =
        command(words).env("TMPDIR", folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(after);
    let id = child.id().to_string();
    // It may have ended already.
    let _ = Command::new("kill").args(["-s", signal, &id]).stderr(Stdio::null()).status().unwrap();
    ended(child)
}

#[test]
fn signals_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let package = package(&folder);
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    // SQLite reads these in place: once each had a name while it was opened.
    let databases = folder.path().join("databases.zip");
    let database = fs::read(fixture("rocm/share/miopen/db/gfx1030_36.db")).unwrap();
    let names: Vec<String> = (0..40).map(|place| format!("{place}/share/miopen/db/gfx1030_36.db")).collect();
    let members: Vec<_> = names.iter().map(|name| member(name, database.clone())).collect();
    fs::write(&databases, zip(&members)).unwrap();
    let databases = text(&databases).to_owned();
    for signal in ["INT", "TERM", "KILL"] {
        for milliseconds in [1, 8, 30] {
            for words in [&[package.as_str()][..], &["fixtures/rocm"], &[databases.as_str()]] {
                signalled(signal, Duration::from_millis(milliseconds), words, &temporary);
                let left: Vec<_> =
                    fs::read_dir(&temporary).unwrap().map(|e| e.unwrap().file_name()).collect();
                assert!(left.is_empty(), "{signal} after {milliseconds} ms: {left:?}");
            }
        }
    }
}

#[test]
fn databases_of_packages_need_no_folder_for_temporary_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("databases.zip");
    let database = fs::read(fixture("rocm/share/miopen/db/gfx1030_36.db")).unwrap();
    fs::write(&path, zip(&[member("share/miopen/db/gfx1030_36.db", database)])).unwrap();
    let mut call = command(&["-f", "json", text(&path)]);
    let output = run(call.env("TMPDIR", folder.path().join("missing")));
    let found = report(&output);
    assert_eq!((output.status.code(), &found["complete"]), (Some(0), &Value::Bool(true)), "{found}");
    assert!(found["artifacts"][0]["records"].as_u64().is_some_and(|rows| rows > 0), "{found}");
}

#[test]
fn what_is_extracted_is_whole_or_not_there() {
    let library = fixture("rocm/lib/librccl.so.1.0");
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    assert!(run(&mut command(&["fatbin", "--extract", text(&whole), text(&library)])).status.success());
    let size = |name: &std::ffi::OsStr| fs::metadata(whole.join(name)).unwrap().len();
    for milliseconds in 1..12 {
        let out = folder.path().join(format!("out{milliseconds}"));
        let words = ["fatbin", "--extract", text(&out), text(&library)];
        signalled("KILL", Duration::from_millis(milliseconds), &words, folder.path());
        for entry in fs::read_dir(&out).into_iter().flatten().map(Result::unwrap) {
            assert_eq!(entry.metadata().unwrap().len(), size(&entry.file_name()), "{:?}", entry.file_name());
        }
    }
}

#[test]
fn files_that_grow_shrink_and_vanish_while_they_are_read_end_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libx.so");
    let whole = fs::read(fixture("rocm/lib/librccl.so.1.0")).unwrap();
    fs::write(&path, &whole).unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let file = fs::File::options().write(true).open(&path).unwrap();
            while !over.load(Ordering::Relaxed) {
                file.set_len(5000).unwrap();
                file.set_len(whole.len() as u64 + 10_000).unwrap();
                fs::write(&path, &whole).unwrap();
                let elsewhere = path.with_extension("away");
                let _ = fs::rename(&path, &elsewhere);
                let _ = fs::rename(&elsewhere, &path);
            }
        });
        for _ in 0..40 {
            let output = run(&mut command(&["-f", "json", text(folder.path())]));
            let report = report(&output);
            let found = report["summary"]["code_objects"] == 9;
            assert!(found || report["complete"] == false || report["summary"]["files"] == 0, "{report}");
            assert!(matches!(output.status.code(), Some(0 | 1)), "{:?}", output.status);
        }
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn what_is_no_file_is_never_opened_and_never_complete() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let fifo = root.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    fs::write(root.join("a.hsaco"), code_object()).unwrap();
    let output = run(&mut command(&["-f", "json", text(root)]));
    let found = report(&output);
    assert_eq!((output.status.code(), &found["complete"]), (Some(1), &Value::Bool(false)));
    let ids: Vec<_> =
        found["findings"].as_array().unwrap().iter().map(|f| f["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"special-file"), "{ids:?}");
    for words in [
        vec![text(&root.join("socket"))],
        vec!["/dev/null"],
        vec!["/dev/zero"],
        vec!["fatbin", "/dev/zero"],
        vec!["verify", "/dev/zero"],
        vec!["check", "/dev/zero", "--require", "gfx900"],
    ] {
        let output = run(&mut command(&words));
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(said(&output).contains("pipe, socket or device"), "{words:?}: {}", said(&output));
    }
    // A socket has no content.
    fs::remove_file(&fifo).unwrap();
    assert_eq!(run(&mut command(&[text(root)])).status.code(), Some(0));
    drop(socket);
}

/// A run's output for these bytes through a pipe.
fn piped(words: &[&str], bytes: &[u8]) -> Output {
    let mut child = Command::new(PROGRAM)
        .args(words)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(bytes);
    ended(child)
}

#[test]
fn a_pipe_is_read_to_its_end_by_every_name_it_has() {
    let object = code_object();
    // Longer than what is kept in memory.
    let long = [object.clone(), vec![0; 3 << 20]].concat();
    for bytes in [&object, &long] {
        for name in ["-", "/dev/stdin", "/dev/fd/0"] {
            let found = report(&piped(&["-f", "json", "--fail-on", "never", name], bytes));
            assert_eq!(found["summary"]["code_objects"], 1, "{name}");
            assert_eq!(found["roots"], serde_json::json!([name]));
            assert_eq!(found["summary"]["bytes"], bytes.len(), "{name}");
        }
    }
    assert!(piped(&["fatbin", "--list", "-"], &object).status.success());
    // A failed producer must not give a clean report, and naming the pipe twice is an error.
    for (words, bytes, says) in [
        (&["-"][..], &b""[..], "nothing came through it"),
        (&["/dev/stdin"], b"", "nothing came through it"),
        (&["-", "-"], &object, "named twice"),
    ] {
        let output = piped(words, bytes);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(said(&output).contains(says), "{words:?}: {}", said(&output));
    }
}

#[test]
fn links_in_circles_and_out_of_the_roots_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    fs::create_dir_all(inside.join("a/b")).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x.hsaco"), code_object()).unwrap();
    symlink("../..", inside.join("a/b/up")).unwrap();
    symlink("two", inside.join("one")).unwrap();
    symlink("one", inside.join("two")).unwrap();
    symlink("../out/x.hsaco", inside.join("x.hsaco")).unwrap();
    let ids = |words: &[&str]| {
        let output = run(&mut command(&[&["-f", "json"], words, &[text(&inside)]].concat()));
        let report = report(&output);
        let ids = report["findings"].as_array().unwrap().iter().map(|f| f["id"].as_str().unwrap().to_owned());
        (report["summary"]["code_objects"].as_u64().unwrap(), ids.collect::<Vec<_>>())
    };
    let (objects, found) = ids(&[]);
    assert_eq!((objects, found.contains(&"link-not-followed".to_owned())), (0, true), "{found:?}");
    let (objects, found) = ids(&["--follow-links"]);
    assert_eq!((objects, found.contains(&"link-loop".to_owned())), (0, true), "{found:?}");
    // The tree's author chooses where its links lead, so links out of it are followed only if they are roots.
    assert!(found.contains(&"link-not-followed".to_owned()));
    let (objects, found) = ids(&["--follow-links", text(&outside)]);
    assert_eq!((objects, found.contains(&"link-not-followed".to_owned())), (1, false), "{found:?}");
}

#[test]
fn a_folder_of_a_hundred_thousand_entries_is_read_in_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.hsaco"), code_object()).unwrap();
    let first = folder.path().join("empty");
    fs::write(&first, "").unwrap();
    for number in 0..100_000 {
        // Links to one file are made faster than files; a file is counted once.
        fs::hard_link(&first, folder.path().join(format!("{number:06}"))).unwrap_or_else(|_| {
            // Some file systems limit the number of links to a file.
            fs::write(folder.path().join(format!("{number:06}")), "").unwrap();
        });
    }
    let output = run(&mut limited("ulimit -v 900000", &["-j", "2", "-f", "json", text(folder.path())]));
    assert_eq!(report(&output)["summary"]["code_objects"], 1, "{}", said(&output));
}

#[test]
fn names_that_are_no_unicode_are_read_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe\x1b[31m.hsaco");
    fs::write(folder.path().join(name), code_object()).unwrap();
    for format in ["table", "md", "json", "jsonl"] {
        for words in [&["-vv", "-f", format][..], &["fatbin", "-f", format]] {
            let output = run(&mut command(&[words, &[text(folder.path())]].concat()));
            assert_eq!(output.status.code(), Some(0), "{words:?}: {}", said(&output));
            let out = String::from_utf8(output.stdout).unwrap();
            assert!(!out.chars().any(|c| c.is_control() && c != '\n'), "{words:?}");
            assert!(out.contains("hsaco"), "{words:?}: {out}");
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut seen: Option<Vec<u8>> = None;
    for (limit, jobs) in [("taskset -p 1 $$ >/dev/null", "8"), ("true", "64"), ("true", "1"), ("true", "2")] {
        let words = ["-j", jobs, "-f", "json", "--isa", "fixtures/rocm", "fixtures/containers"];
        let output = run(&mut limited(limit, &words));
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", said(&output));
        let before = seen.get_or_insert_with(|| output.stdout.clone());
        assert!(*before == output.stdout, "{limit} -j {jobs}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_told_before_it_is_too_late() {
    for place in ["/nowhere/report.json", "/dev/full/report.json"] {
        let output = run(&mut command(&["-q", "-o", place, "fixtures/rocm"]));
        assert_eq!(output.status.code(), Some(2), "{place}");
    }
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("report.json");
    symlink("/dev/full", &link).unwrap();
    let output = run(&mut command(&["-q", "-o", text(&link), "fixtures/rocm"]));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let mut none = String::new();
    output.stdout.as_slice().read_to_string(&mut none).unwrap();
    assert!(none.is_empty());
}

/// A zip file of packages that each unpack to more than their size allows.
fn bombs(folder: &TempDir) -> String {
    let zeros = vec![0u8; 24 << 20];
    let mut object = code_object();
    object.extend(&zeros);
    let inner = zstd::encode_all(&tar(&[("a.hsaco", &object), ("b.hsaco", &object)])[..], 1).unwrap();
    let names = ["a.tar.zst", "b.tar.zst", "c.tar.zst", "d.tar.zst", "e.tar.zst", "f.tar.zst"];
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, &inner[..])).collect();
    let path = folder.path().join("bombs.tar");
    fs::write(&path, tar(&members)).unwrap();
    text(&path).to_owned()
}

#[test]
fn what_is_refused_of_a_package_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let bombs = bombs(&folder);
    let mut seen: Option<Vec<u8>> = None;
    for jobs in ["1", "2", "8", "3", "8"] {
        let output = run(&mut command(&["-j", jobs, "-f", "json", &bombs]));
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let report = report(&output);
        assert!(report["findings"].to_string().contains("inflates-too-far"), "{}", report["findings"]);
        assert!(report["summary"]["code_objects"].as_u64() > Some(0));
        let before = seen.get_or_insert_with(|| output.stdout.clone());
        assert!(*before == output.stdout, "-j {jobs}");
    }
}

#[test]
fn many_packages_of_large_windows_stay_in_the_memory_of_one() {
    let folder = tempfile::tempdir().unwrap();
    // Fills a window of 64 MiB: content without repetitions would be large, so it repeats far apart.
    let random = |n: u64| {
        let n = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (n ^ n >> 27) as u8
    };
    let block: Vec<u8> = (0..1 << 20).map(random).collect();
    let content: Vec<u8> = std::iter::repeat_n(block, 80).flatten().collect();
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(26).unwrap();
    encoder.long_distance_matching(true).unwrap();
    encoder.write_all(&tar(&[("x.txt", &content), ("a.hsaco", &code_object())])).unwrap();
    let package = encoder.finish().unwrap();
    for number in 0..8 {
        fs::write(folder.path().join(format!("{number}.tar.zst")), &package).unwrap();
    }
    let mut child = command(&["-j", "8", "-f", "json", text(folder.path())])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut most = 0u64;
    // Its report fits in a pipe that is not read in the meantime.
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        most = most.max(kib);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(report(&child.wait_with_output().unwrap())["summary"]["code_objects"], 8);
    assert!(most < 160 << 10, "{most} KiB");
}

#[test]
#[cfg(feature = "sandbox")]
fn a_run_that_cannot_take_its_rights_says_so_once() {
    use landlock::{AccessFs, Ruleset, RulesetAttr};
    // A kernel stacks 16 sets of rights and refuses more, like a kernel without Landlock.
    let full = || {
        let one = || Ruleset::default().handle_access(AccessFs::MakeBlock)?.create()?.restrict_self();
        (0..16).all(|_| one().is_ok_and(|status| status.ruleset != landlock::RulesetStatus::NotEnforced))
    };
    let runs = std::thread::spawn(move || {
        let words = |how| ["--sandbox", how, "fixtures/rocm/lib/codeobject"];
        full().then(|| ["auto", "on", "off"].map(|how| run(&mut command(&words(how)))))
    });
    let Some([auto, on, off]) = runs.join().unwrap() else { return };
    assert_eq!(said(&auto).matches("not all rights are taken").count(), 1, "{}", said(&auto));
    assert_eq!((auto.status.code(), &auto.stdout), (off.status.code(), &off.stdout));
    assert_eq!((on.status.code(), said(&off).contains("rights")), (Some(2), false), "{}", said(&on));
}
