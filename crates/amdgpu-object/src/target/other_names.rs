//! Other names that people know a GPU by: that of the processor it is a part of, of a handheld, of its chip.

use super::product::{Product, products};

/// The products of the first row whose words all stand in a text; those with its processor where the row names one.
pub(super) fn meant(text: &str) -> Vec<&'static Product> {
    let lower = text.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let row = rows().find(|(all, _)| all.split(' ').all(|one| words.contains(&one)));
    let Some((_, means)) = row else { return Vec::new() };
    products().iter().filter(|product| product.name() == means || product.processor() == means).collect()
}

fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("other_names.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_leads_to_a_product() {
        for (words, means) in rows() {
            let found = meant(words);
            assert!(!found.is_empty(), "{words}: {means}");
            let processor = found[0].processor();
            assert!(found.iter().all(|product| product.processor() == processor), "{words}");
        }
    }

    #[test]
    fn names_lead_to_the_processor_that_is_in_them() {
        // By AMD's product pages, and the bracketed names of `lspci`.
        for (text, processor) in [
            ("AMD Ryzen AI Max+ 395 w/ Radeon 8060S", "gfx1151"),
            ("Ryzen AI 9 HX 370", "gfx1150"),
            ("AMD Ryzen 7 7840U", "gfx1103"),
            ("Ryzen 7 5700G", "gfx90c"),
            ("ROG Ally", "gfx1103"),
            ("Navi 23", "gfx1032"),
            ("NAVI21", "gfx1030"),
        ] {
            assert_eq!(meant(text).first().map(|product| product.processor()), Some(processor), "{text}");
        }
        for text in ["Ryzen 9 395", "AI 9", "Intel Core i7 7700K", "Navi", ""] {
            assert_eq!(meant(text), Vec::<&Product>::new(), "{text}");
        }
    }
}
