//! A convolution in command line notation, in terms of the forward convolution:
//! `fwd:fp16:n32:c256:h56:w56:k64:y3x3:s1:p1`.

use super::problem::ConvolutionProblem;
use rocm_audit_files::error::NotUnderstood;
use std::fmt;

/// Why a text is not a convolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAConvolution(String);

impl fmt::Display for NotAConvolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotAConvolution {}

/// The words allowed between colons.
pub const GRAMMAR: &str = "fwd|bwd|wrw : fp32|fp16|bf16|int8|int8int32|… : nN : cC : [dD :] hH : wW : kK : yYxX|yZxYxX \
                           [: sS|sHxW] [: pP|pHxW] [: lL|lHxW (dilation)] [: gG] [: nchw|nhwc|ncdhw|ndhwc]; sizes are those of x";

/// Data types, and their names in keys.
const TYPES: &[(&str, &str)] = &[
    ("fp32", "FP32"),
    ("fp16", "FP16"),
    ("bf16", "BF16"),
    ("int8", "INT8"),
    ("int8int32", "INT8INT8INT32"),
    ("int8fp32", "INT8INT8FP32"),
    ("fp8", "FP8"),
    ("bf8", "BF8"),
    ("fp64", "FP64"),
];

/// Layouts; keys of some state all three.
const LAYOUTS: &[&str] = &["nchw", "nhwc", "ncdhw", "ndhwc"];

/// The find-db key of a convolution, which is taken as it is where one is given.
///
/// # Errors
///
/// If a part is not understood or missing, or the output would be empty.
pub fn key(text: &str) -> Result<String, NotAConvolution> {
    let fault = |what: NotUnderstood| NotAConvolution(format!("{what}. A convolution is written {GRAMMAR}"));
    if let Ok(problem) = ConvolutionProblem::parse(text) {
        return Ok(problem.to_string());
    }
    let mut parts = NotationParts::default();
    for part in text.strip_prefix("conv:").unwrap_or(text).split(':').map(str::trim) {
        parts.add(&part.to_ascii_lowercase()).map_err(fault)?;
    }
    let key = parts.key().map_err(fault)?;
    // Valid sizes can still give an invalid output size.
    ConvolutionProblem::parse(&key)
        .map_err(|_| fault("its output is larger than a key of MIOpen holds".into()))?;
    Ok(key)
}

#[derive(Default)]
struct NotationParts {
    direction: Option<char>,
    data_type: Option<&'static str>,
    layout: Option<&'static str>,
    sizes: [Option<u64>; 6],
    filter: Vec<u64>,
    stride: Vec<u64>,
    pad: Vec<u64>,
    dilation: Vec<u64>,
    groups: Option<u64>,
}

/// Indices in `sizes`.
const SIZES: [&str; 6] = ["n", "c", "d", "h", "w", "k"];

impl NotationParts {
    fn add(&mut self, part: &str) -> Result<(), NotUnderstood> {
        let unknown = || NotUnderstood::from(format!("\"{part}\" is not understood"));
        match part {
            "fwd" | "forward" => self.direction = Some('F'),
            "bwd" | "bwd-data" => self.direction = Some('B'),
            "wrw" | "bwd-weights" => self.direction = Some('W'),
            _ => {
                if let Some((_, name)) = TYPES.iter().find(|(written, _)| *written == part) {
                    self.data_type = Some(name);
                } else if let Some(layout) = LAYOUTS.iter().find(|layout| **layout == part) {
                    self.layout = Some(layout);
                } else {
                    let (letter, numbers) = part.split_at_checked(1).ok_or_else(unknown)?;
                    let numbers: Option<Vec<u64>> = numbers
                        .split('x')
                        .map(|n| n.parse().ok().filter(|n| *n <= u64::from(u32::MAX)))
                        .collect();
                    let numbers = numbers.ok_or_else(unknown)?;
                    match (letter, &numbers[..]) {
                        ("y", [_, _] | [_, _, _]) => self.filter = numbers,
                        ("s", [_] | [_, _] | [_, _, _]) => self.stride = numbers,
                        ("p", [_] | [_, _] | [_, _, _]) => self.pad = numbers,
                        ("l", [_] | [_, _] | [_, _, _]) => self.dilation = numbers,
                        ("g", [groups]) => self.groups = Some(*groups),
                        (letter, [size]) => {
                            let place = SIZES.iter().position(|name| *name == letter).ok_or_else(unknown)?;
                            if let Some(slot) = self.sizes.get_mut(place) {
                                *slot = Some(*size);
                            }
                        }
                        _ => return Err(unknown()),
                    }
                }
            }
        }
        Ok(())
    }

