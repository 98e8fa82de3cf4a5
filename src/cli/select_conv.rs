//! `rocm-audit select conv`: which solver MIOpen takes for a convolution, by its databases and rules.

use super::global::{self, GlobalArgs};
use super::roots;
use crate::bytes::elf;
use crate::engines::miopen::device::Device;
use crate::engines::miopen::folder::{DatabaseFolder, DatabaseKind};
use crate::engines::miopen::gemm;
use crate::engines::miopen::problem::ConvolutionProblem;
use crate::engines::miopen::solver::convolution;
use crate::engines::miopen::solver::convolution::{FindDbs, Selection};
use crate::engines::miopen::solver::{Context, Part, Rules, Version};
use crate::engines::miopen::{notation, perf_db};
use crate::engines::tensile::library::Library;
use crate::error::AuditError;
use crate::input::walk;
use crate::render::{self, Format, conv};
use crate::report::{
    self,
    v1::{ConvAnswer, ConvEstimate, ConvRefusal, GemmReport},
};
use crate::source::{Access, SourceFile};
use crate::target::TargetId;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// The convolution, in terms of the forward one: fwd:fp16:n32:c256:h56:w56:k64:y3x3:s1:p1
    #[arg(required_unless_present_any = ["key", "problems"], conflicts_with = "key")]
    problem: Option<String>,
    /// The convolution as the key of a find-db
    #[arg(long)]
    key: Option<String>,
    /// Compute units of the device; from gfx10 on, work group processors
    #[arg(long, value_name = "N", required_unless_present = "problems")]
    cu: Option<u32>,
    /// The install, or the folder with the databases [default: $ROCM_PATH, else /opt/rocm*]
    #[arg(long, value_name = "PATH")]
    root: Option<PathBuf>,
    /// A user's find-db, whose records replace the installed ones
    #[arg(long, value_name = "FILE")]
    user_find_db: Option<PathBuf>,
    /// A part that the build of MIOpen lacks: assembly, hip, opencl, composable-kernel, mlir, gemm, naive; repeatable
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    without: Vec<String>,
    /// A variable that MIOpen would see, NAME=VALUE; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// The release of MIOpen whose solvers are asked
    #[arg(long, value_name = "VERSION", default_value = "3.3.0")]
    miopen: String,
    /// Bytes of workspace that the caller has [default: enough]
    #[arg(long, value_name = "BYTES")]
    workspace: Option<u64>,
    /// Answer the problems of FILE instead, one JSON object a line (id, arch, cu, key, options), a line each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["problem", "key", "cu"])]
    problems: Option<PathBuf>,
}

/// A line of `--problems`.
#[derive(Debug, Clone, Deserialize)]
struct Asked {
    #[serde(default)]
    id: serde_json::Value,
    arch: String,
    cu: u32,
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

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<(), AuditError> {
    let roots = match (&args.root, roots::resolve(args.root.as_slice())) {
        (Some(_), found) => found?,
        // Without an install the rules still say what can be.
        (None, found) => found.unwrap_or_default(),
    };
    let install = Install::open(&roots, args.user_find_db.as_deref())?;
    match &args.problems {
        Some(file) => problems(args, file, &install, global),
        None => one(args, &install, &roots, global),
    }
}

/// The databases of an install.
struct Install {
    folder: Option<DatabaseFolder>,
    user: Option<SourceFile>,
}

impl Install {
    fn open(roots: &[PathBuf], user: Option<&Path>) -> Result<Install, AuditError> {
        let open = |path: &Path| SourceFile::open(path).map_err(|e| AuditError::io("read", path, e));
        Ok(Install { folder: folder(roots), user: user.map(open).transpose()? })
    }

    /// The find-db that MIOpen opens for a device.
    fn find_db(&self, device: &Device) -> Result<Option<SourceFile>, AuditError> {
        self.file(device, DatabaseKind::FindDbHip)
    }

