//! Symbols of host libraries: which library must provide them, and which are exported by none.

use crate::common::seen::in_files;
use crate::common::shared::{Library, Symbol, asked, exported, file};
use rocm_audit::container::linkage;

/// hipBLAS that requires one symbol, next to a rocBLAS that exports `rocblas_sgemm`.
fn is_unresolved(symbol: Symbol, needed: &'static [&'static str]) -> bool {
    let hipblas = Library { soname: "libhipblas.so.2", needed, symbols: vec![symbol], ..Library::default() };
    let rocblas = Library {
        soname: "librocblas.so.4",
        symbols: vec![exported("rocblas_sgemm", None)],
        ..Library::default()
    };
    let found = in_files(&[("libhipblas.so.2", &file(&hipblas)), ("librocblas.so.4", &file(&rocblas))]);
    found.iter().any(|seen| seen.id == "symbol-unresolved")
}

#[test]
fn the_beginning_of_a_name_says_whose_it_is() {
    let linked: &[&str] = &["librocblas.so.4"];
    assert!(is_unresolved(asked("rocblas_dgemm", None), linked));
    assert!(!is_unresolved(asked("rocblas_sgemm", None), linked), "it is exported");
    assert!(!is_unresolved(asked("rocblas_dgemm", None), &["libc.so.6"]), "it is not linked with rocBLAS");
    assert!(!is_unresolved(asked("strlen", None), linked), "of another library");
    let weak = Symbol { is_weak: true, ..asked("rocblas_dgemm", None) };
    assert!(!is_unresolved(weak, linked), "the loader skips it");
    // A version that the library here lacks, of a library with another name.
    let other = asked("rocblas_dgemm", Some(("ROCBLAS_5", "librocblas.so.5")));
    assert!(!is_unresolved(other, linked), "asked of a library that is not here");
}

#[test]
fn versions_of_symbols_are_read() {
    let library = Library {
        soname: "liba.so",
        symbols: vec![
            asked("a", Some(("V_1", "libx.so.1"))),
            asked("b", Some(("V_2", "liby.so.1"))),
            exported("c", Some("OWN_1")),
            exported("d", None),
        ],
        ..Library::default()
    };
    let bytes = file(&library);
    let text = |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let found: Vec<_> = linkage::read(&bytes)
        .unwrap()
        .symbols()
        .iter()
        .map(|one| {
            (text(Some(one.name())).unwrap(), text(one.version()), text(one.library()), one.is_defined())
        })
        .collect();
    let row = |name: &str, version: &str, library: &str, defined| {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        (name.to_owned(), some(version), some(library), defined)
    };
    let expected = [
        row("a", "V_1", "libx.so.1", false),
        row("b", "V_2", "liby.so.1", false),
        row("c", "OWN_1", "", true),
        row("d", "", "", true),
    ];
    assert_eq!(found, expected);
    // Damage to any byte causes neither panic nor hang.
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        let _ = linkage::read(&damaged);
        let _ = linkage::read(&bytes[..at]);
    }
}
