//! `rocm-audit select conv`: which solver MIOpen takes for a convolution, by its databases and rules.

use super::problems::{self, Problem};
use crate::answers::{Answers, ConvolutionQuestion, FindDbFiles, findings};
use crate::cli::exit::Status;
use crate::cli::global::GlobalArgs;
use crate::cli::gpu;
use crate::cli::miopen_environment::{checked, environment};
use crate::cli::roots;
use crate::engines::miopen::device::Device;
use crate::engines::miopen::folder::FOLDER_VARIABLE;
use crate::engines::miopen::notation;
use crate::engines::miopen::problem::ConvolutionProblem;
use crate::engines::miopen::solver::{BuildPart, Version};
use crate::engines::workload;
use crate::error::{AuditError, NotUnderstood};
use crate::finding::Finding;
use crate::render::{self, Draw as _, Format};
use crate::report;
use crate::target::TargetId;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rocm_audit_files::key_map::KeyMap;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = crate::cli::exit::HELP)]
pub(in crate::cli) struct Args {
    /// The convolution as the key of a find-db
    #[arg(long)]
    key: Option<String>,
    /// Compute units of the device; from gfx10 on, work group processors [default: those of the card that
    /// --gpu names]
    #[arg(long, value_name = "N")]
    cu: Option<u32>,
    /// A user's find-db, whose records replace the installed ones
    #[arg(long, value_name = "FILE")]
    user_find_db: Option<PathBuf>,
    /// A part that the build of MIOpen lacks: assembly, hip, opencl, composable-kernel, mlir, gemm, naive;
    /// repeatable
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = gpu::trimmed)]
    without: Vec<String>,
    /// A variable that MIOpen would see, NAME=VALUE; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// The release of MIOpen whose solvers are asked [default: what the install states, else 3.3.0]; the
    /// answer says so where the rules of another release answer
    #[arg(long, value_name = "VERSION")]
    miopen: Option<String>,
    /// Bytes of workspace that the caller has [default: enough]
    #[arg(long, value_name = "BYTES")]
    workspace: Option<u64>,
    /// Answer the problems of FILE instead, one JSON object a line (id, arch, cu, key, options), a line each;
    /// arch and cu are those of the call where a line has none
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    problems: Option<PathBuf>,
    /// The convolution, in terms of the forward one (fwd:fp16:n32:c256:h56:w56:k64:y3x3:s1:p1), unless --key
    /// or --problems has it; then the install, or the folder with the databases [default: $ROCM_PATH, else
    /// /opt/rocm*]
    #[arg(value_name = "PROBLEM|PATH", num_args = 0..=2)]
    words: Vec<String>,
}

impl Args {
    /// The convolution, where no option has it, and the path of the install.
    fn problem_and_path(&self) -> Result<(Option<&str>, Option<&str>), AuditError> {
        let elsewhere = self.key.is_some() || self.problems.is_some();
        match (&self.words[..], elsewhere) {
            ([], true) => Ok((None, None)),
            ([path], true) => Ok((None, Some(path))),
            ([problem], false) => Ok((Some(problem), None)),
            ([problem, path], false) => Ok((Some(problem), Some(path))),
            (_, true) => Err(AuditError::Usage(
                "select conv: --key and --problems name the convolution, so only one PATH can follow".into(),
            )),
            (_, false) => Err(AuditError::Usage(
                "select conv: name a convolution, such as fwd:fp16:n32:c256:h56:w56:k64:y3x3:p1, or --key, or --problems"
                    .into(),
            )),
        }
    }
}

/// A line of `--problems`.
#[derive(Debug, Clone, Deserialize)]
struct ProblemLine {
    #[serde(default)]
    id: serde_json::Value,
    /// Where a line names none, the device of the call.
    arch: Option<String>,
    cu: Option<u32>,
    key: String,
    #[serde(default)]
    options: AskedOptions,
}

/// What may be said beside a problem.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedOptions {
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    miopen: Option<String>,
    #[serde(default)]
    workspace: Option<u64>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let (problem, path) = args.problem_and_path()?;
    let roots = match (path, roots::resolve(path.map(PathBuf::from).as_slice())) {
        (Some(_), found) => found?,
        // Without an install the rules still say what can be.
        (None, found) => found.unwrap_or_default(),
    };
    let stack = Answers::open(&roots);
    match &args.problems {
        Some(file) => {
            let unread = answer_all(args, file, &stack, global)?;
            super::status_of_lines(global, &stack.found(unread))
        }
        None => answer_one(args, problem, &stack, global),
    }
}

fn answer_one(
    args: &Args,
    problem: Option<&str>,
    stack: &Answers,
    global: &GlobalArgs,
) -> Result<Status, AuditError> {
    let target = super::target(global, "select conv")?;
    let key = match (&args.key, problem) {
        (Some(key), _) => key.clone(),
        (None, Some(text)) => notation::key(text).map_err(|e| AuditError::Usage(e.to_string()))?,
        (None, None) => return Err(AuditError::Usage("select conv: name a convolution".into())),
    };
    let device =
        Device { target: target.clone(), compute_units: global.multiprocessors(args.cu, "select conv")? };
    let question = ConvolutionQuestion {
        key,
        device,
        without: parts(&args.without)?,
        environment: environment(&args.env)?,
        version: version(args.miopen.as_deref())?,
        workspace: args.workspace,
    };
    let find_dbs = stack.find_dbs(&question, args.user_find_db.as_deref())?.for_key(&question.key);
    let answer = stack.convolution(&question, &find_dbs)?;
    let found = stack.found(findings::of_convolution(&answer));
    let report = report::conv(&answer, &found);
    global.write_each(&|format, style| match format {
        Format::Jsonl => {
            let null = serde_json::Value::Null;
            Ok(render::json_line(&report::conv_line(
                &null,
                &answer.rules,
                &answer.selection,
                global.is_verbose(),
            ))
            .into())
        }
        _ => report.draw(format, style),
    })?;
    super::status(global, &found)
}

