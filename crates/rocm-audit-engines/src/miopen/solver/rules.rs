//! The rules for a library: its solvers in registry order, and the numbers without a rule.

use super::bound::Bound;
use super::clause::Solver;
use super::clause::{Algorithm, Clause};
use super::context::{BuildPart, Context, Version};
use super::environment::{self, Variable};
use super::find;
use super::load;
use super::load_error::LoadError;
use super::pattern::{Matches, Patterns};
use super::registry::NumberWithoutRule;
use super::release::Releases;
use super::written::*;
use crate::rule_file::{List, Named};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::cell::RefCell;
use std::sync::LazyLock;

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, made!("miopen/solver", $name)),)*]
    };
}

/// The name of a rule file without `.yaml`, and its content.
type File = (&'static str, RuleFile);

/// One file for each class of solver, in no particular order.
static MIOPEN: &[File] = files! {
    "ConvAsm1x1U"
    "ConvAsm1x1UV2"
    "ConvAsm3x3U"
    "ConvAsm5x10u2v2b1"
    "ConvAsm5x10u2v2f1"
    "ConvAsm7x7c3h224w224k64u2v2p3q3f1"
    "ConvAsmBwdWrW1x1"
    "ConvAsmBwdWrW3x3"
    "ConvAsmImplicitGemmGTCDynamicBwdXdlops"
    "ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC"
    "ConvAsmImplicitGemmGTCDynamicFwdXdlops"
    "ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC"
    "ConvAsmImplicitGemmGTCDynamicWrwXdlops"
    "ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC"
    "ConvAsmImplicitGemmV4R1DynamicBwd"
    "ConvAsmImplicitGemmV4R1DynamicFwd"
    "ConvAsmImplicitGemmV4R1DynamicFwd_1x1"
    "ConvAsmImplicitGemmV4R1DynamicWrw"
    "ConvBinWinograd3x3U"
    "ConvBinWinogradRxS"
    "ConvBinWinogradRxSf2x3"
    "ConvBinWinogradRxSf2x3g1"
    "ConvBinWinogradRxSf3x2"
    "ConvCkIgemmFwdV6r1DlopsNchw"
    "ConvDirectNaiveConvBwd"
    "ConvDirectNaiveConvFwd"
    "ConvDirectNaiveConvWrw"
    "ConvHipImplicitGemm3DGroupBwdXdlops"
    "ConvHipImplicitGemm3DGroupFwdXdlops"
    "ConvHipImplicitGemm3DGroupWrwXdlops"
    "ConvHipImplicitGemmBwdDataV1R1"
    "ConvHipImplicitGemmBwdDataV1R1Xdlops"
    "ConvHipImplicitGemmBwdDataV4R1"
    "ConvHipImplicitGemmBwdDataV4R1Xdlops"
    "ConvHipImplicitGemmBwdXdlops"
    "ConvHipImplicitGemmF16F8F16BwdXdlops"
    "ConvHipImplicitGemmF16F8F16FwdXdlops"
    "ConvHipImplicitGemmF16F8F16WrwXdlops"
    "ConvHipImplicitGemmForwardV4R4Xdlops"
    "ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm"
    "ConvHipImplicitGemmForwardV4R5Xdlops"
    "ConvHipImplicitGemmFwdXdlops"
    "ConvHipImplicitGemmGroupBwdXdlops"
    "ConvHipImplicitGemmGroupFwdXdlops"
    "ConvHipImplicitGemmGroupWrwXdlops"
    "ConvHipImplicitGemmV4R1Fwd"
    "ConvHipImplicitGemmV4R1WrW"
    "ConvHipImplicitGemmV4R4Fwd"
    "ConvHipImplicitGemmV4R4WrW"
    "ConvHipImplicitGemmWrwV4R4Xdlops"
    "ConvHipImplicitGemmWrwV4R4Xdlops_Padded_Gemm"
    "ConvMPBidirectWinograd"
    "ConvMPBidirectWinograd_xdlops"
    "ConvMlirIgemmBwd"
    "ConvMlirIgemmBwdXdlops"
    "ConvMlirIgemmFwd"
    "ConvMlirIgemmFwdXdlops"
    "ConvMlirIgemmWrW"
    "ConvMlirIgemmWrWXdlops"
    "ConvOclBwdWrW1x1"
    "ConvOclBwdWrW2"
    "ConvOclBwdWrW2NonTunable"
    "ConvOclBwdWrW53"
    "ConvOclDirectFwd"
    "ConvOclDirectFwd11x11"
    "ConvOclDirectFwd1x1"
    "ConvOclDirectFwdGen"
    "ConvWinoFuryRxS"
    "ConvWinograd3x3MultipassWrW"
    "GemmBwd1x1_stride1"
    "GemmBwd1x1_stride2"
    "GemmBwdRest"
    "GemmFwd1x1_0_1"
    "GemmFwd1x1_0_1_int8"
    "GemmFwd1x1_0_2"
    "GemmFwdRest"
    "GemmWrw1x1_stride1"
    "GemmWrwUniversal"
    "fft"
};

static BLOCKS: Named<BlockFile> = made!("miopen/solver", "blocks");
static OTHERS: List<OtherFile> = made!("miopen/solver", "registry");
static ENVIRONMENT: EnvironmentFile = made!("miopen/solver", "environment");
static RELEASES: ReleasesFile = made!("miopen/solver", "versions");

/// The solvers of a library and their conditions.
#[derive(Debug)]
pub struct SolverRules {
    solvers: Vec<Solver>,
    others: Vec<NumberWithoutRule>,
    releases: Releases,
    environment: Vec<Variable>,
    patterns: Patterns,
}

impl SolverRules {
    /// The convolution solvers of MIOpen, read at first use.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if a rule of this crate is wrong, which its tests rule out.
    pub fn miopen() -> Result<&'static SolverRules, &'static LoadError> {
        static RULES: LazyLock<Result<SolverRules, LoadError>> =
            LazyLock::new(|| SolverRules::load(MIOPEN, &BLOCKS, &OTHERS));
        RULES.as_ref()
    }

    fn load(
        files: &'static [File],
        blocks: &'static Named<BlockFile>,
        others: &'static [OtherFile],
    ) -> Result<SolverRules, LoadError> {
        let (mut solvers, patterns) = (Vec::new(), RefCell::new(Patterns::default()));
        for (file, rule) in files {
            solvers.extend(load::solvers(file, rule, blocks, &patterns)?);
        }
        solvers.sort_rows_by_key(|solver| solver.id);
        let other =
            |o: &OtherFile| NumberWithoutRule { id: o.id, name: o.name, kind: o.kind, because: o.because };
        let rules = SolverRules {
            solvers,
            others: others.iter().map(other).collect(),
            releases: Releases::read(&RELEASES)?,
            environment: environment::read(&ENVIRONMENT),
            patterns: patterns.into_inner(),
        };
        let mut ids: Vec<u16> =
            rules.solvers.iter().map(|s| s.id).chain(rules.others.iter().map(|o| o.id)).collect();
        ids.sort_unstable();
        match ids.windows(2).find(|pair| pair.first() == pair.last()) {
            Some(twice) => Err(LoadError {
                file: "registry".into(),
                clause: None,
                what: format!("the number {} is given twice", twice.first().unwrap_or(&0)),
            }),
            None => Ok(rules),
        }
    }

    /// The solvers in registry order.
    pub fn solvers(&self) -> &[Solver] {
        &self.solvers
    }

    /// Whether any rule, or the find, depends on an environment variable.
    pub fn heed(&self, variable: &str) -> bool {
        let of_parts = BuildPart::ALL.iter().filter_map(|part| part.switch());
        let of_algorithms = Algorithm::ALL.iter().map(|algorithm| algorithm.switch());
        let clauses = self.solvers.iter().flat_map(|solver| &solver.clauses);
        find::VARIABLES
            .into_iter()
            .chain(of_parts)
            .chain(of_algorithms)
            .chain(clauses.flat_map(Clause::variables))
            .any(|known| known == variable)
    }

    /// The variables that MIOpen reads.
    pub fn environment(&self) -> &[Variable] {
        &self.environment
    }

    /// Why a variable does not affect an answer; `None` if it does.
    pub fn why_not_modelled(&self, variable: &str) -> Option<String> {
        if self.heed(variable) {
            return None;
        }
        let known = self.environment.iter().find(|known| known.name == variable);
        Some(known.and_then(|known| known.not_modelled).map(str::to_owned).unwrap_or_else(|| {
            format!(
                "MIOpen {} reads no variable of this name",
                self.releases.answering(Version(0, 0, 0)).read
            )
        }))
    }

    /// The registry's numbers without a rule.
    pub fn others(&self) -> &[NumberWithoutRule] {
        &self.others
    }

    /// The releases that the rules cover.
    pub fn releases(&self) -> &Releases {
        &self.releases
    }

    /// The index of the solver with a name as written in databases.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.solvers.iter().position(|solver| solver.name == name)
    }

    /// Which patterns a processor's name matches.
    pub(super) fn matches(&self, processor: &str) -> Matches {
        self.patterns.matches(processor)
    }

    /// Decides the conditions on the context.
    pub fn for_context(&self, context: &Context) -> Bound<'_> {
        Bound::new(self, context)
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "published_tests.rs"]
mod published;
