//! The package of a library: the package that contains it, or the one named in the records of package
//! managers.

use crate::common::packages::{self, code_object, member, tar};
use crate::common::seen::folder;
use rocm_audit::scan::run::{Options, Silent, audit};
use std::collections::BTreeMap;
use std::path::Path;

/// The packages of the files found, by file name.
fn packages_of(root: &Path) -> BTreeMap<String, Option<String>> {
    let inventory = audit(&[root.to_path_buf()], &Options::default(), &Silent, None).unwrap();
    let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    inventory
        .artifacts
        .iter()
        .map(|one| (name(&one.shown), one.package.as_deref().map(str::to_owned)))
        .collect()
}

fn of(packages: &[(&str, Option<&str>)]) -> BTreeMap<String, Option<String>> {
    packages.iter().map(|(file, package)| ((*file).to_owned(), package.map(str::to_owned))).collect()
}

#[test]
fn installed_packages_say_which_files_they_have() {
    let code = code_object();
    let site = "usr/lib/python3/site-packages";
    let record =
        "torch/lib/a_gfx906.hsaco,sha256=x,3496\n\"torch/lib/b,_gfx906.hsaco\",,\n../../../bin/torchrun,,\n";
    let tree = folder(&[
        (&format!("{site}/torch/lib/a_gfx906.hsaco"), &code),
        (&format!("{site}/torch/lib/b,_gfx906.hsaco"), &code),
        (&format!("{site}/torch-2.9.0+rocm7.dist-info/RECORD"), record.as_bytes()),
        ("usr/lib/rocblas/c_gfx906.hsaco", &code),
        ("usr/lib/rocblas/d_gfx906.hsaco", &code),
        ("var/lib/dpkg/info/librocblas4:amd64.list", b"/.\n/usr\n/usr/lib/rocblas/c_gfx906.hsaco\n"),
        ("var/lib/dpkg/status", b"Package: other\nVersion: 1\n\nPackage: librocblas4\nStatus: install ok installed\nVersion: 6.4.0-2\n"),
        ("opt/conda/conda-meta/rocrand-7.0-0.json", br#"{"name":"rocrand","version":"7.0","files":["lib/e_gfx906.hsaco"]}"#),
        ("opt/conda/lib/e_gfx906.hsaco", &code),
    ]);
    let expected = of(&[
        ("a_gfx906.hsaco", Some("torch 2.9.0+rocm7")),
        ("b,_gfx906.hsaco", Some("torch 2.9.0+rocm7")),
        ("c_gfx906.hsaco", Some("librocblas4 6.4.0-2")),
        ("d_gfx906.hsaco", None),
        ("e_gfx906.hsaco", Some("rocrand 7.0")),
    ]);
    assert_eq!(packages_of(tree.path()), expected);
}

fn deb(control: &[u8]) -> Vec<u8> {
    packages::deb(control, &[("./usr/lib/x_gfx906.hsaco", &code_object())])
}

#[test]
fn packages_that_are_read_say_what_they_are() {
    let file = "x_gfx906.hsaco";
    let wheel = |folder: &'static str| {
        packages::zip(&[member("a/x_gfx906.hsaco", code_object()), member(folder, b"Name: rocm".to_vec())])
    };
    for (name, bytes, package) in [
        ("a.whl", wheel("rocm_sdk-7.2.0.dist-info/METADATA"), Some("rocm_sdk 7.2.0")),
        ("b.whl", wheel("rocm_sdk-7.2.0.dist-info/WHEEL"), None),
        (
            "c.deb",
            deb(b"Package: librocblas4\nArchitecture: amd64\nVersion: 6.4.0-2\n"),
            Some("librocblas4 6.4.0-2"),
        ),
        ("d.deb", deb(b"Package: librocblas4\n"), None),
        ("e.deb", deb(b"Package: lib\x1b[31m\nVersion: 1\n"), None),
    ] {
        let tree = folder(&[(name, &bytes)]);
        assert_eq!(packages_of(tree.path()), of(&[(file, package)]), "{name}");
    }
    // In a package of packages the inner one determines the identity.
    let outer = tar(&[("a.deb", &deb(b"Package: a\nVersion: 2\n")), ("b_gfx906.hsaco", &code_object())]);
    let tree = folder(&[("all.tar", &outer)]);
    assert_eq!(packages_of(tree.path()), of(&[(file, Some("a 2")), ("b_gfx906.hsaco", None)]));
}
