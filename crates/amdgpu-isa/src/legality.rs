//! Instructions of one processor that another does not have.
//!
//! What counts is the encoding: code is not translated when it is loaded on another processor, so an
//! instruction exists there only if the same bits mean the same instruction.
#![deny(clippy::indexing_slicing)]

use super::decoder::Decoder;
use super::walk::Step;
use std::collections::BTreeMap;
use std::ops::Range;

/// Why an instruction does not exist on another processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Its bits are no instruction of the other processor.
    Missing,
    /// Its bits are another instruction of the other processor, with this mnemonic.
    Other(u16),
}

/// Instructions that another processor does not have, by mnemonic.
pub type Absent = BTreeMap<(u16, Reason), Occurrence>;

/// Adds those of code that comes later.
pub fn merge(all: &mut Absent, more: &Absent) {
    for (key, occurrence) in more {
        match all.get_mut(key) {
            Some(mine) => mine.count += occurrence.count,
            None => {
                all.insert(*key, occurrence.clone());
            }
        }
    }
}

/// Where an instruction occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// How often.
    pub count: u64,
    /// The first kernel that has it, mangled; empty where it stands in none.
    pub first_kernel: String,
}

/// The comparison of two processors over the same machine code.
pub struct Legality<'a> {
    /// Decodes for the processor that the code was made for.
    pub own: &'static Decoder,
    /// Decodes for the other.
    pub other: &'static Decoder,
    /// The machine code.
    pub text: &'a [u8],
}

impl Legality<'_> {
    /// Adds the instructions of a part that the other processor does not have.
    pub fn add<'d>(
        &self,
        part: Range<usize>,
        kernel_at: &dyn Fn(usize) -> Option<&'d [u8]>,
        absent: &mut Absent,
    ) {
        let mut at = part.start;
        while at < part.end {
            let Step::Instruction(own) = self.own.next(self.text, at, part.end) else {
                at += match self.own.next(self.text, at, part.end) {
                    Step::Zeros(bytes) | Step::Unknown(bytes) => bytes.max(1),
                    Step::Instruction(instruction) => usize::from(instruction.length),
                };
                continue;
            };
            let reason = match self.other.next(self.text, at, part.end) {
                Step::Instruction(other) if other == own => None,
                Step::Instruction(other) if other.mnemonic != own.mnemonic => {
                    Some(Reason::Other(other.mnemonic))
                }
                _ => Some(Reason::Missing),
            };
            if let Some(reason) = reason {
                let name = || {
                    let name = kernel_at(at).unwrap_or_default();
                    Occurrence { count: 0, first_kernel: String::from_utf8_lossy(name).into_owned() }
                };
                absent.entry((own.mnemonic, reason)).or_insert_with(name).count += 1;
            }
            at += usize::from(own.length);
        }
    }
}
