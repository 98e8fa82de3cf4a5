//! The least time that a phase of a model needs on a card: bytes by bandwidth, operations by peaks.
//!
//! It is a bound and no prediction: what real runs reach of it is in `docs/model.md`. Nothing is counted that a run could
//! avoid: caches are taken to hold what fits in them, of experts those of one token are read, and of attention
//! over a prompt only the half below the diagonal is computed.

use super::phase::{EqualOperations, Phase};
use super::way::{Way, WayKind};
use crate::asked::CardSpeed;
use crate::engines::ggml::Route;
use crate::engines::model::operation::Product;
use crate::target::rates::UnitRates;

/// The least time of a phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeastTime {
    /// Seconds to read weights, keys and values from the card's memory.
    pub memory: f64,
    /// Seconds to compute products and attention; `None` if the card's clock or compute units are unknown.
    pub arithmetic: Option<f64>,
    /// Tokens of all sequences.
    pub tokens: u64,
    /// What published runs reach of it; `None` if there are too few, and for models of experts.
    pub reached: Option<ReachedShare>,
}

impl LeastTime {
    /// The longer of both in seconds.
    pub fn seconds(&self) -> f64 {
        self.memory.max(self.arithmetic.unwrap_or(0.0))
    }

    /// Whether reading takes longer than computing, as far as both are known.
    pub fn is_memory(&self) -> bool {
        self.arithmetic.is_none_or(|arithmetic| self.memory >= arithmetic)
    }

    /// The most tokens a second; `None` if no time could be calculated.
    pub fn tokens_per_second(&self) -> Option<f64> {
        let seconds = self.seconds();
        (seconds > 0.0).then(|| self.tokens as f64 / seconds)
    }
}

/// The least time of a phase on a card; `None` if a part of it does not run on the card or the processor's rates
/// are unknown.
pub fn least_time(
    phase: &Phase,
    speed: &CardSpeed,
    processor: &str,
    reached: Option<ReachedShare>,
) -> Option<LeastTime> {
    let rates = UnitRates::of_processor(processor)?;
    let runs_on_card =
        |(way, _): &(Way, _)| way.kind != WayKind::Cpu && !WayKind::MISSING.contains(&way.kind);
    if !phase.ways.iter().all(runs_on_card) {
        return None;
    }
    let batches = phase.batches.len() as u64;
    let bytes: u128 =
        phase.rows.iter().map(|row| least_bytes(row).saturating_mul(u128::from(row.count))).sum();
    let cached = u128::from(rates.cache().saturating_mul(batches));
    let memory = bytes.saturating_sub(cached) as f64 / speed.bandwidth as f64;
    let arithmetic = speed.clocks_of_units().map(|clocks| {
        let of_row = |row: &EqualOperations| {
            let flops = least_flops(&row.operation.product).saturating_mul(u128::from(row.count));
            flops as f64 / (f64::from(rate(&row.way, rates)) * clocks)
        };
        phase.rows.iter().map(of_row).sum()
    });
    let tokens = phase.batches.iter().fold(0_u64, |sum, batch| sum.saturating_add(batch.all_tokens()));
    // A prompt is bound by arithmetic: without it the bound of memory is far too high to help anyone.
    let is_prompt = phase.name == "prefill";
    if is_prompt && arithmetic.is_none() {
        return None;
    }
    let found = LeastTime { memory, arithmetic, tokens, reached };
    let is_usual = found.is_memory() != is_prompt;
    Some(LeastTime { reached: reached.filter(|_| is_usual), ..found })
}

/// Keys are padded to a multiple of this; runs may leave out the padding.
const PADDING: u64 = 255;

/// The bytes that one operation reads in any case.
fn least_bytes(row: &EqualOperations) -> u128 {
    let whole = row.operation.product.bytes();
    match &row.operation.product {
        // All tokens may choose the same experts.
        Product::Experts(p, _) => {
            let counted = p.experts.min(p.tokens.saturating_mul(p.used)).max(1);
            whole * u128::from(p.used.min(counted)) / u128::from(counted)
        }
        Product::Attention(flash) => {
            let keys = flash.query.keys.max(1);
            whole * u128::from(keys.saturating_sub(PADDING)) / u128::from(keys)
        }
        Product::MulMat(..) | Product::Hadamard(..) => whole,
    }
}

