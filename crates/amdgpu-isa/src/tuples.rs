//! Registers in a row: which fields of an instruction name several vector registers at once.
//!
//! gfx90a and its successors want the first of them to be even, gfx908 and older ones do not. The encoding is
//! the same, so that an instruction of older code can have a meaning there that LLVM's assembler refuses to
//! write.
#![deny(clippy::indexing_slicing)]

use super::table::Families;

/// LLVM's name of the feature of processors that want even registers.
pub(super) const EVEN: &str = "vgpr-align2";

/// The encodings that have such fields, as `build.rs` packs them: sorted by mnemonic.
mod packed {
    use super::{Field, Rule};

    include!(concat!(env!("OUT_DIR"), "/tuples.rs"));
}

/// One encoding with its fields.
#[derive(Debug)]
struct Rule {
    mask: u128,
    value: u128,
    families: Families,
    mnemonic: u16,
    fields: [Option<Field>; packed::FIELDS],
}

/// A field that names the first register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Field {
    /// Its lowest bit.
    first: u8,
    /// Whether it can hold something else, too: its ninth bit is set where it names a vector register.
    source: bool,
}

/// Whether a word has, on the family with this number, a tuple that begins with an odd register.
pub(super) fn is_odd(family: usize, mnemonic: u16, word: u128) -> bool {
    let start = packed::RULES.partition_point(|rule| rule.mnemonic < mnemonic);
    let own = packed::RULES.iter().skip(start).take_while(|rule| rule.mnemonic == mnemonic);
    let mut fitting = own.filter(|rule| rule.families >> family & 1 == 1 && word & rule.mask == rule.value);
    fitting.any(|rule| rule.fields.iter().flatten().any(|field| field.is_odd(word)))
}

impl Field {
    fn is_odd(self, word: u128) -> bool {
        let field = word >> self.first;
        field & 1 == 1 && (!self.source || field >> 8 & 1 == 1)
    }
}
