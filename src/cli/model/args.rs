//! What `rocm-audit model` is asked with.

use crate::answers::model::Usage;
use crate::answers::onnx::DATA;
use crate::cli::claim::ClaimArgs;
use crate::cli::exit;
use crate::cli::gpu::{self, Gpu};
use crate::engines::ggml::Version;
use crate::engines::ggml::types::{self, Type};
use crate::engines::model::quantize::{self, FILE_TYPES, FileType};
use crate::error::NotUnderstood;
use std::path::PathBuf;

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
pub(in crate::cli) struct Args {
    /// GGUF or safetensors files of one model, its folder, or an ONNX file, and behind them trees or packages
    /// with ggml's library, rocBLAS, MIOpen's databases [default: rules alone]
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Tokens of the prompt
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub prompt: u64,
    /// Most tokens that are computed at once (llama.cpp: -ub)
    #[arg(short = 'u', long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 16))]
    pub ubatch: u64,
    /// Sequences that are continued together in the phase with several (llama.cpp: -np); 1 for none
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1 << 10))]
    pub sequences: u64,
    /// Tokens of a sequence that the cache holds (llama.cpp: -c)
    #[arg(short, long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub context: u64,
    /// Whether attention is one operation (llama.cpp: -fa)
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub flash_attention: Flash,
    /// Type of keys and values in the cache (llama.cpp: -ctk, -ctv)
    #[arg(long, value_name = "TYPE", value_parser = cache, default_value = "f16")]
    pub cache_type: Type,
    /// Beside this card; repeatable
    #[arg(long, value_name = "GPU", value_parser = gpu::gpu)]
    pub vs: Vec<Gpu>,
    /// Beside these libraries: a tree or package with ggml's library, rocBLAS
    #[arg(long, value_name = "PATH")]
    pub vs_library: Option<PathBuf>,
    /// Beside the model as it is, the same as llama-quantize writes it: Q4_0, Q4_K_M, ..., or `all`;
    /// repeatable, and ranked by cost
    #[arg(long, value_name = "TYPE", value_parser = quantization)]
    pub quant: Vec<Quantization>,
    /// Memory of the card in GiB, to say whether weights and cache fit [default: the card's, where ROCm's
    /// table has it]
    #[arg(long, value_name = "GIB", value_parser = memory)]
    pub memory: Option<u64>,
    /// Multiprocessors as HIP counts them, for rocBLAS and for how tiles are shared: compute units, or work
    /// group processors on RDNA [default: the card's, else 60]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub cu: Option<u32>,
    /// ONNX: the batch, in place of first dimensions of inputs that are open, 0 or 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub batch: Option<u64>,
    /// ONNX: a dimension that has a name, NAME=N; repeatable
    #[arg(long, value_name = "NAME=N", value_parser = dimension)]
    pub dim: Vec<(String, u64)>,
    /// ONNX: type of data, fp32, fp16 or bf16
    #[arg(long, value_name = "TYPE", value_parser = data, default_value = "fp32")]
    pub data: usize,
    /// ONNX: a variable that MIOpen would see, such as MIOPEN_FIND_MODE=NORMAL; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// The version of ggml whose rules are asked [default: as the library says, else the latest]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub ggml: Option<Version>,
    #[command(flatten)]
    pub claim: ClaimArgs,
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub(in crate::cli) enum Flash {
    /// Where the card takes attention of all blocks
    #[default]
    Auto,
    On,
    Off,
}

fn cache(text: &str) -> Result<Type, NotUnderstood> {
    types::named(text).map_err(|error| error.to_string().into())
}

/// The file types that a word names.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Quantization(&'static [FileType]);

fn quantization(text: &str) -> Result<Quantization, NotUnderstood> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(Quantization(&FILE_TYPES));
    }
    let named = quantize::named(text).map_err(|error| format!("{error}, or all"))?;
    Ok(Quantization(std::slice::from_ref(named)))
}

/// Bytes of a number of GiB.
fn memory(text: &str) -> Result<u64, NotUnderstood> {
    const MOST: f64 = 1024.0 * 1024.0;
    let text = text.trim_end_matches("GiB").trim();
    let number: Option<f64> = text.parse().ok().filter(|number: &f64| *number > 0.0 && *number <= MOST);
    let bytes = number.map(|number| (number * f64::from(1_u32 << 30)) as u64);
    bytes.ok_or_else(|| "a number of GiB is expected, such as 16 or 7.5".into())
}

/// `NAME=N`.
fn dimension(text: &str) -> Result<(String, u64), NotUnderstood> {
    let pair = text.split_once('=').and_then(|(name, size)| Some((name.to_owned(), size.parse().ok()?)));
    pair.ok_or_else(|| "a name and a number are expected: NAME=N".into())
}

/// The place of a type of data.
fn data(text: &str) -> Result<usize, NotUnderstood> {
    let found = DATA.iter().position(|(name, _)| name.eq_ignore_ascii_case(text));
    found.ok_or_else(|| "no such type of data; known are fp32, fp16, bf16".into())
}

fn version(text: &str) -> Result<Version, NotUnderstood> {
    text.parse()
}

impl Args {
    /// The file types that are asked about beside the model as it is.
    pub fn quantizations(&self) -> Vec<&'static FileType> {
        self.quant.iter().flat_map(|word| word.0).collect()
    }

    /// How the model is used.
    pub fn usage(&self) -> Usage {
        Usage {
            prompt: self.prompt,
            ubatch: self.ubatch,
            sequences: self.sequences,
            context: self.context.max(self.prompt.saturating_add(1)),
            flash: match self.flash_attention {
                Flash::Auto => None,
                Flash::On => Some(true),
                Flash::Off => Some(false),
            },
            cache: self.cache_type,
        }
    }
}
