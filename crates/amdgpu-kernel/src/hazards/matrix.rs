//! Matrix products of CDNA: how many passes each takes, and how far what uses its result, or writes over its
//! sum, has to stay behind.
//!
//! Source: what LLVM 22.1.8 inserts between ten kinds of products and their users on gfx908, gfx90a, gfx942 and
//! gfx950 (`GCNHazardRecognizer.cpp`). Passes are those of its scheduling models, by its llvm-mca.

use super::family::HazardFamily;
use super::kinds::{self, MFMA};
use std::sync::OnceLock;

/// The unit that a product runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatrixUnit {
    /// The matrix core.
    Matrix,
    /// Products of 32-bit floats since gfx940.
    Single,
    /// Products of 64-bit floats.
    Double,
}

/// A matrix product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Product {
    pub(super) passes: u32,
    pub(super) unit: MatrixUnit,
}

/// What is done to the result of a product, or to its sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProductUse {
    /// Another adds to exactly the same registers.
    SameSum(Product),
    /// Another adds to some of them, or to others as well.
    OtherSum(Product),
    /// Another multiplies it.
    Factor,
    /// A vector instruction reads it.
    VectorRead,
    /// A vector instruction writes over it.
    VectorWrite,
    /// Memory stores it, or takes it for an address.
    MemoryRead,
    /// gfx908: `v_accvgpr_read`.
    AccRead,
    /// gfx908: `v_accvgpr_write`.
    AccWrite,
    /// A vector instruction, of gfx908 `v_accvgpr_write`, writes over the sum that it reads.
    SumWrite,
}

impl ProductUse {
    /// Its name and what it is about.
    pub(super) fn hazard(self) -> (&'static str, &'static str) {
        match self {
            ProductUse::SameSum(_) | ProductUse::OtherSum(_) => {
                ("matrix-sum", "a result of a matrix product is the sum that another adds to")
            }
            ProductUse::Factor => ("matrix-factor", "a result of a matrix product is a factor of another"),
            ProductUse::VectorRead | ProductUse::AccRead => {
                ("matrix-read", "a result of a matrix product is read by a vector instruction")
            }
            ProductUse::VectorWrite | ProductUse::AccWrite => {
                ("matrix-write", "a result of a matrix product is written over by a vector instruction")
            }
            ProductUse::MemoryRead => ("matrix-memory", "a result of a matrix product is read by memory"),
            ProductUse::SumWrite => (
                "matrix-sum-write",
                "the sum that a matrix product reads is written over by a vector instruction",
            ),
        }
    }

    /// Wait states that have to lie between.
    pub(super) fn states(self, of: Product, family: HazardFamily) -> u32 {
        match (family, of.unit) {
            (HazardFamily::Gfx908, _) => self.states_on_gfx908(of),
            (_, MatrixUnit::Double) => self.states_of_double(of, family),
            (HazardFamily::Gfx90a, _) => self.states_on_gfx90a(of),
            (_, MatrixUnit::Single) => self.states_of_single(of),
            _ => self.states_of_matrix(of, family == HazardFamily::Gfx950),
        }
    }

    fn states_on_gfx908(self, of: Product) -> u32 {
        match self {
            ProductUse::SameSum(_) => 0,
            ProductUse::OtherSum(_) => 2,
            ProductUse::Factor => 4,
            ProductUse::AccRead => of.passes + 2,
            ProductUse::AccWrite => of.passes - 1,
            ProductUse::SumWrite => of.passes.saturating_sub(3),
            _ => 0,
        }
    }

    fn states_on_gfx90a(self, of: Product) -> u32 {
        match self {
            ProductUse::SameSum(_) => 0,
            ProductUse::OtherSum(by) => of.passes + u32::from(by.unit == MatrixUnit::Double),
            ProductUse::SumWrite => of.passes - 1,
            _ => of.passes + 3,
        }
    }

    /// Since gfx940.
    fn states_of_single(self, of: Product) -> u32 {
        match self {
            ProductUse::SameSum(_) => {
                if of.passes == 2 {
                    2
                } else {
                    0
                }
            }
            ProductUse::OtherSum(by) if by.unit == MatrixUnit::Matrix => 0,
            ProductUse::OtherSum(_) => of.passes,
            ProductUse::SumWrite => 0,
            _ => of.passes + 2,
        }
    }