    fn file(&self, device: &Device, kind: DatabaseKind) -> Result<Option<SourceFile>, AuditError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let Some(database) = folder.choose(device, kind).read() else { return Ok(None) };
        let path = folder.path.join(&database.file);
        let file = SourceFile::open(&path).map_err(|e| AuditError::io("read", &path, e))?;
        file.expect(Access::Content);
        Ok(Some(file))
    }

    /// Tuned parameters of a solver and their file, as the perf-db has them that MIOpen opens: text first, which is the
    /// default build; a folder with SQLite alone is one of the other build.
    fn parameters(
        &self,
        device: &Device,
        problem: &ConvolutionProblem<'_>,
        solver: &str,
    ) -> Option<(String, String)> {
        let config = perf_db::Config::of(problem);
        let of = |tuned: Vec<perf_db::Tuned<'_>>, file: &SourceFile| {
            let parameters = tuned.into_iter().find(|t| t.solver == solver)?.parameters.into_owned();
            Some((parameters, file.path().file_name()?.to_string_lossy().into_owned()))
        };
        if let Some(file) = self.file(device, DatabaseKind::PerfDbText).ok().flatten() {
            let record = perf_db::find(file.bytes(), &config)?;
            return of(perf_db::items(&record).flatten().collect(), &file);
        }
        if self.folder.as_ref()?.of_kind(DatabaseKind::PerfDbText).next().is_some() {
            return None;
        }
        let file = self.file(device, DatabaseKind::PerfDbSqlite).ok().flatten()?;
        of(perf_db::SqlitePerfDb::open(&file).ok()?.find(&config).ok()?, &file)
    }
}

/// The folder with databases: a root itself, its `share/miopen/db`, or the first below it that has any.
fn folder(roots: &[PathBuf]) -> Option<DatabaseFolder> {
    let open = |path: &Path| DatabaseFolder::open(path).ok().filter(|folder| !folder.databases.is_empty());
    for root in roots {
        if let Some(found) = open(root).or_else(|| open(&root.join("share/miopen/db"))) {
            return Some(found);
        }
    }
    let entries = walk::walk(roots, &walk::Options::default()).entries;
    entries.iter().find_map(|entry| {
        let name = entry.path.file_name()?.to_str()?;
        DatabaseKind::of_name(name)?;
        open(entry.path.parent()?)
    })
}

fn context(target: &TargetId, cu: u32, asked: &AskedOptions) -> Result<Context, AuditError> {
    let mut context = Context::new(target.processor.clone(), cu);
    context.xnack = target.xnack;
    for name in &asked.without {
        let known = Part::ALL.iter().map(|p| p.name()).collect::<Vec<_>>().join(", ");
        let part = Part::of_name(name)
            .ok_or_else(|| AuditError::Usage(format!("{name}: no part of MIOpen; there are {known}")))?;
        context.without.push(part);
    }
    context.environment = asked.env.clone();
    if let Some(version) = &asked.miopen {
        context.version = Version::parse(version).ok_or_else(|| {
            AuditError::Usage(format!("{version}: a version is three numbers, such as 3.3.0"))
        })?;
    }
    Ok(context)
}

fn rules() -> Result<&'static Rules, AuditError> {
    Rules::miopen().map_err(|error| AuditError::Usage(error.to_string()))
}

fn problem_of(key: &str) -> Result<ConvolutionProblem<'_>, AuditError> {
    ConvolutionProblem::parse(key)
        .map_err(|error| AuditError::Usage(format!("{key}: no key of a find-db: {error}")))
}

