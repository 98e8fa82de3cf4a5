//! `rocm-audit model FILE... --gpu GPU [PATH...]`: which kernels a model takes on a card.

use super::claim::ClaimArgs;
use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs, Gpu};
use super::{must_exist, roots};
use crate::answers::Answers;
use crate::answers::model::{MULTIPROCESSORS, ModelQuestion, UBATCHES_OF_A_PROMPT, Usage};
use crate::answers::model_files::{self, ModelFiles};
use crate::answers::onnx::{DATA, GraphQuestion};
use crate::engines::ggml::Version;
use crate::engines::ggml::presence::Library;
use crate::engines::ggml::types::{self, Type};
use crate::engines::miopen::device::Device;
use crate::engines::model::network::Network;
use crate::engines::model::quantize::{self, FileType};
use crate::engines::onnx;
use crate::engines::onnx::shape::Sizes;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::render::{self, Format};
use crate::report;
use crate::report::model::{Asked, Modelled};
use crate::report::model_graph::Graphed;
use crate::report::v1::{Claim, ModelGraphReport, ModelReport};
use crate::source::SourceFile;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use std::path::{Path, PathBuf};

/// The end of `--help`.
const EXAMPLES: &str = exit::help!(
    "Examples:
  rocm-audit model Llama-3.1-8B-Q4_K_M.gguf --gpu gfx90a
  rocm-audit model gpt-oss-20b.gguf --gpu MI210 --vs gfx906 -u 128 /usr/lib/x86_64-linux-gnu
  rocm-audit model Qwen3-8B/ --gpu \"RX 7900 XTX\" --quant Q4_K_M --quant Q8_0 --memory 24

Only headers are read: a file of 40 GB costs no more than a small one. Of a model that is split, the first file is enough.
"
);

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// GGUF or safetensors files of one model, its folder, or an ONNX file, and behind them trees or packages with ggml's library, rocBLAS, MIOpen's databases
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
    /// Beside this card; repeatable
    #[arg(long, value_name = "GPU", value_parser = global::gpu)]
    vs: Vec<Gpu>,
    /// Beside these libraries: a tree or package with ggml's library, rocBLAS
    #[arg(long, value_name = "PATH")]
    vs_library: Option<PathBuf>,
    /// Beside the model as it is, the same as llama-quantize writes it: Q4_0, Q4_K_M, ...; repeatable
    #[arg(long, value_name = "TYPE", value_parser = quantization)]
    quant: Vec<&'static FileType>,
    /// Memory of the card in GiB, to say whether weights and cache fit
    #[arg(long, value_name = "GIB", value_parser = memory)]
    memory: Option<u64>,
    /// Multiprocessors as HIP counts them, for rocBLAS and for how tiles are shared: compute units, or work group
    /// processors on RDNA [default: the card's, else 60]
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
    #[command(flatten)]
    claim: ClaimArgs,
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

fn quantization(text: &str) -> Result<&'static FileType, String> {
    quantize::named(text).map_err(|error| error.to_string())
}

