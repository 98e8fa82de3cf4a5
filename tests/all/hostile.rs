//! Malicious input and failing surroundings, as users of the command meet them.

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

/// The audit of a file with these bytes, and the status.
fn audited(name: &str, bytes: &[u8]) -> (serde_json::Value, i32) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let output = run(&["-f", "json", text(&path)]);
    let report = serde_json::from_slice(&output.stdout);
    (
        report.unwrap_or_else(|error| panic!("{name}: {error}: {}", said(&output))),
        output.status.code().unwrap(),
    )
}

/// Whether an audit of a file with these bytes reports something unreadable.
fn is_said(name: &str, bytes: &[u8]) -> bool {
    let (report, status) = audited(name, bytes);
    let complete = report["complete"].as_bool().unwrap();
    assert_eq!(status, i32::from(!complete), "{name}: {report:#}");
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

/// Each of these was lost without a word in a campaign of `cargo oracle torture`.
#[test]
fn what_damage_leaves_readable_is_said_too() {
    let newc = find("newc.cpio");
    assert!(!is_said("x.cpio", &newc));
    // Noise from inside a member's name into its content: the name promises nothing now.
    let name = memchr::memmem::find(&newc, b"lib/one.hsaco\0").unwrap();
    let noise: Vec<u8> = (0..64u32).map(|at| (at.wrapping_mul(197) >> 1) as u8 | 1).collect();
    let broken = with(&newc, name + 6, &noise);
    assert!(is_said("x.cpio", &broken));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &broken).unwrap();
    assert!(is_said("x.cpio.gz", &packed.finish().unwrap()));

    // Zeros in a catalog are numbers, and keys: what is left is MessagePack, but nothing leads to a solution.
    let catalog = b"\x82\xa9solutions\x91\x82\xa5index\x07\xa4name\xa1x\xa7library\x82\xa4type\xa8Matching\xa5table\x91\x01";
    let lost = zeroed(catalog, 20..catalog.len());
    assert!(is_said("TensileLibrary_Type_SS_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx1200.dat", &lost));

    // The header of an OffloadBinary is zeros, and its code object stands where zeros align it by chance.
    let object = fixture("lib/codeobject/v5_gfx90a_heavy.hsaco");
    let entry = find("v1.out");
    assert!(entry.starts_with(b"\x10\xff\x10\xad") && !is_said("x.out", &entry));
    let zeros = vec![0; entry.len().next_multiple_of(4096) - entry.len()];
    assert!(is_said("x.out", &[&entry[..], &zeros[..], &object[..]].concat()));
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

/// A zip file of stored members with these names, modes and contents; its directory lists the first `listed`.
fn zip_of(members: &[(&str, u32, &[u8])], listed: usize) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (place, (name, mode, content)) in members.iter().enumerate() {
        let mut crc = crc32fast::Hasher::new();
        crc.update(content);
        let mut common = [20_u16, 0, 0, 0, 0].map(u16::to_le_bytes).concat();
        common.extend(
            [crc.finalize(), content.len() as u32, content.len() as u32].map(u32::to_le_bytes).concat(),
        );
        common.extend([name.len() as u16, 0].map(u16::to_le_bytes).concat());
        if place < listed {
            directory.extend(b"PK\x01\x02\x14\x03");
            directory.extend(&common);
            directory.extend([0; 6]);
            directory.extend((mode << 16).to_le_bytes());
            directory.extend((out.len() as u32).to_le_bytes());
            directory.extend(name.as_bytes());
        }
        out.extend(b"PK\x03\x04");
        out.extend(common);
        out.extend(name.as_bytes());
        out.extend(*content);
    }
    let at = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([listed as u16; 2].map(u16::to_le_bytes).concat());
    out.extend([directory.len() as u32, at].map(u32::to_le_bytes).concat());
    out.extend([0; 2]);
    out
}

