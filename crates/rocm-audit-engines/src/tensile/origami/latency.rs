//! Cycles that a solution takes for a product.
#![deny(clippy::indexing_slicing)]

use super::device::Device;
use super::element::Element;
use super::stream;
use super::tile::{Config, Product, parts, tiles};

/// Cycles of a solution; `None` where the model refuses it, or cannot be computed.
pub fn latency(device: &Device, product: &Product, config: &Config) -> Option<f64> {
    if refuses(product, config) {
        return None;
    }
    let shape = Shape::for_device(device, product, config)?;
    let compute = shape.compute();
    let (loads, memory) = shape.memory();
    let (factor, efficiency) = weights(device, product, config);
    let [_, _, k] = product.sizes;
    let [_, _, depth] = config.tile;
    let mut step = memory.max(compute);
    step *= efficiency;
    step *= shape.padding;
    step += conversion(device, product, config);
    let count = parts(parts(k, shape.split), depth).saturating_sub(1).max(1) as f64;
    let mut cycles = step * count;
    cycles += 1.5 * loads;
    cycles += 2.0 * shape.epilogue(compute);
    cycles += 1.0;
    cycles += 500.0 * count;
    cycles *= factor;
    Some(cycles * shape.waves as f64)
}

/// What the model leaves out: tiles too small for a batch of small products, a vector instruction for more
/// than two rows, and cache hints that do not suit the shapes.
fn refuses(product: &Product, config: &Config) -> bool {
    let ([m, n, k], [tile_m, tile_n, depth]) = (product.sizes, config.tile);
    let [a, b, _] = product.types.map(|ty| ty.bits);
    let [a_turned, b_turned] = product.transposed;
    let [hint_a, hint_b] = config.hints;
    if m <= 256 && n <= 256 && k < 1024 && product.batch != 1 && (tile_m < m || tile_n < n) {
        return true;
    }
    if config.instruction == [1, 1, 64] && m > 2 {
        return true;
    }
    let hints = hint_a != 0 || hint_b != 0;
    let whole_lines = k.wrapping_mul(a).is_multiple_of(1024) && depth.wrapping_mul(a).is_multiple_of(1024);
    if !whole_lines {
        return hints;
    }
    let times = |large: u64, small: u64| large.checked_div(small).is_some_and(|times| times > 5);
    let (bytes_a, bytes_b) = (m.wrapping_mul(a), n.wrapping_mul(b));
    if m <= tile_m.wrapping_mul(2) && !b_turned && times(bytes_b, bytes_a) {
        hint_b != 4
    } else if n <= tile_n.wrapping_mul(2) && a_turned && times(bytes_a, bytes_b) {
        hint_a != 4
    } else {
        hints
    }
}

/// Tiles whose loops were scheduled by hand, by transposes and type, and how much of the time they take.
type ByHand = (&'static str, [bool; 2], &'static [([u64; 3], f64)]);

const BY_HAND: &[ByHand] = &[
    (
        "BFloat16",
        [false, true],
        &[
            ([160, 256, 64], 1.0 / 1.2),
            ([192, 256, 64], 1.0 / 1.1),
            ([208, 256, 64], 1.0 / 1.2),
            ([256, 160, 64], 1.0 / 1.2),
            ([256, 192, 64], 1.0 / 1.2),
            ([256, 256, 64], 1.0 / 1.15),
        ],
    ),
    (
        "BFloat16",
        [false, false],
        &[
            ([160, 256, 64], 1.0 / 1.1),
            ([208, 256, 64], 1.0 / 1.1),
            ([256, 192, 64], 1.0),
            ([256, 256, 64], 1.0 / 1.05),
        ],
    ),
    (
        "BFloat16",
        [true, false],
        &[
            ([160, 256, 64], 1.0 / 1.1),
            ([192, 256, 64], 1.0 / 1.05),
            ([256, 96, 64], 1.0 / 1.1),
            ([256, 192, 64], 1.0 / 1.1),
            ([256, 224, 64], 1.0 / 1.05),
            ([256, 256, 64], 1.0 / 1.05),
        ],
    ),
    ("XFloat32", [false, false], &[([192, 256, 32], 1.0 / 1.23)]),
    ("XFloat32", [true, false], &[([128, 256, 32], 1.0 / 1.26), ([192, 256, 32], 1.0 / 1.23)]),
];

