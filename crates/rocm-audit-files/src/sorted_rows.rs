//! Sorting of rows by one copy of the sort for all types.
//!
//! The standard library's stable sort is five kilobytes of code for each type and order that it is called
//! with. Rows of reports and screens are few, so that a call through a pointer for each comparison does not
//! count: they share one.

use std::cmp::Ordering;

/// Stable sorts of few rows: as the functions of slices whose names they have without `rows`.
pub trait SortedRows<T> {
    /// Sorts by comparisons.
    fn sort_rows_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by what a row gives.
    fn sort_rows_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.sort_rows_by(move |one, other| key(one).cmp(&key(other)));
    }

    /// Sorts by the order of the type.
    fn sort_rows(&mut self)
    where
        T: Ord,
    {
        self.sort_rows_by(T::cmp);
    }
}

impl<T> SortedRows<T> for [T] {
    fn sort_rows_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let mut from = places(self.len(), &mut |one, other| match (self.get(one), self.get(other)) {
            (Some(one), Some(other)) => compare(one, other),
            _ => Ordering::Equal,
        });
        for start in 0..self.len() {
            // Along a cycle each row takes the place of the one before it.
            let mut at = start;
            while let Some(place) = from.get_mut(at) {
                let next = std::mem::replace(place, at);
                if next == start || next == at {
                    break;
                }
                self.swap(at, next);
                at = next;
            }
        }
    }
}

/// For each place the one where its row is before the rows are sorted.
fn places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|one, other| compare(*one, *other));
    places
}

#[cfg(test)]
mod tests {
    use super::SortedRows;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_sorted_as_the_standard_library_sorts_them(
            rows in prop::collection::vec((0u8..8, any::<u16>()), 0..200),
        ) {
            let (mut ours, mut expected) = (rows.clone(), rows.clone());
            ours.sort_rows_by_key(|row| row.0);
            expected.sort_by_key(|row| row.0);
            prop_assert_eq!(&ours, &expected);
            ours.sort_rows();
            expected.sort();
            prop_assert_eq!(&ours, &expected);
            let (mut ours, mut expected) = (rows.clone(), rows);
            ours.sort_rows_by(|one, other| other.1.cmp(&one.1));
            expected.sort_by_key(|row| std::cmp::Reverse(row.1));
            prop_assert_eq!(ours, expected);
        }
    }
}
