//! Convolutions: which databases and rules of the tree answer, and what MIOpen does with the problem.

use super::Answers;
use super::facts::StatedVersion;
use super::find_db_files::FindDbFiles;
use super::miopen_build::Lacking;
use super::tunanet_files::{TunaNetFiles, TuningModelFiles};
use crate::engines::miopen::device::Device;
use crate::engines::miopen::folder::{Choice, DatabaseFolder, DatabaseKind, FOLDER_VARIABLE};
use crate::engines::miopen::gemm;
use crate::engines::miopen::kernel_db;
use crate::engines::miopen::perf_db;
use crate::engines::miopen::problem::ConvolutionProblem;
use crate::engines::miopen::solver::convolution::{self, Selection};
use crate::engines::miopen::solver::find::Find;
use crate::engines::miopen::solver::parameters::kernel_launch::Launch;
use crate::engines::miopen::solver::parameters::launch;
use crate::engines::miopen::solver::parameters::sources;
use crate::engines::miopen::solver::parameters::{self, defaults, defaults::Begun};
use crate::engines::miopen::solver::release::Answering;
use crate::engines::miopen::solver::tuning;
use crate::engines::miopen::solver::{Bound, BuildPart, Context, SolverRules, Version};
use crate::engines::tensile::answer::GemmAnswer;
use crate::error::{AuditError, Unanswered};
use crate::input::folder::Folder;
use crate::source::{Access, SourceFile};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A convolution on a device, as a program would ask MIOpen for it.
#[derive(Debug, Clone)]
pub struct ConvolutionQuestion {
    /// The problem as the key of a find-db.
    pub key: String,
    /// The device.
    pub device: Device,
    /// Parts that the build of MIOpen lacks, in addition to those its library is seen to lack.
    pub without: Vec<BuildPart>,
    /// Environment variables that MIOpen would see.
    pub environment: BTreeMap<String, String>,
    /// MIOpen's release; if `None`, the one the tree states, else 3.3.0.
    pub version: Option<Version>,
    /// Workspace that the caller offers, in bytes; `None` means enough for any solver.
    pub workspace: Option<u64>,
}

impl ConvolutionQuestion {
    /// The question most programs ask: the tree's own release and parts, and no variables set.
    pub fn usual(key: String, device: Device) -> Self {
        let without = Vec::new();
        let environment = BTreeMap::new();
        ConvolutionQuestion { key, device, without, environment, version: None, workspace: None }
    }
}

/// Parameters of a solver's kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// The parameters as a perf-db writes them.
    pub text: String,
    /// Where they are from.
    pub from: ParametersFrom,
}

/// Where parameters are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParametersFrom {
    /// A row of the perf-db that MIOpen opens.
    PerfDb {
        /// The perf-db's file name.
        file: String,
        /// Whether only a build of MIOpen that reads SQLite perf-dbs has them; the default build reads text.
        only_in_sqlite_builds: bool,
    },
    /// The solver's own heuristic, since no perf-db has a row.
    Heuristic,
    /// A model beside the databases (KernelTuningNet), since no perf-db has a row.
    Model,
}

/// What is known of a solver's kernel before it is compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SolverKernel {
    /// The parameters that it is compiled with; `None` where they are not written down here.
    pub parameters: Option<Parameters>,
    /// The file of MIOpen's sources that its main kernel is in; `None` where it is not written down here.
    pub source: Option<String>,
    /// How the main kernel is launched; `None` where it is not written down here, or the parameters are not
    /// known.
    pub launch: Option<Launch>,
    /// How many kernels of that file the kernel database has that MIOpen opens; `None` without one, or where
    /// it cannot be read.
    pub built: Option<u64>,
    /// Those of them with these parameters among their options; `None` where it is not written down here how
    /// the solver's options tell them.
    pub alike: Option<u64>,
}

/// A variable that does not affect the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotModelled {
    /// The variable's name.
    pub name: String,
    /// The reason, as a clause.
    pub because: String,
}

