//! Windows of convolutions and pools: a node's sizes, strides, dilations and padding, and the resulting
//! sizes.
//!
//! Source: the operators `Conv`, `ConvTranspose`, `MaxPool` and `AveragePool` in onnx/onnx
//! `docs/Operators.md`.

use super::graph::Node;
use super::shape::sized;

/// The window of a convolution or a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Sizes of the kernel.
    pub kernel: Vec<u64>,
    /// Strides.
    pub strides: Vec<u64>,
    /// Dilations.
    pub dilations: Vec<u64>,
    /// Padding before each dimension.
    pub before: Vec<u64>,
    /// Padding after each dimension.
    pub after: Vec<u64>,
}

impl Window {
    /// The window of a node over an input; `None` if something is unknown or impossible.
    pub fn for_node(node: &Node, input: &[Option<u64>], kernel: &[Option<u64>]) -> Option<Window> {
        let kernel: Vec<u64> = kernel.iter().copied().collect::<Option<_>>()?;
        let rank = kernel.len();
        let numbers = |name: &str, other: u64| -> Option<Vec<u64>> {
            match node.ints(name) {
                Some(numbers) if numbers.len() == rank => {
                    numbers.iter().map(|n| sized(*n).filter(|n| *n > 0)).collect()
                }
                Some(_) => None,
                None => Some(vec![other; rank]),
            }
        };
        let (strides, dilations) = (numbers("strides", 1)?, numbers("dilations", 1)?);
        let pads: Vec<u64> = match node.ints("pads") {
            Some(pads) => pads.iter().map(|pad| sized(*pad)).collect::<Option<_>>()?,
            None => vec![0; 2 * rank],
        };
        let (before, after) = pads.split_at_checked(rank).filter(|(_, after)| after.len() == rank)?;
        let mut window =
            Window { kernel, strides, dilations, before: before.to_vec(), after: after.to_vec() };
        match node.text("auto_pad") {
            Some(same @ ("SAME_UPPER" | "SAME_LOWER")) => window.pad_same(input, same == "SAME_UPPER")?,
            Some("VALID") => {
                window.before.fill(0);
                window.after.fill(0);
            }
            _ => {}
        }
        Some(window)
    }

    fn extent(&self, at: usize) -> Option<u64> {
        let (kernel, dilation) = (self.kernel.get(at)?, self.dilations.get(at)?);
        kernel.checked_sub(1)?.checked_mul(*dilation)?.checked_add(1)
    }

    fn pad_same(&mut self, input: &[Option<u64>], upper: bool) -> Option<()> {
        for at in 0..self.kernel.len() {
            let (size, stride) = ((*input.get(at + 2)?)?, *self.strides.get(at)?);
            let needed =
                size.div_ceil(stride).checked_sub(1)?.checked_mul(stride)?.checked_add(self.extent(at)?)?;
            let all = needed.saturating_sub(size);
            let (less, more) = (all / 2, all - all / 2);
            *self.before.get_mut(at)? = if upper { less } else { more };
            *self.after.get_mut(at)? = if upper { more } else { less };
        }
        Some(())
    }

    /// The sizes of a window's output, without its first two dimensions.
    pub fn sizes(&self, input: &[Option<u64>], ceil: bool) -> Vec<Option<u64>> {
        let size = |at: usize| {
            let all = (*input.get(at + 2)?)?
                .checked_add(*self.before.get(at)?)?
                .checked_add(*self.after.get(at)?)?;
            let room = all.checked_sub(self.extent(at)?)?;
            let stride = *self.strides.get(at)?;
            let steps = if ceil { room.div_ceil(stride) } else { room / stride };
            // A window that begins in the trailing padding does not count.
            let begins =
                steps.checked_mul(stride)? < (*input.get(at + 2)?)?.checked_add(*self.before.get(at)?)?;
            if ceil && !begins { Some(steps) } else { steps.checked_add(1) }
        };
        (0..self.kernel.len()).map(size).collect()
    }

    /// The sizes of a transposed convolution's output, without its first two dimensions.
    pub(super) fn enlarged(&self, node: &Node, input: &[Option<u64>]) -> Vec<Option<u64>> {
        if let Some(stated) = node.ints("output_shape") {
            return stated.iter().map(|size| sized(*size)).collect();
        }
        let more = node.ints("output_padding");
        let size = |at: usize| {
            let steps = (*input.get(at + 2)?)?.checked_sub(1)?.checked_mul(*self.strides.get(at)?)?;
            let more = more.map_or(Some(0), |more| sized(*more.get(at)?))?;
            let all = steps.checked_add(self.extent(at)?)?.checked_add(more)?;
            all.checked_sub(self.before.get(at)?.checked_add(*self.after.get(at)?)?)
        };
        (0..self.kernel.len()).map(size).collect()
    }
}
