//! Instructions: what machine code is made of, by LLVM's mnemonics.
//!
//! Bytes go through `walk` (from symbol to symbol), which counts; `index` and `seen` are the fast way to what an instruction
//! is, `encoding` the exact one; all of them read the generated tables through `table`. [`code`] puts it together for a
//! code object, [`tally`] sums over many.

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

/// All mnemonics, sorted; their places are their numbers.
pub fn mnemonics() -> &'static [&'static str] {
    &table::tables().mnemonics
}

/// The mnemonic of a number.
pub fn mnemonic(number: u16) -> &'static str {
    mnemonics().get(usize::from(number)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
