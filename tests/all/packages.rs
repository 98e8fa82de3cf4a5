//! Broken, deceptive and malicious packages: each gives findings and an answer, and nothing is written.

use crate::common::fixture;
use crate::common::packages::{Member, code_object, deflate, gzip, member, tar, tar_header, zip};
use rocm_audit::input::device_file::DeviceFile;
use rocm_audit::inventory::Inventory;
use rocm_audit::scan::run::{Options, Silent, audit};
use std::io::Write;

fn look(bytes: &[u8]) -> Inventory {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("package");
    std::fs::write(&path, bytes).unwrap();
    let inventory = audit(&[path], &Options::default(), &Silent, None).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is written beside the package");
    inventory
}

/// Number of code objects found, and the errors.
fn found(bytes: &[u8]) -> (u64, String) {
    let inventory = look(bytes);
    let objects = inventory
        .artifacts
        .iter()
        .filter_map(|a| a.device.as_ref())
        .flat_map(|d| d.targets.values())
        .map(|t| t.objects)
        .sum();
    let problems: Vec<String> = inventory.findings.iter().map(ToString::to_string).collect();
    (objects, problems.join("\n"))
}

#[test]
fn sound_packages_have_nothing_to_tell() {
    let object = code_object();
    let stored = Member { deflated: false, ..member("b.co", object.clone()) };
    assert_eq!(found(&zip(&[member("a.co", object.clone()), stored])), (2, String::new()));
    assert_eq!(found(&tar(&[("a.co", &object), ("b", b"text")])), (1, String::new()));
    assert_eq!(found(&gzip(&tar(&[("a.co", &object)]))), (1, String::new()));
    assert_eq!(found(&gzip(&object)), (1, String::new()));
    assert_eq!(found(&gzip(b"text")), (0, String::new()));
    assert_eq!(found(&zip(&[])), (0, String::new()));
}

#[test]
fn wrong_checksums_and_sizes_are_told_and_the_content_is_still_read() {
    let object = code_object();
    for deflated in [true, false] {
        let wrong = Member { crc: Some(7), deflated, ..member("a.co", object.clone()) };
        let (objects, problems) = found(&zip(&[wrong]));
        assert_eq!(objects, 1);
        assert!(problems.contains("CRC-32") && problems.contains("a.co"), "{problems}");
        for size in [object.len() as u32 - 1, object.len() as u32 + 1] {
            let lying = Member { size: Some(size), deflated, ..member("a.co", object.clone()) };
            let (_, problems) = found(&zip(&[lying]));
            assert!(problems.contains("the directory says"), "{size}: {problems}");
        }
    }
    let mut broken = gzip(&object);
    let last = broken.len() - 6;
    broken[last] ^= 1;
    let (_, problems) = found(&broken);
    assert!(problems.contains("broken"), "{problems}");
}

#[test]
fn names_that_lead_out_and_names_that_come_twice_are_told() {
    let object = code_object();
    for name in ["../../evil.co", "/etc/evil.co", "a/../../evil.co", "a\\..\\..\\evil.co"] {
        let (objects, problems) = found(&zip(&[member(name, object.clone())]));
        assert_eq!(objects, 1);
        assert!(problems.contains("leads out"), "{name}: {problems}");
        let (objects, problems) = found(&tar(&[(name, &object)]));
        assert_eq!(objects, 1);
        assert!(problems.contains("leads out"), "{name}: {problems}");
    }
    let (objects, problems) = found(&zip(&[member("a.co", object.clone()), member("a.co", object.clone())]));
    assert_eq!(objects, 2);
    assert!(problems.contains("two members are named a.co"), "{problems}");
    let (objects, problems) = found(&tar(&[("a.co", &object), ("a.co", &object)]));
    assert_eq!(objects, 2);
    assert!(problems.contains("two members are named a.co"), "{problems}");
}

#[test]
fn a_thin_archive_names_no_file_outside_of_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(folder.path().join("out.co"), code_object()).unwrap();
    std::fs::write(inner.join("in.co"), code_object()).unwrap();
    let out = folder.path().join("out.co");
    let names = format!("in.co/\n../out.co/\n{}/\n", out.display());
    let header = |name: &str, size: usize| format!("{name:<16}{:<32}{size:<10}`\n", 0);
    let mut thin = format!("!<thin>\n{}{names}", header("//", names.len()));
    thin.extend((names.len() % 2 == 1).then_some('\n'));
    ["/0", "/7", "/18"].iter().for_each(|name| thin += &header(name, 1));
    let path = inner.join("lib.a");
    std::fs::write(&path, thin).unwrap();
    let (mut read, mut problems) = (Vec::new(), Vec::new());
    let mut each = |open: DeviceFile| read.push(open.file.locator().shown());
    DeviceFile::open_each(&path, &mut each, &mut |problem| problems.push(problem.to_string())).unwrap();
    assert!(read.len() == 1 && read[0].ends_with("in.co"), "{read:?}");
    let told = problems.iter().filter(|what| what.contains("lies outside of the folder of its thin archive"));
    assert_eq!(told.count(), 2, "{problems:?}");
}

