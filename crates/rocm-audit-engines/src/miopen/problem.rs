//! A convolution problem as MIOpen's databases write it.
//!
//! ```text
//! 2D  C-H-W-YxX-K-OH-OW-N-PHxPW-SHxSW-DHxDW-BIAS-LAYOUT-DTYPE-DIR[OPT]
//! 3D  C-D-H-W-ZxYxX-K-OD-OH-OW-N-PDxPHxPW-SDxSHxSW-DDxDHxDW-BIAS-LAYOUT-DTYPE-DIR[OPT]
//! ```
//!
//! The first block is what MIOpen calls *in*: x for a forward convolution, dy for the two backward ones,
//! whose *out* is x or dx. [`ConvolutionProblem`] keeps the order of the key; [`ConvolutionProblem::forward`]
//! gives the view of the forward convolution. Source: MIOpen 3.3.0
//! `src/conv/problem_description.cpp:188-245`.

use std::fmt;

/// A number of elements or steps for each dimension: depth, height, width. As in MIOpen, the depth of a 2D
/// problem is 1 for a size or filter, and 0 for a pad, stride or dilation.
pub type Extent = [u32; 3];

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// y from x and w.
    Forward,
    /// dx from dy and w.
    BackwardData,
    /// dw from dy and x.
    BackwardWeights,
}

/// The two sides of a problem in the terms of the forward convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forward {
    /// Channels of x.
    pub channels: u32,
    /// Channels of y.
    pub filters: u32,
    /// Depth, height, width of x.
    pub input: Extent,
    /// Depth, height, width of y.
    pub output: Extent,
}

/// A parsed key. Texts are borrowed from it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConvolutionProblem<'a> {
    /// 2 or 3 spatial dimensions.
    pub dimensions: u8,
    /// Channels of *in* (C).
    pub channels: u32,
    /// Sizes of *in* (D, H, W).
    pub input: Extent,
    /// Filter (Z, Y, X).
    pub filter: Extent,
    /// Channels of *out* (K).
    pub filters: u32,
    /// Sizes of *out* (OD, OH, OW).
    pub output: Extent,
    /// Batch (N).
    pub batch: u32,
    /// Padding.
    pub pad: Extent,
    /// Stride.
    pub stride: Extent,
    /// Dilation.
    pub dilation: Extent,
    /// 0 in every shipped record.
    pub bias: u32,
    /// Layouts of in, weights and out: `NCHW`, `NHWC`, `NCDHW`, …
    pub layouts: [&'a str; 3],
    /// `FP32`, `FP16`, `BF16`, `INT8`, `FP8`, `BF8`, `FP64`, or the joined names of in, weights and out.
    pub data_type: &'a str,
    /// Direction.
    pub direction: Direction,
    /// Groups (1 where the key has no `_g`).
    pub groups: u32,
    /// Types that in, weights and out are cast to, if the key has `_ci`, `_cw`, `_co`.
    pub casts: [Option<&'a str>; 3],
}

/// Why a text is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAKey {
    /// Offset of the error in the text.
    pub at: usize,
    /// What was expected at the offset.
    pub expected: &'static str,
}

impl fmt::Display for NotAKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

impl Direction {
    /// The letter of the key.
    pub fn letter(self) -> char {
        match self {
            Direction::Forward => 'F',
            Direction::BackwardData => 'B',
            Direction::BackwardWeights => 'W',
        }
    }

    /// The direction for a letter in a key.
    pub fn of_letter(letter: u8) -> Option<Direction> {
        match letter {
            b'F' => Some(Direction::Forward),
            b'B' => Some(Direction::BackwardData),
            b'W' => Some(Direction::BackwardWeights),
            _ => None,
        }
    }
}

