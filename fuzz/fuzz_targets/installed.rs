//! Files of an install other than its libraries, with arbitrary bytes: package managers' lists, Triton's
//! metadata, and libraries that need each other. Each input is one such file; the other files of the tree are
//! sound.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::capability::Capability;
use rocm_audit::report;
use rocm_audit::scan::run::{Options, Silent, audit};
use rocm_audit_fuzz::{fixtures, folder};
use std::path::PathBuf;
use std::sync::OnceLock;

#[path = "../../tests/all/common/shared.rs"]
mod shared;

/// A name in Triton's form: base 32 of a SHA-256.
const HASH: &str = "ALWJN3HO5UWIOU2SDA7IGFOR64EPPWWD6LETSAY3KYTRPQQCZLYA";

/// The name of the input's file, chosen by its first byte; with the highest bit set, the input says what to
/// change in a library.
const NAMES: &[&str] = &[
    "site-packages/torch-2.9.0+rocm7.dist-info/RECORD",
    "var/lib/dpkg/info/librocblas4:amd64.list",
    "var/lib/dpkg/status",
    "conda-meta/rocrand-7.0-0.json",
    "cache/HASH/add_kernel.json",
    "cache/HASH/add_kernel.hsaco",
    "lib/libmiddle.so.1",
    "bin/middle.dll",
];

/// A library with symbols and versions that requires two others of the tree.
fn library(soname: &'static str, needed: &'static [&'static str]) -> Vec<u8> {
    let symbols = vec![
        shared::asked("hipLaunchKernel", Some(("hip_4.2", "libamdhip64.so.6"))),
        shared::asked("hipGetLastError", None),
        shared::exported("rocblas_sgemm", Some("ROCBLAS_4")),
    ];
    shared::file(&shared::Library {
        soname,
        needed,
        runpath: "$ORIGIN/../lib",
        symbols,
        ..Default::default()
    })
}

/// A library with replaced bytes: each change is a position in two bytes, and a byte.
fn changed(mut library: Vec<u8>, changes: &[u8]) -> Vec<u8> {
    for change in changes.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % library.len();
        library[place] = change[2];
    }
    library
}

/// A tree in which all files are sound.
fn tree() -> &'static PathBuf {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| {
        let tree = folder().join("installed");
        for (name, from) in [
            ("lib/libplain.so", "containers/decoy/plain.so"),
            ("bin/kernels.dll", "containers/pe/kernels.dll"),
            ("cache/HASH/add_kernel.json", "triton/HASH/add_kernel.json"),
            ("cache/HASH/add_kernel.hsaco", "triton/HASH/add_kernel.hsaco"),
        ] {
            let to = tree.join(name.replace("HASH", HASH));
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder is made");
            std::fs::copy(fixtures().join(from.replace("HASH", HASH)), to).expect("a fixture is copied");
        }
        let last = library("liblast.so.2", &["libmiddle.so.1", "libplain.so", "libc.so.6"]);
        std::fs::write(tree.join("lib/liblast.so.2"), last).expect("a library is written");
        tree
    })
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let Some((kind, content)) = bytes.split_first() else { return };
    let path = tree().join(NAMES[usize::from(*kind) % NAMES.len()].replace("HASH", HASH));
    let sound = std::fs::read(&path).ok();
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
    let middle = || library("libmiddle.so.1", &["liblast.so.2", "libamdhip64.so.6"]);
    let changed = (kind & 0x80 != 0).then(|| changed(middle(), content));
    std::fs::write(&path, changed.as_deref().unwrap_or(content)).expect("the file is written");

    let inventory = audit(&[tree().clone()], &Options::default(), &Silent, None).expect("an inventory");
    let whole = report::audit(&inventory, &Capability::from_inventory(&inventory, &[]));
    let needs = report::needs(&inventory);
    for text in [serde_json::to_string(&whole), serde_json::to_string(&needs)] {
        assert!(text.is_ok_and(|text| serde_json::from_str::<serde_json::Value>(&text).is_ok()));
    }

    match sound {
        Some(sound) => std::fs::write(&path, sound).expect("the file is as it was"),
        None => std::fs::remove_file(&path).expect("the file is removed"),
    }
});
