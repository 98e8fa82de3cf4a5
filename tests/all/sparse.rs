//! Products with a sparse matrix, asked of hipSPARSELt's folder.

use super::common::fixture;
use super::common::program::{run, said};
use std::fs;
use std::path::Path;

/// Catalogs as hipSPARSELt has them: those of the fixtures, whose solutions are made for a sparse A.
fn catalogs(folder: &Path) {
    let folder = folder.join("lib/hipsparselt/library");
    fs::create_dir_all(&folder).unwrap();
    for entry in fs::read_dir(fixture("hipblaslt/library")).unwrap() {
        let path = entry.unwrap().path();
        let mut content = fs::read(&path).unwrap();
        let predicate = b"\xa6Sparse\xa5value";
        let places: Vec<usize> = memchr::memmem::find_iter(&content, predicate).collect();
        for place in places {
            content[place + predicate.len()] = 1;
        }
        fs::write(folder.join(path.file_name().unwrap()), content).unwrap();
    }
}

#[test]
fn a_product_with_a_sparse_matrix_is_asked_of_its_own_library() {
    let tree = tempfile::tempdir().unwrap();
    catalogs(tree.path());
    let ask = |more: &[&str]| {
        let path = tree.path().to_str().unwrap();
        let call =
            ["select", "matmul", "-m", "512", "-n", "512", "-k", "512", "--type", "f16", "--trans", "TN"];
        let output = run(&[&call[..], &["--arch", "gfx1151"], more, &[path]].concat());
        let answer = String::from_utf8_lossy(&output.stdout).into_owned() + &said(&output);
        (output.status.code(), answer)
    };
    let (status, answer) = ask(&["--sparse", "a"]);
    assert_eq!(status, Some(0), "{answer}");
    assert!(answer.contains("A sparse") && answer.contains("by the tables of tuned sizes"), "{answer}");
    assert!(answer.contains("no libhipsparselt.so was found"), "{answer}");
    // Its solutions are for a sparse A, and for no dense product.
    let (_, answer) = ask(&["--sparse", "b"]);
    assert!(answer.contains("status 10 (HIPSPARSE_STATUS_NOT_SUPPORTED)"), "{answer}");
    let (status, answer) = ask(&[]);
    assert!(status != Some(0) && answer.contains("no catalog of hipBLASLt was found"), "{answer}");
}
