//! Devices as origami knows them: what a target's memory and matrix units do, and how large one device is.
#![deny(clippy::indexing_slicing)]

use super::element::Element;

/// What all devices of a target have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Target {
    name: &'static str,
    /// Dies that share out work groups.
    dies: u64,
    /// Bandwidth of L2, of the cache behind it, and of memory, in TB/s.
    bandwidth: [f64; 3],
    /// Matrix units that work at once in a compute unit.
    parallel: u64,
    /// Part of the bandwidth that each active compute unit adds.
    slope: f64,
    /// Whether there is a cache between L2 and memory.
    has_mall: bool,
    /// Its matrix instructions.
    instructions: &'static [Instructions],
}

/// Latencies of matrix instructions of some types: M, N, K, cycles.
type Instructions = (&'static [&'static str], &'static [[u64; 4]]);

const fn target(
    name: &'static str,
    dies: u64,
    bandwidth: [f64; 3],
    parallel: u64,
    slope: f64,
    instructions: &'static [Instructions],
) -> Target {
    Target { name, dies, bandwidth, parallel, slope, has_mall: true, instructions }
}

/// The same without a cache between L2 and memory.
const fn without_mall(target: Target) -> Target {
    Target { has_mall: false, ..target }
}

/// Factor of measured bandwidths.
const MEASURED: f64 = 1.218_751_218_751_218_8;

/// Bandwidth that stands for a cache that is not there.
const NO_MALL: f64 = MEASURED * 1000.0;

/// How many times the memory clock the cache behind L2 runs at.
const MALL_CLOCK: f64 = 1.5;

const F16: &[&str] = &["Half", "BFloat16"];
const F8: &[&str] = &["Float8", "BFloat8", "Float8BFloat8", "BFloat8Float8"];
const F8_FNUZ: &[&str] = &["Float8_fnuz", "BFloat8_fnuz", "Float8BFloat8_fnuz", "BFloat8Float8_fnuz"];

const SINGLE: Instructions =
    (&["Float"], &[[32, 32, 2, 64], [32, 32, 1, 64], [16, 16, 4, 32], [16, 16, 1, 32], [4, 4, 1, 8]]);
const DOUBLE: Instructions = (&["Double"], &[[16, 16, 4, 32], [4, 4, 4, 16]]);
const XF32: Instructions =
    (&["XFloat32"], &[[32, 32, 8, 96], [32, 32, 16, 96], [16, 16, 16, 48], [16, 16, 32, 48]]);

const GFX90A: &[Instructions] = &[
    SINGLE,
    DOUBLE,
    XF32,
    (&["Half"], &[[32, 32, 4, 64], [32, 32, 8, 64], [16, 16, 4, 32], [16, 16, 16, 32], [4, 4, 4, 8]]),
    (&["BFloat16"], &[[32, 32, 4, 64], [32, 32, 8, 32], [16, 16, 4, 32], [16, 16, 16, 16], [4, 4, 4, 8]]),
    (&["Int8"], &[[32, 32, 8, 64], [32, 32, 4, 64], [16, 16, 16, 32], [16, 16, 4, 32], [4, 4, 4, 8]]),
];
const INT8_OF_GFX94: Instructions =
    (&["Int8"], &[[32, 32, 16, 32], [32, 32, 4, 64], [16, 16, 32, 16], [16, 16, 4, 32], [4, 4, 4, 8]]);
const GFX942: &[Instructions] = &[
    SINGLE,
    DOUBLE,
    (F16, &[[32, 32, 4, 64], [32, 32, 8, 32], [16, 16, 4, 32], [16, 16, 16, 16], [4, 4, 4, 8]]),
    (F8_FNUZ, &[[32, 32, 16, 32], [16, 16, 32, 16]]),
    INT8_OF_GFX94,
    (&["XFloat32"], &[[32, 32, 4, 32], [16, 16, 32, 16]]),
];
const GFX950: &[Instructions] = &[
    SINGLE,
    (&["Double"], &[[16, 16, 4, 64], [4, 4, 4, 16]]),
    INT8_OF_GFX94,
    XF32,
    (F16, &[[32, 32, 8, 32], [32, 32, 16, 32], [16, 16, 16, 16], [16, 16, 32, 16], [1, 1, 64, 16]]),
    (F8, &[[32, 32, 64, 64], [32, 32, 16, 32], [16, 16, 128, 32], [16, 16, 32, 16]]),
    (&["Float6", "BFloat6", "Float4"], &[[32, 32, 64, 32], [16, 16, 128, 16]]),
];
const GFX1201: &[Instructions] = &[
    (F16, &[[16, 16, 16, 16]]),
    (F8, &[[16, 16, 16, 8]]),
    (&["Int8"], &[[16, 16, 16, 8]]),
    (&["Int4"], &[[16, 16, 16, 8], [16, 16, 32, 8]]),
];
const GFX11: &[Instructions] =
    &[(&["Half", "BFloat16", "Int8"], &[[16, 16, 16, 32]]), (&["Int4"], &[[16, 16, 16, 16]])];

