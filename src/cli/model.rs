//! `rocm-audit model FILE... --gpu GPU [PATH...]`: which kernels a model takes on a card.

use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs, Gpu};
use super::{must_exist, roots};
use crate::engines::ggml::Version;
use crate::engines::ggml::presence::Library;
use crate::engines::ggml::types::{self, Type};
use crate::engines::miopen::device::Device;
use crate::engines::model::gguf::{self, Header};
use crate::engines::model::network::Network;
use crate::engines::onnx;
use crate::engines::onnx::shape::Sizes;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::finding::rules::answer::MODEL_PART_MISSING;
use crate::render::{self, Format};
use crate::report;
use crate::report::model::Modelled;
use crate::report::model_graph::Graphed;
use crate::source::SourceFile;
use crate::stack::Stack;
use crate::stack::model::{MULTIPROCESSORS, ModelQuestion, UBATCHES_OF_A_PROMPT, Usage};
use crate::stack::onnx::{DATA, GraphQuestion};
use crate::target::TargetId;
use std::path::{Path, PathBuf};

/// The end of `--help`.
const EXAMPLES: &str = "Examples:
  rocm-audit model Llama-3.1-8B-Q4_K_M.gguf --gpu gfx90a
  rocm-audit model gpt-oss-20b.gguf --gpu MI210 --vs gfx906 -u 128 /usr/lib/x86_64-linux-gnu

Only headers are read: a file of 40 GB costs no more than a small one. Of a model that is split, the first file is enough.

Exit status: 0 done, 1 something was found that --fail-on names, 2 the call, an input or an output is unusable.";

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// GGUF files of one model or an ONNX file, and behind them trees or packages with ggml's library, rocBLAS, MIOpen's databases
    /// [default: rules alone]
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Tokens of the prompt
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    prompt: u64,
    /// Most tokens that are computed at once (llama.cpp: -ub)
    #[arg(short = 'u', long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 16))]
    ubatch: u64,
    /// Sequences that are continued together in the phase with several (llama.cpp: -np); 1 for none
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1 << 10))]
    sequences: u64,
    /// Tokens of a sequence that the cache holds (llama.cpp: -c)
    #[arg(short, long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    context: u64,
    /// Whether attention is one operation (llama.cpp: -fa)
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    flash_attention: Flash,
    /// Type of keys and values in the cache (llama.cpp: -ctk, -ctv)
    #[arg(long, value_name = "TYPE", value_parser = cache, default_value = "f16")]
    cache_type: Type,
    /// Beside this card
    #[arg(long, value_name = "GPU", value_parser = global::gpu)]
    vs: Option<Gpu>,
    /// Multiprocessors as HIP counts them, for rocBLAS: compute units, or work group processors on RDNA [default: the
    /// card's, else 60]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    cu: Option<u32>,
    /// ONNX: the batch, in place of first dimensions of inputs that are open, 0 or 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    batch: Option<u64>,
    /// ONNX: a dimension that has a name, NAME=N; repeatable
    #[arg(long, value_name = "NAME=N", value_parser = dimension)]
    dim: Vec<(String, u64)>,
    /// ONNX: type of data, fp32, fp16 or bf16
    #[arg(long, value_name = "TYPE", value_parser = data, default_value = "fp32")]
    data: usize,
    /// The version of ggml whose rules are asked [default: as the library says, else the latest]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    ggml: Option<Version>,
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum Flash {
    /// Where the card takes attention of all blocks
    #[default]
    Auto,
    On,
    Off,
}

fn cache(text: &str) -> Result<Type, String> {
    types::named(text).map_err(|error| error.to_string())
}

/// `NAME=N`.
fn dimension(text: &str) -> Result<(String, u64), String> {
    let pair = text.split_once('=').and_then(|(name, size)| Some((name.to_owned(), size.parse().ok()?)));
    pair.ok_or_else(|| "a name and a number are expected: NAME=N".to_owned())
}

/// The place of a type of data.
fn data(text: &str) -> Result<usize, String> {
    let found = DATA.iter().position(|(name, _)| name.eq_ignore_ascii_case(text));
    found.ok_or_else(|| "no such type of data; known are fp32, fp16, bf16".to_owned())
}