#[test]
#[cfg(feature = "packages")]
fn each_byte_of_a_zip_file_has_an_owner() {
    const FILE: u32 = 0o100_644;
    const LINK: u32 = 0o120_777;
    let object = fixture("lib/codeobject/v4_gfx906.hsaco");
    let small = find("v3-zstd.co");
    let sound = zip_of(&[("a.txt", FILE, b"text"), ("b.co", FILE, &object)], 2);
    assert!(!is_said("x.zip", &sound));
    let hidden = zip_of(&[("a.txt", FILE, b"text"), ("b.co", FILE, &object)], 1);
    assert!(is_said("x.zip", &hidden), "a member that the directory leaves out");
    let first = zip_of(&[("a.co", FILE, &object)], 1);
    assert!(is_said("x.zip", &[first, zip_of(&[("b.txt", FILE, b"text")], 1)].concat()), "a zip file before");
    assert!(is_said("x.zip", &zip_of(&[("k.co/", FILE, &small)], 1)), "a folder with content");
    assert!(!is_said("x.zip", &zip_of(&[("k/", FILE, b""), ("l", LINK, b"k.txt")], 2)));
    // The end-of-directory record of a zip file, alone and behind a program, that names no members or fewer.
    let program = find("llamafile");
    assert!(!is_said("x", &program));
    let archive = memchr::memmem::find(&program, b"PK\x03\x04").unwrap();
    assert!(is_said("x", &zeroed(&program, archive..program.len())), "zeros for an archive");
    assert!(!is_said("x", &[&program[..archive], &vec![0; 4096 - archive % 4096]].concat()), "alignment");
    // The first section header is of no section, whatever its size.
    let sections = u64::from_le_bytes(program[40..48].try_into().unwrap()) as usize;
    let huge = with(&program, sections + 32, &[0xff; 8]);
    assert_eq!(audited("x", &huge).0["artifacts"], audited("x", &program).0["artifacts"]);
    for (name, bytes) in [("x.zip", &sound), ("x", &program)] {
        let end = bytes.len() - 22;
        assert!(is_said(name, &with(bytes, end + 8, &[0; 8])), "{name}: no members");
        let last = memchr::memmem::rfind(bytes, b"PK\x01\x02").unwrap();
        let fewer = [[1, 0, 1, 0], (end as u32 - last as u32).to_le_bytes()].concat();
        assert!(is_said(name, &with(bytes, end + 8, &fewer)), "{name}: the last one");
    }
    // A member marked as a link that is none is read as a file.
    let tiny = b"CCOB\x02\0\x01\0broken".as_slice();
    assert!(is_said("x.zip", &zip_of(&[("k.co", LINK, tiny)], 1)), "a link that is none");
}

#[test]
fn containers_in_archives_of_objects_are_named() {
    use crate::common::packages::{ar, gzip, tar};
    let object = fixture("lib/codeobject/v4_gfx906.hsaco");
    let packed = gzip(&tar(&[("a.hsaco", &object)]));
    let wheel = std::fs::read("fixtures/containers/package/demo-1.0-py3-none-linux_x86_64.whl").unwrap();
    for (name, member) in [("in.a", ar(&[("a.o", &object)])), ("x.tar.gz", packed), ("x.whl", wheel)] {
        assert!(is_said("x.a", &ar(&[(name, &member)])), "{name}");
    }
    assert!(!is_said("x.a", &ar(&[("a.o", &object), ("note.txt", b"a line\n")])));
}

#[test]
fn files_whose_names_promise_code_and_that_have_lost_it_are_said() {
    let object = fixture("lib/codeobject/v4_gfx906.hsaco");
    let head = b"\x81\xabcode_object\xc6\0\0\x0a\0";
    let model = [&head[..], &object].concat();
    assert!(!is_said("x.mxr", &model));
    let mut broken = model.clone();
    broken[head.len() + 32..head.len() + 56].fill(0x55);
    assert!(is_said("x.mxr", &broken), "MIGraphX");
    let model = std::fs::read("fixtures/forms/model.mxr").unwrap();
    assert!(!is_said("x.mxr", &model) && !is_said("x.mxr", b"{\"version\": 7}\n"));
    for lost in [&[][..], &model[..10], &model[1..10], &[0; 4075], &zeroed(&model, 0..512)] {
        assert!(is_said("x.mxr", lost), "{} bytes", lost.len());
    }
    assert!(
        is_said("x.sif", b"#!/usr/bin/env \x1b]52;c\0\0F_MAGIC\x00001")
            && !is_said("x.sif", b"Header\n  CHECK\n")
            && is_said("x.sif", b"#!/u")
            && is_said("x.sif", b"#!/usr/bin/env run-singularity\n")
    );
    assert!(is_said("x.nar", b"\x0d\0\0\0\0\0\0\0nix-arch\x03\0\0\x00001\0\0\0"));
    // Not LZMA: the second half of its header belongs to another file.
    let mut lzma = b"\x5d\0\0\x80\0".to_vec();
    lzma.extend(b"\xff\xff\xff\xff\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\0".repeat(8));
    assert!(is_said("x.tar.lzma", &lzma));
}

