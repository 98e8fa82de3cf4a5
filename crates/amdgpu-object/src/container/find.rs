//! Finds bundles and bare code objects in a range of bytes, in order.
//!
//! There are two ways: a device section is stepped through bundle by bundle; other data is searched for
//! magics, and each hit is verified by its structure, since texts and compilers also contain the magics.
//! Neither looks inside what it has already recognised, and both look at each byte only once.
#![deny(clippy::indexing_slicing)]

use super::found::FoundContainer;
use super::{BUNDLE_FORMS, Bundle, BundleForm, bundle, offload_binary};
use crate::budget::ObjectBudget;
use crate::bytes::elf;
use crate::bytes::zeros::leading_zeros;
use crate::codeobject;
use crate::error::{ParseError, ParseErrors, Parsed};
use crate::format::Format;
use crate::limits::ZERO_BYTES;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use memchr::memmem;

answer! {
    /// Bytes of `.hip_fatbin` and similar sections outside of bundles.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Gaps {
        /// Zero bytes between and after bundles.
        copy padding: u64,
        /// Headers and tables that belong to no single bundle.
        copy headers: u64,
        /// Bytes that are neither zero nor part of anything recognised.
        copy unknown: u64,
    }
}

impl Gaps {
    /// Adds the gaps of another part.
    pub fn merge(&mut self, other: Gaps) {
        self.padding += other.padding;
        self.headers += other.headers;
        self.unknown += other.unknown;
    }

    /// Total number of bytes.
    pub fn total(&self) -> u64 {
        self.padding + self.headers + self.unknown
    }
}

/// The contents of a device section.
#[derive(Debug, Default)]
pub struct Region {
    /// Bundles in file order.
    pub bundles: Vec<Bundle>,
    /// Bytes between the bundles.
    pub gaps: Gaps,
    /// Malformed parts.
    pub problems: ParseErrors,
}

/// Steps through a device section. `bytes` is its content, `base` its absolute offset.
pub fn bundles_in_section(bytes: &[u8], base: u64, budget: &mut ObjectBudget) -> Region {
    let mut region = Region::default();
    let mut magics = Magics::default();
    let mut at = 0usize;
    // Anything after a malformed header is part of the same fault and is not reported again.
    let mut after_fault = false;
    // OffloadBinaries align to eight bytes; code objects lie in them and not beside them.
    let mut after_binary = false;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let zeros = leading_zeros(rest.get(..ZERO_BYTES).unwrap_or(rest));
        if zeros == ZERO_BYTES {
            let what =
                format!("{ZERO_BYTES} zero bytes follow each other; {} bytes are not read", rest.len());
            region.problems.push(ParseError::new(base + at as u64, what));
            region.gaps.unknown += rest.len() as u64;
            break;
        }
        region.gaps.padding += zeros as u64;
        let code = bytes.get(at + zeros..).unwrap_or_default();
        let bare = after_binary && zeros >= SMALLEST && (CODE_OBJECT.is_plausible)(code);
        if bare || is_lost(base, at, zeros) {
            let what = match at {
                _ if bare => format!(
                    "{zeros} zeros stand between an OffloadBinary and a bare code object: its header may be lost"
                ),
                0 => format!("{zeros} zeros stand where a bundle begins, which may be lost"),
                _ => format!("{zeros} zeros follow a bundle, more than align the next: another may be lost"),
            };
            region.problems.push(ParseError::new(base + at as u64, what));
        }
        at += zeros;
        // Searches only if no magic follows, because a search touches pages that are otherwise not needed.
        let here = bytes.get(at..).is_none_or(|rest| rest.is_empty() || begins_with_magic(rest));
        let next = if here { at } else { magics.next(bytes, at) };
        if next > at {
            region.gaps.unknown += (next - at) as u64;
            if !after_fault {
                let what = format!("{} bytes between bundles are neither a bundle nor zero", next - at);
                region.problems.push(ParseError::new(base + at as u64, what));
            }
            at = next;
        }
        let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) else { break };
        after_binary = rest.starts_with(offload_binary::FORM.magic);
        let span = match read_at(rest, base + at as u64, budget).and_then(|found| found.pay(budget)) {
            Ok(found) => {
                after_fault = false;
                let problems = found.bundles.iter().filter_map(|b| b.problem.clone());
                problems.for_each(|problem| region.problems.push(problem));
                region.problems.append(found.problems);
                region.gaps.headers += found.headers;
                region.bundles.extend(found.bundles);
                usize::try_from(found.span).unwrap_or(usize::MAX).max(4)
            }
            Err(error) => {
                after_fault = true;
                region.problems.push(error);
                let passed = if budget.is_spent() { rest.len() } else { 4.min(rest.len()) };
                region.gaps.unknown += passed as u64;
                passed
            }
        };
        at = at.saturating_add(span);
    }
    region
}

/// Size of the smallest bundle in bytes; compressed ones are not smaller either.
const SMALLEST: usize = 24;

/// Whether the `zeros` at `at` (in bytes that begin at `base`) are more than padding up to the next bundle or
/// the end, so that something was there. They are padding if what follows is aligned, in the section or in
/// the file, to more than their number; at most to a page, which is the alignment of HIP's compiler.
pub(super) fn is_lost(base: u64, at: usize, zeros: usize) -> bool {
    let end = at + zeros;
    let fills = |end: u64| (zeros as u64) < (1u64 << end.trailing_zeros().min(12));
    zeros >= SMALLEST && !fills(end as u64) && !fills(base.saturating_add(end as u64))
}