/// Factors by hand: of all cycles, and of the main loop.
fn weights(device: &Device, product: &Product, config: &Config) -> (f64, f64) {
    let (mut total, mut main) = (1.0, 1.0);
    let [a, b, _] = product.types;
    let is_gfx950 = device.name() == "gfx950";
    if config.by_hand && is_gfx950 {
        let own = |row: &&ByHand| row.0 == product.instruction.name && row.1 == product.transposed;
        let tile = |(tile, _): &&([u64; 3], f64)| *tile == config.tile;
        main = BY_HAND.iter().find(own).and_then(|row| row.2.iter().find(tile)).map_or(1.0, |row| row.1);
    }
    let both_bf16 = [a.name, b.name] == ["BFloat16"; 2];
    if config.tile == [64, 32, 32] && product.transposed == [false, false] && both_bf16 {
        (total, main) = (10.0, 1.0);
    }
    if product.instruction.name == "XFloat32" && is_gfx950 {
        let [m, n, k] = product.sizes;
        let (large_m, large_n, large_k) = (m as f64, n as f64, k as f64);
        let elements = large_m * large_n + large_n * large_k + large_m * large_k;
        let bytes = elements * (a.bits as f64 / 8.0);
        let intensity = if bytes == 0.0 { 0.0 } else { 3.0 * 2.0 * large_m * large_n * large_k / bytes };
        if config.tile == [256, 256, 32] {
            let is_low = intensity < 1000.0;
            match product.transposed {
                [false, true] => total *= if is_low { 0.6 } else { 0.4 },
                [_, false] => total *= if is_low { 0.8 } else { 0.4 },
                [true, true] => {}
            }
        }
        let [.., depth] = config.tile;
        if k >= m.saturating_mul(16) && k >= n.saturating_mul(16) && depth >= 128 {
            total *= 0.5;
        }
    }
    (total, main)
}

/// A size rounded up to whole lines of 128 bytes.
fn whole_lines(size: u64, bits: u64) -> u64 {
    let mut divisor = (bits, 1024);
    while divisor.1 != 0 {
        divisor = (divisor.1, divisor.0 % divisor.1);
    }
    let line = 1024 / divisor.0.max(1);
    size.div_ceil(line).wrapping_mul(line)
}

/// A product in the tiles of a solution on a device.
struct Shape<'a> {
    device: &'a Device,
    product: &'a Product,
    config: &'a Config,
    /// Tiles along M and N.
    tiles: [u64; 2],
    /// Compute units that have work.
    active: u64,
    /// Turns until all work groups have run.
    waves: u64,
    /// Work groups that share a tile.
    split: u64,
    /// Width of the mapping of work groups to tiles.
    mapping: u64,
    /// What is computed for each element of the product, beside it.
    padding: f64,
    /// What work groups that share a compute unit hide of one another.
    hidden: f64,
    /// Part of the bandwidth that the active units reach.
    reached: f64,
}

impl<'a> Shape<'a> {
    fn for_device(device: &'a Device, product: &'a Product, config: &'a Config) -> Option<Self> {
        let ([m, n, k], [tile_m, tile_n, depth]) = (product.sizes, config.tile);
        let mapping = if product.batch > 1 { 1 } else { root_up(device.units.checked_div(device.dies)?) };
        let [across, down] = tiles(product, config);
        let all = across.wrapping_mul(down).wrapping_mul(product.batch);
        let groups = stream::grid(device, product, config)?;
        let active = groups.min(device.units);
        let split = parts(groups, all);
        let computed = ((across as f64) * (tile_m as f64))
            * ((down as f64) * (tile_n as f64))
            * ((parts(k, depth) as f64) * (depth as f64));
        let used = if computed >= 1.0 { m.wrapping_mul(n).wrapping_mul(k) as f64 / computed } else { 1.0 };
        let held = parts(all.wrapping_mul(split), device.units).min(config.occupancy.max(1));
        let reached = if active > device.units {
            1.0
        } else {
            // The parts of second and zeroth degree are zero for all targets.
            (device.slope() * active as f64).min(1.0)
        };
        Some(Shape {
            device,
            product,
            config,
            tiles: [across, down],
            active,
            waves: if groups > all { parts(groups, device.units) } else { parts(all, device.units) },
            split,
            mapping: mapping.max(1),
            padding: if used > 1e-9 { 1.0 / used } else { 1.0 },
            hidden: 0.95_f64.powf(held as f64),
            reached,
        })
    }

    /// Cycles that the matrix units take for a step.
    fn compute(&self) -> f64 {
        let ([tile_m, tile_n, depth], [m, n, k]) = (self.config.tile, self.config.instruction);
        let one = self.device.latency(self.config.instruction, self.product.instruction);
        one.wrapping_mul(parts(tile_m, m)).wrapping_mul(parts(tile_n, n)).wrapping_mul(parts(depth, k)) as f64
    }