fn version(text: &str) -> Result<Version, String> {
    text.parse()
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let [target] = &global.arch[..] else {
        let what = "model: name the one card that it is for, with --gpu \"RX 6600\" or --arch gfx1032";
        return Err(AuditError::Usage(what.into()));
    };
    let judge = Judge::new(global, FailOn::Damage, exit::ANSWER)?;
    if args.prompt.div_ceil(args.ubatch) > UBATCHES_OF_A_PROMPT as u64 {
        let what = format!(
            "model: a prompt is cut into {UBATCHES_OF_A_PROMPT} batches at most; a larger --ubatch is needed"
        );
        return Err(AuditError::Usage(what));
    }
    let (files, trees) = sorted(&args.paths)?;
    if files.iter().any(|file| is_onnx(file)) {
        return graph(args, &files, trees, target, global);
    }
    let read = Files::read(files)?;
    let network = Network::of(&read.headers);
    let mut problems = read.problems;
    problems.extend(missing_parts(&read.shown, &network));
    let usage = Usage {
        prompt: args.prompt,
        ubatch: args.ubatch,
        sequences: args.sequences,
        context: args.context.max(args.prompt.saturating_add(1)),
        flash: match args.flash_attention {
            Flash::Auto => None,
            Flash::On => Some(true),
            Flash::Off => Some(false),
        },
        cache: args.cache_type,
    };
    let trees = if trees.is_empty() { trees } else { roots::resolve(&trees)? };
    let stack = Stack::open(&trees);
    let library = stack.ggml()?;
    let first = global.gpu.first().cloned().unwrap_or(Gpu { target: target.clone(), products: Vec::new() });
    let ask = |gpu: &Gpu| {
        let assumed = || gpu.most_multiprocessors().unwrap_or(MULTIPROCESSORS);
        let multiprocessors = args.cu.or_else(|| gpu.multiprocessors()).unwrap_or_else(assumed);
        let question =
            ModelQuestion { target: gpu.target.clone(), version: args.ggml, multiprocessors, usage };
        stack.model_with(&network, question, library.as_ref())
    };
    let mut answers = vec![ask(&first)?];
    if let Some(other) = &args.vs {
        answers.push(ask(other)?);
    }
    let modelled = Modelled {
        files: read.shown,
        network: &network,
        problems,
        is_header_only: read.headers.iter().any(|header| header.is_header_only),
        multiprocessors_assumed: args.cu.is_none() && first.multiprocessors().is_none(),
    };
    let report = report::model::model(&modelled, &usage, &answers);
    for (destination, format) in global.outputs()? {
        let text = match format {
            Format::Jsonl => render::model::lines(&report),
            _ => render::model::draw(&report, format, &global.style(&destination)),
        };
        global::write(&destination, &text)?;
    }
    let mut unread = stack.install().faults().to_vec();
    let file = library.as_ref().map(Library::file);
    unread.extend(file.map_or_else(Vec::new, |file| {
        Finding::all_of_bytes(&file.file.locator().shown(), &file.container.problems)
    }));
    unread.iter().for_each(|finding| global::complain(&finding.to_string()));
    Ok(judge.report(&report.findings).findings(&unread).status())
}

/// Files of models, and what else was named.
fn sorted(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), AuditError> {
    let (mut files, mut trees) = (Vec::new(), Vec::new());
    for path in paths {
        must_exist(path)?;
        if is_model(path) { files.push(path.clone()) } else { trees.push(path.clone()) }
    }
    if files.is_empty() {
        let what = "model: none of these is a GGUF or ONNX file; name one before the trees";
        return Err(AuditError::Usage(what.into()));
    }
    // Of a model that is split, one file names the others.
    if let [one] = &files[..] {
        files = parts_of(one).unwrap_or(files);
    }
    Ok((files, trees))
}

fn is_onnx(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx"))
}

