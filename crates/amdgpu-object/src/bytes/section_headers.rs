//! Detects section headers that no linker writes: they were overwritten, and their purpose is lost.
#![deny(clippy::indexing_slicing)]

use super::elf::Section;
use crate::error::ParseError;
use crate::limits::NAME_BYTES;
use alloc::format;
use object::elf as raw;

/// What is wrong with the section headers of the ELF file at `base`, if anything.
pub fn problems(sections: &[Section<'_>], base: u64) -> impl Iterator<Item = ParseError> {
    lost_section(sections, base).into_iter().chain(zeroed_header(sections, base))
}

/// A zero header among others: only the first may be null, and no linker writes another.
fn zeroed_header(sections: &[Section<'_>], base: u64) -> Option<ParseError> {
    let is_zero = |s: &&Section<'_>| {
        s.kind == raw::SHT_NULL.0
            && s.name.is_empty()
            && (s.flags, s.address, s.offset, s.size) == (0, 0, 0, 0)
    };
    let count = sections.iter().filter(is_zero).count();
    let what = || {
        format!("{count} of {} section headers are zeros: what they were for is not known", sections.len())
    };
    (count > 0).then(|| ParseError::new(base, what()))
}

/// A section header that no linker writes: without a name, with a name that is not text, or null but not
/// empty.
fn lost_section(sections: &[Section<'_>], base: u64) -> Option<ParseError> {
    let odd = |byte: &u8| byte.is_ascii_control() || b" \"`\\^{}|~".contains(byte);
    let is_text = |name: &[u8]| !name.iter().any(odd) && core::str::from_utf8(name).is_ok();
    let is_null = |s: &Section<'_>| s.kind == raw::SHT_NULL.0;
    let wrong = |s: &&Section<'_>| match is_null(s) {
        true => s.offset > 0 || s.size > 0 || s.address > 0 || s.flags > 0,
        // Names are kept up to a limit, which may split a character.
        false => s.name.is_empty() || s.name.len() < NAME_BYTES && !is_text(s.name),
    };
    let section = sections.iter().find(wrong)?;
    let what = "the header of a section has no name, or no type: it was written over";
    Some(ParseError::new(base.saturating_add(section.offset), what))
}
