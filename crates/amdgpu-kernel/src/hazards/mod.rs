//! Hazards: instructions that a processor does not keep apart by itself, so that code has to.
//!
//! So many wait states have to lie between two instructions, or another instruction, by the family: an
//! instruction is one, `s_nop N` is N + 1. Here each instruction is followed backwards along all ways, as far
//! as any hazard of its kind reaches. What is not decided gives no alarm: see [`NOT_JUDGED`] and
//! [`Undecided`].

mod family;
mod kinds;
mod matrix;
mod relation;
mod table;
#[cfg(test)]
mod tests;
mod walk;

pub use family::{HazardFamilies, HazardFamily};
pub use table::{HAZARDS, Hazard, NOT_JUDGED, NotJudged};

use crate::body::Code;
use crate::graph::Graph;
use crate::waits::Undecided;
use amdgpu_object::answer;
use walk::HazardWalk;

answer! {
    /// Two instructions that are too close to each other.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TooClose {
        /// Offset of the first, from the begin of the kernel in bytes.
        copy source: u32,
        /// Offset of the second.
        copy user: u32,
        /// The name of the hazard.
        copy hazard: &'static str,
        /// What it is about, in one sentence without its full stop.
        copy title: &'static str,
        /// The register that both touch, such as `v5`; empty where none is meant.
        text register: String,
        /// Wait states between them.
        copy states: u32,
        /// Wait states that have to lie between; nothing where another instruction or a wait has to.
        copy needed: Option<u32>,
        /// Whether both are in one basic block, so that it is so each time. Else along one way at least,
        /// which conditions may rule out.
        copy is_each_time: bool,
    }
}

answer! {
    /// What is found of the hazards of a kernel.
    #[derive(Debug, Default, PartialEq, Eq)]
    pub struct WaitStates {
        /// Instructions that are too close, in the order of the second: one for each of these.
        list too_close: TooClose,
        /// Instructions that some hazard can befall.
        copy judged: u32,
        /// Why it is not judged, or not to the end.
        copy undecided: Option<Undecided>,
    }
}

/// Passes of a matrix product of CDNA, by the number of its mnemonic.
pub(crate) fn matrix_passes(mnemonic: u16, family: HazardFamily) -> Option<u32> {
    let product = matrix::products(family).get(usize::from(mnemonic)).copied().flatten();
    product.map(|product| product.passes)
}

impl WaitStates {
    /// Of a kernel, with the graph of the same code.
    pub fn from_graph(code: &Code<'_>, graph: &Graph) -> WaitStates {
        let mut found = WaitStates::default();
        let Some(family) = code.isa().and_then(HazardFamily::from_isa) else { return found };
        if graph.unknown_words > 0 {
            found.undecided = Some(Undecided::UnknownWords);
        } else if graph.names_registers_by_index() {
            found.undecided = Some(Undecided::IndexedRegisters);
        } else {
            HazardWalk::new(code, graph, family).run(&mut found);
        }
        found
    }
}
