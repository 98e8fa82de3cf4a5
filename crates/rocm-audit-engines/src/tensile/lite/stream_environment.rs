//! How work groups share out K, by the catalog and by the environment of the process.
//!
//! Source: `AMDGPU.hpp` of hipBLASLt's develop of 2026 (ROCm/rocm-libraries @006d2e0f).
#![deny(clippy::indexing_slicing)]

use crate::tensile::origami::device::Device;

/// How work groups share out K, as `streamK` of catalogs numbers it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StreamKMode {
    /// Each computes whole tiles.
    #[default]
    Whole,
    /// Each has its share before the launch (1 to 3).
    Static,
    /// Each takes tiles from a queue (4).
    Queued,
    /// Either (5): its share before the launch, unless the caller asks for the queue.
    Hybrid,
    /// In a way that no source read here has.
    Other,
}

impl StreamKMode {
    /// The mode of a number.
    pub fn from_number(number: i64) -> StreamKMode {
        match number {
            0 => StreamKMode::Whole,
            1..=3 => StreamKMode::Static,
            4 => StreamKMode::Queued,
            5 => StreamKMode::Hybrid,
            _ => StreamKMode::Other,
        }
    }

    /// Whether work groups stream at all.
    pub fn streams(self) -> bool {
        self != StreamKMode::Whole
    }
}

/// Variables of the environment that change how work groups stream.
pub const VARIABLES: [&str; 4] = [
    "TENSILE_STREAMK_DYNAMIC_GRID",
    "TENSILE_STREAMK_FIXED_GRID",
    "TENSILE_STREAMK_MAX_CUS",
    "TENSILE_STREAMK_GRID_MULTIPLIER",
];

/// The way in which origami selects a grid that is compared: `grid_selection_t::k_split_aware`.
pub(super) const K_SPLIT_AWARE: i64 = 6;

/// What the environment says of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamKEnvironment {
    /// How origami selects the grid; 0 where it is not asked.
    pub(super) grid_by: i64,
    /// So many work groups, where it is not 0.
    pub(super) fixed: u64,
    /// At most so many compute units, where it is not 0.
    pub(super) most_units: u64,
    /// Work groups for each compute unit where nothing else says it.
    pub(super) per_unit: u64,
}

impl StreamKEnvironment {
    /// That of a process with these variables.
    pub fn from_variables<'v>(variable: impl Fn(&str) -> Option<&'v str>) -> StreamKEnvironment {
        let [dynamic, fixed, units, multiplier] = VARIABLES;
        let natural = |name| variable(name).map_or(0, |text| u64::try_from(leading(text)).unwrap_or(0));
        StreamKEnvironment {
            grid_by: variable(dynamic).map_or(K_SPLIT_AWARE, leading),
            fixed: natural(fixed),
            most_units: natural(units),
            per_unit: natural(multiplier),
        }
    }

    /// The device with at most the compute units that the environment allows.
    pub fn capped(&self, mut device: Device) -> Device {
        device.units = self.at_most(device.units);
        device
    }

    pub(super) fn at_most(&self, units: u64) -> u64 {
        if self.most_units > 0 { units.min(self.most_units) } else { units }
    }
}

/// The number that a text begins with, as C's `atoi` reads it.
pub(super) fn leading(text: &str) -> i64 {
    let text = text.trim_start();
    let end = text.char_indices().find(|(at, c)| !(c.is_ascii_digit() || *at == 0 && "+-".contains(*c)));
    let number = text.get(..end.map_or(text.len(), |(at, _)| at)).unwrap_or_default();
    number.parse().unwrap_or(0)
}
