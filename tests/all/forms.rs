//! Every format of packages and containers: supported ones are read completely, as other programs unpack
//! them; unsupported ones are named and make a report incomplete. `fixtures/forms.sh` makes each with the
//! usual program.
#![cfg(feature = "packages")]

use crate::common::audited::{damage, forms, found, look, objects};
use crate::common::packages::{code_object, gzip, image, tar, tar_header};
use rocm_audit::capability::Capability;
use rocm_audit::capability::verdict::Answer;
use rocm_audit::finding::Finding;
use rocm_audit::format::{FORMATS, Format, Support};
use rocm_audit::inventory::Inventory;
use rocm_audit::report;
use rocm_audit::scan::run::{Options, Silent, audit};
use rocm_audit::target::TargetId;
use std::path::{Path, PathBuf};

/// The paths of all code objects, as reports show them.
fn paths(inventory: &Inventory) -> Vec<String> {
    let with = inventory.artifacts.iter().filter(|artifact| artifact.device.is_some());
    with.map(|artifact| artifact.relative.clone()).collect()
}

/// Number of files, and of code objects among them: two objects and a text, plus what a format adds.
const READ: &[(&str, u64, u64)] = &[
    ("newc.cpio", 3, 2),
    ("crc.cpio", 3, 2),
    ("odc.cpio", 3, 2),
    // Includes the file of the early archive.
    ("initrd.img", 4, 2),
    ("w9.gzdio.rpm", 3, 2),
    ("w9.zstdio.rpm", 3, 2),
    ("w6.xzdio.rpm", 3, 2),
    ("w9.bzdio.rpm", 3, 2),
    ("w6.lzdio.rpm", 3, 2),
    ("lzma2.7z", 3, 2),
    ("lzma.7z", 3, 2),
    ("bzip2.7z", 3, 2),
    ("deflate.7z", 3, 2),
    ("copy.7z", 3, 2),
    ("bcj.7z", 3, 2),
    ("bcj2.7z", 3, 2),
    ("delta.7z", 3, 2),
    // zip stores the link as a separate file.
    ("deflate64.zip", 3, 2),
    ("lzma.zip", 3, 2),
    ("gzip.sqfs", 3, 2),
    ("xz.sqfs", 3, 2),
    ("zstd.sqfs", 3, 2),
    ("lz4.sqfs", 3, 2),
    ("lzma.sqfs", 3, 2),
    ("x.sif", 3, 2),
    ("x.nar", 3, 2),
    ("x.tar.lz4", 3, 2),
    ("legacy.tar.lz4", 3, 2),
    ("x.tar.lzma", 3, 2),
    ("x.tar.lz", 3, 2),
    // A program with two code objects, followed by an archive.
    ("x.AppImage", 4, 4),
    ("llamafile", 4, 4),
    ("py-installer", 4, 4),
    ("application.pyz", 4, 2),
    ("model.mxr", 1, 1),
];

#[test]
fn every_form_that_is_read_has_the_same_files_in_it() {
    for (name, files, code) in READ {
        let inventory = look(&forms().join(name));
        assert_eq!(damage(&inventory), [""; 0], "{name}");
        assert_eq!((inventory.files.count, objects(&inventory)), (*files, *code), "{name}");
    }
    let searched = look(&forms().join("model.mxr"));
    assert!(searched.findings.iter().any(|finding| finding.rule.id == "found-by-search"));
}

