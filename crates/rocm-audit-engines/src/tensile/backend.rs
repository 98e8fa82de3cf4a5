//! Which library rocBLAS asks first for a product: hipBLASLt, where it was built with that, or its own
//! catalogs.
//!
//! Source: rocBLAS's `tensile_host.cpp` (`useHipBLASLt`) of 6.4 and 7.0, `handle.hpp`, and the changes to
//! them in 2025 and 2026 that each row names.
#![deny(clippy::indexing_slicing)]

use super::call::{GemmCall, USE_HIPBLASLT, USE_HIPBLASLT_BATCHED};
use super::data_type::{DataType, GemmType};
use super::gemv;
use super::version::Version;

/// The calls for which a release asks hipBLASLt first, where no variable says it.
#[derive(Debug, Clone, Copy)]
pub struct BackendOrder {
    /// The release in words.
    pub release: &'static str,
    /// The version that it begins with; none for a state of the source that no release is known to have.
    pub since: Option<Version>,
    /// Processor, compute units and type.
    asks: fn(&str, u32, GemmType) -> bool,
}

/// All that are known, the oldest first.
pub const ASKING: &[BackendOrder] = &[
    BackendOrder {
        release: "4.4 (ROCm 6.4)",
        since: Some(Version::new(4, 4)),
        asks: |on, _, _| is_gfx12(on),
    },
    BackendOrder {
        release: "5.0 to 5.2 (ROCm 7.0 to 7.2)",
        since: Some(Version::new(5, 0)),
        asks: |on, _, ty| is_gfx12(on) || (on == "gfx950" && ty.input.bytes() < 4),
    },
    BackendOrder {
        release: "source of 2026-08-18 (#10957)",
        since: None,
        asks: |on, cus, ty| {
            let single = ty.input == DataType::Float;
            let narrow = ty.input.bytes() < 4;
            is_gfx12(on) || (on == "gfx950" && (narrow || single)) || (on == "gfx942" && cus == 304 && single)
        },
    },
    BackendOrder {
        release: "source of 2026-08-27 (#11370)",
        since: None,
        asks: |on, cus, ty| {
            let single = ty.input == DataType::Float;
            is_gfx12(on) || (on == "gfx950" && !ty.is_complex()) || (on == "gfx942" && cus == 304 && single)
        },
    },
    BackendOrder {
        release: "source of 2026-08-28 (#11441)",
        since: None,
        asks: |on, _, ty| is_gfx12(on) || (on == "gfx950" && !ty.is_complex()),
    },
    BackendOrder {
        release: "source of 2026-09-03 (#11671)",
        since: None,
        asks: |on, _, ty| is_gfx12(on) || (on == "gfx950" && ty.input.bytes() < 4),
    },
];

fn is_gfx12(processor: &str) -> bool {
    matches!(processor, "gfx1200" | "gfx1201")
}

/// What takes a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taker {
    /// hipBLASLt, where the library was built with it and it has an algorithm.
    HipBlasLt,
    /// rocBLAS's own catalogs.
    Catalogs,
    /// A kernel inside of rocBLAS for a product of a matrix and a vector.
    Vector,
}

impl BackendOrder {
    /// What a release that was built with hipBLASLt takes a call with.
    pub fn taker(&self, processor: &str, call: &GemmCall) -> Taker {
        let knows_vectors = self.since.is_none_or(|since| since >= gemv::SINCE);
        if knows_vectors && gemv::takes(processor, call) {
            return Taker::Vector;
        }
        if self.asks(processor, call) { Taker::HipBlasLt } else { Taker::Catalogs }
    }

    /// Whether hipBLASLt is asked first; never for batches by pointers.
    fn asks(&self, processor: &str, call: &GemmCall) -> bool {
        let ty = GemmType::by_name(&call.ty);
        call.strided && ty.is_some_and(|ty| (self.asks)(processor, call.multiprocessors, ty))
    }
}

/// Whether rocBLAS that was built with hipBLASLt asks it first for a call: as `ROCBLAS_USE_HIPBLASLT` says,
/// with 1 for all and with anything else for none; where it is not set, as the release does.
/// `ROCBLAS_USE_HIPBLASLT_BATCHED=0` excludes batches from 5.1 on.
pub fn asks_hipblaslt_first(processor: &str, call: &GemmCall, version: Option<Version>) -> bool {
    let is_batch = call.batch > 1 || call.api.contains("batched");
    let since = |release| version.is_some_and(|own| own >= release);
    if since(Version::new(5, 1)) && is_batch && call.variable(USE_HIPBLASLT_BATCHED) == Some("0") {
        return false;
    }
    let of_release = || {
        let is_known =
            |row: &&BackendOrder| row.since.is_some_and(|first| version.is_some_and(|own| own >= first));
        ASKING.iter().rfind(is_known).or(ASKING.first()).is_some_and(|row| row.asks(processor, call))
    };
    call.variable(USE_HIPBLASLT).map_or_else(of_release, |value| value == "1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensile::call::Transpose;
    use amdgpu_object::target::TargetId;

    fn takers(processor: &str, cus: u32, ty: &str, n: u64) -> Vec<Taker> {
        let transposes = [Transpose::N, Transpose::T];
        let call = GemmCall::new(&TargetId::bare(processor), cus, ty, transposes, [64, n, 32]);
        let call = GemmCall { c_eq_d: true, ..call };
        ASKING.iter().map(|row| row.taker(processor, &call)).collect()
    }

    #[test]
    fn who_takes_a_product_differs_by_release_type_and_target() {
        use Taker::{Catalogs as C, HipBlasLt as H, Vector as V};
        assert_eq!(takers("gfx1201", 32, "SS", 64), [H, H, H, H, H, H]);
        assert_eq!(takers("gfx950", 256, "HHS", 64), [C, H, H, H, H, H]);
        assert_eq!(takers("gfx950", 256, "SS", 64), [C, C, H, H, H, C]);
        assert_eq!(takers("gfx950", 256, "DD", 64), [C, C, C, H, H, C]);
        assert_eq!(takers("gfx950", 256, "CC", 64), [C, C, C, C, C, C]);
        assert_eq!(takers("gfx942", 304, "SS", 64), [C, C, H, H, C, C]);
        assert_eq!(takers("gfx942", 80, "SS", 64), [C, C, C, C, C, C]);
        assert_eq!(takers("gfx1100", 48, "DD", 1), [C, V, V, V, V, V]);
    }
}