/// Source: origami 0.0.3, `hardware.hpp` and `hardware.cpp`.
const TARGETS: &[Target] = &[
    target("gfx90a", 1, [5.5, MEASURED * 1.2, 1.2], 4, 0.03, GFX90A),
    target("gfx942", 8, [17.0, MEASURED * 6.0, 4.0], 4, 0.015, GFX942),
    target("gfx950", 8, [17.0, MEASURED * 7.0, 6.0], 4, 0.008, GFX950),
    target("gfx1201", 1, [5.74, MEASURED * 2.41, 0.464], 2, 0.17, GFX1201),
    target("gfx1100", 1, [7.12, MEASURED * 3.48, 0.732], 2, 0.11, GFX11),
    target("gfx1151", 1, [2.47, MEASURED * 0.93, 0.215], 2, 0.22, GFX11),
    without_mall(target("gfx1150", 1, [1.497, NO_MALL, 0.077], 16, 0.18, GFX11)),
    without_mall(target("gfx1152", 1, [0.849, NO_MALL, 0.096], 4, 0.13, GFX11)),
    without_mall(target("gfx1153", 1, [0.240, NO_MALL, 0.066], 2, 0.19, GFX11)),
];

/// Cycles of a matrix instruction that is not in the table.
const USUAL_LATENCY: u64 = 32;

/// A device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Device {
    target: &'static Target,
    /// Compute units.
    pub units: u64,
    /// Bytes of local memory of a work group.
    pub local: u64,
    /// Bytes of L2 of a die.
    pub l2: u64,
    /// Dies that share out work groups.
    pub dies: u64,
    /// Bytes in a cycle from L2, from the cache behind it, and from memory.
    pub(super) bytes_in_cycle: [f64; 3],
}

/// What is usual of a target's devices, in GHz and bytes.
struct Usual {
    name: &'static str,
    local: u64,
    l2: u64,
    clock: f64,
    memory_clock: f64,
}

const fn usual(name: &'static str, local: u64, l2: u64, clock: f64, memory_clock: f64) -> Usual {
    Usual { name, local: local << 10, l2: l2 << 10, clock, memory_clock }
}

/// What HIP reports of common devices of each target.
const USUAL: &[Usual] = &[
    usual("gfx90a", 64, 8192, 1.7, 1.6),
    usual("gfx942", 64, 4096, 2.1, 1.3),
    usual("gfx950", 160, 4096, 2.4, 2.0),
    usual("gfx1201", 64, 8192, 2.4, 1.258),
    usual("gfx1100", 64, 6144, 2.3, 1.249),
    usual("gfx1151", 64, 2048, 2.9, 1.0),
    usual("gfx1150", 64, 2048, 2.9, 0.937),
    usual("gfx1152", 64, 1024, 2.8, 0.937),
    usual("gfx1153", 64, 1024, 2.7, 0.8),
];

impl Device {
    /// A device of a target with so many compute units, so much local memory and L2, and these clocks in GHz;
    /// `None` for a target that the model does not have, or without compute units.
    pub fn new(name: &str, units: u64, local: u64, l2: u64, clocks: [f64; 2]) -> Option<Device> {
        let target = TARGETS.iter().find(|target| target.name == name)?;
        let [core, memory] = clocks;
        let [l2_rate, mall_rate, memory_rate] = target.bandwidth;
        let bytes_in_cycle = [
            1e9 * l2_rate / (core * 1e6),
            1e9 * mall_rate / (memory * 1e6 * MALL_CLOCK),
            1e9 * memory_rate / (memory * 1e6),
        ];
        (units > 0).then_some(Device { target, units, local, l2, dies: target.dies, bytes_in_cycle })
    }

    /// The same with what is usual of the target's devices.
    pub fn usual(name: &str, units: u64) -> Option<Device> {
        let usual = USUAL.iter().find(|usual| usual.name == name)?;
        Device::new(name, units, usual.local, usual.l2, [usual.clock, usual.memory_clock])
    }

    /// The dies of a device of this size, which a part of a card has fewer of: an MI300X has 38 compute units
    /// on each of 8 dies, an MI350X 32. What fits no whole number of dies has as many as the target.
    pub fn own_dies(&self) -> u64 {
        let of_one = match self.target.name {
            "gfx942" => 38,
            "gfx950" => 32,
            _ => return self.target.dies,
        };
        let whole = self.units.is_multiple_of(of_one) && self.units / of_one <= self.target.dies;
        if whole { self.units / of_one } else { self.target.dies }
    }

    /// The target's name.
    pub fn name(&self) -> &'static str {
        self.target.name
    }

    pub(super) fn has_mall(&self) -> bool {
        self.target.has_mall
    }

    pub(super) fn slope(&self) -> f64 {
        self.target.slope
    }

    /// Cycles of a matrix instruction, as the units that work at once share them.
    pub(super) fn latency(&self, [m, n, k]: [u64; 3], of: Element) -> u64 {
        let mut rows = self.target.instructions.iter().filter(|(types, _)| types.contains(&of.name));
        let known = rows.find_map(|(_, all)| all.iter().find(|[a, b, c, _]| [*a, *b, *c] == [m, n, k]));
        known.map_or(USUAL_LATENCY, |[.., cycles]| *cycles) / self.target.parallel.max(1)
    }
}
