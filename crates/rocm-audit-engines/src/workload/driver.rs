//! Command lines of MIOpenDriver, which MIOpen logs with `MIOPEN_ENABLE_LOGGING_CMD`.
//!
//! Options and defaults are those of ROCm/MIOpen `driver/conv_driver.hpp` (`AddCmdLineArgs`); `-F` is a sum
//! of 1 forward, 2 backward data, 4 backward weights, and 0 means all. MIOpen maps a transposed convolution
//! (`-m trans`) to the convolution that turns its output into its input (`src/convolution_api.cpp`,
//! "workaround for previous trans conv logic"): forward becomes that one's backward data, and backward data
//! becomes forward.

use super::{Problem, Stated};
use crate::miopen::notation;
use rocm_audit_files::error::NotUnderstood;
use std::collections::HashMap;

/// Short names of options, by the long ones.
const SHORT: [(&str, &str); 29] = [
    ("n", "batchsize"),
    ("c", "in_channels"),
    ("H", "in_h"),
    ("W", "in_w"),
    ("!", "in_d"),
    ("k", "out_channels"),
    ("y", "fil_h"),
    ("x", "fil_w"),
    ("@", "fil_d"),
    ("p", "pad_h"),
    ("q", "pad_w"),
    ("$", "pad_d"),
    ("u", "conv_stride_h"),
    ("v", "conv_stride_w"),
    ("#", "conv_stride_d"),
    ("l", "dilation_h"),
    ("j", "dilation_w"),
    ("^", "dilation_d"),
    ("g", "group_count"),
    ("m", "mode"),
    ("F", "forw"),
    ("I", "in_layout"),
    ("%", "trans_output_pad_d"),
    ("Y", "trans_output_pad_h"),
    ("X", "trans_output_pad_w"),
    ("U", "in_cast_type"),
    ("R", "wei_cast_type"),
    ("T", "out_cast_type"),
    ("S", "solution"),
];

/// The options that cast a tensor, each with what stands for it in a key (`miopen::problem`).
const CASTS: [(&str, &str); 3] = [("in_cast_type", "ci"), ("wei_cast_type", "cw"), ("out_cast_type", "co")];

/// Types that a tensor can be cast to (`DataTypeFromShortString`).
const CAST_TYPES: [&str; 5] = ["fp32", "fp16", "bf16", "fp8", "bf8"];

struct Options<'a>(HashMap<&'a str, &'a str>);

impl Options<'_> {
    fn number(&self, name: &str, or: Option<u64>) -> Result<u64, NotUnderstood> {
        match self.0.get(name) {
            Some(text) => {
                text.parse().map_err(|_| format!("--{name} is {text:?}; a whole number is expected").into())
            }
            None => or.ok_or_else(|| format!("--{name} is missing").into()),
        }
    }
}

/// The data type for a kind of driver; `None` if it is not for convolutions.
fn data(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "conv" => "fp32",
        "convfp16" => "fp16",
        "convbfp16" => "bf16",
        "convint8" => "int8",
        "convfp8" => "fp8",
        "convbfp8" => "bf8",
        _ => return None,
    })
}

/// Parses a command line; `None` if it is not for convolutions.
pub(super) fn read(arguments: &str) -> Option<Stated> {
    let mut words = arguments.split_whitespace();
    let data = data(words.next()?)?;
    let mut options = HashMap::new();
    while let Some(word) = words.next() {
        let Some(name) = word.strip_prefix('-') else { continue };
        let name = name.strip_prefix('-').unwrap_or(name);
        let (name, joined) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
        let long = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, long)| long);
        if let Some(value) = joined.or_else(|| words.next()) {
            options.insert(long, value);
        }
    }
    Some(convolutions(&Options(options), data))
}

