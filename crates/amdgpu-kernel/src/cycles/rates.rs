//! The one table of rates: for how many cycles an instruction keeps a unit busy, at least.
//!
//! Sources. GCN and CDNA run a wave of 64 on 16 lanes, in 4 cycles (AMD's "GCN Architecture" and CDNA white papers);
//! rates below that are those of LLVM 22's scheduling models (`SISchedule.td`: `1 / (operations / cycle) / 4`), and
//! its features `full-rate-64-ops` and `half-rate-64-ops`. RDNA runs a wave of 32 in one cycle, transcendental
//! functions at a quarter, 64-bit floats at a sixteenth of that (AMD's "RDNA Architecture" white paper), and since gfx11
//! a wave of 64 in one cycle where it can. Matrix products: ROCm's `amd_matrix_instruction_calculator`, "Execution
//! cycles". Bytes of LDS and of the vector cache that a compute unit takes or gives in a cycle: the same white papers.
//! Where sources differ, or a card may be faster, the fewest cycles stand here.

use crate::hazards::HazardFamily;

/// What the units of a family take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rates {
    /// Cycles of a vector instruction, in waves of 32 and of 64 lanes.
    pub(super) vector: [u32; 2],
    /// Times as many for a transcendental function, and for one of 64 bits.
    pub(super) transcendental: u32,
    /// Times as many for an addition, and for a product, of 64-bit floats.
    pub(super) double: [u32; 2],
    /// Whether transcendental functions have a unit of their own.
    pub(super) has_own_transcendental: bool,
    /// Bytes that LDS gives in a cycle.
    pub(super) lds: u32,
    /// Bytes that the vector cache gives in a cycle.
    pub(super) cache: u32,
}

const GCN: Rates = Rates {
    vector: [4, 4],
    transcendental: 4,
    double: [8, 16],
    has_own_transcendental: false,
    lds: 128,
    cache: 64,
};

const RDNA: Rates = Rates {
    vector: [1, 2],
    transcendental: 4,
    double: [16, 16],
    has_own_transcendental: true,
    lds: 128,
    cache: 128,
};

/// The rates of a family; `None` for a family whose rates no source states.
pub(super) fn of_family(family: HazardFamily, full_doubles: bool, half_doubles: bool) -> Option<Rates> {
    use HazardFamily::{
        Gfx6, Gfx7, Gfx8, Gfx9, Gfx10, Gfx11, Gfx12, Gfx90a, Gfx103, Gfx115, Gfx908, Gfx940, Gfx950,
    };
    let double = match (full_doubles, half_doubles) {
        (true, _) => Some([1, 1]),
        (_, true) => Some([2, 2]),
        _ => None,
    };
    let rates = match family {
        Gfx6 | Gfx7 | Gfx8 | Gfx9 | Gfx908 | Gfx90a => GCN,
        Gfx940 => Rates { has_own_transcendental: true, cache: 128, ..GCN },
        Gfx950 => Rates { has_own_transcendental: true, transcendental: 2, lds: 256, cache: 128, ..GCN },
        Gfx10 | Gfx103 => RDNA,
        Gfx11 | Gfx115 | Gfx12 => Rates { vector: [1, 1], ..RDNA },
        _ => return None,
    };
    Some(Rates { double: double.unwrap_or(rates.double), ..rates })
}

/// Cycles of a matrix product of RDNA, by its mnemonic.
pub(super) fn wave_product(name: &str, family: HazardFamily) -> Option<u32> {
    if !name.starts_with("v_wmma_") && !name.starts_with("v_swmmac_") {
        return None;
    }
    let is_small = ["_iu4", "_fp8", "_bf8"].iter().any(|kind| name.contains(kind));
    match family {
        HazardFamily::Gfx11 | HazardFamily::Gfx115 => Some(if name.contains("_iu4") { 16 } else { 32 }),
        HazardFamily::Gfx12 => Some(if is_small || name.contains("_iu8") { 8 } else { 16 }),
        _ => None,
    }
}
