use super::table::{FILES, Tables};
use super::*;

/// Words of a generator with a fixed starting state: random ones, and ones near to what assemblers write.
struct Words(u64);

impl Words {
    fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545F4914F6CDD1D)
    }

    fn word(&mut self) -> u128 {
        let (mut low, mut high) = (self.number(), self.number());
        if high & 3 == 0 {
            let forms = [0xf9, 0xfa, 0xe9, 0xea, 0xff, 0x100];
            low = low & !0x1ff | forms[(high >> 8) as usize % forms.len()];
        }
        if high & 12 == 0 {
            low &= !(0xffff << 48);
        }
        if high & 48 == 0 {
            high &= 0x80ff00ffffffffff;
        }
        u128::from(low) | u128::from(high) << 64
    }
}

fn decoders() -> impl Iterator<Item = (&'static str, &'static Decoder)> {
    table::tables().families.iter().flat_map(|family| {
        let processor = family.processors[0];
        [Mode::Correct, Mode::LikeLlvm].map(|mode| (processor, Decoder::of(processor, mode).unwrap()))
    })
}

#[test]
fn every_line_of_the_tables_is_understood() {
    let (tables, wrong) = Tables::read(&FILES);
    assert_eq!(wrong, Vec::<&str>::new());
    assert!(tables.families.len() > 20 && tables.rules.len() > 8_000, "{}", tables.rules.len());
    assert!(tables.mnemonics.is_sorted_by(|a, b| a < b), "a mnemonic has two numbers");
    assert!(tables.mnemonics.len() < walk::MNEMONICS);
    let families = (1u64 << tables.families.len()) - 1;
    assert!(tables.rules.iter().all(|rule| rule.families != 0 && u64::from(rule.families) <= families));
    for rule in &tables.rules {
        for field in &tables.shapes[usize::from(rule.shape)] {
            let known =
                |family: &usize| rule.families >> family & 1 == 0 || tables.kind(field, *family).is_some();
            assert!((0..tables.families.len()).all(|family| known(&family)), "{rule:?} {field:?}");
        }
    }
}

#[test]
fn the_index_says_nothing_that_the_exact_decoder_does_not() {
    for (processor, decoder) in decoders() {
        let mut words = Words(0x9E3779B97F4A7C15);
        let mut fits = 0;
        for _ in 0..10_000 {
            let word = words.word();
            let (low, high) = (word as u64, (word >> 64) as u32);
            let exact = decoder.decode_word(word, 24);
            let length = decoder.index.length(low) as u8;
            let once = decoder
                .index
                .mnemonic_if_guess_is_right(low, high)
                .map(|mnemonic| Instruction { mnemonic, length });
            for found in [once, decoder.index.instruction_of_any_length(low, high)].into_iter().flatten() {
                fits += 1;
                assert_eq!(exact, Some(found), "{processor} {word:032x}");
            }
        }
        assert!(fits > 5_000, "{processor}: the index is of no use: {fits}");
    }
}

#[test]
fn what_was_seen_before_is_counted_as_if_it_were_new() {
    for (processor, decoder) in decoders() {
        let mut words = Words(7);
        let some: Vec<u128> = (0..400).map(|_| words.word()).collect();
        let mut text = Vec::new();
        for _ in 0..4_000 {
            let number = words.number();
            // The same first dwords with others behind them, too.
            let word = some[number as usize % some.len()]
                ^ u128::from(number >> 61) << [32, 64, 96, 0][number as usize >> 8 & 3];
            text.extend_from_slice(&word.to_le_bytes()[..4 + (number as usize >> 40) % 4 * 4]);
        }
        let mut counts = Counts::default();
        decoder.count(&text, 0..text.len(), &mut counts);
        let mut expected = Counts::default();
        let mut at = 0;
        while at < text.len() {
            match decoder.decode(&text[at..]) {
                Some(found) => {
                    expected.mnemonics[usize::from(found.mnemonic)] += 1;
                    at += usize::from(found.length);
                }
                None => {
                    expected.unknown += 1;
                    at += 4.min(text.len() - at);
                }
            }
        }
        assert_eq!(counts.zero_blocks, 0, "{processor}");
        assert!(counts == expected, "{processor}");
    }
}
