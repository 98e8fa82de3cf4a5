//! The order in which solutions are taken for a product.
#![deny(clippy::indexing_slicing)]

use super::device::Device;
use super::latency::latency;
use super::tile::{Config, Product};

/// How near a latency is to the best one, in parts of it, to be as good.
const VARIANCE: f64 = 0.01;

/// The places of the solutions that the model takes, the best first, with their latencies. Those as good as
/// the best are in the order of how often they use what they load, and those of the same by the size of their
/// tiles.
pub fn rank(device: &Device, product: &Product, configs: &[Config]) -> Vec<(usize, f64)> {
    let fits = |config: &Config| local(product, config) <= device.local as f64;
    let all = configs.iter().enumerate().filter(|(_, config)| fits(config));
    let mut ranked: Vec<(usize, f64)> =
        all.filter_map(|(place, config)| Some((place, latency(device, product, config)?))).collect();
    // What divides by nothing has no place in an order.
    ranked.retain(|(_, cycles)| cycles.is_finite() && *cycles < f64::MAX);
    ranked.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let Some(best) = ranked.first().map(|(_, cycles)| *cycles) else { return ranked };
    let near = |cycles: f64| (cycles - best).abs() / best.abs().max(1e-9) < VARIANCE;
    let good = ranked.iter().take_while(|(_, cycles)| near(*cycles)).count();
    let tile = |place: usize| configs.get(place).map(|config| config.tile).unwrap_or_default();
    if let Some(leading) = ranked.get_mut(..good).filter(|leading| leading.len() > 1) {
        leading.sort_by(|(a, _), (b, _)| intensity(tile(*b)).total_cmp(&intensity(tile(*a))));
        let most = leading.first().map_or(0.0, |(place, _)| intensity(tile(*place)));
        let same = |place: usize| (intensity(tile(place)) - most).abs() < 1e-6;
        let equal = 1 + leading.iter().skip(1).take_while(|(place, _)| same(*place)).count();
        leading.get_mut(..equal).into_iter().for_each(|equal| by_tile(equal, &tile));
    }
    ranked
}

/// Bytes of local memory that a solution needs.
fn local(product: &Product, config: &Config) -> f64 {
    let [m, n, depth] = config.tile;
    let [a, b, _] = product.types;
    m.wrapping_mul(depth) as f64 * a.bytes() + n.wrapping_mul(depth) as f64 * b.bytes()
}

/// Operations for each element that a tile moves.
fn intensity([m, n, k]: [u64; 3]) -> f64 {
    let operations = 2_u64.wrapping_mul(m).wrapping_mul(n).wrapping_mul(k) as f64;
    let moved = m.wrapping_mul(k).wrapping_add(n.wrapping_mul(k)).wrapping_add(m.wrapping_mul(n)) as f64;
    if moved == 0.0 { 0.0 } else { operations / moved }
}

/// Equally good ones: the larger tile first. The library sorts by the larger side of the product before,
/// which this sort, by all parts of the tile, leaves no trace of.
fn by_tile(equal: &mut [(usize, f64)], tile: &dyn Fn(usize) -> [u64; 3]) {
    equal.sort_by_key(|(place, _)| std::cmp::Reverse(tile(*place)));
}
