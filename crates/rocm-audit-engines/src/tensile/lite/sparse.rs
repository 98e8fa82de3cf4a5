//! Products of hipSPARSELt: one matrix has two zeros in every four elements.
//!
//! Its catalogs are of hipBLASLt's form, and so is the search. It asks for ten solutions of a problem without
//! a limit of workspace, fills no list up, and refuses sizes before that. Source: hipSPARSELt 0.2
//! (`tensile_host.cpp`, `getBestSolutions`); the library of 0.2.6 (ROCm 7.2.4) was run on a stand-in for the
//! HIP runtime, where it gave the same.
#![deny(clippy::indexing_slicing)]

use super::call::MatmulCall;
use super::types::MatrixType;
use crate::tensile::data_type::DataType;

/// Algorithms that `hipsparseLtMatmulAlgSelectionInit` asks for.
pub const SPARSE_ALGORITHMS: usize = 10;

/// `HIPSPARSE_STATUS_NOT_SUPPORTED`: what hipSPARSELt returns for a product that it does not compute, or has
/// no solution for.
pub const NOT_SUPPORTED: i32 = 10;

/// The type of a bias that the caller does not state.
pub(super) fn usual_bias(a: MatrixType) -> DataType {
    match a.tensile {
        half @ (DataType::Half | DataType::BFloat16) => half,
        _ => DataType::Float,
    }
}

/// Why hipSPARSELt refuses a call.
pub(super) fn invalid(call: &MatmulCall) -> Option<&'static str> {
    let [a, b, c, d] = [call.a, call.b, call.c, call.d].map(|ty| ty.tensile);
    let is_computed = a == b
        && c == d
        && matches!(
            (a, c),
            (DataType::Half, DataType::Half)
                | (DataType::BFloat16, DataType::BFloat16)
                | (DataType::Int8, DataType::Int8 | DataType::Half | DataType::BFloat16)
                | (DataType::Float8 | DataType::BFloat8, DataType::Float)
        );
    if !is_computed {
        return Some(
            "hipSPARSELt computes f16 to f16, bf16 to bf16, i8 to i8, f16 or bf16, and f8 or bf8 to f32",
        );
    }
    let is_whole =
        |ty: DataType, size: u64| size > 0 && size.is_multiple_of(if ty.bytes() == 1 { 16 } else { 8 });
    let sizes = [(a, call.m), (a, call.n), (a, call.k), (d, call.m), (d, call.n)];
    if call.batch == 0 || !sizes.into_iter().all(|(ty, size)| is_whole(ty, size)) {
        return Some("hipSPARSELt takes sizes that are multiples of 16 for 8-bit types, and of 8 for others");
    }
    let epilogue = call.epilogue;
    if epilogue.aux
        || epilogue.gradient
        || !["DEFAULT", "RELU", "BIAS", "RELU_BIAS", "GELU", "GELU_BIAS"].contains(&epilogue.name)
    {
        return Some("hipSPARSELt has bias, relu and gelu, but not this epilogue");
    }
    let scales = call.scale_a || call.scale_b || call.scale_c || call.scale_d || call.amax_d;
    if scales || call.group.is_some() {
        return Some("hipSPARSELt has no scales of matrices, no largest absolute value and no groups");
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tensile::call::Transpose;
    use crate::tensile::lite::call::SparseMatrix;
    use crate::tensile::lite::epilogue::Epilogue;
    use crate::tensile::lite::predicate::Predicate;
    use crate::tensile::lite::problem::Problem;
    use crate::tensile::lite::release::ChoiceRules;
    use amdgpu_object::bytes::msgpack::Reader;
    use amdgpu_object::target::TargetId;

    fn call(a: &str, d: &str, sizes: [u64; 3]) -> MatmulCall {
        let [a, d] = [a, d].map(|name| MatrixType::meant(name).unwrap());
        let device = TargetId::parse("gfx942").unwrap();
        let call = MatmulCall::new(&device, 304, a, [Transpose::T, Transpose::N], sizes);
        MatmulCall { c: d, d, sparse: Some(SparseMatrix::A), ..call }
    }

    #[test]
    fn sizes_and_types_are_those_that_the_library_takes() {
        // Each was asked of the library of 0.2.6; what it refuses, it refuses when a matrix is described or
        // the product is.
        for (a, d, sizes, is_taken) in [
            ("f16", "f16", [8, 16, 8], true),
            ("f16", "f16", [24, 16, 24], true),
            ("f16", "f16", [4, 16, 16], false),
            ("f16", "f16", [20, 16, 16], false),
            ("i8", "i8", [16, 16, 32], true),
            ("i8", "i8", [24, 16, 16], false),
            ("i8", "f16", [16, 16, 24], false),
            ("f8", "f32", [32, 16, 32], true),
            ("f8", "f32", [24, 16, 32], false),
            ("f8", "f16", [32, 16, 32], false),
            ("f16", "f32", [32, 16, 32], false),
            ("i8", "i32", [32, 16, 32], false),
        ] {
            assert_eq!(invalid(&call(a, d, sizes)).is_none(), is_taken, "{a} {d} {sizes:?}");
        }
        let mut swish = call("f16", "f16", [64; 3]);
        swish.set_epilogue(Epilogue::meant("swish").unwrap());
        assert!(invalid(&swish).is_some());
    }

    #[test]
    fn a_solution_is_for_one_sparse_matrix_or_for_none() {
        let holds = |number: u8, sparse| {
            let bytes = [b"\x82\xa4type\xa6Sparse\xa5value", &[number][..]].concat();
            let predicate = Predicate::read(&mut Reader::new(&bytes, 0), 0).unwrap();
            let call = MatmulCall { sparse, ..call("f16", "f16", [64; 3]) };
            predicate.holds(&Problem::from_call(&call, ChoiceRules::Of1_2), &bytes)
        };
        let [a, b] = [SparseMatrix::A, SparseMatrix::B].map(Some);
        assert_eq!([None, a, b].map(|sparse| holds(0, sparse)), [true, false, false]);
        assert_eq!([None, a, b].map(|sparse| holds(1, sparse)), [false, true, false]);
        assert_eq!([None, a, b].map(|sparse| holds(2, sparse)), [false, false, true]);
    }
}