/// How a value that rules depend on is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueSource {
    /// The caller stated it.
    Asked,
    /// A file of the tree states it.
    Tree(StatedVersion),
    /// Assumed, since nothing states it.
    Assumed,
}

/// What MIOpen does with a convolution, and the assumptions behind the answer.
#[derive(Debug)]
pub struct ConvolutionAnswer<'a> {
    /// What was asked.
    pub question: &'a ConvolutionQuestion,
    /// The problem.
    pub problem: ConvolutionProblem<'a>,
    /// Variables the caller set that no rule depends on; the answer would be the same without them.
    pub not_modelled: Vec<NotModelled>,
    /// What the answer assumes about device, build and environment.
    pub context: Context,
    /// How the version is known.
    pub version: ValueSource,
    /// The release whose rules gave the answer.
    pub rules: Answering,
    /// Parts that the library of the tree lacks.
    pub lacking: Vec<Lacking>,
    /// The tree's databases, if it has any.
    pub databases: Option<DatabaseFolder>,
    /// The user's find-db.
    pub user: Option<PathBuf>,
    /// The recorded, considered and refused solvers, and the one MIOpen takes.
    pub selection: Selection<'static, 'a>,
    /// The kernels of the solver that MIOpen takes and of all that take the problem, by the solver.
    pub kernels: BTreeMap<String, SolverKernel>,
    /// `libMIOpen.so`, if the tree has it, and whether its symbols name the solver that MIOpen takes.
    pub library: Option<(String, Option<bool>)>,
    /// What rocBLAS does for the product of a GEMM solver, or why this is unknown.
    pub gemm: Option<Result<GemmAnswer, Unanswered>>,
}

impl Answers {
    /// Opens the find-dbs of a device: the installed one that MIOpen would open, and the user's.
    ///
    /// # Errors
    /// If one of them cannot be opened.
    pub fn find_dbs(
        &self,
        question: &ConvolutionQuestion,
        user: Option<&Path>,
    ) -> Result<FindDbFiles, AuditError> {
        let open = |path: &Path| SourceFile::open(path).map_err(|e| AuditError::io("read", path, e));
        let folder = self.databases_of(question);
        let user = user.map(open).transpose()?;
        let system = match &folder {
            Some(_) if self.is_without_databases(question) => None,
            Some(folder) => open_database(folder, &question.device, DatabaseKind::FindDbHip)?,
            None => None,
        };
        let model = TunaNetFiles::in_folder(folder, self.facts.miopen().is_some());
        Ok(FindDbFiles::new(user, system, model))
    }