    /// Part of the loads that hit where so many tiles along M and N are loaded together.
    fn hits(&self, [across, down]: [u64; 2]) -> f64 {
        let [tile_m, tile_n, depth] = self.config.tile;
        let (of_a, of_b) = (product_of([across, tile_m, depth]), product_of([down, tile_n, depth]));
        let all = (of_a * i128::from(down) + of_b * i128::from(across)).max(1);
        (((all - of_a - of_b) as f64) / (all as f64)).clamp(0.0, 1.0)
    }

    /// Tiles along M and N that so many work groups cover, `wide` of them in a row.
    fn covered(&self, groups: u64, wide: u64) -> [u64; 2] {
        let [across, down] = self.tiles;
        let (mut m, mut n) = (parts(groups, wide), self.mapping.min(down));
        if m > across {
            n = n.wrapping_add(m.checked_div(across).unwrap_or_default().wrapping_mul(self.mapping));
            m = across;
        }
        [across.min(m).max(1), down.min(n).max(1)]
    }

    /// Part of the loads that hit L2.
    fn hits_of_l2(&self) -> f64 {
        let [across, down] = self.tiles;
        let [tile_m, tile_n, depth] = self.config.tile;
        let [a, b, _] = self.product.types.map(Element::bytes);
        let (size_a, size_b) = (tile_m.wrapping_mul(depth), tile_n.wrapping_mul(depth));
        let of_units = across.wrapping_mul(down).min(self.device.units);
        let of_product = parts(of_units, self.split.wrapping_mul(self.product.batch));
        let of_die = parts(of_product, self.device.dies).max(1);
        let [mut m, mut n] = self.covered(of_die, self.mapping.min(down));
        let bytes = |m: u64, n: u64| m.wrapping_mul(size_a) as f64 * a + n.wrapping_mul(size_b) as f64 * b;
        while bytes(m, n) > self.device.l2 as f64 {
            if m > 1 && m >= n {
                m -= 1;
            } else if n > 1 {
                n -= 1;
            } else {
                break;
            }
        }
        let near = self.hits([m, n]);
        let far = if bytes(across, down) > self.device.l2.wrapping_mul(1024) as f64 {
            0.1
        } else {
            let tiles = across.wrapping_mul(down);
            let all = [size_a, size_b].map(|size| tiles.wrapping_mul(size) as f64);
            let own = [across.wrapping_mul(size_a) as f64, down.wrapping_mul(size_b) as f64];
            let ([all_a, all_b], [own_a, own_b]) = (all, own);
            let total = all_a + all_b;
            if total == 0.0 { 1.0 } else { ((all_a - own_a) + (all_b - own_b)) / total }
        };
        let hits = near.min(far);
        if hits == 0.0 { 0.5 } else { hits }
    }

    /// Cycles that loading takes before the first step, and for each step.
    fn memory(&self) -> (f64, f64) {
        let [tile_m, tile_n, depth] = self.config.tile;
        let [a, b, _] = self.product.types;
        let [a_turned, b_turned] = self.product.transposed;
        let active = self.active as f64;
        let hits_l2 = self.hits_of_l2();
        let [m, n] = self.covered(self.active, self.mapping);
        let hits_mall = if self.device.has_mall() { self.hits([m, n]) } else { 0.0 };
        let loaded_a = if a_turned {
            tile_m.wrapping_mul(whole_lines(depth, a.bits))
        } else {
            whole_lines(tile_m, a.bits).wrapping_mul(depth)
        };
        let loaded_b = if b_turned {
            whole_lines(tile_n, b.bits).wrapping_mul(depth)
        } else {
            tile_n.wrapping_mul(whole_lines(depth, b.bits))
        };
        let total = (loaded_a as f64 * a.bytes() + loaded_b as f64 * b.bytes()) * active;
        let [l2_rate, mall_rate, memory_rate] = self.device.bytes_in_cycle;
        let l2_rate = l2_rate * (active / self.device.units as f64);
        let over = |bytes: f64, rate: f64| if rate > 0.0 { bytes / rate } else { 0.0 };
        let of_l2 = over(total, l2_rate);
        let mut from_mall = if self.device.has_mall() { (1.0 - hits_l2) * total } else { 0.0 };
        let mut from_memory = (1.0 - hits_mall) * from_mall;
        let [across, down] = self.tiles;
        let products = (active / across.wrapping_mul(down) as f64).max(1.0).min(self.product.batch as f64);
        let (once_a, once_b) = (
            m.wrapping_mul(tile_m.wrapping_mul(depth)) as f64 * a.bytes(),
            n.wrapping_mul(tile_n.wrapping_mul(depth)) as f64 * b.bytes(),
        );
        let least = (once_a + once_b) * products;
        from_memory = from_memory.max(least);
        from_mall = from_mall.max(least);
        let of_mall = over(from_mall, mall_rate * self.reached);
        let of_memory = over(from_memory, memory_rate * self.reached) + 200.0;
        let longest = of_l2.max(of_mall).max(of_memory);
        (longest * self.padding * self.hidden, longest)
    }

