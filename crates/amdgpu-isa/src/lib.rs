//! Instructions: what machine code is made of, by LLVM's mnemonics.
//!
//! `walk` goes over bytes from symbol to symbol and counts. `word_cache` and `index` decode most instructions
//! fast, `encoding` decodes all of them exactly; both read the generated tables through `table`. What is made
//! of the counts for a code object is in `codeobject::disassembly`.

pub mod body;
pub mod class;
mod decoder;
mod encoding;
mod index;
pub mod legality;
mod merge;
mod operand_bits;
pub mod processor;
mod table;
mod walk;
mod word_cache;

pub use decoder::{Decoder, Mode};
pub use encoding::Instruction;
pub use walk::{Counts, Step};

/// All mnemonics, sorted. The number of a mnemonic is its index here.
pub fn mnemonics() -> &'static [&'static str] {
    &table::tables().mnemonics
}

/// The mnemonic of a number.
pub fn mnemonic(number: u16) -> &'static str {
    mnemonics().get(usize::from(number)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
