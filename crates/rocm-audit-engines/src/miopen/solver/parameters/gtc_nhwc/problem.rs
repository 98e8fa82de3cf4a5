//! A problem as the three solvers ask for it: which configuration they begin with, and how many work groups they launch.

use super::configuration::{Configuration, Way};
use super::precision::Precision;
use super::table::Tile;
use crate::miopen::problem::ConvolutionProblem;
use crate::miopen::solver::context::Context;
use crate::miopen::solver::integer::Integer;
use crate::miopen::solver::parameters::sizes::Sizes;
use crate::miopen::solver::predicates::{Axis, over};

/// The largest tensor, and the most work items, in bytes and items.
const MOST: Integer = Integer(0xffff_ffff);
/// Work groups that a split of K is made for.
const FILLED: Integer = Integer(1200);
/// Work groups from which on the gradient of weights does without a split.
const UNSPLIT: Integer = Integer(600);
/// Splits of K are tried up to two to the power of one less.
const SPLITS: u32 = 8;

/// A problem with what the three solvers ask of it. `c` and `k` are the channels of the forward
/// convolution's input and output, `image` and `result` their height and width.
pub(super) struct Problem {
    way: Way,
    precision: Precision,
    batch: Integer,
    groups: Integer,
    c: Integer,
    k: Integer,
    image: [Integer; 2],
    result: [Integer; 2],
    filter: [Integer; 2],
    /// Strides and dilations; 1 along an axis with a single position.
    stride: [Integer; 2],
    dilation: [Integer; 2],
    pad: [Integer; 2],
    units: Integer,
}

impl Problem {
    pub(super) fn new(way: Way, context: &Context, p: &ConvolutionProblem<'_>) -> Option<Self> {
        if p.direction != way.direction() || p.dimensions != 2 {
            return None;
        }
        let s = Sizes::of_problem(p);
        let own = |values: [i64; 2]| values.map(Integer);
        let forward = p.forward();
        let face = |[_, height, width]: [u32; 3]| [height, width].map(Integer::from);
        let (image, filter) = (face(forward.input), own(s.filter));
        let over = |[step_h, step_w]: [Integer; 2], [height, width]: [Integer; 2]| {
            [over(step_h, height), over(step_w, width)]
        };
        // The gradient of weights takes strides as they are.
        let stride = if way == Way::Weights { own(s.stride) } else { over(own(s.stride), image) };
        Some(Problem {
            way,
            precision: Precision::of_problem(p)?,
            batch: Integer(s.batch),
            groups: Integer(s.groups),
            c: forward.channels.into(),
            k: forward.filters.into(),
            image,
            result: face(forward.output),
            filter,
            stride,
            dilation: over(own(s.dilation), filter),
            pad: own(s.pad),
            units: Integer(context.compute_units.into()),
        })
    }

    /// 1x1 without padding, stride and dilation.
    fn is_plain(&self) -> bool {
        let ones = [self.filter, self.stride, self.dilation].into_iter().flatten().all(|size| size == 1);
        ones && self.pad.iter().all(|pad| *pad == 0)
    }

    /// The forward convolution's input and output channels of a group.
    fn channels_of_group(&self) -> (Integer, Integer) {
        (self.c / self.groups, self.k / self.groups)
    }

    fn filter_size(&self) -> Integer {
        let [height, width] = self.filter;
        height * width
    }

    /// Parts of the batch, so that no tensor of a part has 4 GiB; `None` where an image is larger.
    pub(super) fn batches(&self) -> Option<Integer> {
        let bytes = |channels: Integer, [height, width]: [Integer; 2]| {
            channels * height * width * self.precision.bytes()
        };
        let image = bytes(self.c, self.image).max(bytes(self.k, self.result)).max(Integer::ONE);
        if image >= MOST {
            return None;
        }
        let whole = self.batch;
        let mut most = MOST / image;
        if most > whole {
            most = whole % most;
        } else if most < whole {
            let mut parts = whole / most;
            while whole % most != Integer(0) {
                if whole % parts == Integer(0) {
                    most = whole / parts;
                } else {
                    parts = parts + 1;
                    if parts * parts > whole {
                        most = Integer::ONE;
                    }
                }
            }
        }
        Some(whole / most)
    }

    /// Rows of the image that the steps of a filter reach, as backward data counts them: in height and
    /// width, and how many products they are.
    fn slices(&self) -> (Integer, Integer) {
        let ([height, width], [rows, columns]) = (self.image, self.result);
        let ([y, x], [pad_h, pad_w]) = (self.filter, self.pad);
        let ([stride_h, stride_w], [dilation_h, dilation_w]) = (self.stride, self.dilation);
        let high = Axis::new(height, rows, y, pad_h, stride_h, dilation_h);
        let wide = Axis::new(width, columns, x, pad_w, stride_w, dilation_w);
        (high.span * wide.span, high.tilde * wide.tilde)
    }