#[test]
fn members_that_cannot_be_read_are_told() {
    let encrypted = Member { flags: 1, ..member("a.co", code_object()) };
    assert!(found(&zip(&[encrypted])).1.contains("encrypted"));
    let mut other = zip(&[member("a.co", code_object())]);
    let directory = other.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    other[directory + 10] = 99;
    assert!(found(&other).1.contains("another method"));
    other[8] = 99;
    assert!(found(&other).1.contains("method 99"));
    let whole = zip(&[member("a.co", code_object())]);
    for end in [whole.len() - 1, whole.len() / 2, 100, 4] {
        assert!(!found(&whole[..end]).1.is_empty(), "cut off at {end}");
    }
    let whole = tar(&[("a.co", &code_object())]);
    for end in [1000, 600, 300] {
        assert!(!found(&whole[..end]).1.is_empty(), "cut off at {end}");
    }
    let packed = gzip(&tar(&[("a.co", &code_object())]));
    for end in [packed.len() - 4, packed.len() / 2] {
        assert!(!found(&packed[..end]).1.is_empty(), "cut off at {end}");
    }
    let sparse = [tar_header("sparse.co", 512, b'S'), vec![1; 512], vec![0; 1024]].concat();
    assert!(found(&sparse).1.contains("sparse"));
    let long = [tar_header("x", u64::from(u32::MAX), b'L'), vec![b'x'; 1024]].concat();
    assert!(found(&long).1.contains("extended tar header"));
}

#[test]
fn databases_in_packages_are_read() {
    let folder = fixture("rocm/share/miopen/db");
    let kdb = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let kdb = kdb.into_iter().find(|p| p.extension().is_some_and(|e| e == "kdb")).unwrap();
    let name = kdb.file_name().unwrap().to_string_lossy().into_owned();
    let alone = audit(std::slice::from_ref(&kdb), &Options::default(), &Silent, None).unwrap();
    let objects = |inventory: &Inventory| -> u64 {
        let device = inventory.artifacts.iter().filter_map(|a| a.device.as_ref());
        device.flat_map(|d| d.targets.values()).map(|t| t.objects).sum()
    };
    assert!(objects(&alone) > 0);
    let mut bytes = std::fs::read(&kdb).unwrap();
    let small = gzip(&tar(&[(&name, &bytes)]));
    // A large one is unpacked to a separate file: SQLite ignores bytes after its pages.
    bytes.resize(5 << 20, 0);
    let large = gzip(&tar(&[(&name, &bytes)]));
    for packed in [small, large] {
        let inside = look(&packed);
        assert_eq!(inside.findings, alone.findings);
        assert_eq!(objects(&inside), objects(&alone));
    }
}

