//! How far a call is from the size that its algorithm was tuned for.
#![deny(clippy::indexing_slicing)]

use super::library::Choice;

/// Ratio of sizes up to which a call is near a tuned size.
pub const NEAR: f64 = 2.0;

/// How a call stands to the tables of tuned sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TunedMatch {
    /// A row has exactly these sizes.
    Exact,
    /// A row gives the algorithm; the largest ratio between one of the sizes and the row's, above 1.
    Ratio(f64),
    /// A model ranks it first.
    Ranked,
    /// No row gives one, and this many solutions can solve it.
    FillOnly(usize),
    /// No solution can solve it.
    Nothing,
    /// The catalogs hold something that is not known.
    NotKnown,
}

impl TunedMatch {
    /// How a choice stands to the tables.
    pub fn from_choice(choice: &Choice<'_>) -> TunedMatch {
        if let Some(first) = choice.fixed.first() {
            let Some(row) = first.row else { return TunedMatch::Ranked };
            let ratio = ratio(choice.problem.sizes, row.key());
            return if ratio == 1.0 { TunedMatch::Exact } else { TunedMatch::Ratio(ratio) };
        }
        match choice.fill.len() {
            _ if choice.undecided.is_some() || choice.compiled => TunedMatch::NotKnown,
            0 => TunedMatch::Nothing,
            count => TunedMatch::FillOnly(count),
        }
    }

    /// The word for it: `exact`, `near`, `far`, `ranked`, `fill`, `nothing`, `not-known`.
    pub fn word(self) -> &'static str {
        match self {
            TunedMatch::Exact => "exact",
            TunedMatch::Ratio(ratio) if ratio <= NEAR => "near",
            TunedMatch::Ratio(_) => "far",
            TunedMatch::Ranked => "ranked",
            TunedMatch::FillOnly(_) => "fill",
            TunedMatch::Nothing => "nothing",
            TunedMatch::NotKnown => "not-known",
        }
    }

    /// The ratio of sizes, where a row gives the algorithm.
    pub fn ratio(self) -> Option<f64> {
        match self {
            TunedMatch::Exact => Some(1.0),
            TunedMatch::Ratio(ratio) => Some(ratio),
            _ => None,
        }
    }
}

/// The largest ratio between M, N or K of a call and of a row (M, N, batch, K). A batch that the row has not
/// is part of the larger of M and N, as the search has it.
pub fn ratio([m, n, batch, k]: [u64; 4], [row_m, row_n, row_batch, row_k]: [u64; 4]) -> f64 {
    let (mut m, mut n) = (m, n);
    if batch != row_batch {
        let larger = if m > n { &mut m } else { &mut n };
        *larger = larger.saturating_mul(batch);
    }
    let of = |own: u64, row: u64| {
        let (low, high) = (own.min(row).max(1), own.max(row).max(1));
        high as f64 / low as f64
    };
    of(m, row_m).max(of(n, row_n)).max(of(k, row_k))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_that_of_the_worst_size() {
        assert_eq!(ratio([64, 64, 1, 64], [64, 64, 1, 64]), 1.0);
        assert_eq!(ratio([64, 64, 1, 64], [64, 128, 1, 16]), 4.0);
        // 8 products of 64 columns are 512 columns.
        assert_eq!(ratio([32, 64, 8, 64], [32, 512, 1, 64]), 1.0);
        assert_eq!(ratio([64, 64, 1, 0], [64, 64, 1, 2]), 2.0);
    }
}