    /// Cycles behind the last step: writing, bringing sums together, and the rest of K.
    fn epilogue(&self, compute: f64) -> f64 {
        let [tile_m, tile_n, depth] = self.config.tile;
        let [.., d] = self.product.types;
        let [_, _, k] = self.product.sizes;
        let [across, down] = self.tiles;
        let [.., memory_rate] = self.device.bytes_in_cycle;
        let rate = memory_rate * self.reached;
        let rows = whole_lines(tile_m, if d.bits > 0 { d.bits } else { 16 });
        let writers = self.active.checked_div(self.split).unwrap_or_default();
        let writing = writers as f64 * rows as f64 * tile_n as f64 * d.bytes() / rate;
        let last = compute * self.padding;
        let (mut sums, mut fixed, mut rest) = (0.0, 0.0, 0.0);
        if self.split > 1 {
            let tiles = across.wrapping_mul(down);
            let row = |parts: u64| {
                tiles.wrapping_mul(parts).wrapping_mul(rows).wrapping_mul(tile_n) as f64 * d.bytes()
            };
            let (read, written) = (row(self.split - 1), row(1));
            let added = tile_m.wrapping_mul(tile_n) as f64 * self.split as f64;
            sums = (read + written) / rate + added / 64.0;
            fixed = 10_000.0;
        }
        if let Some(left @ 1..) = k.checked_rem(depth) {
            rest = (left as f64 / k as f64) * 50_000.0;
        }
        ((writing + last) * self.hidden) + (sums + fixed) + rest
    }
}

/// The root of a number, rounded up.
fn root_up(number: u64) -> u64 {
    (number as f64).sqrt().ceil() as u64
}

fn product_of(factors: [u64; 3]) -> i128 {
    factors.into_iter().map(i128::from).product()
}

/// Cycles of converting inputs where the matrix units of gfx950 take them in another type.
fn conversion(device: &Device, product: &Product, config: &Config) -> f64 {
    if device.name() != "gfx950" {
        return 0.0;
    }
    let [a, b, _] = product.types;
    let ([tile_m, tile_n, depth], [m, n, k]) = (config.tile, config.instruction);
    let (rows, columns) = (tile_m as f64 / 2.0, tile_n as f64 / 2.0);
    let (one_m, one_n) = (m as f64, n as f64);
    let kind = product.instruction;
    if kind.name == "XFloat32" {
        let deep = depth.checked_div(k).unwrap_or_default() as f64;
        let count = 3.0 * ((rows / one_m) * (columns / one_n) * deep);
        let half = Element { name: "BFloat16", ..kind };
        let cycles = device.latency(config.instruction, half) as f64;
        let loads_a = (rows * depth as f64 * a.bytes() / 128.0) / one_m;
        let loads_b = (columns * depth as f64 * b.bytes() / 128.0) / one_n;
        let (global, local) = (loads_a, loads_a + loads_b);
        let spare = (count - local - global).max(0.0);
        let taken = (8.0 / 16.0) * cycles * spare + (4.0 / 16.0) * cycles * (local + global);
        return ((104.0 / 16.0) * cycles * loads_a - taken).max(0.0);
    }
    if kind.name == "BFloat16" && a.bits == 32 && b.bits == 32 {
        let deep = depth as f64 / k as f64;
        let count = 1.0 * ((rows / one_m) * (columns / one_n) * deep);
        let cycles = device.latency(config.instruction, kind) as f64;
        let loads_a = (rows * depth as f64 * a.bytes() / 128.0) / one_m;
        let loads_b = (columns * depth as f64 * b.bytes() / 128.0) / one_n;
        let (global, local) = (loads_a, loads_a + loads_b);
        let spare = (count - local - global).max(0.0);
        let taken = (8.0 / 16.0 * cycles) * spare + (4.0 / 16.0) * cycles * (local + global);
        return ((2.0 * 4.0 / 16.0 * cycles) * local - taken).max(0.0);
    }
    0.0
}
