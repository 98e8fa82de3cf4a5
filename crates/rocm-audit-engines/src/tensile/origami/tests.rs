//! Latencies and orders of origami 0.0.3 itself, run without a device: products, the best five of many
//! solutions, and the bits of their cycles.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use super::device::Device;
use super::element::Element;
use super::latency::latency;
use super::rank::rank;
use super::tile::{Config, Product};

/// Tile, instruction, occupancy, hints, whether scheduled by hand, and the bits of the cycles.
type Timed = ([u64; 3], [u64; 3], u64, [u64; 2], bool, u64);

struct Vector {
    device: (&'static str, u64, u64, u64, [f64; 2]),
    sizes: [u64; 3],
    batch: u64,
    transposed: [bool; 2],
    /// Of A, B, D and of the matrix instruction.
    types: [&'static str; 4],
    workspace: [u64; 2],
    configs: &'static [Timed],
    order: [usize; 5],
}

const VECTORS: &[Vector] = &[
    Vector {
        device: ("gfx1100", 48, 65536, 6291456, [2.482, 1.249]),
        sizes: [1280, 1024, 8192],
        batch: 1,
        transposed: [true, false],
        types: ["BFloat16", "BFloat16", "BFloat16", "BFloat16"],
        workspace: [134217728, 4],
        configs: &[
            ([64, 64, 256], [16, 16, 16], 1, [0, 0], false, 0x41305a3dbaef433c),
            ([160, 64, 128], [16, 16, 16], 3, [0, 0], false, 0x4130d2f1f6d7bac4),
            ([224, 128, 64], [16, 16, 16], 2, [0, 0], false, 0x412fe3e87f7346de),
            ([224, 256, 32], [16, 16, 16], 4, [0, 0], false, 0x4130a38c76d69358),
            ([224, 256, 64], [16, 16, 16], 2, [0, 0], false, 0x413041023965ef81),
        ],
        order: [2, 4, 0, 3, 1],
    },
    Vector {
        device: ("gfx1150", 4, 65536, 2097152, [2.9, 0.933]),
        sizes: [2462, 225, 16],
        batch: 1,
        transposed: [false, false],
        types: ["BFloat16", "BFloat16", "BFloat16", "BFloat16"],
        workspace: [0, 4],
        configs: &[
            ([128, 256, 16], [16, 16, 16], 1, [0, 0], false, 0x40ea6c98f4f82cb4),
            ([192, 128, 16], [16, 16, 16], 3, [0, 0], false, 0x40eb4fcbf2ab4ec6),
            ([224, 256, 16], [16, 16, 16], 4, [0, 0], false, 0x40ea62dc5d2f2a1d),
            ([256, 128, 16], [16, 16, 16], 4, [0, 0], false, 0x40e7e91bcbbed3b3),
            ([256, 256, 16], [16, 16, 16], 3, [0, 0], false, 0x40ead94f8c7ec97e),
        ],
        order: [3, 2, 0, 4, 1],
    },
    Vector {
        device: ("gfx1151", 20, 65536, 2097152, [2.9, 1.0]),
        sizes: [2, 768, 569],
        batch: 1,
        transposed: [false, false],
        types: ["BFloat16", "BFloat16", "BFloat16", "BFloat16"],
        workspace: [33554432, 4],
        configs: &[
            ([16, 64, 64], [16, 16, 16], 3, [0, 0], false, 0x40f3b036cf1165c1),
            ([16, 96, 64], [16, 16, 16], 2, [0, 0], false, 0x40f3ad225034e197),
            ([16, 128, 64], [16, 16, 16], 3, [0, 0], false, 0x40f3cee3c1ceabdc),
            ([16, 160, 64], [16, 16, 16], 1, [0, 0], false, 0x40f528b55ddbaca4),
            ([16, 192, 64], [16, 16, 16], 3, [0, 0], false, 0x40f5bd0b069c87d0),
        ],
        order: [2, 1, 0, 3, 4],
    },
    Vector {
        device: ("gfx1201", 32, 65536, 8388608, [2.97, 1.258]),
        sizes: [6144, 8192, 4096],
        batch: 1,
        transposed: [true, false],
        types: ["BFloat16", "BFloat16", "BFloat16", "BFloat16"],
        workspace: [0, 4],
        configs: &[
            ([192, 256, 64], [16, 16, 16], 2, [0, 0], false, 0x416b41fb4d40ddd4),
            ([256, 128, 64], [16, 16, 16], 4, [0, 0], false, 0x416c14658f18688e),
            ([256, 224, 64], [16, 16, 16], 2, [0, 0], false, 0x416bd4000393b89f),
            ([256, 256, 32], [16, 16, 16], 1, [0, 0], false, 0x416c22ab520e8b3f),
            ([256, 256, 64], [16, 16, 16], 3, [0, 0], false, 0x416aad5bfebb0a76),
        ],
        order: [4, 0, 2, 1, 3],
    },
    Vector {
        device: ("gfx90a", 104, 65536, 8388608, [1.7, 1.6]),
        sizes: [261, 40, 331],
        batch: 1,
        transposed: [false, false],
        types: ["BFloat16", "BFloat16", "Float", "BFloat16"],
        workspace: [134217728, 4],
        configs: &[
            ([16, 16, 64], [32, 32, 8], 1, [0, 0], false, 0x40c23ad1b65865c3),
            ([16, 16, 64], [16, 16, 16], 1, [0, 0], false, 0x40c1f8a97218dd4f),
            ([32, 16, 64], [32, 32, 8], 3, [0, 0], false, 0x40c26c6c8d0d95b1),
            ([32, 16, 64], [16, 16, 16], 2, [0, 0], false, 0x40c23db98a0dea14),
            ([64, 16, 64], [16, 16, 16], 2, [0, 0], false, 0x40c381c3a2303bd4),
        ],
        order: [1, 0, 3, 2, 4],
    },
    Vector {
        device: ("gfx942", 304, 65536, 4194304, [2.1, 1.3]),
        sizes: [2304, 200, 768],
        batch: 1,
        transposed: [false, false],
        types: ["BFloat16", "BFloat16", "Float", "BFloat16"],
        workspace: [u64::MAX, 4],
        configs: &[
            ([64, 32, 128], [32, 32, 8], 2, [0, 0], false, 0x40c568dc53d730ec),
            ([64, 32, 128], [16, 16, 16], 2, [0, 0], false, 0x40c568dc53d730ec),
            ([64, 32, 256], [32, 32, 8], 1, [0, 0], false, 0x40c466e5260dca04),
            ([64, 32, 256], [16, 16, 16], 2, [0, 0], false, 0x40c466e5260dca04),
            ([128, 16, 128], [16, 16, 16], 3, [0, 0], false, 0x40ca4065f69c05b8),
        ],
        order: [2, 3, 0, 1, 4],
    },
];

#[test]
fn cycles_and_orders_are_those_of_origami_bit_for_bit() {
    for vector in VECTORS {
        let (name, units, local, l2, clocks) = vector.device;
        let device = Device::new(name, units, local, l2, clocks).unwrap();
        let [a, b, d, instruction] = vector.types.map(|name| Element::by_name(name).unwrap());
        let product = Product {
            sizes: vector.sizes,
            batch: vector.batch,
            transposed: vector.transposed,
            types: [a, b, d],
            instruction,
        };
        let [workspace, workspace_per_element] = vector.workspace;
        let mut configs = Vec::new();
        for (tile, instruction, occupancy, hints, by_hand, bits) in vector.configs {
            let (tile, instruction, occupancy) = (*tile, *instruction, *occupancy);
            let (hints, by_hand) = (*hints, *by_hand);
            let own =
                Config { tile, instruction, occupancy, hints, by_hand, workspace, workspace_per_element };
            let cycles = latency(&device, &product, &own).unwrap();
            assert_eq!(cycles.to_bits(), *bits, "{name} {tile:?}: {cycles}");
            configs.push(own);
        }
        let order: Vec<usize> =
            rank(&device, &product, &configs).into_iter().map(|(place, _)| place).collect();
        assert_eq!(order, vector.order, "{name}");
    }
}

#[test]
fn what_the_model_does_not_have_is_no_device() {
    assert!(Device::new("gfx1030", 36, 65_536, 4 << 20, [2.1, 1.0]).is_none());
    assert!(Device::new("gfx942", 0, 65_536, 4 << 20, [2.1, 1.3]).is_none());
    let device = Device::usual("gfx942", 304).unwrap();
    let half = Element::by_name("Half").unwrap();
    let product = Product {
        sizes: [64, 64, 64],
        batch: 1,
        transposed: [true, false],
        types: [half; 3],
        instruction: half,
    };
    let config = Config {
        tile: [64, 64, 64],
        instruction: [16, 16, 16],
        occupancy: 1,
        hints: [0, 0],
        by_hand: false,
        workspace: u64::MAX,
        workspace_per_element: u64::MAX,
    };
    // Tiles without a side, products of nothing, and tiles that local memory does not hold have no place.
    let strange = [
        Config { tile: [0, 64, 64], ..config },
        Config { instruction: [0, 0, 0], ..config },
        Config { tile: [512, 512, 512], ..config },
        config,
    ];
    let places =
        |product: &Product| rank(&device, product, &strange).iter().map(|(at, _)| *at).collect::<Vec<_>>();
    assert!(places(&product).contains(&3) && !places(&product).contains(&2));
    assert!(places(&Product { sizes: [0, 64, 64], ..product }).is_empty());
    let _ = places(&Product { sizes: [u64::MAX; 3], batch: u64::MAX, ..product });
}

#[test]
fn a_part_of_a_card_has_fewer_dies() {
    let dies = |name, units| Device::usual(name, units).unwrap().own_dies();
    // MI300X whole and in two, four and eight parts; MI300A; MI308X, whose dies have ten compute units each.
    assert_eq!([304, 152, 76, 38, 228, 80].map(|units| dies("gfx942", units)), [8, 4, 2, 1, 6, 8]);
    assert_eq!([256, 32].map(|units| dies("gfx950", units)), [8, 1]);
    assert_eq!(dies("gfx90a", 104), 1);
}
