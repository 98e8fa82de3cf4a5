//! Finds bundles and bare code objects in a range of bytes, in order.
//!
//! Two ways: a device section is stepped through, bundle by bundle by their sizes; any other data is searched for
//! magics, each hit verified by its structure, since texts and compilers contain the magics too. Neither ever looks
//! inside what it has already recognised, and both look at each byte once.
#![deny(clippy::indexing_slicing)]

use super::found::Found;
use super::{BUNDLE_FORMS, Bundle, BundleForm, bundle};
use crate::budget::ObjectBudget;
use crate::bytes::elf;
use crate::codeobject;
use crate::error::{ParseError, ParseErrors, Parsed};
use crate::format::Format;
use crate::limits::ZERO_BYTES;
use memchr::memmem;

answer! {
    /// Bytes of `.hip_fatbin` and the like that are no bundle.
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
    /// Adds those of another part.
    pub fn merge(&mut self, other: Gaps) {
        self.padding += other.padding;
        self.headers += other.headers;
        self.unknown += other.unknown;
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.padding + self.headers + self.unknown
    }
}

/// What a device section holds.
#[derive(Debug, Default)]
pub struct Region {
    /// Bundles in file order.
    pub bundles: Vec<Bundle>,
    /// What lies between them.
    pub gaps: Gaps,
    /// What was malformed.
    pub problems: ParseErrors,
}

/// Steps through a device section. `bytes` are the section, `base` its absolute offset.
pub fn bundles_in_section(bytes: &[u8], base: u64, budget: &mut ObjectBudget) -> Region {
    let mut region = Region::default();
    let mut magics = Magics::default();
    let mut at = 0usize;
    // What follows a malformed header is part of the same fault and not told again.
    let mut after_fault = false;
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
        if is_lost(base, at, zeros) {
            let what = match at {
                0 => format!("{zeros} zeros stand where a bundle begins, which may be lost"),
                _ => format!("{zeros} zeros follow a bundle, more than align the next: another may be lost"),
            };
            region.problems.push(ParseError::new(base + at as u64, what));
        }
        at += zeros;
        // Only where no magic follows is it searched for: a search touches pages that nobody needs.
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
        let span = match read_at(rest, base + at as u64, budget).and_then(|found| found.pay(budget)) {
            Ok(found) => {
                after_fault = false;
                let problems = found.bundles.iter().filter_map(|b| b.problem.clone());
                problems.for_each(|problem| region.problems.push(problem));
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

/// No bundle has fewer bytes, nor has a compressed one.
const SMALLEST: usize = 24;

/// Whether `zeros` at `at` of bytes that lie at `base` are more than fill the place up to the next bundle, or to the
/// end: then something stood there. They fill it where what follows them is aligned, in the section or in the file, to
/// more than their number; to a page at most, where HIP's compiler puts each.
fn is_lost(base: u64, at: usize, zeros: usize) -> bool {
    let end = at + zeros;
    let fills = |end: u64| (zeros as u64) < (1u64 << end.trailing_zeros().min(12));
    zeros >= SMALLEST && !fills(end as u64) && !fills(base.saturating_add(end as u64))
}

/// Number of zero bytes that `bytes` begin with.
fn leading_zeros(bytes: &[u8]) -> usize {
    // Whole blocks first: or-ing a block is many times faster than looking at each byte.
    let block = 256;
    let blocks =
        bytes.chunks_exact(block).take_while(|b| b.iter().fold(0, |all, byte| all | byte) == 0).count()
            * block;
    let rest = bytes.get(blocks..).unwrap_or_default();
    blocks + rest.iter().position(|&b| b != 0).unwrap_or(rest.len())
}

fn begins_with_magic(bytes: &[u8]) -> bool {
    BUNDLE_FORMS.iter().any(|form| bytes.starts_with(form.magic) && (form.is_plausible)(bytes))
}

/// Where the next magic of each form is; each is searched for once, however many gaps there are.
#[derive(Default)]
struct Magics([Option<usize>; BUNDLE_FORMS.len()]);

impl Magics {
    /// The first magic at or behind `at`; the end of the bytes, if there is none.
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

/// Searches `bytes`, data of any kind at absolute offset `base`, for bundles and code objects that hold together.
/// Text that merely names a magic gives nothing and is no problem. Headers of code objects of which the rest is not there are one, and
/// that there is more than is read.
pub fn search_magics(bytes: &[u8], base: u64, budget: &mut ObjectBudget) -> (Vec<Bundle>, ParseErrors) {
    let (mut found, mut problems): (Vec<Bundle>, _) = Default::default();
    let mut magics = Magics::default();
    let mut at = 0;
    loop {
        at = magics.next(bytes, at);
        let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) else { return (found, problems) };
        let here = match read_at(rest, base + at as u64, budget) {
            // What is behind is not looked at in vain: it is not looked at.
            Err(error) if budget.refused(error.kind()) => {
                problems.push(error);
                return (found, problems);
            }
            Err(error) => {
                problems.extend(Some(error).filter(|_| is_code_header(rest)));
                None
            }
            Ok(here) => Some(here).filter(Found::is_plausible),
        };
        let span = match here.map(|here| here.pay(budget)) {
            Some(Ok(here)) => {
                found.extend(here.bundles);
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

/// Whether bytes begin with the header of a code object: too many fields agree for a chance, and no text has zeros among them.
fn is_code_header(bytes: &[u8]) -> bool {
    const HSA: u8 = 64;
    const VERSION: [u8; 4] = [1, 0, 0, 0];
    const HEADER_BYTES: [u8; 2] = [64, 0];
    let is = |at: usize, wanted: &[u8]| bytes.get(at..at + wanted.len()) == Some(wanted);
    crate::format::is_code_object(bytes) && is(7, &[HSA]) && is(20, &VERSION) && is(52, &HEADER_BYTES)
}

/// Reads what `bytes` begin with.
///
/// # Errors
/// Where its header is malformed.
pub fn read_at(bytes: &[u8], base: u64, budget: &mut ObjectBudget) -> Parsed<Found> {
    let form =
        BUNDLE_FORMS.iter().find(|form| bytes.starts_with(form.magic)).copied().unwrap_or(&CODE_OBJECT);
    (form.read)(bytes, base, budget)
}

/// How code objects that stand alone are found and read.
pub(super) static CODE_OBJECT: BundleForm = BundleForm {
    format: Format::CodeObject,
    magic: elf::MAGIC,
    is_plausible: crate::format::is_code_object,
    read: |bytes, base, _| {
        let span = codeobject::extent(bytes, base)?;
        let entries = vec![bundle::Entry { id: None, offset: 0, size: span }];
        Ok(Found::one(Bundle { span, entries, ..Bundle::bare(base) }))
    },
    in_images: false,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_counted_across_blocks() {
        for zeros in [0, 1, 255, 256, 257, 1000] {
            let mut bytes = vec![0; zeros];
            assert_eq!(leading_zeros(&bytes), zeros);
            bytes.extend([7, 0, 0]);
            assert_eq!(leading_zeros(&bytes), zeros);
        }
    }

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
        let region = bundles_in_section(&bytes, 0, &mut ObjectBudget::of(bytes.len()));
        assert!(region.bundles.is_empty());
        assert_eq!(region.gaps.total(), bytes.len() as u64);
    }
}
