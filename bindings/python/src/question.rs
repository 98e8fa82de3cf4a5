//! Questions from Python: turns keyword arguments in JSON into questions of the library.

use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use rocm_audit::asked::override_value::value;
use rocm_audit::engines::ggml::types;
use rocm_audit::engines::miopen::notation;
use rocm_audit::engines::miopen::problem::ConvolutionProblem;
use rocm_audit::engines::model::quantize;
use rocm_audit::engines::tensile::data_type::GemmType;
use rocm_audit::engines::tensile::lite::epilogue::Epilogue;
use rocm_audit::engines::tensile::lite::types::types_of;
use rocm_audit::report::v1::{CandidateSystem, Claim};
use rocm_audit::{
    AuditError, AuditQuestion, Card, CheckQuestion, ChooseQuestion, ConvolutionQuestion, Device,
    DiffProblems, DiffQuestion, GemmCall, LogQuestion, ManifestQuestion, MatmulCall, ModelUsage,
    NeedsQuestion, OnnxQuestion, Question, RouteQuestion, SurveyQuestion, TargetId, Transpose, Trees,
    WeightsQuestion, claimed, verdicts,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A question as `rocm_audit` asks it.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Asked {
    Verdict {
        card: OneCard,
    },
    Check {
        require: Vec<String>,
        library: Vec<String>,
        per_file: bool,
        baseline: Option<PathBuf>,
    },
    Diff {
        targets: Vec<String>,
        gpu: Vec<String>,
        problems: Option<PathBuf>,
        bigger: Option<f64>,
        kernels: bool,
        isa: bool,
    },
    Needs {},
    Manifest {},
    Choose {
        gpu: String,
        system: Option<String>,
    },
    Explain {
        text: String,
        arch: Vec<String>,
    },
    Survey {
        card: OneCard,
        vs: Option<String>,
        multiprocessors: Option<u32>,
    },
    Gemm {
        card: OneCard,
        multiprocessors: Option<u32>,
        call: Product,
    },
    Matmul {
        card: OneCard,
        multiprocessors: Option<u32>,
        call: Product,
        epilogue: String,
        algorithms: usize,
    },
    Conv {
        card: OneCard,
        multiprocessors: Option<u32>,
        problem: String,
        env: BTreeMap<String, String>,
    },
    Ggml {
        card: OneCard,
        multiprocessors: Option<u32>,
        query: String,
        version: Option<String>,
    },
    Model(Box<Model>),
}

/// A card, and the processor it claims.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneCard {
    gpu: String,
    #[serde(rename = "override")]
    override_value: Option<String>,
}

/// A matrix product.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Product {
    m: u64,
    n: u64,
    k: u64,
    ty: String,
    trans: String,
    batch: u64,
    ld: Option<[u64; 4]>,
    beta: f64,
    workspace: Option<u64>,
}

/// A model, and how it is used.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    files: Vec<PathBuf>,
    card: OneCard,
    vs: Vec<String>,
    vs_library: Option<PathBuf>,
    quantizations: Vec<String>,
    prompt: u64,
    ubatch: u64,
    sequences: u64,
    context: u64,
    flash_attention: Option<bool>,
    cache_type: String,
    memory: Option<u64>,
    multiprocessors: Option<u32>,
    batch: Option<u64>,
    dimensions: BTreeMap<String, u64>,
}

fn usage(what: impl Into<String>) -> AuditError {
    AuditError::Usage(what.into())
}

/// A document as JSON.
///
/// # Errors
///
/// If JSON cannot express it, which is a bug.
pub fn json(document: &impl Serialize) -> Result<String, AuditError> {
    serde_json::to_string(document).map_err(|error| usage(format!("the document cannot be written: {error}")))
}

fn card(word: &str) -> Result<Card, AuditError> {
    Card::card(word).map_err(|what| usage(format!("gpu {word}: {what}")))
}

fn targets(words: &[String]) -> Result<Vec<TargetId>, AuditError> {
    let target = |word: &String| {
        Card::from_word(word).map(|card| card.target).map_err(|what| usage(format!("{word}: {what}")))
    };
    words.iter().map(target).collect()
}

fn cards(words: &[String]) -> Result<Vec<Card>, AuditError> {
    words.iter().map(|word| card(word)).collect()
}

impl OneCard {
    fn claimed(&self) -> Result<(Card, Option<Claim>), AuditError> {
        let set = |text: &String| value(text).map_err(|what| usage(format!("override {text}: {what}")));
        claimed(&card(&self.gpu)?, self.override_value.as_ref().map(set).transpose()?.as_ref())
    }
}

