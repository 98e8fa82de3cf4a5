use super::table::{FILES, Flags, Rule, Tables, When};
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
    let all = (1 << tables.families.len()) - 1;
    let rules: Vec<Rule> = table::rules(u32::MAX).collect();
    assert!(tables.families.len() > 20 && rules.len() > 8_000, "{}", rules.len());
    assert!(mnemonics().is_sorted_by(|a, b| a < b), "a mnemonic has two numbers");
    assert!(mnemonics().len() < walk::MNEMONICS);
    assert!(rules.iter().all(|rule| rule.families != 0 && rule.families <= all));
    for rule in &rules {
        for field in &tables.shapes[usize::from(rule.shape)] {
            let known =
                |family: &usize| rule.families >> family & 1 == 0 || tables.kind(field, *family).is_some();
            assert!((0..tables.families.len()).all(|family| known(&family)), "{rule:?} {field:?}");
        }
    }
}

#[test]
fn packed_rules_are_those_of_the_file() {
    let lines = include_str!("tables/rules.tsv").lines().filter(|line| !line.starts_with('#'));
    assert_eq!(lines.clone().count(), table::rules(u32::MAX).count());
    for (line, rule) in lines.zip(table::rules(u32::MAX)) {
        let Flags { nsa, has_constant, clear, fixed_254, when } = rule.flags;
        let mut flags = Vec::new();
        flags.extend((nsa > 0).then(|| format!("n{}", nsa / 4)));
        flags.extend(has_constant.then(|| "k".to_owned()));
        flags.extend(clear.map(|bit| format!("h{bit}")));
        flags.extend(fixed_254.then(|| "f".to_owned()));
        flags.extend(match when {
            When::Always => None,
            When::LikeLlvm => Some("L".to_owned()),
            When::Correct => Some("C".to_owned()),
        });
        // The order of flags has no meaning.
        let written: Vec<&str> = line.split('\t').collect();
        let of_line = flags.iter().all(|flag| written[5].contains(flag.as_str()));
        let flags = if flags.is_empty() { "-".to_owned() } else { flags.concat() };
        assert!(of_line && flags.len() == written[5].len(), "{line}: {flags}");
        let (mask, value, shape) = (rule.mask, rule.value, rule.shape);
        let columns =
            format!("{}\t{mask:x}\t{value:x}\t{}\t{shape}", rule.bytes * 8, mnemonic(rule.mnemonic));
        assert_eq!(
            (columns, format!("{:x}", rule.families)),
            (written[..5].join("\t"), written[6].to_owned())
        );
    }
}

#[test]
fn without_the_index_the_same_is_decoded() {
    for (family, (processor, fast)) in decoders().step_by(2).enumerate() {
        let slow = Decoder::new(table::tables(), family, Mode::Correct);
        let mut words = Words(0x1234_5678_9abc_def1);
        let text: Vec<u8> = (0..1_000).flat_map(|_| words.word().to_le_bytes()).collect();
        fast.index();
        for at in (0..text.len()).step_by(4) {
            assert_eq!(
                slow.next(&text, at, text.len()),
                fast.next(&text, at, text.len()),
                "{processor} {at}"
            );
            assert_eq!(slow.decode(&text[at..]), fast.decode(&text[at..]), "{processor} {at}");
        }
        assert!(!slow.has_index() && fast.has_index(), "{processor}");
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
            let length = decoder.index().length(low) as u8;
            let once = decoder
                .index()
                .mnemonic_if_guess_is_right(low, high)
                .map(|mnemonic| Instruction { mnemonic, length });
            for found in [once, decoder.index().instruction_of_any_length(low, high)].into_iter().flatten() {
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