impl<'a> ConvolutionProblem<'a> {
    /// Parses a key.
    ///
    /// # Errors
    ///
    /// [`NotAKey`] if the text is outside of the grammar, including 3D problems with two-dimensional pads, as
    /// in 53 shipped records.
    pub fn parse(key: &'a str) -> Result<ConvolutionProblem<'a>, NotAKey> {
        let mut fields = LeBytes { text: key, at: 0 };
        let channels = fields.number("the channels")?;
        let (input, filter, dimensions) = fields.sizes_and_filter()?;
        let filters = fields.number("the output channels")?;
        let output = fields.sizes(dimensions, "a size of the output")?;
        let batch = fields.number("the batch")?;
        let pad = fields.steps(dimensions, "pads of as many dimensions as the filter")?;
        let stride = fields.steps(dimensions, "strides of as many dimensions as the filter")?;
        let dilation = fields.steps(dimensions, "dilations of as many dimensions as the filter")?;
        let bias = fields.number("the bias")?;
        let layouts = fields.layouts()?;
        let data_type = fields.next("a data type")?;
        if data_type.is_empty() {
            return Err(fields.expected("a data type"));
        }
        let rest_at = fields.at;
        let mut options = key[rest_at.min(key.len())..].split('_');
        let not = |expected| NotAKey { at: rest_at, expected };
        let direction = match options.next().unwrap_or_default().as_bytes() {
            [letter] => Direction::of_letter(*letter),
            _ => None,
        }
        .ok_or(not("a direction: F, B or W"))?;
        let mut problem = ConvolutionProblem {
            dimensions,
            channels,
            input,
            filter,
            filters,
            output,
            batch,
            pad,
            stride,
            dilation,
            bias,
            layouts,
            data_type,
            direction,
            groups: 1,
            casts: [None; 3],
        };
        for option in options {
            if let Some(groups) = option.strip_prefix('g') {
                problem.groups = digits(groups).filter(|&g| g > 0).ok_or(not("a number of groups"))?;
            } else {
                let cast = |(slot, name): (usize, &&str)| Some((slot, option.strip_prefix(*name)?));
                let found = ["ci", "cw", "co"].iter().enumerate().find_map(cast);
                let (slot, data_type) = found.ok_or(not("an option: _g, _ci, _cw or _co"))?;
                problem.casts[slot] = Some(data_type);
            }
        }
        Ok(problem)
    }

    /// The problem in terms of the forward convolution, with MIOpen's in and out swapped back.
    pub fn forward(&self) -> Forward {
        let as_is = Forward {
            channels: self.channels,
            filters: self.filters,
            input: self.input,
            output: self.output,
        };
        match self.direction {
            Direction::Forward => as_is,
            Direction::BackwardData | Direction::BackwardWeights => Forward {
                channels: as_is.filters,
                filters: as_is.channels,
                input: as_is.output,
                output: as_is.input,
            },
        }
    }

    /// True for a 3D problem with the 2D layout `NCHW`, which no request has.
    pub fn has_layout_of_fewer_dimensions(&self) -> bool {
        self.dimensions == 3 && self.layouts.contains(&"NCHW")
    }

    /// The problem with height and width swapped, as ten shipped find-dbs recorded it.
    #[must_use]
    pub fn transposed(&self) -> ConvolutionProblem<'a> {
        let mut other = self.clone();
        for extent in [
            &mut other.input,
            &mut other.filter,
            &mut other.output,
            &mut other.pad,
            &mut other.stride,
            &mut other.dilation,
        ] {
            extent.swap(1, 2);
        }
        other
    }
}

impl fmt::Display for ConvolutionProblem<'_> {
    /// Writes the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skip = usize::from(self.dimensions == 2);
        let join = |extent: &Extent, by: &str| {
            extent[skip..].iter().map(u32::to_string).collect::<Vec<_>>().join(by)
        };
        write!(f, "{}-{}-{}", self.channels, join(&self.input, "-"), join(&self.filter, "x"))?;
        write!(f, "-{}-{}-{}", self.filters, join(&self.output, "-"), self.batch)?;
        for extent in [&self.pad, &self.stride, &self.dilation] {
            write!(f, "-{}", join(extent, "x"))?;
        }
        write!(f, "-{}-", self.bias)?;
        let usual = if self.dimensions == 2 { "NCHW" } else { "NCDHW" };
        if self.layouts == [usual; 3] {
            write!(f, "{usual}")?;
        } else {
            write!(f, "{}", self.layouts.join("-"))?;
        }
        write!(f, "-{}-{}", self.data_type, self.direction.letter())?;
        if self.groups != 1 {
            write!(f, "_g{}", self.groups)?;
        }
        for (name, cast) in ["ci", "cw", "co"].iter().zip(self.casts) {
            if let Some(cast) = cast {
                write!(f, "_{name}{cast}")?;
            }
        }
        Ok(())
    }
}