    /// What MIOpen's databases and rules say about a convolution, and the release of these rules.
    ///
    /// # Errors
    /// If the key is invalid, or the crate's own rules are wrong.
    pub fn selection<'a>(
        &self,
        question: &'a ConvolutionQuestion,
        find_dbs: &'a FindDbFiles,
    ) -> Result<(Answering, Selection<'static, 'a>), AuditError> {
        self.bound_for([question])?.selection(question, find_dbs)
    }

    /// The rules for the devices, builds and environments of many questions, each decided once.
    ///
    /// # Errors
    /// If the crate's own rules are wrong.
    pub fn bound_for<'q>(
        &self,
        questions: impl IntoIterator<Item = &'q ConvolutionQuestion>,
    ) -> Result<BoundConvolutions<'_>, AuditError> {
        let mut bound = BoundConvolutions { answers: self, bound: Vec::new() };
        for question in questions {
            let (context, _) = self.context(question);
            if bound.bound_for(&context).is_none() {
                bound.bound.push(rules()?.for_context(&context));
            }
        }
        Ok(bound)
    }

    /// What MIOpen does with a convolution, including the solver's parameters, the build and the product.
    ///
    /// # Errors
    /// If the key is invalid, the crate's own rules are wrong, or a database changed while it was read.
    pub fn convolution<'a>(
        &self,
        question: &'a ConvolutionQuestion,
        find_dbs: &'a FindDbFiles,
    ) -> Result<ConvolutionAnswer<'a>, AuditError> {
        let problem = parse(&question.key)?;
        let (context, version) = self.context(question);
        let selection = select(question, &problem, &rules()?.for_context(&context), find_dbs)?;
        for file in find_dbs.user.iter().chain(&find_dbs.system) {
            file.check_unchanged()
                .map_err(|what| AuditError::Unreadable(format!("{}: {what}", file.locator().shown())))?;
        }
        let pick = selection.pick.and_then(|at| selection.recorded.get(at)).map(|r| r.item.solver.to_owned());
        let device = &question.device;
        let folder = self.databases_of(question);
        let opened = folder.as_ref().filter(|_| !self.is_without_databases(question));
        let tuned = opened.and_then(|opened| tuned_rows(opened, device, &problem)).unwrap_or_default();
        let model = TuningModelFiles::of_folder(folder.as_ref());
        let built = opened.map(|opened| open_database(opened, device, DatabaseKind::KernelDb));
        let built = built.and_then(|opened| opened.ok().flatten());
        let kernel = |solver: &str| {
            let begun = || Some(begun(&defaults::first(solver, &context, &problem, model.read(solver))?));
            let parameters = tuned.of_solver(solver).or_else(begun);
            let text = parameters.as_ref().map(|own| own.text.as_str());
            let source = sources::main_source(solver, &context, &problem, text);
            let launch = launch::main_launch(solver, &context, &problem, text);
            let named = text.map(|text| parameters::named(solver, text)).unwrap_or_default();
            let named: Vec<(&str, &str)> = named.iter().map(|own| (own.name, own.value.as_str())).collect();
            let options = kernel_db::known_options(solver, &problem, &named);
            let asked = options.as_deref().unwrap_or_default();
            let in_database = |source: &String| kernel_db::kernels_of(built.as_ref()?, source, asked).ok();
            let found = source.as_ref().and_then(in_database);
            let alike = found.filter(|_| options.is_some()).map(|found| found.alike);
            SolverKernel { built: found.map(|found| found.all), alike, parameters, source, launch }
        };
        let applicable = selection.candidates.applicable.iter().map(|solver| solver.name.to_owned());
        let kernels =
            applicable.chain(pick.clone()).map(|solver| (solver.clone(), kernel(&solver))).collect();
        let library = self.facts.miopen();
        Ok(ConvolutionAnswer {
            kernels,
            databases: folder,
            library: library.map(|l| (l.file.clone(), pick.as_ref().map(|solver| l.has_solver(solver)))),
            not_modelled: not_modelled(question)?,
            gemm: pick.as_ref().filter(|s| s.starts_with("Gemm")).map(|s| self.product(s, &problem, device)),
            lacking: library.map(|library| library.without.clone()).unwrap_or_default(),
            user: find_dbs.user.as_ref().map(|file| file.path().to_owned()),
            question,
            problem,
            rules: rules()?.releases().answering(context.version),
            context,
            version,
            selection,
        })
    }

    /// What the rules depend on: the caller's values first, then the tree's, then defaults.
    pub(super) fn context(&self, question: &ConvolutionQuestion) -> (Context, ValueSource) {
        let target = &question.device.target;
        let mut context = Context::new(target.processor.clone(), question.device.compute_units);
        context.xnack = target.xnack;
        context.without.clone_from(&question.without);
        context.environment.clone_from(&question.environment);
        if let Some(library) = self.facts.miopen() {
            let more = library.without.iter().map(|lacking| lacking.part);
            let more: Vec<BuildPart> = more.filter(|part| !context.without.contains(part)).collect();
            context.without.extend(more);
        }
        if self.lacks_tuning_models(question) {
            context.without.push(BuildPart::TuningModels);
        }
        let decided = match (question.version, self.facts.miopen_version()) {
            (Some(version), _) => {
                context.version = version;
                ValueSource::Asked
            }
            (None, Some(stated)) => {
                context.version = stated.version;
                ValueSource::Tree(stated)
            }
            (None, None) => ValueSource::Assumed,
        };
        (context, decided)
    }

    /// The databases MIOpen would use: those in the folder its environment names, else the tree's.
    fn databases_of(&self, question: &ConvolutionQuestion) -> Option<DatabaseFolder> {
        match question.environment.get(FOLDER_VARIABLE).filter(|path| !path.is_empty()) {
            Some(path) => DatabaseFolder::open(Folder::on_disk(path)).ok(),
            None => self.databases().cloned(),
        }
    }

    /// Whether the processor has a model for the parameters of a kernel, and its files are not where MIOpen
    /// looks for them.
    fn lacks_tuning_models(&self, question: &ConvolutionQuestion) -> bool {
        let Some(files) = tuning::files_of(&question.device.target.processor) else { return false };
        match self.databases_of(question) {
            Some(folder) => !files.iter().all(|file| folder.place.has(file)),
            // Beside a library without a folder there is none; without either nothing is known.
            None => self.facts.miopen().is_some(),
        }
    }

    /// Whether the build never opens the databases of the installation.
    pub(super) fn is_without_databases(&self, question: &ConvolutionQuestion) -> bool {
        let lacks = |lacking: &Lacking| lacking.part == BuildPart::SystemDatabases;
        question.without.contains(&BuildPart::SystemDatabases)
            || self.facts.miopen().is_some_and(|library| library.without.iter().any(lacks))
    }

    /// Whether anything of MIOpen is here: its library or a folder of its databases. Without databases its rules
    /// still say what it measures.
    pub(super) fn has_miopen(&self) -> bool {
        !self.facts.database_folders.is_empty() || self.facts.miopen().is_some()
    }

    /// The databases that MIOpen would use.
    pub fn databases(&self) -> Option<&DatabaseFolder> {
        self.databases.get_or_init(|| self.facts.databases(&self.install)).as_ref()
    }

    /// What rocBLAS of the same tree does for the product of a GEMM solver.
    fn product(
        &self,
        solver: &str,
        problem: &ConvolutionProblem<'_>,
        device: &Device,
    ) -> Result<GemmAnswer, Unanswered> {
        let call = gemm::call(solver, problem, device)
            .ok_or_else(|| format!("the product that {solver} asks rocBLAS for is not written down here"))?;
        let library = self.find_rocblas(&call.target).map_err(|_| {
            format!("no rocBLAS catalogs for {} were found beside the databases", device.target)
        })?;
        library.answer(&call).map_err(|error| super::gemm::ends_in_a_crash(error).to_string().into())
    }
}

