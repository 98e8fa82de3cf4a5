//! Command lines of MIOpenDriver, which MIOpen logs with `MIOPEN_ENABLE_LOGGING_CMD`.
//!
//! Options and defaults are those of ROCm/MIOpen `driver/conv_driver.hpp` (`AddCmdLineArgs`); `-F` is a sum of 1 forward,
//! 2 backward data, 4 backward weights, and 0 stands for all.

use super::{Problem, Stated};
use crate::engines::miopen::notation;
use std::collections::HashMap;

/// Short names of options, by the long ones.
const SHORT: [(&str, &str); 22] = [
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
];

struct Options<'a>(HashMap<&'a str, &'a str>);

impl Options<'_> {
    fn number(&self, name: &str, or: Option<u64>) -> Result<u64, String> {
        match self.0.get(name) {
            Some(text) => {
                text.parse().map_err(|_| format!("--{name} is {text:?}; a whole number is expected"))
            }
            None => or.ok_or_else(|| format!("--{name} is missing")),
        }
    }
}

/// The data type of a kind of driver; nothing where it is for no convolution.
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

/// A command line; nothing where it is for no convolution.
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
    if let Some(mode) = options.0.get("mode").filter(|mode| **mode != "conv") {
        return Err(format!("--mode is {mode}: transposed convolutions are not read from command lines"));
    }
    let three = options.number("spatial_dim", Some(2))? == 3;
    let of = |name: &str, usual: u64| options.number(name, Some(usual));
    let join = |names: [&str; 3], usual: u64| -> Result<String, String> {
        let [depth, height, width] = names;
        let plane = format!("{}x{}", of(height, usual)?, of(width, usual)?);
        Ok(if three { format!("{}x{plane}", of(depth, usual)?) } else { plane })
    };
    let mut parts = vec![data.to_owned()];
    for (letter, name) in
        [("n", "batchsize"), ("c", "in_channels"), ("h", "in_h"), ("w", "in_w"), ("k", "out_channels")]
    {
        parts.push(format!("{letter}{}", options.number(name, None)?));
    }
    if three {
        parts.push(format!("d{}", options.number("in_d", None)?));
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
            return Err(
                "layouts of in, filter and out differ, which is not read from command lines".to_owned()
            );
        }
        parts.push(layout.to_ascii_lowercase());
    }
    let forw = of("forw", 0)?;
    let directions = [(1, "fwd"), (2, "bwd"), (4, "wrw")];
    let asked = directions.iter().filter(|(bit, _)| forw == 0 || forw & bit != 0);
    asked
        .map(|(_, direction)| {
            let key = notation::key(&format!("{direction}:{}", parts.join(":")))
                .map_err(|error| error.to_string())?;
            Ok((1, Problem::Convolution(key)))
        })
        .collect()
}