    /// Since gfx940.
    fn states_of_matrix(self, of: Product, is_gfx950: bool) -> u32 {
        let more = u32::from(is_gfx950 && of.passes != 2);
        match self {
            ProductUse::SameSum(_) => {
                if of.passes == 2 {
                    2
                } else {
                    0
                }
            }
            ProductUse::OtherSum(by) if by.unit == MatrixUnit::Matrix => of.passes + 1 + u32::from(is_gfx950),
            ProductUse::OtherSum(_) => of.passes + 1 + more,
            ProductUse::SumWrite => of.passes - 1,
            _ => of.passes + 3 + more,
        }
    }

    fn states_of_double(self, of: Product, family: HazardFamily) -> u32 {
        let (is_small, is_gfx950) = (of.passes == 4, family == HazardFamily::Gfx950);
        let pick = |small, large, on_gfx950| match (is_small, is_gfx950) {
            (true, _) => small,
            (_, true) => on_gfx950,
            _ => large,
        };
        let adds_slowly = |by: Product| match family {
            HazardFamily::Gfx90a => by.unit == MatrixUnit::Double,
            _ => by.unit != MatrixUnit::Matrix,
        };
        match self {
            ProductUse::SameSum(_) => pick(4, 0, 0),
            ProductUse::OtherSum(by) if adds_slowly(by) => pick(4, 9, 17),
            ProductUse::OtherSum(_) | ProductUse::SumWrite => 0,
            ProductUse::Factor | ProductUse::VectorRead => pick(6, 11, 19),
            ProductUse::VectorWrite => pick(6, 11, 11),
            ProductUse::MemoryRead => pick(9, 18, 18),
            ProductUse::AccRead | ProductUse::AccWrite => 0,
        }
    }
}

/// The products of all mnemonics on a family, by their numbers; none on processors without them.
pub(super) fn products(family: HazardFamily) -> &'static [Option<Product>] {
    static OLD: OnceLock<Vec<Option<Product>>> = OnceLock::new();
    static NEW: OnceLock<Vec<Option<Product>>> = OnceLock::new();
    let of = |read: fn(&str) -> Product| {
        let all = kinds::kinds().iter().zip(amdgpu_isa::mnemonics());
        all.map(|(kinds, name)| (kinds & MFMA != 0).then(|| read(name))).collect()
    };
    match family {
        HazardFamily::Gfx908 | HazardFamily::Gfx90a => OLD.get_or_init(|| of(old)),
        HazardFamily::Gfx940 | HazardFamily::Gfx950 => NEW.get_or_init(|| of(new)),
        _ => &[],
    }
}

/// Of gfx908 and gfx90a.
fn old(name: &str) -> Product {
    if name.starts_with("v_mfma_f64") {
        return double(name);
    }
    let passes = match () {
        () if name.contains("_4x4x") => 2,
        () if name.contains("_16x16x") => 8,
        () => 16,
    };
    Product { passes, unit: MatrixUnit::Matrix }
}

/// Since gfx940.
fn new(name: &str) -> Product {
    if name.starts_with("v_mfma_f64") {
        return double(name);
    }
    let is_single = name.ends_with("_f32") && !name.ends_with("_xf32");
    let unit = if is_single { MatrixUnit::Single } else { MatrixUnit::Matrix };
    let is_sparse = name.starts_with("v_smfmac");
    // Several small blocks at once, and 32-bit floats, take twice as long. With 8-bit floats
    // `v_mfma_*_f8f6f4` does, too; what is there in any case counts.
    let is_slow = !is_sparse && (is_single || name.contains("_4b_") || name.contains("_2b_"));
    let passes = match () {
        () if name.contains("_4x4x") => 2,
        () if name.contains("_16x16x") => {
            if is_slow {
                8
            } else {
                4
            }
        }
        () => {
            if is_slow {
                16
            } else {
                8
            }
        }
    };
    Product { passes, unit }
}

fn double(name: &str) -> Product {
    Product { passes: if name.contains("_4x4x") { 4 } else { 8 }, unit: MatrixUnit::Double }
}
