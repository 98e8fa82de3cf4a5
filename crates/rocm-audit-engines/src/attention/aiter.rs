//! AITER: the lists of its assembly, the names of its kernels, and what `flash_attn_func` takes.
//!
//! The rules are those of `_flash_attn_forward` in `aiter/ops/mha.py` at e4048607 (2026-08-22), for dense
//! sequences of more than 128 queries, without bias, dropout, windows and sinks, where nothing but the output
//! is asked for. `fixtures/attention.py` runs that function on stand-in tensors.

use super::step::{Environment, Step};
use super::{AttentionCall, AttentionKernel, AttentionType};

/// Where the rules are written.
pub const SOURCE: &str = "AITER e4048607 (2026-08-22), aiter/ops/mha.py:1758, _flash_attn_forward";

/// A row of a list of kernels: `hsa/gfx942/fmha_v3_fwd/fmha_fwd.csv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedKernel {
    /// What it computes.
    pub kernel: AttentionKernel,
    /// Its symbol.
    pub symbol: String,
    /// The file of its code object, beside the list or in folders below it.
    pub file: String,
}

/// Whether a path can be a list of kernels of a forward pass: `…/hsa/gfx942/fmha_v3_fwd/fmha_fwd.csv`.
pub fn is_list(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    name.ends_with(".csv") && folder.starts_with("fmha") && folder.contains("fwd")
}

/// The processor of a folder of assembly: `gfx942` of `…/hsa/gfx942/fmha_v3_fwd/x.co`.
pub fn processor_of(path: &str) -> Option<&str> {
    path.split('/').skip_while(|part| *part != "hsa").nth(1)
}

/// The rows of a list. Lines that lack a column or have another type are left out; the first line names the
/// columns.
pub fn list(text: &str) -> Vec<ListedKernel> {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().trim().split(',').collect();
    let at = |name: &str| columns.iter().position(|own| *own == name);
    let Some(symbol) = at("knl_name") else { return Vec::new() };
    let (file, mode) = (at("co_name").or_else(|| at("knl_file")), at("mode"));
    let row = |line: &str| {
        let words: Vec<&str> = line.trim().split(',').collect();
        let word = |index: Option<usize>| words.get(index?).copied();
        let number = |name: &str| word(at(name))?.parse::<u32>().ok();
        Some(ListedKernel {
            kernel: AttentionKernel {
                ty: listed_type(word(at("dtype"))?)?,
                dim: number("hdim_q")?,
                value_dim: number("hdim_v")?,
                causal: number("mask")? != 0,
                padded: None,
                is_group: word(mode).is_some_and(|mode| mode != "0")
                    || word(Some(symbol)).is_some_and(|symbol| symbol.contains("varlen")),
            },
            symbol: word(Some(symbol))?.to_owned(),
            file: word(file)?.to_owned(),
        })
    };
    lines.filter_map(row).take(MOST_ROWS).collect()
}

/// Rows of one list at most.
const MOST_ROWS: usize = 10_000;

/// Types as the lists name them.
fn listed_type(word: &str) -> Option<AttentionType> {
    match word {
        "fp8bf16" => Some(AttentionType::Fp8),
        "mxfp8bf16" => Some(AttentionType::Mxfp8),
        other => AttentionType::of_name(other),
    }
}

/// What the symbol of a kernel says of it, for packages without lists: `fmha_fwd_hd192x128_bf16_causal_rtne`.
pub fn of_symbol(symbol: &str) -> Option<AttentionKernel> {
    let from = symbol.find("fmha_fwd_hd")?;
    let rest = symbol.get(from + "fmha_fwd_hd".len()..)?.trim_end_matches('E');
    let words: Vec<&str> = rest.split('_').collect();
    let (size, words) = words.split_first()?;
    let (dim, value_dim, words) =
        match (size.split_once('x'), words.first().and_then(|w| w.strip_prefix("hd"))) {
            (Some((dim, value_dim)), _) => (dim, value_dim, words),
            (None, Some(value_dim)) => (*size, value_dim, words.get(1..)?),
            (None, None) => (*size, *size, words),
        };
    Some(AttentionKernel {
        ty: AttentionType::of_name(words.first()?)?,
        dim: dim.parse().ok()?,
        value_dim: value_dim.parse().ok()?,
        causal: words.contains(&"causal"),
        padded: None,
        is_group: words.contains(&"group"),
    })
}

