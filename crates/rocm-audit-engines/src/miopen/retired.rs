//! Solver names that databases still contain although MIOpen's convolution registry has removed them.
//!
//! The registry is that of the rules (`solver/rules/registry.yaml`, from MIOpen 3.3.0
//! `src/solver.cpp:291-714`); the position in it is the solver's id, and the position of a removed solver
//! stays empty.

use crate::miopen::solver::SolverRules;
use crate::miopen::solver::registry::{NoRuleReason, NumberWithoutRule};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Names that are not convolution solvers; a map, since databases have millions of items to look up.
static NOT_CONVOLUTIONS: LazyLock<HashMap<&'static str, &'static NumberWithoutRule>> = LazyLock::new(|| {
    let others = SolverRules::miopen().map(SolverRules::others).unwrap_or_default();
    let none = others.iter().filter(|other| other.kind != NoRuleReason::NotWritten);
    none.map(|other| (other.name, other)).collect()
});

/// The registry's entry for a name that is not a convolution solver: an empty position, or another primitive.
pub fn why(solver: &str) -> Option<&'static NumberWithoutRule> {
    NOT_CONVOLUTIONS.get(solver).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retired_solvers_and_those_of_other_primitives_are_told_apart() {
        let kind = |solver| why(solver).map(|other| (other.id, other.kind));
        assert_eq!(kind("ConvOclDirectFwd3x3"), Some((10, NoRuleReason::Retired)));
        assert_eq!(kind("ConvHipImplicitGemmV4Fwd"), Some((27, NoRuleReason::Retired)));
        assert_eq!(kind("ConvOclDirectFwdFused"), Some((12, NoRuleReason::OtherPrimitive)));
        assert_eq!(kind("ConvWinoFuryRxSFused<2-3>"), Some((168, NoRuleReason::OtherPrimitive)));
        assert_eq!(kind("ConvAsmImplicitGemmGTCDynamicFwdDlopsNCHWC"), None);
        assert_eq!(kind("ConvAsm1x1U"), None);
    }

    #[test]
    fn names_of_the_registry_are_names() {
        assert!(NOT_CONVOLUTIONS.keys().all(|name| !name.is_empty() && !name.contains(' ')));
        let convolutions = SolverRules::miopen().expect("rules").solvers();
        assert!(convolutions.iter().all(|solver| why(solver.name).is_none()));
    }
}
