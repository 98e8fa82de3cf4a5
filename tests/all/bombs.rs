//! Small files that expand to many names, nodes or tensors: memory stays in proportion, and omissions are
//! reported.
#![cfg(target_os = "linux")]

use crate::common::audited::look;
use crate::common::program::{PROGRAM, said};
use crate::common::project;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Runs the program with this many MiB of address space: 100 for itself, and what it may need. All its threads
/// allocate from one arena: another one takes 64 MiB of addresses for itself, whatever is in it, and how many
/// there are depends on which threads happen to allocate at the same time.
fn within(mebibytes: u64, words: &[&str]) -> Output {
    let limited = format!("ulimit -v {}; exec \"$0\" \"$@\"", mebibytes << 10);
    let mut command = Command::new("sh");
    command.args(["-c", &limited, PROGRAM, "-j", "2"]).args(words).current_dir(project()).env_clear();
    command.env("MALLOC_ARENA_MAX", "1");
    command.output().unwrap()
}

/// Asserts that a call's JSON reports an omission by this rule.
fn gives_up(rule: &str, words: &[&str]) {
    gives_up_within(700, rule, words);
}

fn gives_up_within(mebibytes: u64, rule: &str, words: &[&str]) {
    let output = within(mebibytes, &[words, &["-f", "json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = report["findings"].as_array().unwrap().iter().find(|found| found["id"] == rule);
    assert!(found.is_some(), "{}", report["findings"]);
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A table of a squashfs image: blocks of 8 KiB, and their offsets.
fn blocks(raw: &[u8]) -> (Vec<u8>, Vec<u32>) {
    let (mut out, mut starts) = (Vec::new(), Vec::new());
    for block in raw.chunks(8192) {
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        zlib.write_all(block).unwrap();
        let packed = zlib.finish().unwrap();
        starts.push(out.len() as u32);
        let stored = packed.len() >= block.len();
        let bytes = if stored { block } else { &packed };
        out.extend((bytes.len() as u16 | u16::from(stored) << 15).to_le_bytes());
        out.extend(bytes);
    }
    (out, starts)
}

/// A squashfs directory list: names, with the positions of their inodes in the first block.
fn list(names: &[(Vec<u8>, u16)]) -> Vec<u8> {
    let mut out = Vec::new();
    for run in names.chunks(256) {
        out.extend([run.len() as u32 - 1, 0, 1].map(u32::to_le_bytes).concat());
        for (name, inode) in run {
            out.extend([*inode, 0, 1, name.len() as u16 - 1].map(u16::to_le_bytes).concat());
            out.extend(name);
        }
    }
    out
}

/// An image of nested folders with long names; the last folder contains many names of the only file, which is
/// empty.
fn squashfs(folders: usize, long: usize, names: usize) -> Vec<u8> {
    let inode = |place: usize| (32 + 40 * place) as u16;
    let mut lists = vec![list(&vec![(b"x".to_vec(), 0); names])];
    lists.extend((0..folders).map(|place| list(&[(vec![b'a'; long], inode(place))])));
    let (table, starts) = blocks(&lists.concat());
    let mut inodes = [2_u16, 0o644, 0, 0].map(u16::to_le_bytes).concat();
    inodes.extend([0_u32, 1, 0, u32::MAX, 0, 0].map(u32::to_le_bytes).concat());
    let mut at = 0;
    for list in &lists {
        inodes.extend([8_u16, 0o755, 0, 0].map(u16::to_le_bytes).concat());
        inodes.extend([0, 2, 2, list.len() as u32 + 3, starts[at / 8192], 0].map(u32::to_le_bytes).concat());
        inodes.extend([0, (at % 8192) as u16].map(u16::to_le_bytes).concat());
        inodes.extend(u32::MAX.to_le_bytes());
        at += list.len();
    }
    let inodes = blocks(&inodes).0;
    let (folders_at, end) = (96 + inodes.len() as u64, (96 + inodes.len() + table.len()) as u64);
    let mut out = b"hsqs".to_vec();
    out.extend([folders as u32 + 2, 0, 1 << 17, 0].map(u32::to_le_bytes).concat());
    out.extend([1_u16, 17, 0, 1, 4, 0].map(u16::to_le_bytes).concat());
    let root = u64::from(inode(folders));
    let places = [root, end, end, u64::MAX, 96, folders_at, u64::MAX, u64::MAX];
    out.extend(places.map(u64::to_le_bytes).concat());
    [out, inodes, table, vec![0; 4096]].concat()
}

#[test]
fn names_of_a_squashfs_image_take_memory_in_proportion() {
    let folder = tempfile::tempdir().unwrap();
    let image = squashfs(4, 1000, 255_000);
    assert!(image.len() < 64 << 10);
    gives_up("too-many-parts", &[&written(folder.path(), "x.squashfs", &image)]);
    // A sound image is read: each name after the first is a further name of the same file.
    let sound = written(folder.path(), "y.squashfs", &squashfs(4, 100, 1000));
    let output = within(700, &[&sound]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
#[cfg(feature = "packages")]
fn packages_in_packages_take_memory_in_proportion() {
    use crate::common::packages::{member, zip};
    let wheel = std::fs::read("fixtures/containers/package/demo-1.0-py3-none-linux_x86_64.whl").unwrap();
    let names: Vec<String> = (0..30).map(|place| format!("p{place}")).collect();
    let thirty = |ending: &str, content: &[u8]| {
        let names: Vec<String> = names.iter().map(|name| format!("{name}.{ending}")).collect();
        zip(&names.iter().map(|name| member(name, content.to_vec())).collect::<Vec<_>>())
    };
    let bomb = thirty("zip", &thirty("zip", &thirty("whl", &wheel)));
    assert!(bomb.len() < 512 << 10);
    let folder = tempfile::tempdir().unwrap();
    gives_up_within(400, "too-many-parts", &[&written(folder.path(), "x.zip", &bomb)]);
    for name in ["a.zip", "b.zip"] {
        written(folder.path(), name, &bomb);
    }
    let most = peak(&["-j", "2", "-f", "json", folder.path().to_str().unwrap()]);
    assert!(most <= 256, "{most} MiB");
}

#[test]
#[cfg(feature = "packages")]
fn what_is_left_out_of_a_package_is_said_before_what_is_wrong_in_it() {
    use crate::common::packages::{Member, member, zip};
    let names: Vec<String> = (0..60_000).map(|place| format!("w/{place}.co")).collect();
    let broken = |name| Member { deflated: false, ..member(name, b"CCOB\x02\0\x01\0broken".to_vec()) };
    let package = zip(&names.iter().map(|name| broken(name)).collect::<Vec<_>>());
    let folder = tempfile::tempdir().unwrap();
    gives_up("too-many-parts", &[&written(folder.path(), "x.whl", &package)]);
}

#[test]
#[cfg(feature = "packages")]
fn long_names_of_members_take_memory_in_proportion() {
    use crate::common::packages::{member, zip};
    let bundle = std::fs::read("fixtures/containers/ccob/v3-zstd.co").unwrap();
    let names: Vec<String> = (0..2000).map(|place| format!("{}{place}.co", "n".repeat(1000))).collect();
    let content = bundle.repeat(64);
    let package = zip(&names.iter().map(|name| member(name, content.clone())).collect::<Vec<_>>());
    let folder = tempfile::tempdir().unwrap();
    gives_up("too-many-parts", &["fatbin", &written(folder.path(), "x.zip", &package)]);
}

/// A bundle with one empty entry.
fn empty_bundle(id: &str) -> Vec<u8> {
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend([1, 0, 0, id.len() as u64].map(u64::to_le_bytes).concat());
    [bytes, id.as_bytes().to_vec()].concat()
}

/// A bundle of so many empty entries, each with a name of its own, from this number on.
fn names_in_a_bundle(first: usize, count: usize) -> Vec<u8> {
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend((count as u64).to_le_bytes());
    for place in first..first + count {
        let id = format!("hip-amdgcn-amd-amdhsa--x{place:06}");
        bytes.extend([0, 0, id.len() as u64].map(u64::to_le_bytes).concat());
        bytes.extend(id.bytes());
    }
    bytes
}

#[test]
fn what_is_found_in_files_takes_memory_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let bundles: Vec<Vec<u8>> = (0..63).map(|place| names_in_a_bundle(4096 * place, 4096)).collect();
    for name in ["a", "b", "c", "d"] {
        written(folder.path(), &format!("{name}.hipfb"), &bundles.concat());
    }
    let findings = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let inventory = pool.install(|| look(folder.path()));
        inventory.findings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let all = findings(1);
    let given_up: Vec<&String> = all.iter().filter(|found| found.contains("takes more memory")).collect();
    // The first are read, whatever the threads.
    assert!(
        given_up.len() == 2 && given_up[0].contains("c.hipfb") && given_up[1].contains("d.hipfb"),
        "{all:?}"
    );
    assert_eq!(findings(3), all);
}

/// The most memory that a call takes, in MiB, as the system tells while it runs.
fn peak(words: &[&str]) -> u64 {
    let mut command = Command::new(PROGRAM);
    command.args(words).stdout(Stdio::null()).stderr(Stdio::null()).env_clear();
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        // Until the kernel has started the program, the child is this test program, whose peak is larger.
        let has_begun = text.lines().next().is_some_and(|name| name.ends_with("\trocm-audit"));
        let line = text.lines().filter(|_| has_begun).find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        most = kibibytes.unwrap_or(0).max(most);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(most > 0, "no peak was read");
    most >> 10
}

#[test]
fn files_that_are_read_at_the_same_time_take_the_memory_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let bundles: Vec<Vec<u8>> = (0..63).map(|place| names_in_a_bundle(4096 * place, 4096)).collect();
    let bundles = bundles.concat();
    for place in 0..8 {
        written(folder.path(), &format!("{place}.hipfb"), &bundles);
    }
    let most = peak(&["-j", "8", "-f", "json", folder.path().to_str().unwrap()]);
    // 256 MiB and the largest file.
    assert!(most <= 256 + (bundles.len() as u64 >> 20), "{most} MiB");
}

/// A text in MessagePack.
fn msgpack_text(text: &str) -> Vec<u8> {
    [&[0xda][..], &(text.len() as u16).to_be_bytes(), text.as_bytes()].concat()
}

/// A kpack archive of so many empty code objects, one for each target, of a binary of this name.
fn kpack(name: &str, targets: u32) -> Vec<u8> {
    let mut out = b"KPAK".to_vec();
    out.extend(1_u32.to_le_bytes());
    out.extend(16_u64.to_le_bytes());
    out.extend([&[0x84][..], &msgpack_text("compression_scheme"), &msgpack_text("none")].concat());
    out.extend([&msgpack_text("gfx_arches")[..], &[0x91], &msgpack_text("gfx906")].concat());
    let blob = [&msgpack_text("offset")[..], &[16], &msgpack_text("size"), &[0]].concat();
    out.extend([&msgpack_text("blobs")[..], &[0x91, 0x82], &blob].concat());
    out.extend([&msgpack_text("toc")[..], &[0x81], &msgpack_text(name), &[0xdf]].concat());
    out.extend(targets.to_be_bytes());
    for target in 0..targets {
        out.extend(
            [&msgpack_text(&format!("{target:x}"))[..], &[0x81], &msgpack_text("ordinal"), &[0]].concat(),
        );
    }
    out
}

#[test]
fn names_of_a_kpack_archive_take_memory_in_proportion() {
    let read = |targets| {
        let found = rocm_audit::container::kpack::open(&kpack(&format!("{}#0", "k".repeat(240)), targets));
        (found.bundles().len(), found.problems().iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    assert_eq!(read(60_000), (60_000, vec![]));
    let (bundles, problems) = read(70_000);
    assert!(bundles == 0 && problems.len() == 1 && problems[0].contains("the names in the kpack table"));
    let folder = tempfile::tempdir().unwrap();
    for place in 0..8 {
        let archive = kpack(&format!("{place}{}#0", "k".repeat(240)), 60_000);
        written(folder.path(), &format!("{place}.kpack"), &archive);
    }
    let most = peak(&["-j", "2", "-f", "json", folder.path().to_str().unwrap()]);
    assert!(most <= 256, "{most} MiB");
}

#[test]
#[cfg(feature = "engines")]
fn catalogs_that_are_converted_at_the_same_time_share_their_memory() {
    let folder = tempfile::tempdir().unwrap();
    let keys: Vec<String> = (0..1000).map(|key| format!("k{key}: 1")).collect();
    let aliases = "- *a\n".repeat(100_000);
    let catalog = format!("solutions:\n- &a {{{}}}\n{aliases}library: {{}}\n", keys.join(", "));
    for place in 0..4 {
        written(folder.path(), &format!("TensileLibrary_gfx906_{place}.yaml"), catalog.as_bytes());
    }
    let most = peak(&["-j", "8", "-f", "json", folder.path().to_str().unwrap()]);
    assert!(most <= 256, "{most} MiB");
}

/// An OffloadBinary of so many images, none of them there.
fn binary_without_images(count: u64) -> Vec<u8> {
    let mut bytes = b"\x10\xff\x10\xad".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend([48, 32, count, 0].map(u64::to_le_bytes).concat());
    bytes
}

#[test]
fn what_stands_behind_more_bundles_than_are_read_is_said_to_be_unread() {
    let object = std::fs::read("fixtures/rocm/lib/codeobject/v4_gfx906.hsaco").unwrap();
    let bundles = empty_bundle("host-x86_64-unknown-linux--").repeat(rocm_audit::limits::BUNDLES);
    let folder = tempfile::tempdir().unwrap();
    let read = |bytes: &[u8]| {
        let section = rocm_audit::container::find::bundles_in_section(
            bytes,
            0,
            &mut rocm_audit::budget::ObjectBudget::for_size(bytes.len()),
        );
        (section.bundles.len(), section.problems.iter().count())
    };
    // The maximum number, and one more.
    assert_eq!(read(&bundles), (rocm_audit::limits::BUNDLES, 0));
    assert_eq!(read(&[&bundles[..], &object].concat()), (rocm_audit::limits::BUNDLES, 1));
    let path = written(folder.path(), "x.hipfb", &[&bundles[..], &object].concat());
    gives_up("too-many-parts", &[&path]);
    // In searched data, a rejected magic is not just text.
    let images = binary_without_images(4096).repeat(rocm_audit::limits::ENTRIES_PER_FILE / 4096);
    let binary = std::fs::read("fixtures/containers/offload_binary/v1.out").unwrap();
    let searched = |bytes: &[u8]| {
        let mut budget = rocm_audit::budget::ObjectBudget::for_size(bytes.len());
        let (found, problems) = rocm_audit::container::find::search_magics(bytes, 0, &mut budget);
        (found.len(), problems.iter().count())
    };
    assert_eq!(searched(&[&images[..], &object].concat()), (1, 0));
    assert_eq!(searched(&[&images[..], &binary_without_images(1), &binary, &object].concat()).1, 1);
}

/// A message field: its number and bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length > 127 {
        out.push(length as u8 | 128);
        length >>= 7;
    }
    out.push(length as u8);
    [out, bytes.to_vec()].concat()
}

fn onnx(part: &[u8], count: usize) -> Vec<u8> {
    [b"\x08\x08".to_vec(), field(7, &part.repeat(count))].concat()
}

#[test]
#[cfg(feature = "engines")]
fn nodes_of_a_graph_take_memory_in_proportion() {
    let folder = tempfile::tempdir().unwrap();
    let product = [field(4, b"MatMul"), field(1, b"a"), field(1, b"b"), field(2, b"c")].concat();
    for (what, bytes) in [
        ("nodes", onnx(&field(1, b""), 5_000_000)),
        ("products", onnx(&field(1, &product), 1_000_000)),
        ("constants", onnx(&field(5, b""), 8_000_000)),
        ("names", onnx(&field(11, &field(1, b"x")), 4_000_000)),
    ] {
        let path = written(folder.path(), &format!("{what}.onnx"), &bytes);
        gives_up("too-many-parts", &["model", "--gpu", "gfx1100", &path]);
    }
}

/// A safetensors file with this header.
#[cfg(feature = "engines")]
fn safetensors(header: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header, &[0; 4]].concat()
}

#[test]
#[cfg(feature = "engines")]
fn headers_of_safetensors_take_memory_in_proportion() {
    let folder = tempfile::tempdir().unwrap();
    let tensor = |name: &str, shape: &str| {
        format!("\"{name}\":{{\"dtype\":\"F32\",\"shape\":[{shape}],\"data_offsets\":[0,4]}}")
    };
    let all = |count: usize, name: &dyn Fn(usize) -> String| {
        let tensors: Vec<String> = (0..count).map(|place| tensor(&name(place), "1")).collect();
        format!("{{{}}}", tensors.join(",")).into_bytes()
    };
    let shape = format!("{{{}}}", tensor("a", &vec!["1"; 5_000_000].join(",")));
    for (what, rule, header) in [
        ("tensors", "too-many-parts", all(263_000, &|place| place.to_string())),
        ("names", "too-many-parts", all(400, &|place| format!("{place}{}", "n".repeat(100_000)))),
        ("double", "duplicate-name", all(40_000, &|_| "a".to_owned())),
        ("shape", "malformed-bytes", shape.into_bytes()),
        ("brackets", "malformed-bytes", [b"{\"a\":".to_vec(), vec![b'['; 5_000_000]].concat()),
    ] {
        let path = written(folder.path(), &format!("{what}.safetensors"), &safetensors(&header));
        gives_up(rule, &["model", "--gpu", "gfx1100", &path]);
    }
}

#[test]
#[cfg(feature = "engines")]
fn tensors_of_a_model_take_memory_in_proportion() {
    let folder = tempfile::tempdir().unwrap();
    let count = 300_000_u64;
    let mut gguf = b"GGUF".to_vec();
    gguf.extend(3_u32.to_le_bytes());
    gguf.extend([count, 0].map(u64::to_le_bytes).concat());
    for place in 0..count {
        gguf.extend(6_u64.to_le_bytes());
        gguf.extend(format!("{place:06}").bytes());
        gguf.extend(1_u32.to_le_bytes());
        gguf.extend(32_u64.to_le_bytes());
        gguf.extend(0_u32.to_le_bytes());
        gguf.extend((place * 128).to_le_bytes());
    }
    let read = rocm_audit::engines::model::gguf::read(&gguf);
    assert_eq!(read.tensors.len(), rocm_audit::limits::MODEL_TENSORS);
    assert!(read.problems.iter().any(|problem| problem.what().contains("those behind are not looked at")));
    // An array of 4,096 small numbers takes 16 times as much memory as file space.
    let mut gguf = b"GGUF".to_vec();
    gguf.extend(3_u32.to_le_bytes());
    gguf.extend([0_u64, 4000].map(u64::to_le_bytes).concat());
    for place in 0..4000_u64 {
        gguf.extend(6_u64.to_le_bytes());
        gguf.extend(format!("{place:06}").bytes());
        gguf.extend([9_u32, 0].map(u32::to_le_bytes).concat());
        gguf.extend(4096_u64.to_le_bytes());
        gguf.extend([7; 4096]);
    }
    let path = written(folder.path(), "x.gguf", &gguf);
    gives_up("too-many-parts", &["model", "--gpu", "gfx1100", &path]);
    let most = peak(&["model", "--gpu", "gfx1100", &path]);
    assert!(most <= 256, "{most} MiB");
}

#[test]
#[cfg(feature = "engines")]
fn the_files_of_a_model_share_its_memory() {
    let folder = tempfile::tempdir().unwrap();
    // Each file takes 64 MB: arrays of 4,096 numbers of a byte, which are 16 times as large in memory.
    let mut gguf = b"GGUF".to_vec();
    gguf.extend(3_u32.to_le_bytes());
    gguf.extend([0_u64, 1000].map(u64::to_le_bytes).concat());
    for place in 0..1000_u64 {
        gguf.extend(6_u64.to_le_bytes());
        gguf.extend(format!("{place:06}").bytes());
        gguf.extend([9_u32, 0].map(u32::to_le_bytes).concat());
        gguf.extend(4096_u64.to_le_bytes());
        gguf.extend([7; 4096]);
    }
    let paths: Vec<String> =
        (1..=6).map(|part| written(folder.path(), &format!("x-{part:05}-of-00006.gguf"), &gguf)).collect();
    // The first is read whole, and so are all of them by themselves.
    gives_up("too-many-parts", &["model", "--gpu", "gfx1100", &paths[0]]);
    let one = written(folder.path(), "one.gguf", &gguf);
    let output = within(700, &["model", "--gpu", "gfx1100", &one, "-f", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!report["findings"].to_string().contains("too-many-parts"), "{}", report["findings"]);
}

/// A bundle whose zstd frame asks for a window of 128 MiB, with less memory than that: what it holds is not known, and
/// nothing says that its bytes are wrong.
#[test]
fn memory_that_the_machine_refuses_is_no_damage() {
    use zstd::stream::raw::CParameter::WindowLog;
    let code = std::fs::read(project().join("fixtures/rocm/lib/codeobject/v4_gfx906.hsaco")).unwrap();
    let plain = amdgpu_samples::bundle::offload_bundle(&[("hipv4-amdgcn-amd-amdhsa--gfx906", &code)], 4096);
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.set_parameter(WindowLog(27)).unwrap();
    encoder.write_all(&plain).unwrap();
    let frame = encoder.finish().unwrap();
    let mut bundle = b"CCOB\x02\0\x01\0".to_vec();
    bundle.extend([24 + frame.len(), plain.len()].map(|size| (size as u32).to_le_bytes()).concat());
    bundle.extend([0; 8]);
    bundle.extend(frame);
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "x.co", &bundle);
    let ids = |mebibytes| {
        let output = within(mebibytes, &["fatbin", "--list", &path, "-f", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap();
        findings.iter().map(|found| found["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(!ids(700).contains(&"unreadable-file".to_owned()));
    let refused = ids(140);
    assert!(refused.contains(&"unreadable-file".to_owned()), "{refused:?}");
    assert!(!refused.contains(&"malformed-bytes".to_owned()), "{refused:?}");
}
