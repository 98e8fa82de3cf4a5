//! Solver names that are still in databases although MIOpen's convolution registry does not have them any more.
//!
//! Source: MIOpen 3.3.0 `src/solver.cpp:291-714`; the position in the registry is the solver's id, and a position whose
//! solver went stays empty.

/// Why a name is no solver of convolutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Its position in the registry is empty.
    Retired,
    /// Its position is of the fusion primitive.
    Fusion,
}

use Why::{Fusion, Retired};

/// Position in the registry, name, why.
pub const NOT_IN_REGISTRY: &[(u16, &str, Why)] = &[
    (4, "ConvBiasActivAsm1x1U", Fusion),
    (10, "ConvOclDirectFwd3x3", Retired),
    (12, "ConvOclDirectFwdFused", Fusion),
    (27, "ConvHipImplicitGemmV4Fwd", Retired),
    (28, "ConvHipImplicitGemmV4_1x1", Retired),
    (29, "ConvHipImplicitGemmV4R4FwdXdlops", Retired),
    (30, "ConvHipImplicitGemmV4R4Xdlops_1x1", Retired),
    (32, "ConvHipImplicitGemmV4WrW", Retired),
    (50, "ConvHipImplicitGemmV4R4WrWXdlops", Retired),
    (51, "ConvHipImplicitGemmV4R4GenFwdXdlops", Retired),
    (52, "ConvHipImplicitGemmV4R4GenWrWXdlops", Retired),
    (58, "ConvHipImplicitGemmV4R4GenXdlopsFwdFp32", Retired),
    (59, "ConvHipImplicitGemmV4R4GenXdlopsWrWFp32", Retired),
    (92, "ConvHipImplicitGemmMlirCppFwd", Retired),
    (93, "ConvHipImplicitGemmMlirCppBwd", Retired),
    (94, "ConvHipImplicitGemmMlirCppWrW", Retired),
    (130, "ConvBinWinogradRxSFused", Fusion),
    (131, "ConvBinWinogradRxSf2x3g1Fused", Fusion),
    (135, "ConvCKIgemmFwdBiasActivFused", Fusion),
    (152, "ConvCKIgemmFwdBiasResAddActivFused", Fusion),
    (168, "ConvWinoFuryRxSFused<2-3>", Fusion),
];

/// Why MIOpen knows no convolution solver of this name, as far as the table knows.
pub fn why(solver: &str) -> Option<Why> {
    NOT_IN_REGISTRY.iter().find(|(_, name, _)| *name == solver).map(|(_, _, why)| *why)
}
