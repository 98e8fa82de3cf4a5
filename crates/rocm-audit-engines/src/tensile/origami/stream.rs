//! How many work groups stream along K, and how their sums are brought together.
#![deny(clippy::indexing_slicing)]

use super::device::Device;
use super::tile::{Config, Product, parts, tiles};

/// Steps of K that a work group should have at least.
const LEAST_STEPS: u64 = 8;

/// Most bytes of partial sums.
const MOST_PARTIAL_SUMS: u64 = 128 << 20;

/// How partial sums are brought together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Each by one other.
    Tree,
    /// All at once.
    Parallel,
}

fn all_tiles(product: &Product, config: &Config) -> u64 {
    let [m, n] = tiles(product, config);
    m.wrapping_mul(n).wrapping_mul(product.batch)
}

fn steps(product: &Product, config: &Config) -> u64 {
    let ([.., k], [.., depth]) = (product.sizes, config.tile);
    parts(k, depth)
}

/// How the sums of a product would be brought together.
pub fn reduction(device: &Device, product: &Product, config: &Config) -> Reduction {
    let tiles = all_tiles(product, config);
    let is_small = tiles < device.units && tiles <= device.units / 4;
    if is_small && steps(product, config).max(1) >= 64 { Reduction::Parallel } else { Reduction::Tree }
}

/// Work groups of a launch; `None` where the model divides by nothing.
pub fn grid(device: &Device, product: &Product, config: &Config) -> Option<u64> {
    let units = device.units;
    let tiles = all_tiles(product, config);
    let steps = steps(product, config);
    let [tile_m, tile_n, _] = config.tile;
    let sums = tile_m.wrapping_mul(tile_n).wrapping_mul(config.workspace_per_element);
    let mut groups = tiles.min(units);
    if tiles > units {
        for part in [0.0, 1.0 / 2.0, 1.0 / 8.0, 1.0 / 5.0, 1.0 / 4.0, 1.0 / 3.0] {
            let whole = tiles / units;
            let some = (tiles as f64 / (whole as f64 + part) + 0.5) as u64;
            if tiles.checked_rem(some)? != 0 && sums.wrapping_mul(some) > MOST_PARTIAL_SUMS {
                continue;
            }
            if some <= units {
                groups = some;
                break;
            }
        }
    } else if tiles < units {
        if reduction(device, product, config) == Reduction::Parallel {
            groups = tiles.wrapping_mul(units.checked_div(tiles)?.min(steps / LEAST_STEPS));
        } else {
            let fits = |factor: &u64| tiles.wrapping_mul(*factor) <= units && steps / factor >= LEAST_STEPS;
            let factor = [16, 12, 8, 6, 4, 3, 2, 1].into_iter().find(fits);
            groups = factor.map_or(groups, |factor| tiles.wrapping_mul(factor));
        }
    }
    let uneven = tiles.checked_rem(groups)? != 0;
    Some(if uneven && sums.wrapping_mul(groups) > config.workspace { tiles } else { groups })
}