/// `umoci unpack` and `sha256sum` determine the content of the running image: `image.sha256`.
#[test]
fn layers_of_an_image_are_laid_over_each_other_as_umoci_does_it() {
    let listed = std::fs::read_to_string(forms().join("image.sha256")).unwrap();
    let names = listed.lines().map(|line| line.split_once("./").unwrap().1);
    let mut expected: Vec<String> =
        names.filter(|name| name.ends_with(".hsaco")).map(str::to_owned).collect();
    expected.sort();
    assert_eq!(expected, ["opt/rocm/lib/one.hsaco", "venv/one.hsaco"]);
    // The layout's folder, unchanged, in a tar.
    let folder = tempfile::tempdir().unwrap();
    let mut nested = Vec::new();
    let mut waiting = vec![forms().join("layout")];
    while let Some(path) = waiting.pop() {
        let name = format!("layout/{}", path.strip_prefix(forms().join("layout")).unwrap().display());
        if path.is_dir() {
            nested.extend(tar_header(&format!("{}/", name.trim_end_matches('/')), 0, b'5'));
            waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            nested.extend(tar_header(&name, bytes.len() as u64, b'0'));
            nested.extend(&bytes);
            nested.resize(nested.len().next_multiple_of(512), 0);
        }
    }
    nested.extend([0; 1024]);
    let in_folder = folder.path().join("in-folder.tar");
    std::fs::write(&in_folder, nested).unwrap();
    for form in
        ["docker.tar", "docker.tar.gz", "oci.tar", "layout", "image-directory", in_folder.to_str().unwrap()]
    {
        let inventory = look(&forms().join(form));
        assert_eq!(damage(&inventory), [""; 0], "{form}");
        let mut found = paths(&inventory);
        found.sort();
        assert_eq!(found, expected, "{form}");
        assert_eq!(inventory.files.count, listed.lines().count() as u64, "{form}");
        let layers = &inventory.packages[0].layers;
        assert_eq!(layers.len(), 3, "{form}");
        // The first layer's files: the second layer replaces one, the third deletes one.
        let sums = [layers[0].files, layers[0].replaced, layers[0].deleted].map(|sum| sum.files);
        assert_eq!(sums, [3, 1, 1], "{form}");
        assert_eq!(layers[0].deleted.bytes, 4056, "{form}: the size of v5_gfx1030.hsaco");
        let owner = |path: &str| {
            let artifact = inventory.artifacts.iter().find(|artifact| artifact.relative == path).unwrap();
            artifact.owner.as_deref().unwrap_or_default().to_owned()
        };
        assert!(owner("venv/one.hsaco").starts_with("layer 2 ("), "{form}: {}", owner("venv/one.hsaco"));
        assert!(owner("venv/one.hsaco").ends_with(": pip install sample"), "{form}");
    }
}

