//! What instructions are there: by kind, the bytes that they move and the operations that they make.
//!
//! Counted for a wave that takes each instruction once with all of its lanes. The widths are those that
//! mnemonics name.

use crate::block::Block;
use crate::graph::Graph;
use amdgpu_isa::class::{Class, ClassSet};
use amdgpu_object::answer;
use std::sync::OnceLock;

answer! {
    /// Counts over instructions.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct BlockMix {
        /// All instructions.
        copy instructions: u64,
        /// Matrix products.
        copy matrix: u64,
        /// Dot products.
        copy dot: u64,
        /// Vector arithmetic, matrix and dot products among it.
        copy vector: u64,
        /// Scalar arithmetic and control.
        copy scalar: u64,
        /// Vector memory.
        copy vector_memory: u64,
        /// Scalar memory.
        copy scalar_memory: u64,
        /// Memory of the work-group.
        copy lds: u64,
        /// Scratch, which spilled registers go to.
        copy scratch: u64,
        /// Waits.
        copy waits: u64,
        /// Barriers.
        copy barriers: u64,
        /// Branches and calls.
        copy branches: u64,
        /// Bytes that a wave loads from global, flat, buffer and scratch memory, and through the scalar
        /// cache.
        copy bytes_loaded: u64,
        /// Bytes that a wave stores there, atomic operations among them.
        copy bytes_stored: u64,
        /// Bytes that a wave reads and writes in LDS.
        copy lds_bytes: u64,
        /// Additions and multiplications of a wave, of floating point and of dot and matrix products.
        copy operations: u64,
    }
}

/// What one instruction adds.
#[derive(Debug, Clone, Copy, Default)]
struct InstructionShare {
    classes: u16,
    /// For each lane, or for the wave where it is scalar.
    bytes: u16,
    is_store: bool,
    /// For each lane.
    operations: u32,
    /// For the wave.
    wave_operations: u32,
}

/// The classes that are counted, in the order of their bits in [`InstructionShare::classes`].
const COUNTED: [&[&str]; 11] = [
    &["mfma", "smfmac", "wmma", "swmmac"],
    &["dot"],
    &["valu"],
    &["salu"],
    &["vmem"],
    &["smem"],
    &["lds"],
    &["scratch-load", "scratch-store"],
    &["wait"],
    &["barrier"],
    &["branch"],
];

impl BlockMix {
    /// Of the instructions of some blocks of a kernel.
    pub fn count<'b>(graph: &Graph, lanes: u32, blocks: impl IntoIterator<Item = &'b Block>) -> BlockMix {
        let mut mix = BlockMix::default();
        for block in blocks {
            for (_, number) in graph.of_block(block) {
                mix.add(&share_of(number), u64::from(lanes));
            }
        }
        mix
    }

    fn add(&mut self, share: &InstructionShare, lanes: u64) {
        self.instructions += 1;
        let has = |bit: usize| share.classes >> bit & 1 == 1;
        self.matrix += u64::from(has(0));
        self.dot += u64::from(has(1));
        self.vector += u64::from(has(2));
        self.scalar += u64::from(has(3));
        self.vector_memory += u64::from(has(4));
        self.scalar_memory += u64::from(has(5));
        self.lds += u64::from(has(6));
        self.scratch += u64::from(has(7));
        self.waits += u64::from(has(8));
        self.barriers += u64::from(has(9));
        self.branches += u64::from(has(10));
        let bytes = u64::from(share.bytes) * if has(5) { 1 } else { lanes };
        match (has(6), share.is_store) {
            (true, _) => self.lds_bytes += bytes,
            (false, true) => self.bytes_stored += bytes,
            (false, false) => self.bytes_loaded += bytes,
        }
        self.operations += u64::from(share.operations) * lanes + u64::from(share.wave_operations);
    }
}

/// What an instruction moves: bytes of a wave with all of its lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moved {
    /// To or from LDS.
    Lds(u32),
    /// To or from vector memory.
    Memory(u32),
    /// Nothing, or through the scalar cache.
    Nothing,
}

/// What an instruction of a mnemonic moves.
pub(crate) fn moved_by(mnemonic: u16, lanes: u32) -> Moved {
    let share = share_of(mnemonic);
    let (has, bytes) = (|bit: usize| share.classes >> bit & 1 == 1, u32::from(share.bytes) * lanes);
    match () {
        () if has(6) => Moved::Lds(bytes),
        () if has(4) => Moved::Memory(bytes),
        () => Moved::Nothing,
    }
}

