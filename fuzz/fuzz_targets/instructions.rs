//! Arbitrary bytes as machine code of a processor chosen by the first byte: counting covers all bytes and
//! agrees with single steps, and a step agrees with the decoder. Also arbitrary bytes as a code object, read
//! with all options.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::codeobject;
use rocm_audit::codeobject::disassembly::{self, CodeAsk, DecodeOptions};
use rocm_audit::isa::{Counts, Decoder, Mode, Step, mnemonic, processor};

fn count(decoder: &Decoder, text: &[u8]) {
    let (mut counted, mut stepped) = (Counts::default(), Counts::default());
    let end = decoder.count(text, 0..text.len(), &mut counted);
    assert_eq!(end, text.len());
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let found = decoder.decode(rest);
        at += match decoder.next(text, at, text.len()) {
            Step::Instruction(instruction) => {
                assert_eq!(found, Some(instruction));
                assert!(!mnemonic(instruction.mnemonic).is_empty());
                let length = usize::from(instruction.length);
                assert!((4..=20).contains(&length) && length % 4 == 0 && length <= rest.len());
                stepped.mnemonics[usize::from(instruction.mnemonic)] += 1;
                length
            }
            Step::Zeros(bytes) => {
                assert!(bytes >= 8 && bytes % 4 == 0 && rest[..bytes].iter().all(|byte| *byte == 0));
                stepped.zero_bytes += bytes as u64;
                stepped.zero_blocks += 1;
                bytes
            }
            Step::Unknown(bytes) => {
                assert_eq!(found, None);
                assert_eq!(bytes, rest.len().min(4));
                stepped.unknown += 1;
                bytes
            }
        };
    }
    assert_eq!(at, text.len());
    assert_eq!(counted, stepped);
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let Some((first, text)) = bytes.split_first() else { return };
    // The first byte of a code object is constant, so this uses the last.
    let chosen = if codeobject::is_elf(bytes) { bytes[bytes.len() - 1] } else { *first };
    let mode = if chosen & 1 == 0 { Mode::LikeLlvm } else { Mode::Correct };
    let isa = &processor::all()[usize::from(chosen >> 1) % processor::all().len()];
    let Some(decoder) = Decoder::for_processor(isa.name, mode) else { panic!("{}: no decoder", isa.name) };
    if !codeobject::is_elf(bytes) {
        return count(decoder, text);
    }
    let ask = DecodeOptions {
        mode,
        kernels: bytes.len().is_multiple_of(2),
        legal_on: Some(isa.name),
        ..DecodeOptions::default()
    };
    let mut kernels = 0;
    let read = codeobject::read_decoded(bytes, bytes.len() as u64, 0, CodeAsk::Decoded(&ask), &mut |_, _| {
        kernels += 1
    });
    if let Ok(object) = read {
        assert_eq!(object.kernels().count(), kernels);
        if let Some(found) = object.code() {
            let bodies: u64 = found.bodies().values().sum();
            let listed = found.kernels().len() as u64 + found.kernels_more();
            assert_eq!(listed, if ask.kernels { bodies } else { 0 });
            assert!(
                found.kernels().iter().map(|kernel| kernel.instructions()).sum::<u64>()
                    <= found.instructions()
            );
            assert!(found.histogram().windows(2).all(|pair| pair[0].0 < pair[1].0));
            assert_eq!(disassembly::total(found.histogram()), found.instructions());
        }
    }
});
