//! What a compute unit can compute in a clock, at best.

use std::sync::LazyLock;

answer! {
    /// The most that a compute unit of a processor computes in a clock, and the caches in front of its memory.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct UnitRates {
        /// The processors.
        list processors: &'static str,
        /// Floating-point operations in 32 bits by vector instructions; an addition with multiplication is two.
        copy f32_vector: u32,
        /// The same in 16 bits.
        copy f16_vector: u32,
        /// Floating-point operations in 32 bits by matrix instructions; 0 without them.
        copy f32_matrix: u32,
        /// The same in 16 bits.
        copy f16_matrix: u32,
        /// The same in bfloat16.
        copy bf16_matrix: u32,
        /// Operations on 8-bit integers by vector instructions.
        copy i8_vector: u32,
        /// The same by matrix instructions.
        copy i8_matrix: u32,
        /// Bytes in all caches that compute units share, of the largest product.
        copy cache: u64,
    }
}

impl UnitRates {
    /// The rates of a processor; none where no source has them.
    pub fn of_processor(processor: &str) -> Option<&'static UnitRates> {
        static RATES: LazyLock<Vec<UnitRates>> =
            LazyLock::new(|| include_str!("rates.tsv").lines().filter_map(UnitRates::row).collect());
        RATES.iter().find(|rates| rates.processors.contains(&processor))
    }

    fn row(line: &'static str) -> Option<UnitRates> {
        if line.starts_with('#') {
            return None;
        }
        let mut columns = line.split('\t');
        let processors = columns.next()?.split(',').collect();
        let mut number = || columns.next().map(|column| column.parse::<u32>().unwrap_or(0));
        Some(UnitRates {
            processors,
            f32_vector: number()?,
            f16_vector: number()?,
            f32_matrix: number()?,
            f16_matrix: number()?,
            bf16_matrix: number()?,
            i8_vector: number()?,
            i8_matrix: number()?,
            cache: u64::from(number()?) << 20,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::PROCESSORS;
    use crate::target::product::products;

    #[test]
    fn every_row_is_whole_and_of_known_processors() {
        let rows = include_str!("rates.tsv").lines().filter(|line| !line.starts_with('#'));
        for row in rows {
            let rates = UnitRates::row(row).unwrap_or_else(|| panic!("{row}"));
            for name in &rates.processors {
                assert!(PROCESSORS.iter().any(|processor| processor.name == *name), "{name}");
            }
            assert_eq!(row.split('\t').count(), 10, "{row}");
            assert!(rates.f32_vector >= 128 && rates.i8_vector >= 128 && rates.cache > 0, "{row}");
            // Matrix instructions are there for the sake of speed.
            assert!(rates.f16_matrix == 0 || rates.f16_matrix >= rates.f16_vector, "{row}");
        }
    }

    /// AMD's published peaks: TFLOPS in 16 bits (of matrix instructions where the card has them), from its product
    /// pages.
    #[test]
    fn published_peaks_are_units_by_rates_by_clock() {
        for (name, published) in [
            ("Radeon RX 7900 XTX", 123.0),
            ("Radeon RX 7600", 43.5),
            ("Radeon RX 6900 XT", 46.08),
            ("Radeon RX 6600", 17.86),
            ("Radeon RX 9070 XT", 195.0),
            ("MI300X", 1307.4),
            ("MI210", 181.0),
            ("MI100", 184.6),
            ("MI60", 29.5),
            ("Radeon RX Vega 64", 25.3),
            ("Radeon RX 5700 XT", 19.51),
        ] {
            let product = products().iter().find(|product| product.name == name).expect(name);
            let rates = UnitRates::of_processor(product.processor).expect(name);
            let units = f64::from(product.compute_units.expect(name));
            let clock = f64::from(product.clock_mhz.expect(name)) * 1e6;
            let peak = units * f64::from(rates.f16_vector.max(rates.f16_matrix)) * clock / 1e12;
            assert!((peak / published - 1.0).abs() < 0.01, "{name}: {peak} TFLOPS, published {published}");
        }
    }
}
