//! When rocBLAS takes a product of one row or one column for a product of a matrix and a vector.
//!
//! From 5.0 on, the functions with `_ex` then launch a kernel that is compiled into the library, and ask no
//! catalog. Source: rocBLAS 5, `rocblas_gemm_ex_*.hpp`; held against the library of 5.2.
#![deny(clippy::indexing_slicing)]

use super::call::{GemmCall, Transpose};
use super::data_type::GemmType;
use super::version::Version;
use amdgpu_object::target::GfxVersion;

/// The first release that does so.
pub const SINCE: Version = Version::new(5, 0);

/// Whether a call of a processor is taken for a product with a vector.
pub fn takes(processor: &str, call: &GemmCall) -> bool {
    let [_, _, ldc, ldd] = call.ld;
    let [_, _, stride_c, stride_d] = call.stride;
    let in_place = call.c_eq_d && ldc == ldd && stride_c == stride_d;
    let has_vector = call.m == 1 || call.n == 1;
    let conjugated = (call.n == 1 && call.tb == Transpose::C)
        || (call.m == 1 && (call.ta == Transpose::C || call.tb == Transpose::C));
    call.api.ends_with("_ex")
        && has_vector
        && call.k != 0
        && in_place
        && !conjugated
        && is_for(processor)
        && GemmType::by_name(&call.ty).is_some_and(|ty| !is_slower(ty.name, processor, call))
}

/// The processors that have it: GCN from gfx906 to gfx90a, and RDNA 1 to 3.
fn is_for(processor: &str) -> bool {
    matches!(processor, "gfx906" | "gfx908" | "gfx90a")
        || GfxVersion::from_name(processor).is_some_and(|version| matches!(version.major, 10 | 11))
}

/// Whether a product of a matrix and a vector is known to be slower than the one of two matrices, or there is
/// none of the type.
fn is_slower(ty: &str, processor: &str, call: &GemmCall) -> bool {
    let turned = |transpose| transpose != Transpose::N;
    let (ta, tb) = (turned(call.ta), turned(call.tb));
    let [lda, ldb, ldc, _] = call.ld;
    let (column, row) = (call.n == 1, call.m == 1);
    match ty {
        "SS" => {
            let far = match (ta, tb) {
                (false, false) => ldb > 1,
                (false, true) => true,
                (true, true) => ldb > 8 || (ldb > 1 && processor == "gfx906"),
                (true, false) => ldb > 8,
            };
            (column && far) || (row && ((!ta && tb) || lda > 1 || ldc > 1))
        }
        "DD" | "CC" | "ZZ" => {
            (column && ta && tb && ldb > 8)
                || (row && !ta && !tb && (lda > 8 || ldc > 8))
                || (row && ta && tb && ty == "DD")
        }
        "HHS" | "HSS" => !tb || (column && ta && ldb > 8),
        "BBS" | "BSS" => !tb || (column && (ldb > 8 || (!ta && matches!(processor, "gfx908" | "gfx90a")))),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amdgpu_object::target::TargetId;

    fn call(ty: &str, sizes: [u64; 3]) -> GemmCall {
        let transposes = [Transpose::N, Transpose::T];
        let call = GemmCall::new(&TargetId::bare("gfx1100"), 48, ty, transposes, sizes);
        GemmCall { c_eq_d: true, ..call }
    }

    #[test]
    fn one_column_in_place_is_a_vector() {
        let column = call("DD", [64, 1, 32]);
        assert!(takes("gfx1100", &column));
        for processor in ["gfx900", "gfx942", "gfx950", "gfx1201"] {
            assert!(!takes(processor, &column), "{processor}");
        }
        assert!(!takes("gfx1100", &GemmCall { c_eq_d: false, ..column.clone() }));
        assert!(!takes("gfx1100", &GemmCall { api: "gemm".to_owned(), ..column.clone() }));
        assert!(!takes("gfx1100", &GemmCall { k: 0, ..column.clone() }));
        assert!(!takes("gfx1100", &GemmCall { tb: Transpose::C, ..column.clone() }));
        assert!(!takes("gfx1100", &call("DD", [64, 2, 32])));
        assert!(!takes("gfx1100", &call("HH", [64, 1, 32])));
    }

    #[test]
    fn a_stride_between_the_parts_of_a_vector_can_forbid_it() {
        let turned = GemmCall { ta: Transpose::T, ..call("SS", [64, 1, 32]) };
        assert!(takes("gfx1100", &turned));
        assert!(takes("gfx1100", &GemmCall { ld: [32, 8, 64, 64], ..turned.clone() }));
        assert!(!takes("gfx1100", &GemmCall { ld: [32, 9, 64, 64], ..turned.clone() }));
        assert!(!takes("gfx906", &GemmCall { ld: [32, 8, 64, 64], ..turned }));
        // B is not turned: halves are left to the catalogs.
        assert!(takes("gfx1100", &call("HHS", [64, 1, 32])));
        assert!(!takes("gfx1100", &GemmCall { tb: Transpose::N, ..call("HHS", [64, 1, 32]) }));
    }
}