fn one(args: &Args, install: &Install, roots: &[PathBuf], global: &GlobalArgs) -> Result<(), AuditError> {
    let [target] = &global.arch[..] else {
        return Err(AuditError::Usage("select conv: name one target with --arch".into()));
    };
    let key = match (&args.key, &args.problem) {
        (Some(key), _) => key.clone(),
        (None, Some(text)) => notation::key(text).map_err(|e| AuditError::Usage(e.to_string()))?,
        (None, None) => return Err(AuditError::Usage("select conv: name a convolution".into())),
    };
    let problem = problem_of(&key)?;
    let device = Device { target: target.clone(), compute_units: args.cu.unwrap_or_default() };
    let mut env = BTreeMap::new();
    for variable in &args.env {
        let (name, value) = variable
            .split_once('=')
            .ok_or_else(|| AuditError::Usage(format!("--env {variable}: NAME=VALUE is expected")))?;
        env.insert(name.to_owned(), value.to_owned());
    }
    let asked = AskedOptions {
        without: args.without.clone(),
        env,
        miopen: Some(args.miopen.clone()),
        workspace: args.workspace,
    };
    let context = context(target, device.compute_units, &asked)?;
    let rules = rules()?;
    let bound = rules.for_context(&context);
    let system = install.find_db(&device)?;
    let databases = FindDbs {
        user: install.user.as_ref().map(SourceFile::bytes),
        system: system.as_ref().map(SourceFile::bytes),
    };
    let selection = convolution::select(rules, &bound, &key, &problem, databases, args.workspace);
    for file in install.user.iter().chain(&system) {
        file.check_unchanged()
            .map_err(|what| AuditError::Usage(format!("{}: {what}", file.path().display())))?;
    }
    let pick = selection.pick.and_then(|at| selection.recorded.get(at)).map(|r| r.item.solver.to_owned());
    let convolution = report::Convolution {
        key: &key,
        problem: &problem,
        device: &device,
        folder: install.folder.as_ref(),
        user: install.user.as_ref().map(|file| file.path().display().to_string()),
        context: &context,
        parameters: pick.as_ref().and_then(|solver| install.parameters(&device, &problem, solver)),
        library: pick.as_ref().and_then(|solver| library(roots, solver)),
        gemm: gemm_of(&selection, &problem, &device, roots),
        selection: &selection,
    };
    let report = report::conv(&convolution);
    for (destination, format) in global.outputs()? {
        let text = match format {
            Format::Jsonl => render::json_line(&stated(&serde_json::Value::Null, &selection)),
            _ => conv::draw(&report, format, &global.style(&destination)),
        };
        global::write(&destination, &text)?;
    }
    Ok(())
}

/// The `libMIOpen.so` of an install, and whether it has the check of a solver among its symbols.
fn library(roots: &[PathBuf], solver: &str) -> Option<(String, bool)> {
    let folders = roots
        .iter()
        .flat_map(|root| ["lib", "lib64", "usr/lib/x86_64-linux-gnu", ""].map(|below| root.join(below)));
    let path = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten().find_map(
        |entry| {
            entry.file_name().to_str().filter(|name| name.starts_with("libMIOpen.so")).map(|_| entry.path())
        },
    )?;
    let file = SourceFile::open(&path).ok()?;
    // Templates stand with their parameters behind the name: the class is enough.
    let class = solver.split('<').next().unwrap_or(solver);
    let mangled = format!("{}{class}", class.len());
    // The names of its symbols; the gigabytes of other sections are not looked at.
    let names = elf::named_section(file.bytes(), b".dynstr")?;
    let has = memchr::memmem::find(names, mangled.as_bytes()).is_some();
    file.check_unchanged().ok()?;
    Some((path.file_name()?.to_string_lossy().into_owned(), has))
}

/// What rocBLAS of the same install does for the product of a GEMM solver.
fn gemm_of(
    selection: &Selection<'_, '_>,
    problem: &ConvolutionProblem<'_>,
    device: &Device,
    roots: &[PathBuf],
) -> Option<Result<GemmReport, String>> {
    let pick = selection.recorded.get(selection.pick?)?;
    if !pick.item.solver.starts_with("Gemm") {
        return None;
    }
    Some(rocblas(pick.item.solver, problem, device, roots))
}

