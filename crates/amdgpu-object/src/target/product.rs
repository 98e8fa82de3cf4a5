//! Products: the names under which cards and APUs are sold, and the processors in them.
//!
//! The table is written by `cargo oracle products` from the lists of others; each row says from which.

use super::{GfxVersion, Processor, other_names};
use std::collections::HashMap;
use std::sync::LazyLock;

answer! {
    /// A graphics card, accelerator or APU.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Product {
        /// Name without the vendor: `Radeon RX 6600`.
        copy name: &'static str,
        /// The processor in it.
        copy processor: &'static str,
        /// Compute units of one device; a card with two dies is two devices.
        copy compute_units: Option<u32>,
        /// Memory of one device in GiB, where a list has it; an APU has none of its own.
        copy memory_gib: Option<u32>,
        /// Peak bandwidth of its memory in bytes a second, without caches; of an APU with the fastest memory that
        /// its maker names.
        copy bandwidth: Option<u64>,
        /// Peak clock of the compute units in MHz.
        copy clock_mhz: Option<u32>,
        /// Whether it shares a chip with a CPU.
        copy is_apu: bool,
        /// PCI device and revision ids: `73ff:c7`.
        list ids: &'static str,
        /// The lists that contain it, one letter each; the head of the table explains them.
        copy sources: &'static str,
    }
}

/// The meaning of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// Products with the same processor, the nearest first.
    Products(Vec<&'static Product>),
    /// Products with different processors.
    Several(Vec<&'static Product>),
    /// No product; these are the nearest names.
    Nothing(Vec<&'static Product>),
}

/// All products, by processor and name.
pub fn products() -> &'static [Product] {
    static PRODUCTS: LazyLock<Vec<Product>> = LazyLock::new(|| {
        let mut speeds: HashMap<(&str, &str), Speed> =
            include_str!("speeds.tsv").lines().filter_map(speed).collect();
        let mut row = |line: &'static str| {
            let mut product = Product::row(line)?;
            if let Some(speed) = speeds.remove(&(product.name, product.processor)) {
                product.bandwidth = speed.bandwidth;
                product.clock_mhz = speed.clock_mhz;
                product.memory_gib = product.memory_gib.or(speed.memory_gib);
                product.compute_units = product.compute_units.or(speed.compute_units);
            }
            Some(product)
        };
        include_str!("products.tsv").lines().filter_map(&mut row).collect()
    });
    &PRODUCTS
}

/// What a row of `speeds.tsv` says.
struct Speed {
    bandwidth: Option<u64>,
    clock_mhz: Option<u32>,
    memory_gib: Option<u32>,
    compute_units: Option<u32>,
}

fn speed(line: &'static str) -> Option<((&'static str, &'static str), Speed)> {
    let mut columns = line.split('\t');
    let name = (columns.next()?, columns.next()?);
    let gigabytes: Option<f64> = columns.next()?.parse().ok();
    let bandwidth = gigabytes.map(|number| (number * 1e9) as u64);
    let mut number = || columns.next()?.parse().ok();
    Some((name, Speed { bandwidth, clock_mhz: number(), memory_gib: number(), compute_units: number() }))
}

/// Whether all products with a processor share their chip with a CPU; false without any product.
pub fn is_of_apus(processor: &str) -> bool {
    let mut of_it = products().iter().filter(|product| product.processor == processor).peekable();
    of_it.peek().is_some() && of_it.all(|product| product.is_apu)
}

impl Product {
    fn row(line: &'static str) -> Option<Product> {
        let mut columns = line.split('\t');
        let (name, processor) = (columns.next()?, columns.next()?);
        let compute_units = columns.next()?.parse().ok();
        let memory_gib = columns.next()?.parse().ok();
        let is_apu = columns.next()? == "apu";
        let ids = columns.next()?.split(' ').filter(|id| *id != "-").collect();
        let sources = columns.next()?;
        let (bandwidth, clock_mhz) = (None, None);
        Some(Product {
            name,
            processor,
            compute_units,
            memory_gib,
            bandwidth,
            clock_mhz,
            is_apu,
            ids,
            sources,
        })
    }

    /// The number of multiprocessors that HIP reports: from gfx10 on work group processors, of two compute
    /// units each.
    pub fn multiprocessors(&self) -> Option<u32> {
        let halved =
            GfxVersion::from_name(self.processor).is_some_and(GfxVersion::counts_work_group_processors);
        self.compute_units.map(|units| if halved { units / 2 } else { units })
    }