fn begins_with_magic(bytes: &[u8]) -> bool {
    BUNDLE_FORMS.iter().any(|form| bytes.starts_with(form.magic) && (form.is_plausible)(bytes))
}

/// Position of the next magic of each form; each is searched for only once, however many gaps there are.
#[derive(Default)]
struct Magics([Option<usize>; BUNDLE_FORMS.len()]);

impl Magics {
    /// The first magic at or after `at`; the end of the bytes if there is none.
    fn next(&mut self, bytes: &[u8], at: usize) -> usize {
        let mut first = bytes.len();
        for (known, form) in self.0.iter_mut().zip(BUNDLE_FORMS) {
            let place = match *known {
                Some(place) if place >= at => place,
                _ => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let is_one = |at: &usize| rest.get(*at..).is_some_and(form.is_plausible);
                    memmem::find_iter(rest, form.magic).find(is_one).map_or(bytes.len(), |found| at + found)
                }
            };
            *known = Some(place);
            first = first.min(place);
        }
        first
    }
}

/// Searches `bytes`, arbitrary data at the absolute offset `base`, for consistent bundles and code objects.
/// Text that merely contains a magic gives nothing and is not a problem. Headers of incomplete code objects
/// are a problem, and so is exceeding the limits.
pub fn search_magics(bytes: &[u8], base: u64, budget: &mut ObjectBudget) -> (Vec<Bundle>, ParseErrors) {
    let (mut found, mut problems): (Vec<Bundle>, _) = Default::default();
    let mut magics = Magics::default();
    let mut at = 0;
    loop {
        at = magics.next(bytes, at);
        let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) else { return (found, problems) };
        let here = match read_at(rest, base + at as u64, budget) {
            // After the limit was reached, the rest is not searched.
            Err(error) if budget.refused(error.kind()) => {
                problems.push(error);
                return (found, problems);
            }
            Err(error) => {
                problems.extend(Some(error).filter(|_| is_code_header(rest)));
                None
            }
            Ok(here) => Some(here).filter(FoundContainer::is_plausible),
        };
        let span = match here.map(|here| here.pay(budget)) {
            Some(Ok(here)) => {
                found.extend(here.bundles);
                problems.append(here.problems);
                usize::try_from(here.span).unwrap_or(usize::MAX).max(4)
            }
            Some(Err(many)) => {
                problems.push(many);
                return (found, problems);
            }
            None => 4,
        };
        at = at.saturating_add(span);
    }
}

/// Whether bytes begin with the header of a code object: it has too many matching fields for chance, and text
/// contains no zeros.
fn is_code_header(bytes: &[u8]) -> bool {
    const HSA: u8 = 64;
    const VERSION: [u8; 4] = [1, 0, 0, 0];
    const HEADER_BYTES: [u8; 2] = [64, 0];
    let is = |at: usize, wanted: &[u8]| bytes.get(at..at + wanted.len()) == Some(wanted);
    crate::format::is_code_object(bytes) && is(7, &[HSA]) && is(20, &VERSION) && is(52, &HEADER_BYTES)
}

/// Reads the bundle or code object at the beginning of `bytes`.
///
/// # Errors
///
/// If its header is malformed.
pub fn read_at(bytes: &[u8], base: u64, budget: &mut ObjectBudget) -> Parsed<FoundContainer> {
    let form =
        BUNDLE_FORMS.iter().find(|form| bytes.starts_with(form.magic)).copied().unwrap_or(&CODE_OBJECT);
    (form.read)(bytes, base, budget)
}

/// How code objects outside of bundles are found and read.
pub(super) static CODE_OBJECT: BundleForm = BundleForm {
    format: Format::CodeObject,
    magic: elf::MAGIC,
    is_plausible: crate::format::is_code_object,
    read: |bytes, base, _| {
        let span = codeobject::extent(bytes, base)?;
        let entries = vec![bundle::Entry { id: None, offset: 0, size: span }];
        Ok(FoundContainer::one(Bundle { span, entries, ..Bundle::bare(base) }))
    },
    in_images: false,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_that_align_what_follows_are_no_loss() {
        for (base, at, zeros, lost) in [
            (0, 100, 4096 - 100, false),
            (0, 4097, 4095, false),
            (0, 4096, 4096, true),
            (0, 100, 8192 - 100, true),
            (0, 64, 80, true),
            (0, 60, 4, false),
            (891, 8288, 7, false),
            (512, 100, 4096 - 512 - 100, false),
            (0, 100, 4000, true),
            (0, 100, 4, false),
            (0, 100, 3996, false),
            (0, 100, 4096, true),
        ] {
            assert_eq!(is_lost(base, at, zeros), lost, "{base} {at} {zeros}");
        }
    }

    #[test]
    fn noise_between_magics_is_told_once_and_looked_at_once() {
        let mut bytes = Vec::new();
        for _ in 0..20_000 {
            bytes.extend(b"x\x7fELF\x02\x01\x01");
            bytes.extend([0; 60]);
        }
        let region = bundles_in_section(&bytes, 0, &mut ObjectBudget::for_size(bytes.len()));
        assert!(region.bundles.is_empty());
        assert_eq!(region.gaps.total(), bytes.len() as u64);
    }
}
