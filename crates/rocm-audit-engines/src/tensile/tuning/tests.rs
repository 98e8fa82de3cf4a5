//! Files row by row against the libraries of the fixtures. Which rows rocBLAS takes was seen with its library
//! of 5.2.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use super::{CheckedTuning, Libraries, TuningFormat, check, hipblaslt};
use crate::tensile::{library, lite};
use std::path::Path;
use std::sync::Arc;

/// NT 512 cubed of f32, for which the fixture's own choice is solution 603979879.
const ROW: &str = "N,T,512,512,1,512,1,0,512,512,512,f32_r,f32_r,f32_r,603979880";

fn libraries() -> Libraries {
    let rocblas = library::Library::open(Path::new("../../fixtures/tensile/library"), "gfx900").unwrap();
    let hipblaslt =
        lite::library::Library::open(Path::new("../../fixtures/hipblaslt/library"), "gfx1151").unwrap();
    Libraries {
        target: "gfx900".to_owned(),
        multiprocessors: 64,
        rocblas: Some(Arc::new(rocblas)),
        hipblaslt: Some(Arc::new(hipblaslt)),
    }
}

fn checked(text: &str) -> CheckedTuning {
    check(text, &libraries())
}

/// The reasons of the rows that are not in force, each with its line.
fn stale(text: &str) -> Vec<(u64, String)> {
    checked(text).stale.into_iter().map(|stale| (stale.line, stale.why)).collect()
}

#[test]
fn a_row_of_rocblas_is_in_force_as_its_parser_has_it() {
    let heading = "transA,transB,M,N,batch_count,K,alpha,beta,lda,ldb,ldc,input_type,output_type,compute_type,solution_index";
    for good in [
        format!("{heading}\n{ROW}\n"),
        format!("{ROW}\r\n"),
        ROW.replace("f32_r,f32_r,f32_r", "s,s,s"),
        ROW.replace("N,T", "N,C"),
        ROW.replace("512,512,512,f32_r", "512,512,512,1,1,1,f32_r"),
    ] {
        let found = checked(&good);
        assert_eq!((found.kind, found.rows, &found.stale[..]), (TuningFormat::RocBlas, 1, &[][..]), "{good}");
    }
    let bad = |text: String, part: &str| {
        let found = stale(&text);
        assert!(found.len() == 1 && found[0].1.contains(part), "{text}: {found:?}");
    };
    bad("N,T,1,512,512,512,f32_r,f32_r,f32_r,603979880".to_owned(), "10 cells");
    bad(ROW.replace(',', ", "), "is no type");
    bad(ROW.replacen("512", "x", 1), "\"x\" in its cell 3 is no number");
    bad(ROW.replace("603979880", "-603979880"), "Tensile's index plus one");
    // What rocBLAS 5 lists: minus the index and eleven.
    bad(ROW.replace("603979880", "-603979890"), "this one is 603979880 in a file");
    bad(ROW.replace("603979880", "99999999"), "no catalog of its types and transposition");
    bad(ROW.replace("f32_r,f32_r,f32_r", "f64_r,f64_r,f64_r"), "no catalog of its types and transposition");
    bad(ROW.replace("f32_r,f32_r,f32_r", "f32_r,f64_r,f32_r"), "no products of Float to Double");
    bad(format!("{ROW}\nT,N,5\n"), "3 cells");
    bad(format!("{ROW}\n{ROW}\n"), "line 2 is for the same call");
    bad(ROW.replace("603979880", "99999999"), "solution 603979879 is taken instead");
}

#[test]
fn rows_differ_by_beta_and_strides_and_not_by_alpha() {
    assert_eq!(stale(&format!("{ROW}\n{}\n", ROW.replace(",1,0,512", ",1,1,512"))), []);
    assert_eq!(stale(&format!("{ROW}\n{}\n", ROW.replace(",1,0,512", ",2,0,512"))).len(), 1);
}

#[test]
fn a_validator_rejects_the_whole_file() {
    let row = "GemmTunableOp_float_NT,nt_512_512_512_ld_512_512_512,Gemm_Rocblas_603979880,0.5";
    let of = |validator: &str| checked(&format!("{validator}\n{row}\n"));
    let good = of("Validator,GCN_ARCH_NAME,gfx900:xnack-");
    assert_eq!((good.kind, good.rows, good.stale, good.rejected), (TuningFormat::TunableOp, 1, vec![], None));
    let other = of("Validator,GCN_ARCH_NAME,gfx942:sramecc+:xnack-");
    assert!(other.rejected.unwrap().why.contains("the device is gfx900"));
    // No library says which version it is, so nothing differs from it.
    assert_eq!(of("Validator,ROCBLAS_VERSION,9.9.9").rejected, None);
    let solutions = |solution: &str| stale(&row.replace("Gemm_Rocblas_603979880", solution));
    assert_eq!(solutions("Default"), []);
    assert!(solutions("Gemm_Rocblas_12345")[0].1.contains("no catalog"));
    assert!(solutions("Gemm_Rocblas_-603979890")[0].1.contains("they are positive"));
    assert!(solutions("Gemm_Hipblaslt_4294967295")[0].1.contains("no catalog of hipBLASLt"));
    assert_eq!(solutions("Gemm_Hipblaslt_1"), []);
    assert!(solutions("Gemm_Other_1")[0].1.contains("names no solution"));
}

#[test]
fn a_named_row_of_hipblaslt_holds_by_its_name() {
    let libraries = libraries();
    let own = hipblaslt::solution(libraries.hipblaslt.as_ref().unwrap(), 1).unwrap();
    let kernel = own.catalog.text(own.solution.kernel).to_owned();
    let heading =
        "transA,transB,batch_count,m,n,k,a_type,b_type,c_type,d_type,compute_type,solution_index,kernel_name";
    let row = |m: u32, index: &str, name: &str| {
        format!("{heading}\nT,N,1,{m},64,64,f16_r,f16_r,f16_r,f16_r,f32_r,{index},{name}\n")
    };
    let file = |rows: &[String]| format!("Git Version:abc\n{}", rows.concat());
    let good = checked(&file(&[row(64, "1", &kernel)]));
    assert_eq!((good.kind, good.rows, good.stale), (TuningFormat::HipBlasLt, 1, vec![]));
    let bad =
        stale(&file(&[row(64, "1", "Cijk_other"), row(128, "4294967", &kernel), row(64, "1", &kernel)]));
    let lines: Vec<u64> = bad.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [3, 5, 7]);
    assert!(bad[0].1.contains("the row names Cijk_other") && bad[2].1.contains("the first one stays"));
    // Rows of fixed cells say nothing but an index.
    let cells = |index: &str| format!("Git Version: abc\n{}{index}\n", "T,N,".to_owned() + &"1,".repeat(34));
    assert_eq!(stale(&cells("1")), []);
    assert!(stale(&cells("1").replace("T,N", "N,N"))[0].1.contains("another transposition"));
    assert!(stale("Git Version: abc\nT,N,1\n")[0].1.contains("3 cells"));
}
