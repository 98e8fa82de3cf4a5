//! The sort of GCC's C++ standard library, step by step.
//!
//! Tensile sorts its tables with `std::sort` by key and speed when a catalog is loaded. That sort is not stable, many
//! rows are equal in both, and the first of equal rows wins a look-up: which solution is chosen depends on the very
//! exchanges that this sort makes. So they are made here in the same order. Source of the steps: libstdc++'s
//! `bits/stl_algo.h` (`__introsort_loop`, `__final_insertion_sort`) and `bits/stl_heap.h`, the same from GCC 4.7 to 15:
//! quicksort around the median of the second, the middle and the last item, which is moved to the first place; heapsort
//! where that went `2 * log2(n)` levels deep; parts of at most 16 items are left to one insertion sort at the end.
#![deny(clippy::indexing_slicing)]

/// Parts up to this length are left to the insertion sort.
const THRESHOLD: usize = 16;

/// Sorts as `std::sort(items, less)` does. `less` must be a strict weak order; with one that is not, the order of
/// the result is unspecified, where the original reads out of bounds.
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