fn rocblas(
    solver: &str,
    problem: &ConvolutionProblem<'_>,
    device: &Device,
    roots: &[PathBuf],
) -> Result<GemmReport, String> {
    let call = gemm::call(solver, problem, device)
        .ok_or_else(|| format!("the product that {solver} asks rocBLAS for is not written down here"))?;
    let folders = super::select::folders(roots);
    let library =
        folders.iter().find_map(|folder| Library::open(folder, &call.arch).ok()).ok_or_else(|| {
            format!("no rocBLAS catalogs for {} were found beside the databases", device.target)
        })?;
    report::gemm(&library, &call).map_err(|error| error.to_string())
}

/// An answer as `--problems` gives it.
fn stated<'a>(id: &'a serde_json::Value, s: &'a Selection<'_, '_>) -> ConvAnswer<'a> {
    ConvAnswer {
        id,
        kind: if s.is_hit() { "hit" } else { "miss" },
        pick: s.pick.and_then(|at| s.recorded.get(at)).map(|r| r.item.solver),
        line: s.record.map(|(_, record)| record.line),
        candidates: s.candidates.applicable.iter().map(|solver| solver.name.as_str()).collect(),
        measured: s.candidates.measured().map(|solver| solver.name.as_str()).collect(),
        rejected: s
            .candidates
            .rejected
            .iter()
            .map(|r| ConvRefusal { name: &r.solver.name, clause: &r.clause.id, because: &r.clause.because })
            .collect(),
        estimates: s
            .estimates
            .iter()
            .map(|e| ConvEstimate { solver: e.solver.name.clone(), wti: e.wti })
            .collect(),
    }
}

/// Answers the problems of a file in their order. What a device opens is opened once.
fn problems(args: &Args, file: &Path, install: &Install, global: &GlobalArgs) -> Result<(), AuditError> {
    let reader = std::fs::File::open(file).map_err(|e| AuditError::io("read", file, e))?;
    let rules = rules()?;
    let mut find_dbs: BTreeMap<(String, u32), Option<SourceFile>> = BTreeMap::new();
    let mut answers = Vec::new();
    for (number, line) in std::io::BufReader::new(reader).lines().enumerate() {
        let line = line.map_err(|e| AuditError::io("read", file, e))?;
        if line.trim().is_empty() {
            continue;
        }
        let place = || format!("{}, line {}", file.display(), number + 1);
        let asked: Asked = serde_json::from_str(&line)
            .map_err(|e| AuditError::Usage(format!("{}: not a problem: {e}", place())))?;
        let target = TargetId::parse(&asked.arch)
            .ok_or_else(|| AuditError::Usage(format!("{}: {} is no target", place(), asked.arch)))?;
        let device = Device { target: target.clone(), compute_units: asked.cu };
        let mut options = asked.options.clone();
        options.without.extend(args.without.iter().cloned());
        options.miopen.get_or_insert_with(|| args.miopen.clone());
        let context = context(&target, asked.cu, &options)?;
        let bound = rules.for_context(&context);
        let problem = problem_of(&asked.key)?;
        let slot = (device.target.to_string(), asked.cu);
        if !find_dbs.contains_key(&slot) {
            find_dbs.insert(slot.clone(), install.find_db(&device)?);
        }
        let system = find_dbs.get(&slot).and_then(Option::as_ref).map(SourceFile::bytes);
        let databases = FindDbs { user: install.user.as_ref().map(SourceFile::bytes), system };
        let workspace = options.workspace.or(args.workspace);
        let selection = convolution::select(rules, &bound, &asked.key, &problem, databases, workspace);
        answers.push(render::json_line(&stated(&asked.id, &selection)));
    }
    for (destination, _) in global.outputs()? {
        let mut out = global::open(&destination)?;
        let failed = |error| AuditError::io("write", destination.path(), error);
        for answer in &answers {
            out.write_all(answer.as_bytes()).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
    }
    Ok(())
}
