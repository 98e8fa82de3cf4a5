//! Other names for a GPU: those of the processor that contains it, of a handheld, of its chip.

/// The product or the processor in the first row whose words all occur in a text.
pub(super) fn meant(text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let row = rows().find(|(all, _)| all.split(' ').all(|one| words.contains(&one)));
    row.map(|(_, means)| means)
}

/// The product or the processor of the row whose words, written as one text, are a name.
pub(super) fn named(is_name: impl Fn(&str) -> bool) -> Option<&'static str> {
    rows().find(|(words, _)| is_name(words)).map(|(_, means)| means)
}

fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("other_names.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t'))
}

#[cfg(test)]
mod tests {
    use super::super::product::{Meant, Product, products};
    use super::*;

    fn processor(text: &str) -> Option<&'static str> {
        match Product::meant(text) {
            Meant::Products(found) => found.first().map(|product| product.processor()),
            _ => None,
        }
    }

    #[test]
    fn every_row_leads_to_a_product() {
        for (words, means) in rows() {
            let is_it = |product: &Product| product.name() == means || product.processor() == means;
            assert!(products().iter().any(is_it), "{words}: {means}");
        }
    }

    #[test]
    fn names_lead_to_the_processor_that_is_in_them() {
        // From AMD's product pages, and the bracketed names in `lspci`.
        for (text, expected) in [
            ("AMD Ryzen AI Max+ 395 w/ Radeon 8060S", "gfx1151"),
            ("Ryzen AI 9 HX 370", "gfx1150"),
            ("AMD Ryzen 7 7840U", "gfx1103"),
            ("Ryzen 7 5700G", "gfx90c"),
            ("Raphael [1002:164e] (rev c1)", "gfx1036"),
            ("Cezanne [Radeon Vega Series / Radeon Vega Mobile Series] [1002:1638] (rev c5)", "gfx90c"),
            ("[1002:164c]", "gfx90c"),
            ("Barcelo [1002:15e7]", "gfx90c"),
            ("Granite Ridge [Radeon Graphics] [1002:13c0]", "gfx1036"),
            ("AMD Ryzen 7 9700X 8-Core Processor", "gfx1036"),
            ("AMD Ryzen 7 7700 8-Core Processor", "gfx1036"),
            ("Ryzen 7 7800X3D", "gfx1036"),
            ("Ryzen 7 5825U with Radeon Graphics", "gfx90c"),
            ("AMD Ryzen 7 255 w/ Radeon 780M Graphics", "gfx1103"),
            ("Ryzen Z2 Go", "gfx1035"),
            ("Radeon RX 7600", "gfx1102"),
            ("RX 7700 XT", "gfx1101"),
            ("RX 7900 XTX", "gfx1100"),
            ("ROG Ally", "gfx1103"),
            ("Navi 23", "gfx1032"),
            ("NAVI21", "gfx1030"),
            ("Vega 20 [Radeon VII]", "gfx906"),
            ("Vega 12 [Radeon Pro Vega 20]", "gfx904"),
        ] {
            assert_eq!(processor(text), Some(expected), "{text}");
        }
        for text in ["Ryzen 9 395", "AI 9", "Intel Core i7 7700K", "Navi", ""] {
            assert_eq!(meant(text), None, "{text}");
        }
    }
}