    /// The products that a user means: by name in any spelling (`rx 6600`, `RX6600`, `AMD Radeon RX 6600`),
    /// by part of a name (`vega 56`), by PCI id (`0x73ff`, `1002:73ff`, `73ff:c7`, a line of `lspci -nn`), or
    /// by the name of a processor, handheld or chip that contains it (`Ryzen 7 7840U`, `ROG Ally`, `Navi
    /// 23`).
    pub fn meant(text: &str) -> Meant {
        let by_id = by_id(text);
        if !by_id.is_empty() {
            return Meant::from_found(by_id);
        }
        let word = plain(text);
        if word.is_empty() {
            return Meant::Nothing(Vec::new());
        }
        let with = |fits: &dyn Fn(&str) -> bool| -> Vec<&'static Product> {
            products().iter().filter(|product| fits(&plain(product.name))).collect()
        };
        let exact = with(&|name| name == word);
        if !exact.is_empty() {
            return Meant::from_found(exact);
        }
        let part = with(&|name| name.contains(&word));
        if !part.is_empty() && word.len() >= 3 {
            return Meant::from_found(with_namesakes(part, &word));
        }
        if let Some(other) = other_names::meant(text) {
            let is_it = |product: &&Product| product.name == other || product.processor == other;
            return Meant::from_found(products().iter().filter(is_it).collect());
        }
        let near = |name: &str| {
            let same = name.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
            same * 2 > word.len() && same >= 3
        };
        Meant::Nothing(with(&near))
    }
}

impl Meant {
    fn from_found(mut found: Vec<&'static Product>) -> Meant {
        found.sort_by_key(|product| (product.name.len(), Processor::rank(product.processor)));
        let first = found.first().map(|product| product.processor);
        if found.iter().all(|product| Some(product.processor) == first) {
            Meant::Products(found)
        } else {
            Meant::Several(found)
        }
    }
}

/// Products that have a word in their names, and those of another processor that the word alone is a name of:
/// `Vega 20` is a part of `Radeon Pro Vega 20` and the chip of the Radeon VII, `7900X` a part of `Radeon RX
/// 7900 XT` and a processor with graphics.
fn with_namesakes(mut part: Vec<&'static Product>, word: &str) -> Vec<&'static Product> {
    let other = other_names::named(|name| plain(name) == word);
    let is_other =
        |product: &&Product| other.is_some_and(|name| product.name == name || product.processor == name);
    let others: Vec<&Product> = products().iter().filter(is_other).collect();
    if others.iter().any(|own| part.iter().all(|product| product.processor != own.processor)) {
        part.extend(others);
    }
    part
}

/// A name without the words and signs that differ between spellings.
fn plain(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| !["amd", "radeon", "instinct", "graphics", "r", "tm", "gpu"].contains(word)).collect()
}

/// The id in a line of `lspci -nn`, `…Navi 23 [Radeon RX 6600] [1002:73ff] (rev c7)`: `1002:73ff:c7`.
fn in_lspci(line: &str) -> Option<String> {
    let (_, rest) = line.rsplit_once("[1002:")?;
    let (device, rest) = rest.split_once(']')?;
    let revision = rest.split_once("(rev ").and_then(|(_, rest)| rest.split_once(')'));
    Some(match revision {
        Some((revision, _)) => format!("1002:{device}:{revision}"),
        None => format!("1002:{device}"),
    })
}