/// What an instruction is for, by the number of its mnemonic: `matrix`, `dot`, `vector`, `scalar`, `memory`,
/// `lds`, `scratch`, `wait`, `barrier`, `branch` or `other`.
pub fn kind_of(mnemonic: u16) -> &'static str {
    // The most telling first: a matrix product is vector arithmetic, too.
    const KINDS: [(u16, &str); 10] = [
        (1 << 0, "matrix"),
        (1 << 1, "dot"),
        (1 << 8, "wait"),
        (1 << 9, "barrier"),
        (1 << 10, "branch"),
        (1 << 7, "scratch"),
        (1 << 6, "lds"),
        (1 << 4 | 1 << 5, "memory"),
        (1 << 2, "vector"),
        (1 << 3, "scalar"),
    ];
    let own = share_of(mnemonic).classes;
    KINDS.iter().find(|(bits, _)| own & bits != 0).map_or("other", |(_, kind)| kind)
}

/// What an instruction of a mnemonic adds: read from its name when it is first asked for. One kernel has some
/// dozens of thousands.
#[inline]
fn share_of(mnemonic: u16) -> InstructionShare {
    static ALL: OnceLock<Vec<OnceLock<InstructionShare>>> = OnceLock::new();
    let all = ALL.get_or_init(|| amdgpu_isa::mnemonics().map(|_| OnceLock::new()).collect());
    let Some(place) = all.get(usize::from(mnemonic)) else { return InstructionShare::default() };
    *place.get_or_init(|| {
        let masks = COUNTED.map(|ids| {
            let bits = ids.iter().filter_map(|id| Class::by_id(id)).map(|(bit, _)| bit);
            bits.fold(0, |all: ClassSet, bit| all | 1 << bit)
        });
        let set = amdgpu_isa::class::classes_of_number(mnemonic);
        share(amdgpu_isa::mnemonic(mnemonic), set, &masks)
    })
}

fn share(name: &str, set: ClassSet, masks: &[ClassSet; 11]) -> InstructionShare {
    let bit = |(bit, mask): (usize, &ClassSet)| u16::from(set & mask != 0) << bit;
    let classes = masks.iter().enumerate().map(bit).fold(0, |all, bit| all | bit);
    let classes = if is_of_caches(name) { classes & !VECTOR_MEMORY } else { classes };
    let moves = classes & 0b111_0000 != 0;
    let halves = name.split(" :: ").map(|half| half.replacen("v_dual_", "v_", 1));
    InstructionShare {
        classes,
        bytes: if moves { bytes(name) } else { 0 },
        is_store: name.contains("store") || name.contains("write") || name.contains("atomic"),
        operations: halves.map(|half| operations(&half)).sum(),
        wave_operations: matrix_operations(name).unwrap_or(0),
    }
}

/// The bit of vector memory in [`InstructionShare::classes`].
const VECTOR_MEMORY: u16 = 1 << 4;

/// Whether an instruction of vector memory moves nothing: it invalidates a cache, or writes it back.
fn is_of_caches(name: &str) -> bool {
    let rest = name.strip_prefix("buffer_").or_else(|| name.strip_prefix("global_"));
    rest.is_some_and(|rest| ["gl0_inv", "gl1_inv", "inv", "wb"].iter().any(|own| rest.starts_with(own)))
}

/// Bytes that the mnemonic of a load, a store or an atomic operation names, for each lane.
fn bytes(name: &str) -> u16 {
    let base = amdgpu_isa::class::base(name);
    let twice =
        if base.contains("read2") || base.contains("write2") || base.contains("_2addr") { 2 } else { 1 };
    let is_half = base.contains("d16");
    let width = base.split('_').rev().find_map(|word| {
        let numbered = |prefix: &str| word.strip_prefix(prefix)?.parse::<u16>().ok();
        Some(match word {
            "dword" => 4,
            "ubyte" | "sbyte" | "byte" => 1,
            "ushort" | "sshort" | "short" => 2,
            "x" if is_half => 2,
            "xy" if is_half => 4,
            "xyz" if is_half => 6,
            "xyzw" if is_half => 8,
            "x" | "swap" | "cmpswap" | "add" | "sub" => 4,
            "xy" => 8,
            "xyz" => 12,
            "xyzw" => 16,
            _ => match (numbered("dwordx"), numbered("x")) {
                (Some(count), _) => 4 * count,
                (None, Some(2)) => 8,
                _ => {
                    let bits = ["b", "u", "i", "f"].iter().find_map(|prefix| numbered(prefix))?;
                    if bits < 8 { return None } else { bits / 8 }
                }
            },
        })
    });
    width.unwrap_or(0) * twice
}