/// MIOpen's rules bound to several devices, builds and environments; any number of convolutions can use them,
/// also in parallel.
#[derive(Debug)]
pub struct BoundConvolutions<'a> {
    answers: &'a Answers,
    bound: Vec<Bound<'static>>,
}

impl BoundConvolutions<'_> {
    fn bound_for(&self, context: &Context) -> Option<&Bound<'static>> {
        self.bound.iter().find(|bound| bound.context() == context)
    }

    /// As [`Answers::selection`].
    ///
    /// # Errors
    /// As there, and where the rules were not bound for the device, build and environment of the question.
    pub fn selection<'q>(
        &self,
        question: &'q ConvolutionQuestion,
        find_dbs: &'q FindDbFiles,
    ) -> Result<(Answering, Selection<'static, 'q>), AuditError> {
        let problem = parse(&question.key)?;
        let (context, _) = self.answers.context(question);
        let unbound =
            || AuditError::Internal("rules are asked for another device than they were bound for".into());
        let bound = self.bound_for(&context).ok_or_else(unbound)?;
        let answering = rules()?.releases().answering(context.version);
        Ok((answering, select(question, &problem, bound, find_dbs)?))
    }
}

/// This crate's rules for MIOpen.
pub(super) fn rules() -> Result<&'static SolverRules, AuditError> {
    SolverRules::miopen().map_err(|error| AuditError::Internal(error.to_string()))
}

/// Applies databases and rules to a problem in a context.
fn select<'a>(
    question: &'a ConvolutionQuestion,
    problem: &ConvolutionProblem<'_>,
    bound: &Bound<'static>,
    find_dbs: &'a FindDbFiles,
) -> Result<Selection<'static, 'a>, AuditError> {
    let rules = rules()?;
    let (key, workspace) = (&question.key, question.workspace);
    Ok(convolution::select(rules, bound, key, problem, find_dbs.databases(), workspace))
}

