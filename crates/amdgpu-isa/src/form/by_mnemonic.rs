//! The forms of a mnemonic in a family of processors: which of them a word has.
#![deny(clippy::indexing_slicing)]

use super::{Form, packed};
use crate::table::Families;
use alloc::vec;
use alloc::vec::Vec;

/// A way in which a mnemonic is encoded in a family.
#[derive(Debug, Clone, Copy)]
struct Variant {
    mask: u128,
    value: u128,
    form: Form,
    bytes: u8,
}

/// The forms of one family, by mnemonic.
#[derive(Debug)]
pub(crate) struct Forms {
    /// Where the variants of each mnemonic begin, and where the last end.
    starts: Vec<u16>,
    variants: Vec<Variant>,
}

impl Forms {
    /// Those of the families in a set.
    pub(crate) fn for_families(wanted: Families) -> Forms {
        let (mut starts, mut variants) = (vec![0], Vec::new());
        let mut start = 0;
        for end in packed::VARIANT_STARTS.iter().skip(1).map(|end| usize::from(*end)) {
            let all = packed::VARIANTS.get(start..end).unwrap_or_default();
            variants.extend(all.iter().filter_map(|&(mask, form, bytes, families)| {
                let families = *packed::FORM_FAMILIES.get(usize::from(families))?;
                let &(mask, value) = packed::FORM_MASKS.get(usize::from(mask))?;
                (families & wanted != 0).then_some(Variant { mask, value, form: Form(form), bytes })
            }));
            starts.push(variants.len() as u16);
            start = end;
        }
        Forms { starts, variants }
    }

    /// The form of all words of a mnemonic in which these bits are fixed, of a length without a literal, and
    /// its width. `None` where further bits tell.
    pub(crate) fn of_all(&self, mnemonic: u16, mask: u128, value: u128, length: u8) -> Option<(Form, u8)> {
        let at = usize::from(mnemonic);
        let (start, end) = (usize::from(*self.starts.get(at)?), usize::from(*self.starts.get(at + 1)?));
        let possible = |one: &&Variant| one.bytes <= length + 4 && one.mask & mask & (one.value ^ value) == 0;
        let first = self.variants.get(start..end)?.iter().find(possible)?;
        (first.mask & !mask == 0 && first.bytes <= length).then_some((first.form, first.bytes))
    }

    /// The bits by which a mnemonic has a form: masks and values.
    pub(crate) fn fixed(&self, mnemonic: u16, form: Form, bytes: u8) -> impl Iterator<Item = (u128, u128)> {
        let at = usize::from(mnemonic);
        let place = |at: usize| self.starts.get(at).map_or(0, |start| usize::from(*start));
        let variants = self.variants.get(place(at)..place(at + 1)).unwrap_or_default();
        let own = variants.iter().filter(move |one| one.form == form && one.bytes == bytes);
        own.map(|one| (one.mask, one.value))
    }

    /// The form of an instruction and its width in bytes without a literal.
    #[inline]
    pub(crate) fn find(&self, mnemonic: u16, word: u128, length: u8) -> Option<(Form, u8)> {
        let at = usize::from(mnemonic);
        let (start, end) = (usize::from(*self.starts.get(at)?), usize::from(*self.starts.get(at + 1)?));
        let variants = self.variants.get(start..end)?;
        let fits = |one: &&Variant| one.bytes <= length && word & one.mask == one.value;
        variants.iter().find(fits).map(|one| (one.form, one.bytes))
    }
}