/// What `flash_attn_func` tries, in its order.
pub fn steps(call: &AttentionCall, processor: &str, environment: &Environment) -> Vec<Step> {
    let AttentionCall { ty, dim, value_dim, .. } = *call;
    let sizes = (dim, value_dim);
    let on = |processors: &[&str], what: &str| {
        (!processors.contains(&processor)).then(|| format!("{what} is for {}", processors.join(" and ")))
    };
    let of_type =
        |wanted: AttentionType, what: &str| (ty != wanted).then(|| format!("{what} is for {wanted}"));
    let size = |known: bool, what: &str| (!known).then(|| format!("{what}, not {}", shown(sizes)));
    let native = on(&["gfx942"], "the split over keys")
        .or_else(|| of_type(AttentionType::Bf16, "it"))
        .or_else(|| size(sizes == (64, 64), "it is for heads of 64"))
        .or_else(|| Some("it is taken only where few queries leave multiprocessors idle".to_owned()));
    let sink = on(&["gfx1250"], "the kernel")
        .or_else(|| of_type(AttentionType::Bf16, "it"))
        .or_else(|| size(matches!(sizes, (64, 64) | (128, 128)), "it is for heads of 64 and 128"))
        .or_else(|| (dim == 64).then(|| "for heads of 64 it is taken only with sinks".to_owned()));
    let mxfp8 = on(&["gfx1250"], "the kernel")
        .or_else(|| of_type(AttentionType::Mxfp8, "it"))
        .or_else(|| size(sizes == (128, 128), "it is for heads of 128"));
    let enabled = match sizes {
        (128, 128) if !environment.is_on("AITER_ENABLE_FMHA_OPUS", false) => {
            Some("for heads of 128 it is off without AITER_ENABLE_FMHA_OPUS=1".to_owned())
        }
        (192, 128) if environment.is_on("AITER_DISABLE_FMHA_OPUS", false) => {
            Some("AITER_DISABLE_FMHA_OPUS turns it off".to_owned())
        }
        (128 | 192, 128) => None,
        _ => size(false, "it is for heads of 128, and of 192 with values of 128"),
    };
    let opus = on(&["gfx950"], "OPUS").or_else(|| of_type(AttentionType::Bf16, "it")).or(enabled);
    let assembly = on(&["gfx942", "gfx950"], "the assembly").or_else(|| match (ty, sizes) {
        (AttentionType::Bf16 | AttentionType::Fp8, (128, 128)) | (AttentionType::Bf16, (192, 128)) => None,
        (AttentionType::Fp8, (256, 256)) if processor == "gfx950" => None,
        (AttentionType::Bf16 | AttentionType::Fp8, _) => {
            size(false, "it has kernels for heads of 128, 192 with values of 128, and 256 in fp8 on gfx950")
        }
        _ => Some(format!("it is for bf16 and fp8, not {ty}")),
    });
    vec![
        Step::taken("native split-K", Some("AITER"), SOURCE).unless(native),
        Step::taken("fmha_fwd_with_sink_asm", Some("AITER"), SOURCE).unless(sink),
        Step::taken("fmha_fwd_mxfp8_asm", Some("AITER"), SOURCE).unless(mxfp8),
        Step::taken("fmha_fwd_bf16_opus_fwd", None, SOURCE).unless(opus),
        Step::taken("fmha_v3_fwd", Some("AITER"), SOURCE).unless(assembly),
        Step::taken("mha_fwd (Composable Kernel)", Some("Composable Kernel"), SOURCE),
    ]
}

fn shown((dim, value_dim): (u32, u32)) -> String {
    if dim == value_dim { dim.to_string() } else { format!("{dim} with values of {value_dim}") }
}
