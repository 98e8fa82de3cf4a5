//! The order of parts in a file.

use alloc::vec::Vec;

/// Sorts by two numbers, such as offset and size; parts with equal ones keep their order.
///
/// The numbers are sorted, and the parts follow: one sort is compiled for all types of parts, which halves
/// what sorting takes of a small module.
pub(crate) fn sort_by_place<T>(parts: &mut Vec<T>, place: impl Fn(&T) -> (u64, u64)) {
    let mut places: Vec<(u64, u64, usize)> = Vec::with_capacity(parts.len());
    places.extend(parts.iter().enumerate().map(|(index, part)| {
        let (first, second) = place(part);
        (first, second, index)
    }));
    if places.is_sorted() {
        return;
    }
    places.sort_unstable();
    let mut slots: Vec<Option<T>> = core::mem::take(parts).into_iter().map(Some).collect();
    parts.extend(places.iter().filter_map(|(.., index)| slots.get_mut(*index)?.take()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_sorted_by_both_numbers_and_equal_ones_stay() {
        let mut parts = vec![(7, 1, 'a'), (3, 9, 'b'), (7, 0, 'c'), (3, 9, 'd'), (0, 5, 'e')];
        let mut wanted = parts.clone();
        wanted.sort_by_key(|(first, second, _)| (*first, *second));
        sort_by_place(&mut parts, |(first, second, _)| (*first, *second));
        assert_eq!(parts, wanted);
        assert_eq!(parts.iter().map(|(.., name)| *name).collect::<String>(), "ebdca");
    }
}