fn parse(key: &str) -> Result<ConvolutionProblem<'_>, AuditError> {
    ConvolutionProblem::parse(key)
        .map_err(|error| AuditError::Usage(format!("{key}: no key of a find-db: {error}")))
}

fn open_database(
    folder: &DatabaseFolder,
    device: &Device,
    kind: DatabaseKind,
) -> Result<Option<SourceFile>, AuditError> {
    let Some(database) = folder.choose(device, kind).read() else { return Ok(None) };
    let file = folder.place.open(&database.file);
    let file = file.map_err(|e| AuditError::io("read", folder.place.path_of(&database.file), e))?;
    file.expect(Access::Content);
    Ok(Some(file))
}

/// The rows of a perf-db for a problem.
#[derive(Debug, Default)]
struct TunedRows {
    /// Solvers and their parameters.
    rows: Vec<(String, String)>,
    file: String,
    only_in_sqlite_builds: bool,
}

impl TunedRows {
    fn of_solver(&self, solver: &str) -> Option<Parameters> {
        let (_, text) = self.rows.iter().find(|(own, _)| own == solver)?;
        let from = ParametersFrom::PerfDb {
            file: self.file.clone(),
            only_in_sqlite_builds: self.only_in_sqlite_builds,
        };
        Some(Parameters { text: text.clone(), from })
    }
}

fn begun(begun: &Begun) -> Parameters {
    let from = match begun {
        Begun::Heuristic(_) => ParametersFrom::Heuristic,
        Begun::Model(_) => ParametersFrom::Model,
    };
    Parameters { text: begun.text().to_owned(), from }
}

/// A problem's rows in the perf-db that MIOpen opens. Text comes first because the default build
/// reads text; a folder with only SQLite files belongs to the other build.
fn tuned_rows(
    folder: &DatabaseFolder,
    device: &Device,
    problem: &ConvolutionProblem<'_>,
) -> Option<TunedRows> {
    let config = perf_db::Config::from_problem(problem);
    let of = |tuned: Vec<perf_db::TunedSolver<'_>>, choice: Choice<'_>| {
        let rows = tuned.into_iter().map(|row| (row.solver.into_owned(), row.parameters.into_owned()));
        let database = choice.file()?;
        let only_in_sqlite_builds = database.kind == DatabaseKind::PerfDbSqlite;
        Some(TunedRows { rows: rows.collect(), file: database.file.clone(), only_in_sqlite_builds })
    };
    let open = |kind| open_database(folder, device, kind).ok().flatten();
    if let Some(file) = open(DatabaseKind::PerfDbText) {
        let record = perf_db::find(file.bytes(), &config)?;
        return of(
            perf_db::items(&record).flatten().collect(),
            folder.choose(device, DatabaseKind::PerfDbText),
        );
    }
    if folder.of_kind(DatabaseKind::PerfDbText).next().is_some() {
        return None;
    }
    let file = open(DatabaseKind::PerfDbSqlite)?;
    let tuned = perf_db::SqlitePerfDb::open(&file).ok()?.find(&config).ok()?;
    of(tuned, folder.choose(device, DatabaseKind::PerfDbSqlite))
}

/// The variables in a question that no rule depends on.
fn not_modelled(question: &ConvolutionQuestion) -> Result<Vec<NotModelled>, AuditError> {
    let rules = rules()?;
    let why =
        |name: &String| Some(NotModelled { because: rules.why_not_modelled(name)?, name: name.clone() });
    Ok(question.environment.keys().filter_map(why).collect())
}

/// The way of a find in an environment.
///
/// # Errors
/// If a variable has a value at which MIOpen stops.
pub fn check_environment(environment: &BTreeMap<String, String>) -> Result<(), AuditError> {
    let context = Context { environment: environment.clone(), ..Context::new("", 0) };
    let find = Find::in_context(&context, rules()?);
    find.map(|_| ()).map_err(|bad| AuditError::Usage(bad.to_string()))
}