#[test]
fn headers_that_hide_members_are_told() {
    let object = code_object();
    let rest = tar(&[("a.co", &object)]);
    // Sizes that would overflow, in base 256 and in a pax record.
    let mut wide = tar_header("wide", 0, b'0');
    wide[124..136].copy_from_slice(&[0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    fix_checksum(&mut wide);
    let record = b"29 size=18446744073709551615\n";
    let mut pax = tar_header("pax", record.len() as u64, b'x');
    pax.extend(record);
    pax.resize(1024, 0);
    for head in [wide, pax] {
        let bytes = [head, rest.clone()].concat();
        for bytes in [bytes.clone(), gzip(&bytes)] {
            assert!(!found(&bytes).1.is_empty());
        }
    }
    // Folders and hard links have no content, whatever their headers say: the following member is not theirs.
    for kind in [b'1', b'2', b'5', b'6'] {
        let bytes = [tar_header("x/", object.len() as u64, kind), rest.clone()].concat();
        for bytes in [bytes.clone(), gzip(&bytes)] {
            let (objects, problems) = found(&bytes);
            assert_eq!(objects, 1, "{problems}");
            assert!(problems.contains("no content"), "{problems}");
        }
    }
    let behind = [rest.clone(), rest.clone()].concat();
    assert!(found(&behind).1.contains("behind the end"));
    assert!(found(&gzip(&behind)).1.contains("behind the end"));
    assert!(found(&rest[..rest.len() - 1024]).1.contains("cut off"));
    // A mode that says folder does not make a file one.
    let mut zip = zip(&[member("a.co", object)]);
    let directory = zip.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    zip[directory + 5] = 3;
    zip[directory + 41] = 0o40;
    assert_eq!(found(&zip), (1, String::new()));
}

fn fix_checksum(block: &mut [u8]) {
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|&b| u32::from(b)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
}

#[test]
fn what_follows_a_stream_is_read_or_told() {
    let xz = |bytes: &[u8]| {
        let mut out = liblzma::write::XzEncoder::new(Vec::new(), 1);
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    let whole = tar(&[("a.co", &code_object()), ("b.co", &code_object())]);
    let middle = whole.len() / 2;
    let parts = [xz(&whole[..middle]), vec![0; 8], xz(&whole[middle..]), vec![0; 4]].concat();
    assert_eq!(found(&parts), (2, String::new()));
    let garbage = [xz(&whole), b"garbage".to_vec()].concat();
    assert!(found(&garbage).1.contains("behind"), "{}", found(&garbage).1);
    let mut deb = std::fs::read(fixture("containers/package/demo.deb")).unwrap();
    assert_eq!(found(&deb).1, "");
    let magics: Vec<usize> =
        deb.windows(5).enumerate().filter(|(_, w)| *w == b"7zXZ\0").map(|(at, _)| at).collect();
    deb[*magics.last().unwrap()] ^= 1;
    assert!(found(&deb).1.contains("data.tar"), "{}", found(&deb).1);
    assert_eq!(found(b"BZh is how this text begins"), (0, String::new()));
}

#[test]
fn overlapping_members_are_read_once() {
    let mut bytes = zip(&[member("a.co", code_object()), member("b.co", code_object())]);
    // The second entry of the directory points at the first member.
    let second = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    bytes[second + 42..second + 46].fill(0);
    let (objects, problems) = found(&bytes);
    assert_eq!(objects, 1);
    assert!(problems.contains("overlaps"), "{problems}");
}

#[test]
fn nesting_ends_at_a_depth_and_says_so() {
    let mut bytes = zip(&[member("a.co", code_object())]);
    for depth in 1..=rocm_audit::limits::PACKAGE_DEPTH {
        let (objects, problems) = found(&bytes);
        assert_eq!((objects, &*problems), (1, ""), "depth {depth}");
        bytes = zip(&[member("inner.zip", bytes)]);
    }
    let (objects, problems) = found(&bytes);
    assert_eq!(objects, 0);
    assert!(problems.contains("one in the other"), "{problems}");
}

#[test]
fn bombs_end_before_they_fill_anything() {
    // 64 MiB of a code object's magic and zeros in 64 KB, twenty times, in one package.
    let mut bomb = code_object();
    bomb.resize(64 << 20, 0);
    let packed = deflate(&bomb);
    assert!(packed.len() < 100 << 10);
    let inner = zip(&[member("a.co", bomb)]);
    let many: Vec<Member<'_>> =
        (0..20).map(|_| Member { deflated: false, ..member("inner.zip", inner.clone()) }).collect();
    let (_, problems) = found(&zip(&many));
    assert!(problems.contains("more than is believed"), "{problems}");
}

#[test]
fn a_kpack_whose_table_points_outside_is_told() {
    let good = std::fs::read(fixture("containers/kpack/.kpack/demo_gfx906.kpack")).unwrap();
    assert_eq!(found(&good).1, "");
    let mut far = good.clone();
    far[8..16].fill(0xff);
    assert!(found(&far).1.contains("table is said to begin"));
    // The offset of the first blob, a MessagePack integer after its key in the table.
    let key = good.windows(7).rposition(|w| w == b"\xa6offset").unwrap();
    let mut outside = good[..key + 7].to_vec();
    outside.extend(b"\xce\x7f\xff\xff\xff");
    outside.extend(&good[key + 8..]);
    assert!(found(&outside).1.contains("beyond the end"), "{}", found(&outside).1);
    for end in 0..good.len() {
        let _ = found_quietly(&good[..end]);
    }
}

/// Like [`found`], but without writing a file each time.
fn found_quietly(bytes: &[u8]) -> usize {
    rocm_audit::container::kpack::open(bytes).bundles().len()
}
