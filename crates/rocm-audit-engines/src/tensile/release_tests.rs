//! What rocBLAS decides by its release and by the device.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use super::call::{GemmCall, Transpose};
use super::library::{INTERNAL_ERROR, Library, SUCCESS};
use super::tests::{catalog, gemm, packed, single, solution};
use serde_json::{Value, json};

#[test]
fn rows_ask_whether_a_device_shares_its_memory() {
    // Source: the rows of gfx942 in rocBLAS 5.2: 80 CUs and no APU, no APU, any gfx942.
    let device = |parts: Value| json!({ "type": "AMDGPU", "value": { "type": "And", "value": parts } });
    let is = |apu: u8| json!({ "type": "IsAPU", "value": apu });
    let processor = json!({ "type": "Processor", "value": "gfx942" });
    let rows = [
        (device(json!([processor, { "type": "CUCount", "value": 80 }, is(0)])), single(1)),
        (device(json!([processor, is(0)])), single(2)),
        (device(json!([processor])), single(3)),
    ];
    let rows: Vec<Value> = rows.iter().map(|(p, l)| json!({ "predicate": p, "library": l })).collect();
    let of = |index| solution(index, json!([]));
    let library = json!({ "type": "Hardware", "rows": rows });
    let folder = tempfile::tempdir().unwrap();
    let bytes = packed(&catalog(vec![of(1), of(2), of(3)], library));
    std::fs::write(folder.path().join("TensileLibrary_lazy_gfx942.dat"), bytes).unwrap();
    let library = Library::open(folder.path(), "gfx942").unwrap();
    let chosen = |multiprocessors, apu| {
        let call = GemmCall { multiprocessors, apu, ..gemm(8, 8, 8) };
        library.choose(&call, None).unwrap().found.map(|found| found.solution.index)
    };
    assert_eq!(chosen(80, None), Some(1));
    assert_eq!(chosen(304, None), Some(2));
    // An MI300A has 228 compute units.
    assert_eq!(chosen(228, None), Some(3));
    assert_eq!([chosen(228, Some(false)), chosen(80, Some(true))], [Some(2), Some(3)]);
}

#[test]
fn one_matrix_has_one_leading_dimension() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = packed(&catalog(vec![solution(1, json!([]))], single(1)));
    std::fs::write(folder.path().join("TensileLibrary_lazy_gfx90a.dat"), bytes).unwrap();
    let library = Library::open(folder.path(), "gfx90a").unwrap();
    let two = GemmCall { api: "gemm_ex".to_owned(), ld: [8, 8, 8, 16], c_eq_d: true, ..gemm(8, 8, 8) };
    let status = |call: &GemmCall| library.select(call, None).unwrap().status;
    assert_eq!(status(&two), super::library::INVALID_SIZE);
    // Before anything else, also where nothing is to be written.
    assert_eq!(status(&GemmCall { m: 0, ..two.clone() }), super::library::INVALID_SIZE);
    assert_eq!(status(&GemmCall { c_eq_d: false, ..two.clone() }), INTERNAL_ERROR);
    assert_eq!(status(&GemmCall { api: "gemm".to_owned(), ..two }), INTERNAL_ERROR);
}

#[test]
fn the_library_above_a_folder_says_whether_a_column_is_a_vector() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("rocblas/library");
    std::fs::create_dir_all(&folder).unwrap();
    let bytes = packed(&catalog(vec![solution(1, json!([]))], single(1)));
    std::fs::write(folder.join("TensileLibrary_lazy_gfx90a.dat"), bytes).unwrap();
    let call = GemmCall {
        api: "gemm_ex".to_owned(),
        tb: Transpose::T,
        c_eq_d: true,
        ty: "DD".to_owned(),
        ..gemm(8, 1, 8)
    };
    let call = GemmCall { ld: [8, 1, 8, 8], ..call };
    let asked = || {
        let library = Library::open(folder.as_path(), "gfx90a").unwrap();
        let answer = library.select(&call, None).unwrap();
        (answer.gemv, answer.solution.is_some(), answer.status)
    };
    assert!(!asked().0);
    std::fs::write(root.path().join("librocblas.so.4.4"), b"").unwrap();
    assert!(!asked().0);
    std::fs::write(root.path().join("librocblas.so.5.2.70204"), b"").unwrap();
    assert_eq!(asked(), (true, false, SUCCESS));
}

#[test]
fn releases_number_and_ask_differently() {
    use super::answer::public_index;
    use super::backend::asks_hipblaslt_first;
    use super::version::Version;
    let (old, new) = (Some(Version::new(4, 4)), Some(Version::new(5, 2)));
    // Source: rocblas_gemm_ex_get_solutions of both.
    assert_eq!((public_index(606_615_980, old), public_index(606_615_980, None)), (606_615_981, 606_615_981));
    assert_eq!(public_index(606_615_980, new), -606_615_991);
    let half = GemmCall { ty: "HHS".to_owned(), ..gemm(8, 8, 8) };
    assert!(asks_hipblaslt_first("gfx1201", &half, old) && asks_hipblaslt_first("gfx1201", &half, new));
    assert!(!asks_hipblaslt_first("gfx950", &half, old) && asks_hipblaslt_first("gfx950", &half, new));
    assert!(!asks_hipblaslt_first("gfx950", &gemm(8, 8, 8), new));
    let env = Some("ROCBLAS_USE_HIPBLASLT_BATCHED=0".to_owned());
    let batch = GemmCall { batch: 2, env, ..half };
    assert!(asks_hipblaslt_first("gfx1201", &batch, old) && !asks_hipblaslt_first("gfx1201", &batch, new));
}