/// The products with a PCI id: a device, optionally with the vendor before it or the revision after it.
fn by_id(text: &str) -> Vec<&'static Product> {
    let lower = in_lspci(text.trim()).unwrap_or_else(|| text.trim().to_owned()).to_ascii_lowercase();
    let bare = lower.strip_prefix("1002:").unwrap_or(&lower);
    let bare = bare.strip_prefix("0x").unwrap_or(bare);
    let (device, revision) = bare.split_once(':').map_or((bare, None), |(d, r)| (d, Some(r)));
    let is_hex = |word: &str| word.chars().all(|c| c.is_ascii_hexdigit());
    // Four digits alone may be a product name: `7600`, `5700`.
    let marked = lower != bare || revision.is_some() || device.chars().any(|c| c.is_ascii_alphabetic());
    if device.len() != 4 || !is_hex(device) || !marked {
        return Vec::new();
    }
    let fits = |id: &&str| {
        let (d, r) = id.split_once(':').unwrap_or((id, ""));
        d == device && revision.is_none_or(|wanted| wanted == r)
    };
    products().iter().filter(|product| product.ids.iter().any(fits)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::PROCESSORS;

    fn processor(text: &str) -> Option<&'static str> {
        match Product::meant(text) {
            Meant::Products(found) => found.first().map(|product| product.processor),
            _ => None,
        }
    }

    #[test]
    fn every_row_is_whole() {
        let rows = include_str!("products.tsv").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(products().len(), rows);
        for product in products() {
            assert!(PROCESSORS.iter().any(|p| p.name == product.processor), "{product:?}");
            assert!(product.compute_units.is_none_or(|units| (1..=400).contains(&units)), "{product:?}");
            assert!(product.memory_gib.is_none_or(|gib| (1..=512).contains(&gib)), "{product:?}");
            assert!(!product.sources.is_empty() && product.sources.chars().all(|c| "STNRLP".contains(c)));
        }
    }

    #[test]
    fn every_row_of_speeds_is_of_a_product() {
        let rows = include_str!("speeds.tsv").lines().filter(|line| !line.starts_with('#'));
        for row in rows {
            let ((name, processor), speed) = speed(row).unwrap_or_else(|| panic!("{row}"));
            let product = products().iter().find(|own| own.name == name && own.processor == processor);
            let product = product.unwrap_or_else(|| panic!("{row}: no product"));
            assert_eq!((product.bandwidth, product.clock_mhz), (speed.bandwidth, speed.clock_mhz), "{row}");
            assert!(
                speed.bandwidth.is_some_and(|b| (5_000_000_000..30_000_000_000_000).contains(&b)),
                "{row}"
            );
            assert!(speed.clock_mhz.is_none_or(|mhz| (200..4000).contains(&mhz)), "{row}");
            assert_eq!(row.split('\t').count(), 7, "{row}");
        }
    }

    #[test]
    fn memory_is_that_of_one_device() {
        // From ROCm's hardware table; of a card with two dies, half.
        for (name, gib) in [
            ("Radeon RX 7900 XTX", Some(24)),
            ("MI300X", Some(192)),
            ("MI308X", Some(192)),
            ("MI250X", Some(64)),
            ("MI50 (32GB)", Some(32)),
            ("MI50", None),
            ("Radeon 780M", None),
        ] {
            let known = products().iter().find(|product| product.name == name);
            assert_eq!(known.map(|product| product.memory_gib), Some(gib), "{name}");
        }
        assert!(products().iter().all(|product| !product.is_apu || product.memory_gib.is_none()));
    }

    #[test]
    fn names_in_any_spelling_lead_to_the_processor() {
        // From AMD's own pages and LLVM's AMDGPUUsage.
        for (text, target) in [
            ("RX 6600", "gfx1032"),
            ("rx6600", "gfx1032"),
            ("AMD Radeon(TM) RX 6600", "gfx1032"),
            ("rx 6600 xt", "gfx1032"),
            ("vega 56", "gfx900"),
            ("Radeon VII", "gfx906"),
            ("MI250X", "gfx90a"),
            ("mi300x", "gfx942"),
            ("MI308X", "gfx942"),
            ("1002:74a2", "gfx942"),
            ("780m", "gfx1103"),
            ("890M", "gfx1150"),
            ("Strix Halo", "gfx1151"),
            ("8060S", "gfx1151"),
            ("RX 9070 XT", "gfx1201"),
            ("rx 7900 xtx", "gfx1100"),
            ("5700 XT", "gfx1010"),
            ("0x73ff", "gfx1032"),
            ("1002:744c", "gfx1100"),
            ("[1002:73ff]", "gfx1032"),
            (
                "03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 23 [Radeon RX 6600/6600 XT/6600M] [1002:73ff] (rev c7)",
                "gfx1032",
            ),
            ("AMD Ryzen 7 7840U w/ Radeon 780M Graphics", "gfx1103"),
        ] {
            assert_eq!(processor(text), Some(target), "{text}");
        }
    }

    #[test]
    fn a_name_of_several_chips_is_a_question_and_an_unknown_one_has_neighbours() {
        assert!(matches!(Product::meant("RX"), Meant::Nothing(_) | Meant::Several(_)));
        assert!(matches!(Product::meant("6700"), Meant::Products(_) | Meant::Several(_)));
        let Meant::Nothing(near) = Product::meant("RX 6601") else { panic!() };
        assert!(near.iter().any(|product| product.name == "Radeon RX 6600"), "{near:?}");
        assert_eq!(Product::meant("GeForce"), Meant::Nothing(Vec::new()));
        assert_eq!(Product::meant(""), Meant::Nothing(Vec::new()));
    }

    #[test]
    fn a_word_that_is_a_chip_and_a_part_of_a_name_is_a_question() {
        // Vega 20 is the Radeon VII's chip (Linux, amd_shared.h) and in the name of Apple's Radeon Pro Vega
        // 20, a Vega 12. The Ryzen 9 7900X has Raphael's graphics (AMD's product page).
        for (text, targets) in [
            ("Vega 20", ["gfx904", "gfx906"]),
            ("vega20", ["gfx904", "gfx906"]),
            ("7900X", ["gfx1036", "gfx1100"]),
        ] {
            let Meant::Several(found) = Product::meant(text) else { panic!("{text}") };
            for target in targets {
                assert!(found.iter().any(|product| product.processor == target), "{text}: {found:?}");
            }
        }
        assert_eq!(processor("Radeon Pro Vega 20"), Some("gfx904"));
        assert_eq!(processor("Ryzen 9 7900X"), Some("gfx1036"));
        assert_eq!(processor("7900 XTX"), Some("gfx1100"));
    }

    #[test]
    fn hip_counts_pairs_of_compute_units_on_rdna() {
        let units =
            |name: &str| products().iter().find(|p| p.name == name).and_then(Product::multiprocessors);
        assert_eq!(units("MI210"), Some(104));
        assert_eq!(units("Radeon RX 6800"), Some(30));
        assert_eq!(units("MI250X"), Some(110), "one of two dies");
    }
}