/// Fields between hyphens.
struct LeBytes<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> LeBytes<'a> {
    fn expected(&self, expected: &'static str) -> NotAKey {
        NotAKey { at: self.at.min(self.text.len()), expected }
    }

    fn next(&mut self, expected: &'static str) -> Result<&'a str, NotAKey> {
        let rest = self.text.get(self.at..).ok_or(self.expected(expected))?;
        let length = memchr::memchr(b'-', rest.as_bytes()).unwrap_or(rest.len());
        self.at += length + 1;
        Ok(&rest[..length])
    }

    fn number(&mut self, expected: &'static str) -> Result<u32, NotAKey> {
        let at = self.at;
        digits(self.next(expected)?).ok_or(NotAKey { at, expected })
    }

    /// `H-W-YxX` or `D-H-W-ZxYxX`: the filter shows how many sizes there are.
    fn sizes_and_filter(&mut self) -> Result<(Extent, Extent, u8), NotAKey> {
        let mut sizes = [0; 3];
        for seen in 0..=3 {
            let at = self.at;
            let field = self.next("a size of the input, or the filter")?;
            if field.contains('x') {
                let not = NotAKey { at, expected: "a filter of as many dimensions as the input" };
                return match seen {
                    2 => Ok(([1, sizes[0], sizes[1]], steps(field, 2, 1).ok_or(not)?, 2)),
                    3 => Ok((sizes, steps(field, 3, 1).ok_or(not)?, 3)),
                    _ => Err(not),
                };
            }
            let size = digits(field).ok_or(NotAKey { at, expected: "a size of the input, or the filter" })?;
            *sizes.get_mut(seen).ok_or(NotAKey { at, expected: "a filter" })? = size;
        }
        Err(self.expected("a filter"))
    }

    fn sizes(&mut self, dimensions: u8, expected: &'static str) -> Result<Extent, NotAKey> {
        let mut sizes = [1; 3];
        for size in &mut sizes[3 - usize::from(dimensions)..] {
            *size = self.number(expected)?;
        }
        Ok(sizes)
    }

    fn steps(&mut self, dimensions: u8, expected: &'static str) -> Result<Extent, NotAKey> {
        let at = self.at;
        steps(self.next(expected)?, dimensions, 0).ok_or(NotAKey { at, expected })
    }

    /// One layout for all three tensors, or three layouts.
    fn layouts(&mut self) -> Result<[&'a str; 3], NotAKey> {
        let first = self.next("a layout")?;
        if matches!(first, "NCHW" | "NCDHW") {
            // The default is written once; a key that writes it three times is accepted too.
            let rest = self.text.get(self.at..).unwrap_or_default();
            if !rest.starts_with('N') {
                return Ok([first; 3]);
            }
        }
        if first.is_empty() {
            return Err(self.expected("a layout"));
        }
        Ok([first, self.next("a layout of the weights")?, self.next("a layout of the output")?])
    }
}

fn digits(text: &str) -> Option<u32> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// `AxB` or `AxBxC`; `missing` replaces the depth of a 2D problem.
fn steps(field: &str, dimensions: u8, missing: u32) -> Option<Extent> {
    let mut extent = [missing; 3];
    let mut values = field.split('x');
    for value in &mut extent[3 - usize::from(dimensions)..] {
        *value = digits(values.next()?)?;
    }
    values.next().is_none().then_some(extent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_real_databases_are_read_and_written() {
        for key in [
            "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F",
            "1024-14-14-1x1-2048-7-7-128-0x0-2x2-1x1-0-NHWC-NHWC-NHWC-FP16-W",
            "32-4-28-28-3x3x3-32-4-28-28-16-1x1x1-1x1x1-1x1x1-0-NCDHW-BF16-B_g32",
            "16-7-7-1x1-16-7-7-1-0x0-1x1-1x1-0-NCHW-INT8INT8INT32-F",
            "16-7-7-1x1-16-7-7-1-0x0-1x1-1x1-0-NHWC-NHWC-NHWC-FP16-F_g2_ciFP8_cwBF8",
        ] {
            assert_eq!(ConvolutionProblem::parse(key).map(|p| p.to_string()), Ok(key.to_owned()));
        }
    }

    #[test]
    fn backward_problems_name_the_gradient_first() {
        let key = "2048-7-5-1x1-1024-14-10-128-0x0-2x2-1x1-0-NCHW-FP32-B";
        let problem = ConvolutionProblem::parse(key).expect("a key");
        let forward = problem.forward();
        assert_eq!((forward.channels, forward.filters), (1024, 2048));
        assert_eq!((forward.input, forward.output), ([1, 14, 10], [1, 7, 5]));
        assert_eq!(problem.transposed().transposed(), problem);
        assert_eq!(problem.transposed().input, [1, 5, 7]);
    }

    #[test]
    fn what_is_no_key_is_told_where() {
        let at = |key| ConvolutionProblem::parse(key).expect_err(key);
        let three_with_two = "1-4-4-4-1x1x1-1-4-4-4-1-0x0-2x2x2-1x1x1-0-NCHW-FP32-F";
        assert_eq!(at(three_with_two).expected, "pads of as many dimensions as the filter");
        assert_eq!(at("64-56"), NotAKey { at: 5, expected: "a size of the input, or the filter" });
        assert_eq!(at("").expected, "the channels");
        assert_eq!(
            at("64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-Q").expected,
            "a direction: F, B or W"
        );
        assert_eq!(at("1-2-3-4-5x5").expected, "a filter of as many dimensions as the input");
        assert_eq!(at("64-99999999999-56-3x3-64").at, 3);
    }

    #[test]
    fn an_option_of_any_text_is_no_option() {
        for option in ["", "c", "x", "\u{fffd}2", "gg", "g0", "co_"] {
            let key = format!("64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F_{option}");
            let error = ConvolutionProblem::parse(&key).expect_err(&key);
            assert!(
                ["an option: _g, _ci, _cw or _co", "a number of groups"].contains(&error.expected),
                "{key}"
            );
        }
    }
}
