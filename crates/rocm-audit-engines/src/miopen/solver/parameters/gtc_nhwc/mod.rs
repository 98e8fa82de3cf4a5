//! The first configuration of the assembly GTC solvers for NHWC, and what is launched with one.
//!
//! Source, MIOpen 3.3.0, `src/solver/conv/conv_asm_implicit_gemm_gtc_{fwd,bwd,wrw}_nhwc.cpp`: `HeuristicInit`, `IsValid` and
//! `GetSolution` of each; `conv_asm_implicit_gemm_gtc_perf_config.cpp:251-301` (text, name and work group);
//! `src/include/miopen/conv/asm_implicit_gemm.hpp:112-290` (tiles, splits). Environment variables are as if none were set.

mod table;

use super::super::context::Context;
use super::super::integer::Integer;
use super::super::predicates::Axis;
use super::launch::Launch;
use super::sizes::Sizes;
use crate::miopen::problem::{ConvolutionProblem, Direction};
use table::{Row, Tile};

const ONE: Integer = Integer(1);
/// The largest tensor, and the most work items, in bytes and items.
const MOST: Integer = Integer(0xffff_ffff);
/// Work groups that a split of K is made for.
const FILLED: Integer = Integer(1200);
/// Work groups from which on the gradient of weights does without a split.
const UNSPLIT: Integer = Integer(600);
/// Splits of K are tried up to two to the power of one less.
const SPLITS: u32 = 8;

/// The type of a kernel's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Single,
    Half,
    Brain,
}

impl Precision {
    fn of_problem(p: &ConvolutionProblem<'_>) -> Option<Self> {
        Precision::of_word(match p.data_type {
            "FP32" => "fp32",
            "FP16" => "fp16",
            "BF16" => "bf16",
            _ => return None,
        })
    }

    fn of_word(word: &str) -> Option<Self> {
        [Precision::Single, Precision::Half, Precision::Brain].into_iter().find(|own| own.word() == word)
    }

    fn word(self) -> &'static str {
        match self {
            Precision::Single => "fp32",
            Precision::Half => "fp16",
            Precision::Brain => "bf16",
        }
    }

    fn bytes(self) -> Integer {
        Integer(if self == Precision::Single { 4 } else { 2 })
    }
}

/// A configuration, by the names of a perf-db.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Configuration {
    precision: Precision,
    nxb: Integer,
    nxe: Integer,
    /// Rows, columns and depth of a work group's tile.
    m: Integer,
    n: Integer,
    k: Integer,
    /// Tile, steps and repeats of a wave.
    wave: [Integer; 7],
    multihead: Integer,
    vector_store: Integer,
    split: Integer,
    merge: Integer,
    pass_through: Integer,
    a_thread: [Integer; 4],
    a_cluster: [Integer; 4],
    b_thread: [Integer; 4],
    b_cluster: [Integer; 4],
}

impl Configuration {
    fn of_row((precision, tile, wave, options, lengths): &Row) -> Self {
        let [nxb, nxe, m, n, k] = tile.map(|value| Integer(value.into()));
        let [multihead, vector_store, split, merge, pass_through] =
            options.map(|value| Integer(value.into()));
        let [a_thread, a_cluster, b_thread, b_cluster] =
            lengths.map(|four| four.map(|value| Integer(value.into())));
        let wave = wave.map(|value| Integer(value.into()));
        Configuration {
            precision: *precision,
            nxb,
            nxe,
            m,
            n,
            k,
            wave,
            multihead,
            vector_store,
            split,
            merge,
            pass_through,
            a_thread,
            a_cluster,
            b_thread,
            b_cluster,
        }
    }

    /// One that a perf-db has for this direction.
    fn parse(text: &str, way: Way) -> Option<Self> {
        let mut words = text.split(',');
        if words.next()? != way.word() || words.next()? != "nhwc" {
            return None;
        }
        let precision = Precision::of_word(words.next()?)?;
        let values: Option<Vec<u16>> = words.map(|word| word.parse().ok()).collect();
        let values = values?;
        let (tile, rest) = values.split_first_chunk()?;
        let (wave, rest) = rest.split_first_chunk()?;
        let (options, rest) = rest.split_first_chunk()?;
        let ([a, b, c, d], rest) = rest.as_chunks::<4>().0.split_first_chunk()?;
        // What is left is the index in the list.
        let is_whole = rest.is_empty() && values.len() == 34;
        is_whole.then(|| Configuration::of_row(&(precision, *tile, *wave, *options, [*a, *b, *c, *d])))
    }