/// `bytes` with `part` at `at`.
fn with(bytes: &[u8], at: usize, part: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + part.len()].copy_from_slice(part);
    bytes
}

#[test]
fn device_code_that_damage_has_left_without_a_place_is_said() {
    let data = find("data.so");
    let object = (0..data.len()).rfind(|at| data[*at..].starts_with(b"\x7fELF\x02\x01\x01\x40")).unwrap();
    // A code object in data with unreadable sections.
    let sections = u64::from_le_bytes(data[object + 40..object + 48].try_into().unwrap()) as usize;
    let moved = data[object + sections..object + sections + 128].to_vec();
    let broken = with(&with(&data, object + sections, &[0; 64]), object + sections + 64, &moved[..64]);
    assert!(!is_said("data.so", &data) && is_said("data.so", &broken));
    let library = find("kernels.dll");
    let header = u32::from_le_bytes(library[60..64].try_into().unwrap()) as usize;
    assert!(!is_said("kernels.dll", &library));
    assert!(is_said("kernels.dll", &with(&library, header + 6, &[0; 2])), "no sections");
    assert!(is_said("kernels.dll", &zeroed(&library, 4..library.len())), "no header of DOS either");
    let first =
        header + 24 + usize::from(u16::from_le_bytes(library[header + 20..header + 22].try_into().unwrap()));
    for address in [0xffff_1000_u32, 0x10] {
        assert!(is_said("kernels.dll", &with(&library, first + 12, &address.to_le_bytes())), "{address:x}");
    }
    let archive = find("units.a");
    let name = memchr::memmem::find(&archive, b"__CLANG_OFFLOAD_BUNDLE__").unwrap();
    assert!(!is_said("units.a", &archive) && is_said("units.a", &with(&archive, name + 3, b"%s%n")));
}

/// The name of each section of an ELF file at `start` of `bytes`, with the place of its header's first field,
/// which is where its name begins.
fn section_names(bytes: &[u8], start: usize) -> Vec<(String, usize)> {
    let number = |at: usize, width: usize| {
        (0..width).rev().fold(0, |all, byte| all << 8 | usize::from(bytes[start + at + byte]))
    };
    let (table, count, names) = (number(40, 8), number(60, 2), number(62, 2));
    let texts = number(table + 64 * names + 24, 8);
    let name = |at: usize| {
        let text = &bytes[start + texts + number(at, 4)..];
        String::from_utf8_lossy(text.split(|byte| *byte == 0).next().unwrap()).into_owned()
    };
    (0..count).map(|n| table + 64 * n).map(|at| (name(at), start + at)).collect()
}

#[test]
fn entries_whose_sections_have_lost_their_names_are_said() {
    let archive = find("units.a");
    let start = memchr::memmem::find(&archive, b"\x7fELF").unwrap();
    let sections = section_names(&archive, start);
    let entries: Vec<_> = sections.iter().filter(|(name, _)| name.starts_with("__CLANG_OFFLOAD")).collect();
    assert_eq!(entries.len(), 3, "{sections:?}");
    for (name, at) in entries {
        // None, the ends of others, and all of another.
        for other in 0..=2 {
            let index = u32::from_le_bytes(archive[*at..at + 4].try_into().unwrap());
            let index = if other == 2 { index + name.len() as u32 - 4 } else { other };
            assert!(is_said("units.a", &with(&archive, *at, &index.to_le_bytes())), "{name}: {other}");
        }
    }
}

#[test]
fn entries_of_a_bundle_that_have_lost_their_size_are_said() {
    let objects = [("gfx906", "v4_gfx906"), ("gfx90a", "v5_gfx90a_heavy")]
        .map(|(target, name)| (target, fixture(&format!("lib/codeobject/{name}.hsaco"))));
    let entries = objects.each_ref().map(|(target, object)| (*target, object.as_slice()));
    for align in [1, 8, 4096] {
        let bundle = amdgpu_samples::bundle::offload_bundle(&entries, align);
        assert!(!is_said("x.hipfb", &bundle), "{align}");
        // Of the first entry: its size stands behind magic, number of entries and its place.
        for size in [0_u64, 64, 3000] {
            assert!(is_said("x.hipfb", &with(&bundle, 40, &size.to_le_bytes())), "{align}: {size}");
        }
    }
}

