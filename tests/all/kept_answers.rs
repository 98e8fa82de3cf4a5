//! `--cache`: an answer is kept, found again, and never believed where something changed.
#![cfg(target_os = "linux")]

use crate::common::program::{command, refused, run, said};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_128;

const INPUT: &str = "fixtures/rocm/lib/codeobject/v4_gfx906.hsaco";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The answers in a folder.
fn kept(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.extension().is_some_and(|own| own == "answer")).collect()
}

/// What a run gave: its status, and what it wrote.
fn gave(output: &Output) -> (Option<i32>, &[u8], &[u8]) {
    (output.status.code(), &output.stdout, &output.stderr)
}

/// Replaces bytes of a kept answer by others of the same length; `signed` makes its checksum fit.
fn forge(entry: &Path, from: &str, to: &str, signed: bool) {
    let bytes = fs::read(entry).unwrap();
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    let (first, rest) = (String::from_utf8(bytes[..end].to_vec()).unwrap(), &bytes[end + 1..]);
    let place = rest.windows(from.len()).rposition(|window| window == from.as_bytes()).unwrap();
    let mut rest = rest.to_vec();
    rest[place..place + to.len()].copy_from_slice(to.as_bytes());
    let first = match signed {
        true => format!("{} {:032x}", first.rsplit_once(' ').unwrap().0, xxh3_128(&rest)),
        false => first,
    };
    fs::write(entry, [first.as_bytes(), b"\n", &rest].concat()).unwrap();
}

#[test]
fn the_second_run_of_a_call_is_answered_with_what_the_first_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let (cache, report) = (folder.path().join("kept"), folder.path().join("report.json"));
    // A status other than 0 is kept as well.
    for status in ["damage", "note"] {
        let words =
            ["--cache", text(&cache), "-o", text(&report), "--fail-on", status, "-f", "md", "fixtures/rocm"];
        let plain = run(&words[2..]);
        let file = fs::read(&report).unwrap();
        let first = run(&words);
        assert_eq!(gave(&first), gave(&plain));
        fs::remove_file(&report).unwrap();
        let second = run(&words);
        assert_eq!(gave(&second), gave(&plain));
        assert_eq!(fs::read(&report).unwrap(), file);
    }
    assert_eq!(kept(&cache).len(), 2);
    assert_eq!(fs::metadata(&cache).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_kept_answer_is_read_where_it_is_whole_and_made_anew_where_it_is_not() {
    let cache = tempfile::tempdir().unwrap();
    fs::set_permissions(cache.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let words = ["--cache", text(cache.path()), "-f", "json", INPUT];
    let plain = run(&words);
    let [entry] = &kept(cache.path())[..] else { panic!("{}", said(&plain)) };
    // With another text and its checksum it is what is printed: the file was not read again.
    forge(entry, "gfx906", "gfx000", true);
    let forged = run(&words);
    assert_ne!(forged.stdout, plain.stdout);
    assert!(String::from_utf8_lossy(&forged.stdout).contains("gfx000"));
    // Damaged it is made anew, and kept.
    forge(entry, "gfx000", "gfx111", false);
    assert_eq!(gave(&run(&words)), gave(&plain));
    fs::write(entry, "").unwrap();
    assert_eq!(gave(&run(&words)), gave(&plain));
    forge(entry, "gfx906", "gfx000", true);
    assert_eq!(run(&words).stdout, forged.stdout);
    // Another call has an answer of its own, and so has one with other variables.
    assert_eq!(run(&["--cache", text(cache.path()), "-f", "json", "--full", INPUT]).stdout, plain.stdout);
    let ascii = command(&words).env("ROCM_AUDIT_ASCII", "1").output().unwrap();
    assert_eq!(ascii.stdout, plain.stdout);
    assert_eq!(kept(cache.path()).len(), 3);
}

#[test]
fn a_changed_tree_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (cache, tree) = (folder.path().join("kept"), folder.path().join("tree"));
    fs::create_dir(&tree).unwrap();
    fs::copy(INPUT, tree.join("a.hsaco")).unwrap();
    let words = ["--cache", text(&cache), "-f", "json", text(&tree)];
    let of = || run(&words).stdout;
    // What changed a moment ago may change again without another time: its answer is not kept.
    let first = of();
    assert_eq!(kept(&cache).len(), 0);
    std::thread::sleep(Duration::from_millis(2200));
    assert_eq!(of(), first);
    assert_eq!(kept(&cache).len(), 1);
    // The same length and the same time of modification: the time of the change is another.
    let object = tree.join("a.hsaco");
    let modified = fs::metadata(&object).unwrap().modified().unwrap();
    let mut bytes = fs::read(&object).unwrap();
    bytes[48] ^= 1;
    fs::write(&object, bytes).unwrap();
    fs::File::options().write(true).open(&object).unwrap().set_modified(modified).unwrap();
    let plain = run(&words[2..]).stdout;
    assert_ne!(plain, first);
    assert_eq!(of(), plain);
    fs::copy(INPUT, tree.join("b.hsaco")).unwrap();
    assert_eq!(of(), run(&words[2..]).stdout);
}

#[test]
fn what_cannot_be_kept_is_refused_unless_a_variable_asks_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("kept");
    assert!(refused(&[INPUT, "--cache"]).contains("no folder stands behind it"));
    assert!(refused(&["--cache", text(&cache), "-"]).contains("not about what comes through a pipe"));
    assert!(refused(&["--cache", text(&cache), "--caches", INPUT]).contains("are not kept"));
    assert!(refused(&["--cache", text(&cache), "--follow-links", INPUT]).contains("are not kept"));
    assert!(refused(&["list", "formats", "--cache", text(&cache)]).contains("name a PATH"));
    assert!(!cache.exists());
    let listed = command(&["list", "formats"]).env("ROCM_AUDIT_CACHE", &cache).output().unwrap();
    assert!(listed.status.success() && !cache.exists(), "{}", said(&listed));
    let audited = command(&[INPUT]).env("ROCM_AUDIT_CACHE", &cache).output().unwrap();
    assert_eq!((audited.status.code(), kept(&cache).len()), (Some(0), 1), "{}", said(&audited));
    // What others may write to is not believed.
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(refused(&["--cache", text(&cache), INPUT]).contains("others may write to this folder"));
    // A run that fails is not kept.
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(
        refused(&["--cache", text(&cache), "--arch", "gfx906", INPUT, "no-such-file"]).contains("no such")
    );
    assert_eq!(kept(&cache).len(), 1);
}
