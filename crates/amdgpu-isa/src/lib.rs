//! Instructions: what machine code is made of, by LLVM's mnemonics.
//!
//! Machine code of AMD GPUs from gfx6 (GCN 1) to gfx12.5 is decoded as `llvm-objdump -d` shows it: where each
//! instruction begins, how long it is, which mnemonic and operands it has; beyond that, which registers it
//! reads and writes, and where it goes next. There is no LLVM in it, and no dependency at all.
//!
//! # Start here
//!
//! [`Decoder::for_processor`] gives the decoder for a processor. [`Decoder::instructions`] goes through code; an [`Instruction`] prints itself as
//! LLVM does, and answers what it reads and writes.
//!
//! ```
//! use amdgpu_isa::{Decoder, Mode};
//!
//! // What llvm-mc makes of: s_load_dword s0, s[4:5], 0x0; v_mov_b32 v0, s0; v_dot4_i32_i8 v0, v1, v2, v3; s_endpgm.
//! let words = [0xc0020002, 0, 0x7e000200, 0xd3a84000, 0x1c0e0501, 0xbf810000u32];
//! let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
//!
//! let decoder = Decoder::for_processor("gfx906", Mode::Correct).ok_or("the tables do not know gfx906")?;
//! let text: Vec<String> = decoder.instructions(&code).map(|(_, one)| one.to_string()).collect();
//! assert_eq!(text, ["s_load_dword s0, s[4:5], 0x0", "v_mov_b32_e32 v0, s0", "v_dot4_i32_i8 v0, v1, v2, v3", "s_endpgm"]);
//!
//! // gfx900 has no dot products: the same bytes are no instruction there.
//! let older = Decoder::for_processor("gfx900", Mode::Correct).ok_or("the tables do not know gfx900")?;
//! assert_eq!(older.decode(&code[12..]), None);
//! # Ok::<(), &str>(())
//! ```
//!
//! # The map
//!
//! What asks for mnemonics alone is faster without operands: [`Decoder::next`] steps through code,
//! [`Decoder::count`] counts it. [`Decoder::encode`] makes the bytes of an instruction from its operands,
//! [`Decoder::with_operand`] changes one of them.
//! [`Correction`] lists where LLVM's description of reads is not followed. [`processor`] says what a processor has: features,
//! mnemonics, classes, and how it differs from another. [`class`] sorts mnemonics into classes such as dot
//! products or matrix products; [`InstructionPattern`] finds instructions by mnemonic and operands.
//! [`legality`] looks in code of one processor for what another does not have. [`body`] tells a kernel that
//! works from one that only traps.
//!
//! Inside, `scalars` says what the values of a source mean, and `text::recent` keeps texts that come again.
//! `walk` goes over bytes from symbol to symbol and counts. `word_cache` and `index` decode most instructions
//! fast, `encoding` decodes all of them exactly; both read the generated tables through `table`, which
//! `build.rs` packs.
//!
//! Encodings, by what the decoder looks at first, the top bits of the first dword:
//!
//! | name | width in bytes | what |
//! |---|---|---|
//! | SOP1, SOP2, SOPC, SOPK, SOPP | 4 | scalar arithmetic, comparisons, control; a literal of 4 bytes (8 on gfx1250) can follow |
//! | SMRD, SMEM | 4 or 8 | scalar loads |
//! | VOP1, VOP2, VOPC | 4 | vector arithmetic; with SDWA, DPP8 or DPP16 8, with a literal 8 |
//! | VOP3, VOP3P | 8 | vector arithmetic with three sources and modifiers, packed and matrix products; 12 with a literal or DPP from gfx10 and gfx11, 16 with scales |
//! | VOPD | 8 | two vector instructions in one (gfx11 and later); 12 with a constant |
//! | VINTRP, VINTERP, LDSDIR | 4 or 8 | interpolation |
//! | DS | 8 | memory of the work-group |
//! | FLAT, GLOBAL, SCRATCH | 8, 12 from gfx12 | memory by address |
//! | MUBUF, MTBUF | 8, 12 from gfx12 | buffers |
//! | MIMG, VIMAGE, VSAMPLE | 8 to 20 | images, whose addresses can stand behind the encoding |
//! | EXP | 8 | exports |
//!
//! # Trade-offs
//!
//! - Text is that of LLVM 22, but for halves of registers, which are known on gfx12 as LLVM 23 knows them.
//! - The tables are those of one LLVM ([`processor::source`]). A processor that it does not know has no
//!   decoder; nothing is guessed from its neighbours.
//! - A decoder is made when it is first asked for, once per family of processors, and stays.
//! - [`Text`] remembers what it wrote: one that is used for more than a thousand instructions takes 1 MiB,
//!   and text comes twice as fast. `examples/speed.rs` measures, `examples/random_words.rs` compares with
//!   `llvm-objdump`.
//! - Where LLVM's disassembler is known to be wrong, [`Mode`] chooses between it and the ISA manuals. With
//!   [`Mode::LikeLlvm`] texts are those of LLVM 22.1.8 for random words, too, but for its remarks on
//!   registers that its assembler would refuse.
//! - Without the feature `std`, which is on by default, it is `no_std` and needs `alloc` only. Then there is
//!   no decoder that threads share: [`Decoder::new`] gives one, which is of one thread and remembers what
//!   [`Decoder::for_processor`] keeps for each.

#![no_std]
#![warn(missing_debug_implementations)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub mod body;
pub mod class;
mod compact_slot;
mod corrections;
mod counts;
mod decoder;
mod effects;
mod encode;
mod encoding;
mod form;
mod generation;
mod index;
mod instruction;
pub mod legality;
mod merge;
mod mode;
mod named_registers;
mod once;
mod operand;
mod operand_bits;
mod other_names;
mod pattern;
pub mod processor;
mod scalars;
mod step;
mod table;
mod text;
mod tuples;
mod walk;
mod word_cache;

pub use corrections::Correction;
pub use decoder::{Decoder, Instructions};
pub use effects::{Flow, Memory};
pub use encode::Encoded;
pub use encoding::Opcode;
pub use instruction::{Instruction, Named, Operands};
pub use mode::Mode;
pub use operand::{File, Half, Operand, Register};
pub use other_names::{is_other_name, plain_name};
pub use pattern::InstructionPattern;
pub use step::Step;
pub use text::buffer::Text;
pub use walk::{Counts, RangeWalk};

/// All mnemonics, sorted. The number of a mnemonic is its place among them.
#[inline]
pub fn mnemonics() -> impl DoubleEndedIterator<Item = &'static str> + ExactSizeIterator + Clone {
    (0..table::MNEMONICS).map(|number| mnemonic(number as u16))
}

/// The mnemonic of a number; nothing for one that none has.
#[inline]
pub fn mnemonic(number: u16) -> &'static str {
    table::mnemonic(number)
}

/// The number of a mnemonic.
pub fn mnemonic_number(name: &str) -> Option<u16> {
    let (mut start, mut end) = (0, table::MNEMONICS as u16);
    while start < end {
        let middle = start + (end - start) / 2;
        match mnemonic(middle).cmp(name) {
            core::cmp::Ordering::Less => start = middle + 1,
            core::cmp::Ordering::Equal => return Some(middle),
            core::cmp::Ordering::Greater => end = middle,
        }
    }
    None
}

#[cfg(test)]
mod tests;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
