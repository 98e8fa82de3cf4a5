//! How much work line tables may ask for.

use super::sections::Sections;

/// Work that is left. Tables of different units may share parts, and so ask for the square of their size;
/// those of compilers share next to nothing, and stay far below what is allowed.
#[derive(Debug)]
pub(super) struct Spent {
    headers: usize,
    programs: usize,
    attributes: usize,
    ranges: usize,
    names: usize,
}

/// Attributes for each byte of the entries: those of no size are allowed for.
const ATTRIBUTES: usize = 16;

/// What the smallest tables may ask for.
const LEAST: usize = 4096;

impl Spent {
    pub(super) fn allow(sections: &Sections<'_>) -> Self {
        let size = |name: &[u8]| sections.bytes(name).len();
        let (line, info) = (sections.line.len(), size(b".debug_info"));
        let lists = size(b".debug_rnglists") + size(b".debug_ranges");
        Spent {
            headers: line.saturating_mul(4) + LEAST,
            programs: line.saturating_mul(2) + LEAST,
            attributes: info.saturating_mul(ATTRIBUTES) + LEAST,
            // An entry of a list has three bytes at least.
            ranges: (info + lists) / 2 + LEAST,
            // Names are asked for once for each function with code of its own, and once for all of its
            // copies.
            names: (info + size(b".debug_str")).saturating_mul(4) + LEAST,
        }
    }

    /// Takes a header of a line program, in bytes; whether that was allowed.
    pub(super) fn header(&mut self, bytes: usize) -> bool {
        take(&mut self.headers, bytes)
    }

    /// Takes a line program, in bytes.
    pub(super) fn program(&mut self, bytes: usize) -> bool {
        take(&mut self.programs, bytes)
    }

    /// Takes attributes of an entry, and the entry.
    pub(super) fn attributes(&mut self, count: usize) -> bool {
        take(&mut self.attributes, count + 1)
    }

    /// Takes the bytes of a name.
    pub(super) fn name(&mut self, bytes: usize) -> bool {
        take(&mut self.names, bytes)
    }

    /// Takes a range of a function.
    pub(super) fn range(&mut self) -> bool {
        take(&mut self.ranges, 1)
    }
}

fn take(left: &mut usize, count: usize) -> bool {
    let enough = *left >= count;
    *left = left.saturating_sub(count);
    enough
}
