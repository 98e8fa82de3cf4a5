//! Rules on inputs that cannot be read.

use super::Row;
use crate::common::bundles::bundle;
use crate::common::fixture;
use crate::common::packages::{Member, code_object, gzip, member, tar, zip};
use crate::common::seen::{Seen, by_command, folder, in_files, in_tree};
use rocm_audit::finding::rules::RULES;
use rocm_audit::input::device_file::DeviceFile;
use rocm_audit::input::install::Install;
use rocm_audit::limits::{BUNDLE_ENTRIES, PACKAGE_DEPTH};
use rocm_audit::report::fatbin;
use rocm_audit::scan::device_file::{self, FileOptions};
use rocm_audit::scan::run::Options;
use rocm_audit::target::TargetId;
use rocm_audit::{Card, ChooseQuestion, ManifestQuestion, Question, Trees};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;

pub(super) const ROWS: &[Row] = &[
    ("malformed-bytes", || database(|bytes| bytes[100..4096].fill(0xff)), || database(|_| {})),
    ("cut-end", || transform(|bytes| bytes.truncate(bytes.len() - 100)), || transform(|_| {})),
    ("overlapping-parts", || in_package(&overlapping(true)), || in_package(&overlapping(false))),
    ("wrong-size", || in_zip(|m| m.size = Some(m.content.len() as u32 + 1)), || in_zip(|_| {})),
    ("wrong-hash", || in_zip(|m| m.crc = Some(7)), || in_zip(|_| {})),
    ("manifest-differs", || chosen_by_manifest(true), || chosen_by_manifest(false)),
    ("inflates-too-far", || states_to_inflate_to(1 << 60), || states_to_inflate_to(0)),
    ("too-many-parts", || entries(BUNDLE_ENTRIES as usize + 1), || entries(BUNDLE_ENTRIES as usize)),
    ("work-limit", || large_tables(20), || large_tables(2)),
    ("duplicate-name", || in_package(&twice("a.co", "a.co")), || in_package(&twice("a.co", "A.co"))),
    ("unsafe-path", || in_zip(|m| m.name = "a/../../b.co"), || in_zip(|m| m.name = "a/..b/b.co")),
    ("link-loop", || linked("b/link", "..", true), || linked("b/link", "../a", true)),
    ("unknown-method", || in_package(&packed_by(99)), || in_package(&packed_by(8))),
    ("encrypted-member", || in_zip(|m| m.flags = 1), || in_zip(|m| m.flags = 2)),
    ("nested-too-deep", || in_package(&nested(PACKAGE_DEPTH + 1)), || in_package(&nested(PACKAGE_DEPTH))),
    (
        "container-not-opened",
        || in_files(&[("x.rar", b"Rar!\x1a\x07\x01\0")]),
        || in_files(&[("x.rar", b"Rar?\x1a\x07\x01\0")]),
    ),
    ("link-not-followed", || linked_out("v4_gfx906.hsaco"), || linked_out("text.txt")),
    ("special-file", || in_special("mkfifo"), || in_special("touch")),
    // Even root cannot follow a link that leads to itself.
    ("unreadable-file", || linked("b/link", "link", true), || linked("b/link", "../a/file", true)),
    ("changed-while-read", || read_while(true), || read_while(false)),
    ("dangling-link", || linked("b/link", "nowhere", false), || linked("b/link", "../a/file", false)),
    (
        "line-not-understood",
        || by_command(&["workload", "--arch", "gfx900", "fixtures/workload/program.log"]),
        || by_command(&["workload", "--arch", "gfx900", "fixtures/workload/calls.jsonl"]),
    ),
];

fn in_package(bytes: &[u8]) -> Vec<Seen> {
    in_files(&[("package", bytes)])
}