/// The given number of multiprocessors, else the number that all meant products share.
fn multiprocessors(card: &Card, given: Option<u32>) -> Result<u32, AuditError> {
    given.or_else(|| card.multiprocessors()).ok_or_else(|| {
        usage(format!(
            "{}: how many multiprocessors the card has is not known; name the card by its product, or give multiprocessors",
            card.own()
        ))
    })
}

impl Product {
    fn letters(&self) -> Result<[Transpose; 2], AuditError> {
        let letters: Option<Vec<Transpose>> = self.trans.chars().map(Transpose::of_letter).collect();
        match letters.as_deref() {
            Some(&[a, b]) => Ok([a, b]),
            _ => Err(usage(format!("trans {:?}: two letters of N, T and C are expected", self.trans))),
        }
    }

    fn gemm(&self, card: &Card, given: Option<u32>) -> Result<GemmCall, AuditError> {
        let ty = GemmType::meant(&self.ty).map_err(|what| usage(format!("type {}: {what}", self.ty)))?;
        let units = multiprocessors(card, given)?;
        let mut call = GemmCall::new(&card.target, units, ty.name, self.letters()?, [self.m, self.n, self.k]);
        call.ld = self.ld.unwrap_or(call.ld);
        call.batch = self.batch;
        call.pack_batch();
        call.beta = self.beta;
        call.workspace = self.workspace.unwrap_or(call.workspace);
        call.check()?;
        Ok(call)
    }

    fn matmul(
        &self,
        card: &Card,
        given: Option<u32>,
        epilogue: &str,
        algorithms: usize,
    ) -> Result<MatmulCall, AuditError> {
        let ([a, b, c, d], compute) = types_of(&self.ty)?;
        let epilogue =
            Epilogue::meant(epilogue).map_err(|what| usage(format!("epilogue {epilogue}: {what}")))?;
        let units = multiprocessors(card, given)?;
        let mut call = MatmulCall::new(&card.target, units, a, self.letters()?, [self.m, self.n, self.k]);
        (call.b, call.c, call.d, call.comp) = (b, c, d, compute);
        call.ld = self.ld.unwrap_or(call.ld);
        call.batch = self.batch;
        call.set_epilogue(epilogue);
        call.beta = self.beta;
        call.workspace = self.workspace.unwrap_or(call.workspace);
        call.requested = algorithms;
        call.check()?;
        Ok(call)
    }
}

impl Model {
    fn answer(&self, trees: &Trees<'_>) -> Result<String, AuditError> {
        let (own, claim) = self.card.claimed()?;
        if let [file] = &self.files[..]
            && file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx"))
        {
            let question = OnnxQuestion {
                file: file.clone(),
                card: own,
                multiprocessors: self.multiprocessors,
                batch: self.batch,
                dimensions: self.dimensions.clone().into_iter().collect(),
                data: 0,
                environment: BTreeMap::new(),
                claim,
            };
            return json(&question.ask(trees)?);
        }
        let named = |word: &String| quantize::named(word).map_err(|error| usage(error.to_string()));
        let usage_of_it = ModelUsage {
            prompt: self.prompt,
            ubatch: self.ubatch,
            sequences: self.sequences,
            context: self.context.max(self.prompt.saturating_add(1)),
            flash: self.flash_attention,
            cache: types::named(&self.cache_type).map_err(|error| usage(error.to_string()))?,
        };
        let mut question = WeightsQuestion::new(self.files.clone(), own, usage_of_it);
        question.cards.extend(cards(&self.vs)?);
        question.quantizations = self.quantizations.iter().map(named).collect::<Result<_, _>>()?;
        question.multiprocessors = self.multiprocessors;
        question.vs_library.clone_from(&self.vs_library);
        (question.memory, question.claim) = (self.memory, claim);
        json(&question.ask(trees)?)
    }
}

