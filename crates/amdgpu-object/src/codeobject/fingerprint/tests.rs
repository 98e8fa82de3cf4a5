//! Tests of fingerprints, with words as llvm-mc 22 encodes them.

use super::*;
use crate::isa::Mode;

fn alone(decoder: &'static Decoder, code: &[u8], lanes: u32, inside: &[usize]) -> FoundInCode {
    RecentOfThreads::default().with(|recent| with_recent(decoder, code, lanes, inside, recent))
}

fn with_recent(
    decoder: &'static Decoder,
    code: &[u8],
    lanes: u32,
    inside: &[usize],
    recent: &mut Recent,
) -> FoundInCode {
    of_code(decoder, (code, xxh3_64_with_seed(code, 0)), lanes, inside, recent)
}

/// Of words as llvm-mc 22 encodes them for gfx900.
fn of_words(words: &[u32]) -> CodeFingerprint {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let decoder = Decoder::for_processor("gfx900", Mode::Correct).unwrap();
    alone(decoder, &code, 64, &[]).fingerprint
}

/// Of bytes as llvm-mc 22 encodes them for gfx1030.
fn of_bytes(bytes: &[u8]) -> CodeFingerprint {
    let decoder = Decoder::for_processor("gfx1030", Mode::Correct).unwrap();
    alone(decoder, bytes, 32, &[]).fingerprint
}

#[test]
fn registers_of_an_instruction_with_many_are_renamed_too() {
    // image_sample_c_d_cl_o v[20:23], [v0, v2, v4, v6, v8, v10, v12, v14, v16], s[0:7], s[8:11] dmask:0xf
    // dim:SQ_RSRC_IMG_2D; v_add_f32_e32 v1, v20, v21; s_endpgm.
    let one = of_bytes(&[
        0x0c, 0x0f, 0xec, 0xf0, 0x00, 0x14, 0x40, 0x00, 0x02, 0x04, 0x06, 0x08, 0x0a, 0x0c, 0x0e, 0x10, 0x14,
        0x2b, 0x02, 0x06, 0x00, 0x00, 0x81, 0xbf,
    ]);
    // The same with v[60:63], [v40, v42, ..., v54, LAST], s[16:23], s[24:27]; v_add_f32_e32 v41, v60, v61.
    let other = |last: u8| {
        of_bytes(&[
            0x0c, 0x0f, 0xec, 0xf0, 0x28, 0x3c, 0xc4, 0x00, 0x2a, 0x2c, 0x2e, 0x30, 0x32, 0x34, 0x36, last,
            0x3c, 0x7b, 0x52, 0x06, 0x00, 0x00, 0x81, 0xbf,
        ])
    };
    // v56, and v54 for the second time.
    let (same, twice) = (other(0x38), other(0x36));
    assert_eq!((one.total(), one.size()), (3, 24));
    assert_eq!(one.renamed(), same.renamed());
    assert_ne!(one.instructions(), same.instructions());
    assert_ne!(one.renamed(), twice.renamed());
    assert_eq!(one.unordered(), twice.unordered());
}

#[test]
fn what_was_met_before_changes_nothing() {
    let decoder = Decoder::for_processor("gfx900", Mode::Correct).unwrap();
    // s_getpc_b64 s[4:5]; s_add_u32 s4, s4, 0x100; s_addc_u32 s5, s5, 0; v_mov_b32 v0, s0;
    // v_add_f32 v1, v0, v0; s_cbranch_scc1 back to the move; s_endpgm, and what is behind it from the third
    // and the fourth word on.
    let words: [u32; 8] =
        [0xbe84_1c00, 0x8004_ff04, 0x100, 0x8205_8005, 0x7e00_0200, 0x0202_0100, 0xbf85_fffd, 0xbf81_0000];
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let parts = [0, 12, 16].map(|start| code.get(start..).unwrap());
    let each = parts.map(|code| alone(decoder, code, 64, &[]));
    for (found, code) in each.iter().zip(parts) {
        assert_eq!((found.decoded, found.ends), (code.len(), 1));
    }
    let one_for_all = RecentOfThreads::default();
    for _ in 0..2 {
        for (code, alone) in parts.iter().zip(&each) {
            let found = one_for_all.with(|recent| with_recent(decoder, code, 64, &[], recent));
            assert_eq!(found, *alone);
        }
    }
}