/// Additions and multiplications of each lane.
fn operations(name: &str) -> u32 {
    let base = amdgpu_isa::class::base(name);
    if let Some(rest) = base.strip_prefix("v_dot") {
        let products = rest.chars().next().and_then(|digit| digit.to_digit(10)).unwrap_or(0);
        return 2 * products;
    }
    let Some(rest) = base.strip_prefix("v_") else { return 0 };
    let (packed, rest) = match rest.strip_prefix("pk_") {
        Some(rest) => (2, rest),
        None => (1, rest),
    };
    let is_float = ["_f16", "_f32", "_f64", "_bf16"].iter().any(|end| rest.ends_with(end));
    let starts = |words: &[&str]| words.iter().any(|word| rest.starts_with(word));
    let each = match () {
        () if starts(&["mad_mix", "fma_mix"]) => 2,
        () if !is_float => 0,
        () if starts(&["fma", "mac", "mad"]) => 2,
        () if starts(&[
            "add_f",
            "sub_f",
            "subrev_f",
            "mul_f",
            "mul_legacy",
            "add_bf",
            "sub_bf",
            "mul_bf",
        ]) =>
        {
            1
        }
        () => 0,
    };
    packed * each
}

/// Additions and multiplications of a matrix product: the sizes are in its name, such as
/// `v_mfma_f32_32x32x8f16`.
fn matrix_operations(name: &str) -> Option<u32> {
    let rest =
        ["v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_"].iter().find_map(|start| name.strip_prefix(start));
    let mut words = rest?.split('_').skip_while(|word| !word.contains('x'));
    let word = words.next()?;
    let sizes = word.split('x').map(|size| {
        let digits = size.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits.get(..end).and_then(|digits| digits.parse::<u32>().ok())
    });
    let sizes: Vec<u32> = sizes.collect::<Option<_>>()?;
    let [m, n, k] = sizes.as_slice() else { return None };
    let stated = words.clone().find_map(|word| word.strip_suffix('b')?.parse::<u32>().ok());
    let blocks = stated.unwrap_or_else(|| {
        // Before gfx940 the number of products is not in the name. Each of 64 lanes holds so many elements of
        // the first source.
        let elements = match () {
            () if !name.starts_with("v_mfma_") => return 1,
            () if word.ends_with("bf16") && !name.contains("_1k") => 2,
            () if word.ends_with("f32") || word.ends_with("f64") => 1,
            () => 4,
        };
        (64 * elements / (m * k).max(1)).max(1)
    });
    Some(2 * m * n * k * blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// gfx10 ends what it has written for others with two of them: these move no bytes.
    #[test]
    fn instructions_of_caches_are_no_accesses() {
        let kind = |name: &str| kind_of(amdgpu_isa::mnemonic_number(name).unwrap());
        for name in ["buffer_gl0_inv", "buffer_wbinvl1", "buffer_wbl2", "global_wbinv", "buffer_inv"] {
            assert_eq!(kind(name), "other", "{name}");
        }
        assert_eq!(kind("buffer_load_dword"), "memory");
        assert_eq!(kind("global_store_b32"), "memory");
    }

    /// By AMD's instruction set references, and for matrix products by the tables of "AMD matrix cores"
    /// (gpuopen.com).
    #[test]
    fn widths_and_operations_are_those_of_the_manuals() {
        for (name, expected) in [
            ("global_load_dwordx4", 16),
            ("global_load_b128", 16),
            ("buffer_load_ubyte", 1),
            ("buffer_load_short_d16_hi", 2),
            ("global_load_d16_b16", 2),
            ("ds_read2_b32", 8),
            ("ds_read2st64_b64", 16),
            ("ds_load_2addr_b32", 8),
            ("ds_write_b8", 1),
            ("s_load_dwordx16", 64),
            ("s_load_b512", 64),
            ("global_atomic_add_f32", 4),
            ("flat_atomic_cmpswap_x2", 8),
            ("tbuffer_load_format_xyzw", 16),
            ("s_dcache_inv", 0),
        ] {
            assert_eq!(bytes(name), expected, "{name}");
        }
        for (name, expected) in [
            ("v_fma_f32", 2),
            ("v_fmac_f32_e32", 2),
            ("v_pk_fma_f16", 4),
            ("v_add_f32_e64", 1),
            ("v_add_u32_e32", 0),
            ("v_mul_f16_e32", 1),
            ("v_dot4_i32_i8", 8),
            ("v_dot2_f32_f16", 4),
            ("v_max_f32_e32", 0),
        ] {
            assert_eq!(operations(name), expected, "{name}");
        }
        for (name, expected) in [
            ("v_mfma_f32_32x32x8f16", 16384),
            ("v_mfma_f32_32x32x1f32", 4096),
            ("v_mfma_f32_32x32x1_2b_f32", 4096),
            ("v_mfma_f32_4x4x1f32", 512),
            ("v_mfma_f32_16x16x16bf16_1k", 8192),
            ("v_mfma_f64_16x16x4f64", 2048),
            ("v_wmma_f32_16x16x16_f16", 8192),
            ("v_smfmac_f32_16x16x32_f16", 16384),
        ] {
            assert_eq!(matrix_operations(name), Some(expected), "{name}");
        }
    }
}
