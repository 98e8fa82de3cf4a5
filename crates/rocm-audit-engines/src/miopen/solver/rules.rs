//! The rules for a library: its solvers in registry order, and the numbers without a rule.

use super::bound;
use super::bound::{Bound, Rejection};
use super::clause::Solver;
use super::clause::{Algorithm, Clause};
use super::context::{Context, Part, Version};
use super::environment::{self, Variable};
use super::find;
use super::load;
use super::load_error::LoadError;
use super::registry::Other;
use super::release::Releases;
use super::rule::{ExampleFile, Examples, OtherFile, RuleFile};
use super::variable::Derived;
use crate::miopen::problem::ConvolutionProblem;
use std::sync::LazyLock;

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("rules/", $name, ".yaml"))),)*]
    };
}

/// A file name without `.yaml`, and the file's text.
type File = (&'static str, &'static str);

/// A file name, and the examples in the file.
type FileExamples = (&'static str, Examples);

/// One file for each class of solver, in no particular order.
const MIOPEN: &[File] = files! {
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

const MIOPEN_BLOCKS: &str = include_str!("rules/blocks.yaml");
const MIOPEN_OTHERS: &str = include_str!("rules/registry.yaml");
const MIOPEN_ENVIRONMENT: &str = include_str!("rules/environment.yaml");
const MIOPEN_RELEASES: &str = include_str!("rules/versions.yaml");

/// The solvers of a library and their conditions.
#[derive(Debug)]
pub struct Rules {
    solvers: Vec<Solver>,
    others: Vec<Other>,
    releases: Releases,
    environment: Vec<Variable>,
}

impl Rules {
    /// MIOpen's convolution solvers, loaded on first use and checked against their examples.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if a rule of this crate is wrong, which its tests rule out.
    pub fn miopen() -> Result<&'static Rules, &'static LoadError> {
        static RULES: LazyLock<Result<Rules, LoadError>> = LazyLock::new(Rules::load_and_check);
        RULES.as_ref()
    }

    fn load(files: &[File], blocks: &str, others: &str) -> Result<(Rules, Vec<FileExamples>), LoadError> {
        let blocks: load::Blocks = read("blocks", blocks)?;
        let (mut solvers, mut examples) = (Vec::new(), Vec::new());
        for (file, text) in files {
            let rule = read::<RuleFile>(file, text)?;
            solvers.extend(load::solvers(file, &rule, &blocks)?);
            examples.push((*file, rule.examples));
        }
        solvers.sort_by_key(|solver| solver.id);
        let others: Vec<OtherFile> = read("registry", others)?;
        let other = |o: OtherFile| Other { id: o.id, name: o.name, kind: o.kind, because: o.because };
        let others = others.into_iter().map(other).collect();
        let environment = environment::read(MIOPEN_ENVIRONMENT)?;
        let rules = Rules { solvers, others, releases: Releases::read(MIOPEN_RELEASES)?, environment };
        let mut ids: Vec<u16> =
            rules.solvers.iter().map(|s| s.id).chain(rules.others.iter().map(|o| o.id)).collect();
        ids.sort_unstable();
        match ids.windows(2).find(|pair| pair.first() == pair.last()) {
            Some(twice) => Err(LoadError {
                file: "registry".into(),
                clause: None,
                what: format!("the number {} is given twice", twice.first().unwrap_or(&0)),
            }),
            None => Ok((rules, examples)),
        }
    }

    /// Loads MIOpen's rules again and checks every example.
    ///
    /// # Errors
    ///
    /// The first rule that does not load, or whose example has another result.
    pub fn load_and_check() -> Result<Rules, LoadError> {
        Rules::load_and_check_files(MIOPEN, MIOPEN_BLOCKS, MIOPEN_OTHERS)
    }

    fn load_and_check_files(files: &[File], blocks: &str, others: &str) -> Result<Rules, LoadError> {
        let (rules, examples) = Rules::load(files, blocks, others)?;
        for (file, examples) in examples {
            for example in &examples.accepted {
                rules.check(file, example, true)?;
            }
            for example in &examples.rejected {
                rules.check(file, example, false)?;
            }
        }
        Ok(rules)
    }

    fn check(&self, file: &str, example: &ExampleFile, accepted: bool) -> Result<(), LoadError> {
        let wrong = |what: String| LoadError {
            file: file.to_owned(),
            clause: example.clause.clone(),
            what: format!("example {} on {} with {} CU: {what}", example.key, example.target, example.cu),
        };
        let problem = ConvolutionProblem::parse(&example.key).map_err(|e| wrong(e.to_string()))?;
        let meant = |solver: &Solver| {
            solver.file == file && example.solver.as_ref().is_none_or(|name| solver.name == *name)
        };
        let index = self.solvers.iter().position(meant).ok_or_else(|| wrong("names no solver".into()))?;
        let mut context = Context::new(&example.target, example.cu);
        context.xnack = example.xnack;
        context.environment.clone_from(&example.environment);
        if let Some(text) = &example.miopen {
            context.version = Version::parse(text).ok_or_else(|| wrong(format!("`{text}` is no version")))?;
        }
        let solver = self.solvers.get(index).ok_or_else(|| wrong("names no solver".into()))?;
        match (bound::judge_one(solver, &context, &Derived::on(&context, &problem)), accepted) {
            (Ok(()), true) => Ok(()),
            (Ok(()), false) => Err(wrong("is accepted".into())),
            (Err(rejection), true) => Err(wrong(format!("is rejected by {rejection}"))),
            (Err(Rejection { clause, .. }), false) if Some(&clause.id) == example.clause.as_ref() => Ok(()),
            (Err(rejection), false) => Err(wrong(format!("is rejected by another clause: {rejection}"))),
        }
    }

    /// The solvers in registry order.
    pub fn solvers(&self) -> &[Solver] {
        &self.solvers
    }

    /// Whether any rule, or the find, depends on an environment variable.
    pub fn heed(&self, variable: &str) -> bool {
        let of_parts = Part::ALL.iter().filter_map(|part| part.switch());
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
        Some(known.and_then(|known| known.not_modelled.clone()).unwrap_or_else(|| {
            format!(
                "MIOpen {} reads no variable of this name",
                self.releases.answering(Version(0, 0, 0)).read
            )
        }))
    }

    /// The registry's numbers without a rule.
    pub fn others(&self) -> &[Other] {
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

    /// Decides the conditions on the context.
    pub fn for_context(&self, context: &Context) -> Bound<'_> {
        Bound::new(self, context)
    }
}

fn read<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> Result<T, LoadError> {
    serde_yaml::from_str(text).map_err(|e| LoadError {
        file: file.to_owned(),
        clause: None,
        what: format!("is no rule file: {e}"),
    })
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
