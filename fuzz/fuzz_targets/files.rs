//! One file with arbitrary bytes and a name that a scanner claims, audited and reported in every format:
//! version files, firmware, MIOpen's and rocFFT's databases, AOTriton's archives, catalogs, libraries,
//! packages. Text is inert, JSON is valid, and damage is never an answer.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::capability::Capability;
use rocm_audit::engines::ggml::{binary, family};
use rocm_audit::render::style::Style;
use rocm_audit::render::{self, Format};
use rocm_audit::scan::run::{Options, Silent, audit};
use rocm_audit::{answers, report};
use rocm_audit_fuzz::folder;
use std::path::PathBuf;

const NAMES: &[&str] = &[
    "opt/rocm/.info/version",
    "include/rocm_version.h",
    "torch/version.py",
    "amdgpu/gc_11_0_0_mes_2.bin",
    "miopen/db/gfx900_56.HIP.fdb.txt",
    "miopen/db/gfx900_56.db.txt",
    "miopen/db/gfx908.tn.model",
    "aotriton.images/amd-gfx90a/flash.aks2",
    "rocblas/library/TensileLibrary_lazy_gfx906.dat",
    "rocblas/library/TensileLibrary_Type_SS_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx906.co",
    "hipblaslt/library/hipblasltExtOpLibrary.dat",
    "lib/librocblas.so.4",
    "lib/libggml-hip.so",
    "lib/x.hsaco",
    "lib/x.a",
    "bin/x.dll",
    "x.kpack",
    "x.out",
];

/// A tree for each name, and the path of the file in it.
fn place(name: &str, number: usize) -> (PathBuf, PathBuf) {
    let root = folder().join(number.to_string());
    let path = root.join(name);
    let parent = path.parent().expect("a folder");
    if !parent.exists() {
        std::fs::create_dir_all(parent).expect("a folder is made");
    }
    (root, path)
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let Some((kind, content)) = bytes.split_first() else { return };
    let number = usize::from(kind & 0x3f) % NAMES.len();
    let name = NAMES[number];
    let (root, path) = place(name, number);
    std::fs::write(&path, content).expect("the file is written");
    let roots = [root];
    let options = Options { verify: kind & 0x80 != 0, instructions: kind & 0x40 != 0, ..Options::default() };
    let inventory = audit(&roots, &options, &Silent, None).expect("an inventory");
    if name == "lib/libggml-hip.so"
        && let Ok(library) = answers::open_ggml(&path)
    {
        let _ = binary::version_of(&library);
        let _ = family::table(&library, &|_| true);
    }
    // Each format gets only some inputs, because drawing takes most of the time.
    let Some(format) = [Format::Json, Format::Md, Format::Table].get(content.len() % 9).copied() else {
        std::fs::remove_file(&path).expect("the file is removed");
        return;
    };
    let capability = Capability::from_inventory(&inventory, &[]);
    let made = report::audit(&inventory, &capability);
    let style = Style { verbose: 2, ..Style::default() };
    let text = render::report(&made, format, &style).map(render::Drawing::into_text).unwrap_or_default();
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{format:?}");
    assert!(format != Format::Json || serde_json::from_str::<serde_json::Value>(&text).is_ok());
    std::fs::remove_file(&path).expect("the file is removed");
});
