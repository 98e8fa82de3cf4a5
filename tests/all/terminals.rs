//! No format prints characters that a terminal or viewer obeys, wherever a name from the input appears.
#![cfg(unix)]

use crate::common::packages::{member, tar, zip};
use crate::common::program::command;
use std::path::Path;
use std::process::Output;

/// One of each kind: ESC sequences that clear the screen or write clipboard and title, DEL, C1, directions of
/// writing, line breaks, zero width, tags.
const EVIL: &str = "\u{1b}[2J\u{1b}]52;c;eA\u{7}\u{7f}\u{9b}31m\u{85}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2060}\u{2066}\u{2069}\u{feff}\u{fff9}\u{e0041}";

/// Whether a viewer would obey it, by an independent list: Unicode's Cc except for the line feed, Zl, Zp, and
/// Cf.
fn is_obeyed(c: char) -> bool {
    let format = [
        0x61c..=0x61c,
        0x180e..=0x180e,
        0x200b..=0x200f,
        0x2028..=0x202e,
        0x2060..=0x206f,
        0xfeff..=0xfeff,
        0xfff9..=0xfffb,
        0xe0000..=0xe007f_u32,
    ];
    let code = u32::from(c);
    (code < 32 && c != '\n') || (127..160).contains(&code) || format.iter().any(|range| range.contains(&code))
}

/// A tree with evil names for files, folders and members, whose content is broken, sound, or a link.
fn tree(root: &Path) {
    let broken = b"CCOB\x02\0\x01\0broken".to_vec();
    let object = crate::common::packages::code_object();
    let folder = root.join(format!("f{EVIL}"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join(format!("{EVIL}.hsaco")), &broken).unwrap();
    std::fs::write(folder.join(format!("lib{EVIL}.co")), &object).unwrap();
    std::fs::write(root.join(format!("gfx{EVIL}.kdb")), b"SQLite format 3\0").unwrap();
    std::os::unix::fs::symlink(format!("no{EVIL}"), root.join(format!("l{EVIL}.so"))).unwrap();
    let (bad, good) = (format!("d/{EVIL}.hsaco"), format!("e/{EVIL}.co"));
    let members = [member(&bad, broken.clone()), member(&good, object.clone())];
    std::fs::write(root.join(format!("a{EVIL}.zip")), zip(&members)).unwrap();
    std::fs::write(root.join("b.tar"), tar(&[(&bad, &broken), (&good, &object)])).unwrap();
}

fn obeys(what: &str, output: &Output) {
    for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        let text = String::from_utf8_lossy(bytes);
        let found = text.lines().find(|line| line.contains(is_obeyed));
        assert!(found.is_none(), "{what}, {stream}: {found:?}");
    }
}

#[test]
fn no_format_prints_what_viewers_obey() {
    let root = tempfile::tempdir().unwrap();
    tree(root.path());
    let path = root.path().to_str().unwrap();
    let calls: [&[&str]; 8] = [
        &["--full", "-vv"],
        &["fatbin"],
        &["needs"],
        &["check", "--gpu", "gfx906", "--require", "rocblas"],
        &["slim", "--keep", "gfx906"],
        &["manifest"],
        &["choose", "--gpu", "gfx906"],
        &["fatbin", "--kernels"],
    ];
    let mut shown = 0;
    for call in calls {
        for format in ["table", "md", "json", "jsonl", "csv", "sarif", "gitlab", "github", "junit", "html"] {
            let words = [call, &["-f", format, "--color", "never", path]].concat();
            let output = command(&words).output().unwrap();
            obeys(&format!("{words:?}"), &output);
            shown += usize::from(!output.stdout.is_empty());
        }
    }
    assert!(shown > 25, "{shown} of 80 print anything");
    // Error messages contain the name too.
    let missing = format!("{path}/none{EVIL}");
    for words in [&[missing.as_str()][..], &["-f", "json", missing.as_str()], &["explain", missing.as_str()]]
    {
        obeys("refused", &command(words).output().unwrap());
    }
}