/// Bytes of a number of GiB.
fn memory(text: &str) -> Result<u64, String> {
    const MOST: f64 = 1024.0 * 1024.0;
    let text = text.trim_end_matches("GiB").trim();
    let number: Option<f64> = text.parse().ok().filter(|number: &f64| *number > 0.0 && *number <= MOST);
    let bytes = number.map(|number| (number * f64::from(1_u32 << 30)) as u64);
    bytes.ok_or_else(|| "a number of GiB is expected, such as 16 or 7.5".to_owned())
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
    let (global, claim) = args.claim.of_options(global, "model")?;
    let global = global.as_ref();
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
        let of_weights = [
            ("--vs", !args.vs.is_empty()),
            ("--vs-library", args.vs_library.is_some()),
            ("--quant", !args.quant.is_empty()),
            ("--memory", args.memory.is_some()),
            ("--ggml", args.ggml.is_some()),
        ];
        refuse(&of_weights, "an ONNX model", "--batch, --dim, --data and --cu")?;
        return graph(args, claim, &files, trees, global);
    }
    refuse(
        &[("--batch", args.batch.is_some()), ("--dim", !args.dim.is_empty())],
        "a model of weights",
        "--prompt and --ubatch",
    )?;
    let read = ModelFiles::read(&files, None)?;
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
    // The model as it is, and as each type of file.
    let mut networks: Vec<(Option<&'static str>, Network)> = vec![(None, read.network.clone())];
    for ty in &args.quant {
        if networks.iter().all(|(name, _)| *name != Some(ty.name)) {
            networks.push((Some(ty.name), quantize::quantized(&read.network, ty)));
        }
    }
    let first = global.gpu.first().cloned().unwrap_or_else(|| Gpu::unnamed(target.clone()));
    let gpus: Vec<&Gpu> = std::iter::once(&first).chain(&args.vs).collect();
    let mut answers = Vec::new();
    let mut unread = Vec::new();
    for (trees, beside) in [(Some(trees), false), (args.vs_library.clone().map(|path| vec![path]), true)] {
        let Some(trees) = trees else { continue };
        for path in trees.iter().filter(|_| beside) {
            must_exist(path)?;
        }
        let beside = beside
            .then(|| trees.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "));
        let trees = if trees.is_empty() { trees } else { roots::resolve(&trees)? };
        let stack = Answers::open(&trees);
        let library = stack.ggml()?;
        let pairs: Vec<_> =
            gpus.iter().flat_map(|gpu| networks.iter().map(move |network| (*gpu, network))).collect();
        // Each card's code is unpacked and looked at alone.
        let of_tree: Result<Vec<Asked<'_>>, AuditError> = pairs
            .par_iter()
            .map(|(gpu, (quantization, network))| {
                let assumed = || gpu.most_multiprocessors().unwrap_or(MULTIPROCESSORS);
                let multiprocessors = args.cu.or_else(|| gpu.multiprocessors()).unwrap_or_else(assumed);
                let question =
                    ModelQuestion { target: gpu.target.clone(), version: args.ggml, multiprocessors, usage };
                let answer = stack.model_with(network, question, library.as_ref())?;
                Ok(Asked { network, quantization: *quantization, beside: beside.clone(), answer })
            })
            .collect();
        answers.extend(of_tree?);
        unread.extend(stack.install().faults().to_vec());
        let file = library.as_ref().map(Library::file);
        unread.extend(file.map_or_else(Vec::new, |file| {
            Finding::all_of_bytes(&file.file.locator().shown(), &file.container.problems)
        }));
    }
    let modelled = Modelled {
        files: &read,
        memory: args.memory,
        multiprocessors_assumed: args.cu.is_none() && first.multiprocessors().is_none(),
    };
    let report = ModelReport { claim, ..report::model::model(&modelled, &usage, &answers) };
    for (destination, format) in global.outputs()? {
        let text = match format {
            Format::Jsonl => render::model::lines(&report).into(),
            _ => render::model::draw(&report, format, &global.style(&destination))?,
        };
        global::write(&destination, &text)?;
    }
    unread.iter().for_each(|finding| global::complain(&finding.to_string()));
    Ok(judge.report(&report.findings).findings(&unread).status())
}

/// Refuses options that say nothing about a kind of model.
fn refuse(options: &[(&str, bool)], kind: &str, others: &str) -> Result<(), AuditError> {
    let Some((option, _)) = options.iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    Err(AuditError::Usage(format!("model: {option} says nothing about {kind}; of use are {others}")))
}

/// Files of models, and what else was named.
fn sorted(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), AuditError> {
    let (mut files, mut trees) = (Vec::new(), Vec::new());
    for path in paths {
        if path.to_str().is_some_and(|text| text.contains("://")) {
            let what = format!(
                "model: {} is an address; nothing is read from the network: download the file and name it",
                path.display()
            );
            return Err(AuditError::Usage(what));
        }
        must_exist(path)?;
        if is_model(path) { files.push(path.clone()) } else { trees.push(path.clone()) }
    }
    if files.is_empty() {
        let what = "model: none of these is a GGUF, safetensors or ONNX file, or a folder of one; name one before the trees";
        return Err(AuditError::Usage(what.into()));
    }
    Ok((files, trees))
}

fn is_onnx(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx"))
}

/// Answers about an ONNX file.
fn graph(
    args: &Args,
    claim: Option<Claim>,
    files: &[PathBuf],
    trees: Vec<PathBuf>,
    global: &GlobalArgs,
) -> Result<Status, AuditError> {
    let [target] = &global.arch[..] else {
        return Err(AuditError::Usage("model: name the one card that it is for".into()));
    };
    let [path] = files else {
        return Err(AuditError::Usage("model: an ONNX model is one file; name it alone".into()));
    };
    let judge = Judge::new(global, FailOn::Damage, exit::ANSWER)?;
    let file = SourceFile::open(path).map_err(|e| AuditError::io("read", path, e))?;
    let read = onnx::graph::read(file.bytes());
    let sizes = Sizes { batch: args.batch, named: args.dim.iter().cloned().collect() };
    let (asked, problems) = onnx::problem::problems(&read, &sizes);
    let shown = file.locator().shown();
    let gpu = global.gpu.first().cloned().unwrap_or_else(|| Gpu::unnamed(target.clone()));
    let known = args.cu.or_else(|| gpu.multiprocessors());
    let compute_units = known.or_else(|| gpu.most_multiprocessors()).unwrap_or(MULTIPROCESSORS);
    let (data, letters) = DATA.get(args.data).copied().unwrap_or(("FP32", "SS"));
    let device = Device { target: target.clone(), compute_units };
    let question = GraphQuestion { device, data, letters };
    let trees = if trees.is_empty() { trees } else { roots::resolve(&trees)? };
    let stack = Answers::open(&trees);
    let rows = stack.graph(asked, &question)?;
    let graphed = Graphed {
        problems: Finding::all_of_bytes(&shown, &problems),
        file: shown,
        graph: &read,
        batch: args.batch,
        multiprocessors_assumed: known.is_none(),
    };
    let report = ModelGraphReport { claim, ..report::model_graph::model_graph(&graphed, &question, &rows) };
    for (destination, format) in global.outputs()? {
        let text = match format {
            Format::Jsonl => render::model_graph::lines(&report).into(),
            _ => render::model_graph::draw(&report, format, &global.style(&destination))?,
        };
        global::write(&destination, &text)?;
    }
    let unread = stack.install().faults();
    unread.iter().for_each(|finding| global::complain(&finding.to_string()));
    Ok(judge.report(&report.findings).findings(unread).status())
}

fn is_model(path: &Path) -> bool {
    is_onnx(path) || model_files::is_model(path)
}