#[test]
fn what_is_left_to_count_is_said() {
    let decoded = |words: &[u32], inside: &[usize]| {
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let decoder = Decoder::for_processor("gfx900", Mode::Correct).unwrap();
        let found = alone(decoder, &code, 64, inside);
        (found.decoded, found.ends)
    };
    let [mov, add, end] = PLAIN;
    assert_eq!(decoded(&PLAIN, &[]), (12, 1));
    // Two ends, and zeros behind them; a word that is none before the end, and between two.
    assert_eq!(decoded(&[mov, end, add, end, 0, 0], &[]), (16, 2));
    assert_eq!(decoded(&[mov, 0x7e0b_fe80, end], &[]), (0, 0));
    assert_eq!(decoded(&[mov, end, 0x7e0b_fe80, end], &[]), (8, 1));
    assert_eq!(decoded(&[mov, add], &[]), (0, 0));
    // Symbols before instructions, and before the literal of s_add_u32 s4, s4, 0x100.
    let literal = [end, 0x8004_ff04, 0x100, end];
    assert_eq!(decoded(&literal, &[4, 12]), (16, 2));
    assert_eq!(decoded(&literal, &[4, 8, 12]), (4, 1));
}

/// v_mov_b32 v0, s0; v_add_f32 v1, v0, v0; s_endpgm.
const PLAIN: [u32; 3] = [0x7e00_0200, 0x0202_0100, 0xbf81_0000];

#[test]
fn what_fills_the_space_behind_the_end_does_not_count() {
    let padded = [&PLAIN[..], &[0xbf80_0000, 0xbf80_0000, 0]].concat();
    assert_eq!(of_words(&PLAIN), of_words(&padded));
    let plain = of_words(&PLAIN);
    assert_eq!((plain.counts(), plain.total(), plain.size()), ([0; 6], 3, 12));
}

#[test]
fn other_registers_are_told_from_other_code() {
    let plain = of_words(&PLAIN);
    // v_mov_b32 v2, s0; v_add_f32 v3, v2, v2; s_endpgm.
    let renamed = of_words(&[0x7e04_0200, 0x0206_0502, 0xbf81_0000]);
    assert_ne!(plain.instructions(), renamed.instructions());
    assert_eq!(plain.renamed(), renamed.renamed());
    // v_mov_b32 v0, s0; v_add_f32 v1, v0, v1: another register in one place only.
    let other = of_words(&[0x7e00_0200, 0x0202_0300, 0xbf81_0000]);
    assert_ne!(plain.renamed(), other.renamed());
    assert_eq!(plain.unordered(), other.unordered());
    // v_sub_f32 in place of v_add_f32.
    let changed = of_words(&[0x7e00_0200, 0x0402_0100, 0xbf81_0000]);
    assert_ne!(plain.unordered(), changed.unordered());
}

#[test]
fn distances_from_the_program_counter_do_not_count() {
    // s_getpc_b64 s[4:5]; s_add_u32 s4, s4, LITERAL; s_addc_u32 s5, s5, 0; s_endpgm.
    let near = |distance: u32| of_words(&[0xbe84_1c00, 0x8004_ff04, distance, 0x8205_8005, 0xbf81_0000]);
    assert_eq!(near(0x100).instructions(), near(0x2340).instructions());
    assert_ne!(near(0x100).bytes(), near(0x2340).bytes());
    // The same constants elsewhere do.
    let other = |value: u32| of_words(&[0x8004_ff04, value, 0xbf81_0000]);
    assert_ne!(other(0x100).instructions(), other(0x2340).instructions());
}

#[test]
fn distances_from_the_program_counter_of_gfx1250_do_not_count() {
    // s_get_pc_i64 s[4:5]; s_add_nc_u64 s[4:5], s[4:5], LITERAL; s_endpgm.
    let near = |distance: u32| {
        let words = [0xbe84_4700, 0xa984_ff04, distance, 0xbfb0_0000];
        let code: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        let decoder = Decoder::for_processor("gfx1250", Mode::Correct).unwrap();
        alone(decoder, &code, 32, &[]).fingerprint
    };
    assert_eq!(near(0x100).instructions(), near(0x2340).instructions());
    assert_ne!(near(0x100).bytes(), near(0x2340).bytes());
}

#[test]
fn other_waits_are_told_from_other_instructions() {
    // s_waitcnt vmcnt(0); v_mov_b32 v0, s0; s_cbranch_scc1 back to the wait; s_endpgm.
    let loops = |wait: &[u32]| {
        let back = 0xbf85_0000 | u32::from((-2i16 - wait.len() as i16) as u16);
        of_words(&[wait, &[0x7e00_0200, back, 0xbf81_0000]].concat())
    };
    let (strict, looser, none) = (loops(&[0xbf8c_0f70]), loops(&[0xbf8c_0f71]), loops(&[]));
    for other in [looser, none] {
        assert_eq!(strict.unwaited(), other.unwaited());
        assert_ne!(strict.unordered(), other.unordered());
    }
    assert_eq!((strict.counts()[0], none.counts()[0]), (1, 0));
    // Another register, and then another one at one place only.
    assert_eq!(strict.unwaited(), of_words(&[0xbf8c_0f70, 0x7e02_0200, 0xbf85_fffd, 0xbf81_0000]).unwaited());
    assert_ne!(strict.unwaited(), of_words(&[0xbf8c_0f70, 0x7e00_0280, 0xbf85_fffd, 0xbf81_0000]).unwaited());
}