/// With `--verify`, a layer with one changed byte that affects nothing that is read: in a text, or in the
/// time field of gzip's header (RFC 1952, section 2.3).
#[test]
fn digests_of_layers_are_compared_where_that_is_asked() {
    let looked = |path: &Path, verify: bool| {
        let options = Options { verify, ..Options::default() };
        let inventory = audit(&[path.to_path_buf()], &options, &Silent, None).unwrap();
        let wrong = inventory.findings.iter().filter(|finding| finding.is_damage());
        wrong.map(|finding| finding.rule.id).collect::<Vec<&str>>()
    };
    for form in ["docker.tar", "docker.tar.gz", "oci.tar", "layout", "image-directory"] {
        assert_eq!(looked(&forms().join(form), true), [""; 0], "{form}");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut docker = std::fs::read(forms().join("docker.tar")).unwrap();
    let text = b"opt/rocm/lib/text\0";
    let header = docker.windows(text.len()).position(|word| word == text).unwrap();
    docker[header + 512] ^= 1;
    let path = folder.path().join("docker.tar");
    std::fs::write(&path, &docker).unwrap();
    assert_eq!(looked(&path, false), [""; 0]);
    assert_eq!(looked(&path, true), ["wrong-hash"]);

    let mut oci = std::fs::read(forms().join("oci.tar")).unwrap();
    let gzip = oci.windows(3).position(|word| word == [0x1f, 0x8b, 8]).unwrap();
    oci[gzip + 4] ^= 1;
    let path = folder.path().join("oci.tar");
    std::fs::write(&path, &oci).unwrap();
    assert_eq!(looked(&path, false), [""; 0]);
    assert_eq!(looked(&path, true), ["wrong-hash"]);
}

/// The first bytes of a recognised but unsupported format; complete if a header contains more.
fn sample(format: Format) -> Vec<u8> {
    let at = |offset: usize, magic: &[u8]| {
        let mut bytes = vec![0; offset];
        bytes.extend(magic);
        bytes.resize(bytes.len() + 4096, 0);
        bytes
    };
    let fixture = |name: &str| std::fs::read(forms().join(name)).unwrap();
    let program = || std::fs::read(crate::common::fixture("ggml/plain/libggml-hip.so")).unwrap();
    match format {
        Format::CoreDump => {
            let mut object = code_object();
            object[16] = 4;
            object
        }
        Format::Installer => {
            [program(), b"\0\0\0\0\xef\xbe\xad\xdeNullsoftInst".to_vec(), vec![1; 600]].concat()
        }
        Format::PackedProgram => {
            let mut bytes = program();
            bytes[0xec..0xf0].copy_from_slice(b"UPX!");
            bytes
        }
        Format::SplitZip => at(0, b"PK\x07\x08PK\x03\x04"),
        Format::SelfExtracting => b"#!/bin/sh\n# This script was generated using Makeself 2.4\n".to_vec(),
        Format::Rar => at(0, b"Rar!\x1a\x07\x01\0"),
        Format::Arj => at(0, b"\x60\xea\x2c\0\x22\x0b\x01\x0b\x10\0\x02"),
        Format::Cabinet => at(0, b"MSCF\0\0\0\0"),
        Format::InstallShield => at(0, b"ISc("),
        Format::Wim => fixture("x.wim"),
        Format::Xar => at(0, b"xar!\0\x1c\0\x01"),
        Format::BigEndianSquashfs => at(0, b"sqsh"),
        Format::BinaryCpio => fixture("bin.cpio"),
        Format::OstreeFile => {
            let numbers = [40u32, 0, 0, 5000, 0, 0, 0o100_644, 0, 0, 0, 0];
            numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
        }
        Format::Flatpak => at(0, b"flatpak\0\x01\0\x89\xe5"),
        Format::Lzop => at(0, b"\x89LZO\0\r\n\x1a\n"),
        Format::Lrzip => at(0, b"LRZI\0\x06"),
        Format::Compress => at(0, b"\x1f\x9d\x90"),
        Format::Snappy => at(0, b"\xff\x06\0\0sNaPpY"),
        Format::Encrypted => at(0, b"Salted__12345678"),
        Format::CompoundFile => at(0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        Format::Iso => fixture("x.iso"),
        Format::Erofs => at(1024, b"\xe2\xe1\xf5\xe0"),
        Format::FileSystem => at(65_600, b"_BHRfS_M"),
        Format::DiskImage => at(0, b"QFI\xfb\0\0\0\x03"),
        other => panic!("{other:?} is recognised and not opened: give the test a sample of it"),
    }
}

#[test]
fn what_is_recognised_and_not_opened_is_never_complete() {
    let folder = tempfile::tempdir().unwrap();
    for row in FORMATS.iter().filter(|row| row.support == Support::NotYet) {
        let path = folder.path().join("file");
        std::fs::write(&path, sample(row.format)).unwrap();
        must_be_incomplete(&path, row.name);
        // Also in a package, where only wanted members are unpacked.
        let bytes = tar(&[("inner", &sample(row.format))]);
        std::fs::write(&path, crate::common::packages::gzip(&bytes)).unwrap();
        must_be_incomplete(&path, row.name);
    }
}

fn must_be_incomplete(path: &Path, name: &str) {
    let inventory = look(path);
    let told: Vec<&Finding> =
        inventory.findings.iter().filter(|found| found.rule.id == "container-not-opened").collect();
    assert_eq!(told.len(), 1, "{name}: {:?}", damage(&inventory));
    assert!(told[0].to_string().contains(name), "{name}: {}", told[0]);
    assert!(!report::audit(&inventory, &Capability::from_inventory(&inventory, &[])).complete, "{name}");
}

/// Encrypted content, several volumes, or an unsupported compression.
#[test]
fn what_cannot_be_read_of_a_form_that_is_read_is_named() {
    for (name, rule) in [
        ("encrypted.7z", "encrypted-member"),
        ("encrypted-names.7z", "encrypted-member"),
        ("ppmd.7z", "unknown-method"),
        ("lzo.sqfs", "unknown-method"),
        ("volumes.7z.001", "cut-end"),
    ] {
        let inventory = look(&forms().join(name));
        assert!(
            inventory.findings.iter().any(|found| found.rule.id == rule),
            "{name}: {:?}",
            damage(&inventory)
        );
    }
}

/// Truncated anywhere and modified at many places, no format makes it fail, and no truncation counts as
/// complete.
#[test]
fn forms_that_are_cut_or_changed_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    // Content that is found by searching has no format that could be incomplete.
    for (name, files, _) in READ.iter().filter(|(name, ..)| *name != "model.mxr") {
        let whole = std::fs::read(forms().join(name)).unwrap();
        for tenth in 1..10 {
            std::fs::write(&path, &whole[..whole.len() * tenth / 10]).unwrap();
            let inventory = look(&path);
            // Zeros pad the end of images and archives, so truncating them loses nothing.
            let all = inventory.files.count == *files;
            assert!(all || !damage(&inventory).is_empty(), "{name}, {tenth} tenths: {:?}", inventory.files);
        }
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..40 {
            let mut bytes = whole.clone();
            for _ in 0..4 {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // In some formats the archive comes after a program.
                let from = if whole.len() > 70_000 { 77_000 } else { 0 };
                let place = from + (random >> 33) as usize % (whole.len() - from);
                bytes[place] ^= (random >> 24) as u8 | 1;
            }
            std::fs::write(&path, bytes).unwrap();
            // A thread that panics is reported as failed.
            let told = damage(&look(&path)).join("; ");
            assert!(!told.contains("reading the package failed"), "{name}: {told}");
        }
    }
}

/// 41 files of 64 MiB that share their blocks, in 16 KB; and consecutive archives of zeros.
#[test]
fn bombs_of_every_form_end_before_they_fill_anything() {
    let inventory = look(&forms().join("bomb.sqfs"));
    let told = damage(&inventory).join("; ");
    assert!(told.contains("more than is believed"), "{told}");
    assert!(inventory.files.count < 41, "{:?}", inventory.files);
    let mut large = code_object();
    large.resize(64 << 20, 0);
    let archive = cpio(&(0..20).map(|_| ("a.co", 0o100_644, large.as_slice())).collect::<Vec<_>>());
    let (_, told) = found(&gzip(&archive));
    assert!(told.contains("more than is believed"), "{told}");
    let (_, told) = found(&image(&[gzip(&tar(&[("a.co", &large), ("b.co", &large), ("c.co", &large)]))]));
    assert!(told.contains("more than is believed"), "{told}");
}

/// A folder in a squashfs image that contains itself: the entry of `deep` has the position of the root's
/// inode.
#[test]
fn a_folder_of_an_image_that_is_in_itself_is_told() {
    let sound = std::fs::read(forms().join("plain.sqfs")).unwrap();
    let (code, told) = found(&sound);
    assert_eq!((code, told.as_str()), (2, ""));
    // Superblock: the root's inode is at 32, its block in the upper bytes. A directory entry has its inode's
    // position eight bytes before the name (squashfs 4.0, `squashfs_fs.h`).
    let root = [sound[32], sound[33]];
    let entry = sound.windows(4).position(|name| name == b"deep").unwrap() - 8;
    let mut looped = sound.clone();
    looped[entry..entry + 2].copy_from_slice(&root);
    let (code, told) = found(&looped);
    assert!(code <= 64 && !told.is_empty(), "{code} {told}");
}

/// Members of a bzip2 stream that is broken in the first of them: reading further made the decoder continue
/// after its error, which ended the process. A fuzzer found both.
#[test]
fn nothing_is_read_behind_an_error_of_a_stream() {
    let length = [
        (212, 49),
        (867, 122),
        (1007, 24),
        (1008, 241),
        (1009, 203),
        (1010, 80),
        (1012, 5),
        (1013, 85),
        (1014, 18),
        (1688, 255),
        (1689, 255),
        (1839, 72),
        (2212, 50),
    ];
    let mapping = [(1565, 0), (1566, 0), (1567, 0)];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.7z");
    for changes in [&length[..], &mapping] {
        let mut bytes = std::fs::read(forms().join("bzip2.7z")).unwrap();
        changes.iter().for_each(|(at, byte)| bytes[*at] = *byte);
        std::fs::write(&path, &bytes).unwrap();
        let told = damage(&look(&path)).join("; ");
        assert!(told.contains("bzip2") && !told.contains("reading the package failed"), "{told}");
    }
}

fn cpio(members: &[(&str, u32, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, mode, content) in members.iter().chain([&("TRAILER!!!", 0, &b""[..])]) {
        let numbers = [1, *mode, 0, 0, 1, 0, content.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        out.extend(b"070701");
        numbers.iter().for_each(|number| out.extend(format!("{number:08x}").bytes()));
        out.extend(name.bytes());
        out.push(0);
        out.resize(out.len().next_multiple_of(4), 0);
        out.extend(*content);
        out.resize(out.len().next_multiple_of(4), 0);
    }
    out
}

#[test]
fn paths_that_lead_out_and_names_that_come_twice_are_told_in_every_form() {
    let object = code_object();
    let out = cpio(&[("../../evil.co", 0o100_644, &object), ("/etc/evil.co", 0o100_644, &object)]);
    let (code, told) = found(&out);
    assert!(code == 2 && told.matches("leads out").count() == 2, "{told}");
    let (_, told) = found(&cpio(&[("a.co", 0o100_644, &object), ("a.co", 0o100_644, &object)]));
    assert!(told.contains("two members are named a.co"), "{told}");
}

#[test]
fn headers_that_lie_are_told() {
    let object = code_object();
    let sound = cpio(&[("a.co", 0o100_644, &object)]);
    assert_eq!(found(&sound), (1, String::new()));
    // A size beyond the end, an empty name, a name of four billion bytes.
    for (at, field, what) in [(54, "ffffffff", "ends"), (94, "00000000", "name"), (94, "ffffffff", "name")] {
        let mut bytes = sound.clone();
        bytes[at..at + 8].copy_from_slice(field.as_bytes());
        let (_, told) = found(&bytes);
        assert!(told.contains(what), "{at} {field}: {told}");
    }
    let (code, told) = found(&sound[..sound.len() - 124]);
    assert!(code == 1 && told.contains("without a trailer"), "{told}");
    let (code, told) = found(&[sound.clone(), vec![0; 512], b"garbage behind".to_vec()].concat());
    assert!(code == 1 && told.contains("neither another nor a compressed one"), "{told}");
}

/// A host library's wheel without its code, alone and together with the wheel that has it.
#[test]
fn wheels_that_are_named_together_are_one_install() {
    let folder = tempfile::tempdir().unwrap();
    let read =
        |name: &str| std::fs::read(crate::common::fixture(&format!("containers/kpack/{name}"))).unwrap();
    let wheel = |name: &str, members: &[(&'static str, Vec<u8>)]| {
        let members: Vec<_> = members
            .iter()
            .map(|(path, bytes)| crate::common::packages::member(path, bytes.clone()))
            .collect();
        let path = folder.path().join(name);
        std::fs::write(&path, crate::common::packages::zip(&members)).unwrap();
        path
    };
    let host = wheel("demo-1-py3-none-any.whl", &[("demo/lib/libdemo.so", read("lib/libdemo.so"))]);
    let device = ("demo/.kpack/demo_gfx906.kpack", read(".kpack/demo_gfx906.kpack"));
    let device = wheel("demo_device_gfx906-1-py3-none-any.whl", &[device]);
    let missing = |roots: &[PathBuf]| {
        let inventory = audit(roots, &Options::default(), &Silent, None).unwrap();
        inventory.findings.iter().filter(|found| found.rule.id == "kpack-archive-missing").count()
    };
    assert_eq!(missing(std::slice::from_ref(&host)), 1);
    assert_eq!(missing(&[host.clone(), device.clone()]), 0);
    assert_eq!(missing(std::slice::from_ref(&device)), 0);
    // Without it the library is present, and the reason why it does not run is stated.
    let target = TargetId::parse("gfx906").unwrap();
    let verdict = |roots: &[PathBuf]| {
        let inventory = audit(roots, &Options::default(), &Silent, None).unwrap();
        let capability = Capability::from_inventory(&inventory, std::slice::from_ref(&target));
        let [verdict] = &capability.verdicts[..] else { panic!("one target was asked for") };
        let reasons: Vec<_> = verdict.libraries.iter().map(|library| library.reason.as_str()).collect();
        (verdict.answer, reasons.join("; "))
    };
    let (answer, why) = verdict(std::slice::from_ref(&host));
    assert!(answer == Answer::Not && why.contains("../.kpack/demo_gfx906.kpack"), "{why}");
    // An archive with another name is not opened.
    let stray = ("demo/.kpack/gfx906.kpack", read(".kpack/demo_gfx906.kpack"));
    let stray = wheel("demo_device_stray-1-py3-none-any.whl", &[stray]);
    let (answer, why) = verdict(&[host.clone(), stray.clone()]);
    assert!(
        answer == Answer::Not && why.contains("demo/.kpack/gfx906.kpack, where it does not look"),
        "{why}"
    );
    assert_eq!(verdict(std::slice::from_ref(&stray)).0, Answer::Limits, "no library here looks elsewhere");
    // Nor is one named for another target.
    let wrong = ("demo/.kpack/demo_gfx908.kpack", read(".kpack/demo_gfx906.kpack"));
    let wrong = wheel("demo_device_wrong-1-py3-none-any.whl", &[wrong]);
    let (answer, why) = verdict(&[host.clone(), wrong]);
    assert!(answer == Answer::Not && why.contains("where it does not look"), "{why}");
    // Two wheels of device code form one library with its host, not two copies.
    let other = ("demo/.kpack/demo_gfx1100.kpack", read(".kpack/demo_gfx1100.kpack"));
    let other = wheel("demo_device_gfx1100-1-py3-none-any.whl", &[other]);
    for target in ["gfx906", "gfx1100"] {
        let target = TargetId::parse(target).unwrap();
        let inventory =
            audit(&[host.clone(), device.clone(), other.clone()], &Options::default(), &Silent, None)
                .unwrap();
        let capability = Capability::from_inventory(&inventory, std::slice::from_ref(&target));
        let answers: Vec<_> =
            capability.verdicts.iter().flat_map(|verdict| &verdict.libraries).map(|one| one.answer).collect();
        assert_eq!(answers, [Answer::Runs], "{target}");
    }
}