    fn key(&self) -> Result<String, NotUnderstood> {
        let direction = self.direction.ok_or("the direction is missing: fwd, bwd or wrw")?;
        let data_type = self.data_type.ok_or("the data type is missing: fp32, fp16, …")?;
        let [n, c, d, h, w, k] = self.sizes;
        let need = |size: Option<u64>, name: &str| {
            size.filter(|s| *s > 0)
                .ok_or_else(|| NotUnderstood::from(format!("the size {name} is missing or zero")))
        };
        let (n, c, k) = (need(n, "n")?, need(c, "c")?, need(k, "k")?);
        let mut input = vec![need(h, "h")?, need(w, "w")?];
        let three = self.filter.len() == 3;
        if self.filter.is_empty() {
            return Err("the filter is missing: y3x3".into());
        }
        match (d, three) {
            (Some(d), true) => input.insert(0, d),
            (None, true) => return Err("a filter of three dimensions needs a depth: d".into()),
            (Some(_), false) => return Err("a depth needs a filter of three dimensions: y3x3x3".into()),
            (None, false) => {}
        }
        let spread = |given: &[u64], usual: u64, name: &str| match given {
            [] => Ok(vec![usual; input.len()]),
            [one] => Ok(vec![*one; input.len()]),
            all if all.len() == input.len() => Ok(all.to_vec()),
            _ => Err(NotUnderstood::from(format!("{name} needs one number or {}", input.len()))),
        };
        let stride = spread(&self.stride, 1, "s")?;
        let pad = spread(&self.pad, 0, "p")?;
        let dilation = spread(&self.dilation, 1, "l")?;
        let mut output = Vec::new();
        for at in 0..input.len() {
            let of = |all: &[u64]| all.get(at).copied().unwrap_or_default();
            let reach = of(&dilation) * of(&self.filter).saturating_sub(1) + 1;
            let room = (of(&input) + 2 * of(&pad)).checked_sub(reach);
            match room.zip(Some(of(&stride)).filter(|s| *s > 0)) {
                Some((room, stride)) if of(&self.filter) > 0 => output.push(room / stride + 1),
                _ => {
                    return Err(
                        "the filter does not fit into the padded input, or a stride or a filter is zero"
                            .into(),
                    );
                }
            }
        }
        let usual = if three { "NCDHW" } else { "NCHW" };
        let layout = self.layout.map_or(usual.to_owned(), str::to_ascii_uppercase);
        if (layout.len() == 5) != three {
            return Err(format!("{layout} has another number of dimensions than the filter").into());
        }
        let layout = if layout == usual { layout } else { format!("{layout}-{layout}-{layout}") };
        let join = |all: &[u64], by: &str| all.iter().map(u64::to_string).collect::<Vec<_>>().join(by);
        // For the backward directions, MIOpen's input is dy.
        let ((c, input), (k, output)) =
            if direction == 'F' { ((c, &input), (k, &output)) } else { ((k, &output), (c, &input)) };
        let groups = self.groups.filter(|g| *g != 1).map_or(String::new(), |g| format!("_g{g}"));
        Ok(format!(
            "{c}-{}-{}-{k}-{}-{n}-{}-{}-{}-0-{layout}-{data_type}-{direction}{groups}",
            join(input, "-"),
            join(&self.filter, "x"),
            join(output, "-"),
            join(&pad, "x"),
            join(&stride, "x"),
            join(&dilation, "x"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miopen::problem::ConvolutionProblem;

    #[test]
    fn what_is_written_becomes_a_key() {
        let of = |text: &str| key(text).unwrap();
        assert_eq!(
            of("fwd:fp16:n32:c256:h56:w56:k64:y3x3:s1:p1"),
            "256-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP16-F"
        );
        assert_eq!(
            of("conv:bwd:fp32:n128:c1024:h14:w10:k2048:y1x1:s2"),
            "2048-7-5-1x1-1024-14-10-128-0x0-2x2-1x1-0-NCHW-FP32-B"
        );
        assert_eq!(
            of("wrw:bf16:ndhwc:n16:c32:d4:h28:w28:k32:y3x3x3:p1:g32"),
            "32-4-28-28-3x3x3-32-4-28-28-16-1x1x1-1x1x1-1x1x1-0-NDHWC-NDHWC-NDHWC-BF16-W_g32"
        );
        for text in ["fwd:int8int32:n1:c16:h7:w7:k16:y1x1", "fwd:fp32:n1:c3:h11:w9:k8:y3x1:s2x1:p1x0:l2x1"] {
            let key = of(text);
            assert_eq!(ConvolutionProblem::parse(&key).map(|p| p.to_string()), Ok(key.clone()));
            // What MIOpen's log prints is taken as it stands there.
            assert_eq!(of(&key), key);
        }
    }

    #[test]
    fn what_is_missing_or_does_not_fit_is_told() {
        let fault = |text: &str| key(text).unwrap_err().to_string();
        assert!(fault("fwd:fp32:n1:c3:h4:w4:k8").starts_with("the filter is missing"));
        assert!(fault("fwd:fp32:n1:c3:h4:w4:k8:y9x9").contains("does not fit"));
        assert!(fault("fp32:n1:c3:h4:w4:k8:y1x1").contains("direction"));
        assert!(fault("fwd:fp32:q1").contains("\"q1\" is not understood"));
        assert!(fault("fwd:fp32:n1:c3:h4:w4:k8:y3x3x3").contains("depth"));
        assert!(fault("fwd:fp32:n1:c3:h4:w4:k8:y1x1:p0x3850383354").contains("output is larger"));
        assert!(fault("fwd:fp32:n99999999999:c3:h4:w4:k8:y3x3").contains("n99999999999"));
    }
}