/// The floating-point operations of a product that a run computes in any case.
fn least_flops(product: &Product) -> u128 {
    match product {
        Product::Attention(_) => product.flops() / 2,
        _ => product.flops(),
    }
}

/// The most operations of a way that a compute unit computes in a clock.
fn rate(way: &Way, rates: &UnitRates) -> u32 {
    let floats = rates.f16_vector().max(rates.f16_matrix()).max(rates.bf16_matrix());
    match way.route {
        Route::Mmq => rates.i8_vector().max(rates.i8_matrix()),
        Route::Mmvq | Route::MmvqMoe => rates.i8_vector(),
        Route::Blas(_) if way.types.starts_with('S') => rates.f32_vector().max(rates.f32_matrix()),
        Route::Tile | Route::Vec => rates.f16_vector(),
        Route::Blas(_) | Route::Mmvf | Route::Mmf | Route::Mma | Route::Unsupported => floats,
    }
}

/// The part of the bound that published runs reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReachedShare {
    /// Lower quartile of the runs in percent.
    pub low: u32,
    /// Upper quartile in percent.
    pub high: u32,
    /// Number of runs.
    pub runs: u32,
    /// Whether the runs are on cards of this class; otherwise on cards of all classes.
    pub of_class: bool,
}

/// Bytes of a phase below which launches decide: no run of a smaller model is in the table.
const LEAST_BYTES: u128 = 1_000_000_000;

/// What published runs of llama.cpp reach of the bound, where most of a phase takes this route on a card of this class.
pub fn reached(phase: &Phase, class: &str) -> Option<ReachedShare> {
    if phase.bytes < LEAST_BYTES {
        return None;
    }
    let route = phase.ways.first()?.0.route.name();
    let row = |wanted: &str| {
        include_str!("reached.tsv").lines().find_map(|line| {
            let rest = line.strip_prefix(phase.name)?.strip_prefix('\t')?.strip_prefix(route)?;
            let mut columns = rest.strip_prefix('\t')?.strip_prefix(wanted)?.strip_prefix('\t')?.split('\t');
            let mut number = || columns.next()?.parse().ok();
            let (runs, low, high) = (number()?, number()?, number()?);
            Some(ReachedShare { low, high, runs, of_class: wanted != "-" })
        })
    };
    row(class).or_else(|| row("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_reached_shares_are_whole() {
        let rows = include_str!("reached.tsv").lines().filter(|line| !line.starts_with('#'));
        for row in rows {
            let columns: Vec<&str> = row.split('\t').collect();
            let [phase, _, _, runs, low, high] = columns[..] else { panic!("{row}") };
            assert!(["prefill", "decode"].contains(&phase), "{row}");
            let [runs, low, high] = [runs, low, high].map(|text| text.parse::<u32>().expect(row));
            assert!(runs >= 4 && low <= high && high <= 100, "{row}");
        }
    }

    /// From AMD's tables: a compute unit of gfx1100 makes 512 operations on bytes in a clock, one of gfx906 as many,
    /// one of gfx942 4,096.
    #[test]
    fn ways_take_the_fastest_unit_that_can_serve_them() {
        let way = |route, types: &str| Way {
            kind: WayKind::OwnKernel,
            route,
            dequantizes: false,
            types: types.to_owned(),
        };
        let blas = Route::Blas(crate::engines::ggml::BlasFunction::GemmEx);
        for (processor, route, types, expected) in [
            ("gfx1100", Route::Mmq, "", 512),
            ("gfx906", Route::Mmq, "", 512),
            ("gfx942", Route::Mmq, "", 4096),
            ("gfx942", Route::Mmvq, "", 512),
            ("gfx900", Route::Mmq, "", 256),
            ("gfx906", blas, "HSS", 256),
            ("gfx90a", blas, "HSS", 1024),
            ("gfx90a", blas, "SSS", 256),
            ("gfx1030", Route::Tile, "", 256),
        ] {
            let rates = UnitRates::of_processor(processor).expect(processor);
            assert_eq!(rate(&way(route, types), rates), expected, "{processor} {route} {types}");
        }
    }
}