#[test]
fn order_and_waits_are_seen() {
    // s_waitcnt vmcnt(0); v_mov_b32 v0, s0; v_mov_b32 v1, s1; s_endpgm, and the moves the other way round.
    let one = of_words(&[0xbf8c_0f70, 0x7e00_0200, 0x7e02_0201, 0xbf81_0000]);
    let other = of_words(&[0xbf8c_0f70, 0x7e02_0201, 0x7e00_0200, 0xbf81_0000]);
    assert_ne!(one.instructions(), other.instructions());
    assert_eq!(one.unordered(), other.unordered());
    assert_eq!(one.counts()[0], 1);
    assert_eq!(one.and(other), other.and(one));
}

/// The fingerprint of code that ends with `s_endpgm`s, each instruction looked at for itself.
fn one_by_one(decoder: &'static Decoder, code: &[u8], lanes: u32) -> CodeFingerprint {
    let (mut sums, mut registers) = (Sums::default(), Renaming::new());
    let (mut at, mut near) = (0, 0u8);
    for (start, instruction) in decoder.instructions(code) {
        if at < start {
            sums.add_words(code.get(at..start));
        }
        at = start + instruction.length();
        let traits = known().0[usize::from(instruction.mnemonic_number())];
        let is_distance = near > 0 && traits & ADDS != 0;
        near = if traits & READS_COUNTER != 0 { NEAR } else { near.saturating_sub(1) };
        let (instruction, is_branch) = (instruction.in_wave(lanes), traits & BRANCHES != 0);
        let hashes = instruction_hashes::of_operands(&instruction, is_distance, is_branch, &mut registers);
        sums.add(hashes, traits);
    }
    sums.into_fingerprint(xxh3_64_with_seed(code, 0), code.len() as u64)
}

/// For gfx90a, by llvm-mc 22: v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]; v_mfma_f32_16x16x4f32 a[0:3], v2, v3,
/// a[4:7]; v_mfma_f32_32x32x8f16 v[0:15], v[16:17], v[18:19], v[32:47].
const MATRIX: [[u32; 2]; 3] =
    [[0xd3c0_8000, 0x0402_0300], [0xd3c5_8000, 0x0412_0702], [0xd3cc_0000, 0x0482_2510]];

#[test]
fn recent_instructions_are_what_they_are_one_by_one() {
    let (mut state, mut counted) = (0x9e37_79b9_7f4a_7c15_u64, [0; COUNTED.len()]);
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for (processor, lanes, end) in [
        ("gfx900", 64, 0xbf81_0000_u32),
        ("gfx90a", 64, 0xbf81_0000),
        ("gfx1030", 32, 0xbf81_0000),
        ("gfx1100", 32, 0xbfb0_0000),
        ("gfx1100", 64, 0xbfb0_0000),
        ("gfx1250", 32, 0xbfb0_0000),
    ] {
        let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
        // Few words, so that most instructions come again, and enough of them that the decoder makes its index.
        let mut words: Vec<[u32; 2]> = (0..600).map(|_| [random() as u32, random() as u32]).collect();
        if processor == "gfx90a" {
            words.extend(MATRIX);
        }
        let recent = RecentOfThreads::default();
        for _ in 0..4 {
            let picked = (0..4_000).flat_map(|_| words[random() as usize % words.len()]);
            let code: Vec<u8> = picked.chain([end; 5]).flat_map(u32::to_le_bytes).collect();
            let found = recent.with(|recent| with_recent(decoder, &code, lanes, &[], recent));
            assert_eq!(found.fingerprint, one_by_one(decoder, &code, lanes), "{processor}");
            counted.iter_mut().zip(found.fingerprint.counts).for_each(|(all, own)| *all += own);
        }
    }
    assert!(counted.iter().all(|count| *count > 0), "{counted:?}");
}

#[test]
fn instructions_are_counted_however_many_there_are() {
    // s_waitcnt vmcnt(0), s_cbranch_scc1 to the next instruction, v_mov_b32 v0, s0; s_endpgm.
    let words: Vec<u32> = [(0xbf8c_0f70, 1_500), (0xbf85_0000, 700), (0x7e00_0200, 900), (0xbf81_0000, 1)]
        .into_iter()
        .flat_map(|(word, count)| vec![word; count])
        .collect();
    let fingerprint = of_words(&words);
    assert_eq!((fingerprint.counts(), fingerprint.total()), ([1_500, 0, 0, 0, 0, 700], 3_101));
}