    /// As a perf-db writes it.
    fn text(&self, way: Way) -> String {
        let own = [self.nxb, self.nxe, self.m, self.n, self.k].into_iter().chain(self.wave);
        let options = [self.multihead, self.vector_store, self.split, self.merge, self.pass_through];
        let lengths = [self.a_thread, self.a_cluster, self.b_thread, self.b_cluster];
        let values = own.chain(options).chain(lengths.into_iter().flatten()).map(|value| value.0.to_string());
        let values: Vec<String> = values.collect();
        format!("{},nhwc,{},{},0", way.word(), self.precision.word(), values.join(","))
    }

    /// The name of its kernel on a processor.
    fn kernel(&self, way: Way, target: &str) -> String {
        let family = match target {
            "gfx908" => "gtcx",
            "gfx90a" => "gtcx2",
            _ => "gtcx3",
        };
        let by =
            |values: &[Integer]| values.iter().map(|value| value.0.to_string()).collect::<Vec<_>>().join("x");
        let [tile_m, tile_n, tile_k, step_m, step_n, repeat_m, repeat_n] = self.wave;
        let mut name = format!(
            "igemm_{}_{family}_nhwc_{}_bx{}_ex{}_bt{}_wt{}_ws{}_wr{}_ta{}_{}_tb{}_{}",
            way.word(),
            self.precision.word(),
            self.nxb.0,
            self.nxe.0,
            by(&[self.m, self.n, self.k]),
            by(&[tile_m, tile_n, tile_k]),
            by(&[step_m, step_n]),
            by(&[repeat_m, repeat_n]),
            by(&self.a_thread),
            by(&self.a_cluster),
            by(&self.b_thread),
            by(&self.b_cluster),
        );
        let marks = [
            (self.pass_through, "_pta".to_owned()),
            (self.multihead, "_mh".to_owned()),
            (self.merge, "_me".to_owned()),
            (self.vector_store, format!("_vs{}", self.vector_store.0)),
            (self.split, "_gkgs".to_owned()),
        ];
        marks.iter().filter(|(value, _)| *value != 0).for_each(|(_, mark)| name.push_str(mark));
        name
    }

    /// Work items of a work group.
    fn work_group(&self) -> Integer {
        self.a_cluster.into_iter().fold(ONE, |all, length| all * length)
    }

    /// Whether a thread reads one element at a time of A and B, which fits every depth.
    fn pads_depth(&self) -> bool {
        let ([_, a, ..], [_, b, ..]) = (self.a_thread, self.b_thread);
        a == 1 && b == 1
    }

    /// Work groups that a compute unit holds, as the library computes it for the gradient of weights; at
    /// least none.
    fn occupancy(&self) -> Integer {
        let is_half = self.precision != Precision::Single;
        let ([_, a, _, a_last], [_, b, _, b_last]) = (self.a_thread, self.b_thread);
        let (a_all, b_all) = (a * a_last, b * b_last);
        let packed = |last: Integer| Integer(if is_half && last > 1 { 2 } else { 1 });
        let of_type = Integer(if self.precision == Precision::Half { 2 } else { 1 });
        let other = Integer(if self.nxe == 0 { 36 } else { 42 });
        let registers =
            a_all / packed(a_last) + b_all / packed(b_last) + a_all / of_type + b_all / of_type + other;
        let sums = self.m * self.n / self.work_group();
        let single = self.m.max(self.n) * self.k * self.precision.bytes() * 2;
        let fits_one = (16 << 10 >= single.0 && single > 8 << 10) && sums < 128 && registers < 256 / 3;
        let lds = if !is_half || single >= 32 << 10 || fits_one { single } else { single * 2 };
        let most = [Integer(64 << 10) / lds, Integer(256) / sums, Integer(256) / registers];
        most.into_iter().min().unwrap_or_default()
    }
}

/// Which of the three solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Forward,
    Backward,
    Weights,
}

impl Way {
    fn of_solver(solver: &str) -> Option<Self> {
        Some(match solver {
            "ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC" => Way::Forward,
            "ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC" => Way::Backward,
            "ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC" => Way::Weights,
            _ => return None,
        })
    }

