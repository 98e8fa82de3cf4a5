//! A configuration: how a perf-db writes it, its kernel, and what a compute unit holds of it.

use super::precision::Precision;
use super::table::{self, Row, Tile};
use crate::miopen::problem::Direction;
use crate::miopen::solver::integer::Integer;

/// A configuration, by the names of a perf-db.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) precision: Precision,
    pub(super) nxb: Integer,
    pub(super) nxe: Integer,
    /// Rows, columns and depth of a work group's tile.
    pub(super) m: Integer,
    pub(super) n: Integer,
    pub(super) k: Integer,
    /// Tile, steps and repeats of a wave.
    pub(super) wave: [Integer; 7],
    pub(super) multihead: Integer,
    pub(super) vector_store: Integer,
    pub(super) split: Integer,
    pub(super) merge: Integer,
    pub(super) pass_through: Integer,
    pub(super) a_thread: [Integer; 4],
    pub(super) a_cluster: [Integer; 4],
    pub(super) b_thread: [Integer; 4],
    pub(super) b_cluster: [Integer; 4],
}

impl Configuration {
    pub(super) fn of_row((precision, tile, wave, options, lengths): &Row) -> Self {
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
    pub(super) fn parse(text: &str, way: Way) -> Option<Self> {
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
    pub(super) fn text(&self, way: Way) -> String {
        let own = [self.nxb, self.nxe, self.m, self.n, self.k].into_iter().chain(self.wave);
        let options = [self.multihead, self.vector_store, self.split, self.merge, self.pass_through];
        let lengths = [self.a_thread, self.a_cluster, self.b_thread, self.b_cluster];
        let values = own.chain(options).chain(lengths.into_iter().flatten()).map(|value| value.0.to_string());
        let values: Vec<String> = values.collect();
        format!("{},nhwc,{},{},0", way.word(), self.precision.word(), values.join(","))
    }

    /// The name of its kernel on a processor.
    pub(super) fn kernel(&self, way: Way, target: &str) -> String {
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
    pub(super) fn work_group(&self) -> Integer {
        self.a_cluster.into_iter().fold(Integer::ONE, |all, length| all * length)
    }

    /// Whether a thread reads one element at a time of A and B, which fits every depth.
    pub(super) fn pads_depth(&self) -> bool {
        let ([_, a, ..], [_, b, ..]) = (self.a_thread, self.b_thread);
        a == 1 && b == 1
    }

    /// Work groups that a compute unit holds, as the library computes it for the gradient of weights; at
    /// least none.
    pub(super) fn occupancy(&self) -> Integer {
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
pub(super) enum Way {
    Forward,
    Backward,
    Weights,
}

impl Way {
    pub(super) fn of_solver(solver: &str) -> Option<Self> {
        Some(match solver {
            "ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC" => Way::Forward,
            "ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC" => Way::Backward,
            "ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC" => Way::Weights,
            _ => return None,
        })
    }

    pub(super) fn direction(self) -> Direction {
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

    pub(super) fn rows(self) -> &'static [Row] {
        match self {
            Way::Forward => &table::FORWARD,
            Way::Backward => &table::BACKWARD,
            Way::Weights => &table::WEIGHTS,
        }
    }

    pub(super) fn tiles(self, precision: Precision) -> &'static [Tile] {
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