fn convolutions(options: &Options<'_>, data: &str) -> Stated {
    // Below 0 MIOpen finds a solver by itself; 0 is immediate mode with the fastest.
    if let Some(forced) = options.0.get("solution").filter(|own| own.parse::<i64>().map_or(true, |id| id > 0))
    {
        return Err(format!(
            "-S {forced} forces a solver, which is no choice of MIOpen's: `rocm-audit select conv` with --env MIOPEN_DEBUG_FIND_ONLY_SOLVER={forced} says whether it takes the problem"
        ).into());
    }
    let is_transposed = match options.0.get("mode").copied().unwrap_or("conv") {
        "conv" => false,
        "trans" => true,
        other => return Err(format!("--mode is {other:?}; conv and trans are known").into()),
    };
    let three = options.number("spatial_dim", Some(2))? == 3;
    let of = |name: &str, usual: u64| options.number(name, Some(usual));
    let join = |names: [&str; 3], usual: u64| -> Result<String, NotUnderstood> {
        let [depth, height, width] = names;
        let plane = format!("{}x{}", of(height, usual)?, of(width, usual)?);
        Ok(if three { format!("{}x{plane}", of(depth, usual)?) } else { plane })
    };
    let mut parts = vec![data.to_owned()];
    // The input of the convolution that MIOpen looks up.
    let size = |side: &str| {
        if is_transposed { transposed(options, side) } else { options.number(&format!("in_{side}"), None) }
    };
    let (c, k) =
        if is_transposed { ("out_channels", "in_channels") } else { ("in_channels", "out_channels") };
    parts.push(format!("n{}", options.number("batchsize", None)?));
    parts.push(format!("c{}", options.number(c, None)?));
    parts.push(format!("h{}", size("h")?));
    parts.push(format!("w{}", size("w")?));
    parts.push(format!("k{}", options.number(k, None)?));
    if three {
        parts.push(format!("d{}", size("d")?));
    }
    parts.push(format!("y{}", join(["fil_d", "fil_h", "fil_w"], 3)?));
    parts.push(format!("p{}", join(["pad_d", "pad_h", "pad_w"], 0)?));
    parts.push(format!("s{}", join(["conv_stride_d", "conv_stride_h", "conv_stride_w"], 1)?));
    parts.push(format!("l{}", join(["dilation_d", "dilation_h", "dilation_w"], 1)?));
    parts.push(format!("g{}", of("group_count", 1)?.max(1)));
    let layouts: Vec<&&str> =
        ["in_layout", "fil_layout", "out_layout"].iter().filter_map(|name| options.0.get(*name)).collect();
    if let Some(layout) = layouts.first() {
        if layouts.iter().any(|other| other != layout) {
            return Err("layouts of in, filter and out differ, which is not read from command lines".into());
        }
        parts.push(layout.to_ascii_lowercase());
    }
    let casts = casts(options)?;
    let forw = of("forw", 0)?;
    let directions = match is_transposed {
        false => [(1, "fwd"), (2, "bwd"), (4, "wrw")],
        true => [(1, "bwd"), (2, "fwd"), (4, "wrw")],
    };
    let asked = directions.iter().filter(|(bit, _)| forw == 0 || forw & bit != 0);
    asked
        .map(|(_, direction)| {
            let key = notation::key(&format!("{direction}:{}", parts.join(":")))
                .map_err(|error| error.to_string())?;
            Ok((1, Problem::Convolution(format!("{key}{casts}"))))
        })
        .collect()
}

/// What the casts of tensors add to a key: `_coFP32`. The driver ends at a type that it does not know, and -1
/// stands for none.
fn casts(options: &Options<'_>) -> Result<String, NotUnderstood> {
    let mut added = String::new();
    for (option, short) in CASTS {
        match options.0.get(option).copied() {
            None | Some("-1") => {}
            Some(to) if CAST_TYPES.contains(&to) => added += &format!("_{short}{}", to.to_ascii_uppercase()),
            Some(to) => {
                let known = CAST_TYPES.join(", ");
                return Err(
                    format!("--{option} is {to:?}, at which MIOpenDriver ends; {known} are known").into()
                );
            }
        }
    }
    Ok(added)
}

/// A side of the output of a transposed convolution.
fn transposed(options: &Options<'_>, side: &str) -> Result<u64, NotUnderstood> {
    let of = |name: &str, usual: Option<u64>| options.number(&format!("{name}_{side}"), usual);
    let (input, filter) = (of("in", None)?, of("fil", Some(3))?);
    let (stride, pad) = (of("conv_stride", Some(1))?, of("pad", Some(0))?);
    let (dilation, more) = (of("dilation", Some(1))?, of("trans_output_pad", Some(0))?);
    let all = || {
        let steps = input.checked_sub(1)?.checked_mul(stride)?;
        let extent = filter.checked_sub(1)?.checked_mul(dilation)?.checked_add(1)?;
        steps
            .checked_add(extent)?
            .checked_add(more)?
            .checked_sub(pad.checked_mul(2)?)
            .filter(|size| *size > 0)
    };
    all().ok_or_else(|| {
        format!("the output of a transposed convolution has no {side}: its padding is too large").into()
    })
}