    fn direction(self) -> Direction {
        match self {
            Way::Forward => Direction::Forward,
            Way::Backward => Direction::BackwardData,
            Way::Weights => Direction::BackwardWeights,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Way::Forward => "fwd",
            Way::Backward => "bwd",
            Way::Weights => "wrw",
        }
    }

    fn rows(self) -> &'static [Row] {
        match self {
            Way::Forward => &table::FORWARD,
            Way::Backward => &table::BACKWARD,
            Way::Weights => &table::WEIGHTS,
        }
    }

    fn tiles(self, precision: Precision) -> &'static [Tile] {
        match (self, precision) {
            (Way::Forward, Precision::Single) => &table::FORWARD_SINGLE,
            (Way::Forward, Precision::Half) => &table::FORWARD_HALF,
            (Way::Forward, Precision::Brain) => &table::FORWARD_BRAIN,
            (Way::Backward, Precision::Single) => &table::BACKWARD_SINGLE,
            (Way::Backward, Precision::Half) => &table::BACKWARD_HALF,
            (Way::Backward, Precision::Brain) => &table::BACKWARD_BRAIN,
            (Way::Weights, Precision::Single) => &table::WEIGHTS_SINGLE,
            (Way::Weights, Precision::Half) => &table::WEIGHTS_HALF,
            (Way::Weights, Precision::Brain) => &table::WEIGHTS_BRAIN,
        }
    }
}

/// A problem with what the three solvers ask of it. `c` and `k` are the channels of the forward
/// convolution's input and output, `image` and `result` their height and width.
struct Asked {
    way: Way,
    precision: Precision,
    batch: Integer,
    groups: Integer,
    c: Integer,
    k: Integer,
    image: [Integer; 2],
    result: [Integer; 2],
    filter: [Integer; 2],
    /// Strides and dilations, 1 where there is only one place for them.
    stride: [Integer; 2],
    dilation: [Integer; 2],
    pad: [Integer; 2],
    units: Integer,
}