impl Asked {
    /// Parses the parameters.
    ///
    /// # Errors
    ///
    /// `ValueError` if one is invalid.
    pub fn of(words: &str) -> PyResult<Self> {
        serde_json::from_str(words).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The answer as JSON.
    ///
    /// # Errors
    ///
    /// As [`Question::ask`].
    pub fn answer(&self, trees: &Trees<'_>) -> Result<String, AuditError> {
        match self {
            Asked::Verdict { card } => {
                let (card, claim) = card.claimed()?;
                let question = AuditQuestion { claim, ..AuditQuestion::about([card]) };
                json(&verdicts(&question.ask(trees)?))
            }
            Asked::Check { require, library, per_file, baseline } => {
                let question = CheckQuestion {
                    require: targets(require)?,
                    libraries: library.clone(),
                    per_file: *per_file,
                    baseline: baseline.clone(),
                    ..CheckQuestion::default()
                };
                json(&question.ask(trees)?)
            }
            Asked::Diff { targets: both, gpu, problems, bigger, kernels, isa } => {
                let both = targets(both)?;
                let reference = (!gpu.is_empty()).then_some(DiffProblems::Reference);
                let question = DiffQuestion {
                    targets: if both.is_empty() { None } else { Some(two(both)?) },
                    cards: cards(gpu)?,
                    problems: problems.clone().map(DiffProblems::File).or(reference),
                    bigger: *bigger,
                    code: *kernels,
                    instructions: *isa,
                };
                json(&question.ask(trees)?)
            }
            Asked::Needs {} => json(&NeedsQuestion::default().ask(trees)?),
            Asked::Manifest {} => json(&ManifestQuestion::default().ask(trees)?),
            Asked::Choose { gpu, system } => {
                let system = system.as_deref().map(operating_system).transpose()?;
                json(&ChooseQuestion { card: card(gpu)?, system }.ask(trees)?)
            }
            Asked::Explain { text, arch } => {
                json(&LogQuestion::of_text(text).about(targets(arch)?).ask(trees)?)
            }
            Asked::Survey { card: own, vs, multiprocessors } => {
                let ((card, claim), multiprocessors) = (own.claimed()?, *multiprocessors);
                let vs = vs.as_deref().map(self::card).transpose()?;
                json(&SurveyQuestion { card, vs, multiprocessors, claim }.ask(trees)?)
            }
            Asked::Gemm { card, multiprocessors, call } => {
                json(&call.gemm(&card.claimed()?.0, *multiprocessors)?.ask(trees)?)
            }
            Asked::Matmul { card, multiprocessors, call, epilogue, algorithms } => {
                let card = card.claimed()?.0;
                json(&call.matmul(&card, *multiprocessors, epilogue, *algorithms)?.ask(trees)?)
            }
            Asked::Conv { card, multiprocessors, problem, env } => {
                let question = convolution(card.claimed()?.0, *multiprocessors, problem, env)?;
                json(&question.ask(trees)?)
            }
            Asked::Ggml { card, multiprocessors, query, version } => {
                let question = route(card.claimed()?.0, *multiprocessors, query, version.as_deref())?;
                json(&question.ask(trees)?)
            }
            Asked::Model(model) => model.answer(trees),
        }
    }
}

fn operating_system(name: &str) -> Result<CandidateSystem, AuditError> {
    match name {
        "linux" => Ok(CandidateSystem::Linux),
        "windows" => Ok(CandidateSystem::Windows),
        other => Err(usage(format!("os {other}: expected \"linux\" or \"windows\""))),
    }
}

/// The question about a convolution: a key of a find-db, or what MIOpenDriver takes.
fn convolution(
    card: Card,
    given: Option<u32>,
    problem: &str,
    environment: &BTreeMap<String, String>,
) -> Result<ConvolutionQuestion, AuditError> {
    let compute_units = multiprocessors(&card, given)?;
    let key = match ConvolutionProblem::parse(problem) {
        Ok(_) => problem.to_owned(),
        Err(_) => notation::key(problem).map_err(|error| usage(error.to_string()))?,
    };
    rocm_audit::answers::check_environment(environment)?;
    let usual = ConvolutionQuestion::usual(key, Device { target: card.target, compute_units });
    Ok(ConvolutionQuestion { environment: environment.clone(), ..usual })
}

/// The question about a problem of ggml.
fn route(
    card: Card,
    given: Option<u32>,
    query: &str,
    version: Option<&str>,
) -> Result<RouteQuestion, AuditError> {
    let parsed = |text: &str| text.parse().map_err(|error| usage(format!("version {text}: {error}")));
    Ok(RouteQuestion {
        multiprocessors: given.or_else(|| card.multiprocessors()),
        target: card.target,
        query: query.parse().map_err(|error| usage(format!("query {query:?}: {error}")))?,
        version: version.map(parsed).transpose()?,
    })
}

fn two(targets: Vec<TargetId>) -> Result<[TargetId; 2], AuditError> {
    let count = targets.len();
    targets.try_into().map_err(|_| usage(format!("targets: two are compared, and {count} were named")))
}
