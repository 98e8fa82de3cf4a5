//! Arithmetic on shapes.

use std::collections::HashSet;

/// Sizes; `None` where one is not known.
pub type Shape = Vec<Option<u64>>;

/// Operators whose result has the common shape of all operands.
pub(super) const BROADCASTING: [&str; 20] = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Pow",
    "Sum",
    "Max",
    "Min",
    "Mean",
    "And",
    "Or",
    "Xor",
    "Equal",
    "Greater",
    "Less",
    "GreaterOrEqual",
    "LessOrEqual",
    "Where",
    "PRelu",
    "Mod",
];

/// Operators that change values and keep the shape of their first operand.
pub(super) const SHAPE_KEEPING: [&str; 43] = [
    "Relu",
    "LeakyRelu",
    "Sigmoid",
    "Tanh",
    "Clip",
    "BatchNormalization",
    "InstanceNormalization",
    "Dropout",
    "LRN",
    "Softmax",
    "LogSoftmax",
    "Identity",
    "Cast",
    "Erf",
    "Exp",
    "Log",
    "Sqrt",
    "Neg",
    "Abs",
    "Elu",
    "Selu",
    "HardSigmoid",
    "HardSwish",
    "Softplus",
    "Reciprocal",
    "Floor",
    "Ceil",
    "Gelu",
    "Not",
    "LayerNormalization",
    "GroupNormalization",
    "Mish",
    "Round",
    "Sign",
    "Sin",
    "Cos",
    "CumSum",
    "ThresholdedRelu",
    "Celu",
    "Softsign",
    "QuickGelu",
    "Swish",
    "RMSNormalization",
];

/// A size that a file states; `None` if negative.
pub(in crate::onnx) fn sized(number: i64) -> Option<u64> {
    u64::try_from(number).ok()
}

/// An axis that may be counted from the end.
pub(super) fn axis(at: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    let at = if at < 0 { at.checked_add(length)? } else { at };
    (0..length).contains(&at).then_some(at as usize)
}

/// The end of a slice, clamped.
pub(super) fn bound(at: i64, length: usize) -> Option<usize> {
    let most = i64::try_from(length).ok()?;
    let at = if at < 0 { at.saturating_add(most) } else { at };
    usize::try_from(at.clamp(0, most)).ok()
}

/// The number of values in a shape.
pub fn count(shape: &[Option<u64>]) -> Option<u64> {
    shape.iter().try_fold(1_u64, |all, size| all.checked_mul((*size)?))
}

pub(super) fn broadcast(a: &[Option<u64>], b: &[Option<u64>]) -> Option<Shape> {
    let rank = a.len().max(b.len());
    let at = |shape: &[Option<u64>], place: usize| match (place + shape.len()).checked_sub(rank) {
        Some(place) => shape.get(place).copied().flatten(),
        None => Some(1),
    };
    let joined = |place: usize| match (at(a, place), at(b, place)) {
        (Some(1), other) | (other, Some(1)) => other,
        (Some(a), _) => Some(a),
        (None, other) => other,
    };
    Some((0..rank).map(joined).collect())
}

pub(super) fn product(a: &[Option<u64>], b: &[Option<u64>]) -> Option<Shape> {
    match (a, b) {
        ([.., _, _], [.., _, _]) => {
            let (front, back) = (a.get(..a.len() - 2)?, b.get(..b.len() - 2)?);
            let mut shape = broadcast(front, back)?;
            shape.extend([*a.get(a.len() - 2)?, *b.last()?]);
            Some(shape)
        }
        ([.., _, _], [_]) => a.get(..a.len() - 1).map(<[_]>::to_vec),
        ([_], [front @ .., _, last]) => Some([front, &[*last]].concat()),
        _ => None,
    }
}

pub(super) fn unsqueezed(shape: &[Option<u64>], axes: &[i64]) -> Option<Shape> {
    let rank = shape.len() + axes.len();
    let places: Option<HashSet<usize>> = axes.iter().map(|at| axis(*at, rank)).collect();
    let places = places?;
    let mut left = shape.iter();
    (0..rank).map(|at| if places.contains(&at) { Some(Some(1)) } else { left.next().copied() }).collect()
}

pub(super) fn squeezed(shape: &[Option<u64>], axes: Option<&[i64]>) -> Option<Shape> {
    let places: HashSet<usize> = match axes {
        Some(axes) => axes.iter().map(|at| axis(*at, shape.len())).collect::<Option<_>>()?,
        None => shape.iter().enumerate().filter(|(_, size)| **size == Some(1)).map(|(at, _)| at).collect(),
    };
    Some(shape.iter().enumerate().filter(|(at, _)| !places.contains(at)).map(|(_, size)| *size).collect())
}

/// A two-dimensional tensor: the dimensions before an axis, and the others.
pub(super) fn flattened(shape: &[Option<u64>], at: i64) -> Option<Shape> {
    let (front, back) = shape.split_at_checked(axis(at, shape.len() + 1)?)?;
    Some(vec![count(front), count(back)])
}

/// Dimensions in another order; reversed if no order is stated.
pub(super) fn permuted(shape: Shape, order: Option<&[i64]>) -> Option<Shape> {
    match order {
        Some(order) => order.iter().map(|at| shape.get(usize::try_from(*at).ok()?).copied()).collect(),
        None => Some(shape.into_iter().rev().collect()),
    }
}

/// Replaces one dimension by those of the indices.
pub(super) fn gathered(shape: &[Option<u64>], indices: &[Option<u64>], at: i64) -> Option<Shape> {
    let axis = axis(at, shape.len())?;
    Some([shape.get(..axis)?, indices, shape.get(axis + 1..)?].concat())
}

/// Multiplies each dimension by its repeats.
pub(super) fn tiled(shape: &[Option<u64>], repeats: &[i64]) -> Option<Shape> {
    let times = |(size, times): (&Option<u64>, &i64)| size.and_then(|size| size.checked_mul(sized(*times)?));
    Some(shape.iter().zip(repeats).map(times).collect())
}

/// Adds the padding before and after each dimension.
pub(super) fn padded(shape: &[Option<u64>], pads: &[i64]) -> Option<Shape> {
    let padded = |(at, size): (usize, &Option<u64>)| {
        let (before, after) = (pads.get(at)?, pads.get(at + shape.len())?);
        (*size)?.checked_add_signed(before.checked_add(*after)?)
    };
    Some(shape.iter().enumerate().map(padded).collect())
}