impl Asked {
    fn new(way: Way, context: &Context, p: &ConvolutionProblem<'_>) -> Option<Self> {
        if p.direction != way.direction() || p.dimensions != 2 {
            return None;
        }
        let s = Sizes::of_problem(p);
        let own = |values: [i64; 2]| values.map(Integer);
        let (inputs, outputs) = (Integer(s.inputs), Integer(s.outputs));
        let (input, output) = (own([s.in_height, s.in_width]), own([s.out_height, s.out_width]));
        let is_forward = way == Way::Forward;
        let (c, k) = if is_forward { (inputs, outputs) } else { (outputs, inputs) };
        let (image, result) = if is_forward { (input, output) } else { (output, input) };
        let filter = own(s.filter);
        let over = |steps: [Integer; 2], sizes: [Integer; 2]| {
            let ([step_h, step_w], [height, width]) = (steps, sizes);
            [if height > 1 { step_h } else { ONE }, if width > 1 { step_w } else { ONE }]
        };
        // The gradient of weights takes strides as they are.
        let stride = if way == Way::Weights { own(s.stride) } else { over(own(s.stride), image) };
        Some(Asked {
            way,
            precision: Precision::of_problem(p)?,
            batch: Integer(s.batch),
            groups: Integer(s.groups),
            c,
            k,
            image,
            result,
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

    fn filter_size(&self) -> Integer {
        let [height, width] = self.filter;
        height * width
    }

    /// Parts of the batch, so that no tensor of a part has 4 GiB; `None` where an image is larger.
    fn batches(&self) -> Option<Integer> {
        let bytes = |channels: Integer, [height, width]: [Integer; 2]| {
            channels * height * width * self.precision.bytes()
        };
        let image = bytes(self.c, self.image).max(bytes(self.k, self.result)).max(ONE);
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
                        most = ONE;
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
        let (of_c, of_k) = (self.c / self.groups, self.k / self.groups);
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
    fn work_groups(&self, own: &Configuration, parts: Integer) -> Integer {
        let [height, width] = self.result;
        let (of_c, of_k) = (self.c / self.groups, self.k / self.groups);
        let rows = self.batch / parts;
        let split = Integer(ONE.0 << own.split.0.clamp(0, 32));
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
        let (of_c, of_k) = (self.c / self.groups, self.k / self.groups);
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
                    || ((own.split == 0 || own.k * (ONE.0 << own.split.0.clamp(0, 32)) <= of_k)
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
                own.vector_store = ONE;
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

    fn first(&self) -> Option<Configuration> {
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
    fn parts_of_depth(&self, own: &Configuration, parts: Integer, groups: Integer) -> Integer {
        let [_, in_thread, ..] = own.a_thread;
        let [_, in_cluster, ..] = own.a_cluster;
        let (images, step) = if own.nxe == 1 { (in_thread, in_cluster) } else { (ONE, own.k) };
        let split = if own.split >= 1 { self.units * own.split / groups } else { ONE };
        let [height, width] = self.result;
        let depth = (self.batch / parts).ceil_div(images) * height * width;
        let of_group = depth.ceil_div(split.max(ONE)).round_up(step);
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

/// The first configuration, as a perf-db would write it; `None` for other solvers and problems that these do
/// not take.
pub(super) fn first(solver: &str, context: &Context, p: &ConvolutionProblem<'_>) -> Option<String> {
    let way = Way::of_solver(solver)?;
    Some(Asked::new(way, context, p)?.first()?.text(way))
}

/// The launch of the product. Kernels that turn tensors of NCHW around are left out.
pub(super) fn launch(
    solver: &str,
    context: &Context,
    p: &ConvolutionProblem<'_>,
    parameters: Option<&str>,
) -> Option<Launch> {
    let way = Way::of_solver(solver)?;
    let own = Configuration::parse(parameters?, way)?;
    let asked = Asked::new(way, context, p)?;
    let parts = asked.batches()?;
    let (groups, group) = (asked.work_groups(&own, parts), own.work_group());
    let depth = if way == Way::Weights { asked.parts_of_depth(&own, parts, groups) } else { ONE };
    Launch::new(own.kernel(way, &context.target), [groups * group, parts, depth], [group, ONE, ONE])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the real library (3.4.0) began with and launched on a stand-in for the HIP runtime: target, compute
    /// units, key, solver, parameters, kernel, work items, work items of a group.
    static RECORDED: &str = include_str!("recorded.txt");

    fn rows() -> impl Iterator<Item = [&'static str; 8]> {
        RECORDED.lines().map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            words.try_into().unwrap()
        })
    }

    #[test]
    fn solvers_begin_with_what_the_library_begins_with_and_launch_it() {
        for [target, units, key, solver, parameters, kernel, items, group] in rows() {
            let context = Context::new(target, units.parse().unwrap());
            let problem = ConvolutionProblem::parse(key).unwrap();
            assert_eq!(first(solver, &context, &problem).as_deref(), Some(parameters), "{solver} {key}");
            let own = launch(solver, &context, &problem, Some(parameters)).unwrap();
            let joined = |sizes: [u64; 3]| sizes.map(|size| size.to_string()).join(",");
            let own = [own.kernel, joined(own.work_items), joined(own.work_group)];
            assert_eq!(own, [kernel, items, group], "{solver} {key}");
        }
    }

    /// Rows of a perf-db are anybody's text, and keys anybody's numbers.
    #[test]
    fn what_fits_nothing_launches_nothing_and_ends() {
        let most = "4294967295-4294967295-4294967295-1x1-4294967295-4294967295-4294967295-4294967295-0x0-1x1-1x1-0-NHWC-FP16-";
        for [target, units, key, solver, parameters, ..] in rows() {
            let context = Context::new(target, units.parse().unwrap());
            let problem = ConvolutionProblem::parse(key).unwrap();
            let last = parameters.rsplit_once(',').unwrap().0;
            let longer = format!("{parameters},0");
            let zeros = parameters.split(',').take(3).chain(["0"; 34]).collect::<Vec<_>>().join(",");
            let large = zeros.replace(",0", ",65535");
            for wrong in ["", "fwd", "fwd,nhwc,fp64", last, &longer, &zeros] {
                assert_eq!(launch(solver, &context, &problem, Some(wrong)), None, "{solver} {wrong}");
            }
            let _ = launch(solver, &context, &problem, Some(&large));
            let letter = key.rsplit_once('-').unwrap().1;
            if let Ok(large) = ConvolutionProblem::parse(&format!("{most}{letter}")) {
                assert_eq!(first(solver, &context, &large), None, "{solver}");
            }
        }
    }
}
