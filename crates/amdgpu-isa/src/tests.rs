use super::table::{Flags, Rule, TABLES, When};
use super::*;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Words of a generator with a fixed starting state: random ones, and ones near to what assemblers write.
struct TestWords(u64);

impl TestWords {
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
    TABLES.families.iter().flat_map(|family| {
        let processor = family.processors[0];
        [Mode::Correct, Mode::LikeLlvm]
            .map(|mode| (processor, Decoder::for_processor(processor, mode).unwrap()))
    })
}

#[test]
fn rules_name_what_the_tables_have() {
    let tables = &TABLES;
    let all = (1 << tables.families.len()) - 1;
    let rules: Vec<Rule> = table::rules(u32::MAX).collect();
    assert!(tables.families.len() > 20 && rules.len() > 8_000, "{}", rules.len());
    assert!(mnemonics().is_sorted_by(|a, b| a < b), "a mnemonic has two numbers");
    assert!(mnemonics().zip(0..).all(|(name, number)| mnemonic_number(name) == Some(number)));
    assert_eq!((mnemonic_number("v_banana"), mnemonic(u16::MAX)), (None, ""));
    assert!(mnemonics().len() < walk::MNEMONICS);
    assert!(rules.iter().all(|rule| rule.families != 0 && rule.families <= all));
    for rule in &rules {
        for field in tables.shapes[usize::from(rule.shape)] {
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
fn a_decoder_of_its_own_decodes_the_same() {
    assert!(Decoder::new("gfx9000", Mode::Correct).is_none());
    for (processor, shared) in decoders().step_by(2) {
        let own = Decoder::new(processor, Mode::Correct).unwrap();
        let mut words = TestWords(0x1234_5678_9abc_def1);
        let text: Vec<u8> = (0..1_000).flat_map(|_| words.word().to_le_bytes()).collect();
        assert!(own.instructions(&text).eq(shared.instructions(&text)), "{processor}");
        let [mut ours, mut theirs] = [Counts::default(), Counts::default()];
        own.count(&text, 0..text.len(), &mut ours);
        shared.count(&text, 0..text.len(), &mut theirs);
        assert_eq!(ours, theirs, "{processor}");
    }
}

#[test]
fn two_walks_in_turns_count_what_each_counts_alone() {
    for (processor, decoder) in decoders() {
        let mut words = TestWords(0x0bad_cafe_dead_beef);
        let mut text: Vec<u8> = (0..2_000).flat_map(|_| words.word().to_le_bytes()).collect();
        // Runs of zeros, one of them at the end of a range, which it may go beyond.
        text[8_000..8_040].fill(0);
        text[15_980..16_020].fill(0);
        let last = text.len();
        for (middle, far) in [(4, last), (8_020, last), (16_000, last), (last - 8, last), (last, last)] {
            let ranges = [(0, middle, far), (middle, last, last)];
            let mut walks = ranges.map(|(at, stop, end)| RangeWalk { at, stop, end });
            let mut found = [Counts::default(), Counts::default()];
            let [a, b] = &mut walks;
            let [first, second] = &mut found;
            decoder.count_two(&text, [a, b], [first, second]);
            assert!(a.at >= a.stop || b.at >= b.stop, "{processor} {middle}: one of them is at its stop");
            for (number, (at, stop, end)) in ranges.into_iter().enumerate() {
                let mut alone = Counts::default();
                let after = decoder.count_until(&text, at, stop, end, &mut alone);
                let RangeWalk { at, stop, end } = walks[number];
                let own = decoder.count_until(&text, at, stop, end, &mut found[number]);
                assert_eq!((own, &found[number]), (after, &alone), "{processor} {middle} {number}");
            }
        }
    }
}

#[test]
fn without_the_index_the_same_is_decoded() {
    for (family, (processor, fast)) in decoders().step_by(2).enumerate() {
        let slow = Decoder::of_family(family, Mode::Correct);
        let mut words = TestWords(0x1234_5678_9abc_def1);
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
        let mut words = TestWords(0x9E3779B97F4A7C15);
        let mut fits = 0;
        for _ in 0..10_000 {
            let word = words.word();
            let (low, high) = (word as u64, (word >> 64) as u32);
            let exact = decoder.decode_word(word, 24);
            let length = decoder.index().length(low) as u8;
            let once = decoder
                .index()
                .mnemonic_if_guess_is_right(low, high)
                .map(|mnemonic| Opcode { mnemonic, length });
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
        let mut words = TestWords(7);
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

/// Halves of registers on gfx12 and gfx1250: what llvm-mc 22 makes of the texts with +real-true16. With LLVM
/// 22's own default these words are unknown, and what follows them is misread.
#[test]
fn halves_of_registers_are_known_on_every_processor_that_has_them() {
    for (processor, word, mnemonic) in [
        // v_mov_b16_e32 v5.h, v1.l
        ("gfx1200", 0x7f0a_3901u32, "v_mov_b16_e32"),
        ("gfx1201", 0x7f0a_3901, "v_mov_b16_e32"),
        ("gfx1250", 0x7f0a_3901, "v_mov_b16_e32"),
        ("gfx1100", 0x7f0a_3901, "v_mov_b16_e32"),
        // v_add_f16_e32 v5.h, v1.h, v2.h
        ("gfx1200", 0x650b_0581, "v_add_f16_e32"),
    ] {
        for mode in [Mode::Correct, Mode::LikeLlvm] {
            let decoder = Decoder::for_processor(processor, mode).unwrap();
            let found = decoder.decode(&word.to_le_bytes()).map(|found| super::mnemonic(found.mnemonic));
            assert_eq!(found, Some(mnemonic), "{processor} {word:#x}");
        }
    }
}

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
}

/// The text of an instruction of a processor, of a wave of its usual width.
fn text(processor: &str, hex: &str) -> String {
    let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
    decoder.instruction(&bytes_of(hex)).map(|one| one.to_string()).unwrap_or_default()
}

#[test]
fn the_text_is_that_of_llvm() {
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in include_str!("vectors/text.tsv").lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [processor, hex, expected] = columns[..] else { panic!("{line}") };
        assert_eq!(squeeze(&text(processor, hex)), squeeze(expected), "{processor} {hex}");
    }
}

/// What LLVM printed for these bytes is in the same lines; here the bytes are made from the operands again.
#[test]
fn operands_give_the_same_bytes() {
    for line in include_str!("vectors/text.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let (processor, hex) = (columns.next().unwrap(), columns.next().unwrap());
        let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
        let bytes = bytes_of(hex);
        let one = decoder.instruction(&bytes).unwrap();
        let encoded = decoder.encode(&one).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(encoded.bytes(), &bytes[..one.length()], "{line}");
    }
}

/// The texts are those that llvm-mc 22 gives the same bytes for.
#[test]
fn another_operand_gives_another_instruction() {
    let decoder = Decoder::for_processor("gfx906", Mode::Correct).unwrap();
    // v_lshlrev_b32_e32 v8, 2, v0
    let one = decoder.instruction(&bytes_of("82001024")).unwrap();
    let operands: Vec<_> = one.operands().collect();
    assert_eq!(operands.iter().map(|one| one.name).collect::<Vec<_>>(), ["vdst", "src0", "src1"]);
    let result = decoder.with_operand(&one, "src1", operands[0].operand).unwrap();
    assert_eq!(
        (result.to_string().as_str(), decoder.encode(&result).unwrap().bytes()),
        ("v_lshlrev_b32_e32 v8, 2, v8", &bytes_of("82101024")[..])
    );
    let literal = decoder.with_operand(&one, "src0", Operand::Literal(0x1234)).unwrap();
    assert_eq!(literal.to_string(), "v_lshlrev_b32_e32 v8, 0x1234, v0");
    assert_eq!(decoder.encode(&literal).unwrap().bytes(), &bytes_of("ff00102434120000")[..]);
    // Its second source is always a vector register.
    assert!(decoder.with_operand(&one, "src1", Operand::Literal(7)).is_none());
    assert!(decoder.with_operand(&one, "src9", Operand::Literal(7)).is_none());
}

/// LLVM 22's tests, s_version of gfx12.
#[test]
fn versions_have_names() {
    let mask = "s_version ((128|UC_VERSION_W64_BIT)|UC_VERSION_W32_BIT)|UC_VERSION_MDP_BIT";
    assert_eq!(text("gfx1200", "80e080b0"), mask);
    assert_eq!(text("gfx1200", "098080b0"), "s_version UC_VERSION_GFX12|UC_VERSION_MDP_BIT");
    assert_eq!(text("gfx1200", "d1c180b0"), "s_version 0xc1d1");
}

/// What a wave of 64 lanes changes is not in the bytes: LLVM 22's tests, gfx1010 with +wavefrontsize64.
#[test]
fn waves_of_64_lanes_have_wider_conditions() {
    let decoder = Decoder::for_processor("gfx1010", Mode::Correct).unwrap();
    let one = decoder.instruction(&bytes_of("c104547d")).unwrap();
    assert_eq!(one.to_string(), "v_cmp_eq_u16_e32 vcc_lo, -1, v2");
    assert_eq!(one.in_wave(64).to_string(), "v_cmp_eq_u16_e32 vcc, -1, v2");
}

#[test]
fn reads_and_writes_are_those_of_the_manuals() {
    let names =
        |registers: Vec<Register>| registers.iter().map(Register::to_string).collect::<Vec<_>>().join(" ");
    for (processor, hex, reads, writes) in [
        // v_lshlrev_b32_e32 v0, 1, v13 and s_mov_b64 s[12:13], src_private_base: as LLVM's MC says.
        ("gfx900", "811a0024", "v13 exec", "v0"),
        ("gfx906", "ed018cbe", "src_private_base", "s[12:13]"),
        // v_dual_fmac_f32 v10, s17, v16 :: v_dual_fmac_f32 v9, s17, v14: LLVM 22 says v8 for v9.
        ("gfx1100", "112000c8111c080a", "s17 v16 v10 s17 v14 v9 mode exec", "v10 v9"),
        // s_cmov_b32 s5, s1 leaves s5 where SCC is 0. LLVM 22 has no read of s5.
        ("gfx906", "010285be", "s1 s5 scc", "s5"),
        // v_mov_b32_dpp v5, v1 row_mirror row_mask:0xf bank_mask:0xf, and the same with bound_ctrl:1, which
        // writes all lanes.
        ("gfx900", "fa020a7e014001ff", "v1 v5 exec", "v5"),
        ("gfx900", "fa020a7e014009ff", "v1 exec", "v5"),
        // image_load v5, v[1:2], s[8:15] dmask:0x3 dim:SQ_RSRC_IMG_1D_ARRAY d16: one address operand of two
        // registers.
        ("gfx1100", "100302f001050200", "v[1:2] s[8:15] exec", "v5"),
    ] {
        let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
        let one = decoder.instruction(&bytes_of(hex)).unwrap();
        let sorted = |text: String| {
            let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            words.sort();
            words.dedup();
            words
        };
        assert_eq!(sorted(names(one.reads().collect())), sorted(reads.to_owned()), "{one}");
        assert_eq!(sorted(names(one.writes().collect())), sorted(writes.to_owned()), "{one}");
    }
    assert!(size_of::<Instruction>() <= 64);
}

#[test]
fn no_word_of_any_processor_makes_the_text_panic() {
    let mut words = TestWords(0x9e37_79b9_7f4a_7c15);
    for isa in processor::all() {
        let decoder = Decoder::for_processor(isa.name, Mode::Correct).unwrap();
        for _ in 0..4000 {
            let mut bytes = words.word().to_le_bytes().to_vec();
            bytes.extend((words.number() as u32).to_le_bytes());
            let Some(one) = decoder.instruction(&bytes) else { continue };
            for one in [one, one.in_wave(64)] {
                assert!(one.to_string().starts_with(one.mnemonic().split(" :: ").next().unwrap()));
                assert!(one.operands().count() <= 24);
                let _ = (one.reads().count(), one.writes().count(), one.flow(), one.target(), one.memory());
            }
        }
    }
}

/// The short way to an operand says what the long one says.
#[test]
fn operands_that_are_read_in_place_are_those_of_their_slots() {
    let mut words = TestWords(0x1234_5678_9abc_def1);
    for isa in processor::all() {
        let decoder = Decoder::for_processor(isa.name, Mode::Correct).unwrap();
        for _ in 0..2000 {
            let mut bytes = words.word().to_le_bytes().to_vec();
            bytes.extend((words.number() as u32).to_le_bytes());
            let Some(one) = decoder.instruction(&bytes) else { continue };
            for one in [one, one.in_wave(64)] {
                let source = one.source();
                let results = source.form.layout().0;
                let of_slot = |place: usize| {
                    let slot = source.slot(place)?;
                    let is_shown = slot.has_field()
                        || place < results
                        || matches!(slot.reader, crate::form::Reader::Address { .. });
                    let operand = match source.read(slot, place) {
                        crate::Operand::Register(register) => {
                            crate::Operand::Register(source.adjusted(slot, register))
                        }
                        other => other,
                    };
                    is_shown.then_some((slot.name(), operand, place < results))
                };
                let long: Vec<_> = (0..source.slots.len()).filter_map(of_slot).collect();
                let short: Vec<_> =
                    one.operands().map(|one| (one.name, one.operand, one.is_result)).collect();
                assert_eq!(short, long, "{} {bytes:02x?} {one}", isa.name);
                let of_slot = |place: usize| {
                    let register = named_registers::unusual_register(one, place)?;
                    Some((source.slot(place)?.number, register, place < results))
                };
                let long: Vec<_> = (0..source.slots.len()).filter_map(of_slot).collect();
                let short: Vec<_> =
                    one.registers().map(|one| (one.name, one.register, one.is_result)).collect();
                assert_eq!(short, long, "{} {bytes:02x?} {one}", isa.name);
            }
        }
    }
}

/// Texts of LLVM 22.1.8's disassembler for words that no compiler writes: sizes of image operands, constants
/// where its list of operands is out of step, bits without a meaning.
#[test]
fn words_that_no_compiler_writes_have_the_texts_of_llvm() {
    let rows = include_str!("vectors/odd.tsv").lines().filter(|line| !line.starts_with('#'));
    for row in rows {
        let [processor, hex, text] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let bytes: Vec<u8> =
            (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect();
        let one = Decoder::for_processor(processor, Mode::LikeLlvm).unwrap().instruction(&bytes);
        let own = one.map(|one| one.to_string()).unwrap_or_default();
        assert_eq!(own.split_whitespace().collect::<Vec<_>>().join(" "), text, "{processor} {hex}");
    }
}

#[test]
fn a_text_that_is_used_again_says_the_same() {
    let mut words = TestWords(0x2545_f491_4f6c_dd1d);
    let some: Vec<Vec<u8>> = (0..3000)
        .map(|_| {
            let mut bytes = words.word().to_le_bytes().to_vec();
            bytes.extend((words.number() as u32).to_le_bytes());
            bytes
        })
        .collect();
    let mut text = Text::new();
    // The same bytes mean something else on another processor and in other waves; what follows them means
    // nothing.
    for round in 0..3 {
        for processor in ["gfx906", "gfx1030", "gfx1100", "gfx1250"] {
            let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
            for bytes in &some {
                let mut bytes = bytes.clone();
                let Some(one) = decoder.instruction(&bytes) else { continue };
                bytes[one.length()..].fill(round);
                let Some(one) = decoder.instruction(&bytes) else { continue };
                for one in [one, one.in_wave(64)] {
                    assert_eq!(one.text(&mut text), one.to_string(), "{processor} {bytes:x?}");
                }
            }
        }
    }
}

/// What `llvm-objdump` of LLVM 22.1.8 prints for gfx1100: the constant of 16 bits stands there with all 32
/// bits of its dword.
#[test]
fn constants_of_sixteen_bits_are_printed_whole() {
    let decoder = Decoder::for_processor("gfx1100", Mode::LikeLlvm).unwrap();
    let bytes = [0xe6, 0x9b, 0xeb, 0x71, 0xca, 0x6f, 0x03, 0xa9];
    let text = decoder.instruction(&bytes).unwrap().to_string();
    assert_eq!(text, "v_fmaak_f16 v117.h, v102.h, v77.h, 0xa9036fca");
}
