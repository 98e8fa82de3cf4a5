//! The sort of GCC's C++ standard library, step by step.
//!
//! Tensile sorts its tables with `std::sort` by key and speed when a catalog is loaded. That sort is not
//! stable, many rows are equal in both, and the first of equal rows wins a look-up: which solution is chosen
//! depends on the very exchanges that this sort makes. So they are made here in the same order. Source of the
//! steps: libstdc++'s `bits/stl_algo.h` (`__introsort_loop`, `__final_insertion_sort`) and `bits/stl_heap.h`,
//! the same from GCC 4.7 to 15: quicksort around the median of the second, the middle and the last item,
//! which is moved to the first place; heapsort where that went `2 * log2(n)` levels deep; parts of at most 16
//! items are left to one insertion sort at the end.
#![deny(clippy::indexing_slicing)]

/// Parts up to this length are left to the insertion sort.
const THRESHOLD: usize = 16;

/// Sorts as `std::sort(items, less)` does. `less` must be a strict weak order; with one that is not, the
/// order of the result is unspecified, where the original reads out of bounds.
pub fn sort<T: Copy>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let len = items.len();
    let mut sorter = Sorter { items, less };
    if let Some(log) = len.checked_ilog2() {
        sorter.introsort_loop(0, len, 2 * log);
        sorter.final_insertion_sort(len);
    }
}

struct Sorter<'a, T, F> {
    items: &'a mut [T],
    less: F,
}

