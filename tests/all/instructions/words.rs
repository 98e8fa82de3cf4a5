//! Single words: LLVM's answers, and invariants of the decoder.

use super::fixtures;
use proptest::prelude::*;
use rocm_audit::isa::{self, Counts, Decoder, Mode, Step, processor};

fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
}

/// A line of `vectors.tsv`: processor, bytes, mnemonic, length.
pub(super) fn vectors() -> Vec<[String; 4]> {
    let text = std::fs::read_to_string(fixtures().join("instructions/vectors.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap()).collect()
}

#[test]
fn every_vector_is_what_llvm_says() {
    let (mut wrong, mut instructions) = (Vec::new(), 0);
    let vectors = vectors();
    for [processor, hex, mnemonic, length] in &vectors {
        let decoder = Decoder::for_processor(processor, Mode::LikeLlvm).unwrap();
        let found = decoder.decode(&from_hex(hex));
        let seen = found.map_or(("-", 0), |found| (isa::mnemonic(found.mnemonic), found.length));
        instructions += u64::from(found.is_some());
        if seen != (mnemonic, length.parse().unwrap()) {
            wrong.push(format!("{processor} {hex}: LLVM {mnemonic} {length}, we {seen:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
    assert!(vectors.len() >= 3000 && instructions >= 1500, "{} {instructions}", vectors.len());
}

/// One processor of each family.
fn families() -> Vec<&'static str> {
    let first = |isa: &&processor::Isa| isa.family().first() == Some(&isa.name);
    processor::all().iter().filter(first).map(|isa| isa.name).collect()
}

#[test]
fn every_processor_of_the_vectors_is_known_and_no_family_is_without() {
    let vectors = vectors();
    for family in families().into_iter().filter(|name| !name.starts_with("gfx6") && !name.starts_with("gfx7"))
    {
        let same = processor::Isa::by_name(family).unwrap().family();
        assert!(vectors.iter().any(|v| same.contains(&v[0].as_str())), "{family}");
    }
}

/// Bytes as in code: words of all kinds, including zeros and beginnings of longer instructions.
fn code() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        3 => any::<u32>(),
        1 => Just(0u32),
        2 => (any::<u32>(), prop::sample::select(vec![0xff_u32, 0xfe, 0xf9, 0xfa, 0xe9])).prop_map(|(w, low)| w & !0xff | low),
        2 => (any::<u32>(), prop::sample::select(vec![0x7e_u32, 0xbe, 0xc8, 0xcc, 0xd3, 0xd5, 0xdc, 0xee, 0xf0]))
            .prop_map(|(w, high)| w & 0xff_ffff | high << 24),
    ];
    (prop::collection::vec(word, 0..40), prop::collection::vec(any::<u8>(), 0..4))
        .prop_map(|(words, tail)| words.iter().flat_map(|word| word.to_le_bytes()).chain(tail).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_word_is_an_instruction_of_a_sane_length_or_none(bytes in code()) {
        for name in families() {
            for mode in [Mode::Correct, Mode::LikeLlvm] {
                let decoder = Decoder::for_processor(name, mode).unwrap();
                if let Some(found) = decoder.decode(&bytes) {
                    let length = usize::from(found.length);
                    prop_assert!((4..=20).contains(&length) && length % 4 == 0 && length <= bytes.len(), "{name} {found:?}");
                    prop_assert!(!isa::mnemonic(found.mnemonic).is_empty());
                }
            }
        }
    }

    #[test]
    fn counting_covers_a_range_and_agrees_with_single_steps(bytes in code(), cut in any::<prop::sample::Index>()) {
        let start = cut.index(bytes.len() / 4 + 1) * 4;
        for name in families() {
            for mode in [Mode::Correct, Mode::LikeLlvm] {
                let decoder = Decoder::for_processor(name, mode).unwrap();
                let mut counted = Counts::default();
                let end = decoder.count(&bytes, start..bytes.len(), &mut counted);
                prop_assert!(end == bytes.len().max(start), "{name} {end}");
                let mut stepped = Counts::default();
                let (mut at, mut covered) = (start, 0);
                while at < bytes.len() {
                    let length = match decoder.next(&bytes, at, bytes.len()) {
                        Step::Instruction(found) => {
                            prop_assert_eq!(decoder.decode(&bytes[at..]), Some(found), "{} {}", name, at);
                            stepped.mnemonics[usize::from(found.mnemonic)] += 1;
                            usize::from(found.length)
                        }
                        Step::Zeros(zeros) => {
                            prop_assert!(zeros >= 8 && bytes[at..at + zeros].iter().all(|b| *b == 0));
                            stepped.zero_blocks += 1;
                            stepped.zero_bytes += zeros as u64;
                            zeros
                        }
                        Step::Unknown(unknown) => {
                            prop_assert!((1..=4).contains(&unknown));
                            prop_assert_eq!(decoder.decode(&bytes[at..]), None, "{} {}", name, at);
                            stepped.unknown += 1;
                            unknown
                        }
                    };
                    at += length;
                    covered += length;
                }
                prop_assert_eq!(covered, bytes.len() - start);
                prop_assert_eq!(&counted, &stepped, "{} from {}", name, start);
            }
        }
    }
}
