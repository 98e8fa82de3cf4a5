//! Registers in a row: which fields of an instruction name several vector registers at once.
//!
//! gfx90a and its successors want the first of them to be even, gfx908 and older ones do not. The encoding is
//! the same, so that an instruction of older code can have a meaning there that LLVM's assembler refuses to
//! write.
#![deny(clippy::indexing_slicing)]

use std::collections::HashMap;
use std::sync::OnceLock;

/// LLVM's name of the feature of processors that want even registers.
pub(super) const EVEN: &str = "vgpr-align2";

/// The instructions of a family that have such fields, by mnemonic.
pub(super) type Tuples = HashMap<u16, Vec<Rule>>;

/// One encoding with its fields.
#[derive(Debug)]
pub(super) struct Rule {
    mask: u128,
    value: u128,
    fields: Vec<Field>,
}

/// A field that names the first register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Field {
    /// Its lowest bit.
    first: u8,
    /// Whether it can hold something else, too: its ninth bit is set where it names a vector register.
    source: bool,
}

/// Those of the family with this number. Empty for families that no processor with even registers is related
/// to.
pub(super) fn of_family(family: usize) -> Tuples {
    let mut all = Tuples::new();
    for line in lines() {
        if let Some((mnemonic, rule)) = read(line, family) {
            all.entry(mnemonic).or_default().push(rule);
        }
    }
    all
}

fn lines() -> impl Iterator<Item = &'static str> {
    include_str!("tables/tuples.tsv").lines().filter(|line| !line.starts_with('#'))
}

/// `bits mask value mnemonic registers families`; nothing where it is of other families.
fn read(line: &str, family: usize) -> Option<(u16, Rule)> {
    let mut columns = line.split('\t').skip(1);
    let mut number = || u128::from_str_radix(columns.next()?, 16).ok();
    let (mask, value) = (number()?, number()?);
    let name = columns.next()?;
    let fields = columns.next()?.split(' ').map(Field::read).collect::<Option<Vec<Field>>>()?;
    let families = u64::from_str_radix(columns.next()?, 16).ok()?;
    let mnemonic = numbers().get(name)?;
    (families >> family & 1 == 1).then_some((*mnemonic, Rule { mask, value, fields }))
}

/// The numbers of mnemonics.
fn numbers() -> &'static HashMap<&'static str, u16> {
    static NUMBERS: OnceLock<HashMap<&'static str, u16>> = OnceLock::new();
    NUMBERS.get_or_init(|| super::mnemonics().iter().copied().zip(0..).collect())
}

/// Whether a word has a tuple that begins with an odd register.
pub(super) fn is_odd(tuples: &Tuples, mnemonic: u16, word: u128) -> bool {
    let rules = tuples.get(&mnemonic).into_iter().flatten();
    let mut fields = rules.filter(|rule| word & rule.mask == rule.value).flat_map(|rule| &rule.fields);
    fields.any(|field| field.is_odd(word))
}

impl Field {
    /// `v32`, or `s32` of a source.
    fn read(text: &str) -> Option<Field> {
        let source = text.starts_with('s');
        let first = text.strip_prefix(['s', 'v'])?.parse().ok().filter(|first| *first < 112)?;
        Some(Field { first, source })
    }

    fn is_odd(self, word: u128) -> bool {
        let field = word >> self.first;
        field & 1 == 1 && (!self.source || field >> 8 & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_understood() {
        for line in lines() {
            let families =
                line.rsplit('\t').next().and_then(|text| u64::from_str_radix(text, 16).ok()).unwrap();
            assert!(read(line, families.trailing_zeros() as usize).is_some(), "{line}");
        }
    }
}