impl<T: Copy, F: Fn(&T, &T) -> bool> Sorter<'_, T, F> {
    fn less(&self, a: usize, b: usize) -> bool {
        match (self.items.get(a), self.items.get(b)) {
            (Some(a), Some(b)) => (self.less)(a, b),
            _ => false,
        }
    }

    fn is_less_than(&self, value: &T, b: usize) -> bool {
        self.items.get(b).is_some_and(|b| (self.less)(value, b))
    }

    fn swap(&mut self, a: usize, b: usize) {
        if a.max(b) < self.items.len() {
            self.items.swap(a, b);
        }
    }

    fn set(&mut self, at: usize, value: T) {
        if let Some(slot) = self.items.get_mut(at) {
            *slot = value;
        }
    }

    fn copy(&mut self, from: usize, to: usize) {
        if let Some(value) = self.items.get(from).copied() {
            self.set(to, value);
        }
    }

    fn introsort_loop(&mut self, first: usize, mut last: usize, mut depth: u32) {
        while last - first > THRESHOLD {
            if depth == 0 {
                return self.heapsort(first, last);
            }
            depth -= 1;
            let cut = self.partition(first, last);
            self.introsort_loop(cut, last, depth);
            last = cut;
        }
    }

    /// `__unguarded_partition_pivot`.
    fn partition(&mut self, first: usize, last: usize) -> usize {
        self.median_to_first(first, first + 1, first + (last - first) / 2, last - 1);
        let (pivot, mut low, mut high) = (first, first + 1, last);
        loop {
            while self.less(low, pivot) {
                low += 1;
            }
            high = high.saturating_sub(1);
            // The pivot stands before all and is not less than itself: this ends there at the latest.
            while high > first && self.less(pivot, high) {
                high -= 1;
            }
            if low >= high {
                return low.clamp(first + 1, last);
            }
            self.swap(low, high);
            low += 1;
        }
    }

    /// `__move_median_to_first`.
    fn median_to_first(&mut self, first: usize, a: usize, b: usize, c: usize) {
        let median = if self.less(a, b) {
            if self.less(b, c) {
                b
            } else if self.less(a, c) {
                c
            } else {
                a
            }
        } else if self.less(a, c) {
            a
        } else if self.less(b, c) {
            c
        } else {
            b
        };
        self.swap(first, median);
    }

    /// `__partial_sort` of everything: `make_heap`, then `sort_heap`.
    fn heapsort(&mut self, first: usize, last: usize) {
        let len = last - first;
        for parent in (0..len / 2).rev() {
            if let Some(value) = self.items.get(first + parent).copied() {
                self.adjust_heap(first, parent, len, value);
            }
        }
        for end in (first + 1..last).rev() {
            if let Some(value) = self.items.get(end).copied() {
                self.copy(first, end);
                self.adjust_heap(first, 0, end - first, value);
            }
        }
    }

    /// `__adjust_heap`, then `__push_heap`.
    fn adjust_heap(&mut self, first: usize, top: usize, len: usize, value: T) {
        let mut hole = top;
        let mut child = top;
        while child < (len - 1) / 2 {
            child = 2 * (child + 1);
            if self.less(first + child, first + child - 1) {
                child -= 1;
            }
            self.copy(first + child, first + hole);
            hole = child;
        }
        if len.is_multiple_of(2) && len >= 2 && child == (len - 2) / 2 {
            child = 2 * (child + 1);
            self.copy(first + child - 1, first + hole);
            hole = child - 1;
        }
        while hole > top {
            let parent = (hole - 1) / 2;
            if !self.items.get(first + parent).is_some_and(|p| (self.less)(p, &value)) {
                break;
            }
            self.copy(first + parent, first + hole);
            hole = parent;
        }
        self.set(first + hole, value);
    }

    fn final_insertion_sort(&mut self, len: usize) {
        for at in 1..len {
            let Some(value) = self.items.get(at).copied() else { return };
            if at < THRESHOLD && self.is_less_than(&value, 0) {
                self.items.copy_within(0..at, 1);
                self.set(0, value);
            } else {
                self.linear_insert(at, value);
            }
        }
    }

    /// `__unguarded_linear_insert`.
    fn linear_insert(&mut self, mut at: usize, value: T) {
        while at > 0 && self.is_less_than(&value, at - 1) {
            self.copy(at - 1, at);
            at -= 1;
        }
        self.set(at, value);
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::RefCell;

    type Item = (u32, u32);

    /// Keys below `keys` from a linear congruential generator, each with its place.
    fn random(count: u32, keys: u32) -> Vec<Item> {
        let mut state = 1u64;
        let mut next = |place| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) as u32 % keys, place)
        };
        (0..count).map(&mut next).collect()
    }

    /// McIlroy's adversary ("A Killer Adversary for Quicksort", 1999): decides what is less only when it is
    /// asked, so that quicksort goes as deep as it can. The keys depend on every single comparison. Four are
    /// then made one.
    fn killer(count: u32) -> Vec<Item> {
        struct Adversary {
            values: Vec<u32>,
            solid: u32,
            candidate: u32,
        }
        let gas = count - 1;
        let state = RefCell::new(Adversary { values: vec![gas; count as usize], solid: 0, candidate: 0 });
        let mut places: Vec<u32> = (0..count).collect();
        sort(&mut places, |&x, &y| {
            let mut s = state.borrow_mut();
            if s.values[x as usize] == gas && s.values[y as usize] == gas {
                let frozen = if x == s.candidate { x } else { y };
                s.values[frozen as usize] = s.solid;
                s.solid += 1;
            }
            if s.values[x as usize] == gas {
                s.candidate = x;
            } else if s.values[y as usize] == gas {
                s.candidate = y;
            }
            s.values[x as usize] < s.values[y as usize]
        });
        let values = state.into_inner().values;
        (0..).zip(values).map(|(place, value)| (value / 4, place)).collect()
    }

    /// FNV-1a of the places in their new order, as 32-bit little-endian numbers.
    fn digest(items: &[Item]) -> u64 {
        let bytes = items.iter().flat_map(|(_, place)| place.to_le_bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    }

    fn sorted(mut items: Vec<Item>) -> Vec<Item> {
        sort(&mut items, |a, b| a.0 < b.0);
        items
    }

    /// What `std::sort` of g++ 12.2 (libstdc++ 6.0.30, `-O2`) makes of the same input with the same
    /// comparison, computed by a program of 40 lines that builds the input and the digest as above.
    const KNOWN: [(u32, u32, u64); 24] = [
        (16, 1, 0x2135120b48416d25),
        (16, 3, 0xc6ba7d10d3d11b45),
        (16, 50, 0x3fcf634c8706afa5),
        (16, 100000, 0x34b4164cd3ef0055),
        (17, 1, 0xc7cce00022fb5a65),
        (17, 3, 0x8f9a762483bea765),
        (17, 50, 0x1b729a44ddfa7df5),
        (17, 100000, 0xa2beb96c207ad435),
        (20, 1, 0x3607d40d276f4dc5),
        (20, 3, 0x81225c7a8e1de195),
        (20, 50, 0xeebb4aef3e824145),
        (20, 100000, 0x271f49515450a985),
        (100, 1, 0xfb3f3859d5972ce5),
        (100, 3, 0xb4b2cd72c045da45),
        (100, 50, 0x8bcbf92a8e0df9f5),
        (100, 100000, 0x19e41f52ac6a4495),
        (1000, 1, 0x968cc0ae32695275),
        (1000, 3, 0xbe4a884bd91bdf1d),
        (1000, 50, 0x4600c3c1f15d041d),
        (1000, 100000, 0x75a02acfa55f724d),
        (20000, 1, 0xbbce33c31b2fb1bd),
        (20000, 3, 0xf8eb270eb944dee1),
        (20000, 50, 0x6cdd70246be9d125),
        (20000, 100000, 0x79df7600db9fd151),
    ];

    #[test]
    fn equal_items_come_out_as_the_original_leaves_them() {
        for (count, keys, expected) in KNOWN {
            assert_eq!(digest(&sorted(random(count, keys))), expected, "{count} items, {keys} keys");
        }
        let order: Vec<u32> = sorted(random(17, 3)).iter().map(|(_, place)| *place).collect();
        assert_eq!(order, [1, 13, 12, 10, 8, 4, 3, 2, 7, 9, 11, 15, 16, 5, 6, 0, 14]);
    }

    #[test]
    fn heapsort_takes_over_as_in_the_original() {
        // From the same program: 40, 0, 31, 0, 45, 1, 30, 1 are the first keys of 200.
        let keys: Vec<u32> = killer(200).iter().take(8).map(|(key, _)| *key).collect();
        assert_eq!(keys, [40, 0, 31, 0, 45, 1, 30, 1]);
        assert_eq!(digest(&sorted(killer(200))), 0x4b518a1793855ea5);
        assert_eq!(digest(&sorted(killer(3000))), 0xf2b0b9679c6f5231);
    }

    #[test]
    fn a_stable_sort_gives_another_order() {
        let mut stable = random(17, 3);
        stable.sort_by_key(|(key, _)| *key);
        assert_ne!(stable, sorted(random(17, 3)));
        // Up to 16 items it is an insertion sort, which is stable.
        let mut stable = random(16, 3);
        stable.sort_by_key(|(key, _)| *key);
        assert_eq!(stable, sorted(random(16, 3)));
    }

    proptest! {
        #[test]
        fn it_sorts(keys in proptest::collection::vec(0u32..300, 0..2000)) {
            let mut items: Vec<Item> = keys.into_iter().zip(0..).collect();
            let mut expected = items.clone();
            sort(&mut items, |a, b| a.0 < b.0);
            prop_assert!(items.is_sorted_by_key(|(key, _)| *key));
            items.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(items, expected);
        }

        #[test]
        fn a_comparison_without_sense_does_no_harm(
            mut items in proptest::collection::vec(0u32..50, 0..500),
            answers in proptest::collection::vec(any::<bool>(), 97),
        ) {
            let asked = std::cell::Cell::new(0usize);
            let mut expected = items.clone();
            sort(&mut items, |_, _| {
                asked.set(asked.get() + 1);
                answers[asked.get() % answers.len()]
            });
            expected.sort_unstable();
            items.sort_unstable();
            prop_assert_eq!(items.len(), expected.len());
        }
    }
}