/// A zip file with one code object, modified.
fn in_zip(change: impl Fn(&mut Member<'_>)) -> Vec<Seen> {
    let mut own = member("a.co", code_object());
    change(&mut own);
    in_package(&zip(&[own]))
}

fn database(change: impl Fn(&mut Vec<u8>)) -> Vec<Seen> {
    let mut bytes = fs::read(fixture("rocm/share/miopen/db/gfx1030_36.db")).unwrap();
    change(&mut bytes);
    in_files(&[("gfx1030_36.db", &bytes)])
}

fn transform(change: impl Fn(&mut Vec<u8>)) -> Vec<Seen> {
    let mut bytes = fs::read(fixture("rocm/lib/hipblaslt/library/hipblasltTransform.hsaco")).unwrap();
    change(&mut bytes);
    in_files(&[("x.hsaco", &bytes)])
}

/// Offset of the last record in a zip file's directory.
fn last_record(bytes: &[u8]) -> usize {
    bytes.windows(4).rposition(|window| window == b"PK\x01\x02").unwrap()
}

fn twice(first: &'static str, second: &'static str) -> Vec<u8> {
    zip(&[member(first, code_object()), member(second, code_object())])
}

/// Two members; optionally the second record of the directory points at the first member.
fn overlapping(yes: bool) -> Vec<u8> {
    let mut bytes = twice("a.co", "b.co");
    if yes {
        let at = last_record(&bytes);
        bytes[at + 42..at + 46].fill(0);
    }
    bytes
}

fn packed_by(method: u8) -> Vec<u8> {
    let mut bytes = zip(&[member("a.co", code_object())]);
    let at = last_record(&bytes);
    (bytes[8], bytes[at + 10]) = (method, method);
    bytes
}

fn nested(packages: usize) -> Vec<u8> {
    let inner = zip(&[member("a.co", code_object())]);
    (1..packages).fold(inner, |bytes, _| zip(&[member("inner.zip", bytes)]))
}

/// A compressed bundle whose header states this size; 0 leaves it unchanged.
fn states_to_inflate_to(bytes: u64) -> Vec<Seen> {
    let mut file = fs::read(fixture("rocm/lib/ccob/v3-zlib.hsaco")).unwrap();
    if bytes > 0 {
        file[16..24].copy_from_slice(&bytes.to_le_bytes());
    }
    in_files(&[("x.hsaco", &file)])
}

/// Small compressed bundles that each inflate to a table of a megabyte.
fn large_tables(count: usize) -> Vec<Seen> {
    let mut table = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    table.extend(BUNDLE_ENTRIES.to_le_bytes());
    for _ in 0..BUNDLE_ENTRIES {
        [2u64 << 20, 0, 256].iter().for_each(|field| table.extend(field.to_le_bytes()));
        table.extend([b'x'; 256]);
    }
    table.resize(2 << 20, 0);
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&table).unwrap();
    let payload = encoder.finish().unwrap();
    let mut one = b"CCOB\x02\0\0\0".to_vec();
    one.extend((payload.len() as u32 + 24).to_le_bytes());
    one.extend((table.len() as u32).to_le_bytes());
    one.extend([0; 8]);
    one.extend(payload);
    in_files(&[("x.hsaco", &one.repeat(count))])
}

fn entries(count: usize) -> Vec<Seen> {
    in_files(&[("x.hsaco", &bundle(&vec![b"".as_slice(); count], 1))])
}

/// Findings in a tree with `a/file` and `b`, and a symbolic link.
#[cfg(unix)]
fn linked(link: &str, to: &str, follow_links: bool) -> Vec<Seen> {
    let tree = folder(&[("a/file", b"text"), ("b/file", b"text")]);
    std::os::unix::fs::symlink(to, tree.path().join(link)).unwrap();
    in_tree(tree.path(), &Options { follow_links, ..Options::default() })
}

#[cfg(not(unix))]
fn linked(_: &str, _: &str, _: bool) -> Vec<Seen> {
    Vec::new()
}

/// Findings in a folder with a link to a file in another folder.
#[cfg(unix)]
fn linked_out(name: &str) -> Vec<Seen> {
    let outside = folder(&[("v4_gfx906.hsaco", &code_object()), ("text.txt", b"text")]);
    let tree = folder(&[("file", b"text")]);
    std::os::unix::fs::symlink(outside.path().join(name), tree.path().join("link")).unwrap();
    in_tree(tree.path(), &Options::default())
}

/// Findings in a folder with a special file made by a program.
#[cfg(unix)]
fn in_special(program: &str) -> Vec<Seen> {
    let tree = folder(&[("file", b"text")]);
    let made = std::process::Command::new(program).arg(tree.path().join("made")).status().unwrap();
    assert!(made.success());
    in_tree(tree.path(), &Options::default())
}

#[cfg(not(unix))]
fn linked_out(_: &str) -> Vec<Seen> {
    Vec::new()
}

#[cfg(not(unix))]
fn in_special(_: &str) -> Vec<Seen> {
    Vec::new()
}

/// Opens a file, optionally writes to it, and then reads it.
fn read_while(written: bool) -> Vec<Seen> {
    let tree = folder(&[("x.hsaco", &code_object())]);
    let path = tree.path().join("x.hsaco");
    let open = DeviceFile::open(&path).unwrap();
    if written {
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"more").unwrap();
    }
    let code = device_file::read(&open, &FileOptions::default(), &mut |_| {});
    fatbin::file(&code, &[]).findings.iter().map(Seen::from).collect()
}