fn parts(names: &[String]) -> Result<Vec<BuildPart>, AuditError> {
    let part = |name: &String| {
        let known = || BuildPart::ALL.iter().map(|p| p.name()).collect::<Vec<_>>().join(", ");
        BuildPart::of_name(name)
            .ok_or_else(|| AuditError::Usage(format!("{name}: no part of MIOpen; there are {}", known())))
    };
    names.iter().map(part).collect()
}

fn version(text: Option<&str>) -> Result<Option<Version>, AuditError> {
    let parse = |text: &str| {
        Version::parse(text)
            .ok_or_else(|| AuditError::Usage(format!("{text}: a version is three numbers, such as 3.3.0")))
    };
    text.map(parse).transpose()
}

/// The variables of a line, and those of the call that the line does not name.
fn of_line(args: &Args, asked: &ProblemLine) -> Result<BTreeMap<String, String>, AuditError> {
    let mut all = environment(&args.env)?;
    all.extend(asked.options.env.clone());
    Ok(all)
}

/// What a line of `--problems` asks; what it leaves open, the options of the call say.
fn question(args: &Args, asked: &ProblemLine, device: Device) -> Result<ConvolutionQuestion, AuditError> {
    let mut without = parts(&asked.options.without)?;
    without.extend(parts(&args.without)?);
    Ok(ConvolutionQuestion {
        key: asked.key.clone(),
        device,
        without,
        environment: checked(of_line(args, asked)?)?,
        version: version(asked.options.miopen.as_deref().or(args.miopen.as_deref()))?,
        workspace: asked.options.workspace.or(args.workspace),
    })
}

const NO_UNITS: &str = "it has no cu, and the call names no number of compute units";

/// Problems whose answers are kept in memory at a time.
const TOGETHER: usize = 4096;

/// Answers the problems of a file in their order, many at a time. What a device opens is opened once. Gives
/// what could not be read.
fn answer_all(
    args: &Args,
    file: &Path,
    stack: &Answers,
    global: &GlobalArgs,
) -> Result<Vec<Finding>, AuditError> {
    let listed = |problem, id: String| {
        let workload::Problem::Convolution(key) = problem else { return Err(problems::other_library()) };
        let asked =
            ProblemLine { id: id.into(), arch: None, cu: None, key, options: AskedOptions::default() };
        Ok((question_of(args, global, &asked)?, asked.id))
    };
    let own = |asked: ProblemLine| Ok((question_of(args, global, &asked)?, asked.id));
    let all = problems::read(file, own, listed)?;
    let questions =
        || all.iter().filter_map(|problem| problem.asked.as_ref().ok()).map(|(question, _)| question);
    let slot = |question: &ConvolutionQuestion| {
        let folder = question.environment.get(FOLDER_VARIABLE).cloned();
        (question.device.target.clone(), question.device.compute_units, folder)
    };
    let mut find_dbs: KeyMap<(TargetId, u32, Option<String>), FindDbFiles> = KeyMap::new();
    for question in questions() {
        let slot = slot(question);
        if !find_dbs.contains_key(&slot) {
            let opened = stack.find_dbs(question, args.user_find_db.as_deref())?;
            find_dbs.insert(slot, opened.for_many(all.len()));
        }
    }
    let bound = stack.bound_for(questions())?;
    let answer = |problem: &Problem<(ConvolutionQuestion, serde_json::Value)>| {
        let (question, id) = match &problem.asked {
            Ok(asked) => asked,
            Err(wrong) => return Ok(wrong.answer()),
        };
        let Some(opened) = find_dbs.get(&slot(question)) else { return Ok(String::new()) };
        let (rules, selection) = bound.selection(question, opened)?;
        Ok(render::json_line(&report::conv_line(id, &rules, &selection, global.is_verbose())))
    };
    problems::write(global, |out| {
        all.chunks(TOGETHER).try_for_each(|some| {
            let answers: Vec<String> = some.par_iter().map(answer).collect::<Result<_, AuditError>>()?;
            answers.iter().try_for_each(|answer| out(answer))
        })
    })?;
    Ok(problems::unread(&all))
}

/// The question of a line, with what is wrong in it.
fn question_of(
    args: &Args,
    global: &GlobalArgs,
    asked: &ProblemLine,
) -> Result<ConvolutionQuestion, NotUnderstood> {
    let target = match &asked.arch {
        Some(name) => {
            let target = TargetId::parse(name).filter(|target| target.known().is_some());
            target.ok_or_else(|| format!("{name} is no target; `rocm-audit list arches` has them"))?
        }
        None => problems::target_of_call(global)?,
    };
    let of_call = || match args.cu {
        Some(units) => Ok(units),
        // The card of the call says nothing of a line's own target.
        None if asked.arch.is_none() => global.card_multiprocessors().ok_or(NO_UNITS),
        None => Err(NO_UNITS),
    };
    let compute_units = asked.cu.map_or_else(of_call, Ok)?;
    ConvolutionProblem::parse(&asked.key).map_err(|error| format!("{}: {error}", asked.key))?;
    question(args, asked, Device { target, compute_units }).map_err(|error| error.to_string().into())
}
