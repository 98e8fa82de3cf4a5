//! The sizes of a launch.

use super::super::integer::Integer;

/// A launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The kernel, by its name in the source file.
    pub kernel: String,
    /// Work items in each dimension.
    pub work_items: [u64; 3],
    /// Work items of a work group in each dimension.
    pub work_group: [u64; 3],
}

impl Launch {
    /// `None` for sizes that no launch can have: the parameters do not fit the problem.
    pub(super) fn new(
        kernel: impl Into<String>,
        work_items: [Integer; 3],
        work_group: [Integer; 3],
    ) -> Option<Launch> {
        let sizes = |sizes: [Integer; 3]| {
            let [x, y, z] = sizes.map(|size| u64::try_from(size.0).ok().filter(|size| *size > 0));
            Some([x?, y?, z?])
        };
        let (work_items, work_group) = (sizes(work_items)?, sizes(work_group)?);
        Some(Launch { kernel: kernel.into(), work_items, work_group })
    }

    /// A launch in one dimension: so many work groups of so many work items.
    pub(super) fn in_line(kernel: impl Into<String>, groups: Integer, group: Integer) -> Option<Launch> {
        Launch::new(kernel, [groups * group, Integer::ONE, Integer::ONE], [group, Integer::ONE, Integer::ONE])
    }
}