/// Each fault of a package is reported once, by its own rule.
#[test]
fn each_fault_of_a_package_has_its_rule() {
    let object = code_object();
    let tarred = tar(&[("a.co", &object)]);
    let (zipped, tar_gz) = (zip(&[member("a.co", object.clone())]), gzip(&tarred));
    let stored = |change: fn(&mut Member<'_>)| {
        let mut own = Member { deflated: false, ..member("a.co", code_object()) };
        change(&mut own);
        zip(&[own])
    };
    let cases = [
        ("unsafe-path", tar(&[("../a.co", &object)])),
        ("unsafe-path", gzip(&tar(&[("/a.co", &object)]))),
        ("duplicate-name", tar(&[("a.co", &object), ("a.co", &object)])),
        ("duplicate-name", gzip(&tar(&[("a.co", &object), ("a.co", &object)]))),
        ("wrong-size", stored(|m| m.size = Some(7))),
        ("wrong-hash", stored(|m| m.crc = Some(7))),
        ("cut-end", zipped[..zipped.len() / 2].to_vec()),
        ("cut-end", tarred[..700].to_vec()),
        ("cut-end", tarred[..tarred.len() - 1024].to_vec()),
        ("cut-end", gzip(&tarred[..700])),
        ("cut-end", gzip(&tarred[..tarred.len() - 1200])),
        ("cut-end", tar_gz[..tar_gz.len() / 2].to_vec()),
        ("cut-end", gzip(&object)[..500].to_vec()),
        ("cut-end", [&tarred[..tarred.len() - 1024], &tarred[..100]].concat()),
        ("encrypted-member", stored(|m| m.flags = 1)),
        (
            "nested-too-deep",
            (0..PACKAGE_DEPTH).fold(tar_gz.clone(), |inner, _| gzip(&tar(&[("x.tar.gz", &inner)]))),
        ),
    ];
    for (number, (id, bytes)) in cases.iter().enumerate() {
        let found = in_package(bytes);
        let damage = |seen: &&Seen| RULES.iter().any(|(_, rule)| rule.id == seen.id && rule.is_damage);
        let ids: BTreeSet<&str> = found.iter().filter(damage).map(|seen| seen.id.as_str()).collect();
        assert_eq!(ids.into_iter().collect::<Vec<_>>(), [*id], "case {number}");
    }
    // The zeros in it are a separate fault.
    assert!(in_package(&bomb()).iter().any(|seen| seen.id == "inflates-too-far"));
}

/// A code object followed by 64 MiB of zeros in 64 KB, twenty times.
fn bomb() -> Vec<u8> {
    let mut content = code_object();
    content.resize(64 << 20, 0);
    let inner = zip(&[member("a.co", content)]);
    let of = |_| Member { deflated: false, ..member("inner.zip", inner.clone()) };
    let mut members: Vec<Member<'_>> = (0..20).map(of).collect();
    const NAMES: [&str; 20] =
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"];
    members.iter_mut().zip(NAMES).for_each(|(member, name)| member.name = name);
    zip(&members)
}

/// What `choose` finds in a library beside its manifest, which counts one kernel more if it lies.
fn chosen_by_manifest(lies: bool) -> Vec<Seen> {
    let library = fixture("ggml/plain/libggml-hip.so");
    let question = ManifestQuestion::default();
    let mut manifest = question.ask(&Trees::at([&library])).unwrap();
    manifest.targets[0].kernels += u64::from(lies);
    let document = serde_json::to_vec(&manifest).unwrap();
    let bytes = fs::read(&library).unwrap();
    let tree = folder(&[("libggml-hip.so", &bytes), ("libggml-hip.so.rocm.json", &document)]);
    let card = Card::unnamed(TargetId::bare("gfx900"));
    let question = ChooseQuestion { card, system: None };
    let paths = ["libggml-hip.so", "libggml-hip.so.rocm.json"].map(|name| tree.path().join(name));
    question.ask(&Trees::at(paths)).unwrap().findings.iter().map(Seen::from).collect()
}

/// The same rules apply to packages that are read for an answer.
#[test]
fn what_is_read_for_an_answer_names_nesting_too() {
    let tree = folder(&[("package.zip", &nested(PACKAGE_DEPTH + 1))]);
    let wanted = |path: &str| path.ends_with(".co");
    let install = Install::open(&[tree.path().to_owned()], &wanted, &wanted);
    let ids: Vec<&str> = install.faults().iter().map(|fault| fault.rule.id).collect();
    assert_eq!(ids, ["nested-too-deep"]);
    let mut ids = Vec::new();
    let path = tree.path().join("package.zip");
    DeviceFile::open_each(&path, &mut |_| {}, &mut |fault| ids.push(fault.rule.id)).unwrap();
    assert_eq!(ids, ["nested-too-deep"]);
}