    /// M, N and K of the product by which tiles are chosen.
    fn product(&self) -> [Integer; 3] {
        let [height, width] = self.result;
        let (of_c, of_k) = self.channels_of_group();
        match self.way {
            Way::Forward => [self.batch * height * width, of_k, of_c * self.filter_size()],
            Way::Backward => [self.batch * self.slices().0, of_c, of_k],
            Way::Weights => [of_k, of_c * self.filter_size(), Integer(0)],
        }
    }

    /// Columns of the product as a configuration pads them.
    fn padded_columns(&self, own: &Configuration) -> Integer {
        let [.., last] = own.b_thread;
        ((self.c / self.groups).round_up(last) * self.filter_size()).round_up(own.n)
    }

    /// Work groups of a launch, for one part of the batch.
    pub(super) fn work_groups(&self, own: &Configuration, parts: Integer) -> Integer {
        let [height, width] = self.result;
        let (of_c, of_k) = self.channels_of_group();
        let rows = self.batch / parts;
        let split = Integer(Integer::ONE.0 << own.split.0.clamp(0, 32));
        match self.way {
            Way::Forward => {
                self.groups * (rows * height * width).ceil_div(own.m) * of_k.ceil_div(own.n) * split
            }
            Way::Backward => {
                let (area, products) = self.slices();
                let one = self.groups * (rows * area).ceil_div(own.m) * of_c.ceil_div(own.n) * split;
                if own.multihead == 0 { one } else { one * products }
            }
            Way::Weights => self.groups * of_k.ceil_div(own.m) * self.padded_columns(own).ceil_div(own.n),
        }
    }

    /// Whether channels are multiples of what threads read and write of halves.
    fn fits_halves(&self, own: &Configuration) -> bool {
        let ([.., a], [.., b]) = (own.a_thread, own.b_thread);
        (self.c / self.groups) % b == Integer(0) && (self.k / self.groups) % a == Integer(0)
    }

    /// Whether columns of halves are stored as wide as the configuration stores them.
    fn fits_stores(&self, own: &Configuration, columns: Integer) -> bool {
        let width = if own.vector_store == 0 { Integer(8) } else { own.vector_store };
        match (self.precision, own.split != 0) {
            (Precision::Single, _) | (Precision::Brain, true) => true,
            (Precision::Half, true) => columns.is_multiple(2),
            (_, false) => columns % own.n.gcd(width) == Integer(0),
        }
    }

    fn is_valid(&self, own: &Configuration, parts: Integer) -> bool {
        let (of_c, of_k) = self.channels_of_group();
        if own.nxe == 0 && !self.is_plain() {
            return false;
        }
        let shift = |value: Integer| Integer(value.0 >> own.split.0.clamp(0, 63));
        let (fits, multiple) = match self.way {
            Way::Forward => {
                let wide = own.pads_depth()
                    || (shift(self.c) != 0
                        && shift(self.c) / self.groups % own.k == Integer(0)
                        && self.fits_stores(own, of_k));
                (wide && self.merges(own, of_c), parts)
            }
            Way::Backward => {
                let ([_, a, ..], [.., b]) = (own.a_thread, own.b_thread);
                let merged = a == 1 && own.merge == 1;
                let deep = merged
                    || ((own.split == 0 || own.k * (Integer::ONE.0 << own.split.0.clamp(0, 32)) <= of_k)
                        && shift(self.k) / self.groups % own.k == Integer(0));
                let plain = merged && b == 1 && own.split == 0;
                (deep && (plain || self.fits_stores(own, of_c)), parts)
            }
            Way::Weights => (self.precision == Precision::Single || self.fits_halves(own), own.occupancy()),
        };
        let too_wide = self.way != Way::Weights
            && self.precision == Precision::Half
            && own.split != 0
            && own.vector_store != 1
            && parts > 1;
        fits && !too_wide && own.work_group() * self.work_groups(own, parts) * multiple <= MOST
    }

    /// Whether steps along a merged filter fit their 8 and 24 bits.
    fn merges(&self, own: &Configuration, channels: Integer) -> bool {
        const STEP: i64 = 256;
        const SIZE: i64 = 0xff_ffff;
        let [height, width] = self.filter;
        let steps = [own.k / (width * channels) % height, own.k / channels % width, own.k % channels];
        own.merge == 0
            || (steps.iter().all(|step| *step < STEP)
                && [channels, height, width].iter().all(|size| *size < SIZE))
    }

    /// How K is split, as a power of two, so that work groups fill a device.
    fn split(&self, own: &Configuration, parts: Integer) -> Integer {
        let depth = if self.way == Way::Forward { self.c } else { self.k } / self.groups;
        let groups = self.work_groups(own, parts);
        let mut best = 0;
        for power in 0..SPLITS {
            let (more, part) = (Integer(1 << power), Integer(depth.0 >> power));
            if groups * more > FILLED || depth % more != Integer(0) || part % own.k != Integer(0) {
                break;
            }
            best = i64::from(power);
        }
        Integer(best)
    }