#[test]
fn microcode_that_begins_as_lzma_does_is_none() {
    // Bytes like at the beginning of BONAIRE_sdma.bin and R600_me.bin: a property byte, a possible dictionary
    // size, a zero.
    for dictionary in [1_u32 << 16, 1 << 31] {
        let mut bytes = vec![0x5d];
        bytes.extend(dictionary.to_le_bytes());
        bytes.extend(0x1234_u64.to_le_bytes());
        bytes.push(0);
        bytes.extend((0..4096_u32).flat_map(|n| n.wrapping_mul(0x9e37_79b9).to_le_bytes()));
        assert!(!is_said("R600_me.bin", &bytes), "{dictionary}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn links_that_lead_out_of_the_tree_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (tree, outside) = (folder.path().join("tree"), folder.path().join("outside"));
    std::fs::create_dir_all(tree.join("in")).unwrap();
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("a.hsaco"), fixture("lib/codeobject/v4_gfx906.hsaco")).unwrap();
    std::fs::write(tree.join("in/b.hsaco"), fixture("lib/codeobject/v4_gfx906.hsaco")).unwrap();
    std::os::unix::fs::symlink(&outside, tree.join("out")).unwrap();
    std::os::unix::fs::symlink("/proc", tree.join("p")).unwrap();
    std::os::unix::fs::symlink("in", tree.join("there")).unwrap();
    let output = run(&["-f", "json", "--follow-links", text(&tree)]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(report["totals"]["targets"]["code_objects"], 1);
    let found =
        report["findings"].as_array().unwrap().iter().find(|found| found["id"] == "link-not-followed");
    assert_eq!(found.unwrap()["count"], 2, "{report}");
}

#[test]
#[cfg(target_os = "linux")]
fn files_of_holes_are_not_read_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.co");
    let mut header = b"CCOB\x03\0\x01\0".to_vec();
    header.extend([20_u64 << 30, 1 << 40].map(u64::to_le_bytes).concat());
    std::fs::write(&path, header).unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_len(20 << 30).unwrap();
    let begun = std::time::Instant::now();
    let output = run(&["-f", "json", text(folder.path())]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("holes") && begun.elapsed().as_secs() < 20);
}

#[test]
fn extracting_nothing_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let into = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let empty = folder.path().join("x.bin");
    std::fs::write(&empty, b"nothing of it").unwrap();
    let output = run(&["fatbin", "-e", &into("a"), text(&empty)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("nothing was extracted"), "{}", said(&output));
    let object = "fixtures/rocm/lib/codeobject/v4_gfx906.hsaco";
    let output = run(&["fatbin", "-e", &into("b"), "-f", "sarif", object]);
    assert_eq!(output.status.code(), Some(2));
    assert!(run(&["fatbin", "-e", &into("c"), object]).status.success());
}

#[test]
fn lists_and_extractions_say_what_the_report_says() {
    let folder = tempfile::tempdir().unwrap();
    let object = fixture("lib/codeobject/v4_gfx906.hsaco");
    let packed = fixture("lib/ccob/v3-zlib.hsaco");
    // The hash is in the last eight bytes of the header, which has 32.
    let hash = with(&packed, 24, &[!packed[24]]);
    let note = object.windows(7).position(|bytes| bytes == b"amdhsa.").unwrap();
    for (name, bytes, headers_show_it) in [
        ("zeros.hsaco", vec![0; 4096], true),
        ("head.hsaco", zeroed(&object, 0..16), true),
        ("empty.co", Vec::new(), true),
        ("volume.7z.002", vec![1; 64], true),
        ("hash.hsaco", hash, false),
        ("metadata.hsaco", with(&object, note, b"\xc1"), false),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let status = |words: &[&str]| {
            let output = run(&[words, &[text(&path)]].concat());
            let named =
                said(&output).contains(name) || String::from_utf8_lossy(&output.stdout).contains(name);
            assert!(output.status.code() == Some(0) || named, "{}", said(&output));
            output.status.code()
        };
        assert_eq!(status(&["fatbin", "-f", "json"]), Some(1), "{name}");
        let extracted = folder.path().join(format!("of {name}"));
        assert_eq!(status(&["fatbin", "-e", text(&extracted)]), Some(1), "{name}");
        // A list reads nothing but headers.
        assert_eq!(status(&["fatbin", "--list"]), Some(i32::from(headers_show_it)), "{name}");
        let list = run(&["fatbin", "--list", "-f", "json", text(&path)]);
        let list: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
        assert_eq!(list["complete"], !headers_show_it, "{name}");
    }
}