/// Answers about an ONNX file.
fn graph(
    args: &Args,
    files: &[PathBuf],
    trees: Vec<PathBuf>,
    target: &TargetId,
    global: &GlobalArgs,
) -> Result<Status, AuditError> {
    let [path] = files else {
        return Err(AuditError::Usage("model: an ONNX model is one file; name it alone".into()));
    };
    let judge = Judge::new(global, FailOn::Damage, exit::ANSWER)?;
    let file = SourceFile::open(path).map_err(|e| AuditError::io("read", path, e))?;
    let read = onnx::graph::read(file.bytes());
    let sizes = Sizes { batch: args.batch, named: args.dim.iter().cloned().collect() };
    let (asked, problems) = onnx::problem::problems(&read, &sizes);
    let shown = file.locator().shown();
    let gpu = global.gpu.first().cloned().unwrap_or(Gpu { target: target.clone(), products: Vec::new() });
    let known = args.cu.or_else(|| gpu.multiprocessors());
    let compute_units = known.or_else(|| gpu.most_multiprocessors()).unwrap_or(MULTIPROCESSORS);
    let (data, letters) = DATA.get(args.data).copied().unwrap_or(("FP32", "SS"));
    let device = Device { target: target.clone(), compute_units };
    let question = GraphQuestion { device, data, letters };
    let trees = if trees.is_empty() { trees } else { roots::resolve(&trees)? };
    let stack = Stack::open(&trees);
    let rows = stack.graph(asked, &question)?;
    let graphed = Graphed {
        problems: Finding::all_of_bytes(&shown, &problems),
        file: shown,
        graph: &read,
        batch: args.batch,
        multiprocessors_assumed: known.is_none(),
    };
    let report = report::model_graph::model_graph(&graphed, &question, &rows);
    for (destination, format) in global.outputs()? {
        let text = match format {
            Format::Jsonl => render::model_graph::lines(&report),
            _ => render::model_graph::draw(&report, format, &global.style(&destination)),
        };
        global::write(&destination, &text)?;
    }
    let unread = stack.install().faults();
    unread.iter().for_each(|finding| global::complain(&finding.to_string()));
    Ok(judge.report(&report.findings).findings(unread).status())
}

fn is_model(path: &Path) -> bool {
    if is_onnx(path) {
        return true;
    }
    path.is_file()
        && (path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gguf"))
            || SourceFile::open(path).is_ok_and(|file| file.head().starts_with(gguf::MAGIC)))
}

/// Most files that a model is split into.
const PARTS: u32 = 1000;

/// The files that lie beside one of them: `NAME-00001-of-00003.gguf`.
fn parts_of(path: &Path) -> Option<Vec<PathBuf>> {
    let name = path.file_name()?.to_str()?;
    let (front, count) = name.strip_suffix(".gguf")?.rsplit_once("-of-")?;
    let (front, _) = front.rsplit_once('-').filter(|(_, number)| number.len() == count.len())?;
    let parts: u32 = count.parse().ok().filter(|parts| (2..=PARTS).contains(parts))?;
    let width = count.len();
    let part = |number: u32| path.with_file_name(format!("{front}-{number:0width$}-of-{count}.gguf"));
    Some((1..=parts).map(part).filter(|path| path.is_file()).collect())
}

/// What is read of a model's files.
struct Files {
    headers: Vec<Header>,
    shown: Vec<String>,
    problems: Vec<Finding>,
}

impl Files {
    fn read(paths: Vec<PathBuf>) -> Result<Files, AuditError> {
        let mut files = Files { headers: Vec::new(), shown: Vec::new(), problems: Vec::new() };
        for path in paths {
            let file = SourceFile::open(&path).map_err(|e| AuditError::io("read", &path, e))?;
            let header = gguf::read(file.bytes());
            let shown = file.locator().shown();
            files.problems.extend(Finding::all_of_bytes(&shown, &header.problems));
            files.headers.push(header);
            files.shown.push(shown);
        }
        Ok(files)
    }
}

fn missing_parts(shown: &[String], network: &Network) -> Option<Finding> {
    let (here, announced) = (shown.len() as u64, network.files_announced);
    (announced > here).then(|| Finding {
        detail: format!("{here} of {announced} files are here"),
        ..Finding::of_file(&MODEL_PART_MISSING, shown.first().map_or("", String::as_str), "")
    })
}