    /// The gradient of weights: K is split by as many work groups as a compute unit holds where few are
    /// launched.
    fn with_units_filled(&self, mut own: Configuration, parts: Integer) -> Configuration {
        let (groups, occupancy) = (self.work_groups(&own, parts), own.occupancy());
        if groups <= UNSPLIT || self.units * occupancy / groups != Integer(0) {
            let [.., last] = own.b_thread;
            if self.precision != Precision::Single && last == 1 {
                own.vector_store = Integer::ONE;
            }
            own.split = occupancy;
        }
        own
    }

    /// The configuration with the least padding, of those that take every depth.
    fn least_padded(&self, parts: Integer) -> Option<Configuration> {
        let [m, mut n, k] = self.product();
        let mut best: Option<(Integer, Configuration)> = None;
        for row in self.way.rows() {
            let own = Configuration::of_row(row);
            let is_weights = self.way == Way::Weights;
            let is_single = self.precision == Precision::Single;
            let fits = if is_weights { is_single || self.fits_halves(&own) } else { own.pads_depth() };
            if own.precision != self.precision || !fits {
                continue;
            }
            if is_weights && is_single {
                n = self.padded_columns(&own);
            }
            let padding = padding([m, n, k], [own.m, own.n, own.k]);
            if best.as_ref().is_none_or(|(least, _)| padding < *least) {
                best = Some((padding, own));
            }
        }
        // Where none fits, the library takes the first of its list, whatever its type.
        let own = match best {
            Some((_, own)) => own,
            None => Configuration::of_row(self.way.rows().first()?),
        };
        Some(if self.way == Way::Weights { self.with_units_filled(own, parts) } else { own })
    }

    pub(super) fn first(&self) -> Option<Configuration> {
        let parts = self.batches()?;
        let product @ [_, columns, _] = self.product();
        let columns = if self.way == Way::Weights { self.c / self.groups } else { columns };
        // Halves are stored in pairs.
        let is_odd = self.precision != Precision::Single && !columns.is_multiple(2);
        let Some(tile) = tile(product, self.way.tiles(self.precision)).filter(|_| !is_odd) else {
            return self.least_padded(parts);
        };
        let rows = self.way.rows().iter().map(Configuration::of_row);
        let found = rows
            .filter(|own| own.precision == self.precision && [own.m, own.n, own.k] == tile)
            .find(|own| self.is_plain() == (own.nxe == 0) && self.is_valid(own, parts));
        match found {
            None => self.least_padded(parts),
            Some(own) if self.way == Way::Weights => Some(self.with_units_filled(own, parts)),
            Some(mut own) => {
                let split = self.split(&own, parts);
                if split > 0 {
                    own.split = split;
                }
                Some(own)
            }
        }
    }

    /// Parts of K that the gradient of weights is computed in.
    pub(super) fn parts_of_depth(&self, own: &Configuration, parts: Integer, groups: Integer) -> Integer {
        let [_, in_thread, ..] = own.a_thread;
        let [_, in_cluster, ..] = own.a_cluster;
        let (images, step) = if own.nxe == 1 { (in_thread, in_cluster) } else { (Integer::ONE, own.k) };
        let split = if own.split >= 1 { self.units * own.split / groups } else { Integer::ONE };
        let [height, width] = self.result;
        let depth = (self.batch / parts).ceil_div(images) * height * width;
        let of_group = depth.ceil_div(split.max(Integer::ONE)).round_up(step);
        depth.ceil_div(of_group)
    }
}

/// Elements that are computed in vain.
fn padding([m, n, k]: [Integer; 3], [tile_m, tile_n, tile_k]: [Integer; 3]) -> Integer {
    let of_face = |columns: Integer, by_columns: Integer, rows: Integer, by_rows: Integer| {
        let (more_columns, more_rows) =
            (columns.round_up(by_columns) - columns, rows.round_up(by_rows) - rows);
        more_columns * rows + more_rows * columns + more_columns * more_rows
    };
    of_face(m, tile_m, k, tile_k) + of_face(n, tile_n, k, tile_k) + of_face(m, tile_m, n, tile_n)
}

/// The first tile that divides the product, else the one with the least padding that divides its depth.
fn tile(product: [Integer; 3], tiles: &[Tile]) -> Option<[Integer; 3]> {
    let [m, n, k] = product;
    let tiles = || tiles.iter().map(|tile| tile.map(|size| Integer(size.into())));
    let divides = |whole: Integer, by: Integer| whole % by == Integer(0);
    let exact =
        tiles().find(|[of_m, of_n, of_k]| divides(m, *of_m) && divides(n, *of_n) && divides(k, *of_k));
    exact.or_else(|| {
        let deep = || tiles().filter(|[.., of_k]| divides(k, *of_k));
        let [least_m, least_n, _] = deep().min_by_key(|tile| padding(product, *tile))?;
        deep().find(|[of_m, of_n, _]| *of_m == least_m && *of_n == least_n)
    })
}
